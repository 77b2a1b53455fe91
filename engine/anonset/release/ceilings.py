"""Check of ceilings: no symbol above a ceiling is published."""

from collections.abc import Mapping

from anonset.algorithms.base import Result
from anonset.data import Hierarchy
from anonset.errors import InfeasibleError
from anonset.generalization import Cut
from anonset.publications import Published
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
    column = next(publication.above_ceilings(hierarchies), None)
    if column is None:
        return
    proven = isinstance(result.recoding, Cut) and result.figures.get("gap") == 0
    reason = "no solution exists" if proven else "the search finds no solution"
    ways = f"use a higher ceiling, a smaller k, or {setting('suppress', True)} with exact"
    raise InfeasibleError(name, f"no value of column {column!r} may be above its ceiling, and {reason}; {ways}")
