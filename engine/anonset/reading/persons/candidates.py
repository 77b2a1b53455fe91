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

The owner declares the unit. Candidates only order the answers that `inspect` offers, and show whether the data
contradict the declaration.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

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
from anonset.reading.persons.header_words import ADDRESS, NAMED, PERSON_IDS, is_numbered, is_sampling_weight, meaning_of
from anonset.reading.persons.missing_values import combined, holds_sets
from anonset.reading.persons.named_persons import attributes_in, names_and_births
from anonset.reading.persons.person_keys import is_witnessed, repeat_as_keys, repeat_rarely
from anonset.reading.persons.unit_candidate import (
    AGREEING,
    KEY,
    NAMED_AND_BORN,
    NAMED_AT,
    OF_ROWS,
    REACHES,
    UnitCandidate,
)
from anonset.reading.roles import Roles

_SUREST = (
    "person id", "e-mail", NAMED_AND_BORN, NAMED_AT, "IBAN", "account", "phone", AGREEING, NAMED, ADDRESS, "id",
    "network", "case id", KEY,
)  # fmt: skip
_OVER_CASES = ("person id", "e-mail")
"""Kinds of candidates that show that the records of another id are not persons."""
_MOST_COLUMNS = 300
_MOST_WITNESSES = 20
_COARSER, _FEW_EXCEPTIONS = 0.9, 1.02


def find_unit_candidates(
    where: str, roles: Roles, head: Callable[[Sequence[str]], Mapping[str, Any]], *, grouped: bool
) -> tuple[RepeatedIdentifiers, ...]:
    """Return the candidates that repeat in the first rows.

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
    return tuple(candidate.as_repeated for candidate in candidates if candidate.repeats)


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
    attributes = [] if few else attributes_in(coded)
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
    candidates += [_single(name, free[name], KEY) for name in unknown if is_witnessed(name, free[name], seen)]
    sure = any(candidate.repeats for candidate in candidates)
    candidates += [candidate for candidate in names_and_births(coded, ids) if candidate.meaning != AGREEING or not sure]
    if not ids and not any(candidate.repeats or candidate.meaning not in ("id", "case id") for candidate in candidates):
        candidates += [_single(name, column, ADDRESS) for name, column in free.items() if column.addresses]
    pairs = [] if ids else _numbered_within(free, attributes)
    candidates = [
        candidate for candidate in candidates if not any(candidate.columns == pair.columns[1:] for pair in pairs)
    ] + pairs
    candidates = [replace(candidate, evidence=_evidence(candidate, coded, attributes)) for candidate in candidates]
    alone = not any(candidate.repeats for candidate in candidates)
    distinct = any(
        candidate.given and candidate.persons == candidate.given and candidate.meaning not in OF_ROWS
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
                repeat_as_keys(free[name].codes, named=name in numbers)
                or (not distinct and repeat_rarely(name, free[name], attributes))
            )
        ]
    n_rows = max((len(column.codes) for column in coded.values()), default=0)
    candidates = [
        candidate for candidate in candidates if not any(_is_name_of(candidate, other, coded) for other in candidates)
    ]
    ordered = sorted((replace(candidate, rows=n_rows) for candidate in candidates), key=_sort_key)
    return _coarser_first(ordered, coded)


def _is_name_of(name: UnitCandidate, person: UnitCandidate, coded: Mapping[str, CodedColumn]) -> bool:
    """Return True if `name` is the name of the candidate `person`: each person has one name, and some persons have the
    same name.
    """
    alone = name.meaning == NAMED and person.meaning not in (NAMED, NAMED_AT, NAMED_AND_BORN, ADDRESS, "network")
    return alone and name.repeats and person.repeats and person.evidence != DIFFER and _has_one(person, name, coded)


def _coarser_first(ordered: Sequence[UnitCandidate], coded: Mapping[str, CodedColumn]) -> tuple[UnitCandidate, ...]:
    """Sort each candidate before the cases that belong to it. For example, customers come before receipts if each
    receipt has one customer.
    """
    placed: list[UnitCandidate] = []
    for candidate in ordered:
        index = next((i for i, other in enumerate(placed) if _is_case_of(other, candidate, coded)), len(placed))
        placed.insert(index, candidate)
    return tuple(
        replace(case, part_of=next((other.columns[0] for other in placed if _is_case_of(case, other, coded)), ""))
        for case in placed
    )


def _is_case_of(case: UnitCandidate, coarser: UnitCandidate, coded: Mapping[str, CodedColumn]) -> bool:
    """Return True if each value of `case` (such as a receipt) belongs to one value of `coarser` (such as a card)."""
    alike = case.repeats and coarser.repeats and coarser.evidence <= case.evidence
    if not alike or coarser.meaning in (NAMED, ADDRESS) or len(coarser.columns) > 1:
        return False
    return _has_one(case, coarser, coded)


def _has_one(case: UnitCandidate, coarser: UnitCandidate, coded: Mapping[str, CodedColumn]) -> bool:
    """Return True if each value of `case` has a single value of `coarser`, with few exceptions."""
    if coarser.persons > _COARSER * case.persons:
        return False
    codes = combined([coded[name].codes for name in case.columns])
    joint = combined([codes, combined([coded[name].codes for name in coarser.columns])])
    return count_distinct(joint) <= _FEW_EXCEPTIONS * count_distinct(np.where(joint >= 0, codes, -1))


def _sort_key(candidate: UnitCandidate) -> tuple[int, int, int]:
    """Return the sort key of a candidate, by evidence, then by meaning. Candidates that are detected as names only by
    their values come last.
    """
    by_values = candidate.meaning == NAMED and not any(meaning_of(name) == NAMED for name in candidate.columns)
    return candidate.evidence, len(_SUREST) if by_values else _SUREST.index(candidate.meaning), candidate.persons


def _evidence(
    candidate: UnitCandidate, coded: Mapping[str, CodedColumn], attributes: Sequence[tuple[str, str, Int64]]
) -> int:
    """Return the evidence from birth and sex on a repeated candidate. Attributes that are part of the candidate are
    ignored.
    """
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
    """Return pairs of columns. The first column identifies a group of persons, such as a household, and the second
    column numbers the persons of a group.
    """
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
    meanings: tuple[str, ...] = (*PERSON_IDS, *REACHES)
    if ids:
        sure = any(meaning_of(name) == "person id" for name in ids)
        meanings = PERSON_IDS[:1] if sure or grouped else PERSON_IDS
        meanings = meanings if sure else (*meanings, *(meaning for meaning in _OVER_CASES if meaning not in meanings))
    return [_single(name, column, column.kind) for name, column in free.items() if column.kind in meanings]


def _single(name: str, column: CodedColumn, meaning: str, agreeing: tuple[str, ...] = ()) -> UnitCandidate:
    n_values = int((column.codes >= 0).sum())
    return UnitCandidate((name,), meaning, n_values, count_distinct(column.codes), agreeing, column.cut)


def _first_rows(ids: Sequence[Int64]) -> Int64:
    return np.sort(np.unique(np.stack(ids), axis=1, return_index=True)[1]).astype(np.int64)
