"""The privacy models by name: what each speaks of, and which algorithm serves it unless another is named."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from anonset import plugins
from anonset.data import Table
from anonset.errors import InputError
from anonset.plugins import offered
from anonset.privacy import (
    AnatomyDiversity,
    Coherence,
    ConstraintSet,
    KAnonymity,
    KKmAnonymity,
    KLmDiversity,
    KmAnonymity,
    LmDiversity,
    Part,
    PartitionKmAnonymity,
    PrivacyModel,
    SafetyConstraint,
    TransactionKAnonymity,
)


@dataclass(frozen=True)
class ModelEntry:
    """How one privacy model is asked for."""

    model: type[PrivacyModel]
    """Its class."""
    algorithm: str
    """Name of its default algorithm."""
    alone: str | None = None
    """Its default algorithm where there are no relational columns, if it is another."""
    preset: Mapping[str, Any] = field(default_factory=dict)
    """Settings that an algorithm gets for this model unless others are given."""
    equals: type[Any] | None = None
    """A model that says the same where there are no relational columns."""

    def is_met_by(self, model: PrivacyModel) -> bool:
        """Tell whether an algorithm that guarantees a model may serve this one."""
        return isinstance(model, self.model if self.equals is None else (self.model, self.equals))


_OWN: dict[str, ModelEntry] = {
    entry.model.name: entry
    for entry in (
        ModelEntry(KmAnonymity, "apriori"),
        ModelEntry(KAnonymity, "cluster"),
        ModelEntry(KKmAnonymity, "rum-bound"),
        ModelEntry(
            KLmDiversity,
            "rum-bound",
            alone="lm-apriori",
            equals=LmDiversity,
            preset=MappingProxyType({"transaction": "lm-apriori"}),
        ),
        ModelEntry(LmDiversity, "lm-apriori"),
        ModelEntry(ConstraintSet, "coat"),
        ModelEntry(Coherence, "coherence-suppression"),
        ModelEntry(TransactionKAnonymity, "local-generalization"),
        ModelEntry(PartitionKmAnonymity, "lra"),
        ModelEntry(SafetyConstraint, "safe-grouping"),
        ModelEntry(AnatomyDiversity, "anatomy"),
    )
}
MODELS: dict[str, ModelEntry] = _OWN | {
    name: ModelEntry(model, model.served_by) for name, model in offered(plugins.MODELS, _OWN).items()
}
"""All privacy models by their names on the command line: our own, then those that installed packages offer."""


_IN_WORDS: Mapping[Part, str] = {
    "items": "the set-valued column",
    "relational": "the relational columns",
    "buckets": "the link of ids to the sensitive column",
}


def unprotected(table: Table, model: PrivacyModel) -> list[str]:
    """Return the columns in roles that a model does not speak of. Ids are published by buckets alone."""
    sets = () if table.transactions is None or "items" in model.protects else (table.transactions,)
    relational = () if "relational" in model.protects else table.relational
    sensitive = () if table.sensitive is None or "buckets" in model.protects else (table.sensitive,)
    return [column.name for column in (*sets, *relational, *sensitive)]


def require_roles(table: Table, model: PrivacyModel) -> None:
    """Refuse columns that the model would leave unprotected without anybody having said so.

    Raises
    ------
    InputError
        With their names.
    """
    if found := unprotected(table, model):
        protected = " and ".join(text for part, text in _IN_WORDS.items() if part in model.protects)
        msg = (
            f"model {model.name} protects {protected} alone, and says nothing about "
            f"{', '.join(map(repr, found))}; publish them as they are with --keep or leave them out with --drop"
        )
        raise InputError(msg)
