"""The privacy models by name: what each speaks of, and which algorithm serves it unless another is named."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from anonset.data import Table
from anonset.errors import InputError
from anonset.privacy import (
    AnatomyDiversity,
    Coherence,
    ConstraintSet,
    KAnonymity,
    KKmAnonymity,
    KLmDiversity,
    KmAnonymity,
    LmDiversity,
    PartitionKmAnonymity,
    PrivacyModel,
    SafetyConstraint,
    TransactionKAnonymity,
)


@dataclass(frozen=True)
class ModelEntry:
    """One privacy model. Columns of roles that it does not speak of must be kept or dropped."""

    model: type[Any]
    """Its class."""
    algorithm: str
    """Name of its default algorithm."""
    items: bool = False
    """Whether it speaks of the set-valued column."""
    relational: bool = False
    """Whether it speaks of quasi-identifiers."""
    buckets: bool = False
    """Whether it speaks of ids and a sensitive column, which are published as buckets."""
    beside: bool = False
    """Whether its sensitive items stand beside the hierarchy, which generalizes the others alone."""
    alone: str | None = None
    """Its default algorithm where there are no relational columns, if it is another."""
    preset: Mapping[str, Any] = field(default_factory=dict)
    """Settings that an algorithm gets for this model unless others are given."""
    equals: type[Any] | None = None
    """A model that says the same where there are no relational columns."""

    def is_met_by(self, model: PrivacyModel) -> bool:
        """Tell whether an algorithm that guarantees a model may serve this one."""
        return isinstance(model, self.model if self.equals is None else (self.model, self.equals))

    def unprotected(self, table: Table) -> list[str]:
        """Return the columns in roles that the model does not speak of. Ids are published by buckets alone."""
        sets = () if table.transactions is None or self.items else (table.transactions,)
        relational = () if self.relational else table.relational
        sensitive = () if table.sensitive is None or self.buckets else (table.sensitive,)
        return [column.name for column in (*sets, *relational, *sensitive)]

    @property
    def protected(self) -> str:
        """What the model speaks of, in words."""
        named = {"the set-valued column": self.items, "the relational columns": self.relational}
        named["the link of ids to the sensitive column"] = self.buckets
        return " and ".join(text for text, there in named.items() if there)


MODELS: dict[str, ModelEntry] = {
    entry.model.name: entry
    for entry in (
        ModelEntry(KmAnonymity, "apriori", items=True),
        ModelEntry(KAnonymity, "cluster", relational=True),
        ModelEntry(KKmAnonymity, "rum-bound", items=True, relational=True),
        ModelEntry(
            KLmDiversity,
            "rum-bound",
            items=True,
            relational=True,
            beside=True,
            alone="lm-apriori",
            equals=LmDiversity,
            preset=MappingProxyType({"transaction": "lm-apriori"}),
        ),
        ModelEntry(LmDiversity, "lm-apriori", items=True, beside=True),
        ModelEntry(ConstraintSet, "coat", items=True),
        ModelEntry(Coherence, "coherence-suppression", items=True),
        ModelEntry(TransactionKAnonymity, "local-generalization", items=True),
        ModelEntry(PartitionKmAnonymity, "lra", items=True),
        ModelEntry(SafetyConstraint, "safe-grouping", buckets=True),
        ModelEntry(AnatomyDiversity, "anatomy", buckets=True),
    )
}
"""All privacy models by their names on the command line."""


def entry_of(model: PrivacyModel) -> ModelEntry:
    """Return what is known of a model.

    Raises
    ------
    InputError
        If the model is not one of this library.
    """
    if model.name not in MODELS:
        msg = f"model must be one of {', '.join(MODELS)}, got {model.name!r}"
        raise InputError(msg)
    return MODELS[model.name]


def require_roles(table: Table, model: PrivacyModel) -> None:
    """Refuse columns that the model would leave unprotected without anybody having said so.

    Raises
    ------
    InputError
        With their names.
    """
    entry = entry_of(model)
    unprotected = entry.unprotected(table)
    if unprotected:
        msg = (
            f"model {model.name} protects {entry.protected} alone, and says nothing about "
            f"{', '.join(map(repr, unprotected))}; publish them as they are with --keep or leave them out with --drop"
        )
        raise InputError(msg)
