"""Policies of the data owner. Privacy constraints define protected itemsets, and utility constraints define allowed
generalizations.

References: Loukides, Gkoulalas-Divanis, Malin, "Towards utility-driven anonymization of transactions", 2010,
Definitions 3.3 and 3.7, and section 6.3, Table 2, for the random policies PP1 to PP9.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, pairwise
from math import ceil
from types import MappingProxyType
from typing import ClassVar

import numpy as np

from anonset.data import Hierarchy, Vocabulary
from anonset.data.array_types import Int32, Int64
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.spans import begins_of
from anonset.data.split_mix import SplitMix
from anonset.errors import InputError, datum, require_known

PERCENT_OF_ITEMS: Mapping[str, int] = MappingProxyType({"PP1": 2, "PP2": 5, "PP3": 10, "PP4": 25, "PP5": 50})
"""Random policies that contain all pairs of items from a random subset. The value is the percentage of all items in
this subset.
"""
SHARE_OF_SIZES: Mapping[str, tuple[Fraction, ...]] = MappingProxyType(
    {
        "PP6": tuple(Fraction(share, 100) for share in (33, 33, 33, 1)),
        "PP7": tuple(Fraction(share, 100) for share in (30, 30, 30, 10)),
        "PP8": tuple(Fraction(share, 100) for share in (25, 25, 25, 25)),
        "PP9": (*[Fraction(1, 6)] * 3, Fraction(1, 2)),
    }
)
"""Random policies with itemsets of different sizes. The values are the shares of the itemsets with 1, 2, 3 and 4
items.
"""
LARGEST_RANDOM_POLICY = 1_000_000
"""Maximum number of itemsets in a random policy with itemsets of different sizes."""


@dataclass(frozen=True)
class PrivacyPolicy(RedactedRepr):
    """Privacy constraints. They are itemsets that might link a record to a person, in order of priority.

    >>> PrivacyPolicy.of([["b", "a"], "cd"]).itemsets
    (('b', 'a'), ('c', 'd'))
    """

    counted_as: ClassVar[str] = "constraint"
    """Noun for the number of itemsets in messages. Messages do not show the itemsets, because they may disclose
    records.
    """

    itemsets: tuple[tuple[str, ...], ...]
    """Itemsets. Each itemset contains at least one item, and no item twice."""

    def __post_init__(self) -> None:
        for number, itemset in enumerate(self.itemsets, 1):
            if not itemset or len(set(itemset)) < len(itemset):
                problem = "contains an item twice" if itemset else "is empty"
                raise InputError(f"privacy constraint {number} {problem}; it must be a non-empty set of items")

    def __len__(self) -> int:
        return len(self.itemsets)

    @classmethod
    def of(cls, itemsets: Iterable[Iterable[str]]) -> "PrivacyPolicy":
        """Create a policy from iterables of items."""
        return cls(tuple(tuple(itemset) for itemset in itemsets))

    def codes(self, vocabulary: Vocabulary) -> tuple[Int64, Int32]:
        """Return the offsets of the P itemsets, int64 (P + 1,), and their item codes, int32.

        Raises
        ------
        InputError
            If an item is not in the vocabulary.
        """
        start = begins_of(map(len, self.itemsets))
        index = vocabulary.index
        try:
            items = np.fromiter((index[x] for itemset in self.itemsets for x in itemset), np.int32, int(start[-1]))
        except KeyError as missing:
            item = missing.args[0]
            number = next(n for n, itemset in enumerate(self.itemsets, 1) if item in itemset)
            expected = f"one of the {len(vocabulary)} items of the data"
            raise InputError(f"privacy constraint {number}: item {datum(item)} must be {expected}") from None
        return start, items


@dataclass(frozen=True)
class UtilityPolicy(RedactedRepr):
    """Utility constraints. They are groups of items that may be generalized together. Each item is in exactly one
    group.

    >>> UtilityPolicy.of(["ab", "c"]).groups
    (('a', 'b'), ('c',))
    """

    counted_as: ClassVar[str] = "constraint"
    """Noun for the number of groups in messages."""

    groups: tuple[tuple[str, ...], ...]
    """Groups of items."""

    def __post_init__(self) -> None:
        group_of: dict[str, int] = {}
        for number, group in enumerate(self.groups, 1):
            if not group:
                raise InputError(f"utility constraint {number} is empty; it must contain at least one item")
            for item in group:
                if item in group_of:
                    clashing = f"utility constraints {group_of[item]} and {number}"
                    msg = f"{clashing} both contain item {datum(item)}; each item must be in exactly one group"
                    raise InputError(msg)
                group_of[item] = number

    def __len__(self) -> int:
        return len(self.groups)

    @classmethod
    def of(cls, groups: Iterable[Iterable[str]]) -> "UtilityPolicy":
        """Create a policy from iterables of items."""
        return cls(tuple(tuple(group) for group in groups))

    def with_group(self, items: Iterable[str]) -> "UtilityPolicy":
        """Return the policy with a new group. The items of the new group are removed from their former groups.

        >>> UtilityPolicy.of(["ab", "c", "d"]).with_group(["b", "c"]).groups
        (('a',), ('d',), ('b', 'c'))
        """
        items = tuple(items)
        others = (tuple(item for item in group if item not in items) for group in self.groups)
        return UtilityPolicy((*filter(None, others), items))

    def codes(self, vocabulary: Vocabulary) -> Int32:
        """Return the group of each item code, int32 (M,).

        Raises
        ------
        InputError
            If an item is not in the vocabulary, or an item of the vocabulary is in no group.
        """
        group_of = np.full(len(vocabulary), -1, np.int32)
        for number, group in enumerate(self.groups):
            for item in group:
                if (code := vocabulary.index.get(item)) is None:
                    expected = f"one of the {len(vocabulary)} items of the data"
                    raise InputError(f"utility constraint {number + 1}: item {datum(item)} must be {expected}")
                group_of[code] = number
        if len(missing := np.flatnonzero(group_of < 0)):
            named = ", ".join(datum(vocabulary.labels[code]) for code in missing[:5])
            raise InputError(
                f"utility constraints must contain every item, but {len(missing)} of {len(vocabulary)} are missing: "
                f"{named}{', …' if len(missing) > 5 else ''}; add a group of the missing items"
            )
        return group_of

    def completed(self, vocabulary: Vocabulary) -> "UtilityPolicy":
        """Return the policy with an additional group for all items that are in no group. Return the policy unchanged if
        each item is in a group.

        >>> UtilityPolicy.of(["ab"]).completed(Vocabulary.of("abcd")).groups
        (('a', 'b'), ('c', 'd'))
        """
        grouped = {item for group in self.groups for item in group}
        others = tuple(label for label in vocabulary.labels if label not in grouped)
        return UtilityPolicy((*self.groups, others)) if others else self


def one_group(vocabulary: Vocabulary) -> UtilityPolicy:
    """Return the utility policy with one group of all items. It allows every generalization."""
    return UtilityPolicy((tuple(vocabulary.labels),) if len(vocabulary) else ())


def groups_of_level(hierarchy: Hierarchy, depth: int) -> UtilityPolicy:
    """Return a utility policy with a group for each node at a depth of the hierarchy, and for each leaf above this
    depth. The root has depth 0.

    Depths are columns of the hierarchy file. A node with one child has its own depth, although the hierarchy merges it
    with the child.

    >>> hierarchy = Hierarchy.from_tree(("ALL", [("A", ["a1", "a2"]), ("B", ["b1", "b2"]), "c"]))
    >>> groups_of_level(hierarchy, 1).groups
    (('a1', 'a2'), ('b1', 'b2'), ('c',))

    Raises
    ------
    InputError
        If the depth is below 0 or above the depth of the deepest leaf.
    """
    deepest = int(hierarchy.column_depth.max())
    if not 0 <= depth <= deepest:
        raise InputError(f"depth must be in 0..{deepest}, the levels of the hierarchy, got {depth}")
    node, labels = hierarchy.nodes_in_column(depth), hierarchy.leaves.labels
    ends = [0, *(np.flatnonzero(node[1:] != node[:-1]) + 1).tolist(), len(node)]
    return UtilityPolicy(tuple(tuple(labels[first:end]) for first, end in pairwise(ends)))


def groups_of_siblings(vocabulary: Vocabulary, size: int) -> UtilityPolicy:
    """Return a utility policy of groups of `size` consecutive items, like UP1 to UP4 of the paper. The last group may
    be smaller.

    Items are in canonical order. If the vocabulary is bound to a hierarchy, items are in the order of the leaves, so
    siblings are consecutive.

    >>> groups_of_siblings(Vocabulary.of("abcde"), 2).groups
    (('a', 'b'), ('c', 'd'), ('e',))

    Raises
    ------
    InputError
        If `size` is below 1.
    """
    if size < 1:
        raise InputError(f"size of the groups must be at least 1, got {size}")
    labels = vocabulary.labels
    return UtilityPolicy(tuple(tuple(labels[first : first + size]) for first in range(0, len(labels), size)))


def random_policy(name: str, vocabulary: Vocabulary, *, n_itemsets: int = 1000, seed: int = 0) -> PrivacyPolicy:
    """Generate one of the random privacy policies PP1 to PP9 of the paper.

    PP1 to PP5 contain all pairs from a random subset of the items. PP6 to PP9 contain random itemsets of one to four
    items in given shares. For PP6 to PP9, the paper does not specify the number or the distribution of the itemsets.
    This function draws `n_itemsets` distinct itemsets uniformly. If fewer itemsets of a size exist, the policy contains
    all of them.

    >>> random_policy("PP5", Vocabulary.of("abcdef"), seed=1).itemsets
    (('a', 'b'), ('a', 'f'), ('b', 'f'))

    Raises
    ------
    InputError
        If the name is unknown, or `n_itemsets` is below 1 or above `LARGEST_RANDOM_POLICY`.
    """
    random, labels = SplitMix(seed), vocabulary.labels
    if name in PERCENT_OF_ITEMS:
        n_chosen = ceil(Fraction(PERCENT_OF_ITEMS[name] * len(labels), 100))
        chosen = sorted(random.distinct(len(labels), n_chosen))
        return PrivacyPolicy(tuple((labels[a], labels[b]) for a, b in combinations(chosen, 2)))
    require_known("random policy", name, (*PERCENT_OF_ITEMS, *SHARE_OF_SIZES))
    if n_itemsets < 1:
        raise InputError(f"n_itemsets must be at least 1, got {n_itemsets}")
    if n_itemsets > LARGEST_RANDOM_POLICY:
        raise InputError(f"n_itemsets must be at most {LARGEST_RANDOM_POLICY}, got {n_itemsets}")
    drawn: list[tuple[int, ...]] = []
    for size, share in enumerate(SHARE_OF_SIZES[name], 1):
        drawn.extend(_random_itemsets(random, len(labels), size, round(share * n_itemsets)))
    return PrivacyPolicy(tuple(tuple(labels[code] for code in codes) for codes in drawn))


def _random_itemsets(random: SplitMix, n_items: int, size: int, n_wanted: int) -> Iterator[tuple[int, ...]]:
    """Yield distinct random itemsets of a size. If at most `n_wanted` itemsets exist, yield all of them in order."""
    possible = 1
    for i in range(size):
        possible = possible * (n_items - i) // (i + 1)
    if possible <= n_wanted:
        yield from combinations(range(n_items), size)
        return
    drawn: set[tuple[int, ...]] = set()
    while len(drawn) < n_wanted:
        codes = tuple(sorted(random.distinct(n_items, size)))
        if codes not in drawn:
            drawn.add(codes)
            yield codes
