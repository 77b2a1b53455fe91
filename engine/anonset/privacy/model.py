"""What a privacy model is, and the verdict of checking one."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from inspect import get_annotations
from typing import Any, ClassVar, Literal

from anonset.data.redacted_repr import Discreet, shown
from anonset.errors import InputError, MarkedText, data_list, foreign
from anonset.privacy.policies import PrivacyPolicy
from anonset.spelling import counted, setting

LARGEST_SIZE = (1 << 31) - 1
"""Largest size in the parameters of a model; no table has so many records, nor any record so many items."""


Part = Literal["items", "relational", "sensitive"]
"""What a model protects: the set-valued column, the quasi-identifiers, or the link of ids to the sensitive column."""
PublishedKind = Literal["records", "buckets", "chunks"]
"""Name of a kind of publication: see `anonset.publications`."""


class PrivacyModel(Discreet, ABC):
    """A condition that a publication must satisfy. Models are frozen dataclasses of their parameters."""

    name: ClassVar[str]
    """Name on the command line."""
    protects: ClassVar[frozenset[Part]]
    """What it is about; columns in other roles must be kept or dropped."""
    kind: ClassVar[PublishedKind] = "records"
    """The kind of publication that it is about."""
    k: int | None
    """Smallest number of records, or individuals, that match; None: the model has no such parameter."""
    m: int | None
    """Largest number of items that the attacker knows; None: the model has no such parameter."""
    secrets_beside: ClassVar[bool] = False
    """Whether its sensitive items are outside the hierarchy, which generalizes only the others."""

    secrets_may_go: ClassVar[bool] = False
    """Whether its sensitive items may be suppressed, so that a publication need not hold them."""
    reads_sets: ClassVar[bool] = False
    """Whether it is about the items that symbols stand for; for other models symbols are opaque."""
    recodes_locally: ClassVar[bool] = False
    """Whether it is about parts of the records, so that an item may be published in several ways."""
    served_by: ClassVar[str] = ""
    """Of a third party's model: the algorithm that serves it where none is named."""

    def __init_subclass__(cls, **more: Any) -> None:
        """Set `k` and `m` to None in models without these parameters."""
        super().__init_subclass__(**more)
        for name in ("k", "m"):
            above = [one for one in cls.__mro__ if one is not PrivacyModel]
            if not any(name in vars(one) or name in get_annotations(one) for one in above):
                setattr(cls, name, None)

    def promises(self, values: bool, items: int) -> float | None:
        """Return the largest probability that an attacker finds a person's record; None if the model does not bound it.

        Parameters
        ----------
        values
            Whether the attacker knows all quasi-identifiers of the person.
        items
            Number of the person's items that the attacker knows.
        """
        return None

    @property
    def visible(self) -> "PrivacyModel":
        """The part of it that a publication alone shows, if it is also about what only the owner knows."""
        return self

    @property
    @abstractmethod
    def statement(self) -> str:
        """What the model guarantees, in words."""

    @property
    def in_plain_words(self) -> str:
        """What it guarantees, for people who read no papers: one sentence; the statement where there is none."""
        return self.statement

    @property
    @abstractmethod
    def limits(self) -> str:
        """What it does not guarantee, in words."""

    @property
    def limits_in_short(self) -> str:
        """What an owner should know first of what it does not guarantee: a line of a terminal."""
        return "Who knows more may find a person; what all who match share is disclosed."

    @property
    def secrets(self) -> tuple[str, ...]:
        """The sensitive items that it names."""
        return ()

    @property
    def needs_secrets(self) -> bool:
        """Whether it says nothing without sensitive items."""
        return False

    @property
    def sensitive_column(self) -> str | None:
        """The column, published as it is, of which it bounds what the records that match tell; None: of none."""
        return None

    @property
    def diversity(self) -> int:
        """At most one of so many records that match has the same sensitive item or value; 1: no such guarantee."""
        return 1

    @property
    def itemsets(self) -> PrivacyPolicy | None:
        """The itemsets that an owner protects by it, if any."""
        return None

    def check(self, publication: Any, *, budget: int, progress: Any = None) -> "Verdict":
        """Check a publication; of a third party's model. Those of this library are checked in `anonset.verification`.

        It must share no code with the algorithms that give the guarantee, and prove what it says from `publication`
        alone: its `transactions`, `relational` and `kept` columns, or the tables of its buckets.

        Parameters
        ----------
        budget
            Largest number of itemset occurrences to count; a check that needs more is undecided.
        progress
            Called with (phase, done, total), if not None.

        Raises
        ------
        InputError
            By default: the model has no check.
        """
        msg = f"model {self.name!r} cannot be verified: its class {type(self).__name__} has no check"
        raise InputError(msg)

    @property
    def beside(self) -> tuple[str, ...]:
        """The sensitive items that are outside the hierarchy."""
        return self.secrets if self.secrets_beside else ()


