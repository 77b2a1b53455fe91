"""Check of ceilings: no symbol above a ceiling is published."""

from collections.abc import Iterator, Mapping
from functools import singledispatch

import numpy as np

from anonset.algorithms.base import Result
from anonset.data import Hierarchy
from anonset.errors import InfeasibleError
from anonset.generalization import Cut
from anonset.publications import Buckets, Chunks, Published, Records
from anonset.publications.base import unknown_kind
from anonset.spelling import setting


def require_under_ceilings(
    name: str, result: Result, publication: Published, hierarchies: Mapping[str, Hierarchy]
) -> None:
    """Reject a result that publishes records with a symbol above a ceiling.

    Suppressed records, whose relational values are all the root, are accepted.

    Parameters
    ----------
    name
        Name of the algorithm.

    Raises
    ------
    InfeasibleError
        The message names the column.
    """
    column = next(above_ceilings(publication, hierarchies), None)
    if column is None:
        return
    proven = isinstance(result.recoding, Cut) and result.figures.get("gap") == 0
    reason = "no solution exists" if proven else "the search finds no solution"
    ways = f"use a higher ceiling, a smaller k, or {setting('suppress', True)} with exact"
    raise InfeasibleError(name, f"no value of column {column!r} may be above its ceiling, and {reason}; {ways}")


@singledispatch
def above_ceilings(publication: Published, hierarchies: Mapping[str, Hierarchy]) -> Iterator[str]:
    """Yield the columns that publish a symbol above their ceiling."""
    raise unknown_kind(publication)


@above_ceilings.register
def _(publication: Buckets | Chunks, hierarchies: Mapping[str, Hierarchy]) -> Iterator[str]:
    yield from ()


@above_ceilings.register
def _(publication: Records, hierarchies: Mapping[str, Hierarchy]) -> Iterator[str]:
    items = publication.transactions
    tree = None if items is None else hierarchies.get(items.name)
    if items is not None and tree is not None and tree.capped:
        top = np.searchsorted(tree.children(0), np.arange(tree.n_nodes), side="right")
        if any(len({int(top[tree.node_of[x]]) for x in symbol.members}) > 1 for symbol in publication.symbols):
            yield items.name
    at_root = {}
    for column in publication.relational:
        domain = hierarchies.get(column.name)
        root = -1 if domain is None else column.vocabulary.index.get(domain.labels[0], -1)
        at_root[column.name] = column.codes == root
    suppressed = np.logical_and.reduce(list(at_root.values())) if at_root else np.zeros(0, np.bool_)
    for name, rows in at_root.items():
        if name in hierarchies and hierarchies[name].capped and bool((rows & ~suppressed).any()):
            yield name
