"""Detect unusual delimiters, baskets, columns of fixed width, and lines above a header that may be records."""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence

from anonset.reading.sources.dialect import header_fields

_FEWEST_BASKETS, _FEWEST_ITEMS = 5, 3
_FEWEST_AT_PLACE = 5
_EVEN = 0.8
"""Minimum share of lines with equal numbers of fields. The other lines may be damaged, or notes below the table."""
_FEWEST_LINES, _ALIGNED = 5, 0.8
"""Minimum number and share of lines that are equally long if they are columns of fixed width."""
_PADDED = re.compile(rb"[^\s,;|]  +[^\s,;|]|^\|.* \|$").search
"""Blanks between two fields without a delimiter, or a padded last field of a printed list."""


def are_baskets(rows: Sequence[Sequence[str]]) -> bool:
    """Return True if the first lines of a text are baskets of different sizes, without a header.

    A basket fills its fields from the left, and contains each item once. Items occur at several places, also those of
    the first line.

    Parameters
    ----------
    rows
        Stripped fields of each line.

    >>> lines = ["milk,,", "milk,tea,", "tea,rice,milk", "rice,tea,", "rice,,"]
    >>> are_baskets([line.split(",") for line in lines])
    True
    >>> are_baskets([line.split(",") for line in ["first,second,third", *lines]])
    False
    """
    baskets = [basket for row in rows if (basket := without_trailing(row))]
    longest = max(map(len, baskets), default=0)
    if len(baskets) < _FEWEST_BASKETS or longest < _FEWEST_ITEMS or len(set(map(len, baskets))) == 1:
        return False
    if not all(map(all, baskets)) or 20 * sum(len(set(basket)) < len(basket) for basket in baskets) > len(baskets):
        return False
    places = defaultdict[str, set[int]](set)
    for basket in baskets:
        for place, item in enumerate(basket):
            places[item].add(place)
    for place in range(longest):
        at_place = [basket[place] for basket in baskets if len(basket) > place]
        elsewhere = sum(len(places[item]) > 1 for item in at_place)
        if 2 * elsewhere <= len(at_place) and (place < 2 or len(at_place) >= _FEWEST_AT_PLACE):
            return False
    return recur(baskets[0], baskets[1:])


def unusual_delimiter(lines: Sequence[str], marks: str = "$^~|:") -> str:
    """Return the unusual delimiter, among `marks`, that splits the lines of a table. Empty if there is none.

    Titles and notes may be above and below the table. Colons also occur in times and addresses, so the lines below a
    first line without figures have other values, or the colons are doubled. Commas and semicolons also separate items,
    so the first line has names.

    >>> unusual_delimiter(["id$age$sex", "P1$30$f", "P2$41$m"]), unusual_delimiter(["1::122::5", "2::37::4"])
    ('$', ':')
    >>> unusual_delimiter(["time", "12:30:00", "12:45:00"]), unusual_delimiter(["site", "https://a.org"])
    ('', '')
    """
    for mark in marks:
        rows = [header_fields(line, mark) for line in lines if line.strip()]
        fields, count = Counter(map(len, rows)).most_common(1)[0] if rows else (1, 0)
        first = next((n for n, row in enumerate(rows) if len(row) == fields), 0)
        if fields < (3 if first or mark == ":" else 2) or count < _EVEN * (len(rows) - first):
            continue
        names, below = rows[first], rows[first + 1 :]
        if all(name[:1].isalpha() for name in names) and not recur(names, below):
            return mark
        if not first and fields > 2 and mark not in ",;" and (mark != ":" or not any(names[1::2])):
            return mark
    return ""


def are_aligned(lines: Sequence[bytes]) -> bool:
    """Return True if most lines are equally long and padded with blanks, as fixed width files and printed lists are.

    >>> are_aligned([b"17 Berg   E11", b"18 Lindal I10"] + 3 * [b"19 Moen   E11"]), are_aligned(5 * [b"1 2 3"])
    (True, False)
    """
    lengths = Counter(map(len, lines))
    if not lengths or (most := lengths.most_common(1)[0])[1] < max(_FEWEST_LINES, _ALIGNED * len(lines)):
        return False
    aligned = [line for line in lines if len(line) == most[0]]
    return 2 * sum(_PADDED(line) is not None for line in aligned) > len(aligned)


def recur(row: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Return True if most filled fields of a line also occur in other lines.

    >>> recur(["milk", "tea", ""], [["tea", "rice"], ["milk", ""]]), recur(["Report", "milk"], [["milk", ""]])
    (True, False)
    """
    values = {field for other in rows for field in other}
    filled = [field for field in row if field]
    return 2 * sum(field in values for field in filled) > len(filled)


def are_records(above: Sequence[Sequence[str]], header: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Return True if lines above a probable header look like records, so that skipping them would lose data.

    The values of a record recur below, or its fields are filled like those of a line below. A line with a single value
    may be a title. If the fields of the header recur below, it is a record itself.

    >>> below = [["P1", "E10", ""], ["P2", "I10", "E11"]] * 4
    >>> are_records([["P3", "J45", ""]], ["P4", "I20", "E66"], below)
    True
    >>> are_records([["Report", "", ""]], ["p", "a", "b"], below)
    False
    """
    shapes = {_filled(row) for row in below}
    return recur(header, [row for row in below if list(row) != list(header)]) or any(
        recur(row, below) or (len(row) == len(header) and shape in shapes)
        for row in above
        if len(shape := _filled(row)) > 1
    )


def without_trailing(row: Sequence[str]) -> Sequence[str]:
    """Return the fields of a line up to the last filled field.

    >>> without_trailing(["a", "", "b", ""])
    ['a', '', 'b']
    """
    end = len(row)
    while end and not row[end - 1]:
        end -= 1
    return row[:end]


def _filled(row: Sequence[str]) -> tuple[int, ...]:
    return tuple(place for place, field in enumerate(row) if field)
