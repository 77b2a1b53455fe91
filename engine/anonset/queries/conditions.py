"""Conditions of queries on relational columns."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain
from math import isfinite

from anonset.data.redacted_repr import RedactedRepr
from anonset.errors import InputError


@dataclass(frozen=True)
class Between(RedactedRepr):
    """Condition that a number is at least `low` and at most `high`."""

    column: str
    low: float = field(repr=False)
    high: float = field(repr=False)

    def __post_init__(self) -> None:
        if not (_is_finite(self.low) and _is_finite(self.high) and self.low <= self.high):
            raise InputError(
                f"condition on {self.column!r}: low and high must be numbers, low <= high, got {self.low}, {self.high}"
            )


@dataclass(frozen=True)
class Among(RedactedRepr):
    """Condition that a category is in `values`."""

    column: str
    values: tuple[str, ...]

    def __post_init__(self) -> None:
        if not self.values:
            raise InputError(f"condition on {self.column!r}: values must not be empty")


def _is_finite(value: float) -> bool:
    try:
        return isfinite(value)
    except OverflowError:  # the integer is too large for a float
        return False


Condition = Between | Among


def with_condition(conditions: Sequence[Condition], added: Condition) -> list[Condition]:
    """Return the conditions with an additional condition.

    Values are added to the allowed values of the column. A range replaces an earlier range of the column.

    >>> [one.values for one in with_condition([Among("sex", ("f",))], Among("sex", ("m", "f")))]
    [('f', 'm')]
    """
    others = [one for one in conditions if one.column != added.column]
    if isinstance(added, Among):
        before = [one.values for one in conditions if one.column == added.column and isinstance(one, Among)]
        added = Among(added.column, tuple(dict.fromkeys(chain(*before, added.values))))
    return [*others, added]
