"""Names of items in a column that was joined from several set-valued columns."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import permutations

from anonset.errors import InputError


def prefixed(column: str, item: str) -> str:
    """Return the name of a column's item in the joined column.

    >>> prefixed("drug", "7")
    'drug:7'
    """
    return f"{column}:{item}"


def codes_by_column(columns: Sequence[str], labels: Sequence[str]) -> Mapping[str, Sequence[int]]:
    """Return the positions of the items of each joined column. The empty name has the labels that belong to no column.

    >>> dict(codes_by_column(["drug", "a:b"], ["drug:7", "a:b:x", "drug:8", "N12"]))
    {'drug': [0, 2], 'a:b': [1], '': [3]}
    """
    match, codes = (
        re.compile("|".join(re.escape(prefixed(column, "")) for column in columns)).match,
        defaultdict[str, list[int]](list),
    )
    for code, label in enumerate(labels):
        codes[found[0][:-1] if (found := match(label)) else ""].append(code)
    return codes


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
