"""Names of items in a column that was joined from several set-valued columns."""

from collections.abc import Iterable
from itertools import permutations

from anonset.errors import InputError


def prefixed(column: str, item: str) -> str:
    """Return the name of a column's item in the joined column.

    >>> prefixed("drug", "7")
    'drug:7'
    """
    return f"{column}:{item}"


def require_joinable(columns: Iterable[str]) -> None:
    """Reject column names if a prefixed item could belong to two columns.

    Raises
    ------
    InputError
        The message contains two of the names.
    """
    for first, second in permutations(columns, 2):
        if second.startswith(prefixed(first, "")):
            msg = (
                f"columns {first!r} and {second!r} cannot be joined: the item {prefixed(second, 'x')!r} could belong "
                "to "
                "both; rename a column"
            )
            raise InputError(msg)
