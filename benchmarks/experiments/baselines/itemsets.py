"""Frequent itemsets and association rules, mined from records or from expected supports of a publication.

A publication is mined by expected supports with the reading `one-member`: a symbol of s items represents exactly one of
its items, each with probability 1/s, and never two of them. If a record shows the symbols of several items of a set,
it adds the product of their probabilities to the expected support of the set. A symbol is expanded to all of its items,
so it adds a set for each combination of items whose expected support reaches the threshold. The expected supports of a
disassociated publication are those over all reconstructions. Synthetic records are counted.
"""

from collections.abc import Callable, Mapping, Set
from itertools import chain, combinations, product
from typing import NamedTuple, TypeVar

from anonset.measures.item_supports import Supports
from anonset.measures.top_itemsets import most_frequent

Itemset = frozenset[str]
Rule = tuple[Itemset, str]
"""Items, and an item that follows from them."""
_ALL = 10**9
_EQUAL = 1e-9
_T = TypeVar("_T")


class Agreement(NamedTuple):
    """Agreement of mined patterns with the patterns of the original."""

    precision: float
    """Share of the mined patterns that the original has. 0 if no pattern was mined."""
    recall: float
    """Share of the original's patterns that were mined."""
    f1: float
    """Harmonic mean of precision and recall."""


class ItemSupports:
    """Supports of itemsets by label. 0 if an item is not published."""

    def __init__(self, supports: Supports) -> None:
        self.supports = supports
        self._group = {label: number for number, labels in enumerate(supports.groups) for label in labels}

    def count(self, *items: str) -> float:
        """Return the exact or expected number of records that contain all items."""
        groups = [self._group.get(item, -1) for item in items]
        return max(0.0, self.supports.count(tuple(sorted(groups)))) if min(groups) >= 0 else 0.0


def frequent_itemsets(supports: Supports, least: float) -> dict[Itemset, float]:
    """Return all sets of 2 to 4 items with a support of at least `least`.

    >>> from anonset import SetColumn
    >>> from anonset.measures.item_supports import ColumnSupports
    >>> found = frequent_itemsets(ColumnSupports(SetColumn.of(["ab", "ab", "abc"])), 2)
    >>> [("".join(sorted(items)), support) for items, support in found.items()]
    [('ab', 3.0)]
    """
    found = {}
    for entry in most_frequent(supports, _ALL, at_least=least):
        if entry.count >= least * (1 - _EQUAL):
            groups = ((supports.groups[group], entry.chosen.count(group)) for group in sorted(set(entry.chosen)))
            for members in product(*(combinations(labels, number) for labels, number in groups)):
                found[frozenset(chain.from_iterable(members))] = entry.count
    return found


def rules(itemsets: Mapping[Itemset, float], count: Callable[..., float], confidence: float) -> set[Rule]:
    """Return the rules "all other items of a frequent itemset imply this item" with a confidence of at least a number.

    The confidence is the support of the itemset divided by the support of the other items, which `count` returns.
    """
    found = set()
    for itemset, support in itemsets.items():
        for item in itemset:
            others = itemset - {item}
            before = itemsets[others] if others in itemsets else count(*others)
            if before > 0 and support >= confidence * before * (1 - _EQUAL):
                found.add((others, item))
    return found


def agreement(mined: Set[_T], true: Set[_T]) -> Agreement:
    """Compare mined patterns with the patterns of the original.

    >>> agreement({1, 2}, {2, 3, 4, 5})
    Agreement(precision=0.5, recall=0.25, f1=0.3333333333333333)
    """
    both = len(mined & true)
    precision, recall = both / max(1, len(mined)), both / max(1, len(true))
    return Agreement(precision, recall, 2 * both / max(1, len(mined) + len(true)))