@dataclass(frozen=True)
class Witness(MarkedText, Discreet):
    """Evidence that a model does not hold."""

    what: tuple[str, ...]
    """The offending published symbols or values; none where a whole row or a person is meant, whom no message shows."""
    support: int
    """How many records they match."""
    required: int
    """How many they have to match."""
    record: int
    """A published row (0-based) that shows them."""
    detail: str = field(default="", repr=False)
    """Further details of the model."""

    def __format__(self, _: str) -> str:
        counts = f"matches {counted(self.support, 'record')}, {self.required} required"
        if self.what:
            text = f"{{{data_list(self.what)}}} {counts}; published row {self.record} shows it"
        else:
            text = f"published row {self.record} {counts}"
        return f"{text}; {foreign(self.detail)}" if self.detail else text


@dataclass(frozen=True)
class Verdict(MarkedText, Discreet):
    """Outcome of checking a publication against a model: holds, fails (with a witness) or undecided."""

    holds: bool | None
    """True, False, or None where the check could not be finished."""
    model: PrivacyModel
    checked: Mapping[str, Any] = field(default_factory=dict)
    """What the check examined: rows, itemsets by size, and for an undecided check how far it came."""
    witness: Witness | None = None
    """Why the model fails."""

    def __repr__(self) -> str:
        checked = {} if "covered" not in self.checked else {"checked": str(self.checked["covered"])}
        why = {} if self.witness is None else {"witness": self.witness}
        fields = {"holds": self.holds, "model": self.model, **checked, **why}
        return f"Verdict({', '.join(f'{name}={shown(value)}' for name, value in fields.items())})"

    @property
    def outcome(self) -> str:
        """``holds``, ``fails`` or ``undecided``."""
        return {True: "holds", False: "fails", None: "undecided"}[self.holds]

    def __bool__(self) -> bool:
        return self.holds is True

    def __format__(self, _: str) -> str:
        text = f"{self.model} {self.outcome}"
        if self.witness is not None:
            return f"{text}: {self.witness}"
        if self.holds is None:
            return f"{text}: {self.checked.get('covered', 'the check was too large to finish')}"
        return text


def require_at_least(name: str, value: int, least: int) -> None:
    """Refuse a parameter that is no integer or is below `least`; or that counts something, beyond 64 bits.

    A seed counts nothing: its `least` is 0, and it may be as large as it likes.

    Raises
    ------
    InputError
        With the name, the value and the requirement.
    """
    _require_between(name, value, least, (1 << 63) - 1 if least > 0 else None)


def require_size(name: str, value: int) -> None:
    """Refuse a size of a model (records, items, values) that is no integer from 1 to `LARGEST_SIZE`.

    Raises
    ------
    InputError
        With the name, the value and the requirement.
    """
    _require_between(name, value, 1, LARGEST_SIZE)


def require_share(name: str, value: float) -> None:
    """Refuse a parameter outside [0, 1].

    Raises
    ------
    InputError
        With the name, the value and the requirement.
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0.0 <= value <= 1.0:
        msg = f"{setting(name)} must be a number in [0, 1], got {value!r}"
        raise InputError(msg)


def _require_between(name: str, value: int, least: int, most: int | None) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        msg = f"{setting(name)} must be an integer of at least {least}, got {value!r}"
        raise InputError(msg)
    if most is not None and value > most:
        msg = f"{setting(name)} must be an integer of at most {most}, got {value}"
        raise InputError(msg)
