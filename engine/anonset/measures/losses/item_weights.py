"""Weights of groups of items in the utility loss, as a data owner declares them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm

from anonset.data.decimals import Written, exact
from anonset.data.redacted_repr import RedactedRepr
from anonset.errors import InputError, data_list

MAX_DENOMINATOR = 1_000_000_000
"""Maximum common denominator of weights, for exact comparison in 64 bits."""
KINDS = ("lca", "uniform", "ones")
WEIGHTS = "item weights, unless they are a file,"


@dataclass(frozen=True)
class ItemWeights(RedactedRepr):
    """Weights defined by the data owner. Each entry is an itemset of similar items with a weight in [0, 1].

    The weight of a group of at least two items is the smallest weight of the itemsets that contain the group. If no
    itemset contains the group, the weight is 1. For example, the itemsets may be the nodes of a hierarchy.

    >>> weights = ItemWeights.of({("a", "b", "c"): "0.375", ("a", "b"): 0.1})
    >>> [str(weight) for _, weight in weights.entries]
    ['1/10', '3/8']
    """

    entries: tuple[tuple[tuple[str, ...], Fraction], ...]
    """Pairs (itemset, weight), by ascending weight."""

    def __post_init__(self) -> None:
        for itemset, weight in self.entries:
            named = f"({data_list(itemset, ',')})"
            if not 0 <= weight <= 1:
                raise InputError(f"item weights: the weight of {named} must be in [0, 1], got {float(weight)}")
            if len(set(itemset)) < len(itemset) or not itemset:
                raise InputError(f"item weights: {named} must be a non-empty set of items")
        if self.denominator > MAX_DENOMINATOR:
            denominator = self.denominator
            msg = f"item weights must have a common denominator of at most {MAX_DENOMINATOR:,}, got {denominator:,}"
            raise InputError(msg)

    @cached_property
    def denominator(self) -> int:
        """Common denominator of the weights."""
        return lcm(*(weight.denominator for _, weight in self.entries))

    @classmethod
    def of(cls, weights: Mapping[tuple[str, ...], Written]) -> "ItemWeights":
        """Create weights from a mapping. The value of a float is the decimal number that Python prints."""
        entries = [(tuple(itemset), _exact(itemset, weight)) for itemset, weight in weights.items()]
        return cls(tuple(sorted(entries, key=lambda entry: entry[1])))


def _exact(itemset: Sequence[str], weight: Written) -> Fraction:
    try:
        return exact(weight)
    except ValueError:
        msg = f"item weights: the weight of ({data_list(itemset, ',')}) must be a number in [0, 1], got {weight!r}"
        raise InputError(msg) from None
