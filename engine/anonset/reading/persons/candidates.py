"""Find candidates for the privacy unit: columns that identify people, detected by header, by values or by agreement.

A *candidate* is one of these:

* a column whose header names an id, an e-mail address, a phone number, an IBAN, an account or a device
(`header_words`), or whose values have such a form (`person_values`);
* all name columns together, with the date of birth if there is one, otherwise alone and with the address;
* a column within whose values personal attributes agree far beyond chance (`agreement`), or a date of birth together
with such attributes;
* a column of cases or households, together with small numbers of the persons within them, if birth or sex agrees within
both together, or if the two identify each row;
* a column whose values are street addresses with house numbers, if there is no candidate for persons;
* a column within whose values all declared quasi-identifiers agree in 95% of the rows, far beyond chance;
* a column of repeated keys within whose values two or more columns of few values agree in 95% of the rows;
* a dropped column of repeated opaque keys, if no other candidate repeats, names agree within it or its header names a
number, and no other candidate is shown by birth or sex to identify persons. If more than half of the keys are distinct,
no other candidate may identify each row, and the rows of a key must not differ in birth or sex.

A column with few distinct values, such as tax codes, identifies nobody, independent of its header.

If a candidate repeats, a person may have several rows. The owner must then declare the unit; it is never guessed.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from anonset.data.redacted_repr import RedactedRepr
from anonset.data.table import Int64
from anonset.data.table_facts import CUT, RepeatedIdentifiers
from anonset.errors import InputError
from anonset.reading.persons.agreement import (
    AGREE,
    DIFFER,
    FEWEST_PAIRS,
    UNKNOWN,
    agreeing_within,
    all_agree_within,
    count_distinct,
    evidence_of,
    named_alike,
)
from anonset.reading.persons.coded_columns import CodedColumn, coded_column
from anonset.reading.persons.header_topics import is_quantity
from anonset.reading.persons.header_words import (
    ADDRESS,
    ATTRIBUTES,
    NAMED,
    PERSON_IDS,
    is_direct,
    is_numbered,
    is_sampling_weight,
    meaning_of,
)
from anonset.reading.persons.missing_values import combined, holds_sets
from anonset.reading.roles import Roles

REACHES = ("e-mail", "IBAN", "account", "phone", "network")
"""Meanings of headers and values that single out a person."""
NAMED_AND_BORN, AGREEING, KEY = "names and birth", "agreement", "key"
NAMED_AT = "names and address"
_SUREST = (
    "person id", "e-mail", NAMED_AND_BORN, NAMED_AT, "IBAN", "account", "phone", AGREEING, NAMED, ADDRESS, "id",
    "network", "case id", KEY,
)  # fmt: skip
_OVER_CASES = ("person id", "e-mail")
"""Candidates that show that records of another id are not persons."""
_MOST_COLUMNS = 300
_FEW, _MOST_FEW, _ROWS_OF_EACH = 2, 50, 200
"""A candidate by a weak header needs more than 2 distinct values, and more than the smaller of 50 and rows / 200."""
_FEWEST_PERSONS = 10
"""Minimum number of distinct values of a person id."""
_ROWS_OF_FEW = 200
"""Minimum number of rows from which `_FEWEST_PERSONS` applies."""
_FEW_TOGETHER = 0.01
_FEWEST_ROWS = 100
"""Minimum number of rows for keys."""
ASKED_FROM = 1_000
"""Number of rows from which a run asks who is a person if no column shows it."""
_KEYS_OF_ROWS, _MOST_OF_A_KEY = (0.02, 0.5), 0.05
_NAMED_KEYS = 0.98
"""Limits for keys of persons: minimum and maximum number of distinct keys per row, maximum share of rows with the same
key, and the maximum number of distinct keys per row if the header names a key."""
_MOST_WITNESSES = 20
_COARSER, _FEW_EXCEPTIONS = 0.9, 1.02
_NEARLY_ALL = 0.95
"""Minimum share of rows with a value in a candidate that shows that each row is a person."""
_OF_ROWS = ("id", "case id", NAMED, ADDRESS)
"""Candidates that do not show that each row is a person, even if they are distinct in every row."""


@dataclass(frozen=True)
class UnitCandidate(RedactedRepr):
    """Columns that together identify people."""

    columns: tuple[str, ...]
    meaning: str
    """Kind of identifier: ``person id``, ``e-mail``, ``names and birth``, … (see `_SUREST`)."""
    given: int
    """Number of rows with a value in all of these columns."""
    persons: int
    """Number of distinct combinations of values in these rows."""
    agreeing: tuple[str, ...] = ()
    """Attributes that agree within the values."""
    cut: bool = False
    """True if a spreadsheet truncated the values, so that different persons may share a value."""
    beyond_chance: bool = True
    """True if more rows agree in all columns than expected by chance."""
    rows: int = 0
    """Number of rows that were examined."""
    evidence: int = UNKNOWN
    """Evidence from birth and sex, as returned by `evidence_of`."""

    @property
    def repeats(self) -> bool:
        """True if a value occurs in two rows. A few repeated values of a weak candidate are ignored."""
        if self.given >= _ROWS_OF_FEW and self.persons < _FEWEST_PERSONS:
            return False
        if self.meaning in ("person id", "case id", AGREEING, KEY):
            return self.persons < self.given
        if self.meaning in (NAMED_AND_BORN, NAMED_AT):
            return self.persons < self.given and self.beyond_chance
        return max(_FEW, min(self.given // _ROWS_OF_EACH, _MOST_FEW)) < self.persons < self.given

    @property
    def shows_persons(self) -> bool:
        """True if a reliable candidate is different in nearly every row, so that each row is a person."""
        return self.meaning not in (*_OF_ROWS, AGREEING, KEY) and self.persons == self.given >= _NEARLY_ALL * self.rows

    @property
    def as_repeated(self) -> RepeatedIdentifiers:
        """The candidate in the form that a table stores."""
        return RepeatedIdentifiers(",".join(self.columns), self.agreeing, self.cut)


def find_unit_candidates(
    where: str, roles: Roles, head: Callable[[Sequence[str]], Mapping[str, Any]], *, grouped: bool
) -> tuple[tuple[RepeatedIdentifiers, ...], tuple[UnitCandidate, ...]]:
    """Return the repeated candidates in the first rows, and, if there are none, the candidates to check in all rows.

    Parameters
    ----------
    head
        Returns the named columns of the first rows.
    grouped
        Whether the rows of an id are merged.

    Raises
    ------
    InputError
        If a spreadsheet truncated the ids.
    """
    columns = (*roles.relational, *roles.keep, *roles.drop)
    named = [name for name in columns if meaning_of(name) in PERSON_IDS]
    others = [name for name in columns if name not in named][:_MOST_COLUMNS]
    first = head((*named, *others, *roles.id))
    if cut := [
        name
        for name in roles.id
        if name in first and not holds_sets(first[name]) and coded_column(name, first[name]).cut
    ]:
        msg = f"{where}: column {cut[0]!r} {CUT}; export the file again with this column as text"
        raise InputError(msg)
    numbers = [name for name in roles.drop if is_numbered(name) and not (meaning_of(name) or is_quantity(name))]
    candidates = candidates_in(
        first, (*named, *others), roles.id, grouped=grouped, keys=roles.drop, numbers=numbers, declared=roles.relational
    )
    repeated = tuple(candidate.as_repeated for candidate in candidates if candidate.repeats)
    if repeated or grouped:
        return repeated, ()
    unseen = [
        candidate for candidate in (*candidates, *_unseen(named, first)) if candidate.meaning not in (AGREEING, KEY)
    ]
    return (), tuple(unseen)


def _unseen(named: Sequence[str], first: Mapping[str, Any]) -> list[UnitCandidate]:
    """Return the columns whose first rows are not loaded as candidates by their headers."""
    return [UnitCandidate((name,), meaning_of(name), 0, 0) for name in named if name not in first]


def candidates_in(
    columns: Mapping[str, Any],
    asked: Sequence[str],
    ids: Sequence[str] = (),
    *,
    grouped: bool = False,
    keys: Sequence[str] = (),
    numbers: Collection[str] = (),
    declared: Sequence[str] = (),
    witnesses: Sequence[str] = (),
) -> tuple[UnitCandidate, ...]:
    """Return the candidates among columns, the most reliable first.

    Parameters
    ----------
    columns
        First rows by column name: ``SetColumn`` or ``pyarrow.ChunkedArray``.
    asked
        Columns that may be candidates.
    ids
        Columns that identify the records. Only the first row of each record is used, and only candidates that show that
        a person has several records are returned.
    grouped
        Whether the rows of a record are merged.
    keys
        Columns that may be opaque keys.
    numbers
        Columns among `keys` that are keys by their headers, independent of their values.
    declared
        Quasi-identifiers that the owner declares.
    witnesses
        Columns with few values that may be attributes of persons.
    """
    plain = {name: column for name, column in columns.items() if not holds_sets(column)}
    coded = {name: coded_column(name, column) for name, column in plain.items()}
    few = all(len(column) <= FEWEST_PAIRS for column in plain.values())
    if ids and all(name in coded for name in ids):
        rows = _first_rows([coded[name].codes for name in ids])
        coded = {name: replace(column, codes=column.codes[rows]) for name, column in coded.items()}
    free = {name: coded[name] for name in asked if name in coded and name not in ids and not coded[name].thing}
    candidates = _by_meaning(free, ids, grouped=grouped)
    attributes = [] if few else _attributes(coded)
    for name, column in {} if grouped or not attributes else free.items():
        silent = not (column.kind or column.amounts or column.times or is_sampling_weight(name) or is_quantity(name))
        if silent and (agreeing := agreeing_within(column.codes, attributes)):
            candidates.append(_single(name, column, AGREEING, agreeing))
    used = {name for candidate in candidates for name in candidate.columns}
    together = [coded[name].codes for name in declared if name in coded]
    for name, column in {} if ids or grouped or not together else free.items():
        silent = not (column.amounts or column.times or is_sampling_weight(name) or is_quantity(name))
        if silent and name not in (*used, *declared) and all_agree_within(column.codes, combined(together)):
            candidates.append(_single(name, column, AGREEING, tuple(declared)))
    used = {name for candidate in candidates for name in candidate.columns}
    seen = [(name, coded[name].codes) for name in witnesses if name in coded][:_MOST_WITNESSES]
    unknown = [name for name in keys if name in free and name not in used and not (ids or grouped)]
    candidates += [_single(name, free[name], KEY) for name in unknown if _is_witnessed(name, free[name], seen)]
    sure = any(candidate.repeats for candidate in candidates)
    candidates += [
        candidate for candidate in _names_and_births(coded, ids) if candidate.meaning != AGREEING or not sure
    ]
    if not ids and not any(candidate.repeats or candidate.meaning not in ("id", "case id") for candidate in candidates):
        candidates += [_single(name, column, ADDRESS) for name, column in free.items() if column.addresses]
    pairs = [] if ids else _numbered_within(free, attributes)
    candidates = [
        candidate for candidate in candidates if not any(candidate.columns == pair.columns[1:] for pair in pairs)
    ] + pairs
    candidates = [replace(candidate, evidence=_evidence(candidate, coded, attributes)) for candidate in candidates]
    alone = not any(candidate.repeats for candidate in candidates)
    distinct = any(
        candidate.given and candidate.persons == candidate.given and candidate.meaning not in _OF_ROWS
        for candidate in candidates
    )
    if not ids and not any(candidate.repeats and candidate.evidence == AGREE for candidate in candidates):
        candidates += [
            _single(name, free[name], KEY)
            for name in keys
            if name in free
            and not any(candidate.columns == (name,) and candidate.meaning == KEY for candidate in candidates)
            and (name in numbers or (free[name].keys and (alone or named_alike(free[name].codes, attributes))))
            and not (free[name].kind or free[name].times)
            and (
                _repeat_as_keys(free[name].codes, named=name in numbers)
                or (not distinct and _repeat_rarely(name, free[name], attributes))
            )
        ]
    n_rows = max((len(column.codes) for column in coded.values()), default=0)
    candidates = [
        candidate for candidate in candidates if not any(_is_name_of(candidate, other, coded) for other in candidates)
    ]
    ordered = sorted((replace(candidate, rows=n_rows) for candidate in candidates), key=_place)
    return _coarser_first(ordered, coded)


def _is_name_of(name: UnitCandidate, person: UnitCandidate, coded: Mapping[str, CodedColumn]) -> bool:
    """Return True if each value of the candidate `person` has one name, and several of its persons share a name."""
    alone = name.meaning == NAMED and person.meaning not in (NAMED, NAMED_AT, NAMED_AND_BORN, ADDRESS, "network")
    return alone and name.repeats and person.repeats and person.evidence != DIFFER and _has_one(person, name, coded)


def _is_witnessed(name: str, column: CodedColumn, witnesses: Sequence[tuple[str, Int64]]) -> bool:
    """Return True if two or more columns of few values agree within the repeated values of a key-like column."""
    if column.kind or column.amounts or column.times or is_sampling_weight(name) or is_quantity(name):
        return False
    if not _repeat_as_keys(column.codes, named=False):
        return False
    agreeing = [codes for other, codes in witnesses if other != name and all_agree_within(column.codes, codes, 1)]
    return len(agreeing) > 1 and all_agree_within(column.codes, combined(agreeing))


def _coarser_first(ordered: Sequence[UnitCandidate], coded: Mapping[str, CodedColumn]) -> tuple[UnitCandidate, ...]:
    """Move each coarser candidate before its cases: customers before receipts, if each receipt has one customer."""
    placed: list[UnitCandidate] = []
    for candidate in ordered:
        index = next((i for i, other in enumerate(placed) if _is_case_of(other, candidate, coded)), len(placed))
        placed.insert(index, candidate)
    return tuple(placed)


def _is_case_of(case: UnitCandidate, coarser: UnitCandidate, coded: Mapping[str, CodedColumn]) -> bool:
    """Return True if each value of `case` (such as a receipt) belongs to one value of `coarser` (such as a card)."""
    alike = case.repeats and coarser.repeats and case.evidence == coarser.evidence
    if not alike or coarser.meaning in (NAMED, ADDRESS) or len(coarser.columns) > 1:
        return False
    return _has_one(case, coarser, coded)


def _has_one(case: UnitCandidate, coarser: UnitCandidate, coded: Mapping[str, CodedColumn]) -> bool:
    """Return True if each value of `case` has, with few exceptions, a single value of the candidate `coarser`."""
    if coarser.persons > _COARSER * case.persons:
        return False
    codes = combined([coded[name].codes for name in case.columns])
    joint = combined([codes, combined([coded[name].codes for name in coarser.columns])])
    return count_distinct(joint) <= _FEW_EXCEPTIONS * count_distinct(np.where(joint >= 0, codes, -1))


def _place(candidate: UnitCandidate) -> tuple[int, int, int]:
    """Return the sort key of a candidate: by evidence, then by meaning; names detected only by values are last."""
    by_values = candidate.meaning == NAMED and not any(meaning_of(name) == NAMED for name in candidate.columns)
    return candidate.evidence, len(_SUREST) if by_values else _SUREST.index(candidate.meaning), candidate.persons


def _evidence(
    candidate: UnitCandidate, coded: Mapping[str, CodedColumn], attributes: Sequence[tuple[str, str, Int64]]
) -> int:
    """Return the evidence on the values of a repeated candidate, from birth and sex if they are not part of it."""
    if candidate.meaning == AGREEING:
        return AGREE
    others = [attribute for attribute in attributes if attribute[1] not in candidate.columns]
    return (
        evidence_of(combined([coded[name].codes for name in candidate.columns]), others)
        if candidate.repeats
        else UNKNOWN
    )


def _numbered_within(
    free: Mapping[str, CodedColumn], attributes: Sequence[tuple[str, str, Int64]]
) -> list[UnitCandidate]:
    """Return pairs of columns: a group of persons, such as a household, and the number of a person in the group."""
    numbers = [
        name
        for name, column in free.items()
        if column.small and (is_numbered(name) or column.kind in ("person id", "id"))
    ]
    cases = [
        name
        for name, column in free.items()
        if not column.small
        and (column.kind in PERSON_IDS or is_numbered(name))
        and _repeats(column.codes)
        and evidence_of(column.codes, attributes) != AGREE
    ]
    candidates = []
    for case in cases if numbers else ():
        for number in numbers:
            codes = combined([free[case].codes, free[number].codes])
            n_values, persons = int((codes >= 0).sum()), count_distinct(codes)
            is_person_id = free[number].kind == "person id" and persons == n_values
            if persons > count_distinct(free[case].codes) and (is_person_id or evidence_of(codes, attributes) == AGREE):
                candidates.append(UnitCandidate((case, number), "person id", n_values, persons))
    return candidates


def _repeats(codes: Int64) -> bool:
    return count_distinct(codes) < int((codes >= 0).sum())


def _by_meaning(free: Mapping[str, CodedColumn], ids: Sequence[str], *, grouped: bool) -> list[UnitCandidate]:
    """Return a candidate for each column that may identify persons by its header or values."""
    meanings: tuple[str, ...] = (*PERSON_IDS, *REACHES)
    if ids:
        sure = any(meaning_of(name) == "person id" for name in ids)
        meanings = PERSON_IDS[:1] if sure or grouped else PERSON_IDS
        meanings = meanings if sure else (*meanings, *(meaning for meaning in _OVER_CASES if meaning not in meanings))
    return [_single(name, column, column.kind) for name, column in free.items() if column.kind in meanings]


def _single(name: str, column: CodedColumn, meaning: str, agreeing: tuple[str, ...] = ()) -> UnitCandidate:
    n_values = int((column.codes >= 0).sum())
    return UnitCandidate((name,), meaning, n_values, count_distinct(column.codes), agreeing, column.cut)


def _names_and_births(coded: Mapping[str, CodedColumn], ids: Sequence[str]) -> list[UnitCandidate]:
    """Return candidates that combine all name columns with the date of birth.

    Without a date of birth, return the names alone and the names with addresses. Without names, return the date of
    birth with agreeing attributes.

    Different persons may have the same name, so names without birth do not show that records of another id belong to
    one person.
    """
    free = {name: column for name, column in coded.items() if name not in ids and not column.thing}
    names = tuple(name for name, column in free.items() if column.kind == NAMED or _is_birth_name(column))
    # other name columns may name other persons
    names = tuple(name for name in names if meaning_of(name) == NAMED) or names
    births = tuple(name for name, column in free.items() if column.kind in ("birth", "born") and column.dates)
    if names and not births:
        births = tuple(name for name in free if name not in names and _is_birth_of(names, name, free))[:1]
    if births and len(names) > 1:
        names = tuple(name for name in names if not _is_another(name, names, births, free))
    key = (*names, *births)
    if any("," in name for name in key) or not key or (ids and not births):
        return []
    codes = combined([free[name].codes for name in key])
    n_values, persons = int((codes >= 0).sum()), count_distinct(codes)
    if not births:
        alone = UnitCandidate(names, NAMED, n_values, persons)
        places = tuple(name for name, column in free.items() if column.addresses or column.kind == ADDRESS)
        return [alone, *_named_at(names, places, free)]
    others = {name: column for name, column in free.items() if name not in key and column.kind not in ("birth", "born")}
    agreeing = agreeing_within(codes, _attributes({**others}), alone=bool(names))
    often = n_values - persons >= _FEW_TOGETHER * len(codes)
    if not names:
        return [UnitCandidate((*key, *agreeing), AGREEING, n_values, persons, agreeing)] if agreeing and often else []
    if ids:
        return [UnitCandidate(key, NAMED_AND_BORN, n_values, persons, agreeing)] if agreeing and often else []
    beyond = n_values - persons > _by_chance(codes, [free[n].codes for n in names], [free[n].codes for n in births])
    return [UnitCandidate(key, NAMED_AND_BORN, n_values, persons, agreeing, beyond_chance=beyond)]


def _is_birth_of(names: Sequence[str], date: str, free: Mapping[str, CodedColumn]) -> bool:
    """Return True for dates of birth: rows with equal names have equal dates far more often than by chance."""
    if not free[date].years or free[date].kind:
        return False
    of_names = [free[name].codes for name in names]
    codes = combined([*of_names, free[date].codes])
    n_values, persons = int((codes >= 0).sum()), count_distinct(codes)
    beyond = n_values - persons > _by_chance(codes, of_names, [free[date].codes])
    return beyond and persons <= _SAME_BIRTH * n_values


_SAME_BIRTH = 0.8
"""Largest ratio of distinct combinations of names and date to rows at which a date column with an unknown header counts
as date of birth.
"""


def _named_at(names: tuple[str, ...], places: tuple[str, ...], free: Mapping[str, CodedColumn]) -> list[UnitCandidate]:
    """Return the candidate of all names with addresses, if there are any."""
    key = tuple(name for name in (*names, *places) if "," not in name)
    if not places or not all(name in key for name in names):
        return []
    codes = combined([free[name].codes for name in key])
    n_values, persons = int((codes >= 0).sum()), count_distinct(codes)
    beyond = n_values - persons > _by_chance(codes, [free[n].codes for n in names], [free[n].codes for n in places])
    return [UnitCandidate(key, NAMED_AT, n_values, persons, beyond_chance=beyond)]


def _is_another(name: str, names: Sequence[str], births: Sequence[str], free: Mapping[str, CodedColumn]) -> bool:
    """Return True if a name column names another person.

    It differs between rows with equal other names and birth.
    """
    others = combined([free[other].codes for other in (*names, *births) if other != name])
    joint = combined([others, free[name].codes])
    others = others[joint >= 0]
    pairs = len(others) - count_distinct(others)
    agreed = len(others) - count_distinct(joint)
    return pairs >= FEWEST_PAIRS and 2 * agreed < pairs


def _is_birth_name(column: CodedColumn) -> bool:
    return column.kind == "born" and not column.dates


def _by_chance(codes: Int64, names: Sequence[Int64], births: Sequence[Int64]) -> float:
    """Return how many persons may share names and birth by chance, with a margin of three standard deviations."""
    first = np.unique(codes, return_index=True)[1]
    first = first[codes[first] >= 0]
    persons = len(first)

    def share(columns: Sequence[Int64]) -> float:
        counts = np.bincount(combined([column[first] for column in columns])).astype(np.float64)
        return float((counts * (counts - 1)).sum()) / max(1, persons * (persons - 1))

    expected = persons * (persons - 1) / 2 * share(names) * share(births)
    return float(3 * expected + 3 * np.sqrt(expected))


def _repeat_as_keys(codes: Int64, *, named: bool) -> bool:
    """Return True if the values of a column repeat like keys of persons.

    Many values must repeat, unless the header names a key, and no value may be very frequent.
    """
    present = codes[codes >= 0]
    if len(present) < _FEWEST_ROWS:
        return False
    counts = np.bincount(present)
    distinct = int(np.count_nonzero(counts))
    few, many = (_KEYS_OF_ROWS[0], _NAMED_KEYS) if named else _KEYS_OF_ROWS
    return few <= distinct / len(present) <= many and int(counts.max()) <= _MOST_OF_A_KEY * len(present)


def _repeat_rarely(name: str, column: CodedColumn, attributes: Sequence[tuple[str, str, Int64]]) -> bool:
    """Return True if most values are distinct keys, some keys repeat, and the rows of a key may belong to one
    person.
    """
    n_values, distinct = int((column.codes >= 0).sum()), count_distinct(column.codes)
    return (
        n_values >= _FEWEST_ROWS
        and _KEYS_OF_ROWS[1] * n_values < distinct < n_values
        and column.keys
        and not is_quantity(name)
        and evidence_of(column.codes, attributes) != DIFFER
    )


def _first_rows(ids: Sequence[Int64]) -> Int64:
    """Return the first row of each record, given the codes of the ids."""
    return np.sort(np.unique(np.stack(ids), axis=1, return_index=True)[1]).astype(np.int64)


def _attributes(coded: Mapping[str, CodedColumn]) -> list[tuple[str, str, Int64]]:
    """Return the kind, name and codes of each column with a personal attribute."""
    kinds = {
        name: NAMED if is_direct(look.kind) and look.kind != "address" else look.kind for name, look in coded.items()
    }
    return [(kind, name, coded[name].codes) for name, kind in kinds.items() if kind in (*ATTRIBUTES, NAMED)]
