"""Base class of privacy models, and the verdict of a check."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from inspect import get_annotations
from typing import Annotated, Any, ClassVar, Literal, get_args, get_origin

from anonset.data.redacted_repr import RedactedRepr, redacted
from anonset.errors import InputError, MarkedText, data_list, datum, foreign, require_known
from anonset.privacy.policies import PrivacyPolicy
from anonset.spelling import counted, setting

LARGEST_SIZE = (1 << 31) - 1
"""Upper limit of k, l, m and other size parameters. No table has more records, and no record has more items."""


Part = Literal["items", "relational", "sensitive"]
"""Part of the data that a model protects. It is the set-valued column, the quasi-identifiers, or the link between ids
and the sensitive column.
"""
PublishedKind = Literal["records", "buckets", "chunks"]
"""Publication kind, see `anonset.publications`."""


NEGATIVE = "The guarantee does not cover an attacker who knows that a person does not have an item."
"""Limit of all models in which an attacker knows items."""
SHARED = "A value or item that all matching records share is disclosed."
"""Limit of the models that require a minimum number of matching records."""


class PrivacyModel(RedactedRepr, ABC):
    """Condition that a publication must satisfy. Models are frozen dataclasses of their parameters."""

    name: ClassVar[str]
    """Name on the command line."""
    protects: ClassVar[frozenset[Part]]
    """Roles of the columns that the model protects. A run must keep or drop columns with other roles."""
    kind: ClassVar[PublishedKind] = "records"
    """Publication kind that the model applies to."""
    needs_known_values: ClassVar[bool] = False
    """True if the model rejects missing values in the sensitive column. Otherwise a missing value is treated like any
    other value.
    """
    k: int | None
    """Minimum number of matching records or individuals. None if the model has no such parameter."""
    m: int | None
    """Maximum number of items that the attacker knows. None if the model has no such parameter."""
    secrets_beside: ClassVar[bool] = False
    """True if only non-sensitive items are generalized. The hierarchy then contains no sensitive items."""

    needs_secrets: ClassVar[bool] = False
    """True if the model needs at least one sensitive item."""
    secrets_may_go: ClassVar[bool] = False
    """True if sensitive items may be suppressed and therefore be absent from the publication."""
    reads_sets: ClassVar[bool] = False
    """True if a check of the model needs the items that each symbol covers. False if a check only compares symbols."""
    recodes_locally: ClassVar[bool] = False
    """True if parts of the records may have different generalizations. The publication may then contain several symbols
    for the same item.
    """
    counts_rows: ClassVar[bool] = False
    """True if the guarantee for data with ids covers single rows, so a person with several rows is not protected."""
    served_by: ClassVar[str] = ""
    """Default algorithm of a third-party model. Empty for built-in models."""

    def __init_subclass__(cls, **more: Any) -> None:
        """Set `k` and `m` to None in models without these parameters."""
        super().__init_subclass__(**more)
        for name in ("k", "m"):
            above = [base for base in cls.__mro__ if base is not PrivacyModel]
            if not any(name in vars(base) or name in get_annotations(base) for base in above):
                setattr(cls, name, None)

    def __post_init__(self) -> None:
        require_parameters(self)

    def promises(self, values: bool, items: int) -> float | None:
        """Return the maximum probability that an attacker finds a person's record. Return None if the model does not
        limit it.

        Parameters
        ----------
        values
            Whether the attacker knows all quasi-identifiers of the person.
        items
            Number of the person's items that the attacker knows. None of them is sensitive.
        """
        return None

    @property
    def visible(self) -> "PrivacyModel":
        """Model that can be verified with the publication only, without private data. It may be weaker than
        this model.
        """
        return self

    @property
    def singling_out(self) -> str:
        """Bound on singling out a record, as a sentence. Empty if the model has no such bound."""
        return ""

    @property
    def inference(self) -> str:
        """Bound on inferring a sensitive item or value, as a sentence. Empty if the model has no such bound."""
        return ""

    @property
    def bounds_shares(self) -> bool:
        """False if the bound on inference does not limit the share of each sensitive item or value."""
        return True

    @property
    def inference_answer(self) -> str:
        """Whether the model limits the probability of a sensitive item or value, in words. Empty if it has no bound."""
        if self.bounds_shares or not self.inference:
            return "bounded" if self.inference else ""
        bound = f"{self.inference[0].lower()}{self.inference[1:].rstrip('.')}"
        return f"restricted, not bounded: {bound}; the probability of a value is not limited"

    @property
    def statement(self) -> str:
        """Guarantee of the model as text. By default, it consists of the bounds on singling out and inference."""
        return f"{self.singling_out} {self.inference}".strip()

    @property
    @abstractmethod
    def limits(self) -> str:
        """Limits of the guarantee as short sentences. The most important limit is first."""

    @property
    def secrets(self) -> tuple[str, ...]:
        """Sensitive items of the model, from its parameter `sensitive_items`. Empty if the model has no such
        parameter.
        """
        items: tuple[str, ...] = getattr(self, "sensitive_items", ())
        return items

    @property
    def sensitive_column(self) -> str | None:
        """Column with the sensitive values that must not be inferred, from the parameter `sensitive`. It is published
        unchanged. None if the model has no such parameter.
        """
        return getattr(self, "sensitive", None)

    @property
    def diversity(self) -> int:
        """Parameter l of the model. 1 if the model has no such parameter."""
        return getattr(self, "l", 1)

    @property
    def itemsets(self) -> PrivacyPolicy | None:
        """Privacy constraints of the data owner that the model protects, from the parameter `policy`, or None."""
        return getattr(self, "policy", None)

    def check(self, publication: Any, *, budget: int, progress: Any = None) -> "Verdict":
        """Check a publication of a third-party model. `anonset.verification` checks built-in models.

        The check must share no code with the algorithms that provide the guarantee. It must only use the published
        columns or tables in `publication`.

        Parameters
        ----------
        budget
            Maximum number of itemset occurrences to count. A check that exceeds this number is undecided.
        progress
            Function that is called with (phase, done, total), or None.

        Raises
        ------
        InputError
            If the model does not override this method.
        """
        raise InputError(f"model {self.name!r} cannot be verified: its class {type(self).__name__} has no check")

    @property
    def beside(self) -> tuple[str, ...]:
        """Sensitive items that are not in the hierarchy."""
        return self.secrets if self.secrets_beside else ()


@dataclass(frozen=True)
class Witness(MarkedText, RedactedRepr):
    """Evidence that a model is violated."""

    what: tuple[str, ...]
    """Published symbols or values that violate the model. Empty if the evidence is a complete row or a person, because
    messages never show a row or a person.
    """
    support: int
    """Number of matching records."""
    required: int
    """Required number of matching records."""
    record: int
    """Published row (0-based) that contains the symbols or values."""
    detail: str = field(default="", repr=False)
    """Model-specific details."""

    def __format__(self, _: str) -> str:
        counts = f"matches {counted(self.support, 'record')}, {self.required} required"
        if self.what:
            text = f"{{{data_list(self.what)}}} {counts}; published row {self.record} shows it"
        else:
            text = f"published row {self.record} {counts}"
        return f"{text}; {foreign(self.detail)}" if self.detail else text


@dataclass(frozen=True)
class Verdict(MarkedText, RedactedRepr):
    """Result of the check of a publication. The model holds or fails, or the check is undecided."""

    holds: bool | None
    """True if the model holds, False if it fails, None if the check is undecided."""
    model: PrivacyModel
    checked: Mapping[str, Any] = field(default_factory=dict)
    """Numbers of checked rows and checked itemsets. If the check is undecided, also its progress."""
    witness: Witness | None = None
    """Evidence of the violation."""

    def __repr__(self) -> str:
        checked = {} if "covered" not in self.checked else {"checked": str(self.checked["covered"])}
        shown_witness = {} if self.witness is None else {"witness": self.witness}
        fields = {"holds": self.holds, "model": self.model, **checked, **shown_witness}
        return f"Verdict({', '.join(f'{name}={redacted(value)}' for name, value in fields.items())})"

    @property
    def outcome(self) -> Literal["holds", "fails", "undecided"]:
        """``holds``, ``fails`` or ``undecided``."""
        return "undecided" if self.holds is None else "holds" if self.holds else "fails"

    def __bool__(self) -> bool:
        return self.holds is True

    def __format__(self, _: str) -> str:
        text = f"{self.model} {self.outcome}"
        if self.witness is not None:
            return f"{text}: {self.witness}"
        if self.holds is None:
            return f"{text}: {self.checked.get('covered', 'the check was too large to finish')}"
        return text


def require_parameters(instance: Any) -> None:
    """Check the fields of a dataclass by their annotations.

    A function in an annotation is called with the name and the value of the field. A literal type allows only its
    values. If the type includes None, None is not checked.

    >>> from anonset.privacy import KAnonymity
    >>> KAnonymity(0)
    Traceback (most recent call last):
    ...
    anonset.errors.InputError: k must be an integer of at least 1, got 0
    """
    for parameter in fields(instance):
        value, kind, checks = getattr(instance, parameter.name), parameter.type, list[object]()
        if get_origin(kind) is Annotated:
            kind, *checks = get_args(kind)
        if value is None and type(None) in get_args(kind):
            continue
        for literal in (one for one in (kind, *get_args(kind)) if get_origin(one) is Literal):
            require_known(setting(parameter.name), value, get_args(literal))
        for check in filter(callable, checks):
            check(parameter.name, value)


def require_at_least(name: str, value: int, least: int) -> None:
    """Validate an integer parameter that must be at least `least`. A count must also fit into 64 bits.

    If `least` is 0, the parameter is a seed and has no upper limit.

    Raises
    ------
    InputError
        If the value is invalid. The message contains the name, the value and the requirement.
    """
    _require_between(name, value, least, (1 << 63) - 1 if least > 0 else None)


def require_size(name: str, value: int) -> None:
    """Validate a number of records, items or values. It must be an integer from 1 to `LARGEST_SIZE`.

    Raises
    ------
    InputError
        If the value is invalid. The message contains the name, the value and the requirement.
    """
    _require_between(name, value, 1, LARGEST_SIZE)


def require_share(name: str, value: float) -> None:
    """Validate a number in [0, 1].

    Raises
    ------
    InputError
        If the value is invalid. The message contains the name, the value and the requirement.
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0.0 <= value <= 1.0:
        raise InputError(f"{setting(name)} must be a number in [0, 1], got {value!r}")


def _require_between(name: str, value: int, least: int, most: int | None) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise InputError(f"{setting(name)} must be an integer of at least {least}, got {value!r}")
    if most is not None and value > most:
        raise InputError(f"{setting(name)} must be an integer of at most {most}, got {value}")


def require_labels(name: str, labels: tuple[str, ...]) -> None:
    """Validate the sensitive items of a model. They must be a tuple of distinct labels.

    Raises
    ------
    InputError
        If the value is invalid. The message contains the value and the requirement.
    """
    if not isinstance(labels, tuple) or not all(isinstance(label, str) for label in labels):
        raise InputError(f"{name} must be a tuple of labels, got {datum(labels)}")
    if len(set(labels)) != len(labels):
        twice = next(label for label in labels if labels.count(label) > 1)
        raise InputError(f"{name} must be distinct, got {datum(twice)} twice")


Size = Annotated[int, require_size]
"""Type of a size parameter, with its check."""
Labels = Annotated[tuple[str, ...], require_labels]
"""Type of sensitive items, with their check."""
