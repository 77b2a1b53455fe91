"""Problems of values that `inspect` reports, such as nulls, texts that mean null, and values that are not codes."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from types import MappingProxyType

from anonset.arrow import ArrowColumns
from anonset.columns.cells import LIST
from anonset.columns.id_findings import as_nulls
from anonset.columns.ids import count_distinct, persons_in
from anonset.columns.kinds import MARKS, kind_of_values
from anonset.columns.personal_values import are_keys, are_names
from anonset.columns.profiles import Profile
from anonset.columns.roles import hierarchy_for
from anonset.columns.set_rules import columns_alike, fields_in, joins_fields
from anonset.data.hierarchies.hierarchy_rules import FROM
from anonset.errors import VALUE, Fix, Problem
from anonset.settings.binding import HierarchySpec
from anonset.spelling import counted, listed

_MANY_COLUMNS, _DIGITS_OF_AN_ID = 20, 4
"""Minimum number of columns that may be persons, and minimum number of digits of their names."""
_FEWEST_NAMED = 5
"""Minimum number of columns that may be persons if they are named like persons."""
_INTEGERS, _FEWEST_COUNTED, _MOST_POSSIBLE = "integers", 10, 2
"""Kind of a column that may count persons, minimum number of rows that count them, and maximum number of possible
combinations of values per row.
"""
_NUMBERS = (_INTEGERS, "numbers")


def null_problems(
    profiles: Sequence[Profile],
    dropped: Collection[str] = (),
    hierarchies: Mapping[str, HierarchySpec] = MappingProxyType({}),
    sets: Collection[str] = (),
) -> list[Problem]:
    """Return a line for each column with missing or doubtful values. Missing values are reported only for columns that
    are not dropped. Missing numbers are not reported for columns of items, such as the answers of a survey, and for
    columns whose hierarchy already consists of intervals.
    """
    problems = []
    for column in profiles:
        if column.nulls and column.name not in dropped:
            problem = f"column {column.name!r}: {counted(column.nulls, 'null')}, which would be rejected"
            problems.append(Problem(problem, [Fix({"missing": "empty,value"}, "to accept them")], stops=True))
        is_number = column.kind in ("integers", "numbers") and column.name not in (*dropped, *sets)
        if column.missing and is_number and not str(hierarchies.get(column.name)).startswith("bins:"):
            rows = counted(column.missing, "row")
            spec = hierarchy_for(column)
            bins = spec if spec.startswith("bins:") else "bins:width=10"
            ways = f"fill in numbers, or publish intervals, as with the hierarchy {bins}"
            problems.append(Problem(f"column {column.name!r}: no number in {rows}; {ways}"))
        if column.doubt and not _is_settled(column, hierarchies):
            is_by_year = f":{FROM}year" in str(hierarchies.get(column.name))
            fixes = [fix for fix in column.fixes if is_by_year or "hierarchy" not in fix.settings]
            fixes += [] if column.usable or column.name in dropped else [Fix({"drop": [column.name]})]
            problems.append(Problem(f"column {column.name!r}: {column.doubt}", fixes))
    return problems


def _is_settled(column: Profile, hierarchies: Mapping[str, HierarchySpec]) -> bool:
    """Return True if the hierarchy of a column is one of those that resolve its doubt."""
    chosen = {"hierarchy": {column.name: hierarchies.get(column.name)}}
    return any(fix.settings == chosen for fix in column.fixes)


def persons_as_columns(profiles: Sequence[Profile], *, of_variants: bool) -> list[str]:
    """Return the columns that may be persons. Most columns are named like ids of four or more digits, or have the same
    few values and are named like persons, or, if there are more columns than rows, are marks, or numbers named like
    numbered ids. If rows are variants of genes (`of_variants`), columns with the same few values are the persons.
    """
    alike = columns_alike(profiles)
    if of_variants and alike:
        return max(alike, key=len)
    wide = bool(profiles) and len(profiles) > profiles[0].records
    marks = [one.name for one in profiles if one.kind in MARKS]
    named = max([marks, *alike], key=len)
    ids = [
        one.name
        for one in profiles
        if sum(map(str.isdigit, one.name)) >= (1 if wide and one.kind in (*MARKS, *_NUMBERS) else _DIGITS_OF_AN_ID)
    ]
    for names, fewest, are_persons in (
        (marks, _MANY_COLUMNS, wide),
        (named, _FEWEST_NAMED, are_names(named)),
        (ids, _MANY_COLUMNS, are_keys(ids)),
    ):
        are_many = len(names) >= fewest and 2 * len(names) > len(profiles)
        if are_persons and are_many and not kind_of_values(names).endswith("codes"):
            return names
    return []


def counting_problems(columns: ArrowColumns, profiles: Sequence[Profile]) -> Iterator[Problem]:
    """Yield the question whether rows count persons. Each combination of values of some columns then occurs once, most
    combinations occur, and another column contains whole numbers.
    """
    groups, possible = list[str](), 1
    for one in sorted(profiles, key=lambda one: (one.kind == _INTEGERS, one.distinct)):
        if one.distinct > 1 and not one.nulls and possible * one.distinct <= _MOST_POSSIBLE * one.records:
            groups.append(one.name)
            possible *= one.distinct
    counts = [one.name for one in profiles if one.kind == _INTEGERS and one.name not in groups]
    n = profiles[0].records if profiles else 0
    is_table = len(groups) > 1 and bool(counts) and possible >= n > _FEWEST_COUNTED
    if is_table and count_distinct(persons_in([columns[name] for name in groups])) == n:
        once = f"each combination of {listed([repr(name) for name in groups], 'and')} occurs once"
        ways = f"so {counts[0]!r} may count persons; if so, a row is not a person, and no person can be protected"
        yield Problem(f"{once}, {ways}")


def column_person_problem(columns: Sequence[Profile]) -> Problem:
    """Return the question whether columns are persons. Only marks and numbers may be items."""
    names = [column.name for column in columns]
    what = f"{len(names):,} columns, such as {names[0]!r}, may be persons"
    ways = "if each is a person, transpose the table, so that each person is a row"
    kinds = {"marks" if column.kind in MARKS else column.kind for column in columns}
    if not kinds <= {"marks", *_NUMBERS}:
        return Problem(f"{what}; {ways}")
    none = "if none of these columns is a person, and each"
    marked = Fix({"one_hot": names}, f"{none} is an item")
    above_0 = Fix({"one_hot": names, "present": "above-0"}, f"{none} is an item, by any value above 0")
    values = Fix({"one_code": names, "with_header": True}, f"{none} value is an item")
    return Problem(f"{what}; {ways}", [marked] if kinds == {"marks"} else [values, above_0])


def separator_problems(profiles: Sequence[Profile]) -> list[Problem]:
    """Return a line for each column of sets in which further characters probably separate items, or in which values
    probably contain the separator.
    """
    fields: dict[str, list[str]] = {}
    for column in filter(joins_fields, profiles):
        fields.setdefault(fields_in(column), []).append(column.name)
    problems = [Problem(f"column {_listed(names)}: {text}") for text, names in fields.items()]
    for column in profiles:
        if column.bound_items:
            problems.append(Problem(f"column {column.name!r}: {bound_in(column)}"))
        if column.other_separators and not column.fields_by:
            others = [f"{counted(rows, 'cell')} with {mark!r}" for mark, rows in column.other_separators]
            way = f"if these separate items too: replace them by {column.separator!r} in the file"
            marks = f"{column.separator!r} separates items, but there are also {' and '.join(others)}"
            problems.append(Problem(f"column {column.name!r}: {marks}; {way}"))
    return problems


def bound_in(column: Profile) -> str:
    """Return how many items of a column are probably parts of values that contain the separator, and the remedy."""
    mark = repr(column.separator)
    pairs = f"{counted(column.bound_items, 'item')} may be the end of a value that contains {mark}"
    return f"{pairs}, because the same item always precedes; if it is, write it without {mark}"


def list_problems(profiles: Sequence[Profile]) -> list[Problem]:
    """Return a line for each column that is read as printed lists."""
    lists = [column for column in profiles if column.separator == LIST]
    return [Problem(f"column {column.name!r}: the cells are read as printed lists", assumed=True) for column in lists]


def odd_codes(profiles: Sequence[Profile]) -> list[Problem]:
    """Return a line about code columns in which a few values are not codes."""
    columns = [column for column in profiles if column.odd and column.kind.endswith("codes")]
    counts = [f"{column.odd:,} of {column.distinct:,} in {column.name!r}" for column in columns[:3]]
    more = f" and {len(columns) - 3} more columns" if len(columns) > 3 else ""
    problem = (
        f"distinct values that are not codes: {', '.join(counts)}{more}; they are generalized by their first characters"
    )
    return [Problem(problem, [Fix({"null": [VALUE]}, "if one means a missing value")])] if columns else []


def null_words(profiles: Sequence[Profile]) -> dict[str, list[str]]:
    """Return the texts that probably mean null, each with the columns that contain it."""
    words: dict[str, list[str]] = {}
    for column in profiles:
        for word in column.null_words:
            words.setdefault(word, []).append(column.name)
    return words


def word_problems(words: Mapping[str, Sequence[str]]) -> list[Problem]:
    """Return a line for each text that probably means null."""
    return [
        Problem(
            f"{word!r} probably means a missing value ({_listed(names)})",
            [Fix({"null": [word]}, "to read it so")],
            assumed=True,
        )
        for word, names in words.items()
    ]


def missing_code_problems(profiles: Sequence[Profile]) -> list[Problem]:
    """Return a line for each number that may mean a missing value."""
    return _may_mean("a missing value", {column.name: column.missing_codes for column in profiles})


def no_item_problems(profiles: Sequence[Profile]) -> list[Problem]:
    """Return a line for each value of columns of items that may mean no item."""
    return _may_mean("no item", {one.name: sorted({*one.no_item}.difference(one.missing_codes)) for one in profiles})


def _may_mean(what: str, found: Mapping[str, Sequence[str]]) -> list[Problem]:
    columns: dict[str, list[str]] = {}
    for column, codes in found.items():
        for code in codes:
            columns.setdefault(code, []).append(column)
    return [
        Problem(
            f"{code} may mean {what} ({_listed(names)})",
            [Fix({"null": [spelling for name in names for spelling in as_nulls(name, [code])]}, "if it does")],
        )
        for code, names in columns.items()
    ]


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(map(repr, names[:5]))}{' and others' if len(names) > 5 else ''}"
