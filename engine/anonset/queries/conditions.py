"""Conditions of queries on relational columns."""

from dataclasses import dataclass, field
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
            msg = (
                f"condition on {self.column!r}: low and high must be numbers, low <= high, got {self.low}, {self.high}"
            )
            raise InputError(msg)


@dataclass(frozen=True)
class Among(RedactedRepr):
    """Condition that a category is in `values`."""

    column: str
    values: tuple[str, ...]

    def __post_init__(self) -> None:
        if not self.values:
            msg = f"condition on {self.column!r}: values must not be empty"
            raise InputError(msg)


def _is_finite(value: float) -> bool:
    try:
        return isfinite(value)
    except OverflowError:  # integer too large for a float
        return False


Condition = Between | Among
"""Condition on a relational column."""
