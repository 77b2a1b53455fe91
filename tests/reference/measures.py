"""Naive implementations of the information loss measures, which process one occurrence at a time and use fractions."""

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction

from reference.hierarchy_model import HierarchyModel

Rows = Sequence[Collection[str]]


def item_ncp(rows: Rows, image: Mapping[str, str | None], tree: HierarchyModel) -> Fraction:
    """Return the average of leaves(u)/M over the occurrences. The cost is 0 for an unchanged item and 1 for None
    (suppressed).

    Suppressed leaves do not count as leaves of u.
    """
    total, occurrences = Fraction(0), 0
    for row in rows:
        for item in row:
            occurrences += 1
            node = image[item]
            if node is None:
                total += 1
            elif (size := shown_below(node, image, tree)) > 1:
                total += Fraction(size, len(tree.leaves))
    return total / occurrences if occurrences else Fraction(0)


def shown_below(node: str, image: Mapping[str, str | None], tree: HierarchyModel) -> int:
    """Count the leaves below a node that are not suppressed."""
    return sum(image[leaf] is not None for leaf in tree.below[node])


def ncp_numerator(rows: Rows, image: Mapping[str, str], tree: HierarchyModel) -> int:
    """Sum occurrences times leaves of the published node over the generalized items."""
    size = {leaf: len(tree.below[node]) for leaf, node in image.items()}
    return sum(size[item] for row in rows for item in row if size[item] > 1)


def became(pairs: Sequence[tuple[str, str | None]]) -> dict[str, int]:
    """Count (original, published) pairs by outcome. None means suppressed."""
    result = {"kept": 0, "generalized": 0, "suppressed": 0}
    for original, published in pairs:
        if published is None:
            result["suppressed"] += 1
        elif published == original:
            result["kept"] += 1
        else:
            result["generalized"] += 1
    return result
