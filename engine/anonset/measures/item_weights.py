"""Weights of groups of items: how far apart in meaning the items are that are published as one.

References: Loukides, Gkoulalas-Divanis, Malin (2010), Definition 3.14. Deviation: a single item has weight 0 (its
meaning is unchanged), except for the weights ``ones``.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm

from anonset.data import Hierarchy, Vocabulary
from anonset.data.discreet import Discreet
from anonset.data.exact import Written, exact
from anonset.errors import InputError

MAX_DENOMINATOR = 1_000_000_000
"""Largest common denominator of weights: exact comparison in 64 bits needs one."""
KINDS = ("lca", "uniform", "ones")


@dataclass(frozen=True)
class ItemWeights(Discreet):
    """An owner's own weights: itemsets whose items are close, each with a weight in [0, 1].

    A group of at least two items has the smallest weight of the itemsets that hold all of its items, and 1 where
    there is none: as with a hierarchy, whose nodes are such itemsets.

    >>> weights = ItemWeights.of({("a", "b", "c"): "0.375", ("a", "b"): 0.1})
    >>> [str(weight) for _, weight in weights.entries]
    ['1/10', '3/8']
    """

    entries: tuple[tuple[tuple[str, ...], Fraction], ...]
    """(itemset, weight), by ascending weight."""

    def __post_init__(self) -> None:
        for itemset, weight in self.entries:
            named = "(" + ",".join(itemset) + ")"
            if not 0 <= weight <= 1:
                msg = f"item weights: the weight of {named} must be in [0, 1], got {float(weight)}"
                raise InputError(msg)
            if len(set(itemset)) < len(itemset) or not itemset:
                msg = f"item weights: {named} must be a non-empty set of items"
                raise InputError(msg)
        if self.denominator > MAX_DENOMINATOR:
            found = self.denominator
            msg = f"item weights must have a common denominator of at most {MAX_DENOMINATOR:,}, got {found:,}"
            raise InputError(msg)

    @cached_property
    def denominator(self) -> int:
        """Common denominator of the weights."""
        return lcm(*(weight.denominator for _, weight in self.entries))

    @classmethod
    def of(cls, weights: Mapping[tuple[str, ...], Written]) -> "ItemWeights":
        """Build weights from a mapping; a float counts as the decimal number it is printed as."""
        entries = [(tuple(itemset), _exact(itemset, weight)) for itemset, weight in weights.items()]
        return cls(tuple(sorted(entries, key=lambda entry: entry[1])))


def _exact(itemset: Sequence[str], weight: Written) -> Fraction:
    try:
        return exact(weight)
    except ValueError:
        msg = f"item weights: the weight of ({','.join(itemset)}) must be a number in [0, 1], got {weight!r}"
        raise InputError(msg) from None


@dataclass(frozen=True, eq=False)
class GroupWeights(Discreet):
    """Weights of groups of items of one vocabulary."""

    kind: str
    """``lca``, ``uniform``, ``ones`` or ``listed``."""
    vocabulary: Vocabulary
    hierarchy: Hierarchy | None = None
    """The hierarchy, for ``lca``."""
    listed: tuple[tuple[frozenset[int], Fraction], ...] = ()
    """Itemsets as codes with their weights, ascending, for ``listed``."""

    def of(self, codes: Iterable[int]) -> Fraction:
        """Return the exact weight of a group of item codes."""
        group = frozenset(codes)
        if len(group) == 1:
            return Fraction(int(self.kind == "ones"))
        if self.hierarchy is not None:
            above = self.hierarchy.lowest_common_ancestor(group)
            return Fraction(int(self.hierarchy.n_leaves_below[above]), self.hierarchy.n_leaves)
        return next((weight for itemset, weight in self.listed if group <= itemset), Fraction(1))


def group_weights(
    weights: str | ItemWeights | None, vocabulary: Vocabulary, hierarchy: Hierarchy | None = None
) -> GroupWeights:
    """Resolve weights for a vocabulary.

    Parameters
    ----------
    weights
        ``lca``: the leaves below the lowest common ancestor, over all leaves; ``uniform``: 0 for a single item,
        else 1; ``ones``: 1; or an owner's own. By default ``lca`` with a hierarchy, ``uniform`` without.
    hierarchy
        The hierarchy that the vocabulary is bound to, if any.

    Raises
    ------
    InputError
        If the weights are unknown, need a hierarchy that is not there, or speak of unknown items.

    Examples
    --------
    >>> hierarchy = Hierarchy.from_tree(("ALL", [("A", ["a", "b", "c"]), ("B", ["d", "e", "f", "g", "h"])]))
    >>> group_weights("lca", hierarchy.leaves, hierarchy).of([0, 1])
    Fraction(3, 8)
    """
    if isinstance(weights, ItemWeights):
        return GroupWeights("listed", vocabulary, None, tuple(_listed(weights, vocabulary)))
    kind = weights or ("uniform" if hierarchy is None else "lca")
    require_known(kind)
    if kind != "lca":
        return GroupWeights(kind, vocabulary)
    if hierarchy is None:
        msg = "item weights 'lca' need a hierarchy, got none; give one, or take 'uniform'"
        raise InputError(msg)
    if vocabulary != hierarchy.leaves:
        msg = "item weights 'lca': the column must be bound to the hierarchy first (Hierarchy.bind)"
        raise InputError(msg)
    return GroupWeights(kind, vocabulary, hierarchy)


def require_known(weights: str) -> None:
    """Refuse a name of weights that does not exist.

    Raises
    ------
    InputError
        With the names that do.
    """
    if weights not in KINDS:
        msg = f"item weights must be one of {', '.join(KINDS)} or a file of weights, got {weights!r}"
        raise InputError(msg)


def _listed(weights: ItemWeights, vocabulary: Vocabulary) -> Iterable[tuple[frozenset[int], Fraction]]:
    for itemset, weight in weights.entries:
        if unknown := [item for item in itemset if item not in vocabulary.index]:
            msg = f"item weights: item {unknown[0]!r} must be one of the {len(vocabulary)} items of the data"
            raise InputError(msg)
        yield frozenset(vocabulary.index[item] for item in itemset), weight
