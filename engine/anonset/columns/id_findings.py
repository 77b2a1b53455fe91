"""Facts about ids and names that the owner should know before an id is declared as the person."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from anonset import arrow
from anonset.arrow import ArrowColumns
from anonset.columns.headers import PERSON_IDS, meaning_of
from anonset.columns.identity import FILL_DOWN, folded, home_country, national_lengths, with_country_code
from anonset.columns.ids import are_values, combined, count_distinct, given_texts, holds_sets, persons_in, texts_of
from anonset.columns.missing import MISSING
from anonset.columns.personal_values import are_names
from anonset.columns.profiles import count_differing
from anonset.data.array_types import Bools, Int64
from anonset.data.table_facts import COUNTRY, MERGES, NO_ID, SEVERAL, TESTS, PersonSign
from anonset.errors import VALUE, Fix, Problem
from anonset.lazy_arrow import pa
from anonset.spelling import counted, listed

_CHAINED, _REPLACED_ONCE = 0.9, 0.9
"""Limits for a column of earlier ids: the minimum share of its values that are also ids, and the minimum ratio of its
distinct values to the distinct pairs of both columns. An earlier id was replaced by a single id. A manager, in
contrast, has several employees.
"""
_FEWEST_IDS, _FEWEST_EARLIER = 20, 3
_SEVERAL = 0.1
"""Minimum share of the persons who have several names or ids, so that the declared id is not that of a person."""
_DWARFS, _LARGE_SHARE = 20, 0.05
"""Limits for an id with unusually many rows: the minimum ratio of its rows to the median, and its minimum share of all
rows.
"""


def id_findings(columns: ArrowColumns, ids: Sequence[str]) -> list[Problem]:
    """Return findings on ids that are re-issued, and on single ids with far more rows than the others. They show no id.

    Parameters
    ----------
    columns
        Columns by name (``pyarrow.ChunkedArray``).
    ids
        Columns that may identify the person.
    """
    findings, spelled = list[Problem | str | None]([_odd_row(columns, ids)]), dict[str, Any]()
    for name in ids:
        if (
            name not in columns
            or not are_values(columns[name])
            or len(values := _spellings(columns[name])) < _FEWEST_IDS
        ):
            continue
        spelled = spelled or {other: _spellings(column) for other, column in columns.items() if are_values(column)}
        for other, distinct in spelled.items():
            if other != name and _is_chain(columns[name], columns[other], distinct, values):
                findings.append(_chain(name, other, len(distinct)))
        findings.append(_with_authority(name, values))
        findings.append(_dummy(name, folded(given_texts(columns[name]))))
    return [one if isinstance(one, Problem) else Problem(one) for one in findings if one]


def _odd_row(columns: ArrowColumns, ids: Sequence[str]) -> str:
    """Return a finding on a row that is blank in an id or in several columns that all other rows fill, such as a row of
    maximum points. Empty if there is none.
    """
    blank_in: dict[int, list[str]] = {}
    for name, column in columns.items():
        if are_values(column) and len(column) >= _FEWEST_IDS:
            blank = np.flatnonzero(persons_in([column]) < 0)
            if len(blank) == 1:
                blank_in.setdefault(int(blank[0]), []).append(name)
    row, names = max(blank_in.items(), key=lambda one: len(one[1]), default=(0, []))
    if len(names) < _FEWEST_EARLIER and not {*names} & {*ids}:
        return ""
    shown = listed([*map(repr, names)], most=_MOST)
    return f"row {row + 1} is the only one that is blank in {shown}: if it is no person, delete it from the file"


def _spellings(column: Any) -> Any:
    """Return the distinct values of a column in uniform spelling."""
    return arrow.unique(folded(arrow.unique(given_texts(column))))


def _is_chain(ids: Any, earlier: Any, distinct: Any, values: Any) -> bool:
    """Return True if nearly all values of `earlier` are ids, and nearly each belongs to the rows of one id."""
    if not _FEWEST_EARLIER <= len(distinct) < len(values):
        return False
    known = int(arrow.to_numpy(arrow.is_in(distinct, values.to_pylist())).sum())
    pairs = count_distinct(combined([persons_in([ids]), persons_in([earlier])]))
    return known >= _CHAINED * len(distinct) >= _CHAINED * _REPLACED_ONCE * pairs


def _chain(name: str, other: str, n: int) -> str:
    return (
        f"column {other!r} contains {n:,} values of {name!r}, each in the rows of one other id; if they are earlier "
        "ids of the same person, a person has several ids: replace them by one id in the data"
    )


def _with_authority(name: str, values: Any) -> str:
    """Return a finding on ids that contain another id and letters, such as ``123456`` and ``123456^^^MRN``."""
    numbers = arrow.without(values, r"\D+")
    if count_distinct(persons_in([numbers])) == len(values):
        return ""
    forms = dict[str, list[str]]()
    for number, value in zip(numbers.to_pylist(), values.to_pylist(), strict=True):
        forms.setdefault(number, []).append(value)
    same = [one for number, own in forms.items() if number for one in own if any(x != one and x in one for x in own)]
    if len(same) < _FEWEST_EARLIER:
        return ""
    return (
        f"column {name!r}: {len(same):,} of {counted(len(values), 'id')} are another id with further letters, and "
        f"count as other persons; if they are the same, there are {counted(len(values) - len(same), 'person')}: "
        "write these ids in one form to the file"
    )


def _dummy(name: str, texts: Any) -> Problem | None:
    counts = np.bincount(arrow.to_numpy(arrow.dictionary_encode(texts).indices))
    most, median = int(counts.max()), float(np.median(counts))
    if most < max(_DWARFS * median, _LARGE_SHARE * len(texts)):
        return None
    missing = Fix({"null": [f"{name}={VALUE}"], "skip_rows": ["no-id"]}, "if it stands for many persons")
    return Problem(
        f"one value of column {name!r} occurs in {most:,} of {len(texts):,} rows (median of all values: {median:g})",
        [missing],
    )


def ids_above(columns: ArrowColumns, ids: Sequence[str]) -> tuple[Problem, Int64] | None:
    """Return the problem that rows without an id continue a row with one, and the row whose id each row has, int64
    (n,). None if there are no such rows.

    In another column, such as the number of an order, they have the value of that row, and each value belongs to one
    id; or they alone are blank in it, and nearly no id is repeated with a value of it. Rows without any value continue
    nothing. Only if that row is always the nearest above, a setting reads its id.
    """
    plain = {name: column for name, column in columns.items() if are_values(column)}
    if not ids or not {*ids} <= plain.keys():
        return None
    given = np.array([persons_in([plain[name]]) >= 0 for name in ids])
    blank: Bools = ~np.logical_or.reduce(given)
    if not blank.any() or blank[0] or not np.array_equal(given.all(axis=0), ~blank):
        return None
    rows: Int64 = np.maximum.accumulate(np.where(blank, 0, np.arange(len(blank))))
    others = [persons_in([plain[name]]) for name in plain if name not in ids]
    below_id = blank & np.logical_or.reduce([blank & False, *(codes >= 0 for codes in others)])
    persons = persons_in([plain[name] for name in ids])
    for codes in others:
        known, below = codes[~blank], codes[below_id]
        alone = len(below) > 0 and bool((known >= 0).all() and (below < 0).all())
        alone = alone and count_distinct(combined([persons, codes])) >= _CONTINUED * len(known)
        shared = np.isin(below, known[known >= 0]).sum() >= max(1, _CONTINUED * len(below))
        if alone or (shared and not any(count_differing(codes, plain[name]) for name in ids)):
            without = f"column {', '.join(map(repr, ids))}: {counted(len(below), 'row')} without an id"
            text = f"{without} {'continues' if len(below) == 1 else 'continue'}"
            if not (alone or bool((codes == codes[rows]).all())):
                return Problem(f"{text} another row; fill in the id in the file; without it, these rows are lost"), rows
            fill = Fix({"normalize": [f"{name}={FILL_DOWN}" for name in ids]}, "if each is of that person")
            return Problem(f"{text} the row above", [fill, without_rows(len(below))]), rows
    return None


def without_rows(n_rows: int) -> Fix:
    """Return the setting that skips rows without an id."""
    return Fix({"skip_rows": ["no-id"]}, f"to remove these rows, of up to {counted(n_rows, 'person')}")


_CONTINUED = 0.9
"""Minimum share of the rows without an id that continue a row with one."""
_REGULAR = 0.95
"""Minimum share of ids that contain a digit, or an ``@``."""
_MARKS = (r"\d", "@")
_FILLER = rf"^(0+|9+|-\d+|{'|'.join(f'{digit}{{5,}}' for digit in range(1, 9))})$"
"""Numbers that are probably no ids: zeros, nines, negative numbers, and repetitions of another digit."""
_OFTEN = 5
"""Minimum frequency of a number that means a missing id, as a multiple of the mean frequency of the ids."""
_MOST = 5


def are_placeholders(labels: Any, counts: Int64) -> Bools:
    """Return True for each distinct value of a column that means a missing id, bool (n,).

    Placeholders are repeated texts that differ from the ids of the column, because they contain no digit or, among
    e-mail addresses, no ``@``. Zeros, nines and negative numbers are placeholders if they are far more frequent than
    the ids. If most ids are such numbers, none is a placeholder.

    Parameters
    ----------
    labels
        Distinct values (``pyarrow.StringArray``).
    counts
        Frequencies of the values, int64 (n,). 0 if a value is not to be considered.

    >>> ids = arrow.text_array([*map(str, range(100, 160)), "none", "999-99", "x"])
    >>> np.flatnonzero(are_placeholders(ids, np.array([2] * 60 + [4, 11, 1]))).tolist()
    [60, 61]
    """
    found = np.zeros(len(labels), np.bool_)
    given = counts > 0
    n_given = int(given.sum())
    if n_given < _FEWEST_IDS:
        return found
    for mark in _MARKS:
        regular = arrow.to_numpy(arrow.matches(labels, mark)) & given
        if int(regular.sum()) >= _REGULAR * n_given:
            odd = given & ~regular & (counts > 1)
            if int((given & ~regular).sum()) <= _MOST:
                found |= odd
            break
    filler = given & arrow.to_numpy(arrow.matches(folded(arrow.cast(labels, pa.large_string())), _FILLER))
    if 0 < 2 * int(filler.sum()) <= n_given:
        others = counts[given & ~(filler | found)]
        found |= filler & (counts > _OFTEN * max(1.0, float(others.mean()) if len(others) else 0.0))
    return found


def placeholder_counts(column: Any) -> dict[str, int]:
    """Return the placeholders of a text column, with their number of rows. Empty for columns of other types."""
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
        return {}
    text = arrow.utf8_trim_whitespace(arrow.cast(arrow.cast(column, kind), pa.large_string())).combine_chunks()
    encoded = arrow.dictionary_encode(arrow.drop_null(text))
    labels = encoded.dictionary
    counts = np.bincount(arrow.to_numpy(encoded.indices), minlength=len(labels)).astype(np.int64)
    counts[arrow.to_numpy(arrow.is_in(labels, sorted(MISSING)))] = 0
    return {str(labels[at]): int(counts[at]) for at in np.flatnonzero(are_placeholders(labels, counts)).tolist()}


def placeholders_in(head: ArrowColumns, ids: Sequence[str]) -> tuple[PersonSign, ...]:
    """Return the id columns that contain placeholders in the first rows, which would merge the rows of many persons.

    Parameters
    ----------
    head
        First rows by column name.
    """
    counts_of = {name: placeholder_counts(head[name]) for name in ids if name in head and not holds_sets(head[name])}
    return tuple(
        PersonSign((name,), rows=sum(counts.values()), persons=len(counts), words=tuple(counts), kind=NO_ID)
        for name, counts in counts_of.items()
        if counts
    )


_OF_TESTS = (
    r"(?i)(^|\PL)(test|test(person|patient|user|kund)\pL*|dummy|muster(mann|frau)|prueba|тест"
    r"|(mickey|minnie)\W+mouse|mouse\W+(mickey|minnie)|(donald|daisy)\W+duck|duck\W+(donald|daisy)"
    r"|(john|jane)\W+doe|doe\W+(john|jane))(\PL|$)|テスト|测试|測試|테스트"
)
"""Pattern of the names and ids of test persons. First names and surnames may be in two columns."""
_PARTNER = re.compile(r"(?i)(?<![^\W_])(co|[ab])(?![^\W_])|[12](?![^\W_])|^(co|mit)(?=[^\W_]{4})")
"""Parts of headers that distinguish the persons of a row, as in ``name_1`` and ``name_2``, or tenant and co-tenant."""
_SAME = 0.5
"""Minimum share of equal cells in columns of the same person."""
_BIRTH, _DATED = r"^(18|19|20)\d\d(\d{4}$|\D|$)|^\d+\D+\w+\D+\d+", 0.9
"""Pattern of years and dates, and their minimum share in a column of birth. An age is no constant fact."""


def person_signs(columns: ArrowColumns, ids: Sequence[str]) -> Iterator[PersonSign]:
    """Yield the test persons, and the facts of a person that differ between rows with the same id.

    Parameters
    ----------
    columns
        Rows by column name.
    ids
        Columns that identify the person. If empty, each row is a person.
    """
    plain = {name: column for name, column in columns.items() if are_values(column)}
    named = {name: plain[name] for name in plain if name in ids or meaning_of(name) in ("name", *PERSON_IDS)}
    persons = persons_in([plain[name] for name in ids]) if ids and plain.keys() >= {*ids} else None
    if named:
        texts = [arrow.fill_null(texts_of(column), "") for column in named.values()]
        rows = np.flatnonzero(arrow.to_numpy(arrow.matches(arrow.joined(texts, " "), _OF_TESTS)))
        if len(rows):
            n_persons = len(rows) if persons is None else count_distinct(persons[rows])
            yield PersonSign((*named,), rows=len(rows), persons=n_persons, kind=TESTS)
    yield from _several_in_a_row(plain)
    if persons is None:
        return
    yield from two_forms(plain, ids)
    several = _SEVERAL * count_distinct(persons)
    for name in [name for name in plain if name not in ids]:
        fewest = several if _names_persons(name, plain[name]) else 1 if _is_constant(name, plain[name]) else None
        if fewest is not None and (differing := count_differing(persons, folded(texts_of(plain[name])))) >= fewest:
            yield PersonSign((name,), rows=len(persons), persons=differing, kind=MERGES)


def _several_in_a_row(columns: ArrowColumns) -> Iterator[PersonSign]:
    """Yield the first columns that each identify another person of a row, such as both partners of a couple."""
    alike: dict[str, list[str]] = {}
    for name in columns:
        alike.setdefault(re.sub(r"[\W_]", "", _PARTNER.sub("", name)).casefold(), []).append(name)
    for names in (names for stem, names in alike.items() if stem and len(names) > 1):
        values = [given_texts(columns[name]).unique().to_pylist() for name in names]
        named = all(meaning_of(name) in ("name", "person id") for name in names) or all(map(are_names, values))
        first, second = (arrow.fill_null(texts_of(columns[name]), "") for name in names[:2])
        if named and arrow.to_numpy(arrow.equal(first, second)).mean() < _SAME:
            yield PersonSign((*names,), rows=len(columns[names[0]]), kind=SEVERAL)
            return


def two_forms(columns: ArrowColumns, ids: Sequence[str]) -> Iterator[PersonSign]:
    """Yield the first id that contains telephone numbers both with and without a country code."""
    for name in ids:
        texts = texts_of(columns[name])
        country, n_numbers = home_country(given_texts(columns[name]))
        if country:
            one_form = with_country_code(texts, country, national_lengths(texts, country))
            n_persons = count_distinct(persons_in([one_form if one == name else columns[one] for one in ids]))
            yield PersonSign((name,), rows=n_numbers, persons=n_persons, words=(country,), kind=COUNTRY)
            return


def _names_persons(name: str, column: Any) -> bool:
    """Return True if a column contains ids or names of persons. A person may have a former id or name."""
    labels = given_texts(column).unique().to_pylist() if meaning_of(name) == "name" else []
    return meaning_of(name) == "person id" or are_names(labels)


def _is_constant(name: str, column: Any) -> bool:
    """Return True if a column contains the sex, or the date or year of birth."""
    if meaning_of(name) not in ("birth", "born"):
        return meaning_of(name) == "sex"
    dated = arrow.to_numpy(arrow.matches(given_texts(column), _BIRTH))
    return len(dated) > 0 and float(dated.mean()) >= _DATED


def as_nulls(name: str, words: Sequence[str]) -> list[str]:
    """Return the placeholders of a column as values of the setting ``null``, limited to this column if possible.

    >>> as_nulls("Nr", ["none", "0"]), as_nulls("Name, Vorname", ["none"])
    (['Nr=none', 'Nr=0'], ['none'])
    """
    return [word if "," in name else f"{name}={word}" for word in words if "," not in word]


def placeholder_problem(name: str, words: Sequence[str], n_rows: int) -> Problem:
    """Return the problem that values of an id column may mean a missing id, with the settings that skip these rows."""
    shown = [repr(word) if not are_names([word] * _MOST) else "a text" for word in words]
    rows = counted(n_rows, "row")
    fix = Fix(
        {"null": as_nulls(name, words), "skip_rows": ["no-id"]},
        f"to remove these rows, of up to {counted(n_rows, 'person')}",
    )
    return Problem(f"column {name!r}: {listed(shown)} in {rows} may mean a missing id", [fix])
