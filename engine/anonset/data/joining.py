"""Names of items in a column that was joined from several set-valued columns."""

import re
from collections import defaultdict
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence

from anonset.errors import InputError

_HEADER = re.compile(r"(?:[^=\\]|\\.)+=", re.DOTALL).match


def prefixed(column: str, item: str) -> str:
    """Return the name of a column's item in the joined column.

    >>> prefixed("drug", "7")
    'drug:7'
    """
    return f"{column}:{item}"


def headers_of(labels: Iterable[str]) -> dict[str, None]:
    r"""Return the headers of items ``header=value``. A backslash precedes each ``=`` of a header. Empty if an item has
    another form.

    >>> [*headers_of(["rs1003=AG", "rs1003=GG", "a\\=b=c"])], [*headers_of(["rs1003=AG", "E10"])]
    (['rs1003=', 'a\\=b='], [])
    """
    found = dict[str, None]()
    for label in labels:
        if (match := _HEADER(label)) is None:
            return {}
        found[match[0]] = None
    return found


def parts_of(
    columns: Sequence[str], labels: Sequence[str], headers: Iterable[str] = ()
) -> Iterator[tuple[str, str, Sequence[int]]]:
    """Yield the column, the prefix of its items, and the positions of its items, of each column behind the labels.

    Parameters
    ----------
    columns
        The column of the items, or the columns that are joined into it.
    headers
        Headers of items ``header=value`` (see `headers_of`). Each is a column of its own, with the name of `columns`.

    >>> [*parts_of(["items"], ["a=7", "b=x", "N1"], ["a=", "b="])]
    [('items', 'a=', [0]), ('items', 'b=', [1]), ('items', '', [2])]
    """
    known, of_part = {*headers}, defaultdict[str, list[int]](list)
    if len(columns) > 1:
        for name, codes in codes_by_column(columns, labels).items():
            yield name, prefixed(name, "") if name else "", codes
    elif known:
        for code, label in enumerate(labels):
            match = _HEADER(label)
            of_part[match[0] if match and match[0] in known else ""].append(code)
        for start, codes in of_part.items():
            yield columns[0], start, codes
    else:
        yield columns[0], "", range(len(labels))


def codes_by_column(columns: Sequence[str], labels: Sequence[str]) -> Mapping[str, Sequence[int]]:
    """Return the positions of the items of each joined column. The empty name has the labels that belong to no column.

    >>> dict(codes_by_column(["drug", "a:b"], ["drug:7", "a:b:x", "drug:8", "N12"]))
    {'drug': [0, 2], 'a:b': [1], '': [3]}
    """
    known, codes = {*columns}, defaultdict[str, list[int]](list)
    for code, label in enumerate(labels):
        codes[_column_of(known, label)].append(code)
    return codes


def _column_of(columns: Container[str], label: str) -> str:
    """Return the column of a label in a joined column. Empty if the label belongs to no column."""
    end = label.find(":")
    while end >= 0 and label[:end] not in columns:
        end = label.find(":", end + 1)
    return label[: max(end, 0)]


def columns_of(columns: Collection[str], labels: Iterable[str]) -> list[str]:
    """Return the joined columns to which the labels belong, in the order of `columns`, which should be a dictionary if
    there are many.

    >>> columns_of(["drug", "a:b"], ["a:b:x", "drug:7", "drug:8", "N12"])
    ['drug', 'a:b']
    """
    found = {_column_of(columns, label) for label in labels} - {""}
    return [name for name in columns if name in found] if len(found) > 1 else [*found]


def require_joinable(columns: Iterable[str]) -> None:
    """Reject column names if a prefixed item could belong to two columns.

    Raises
    ------
    InputError
        The message contains two of the names.
    """
    names = dict.fromkeys(columns)
    for second in names:
        if first := _column_of(names, second):
            raise InputError(
                f"columns {first!r} and {second!r} cannot be joined: the item {prefixed(second, 'x')!r} could belong "
                "to "
                "both; rename a column"
            )
