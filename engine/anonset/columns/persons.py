"""Possible answers to the question who is a person: columns, in the order in which they are offered.

The owner answers the question. The points of the rules (`rules`) only order the offered columns: what their headers
name, what their values look like, and whether the sex and the birth of the rows with one value agree. Columns of free
text, dates and amounts are never offered, and columns with little evidence are only named.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np

from anonset import arrow
from anonset.arrow import ArrowColumns
from anonset.columns.headers import ATTRIBUTES, PERSON_IDS, is_about, is_about_a_person, is_about_a_thing, is_identifier
from anonset.columns.ids import (
    AGREE,
    DIFFER,
    are_values,
    combined,
    count_distinct,
    encoded,
    evidence_of,
    given_texts,
    persons_in,
)
from anonset.columns.kinds import look_at
from anonset.columns.personal_values import CONTACTS, contain_first_names, is_full_date, nearly_all
from anonset.columns.profiles import Profile, profile_of_values
from anonset.columns.roles import PLACES
from anonset.columns.rules import NEVER, RULES, points_of
from anonset.data.array_types import Int64
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.table_facts import PersonSign

NAMED, LEAST, LIKELY, SURE = -5, -1, 1, 3
"""Points of a column that is named; that is offered as an answer; that comes before the answer that each row is a
person; and that comes before contacts.
"""
_MOST_ROWS, _LABELS = 50_000, 300
_MOST_COLUMNS = 300
_FEW, _ROWS_OF_FEW = 10, 10
"""A household column has at least this many distinct values, or one for this many rows."""
_MEMBERS, _DIGITS_OF_A_MEMBER, _NEAR, _MOST_NAMED_PAIRS = 50, 2, 4, 3
"""Numbers of the persons within a household have at most this many distinct values and this many digits, and their
column is at most this many columns away. At most the last number of pairs is named without being offered.
"""
_MOST_NAMES, _REPEATED_NAMES = 3, 1.5
"""Largest number of columns of one name, and mean number of rows per name from which names may stand for persons.
Different persons share names.
"""
_COARSER, _EXCEPTIONS = 0.9, 1.02
"""Largest share of the values of a case that a person key may have, and tolerated exceptions to one key per case."""
_COMPLETE, _WEAK, _LAST = 0.95, 2, (4, 0)
"""Smallest share of the rows with an id, compared with the candidate of most rows, so that it precedes ids that fewer
rows have, first place of columns with weak evidence, and the place behind all others.
"""
_WHOLE = re.compile(r"^(-?\d+)\.0+$")
"""Whole numbers as programs write floats."""
_GROUPS = re.compile(r"\d+(?: \d+)+").fullmatch
"""Function that recognizes numbers in groups of digits, such as those of cards."""


@dataclass(frozen=True)
class PossiblePerson(RedactedRepr):
    """Columns that together may identify the person."""

    columns: tuple[str, ...]
    meaning: str
    """Meaning of the header or of the values: ``person id``, ``e-mail``, ``name``, ...; empty if unknown."""
    points: int
    """Evidence that each value is a person."""
    given: int
    """Number of rows with a value in each column."""
    persons: int
    """Number of distinct combinations of values."""
    part_of: str = ""
    """Column of which each value of these columns has one value, so that a person may be counted several times."""

    @property
    def is_offered(self) -> bool:
        """True if the evidence suffices for an answer. Other columns are only named."""
        return self.points >= LEAST

    @property
    def repeats(self) -> bool:
        """True if a value occurs in two rows."""
        return self.persons < self.given

    @property
    def is_likely(self) -> bool:
        """True if the columns probably identify persons, or at least cases of a person. Columns without a header have
        numbers as names.
        """
        reached = self.meaning in (*CONTACTS, "name") or all(map(str.isdecimal, self.columns))
        return self.points >= (0 if reached else LIKELY)

    def precedes_rows(self, others: Iterable["PossiblePerson"]) -> bool:
        """Return True if persons with several rows are more probable than a person in each row.

        Several persons may share an id, such as an account or a card, so that their rows differ. It precedes the rows
        unless another column has an id of a person in each row. With such a column, a few equal values are chance.
        """
        is_id = self.meaning in ("person id", "id") and len(self.columns) == 1
        is_weak = self.meaning == "account" and self.points < LIKELY  # such as the device of an interviewer
        ids = ("person id", "id") if is_weak else ("person id",)
        of_rows = any(one.meaning in ids and one.given and not one.repeats for one in others)
        if of_rows and (is_weak or self.given <= _EXCEPTIONS * self.persons):
            return False
        return self.repeats and (self.is_likely or (is_id and self.is_offered and not of_rows))

    @property
    def place(self) -> tuple[int, int]:
        """Sort key among the columns that repeat: known keys, then contacts, then other columns, and then names."""
        if self.meaning in CONTACTS:
            return 1, CONTACTS.index(self.meaning)
        is_known = self.meaning or all(map(str.isdecimal, self.columns))
        is_key = is_known and self.points >= SURE
        return 3 if self.meaning == "name" else 0 if is_key else 2, -self.points

    @property
    def as_repeated(self) -> PersonSign:
        """The columns and counts in the form that a table stores."""
        return PersonSign(self.columns, rows=self.given, persons=self.persons)


def possible_persons(
    columns: ArrowColumns, asked: Sequence[str], ids: Sequence[str] = ()
) -> tuple[PossiblePerson, ...]:
    """Return the columns of `all_persons` that have enough evidence to be offered as an answer."""
    return tuple(one for one in all_persons(columns, asked, ids) if one.is_offered)


def all_persons(columns: ArrowColumns, asked: Sequence[str], ids: Sequence[str] = ()) -> tuple[PossiblePerson, ...]:
    """Return the columns that may identify the person, in the order in which they are offered. Columns with little
    evidence are only named.

    Parameters
    ----------
    columns
        Columns by name (``pyarrow.ChunkedArray``). Only the first rows are examined.
    asked
        Columns that may be offered.
    ids
        Columns that the owner declares as the person. Only the first row of each person is then examined.
    """
    first = {name: column.slice(0, _MOST_ROWS) for name, column in islice(columns.items(), _MOST_COLUMNS)}
    rows = None
    if ids and all(name in first and are_values(first[name]) for name in ids):
        rows = np.sort(np.unique(persons_in([first[name] for name in ids]), return_index=True)[1])
    evidence = {name: _evidence(name, column, rows) for name, column in first.items() if are_values(column)}
    attributes = [
        (kind, name, one.codes)
        for name, one in evidence.items()
        if (kind := one.meaning if one.meaning in ATTRIBUTES else one.attribute)
    ]
    free = [evidence[name] for name in asked if name in evidence and name not in ids]
    able, parts = [one for one in free if points_of(one) != NEVER], _parts_of_names(free)
    found = [_single(one, attributes) for one in able if one.name not in parts]
    found = [one for one in found if one.points >= NAMED and one.meaning != "address" and one.persons > 1]
    found = [replace(one, points=NAMED) if _rarely_repeats(one) else one for one in found]
    households, members = _households(able, attributes)
    found = [replace(one, points=min(one.points, LIKELY - 1)) if {*one.columns} <= households else one for one in found]
    found += [one for one in (*members, *_full_names(free, attributes)) if one.repeats]
    if any(not one.repeats and one.meaning == "person id" for one in found):  # namesakes
        found = [
            replace(one, points=LEAST) if one.meaning == "name" and NAMED < one.points < SURE else one for one in found
        ]
    alone = max((one.points for one in found if one.meaning == "name" and len(one.columns) == 1), default=NAMED)
    found = [
        replace(one, points=max(one.points, alone + 1, LIKELY))
        if one.meaning == "name" and len(one.columns) > 1 and one.is_offered
        else one
        for one in found
    ]
    uneven = {name for name, one in evidence.items() if not one.recurs_evenly}
    complete = _COMPLETE * max((one.given for one in found), default=0)
    named = any(one.meaning == "name" and one.repeats and one.is_likely for one in found)

    def order(one: PossiblePerson) -> tuple[Any, ...]:
        place = _LAST if named and one.meaning == "network" else one.place  # persons share addresses of networks
        lacks = place[0] < _WEAK and one.given < complete
        return not one.repeats, place[0] >= _WEAK, lacks, place, one.columns[0] in uneven, -one.persons

    ordered = sorted(found, key=order)
    return _persons_before_cases(ordered, evidence)


def _rarely_repeats(one: PossiblePerson) -> bool:
    """Return True for names that rarely repeat, so that equal names may be namesakes."""
    return one.meaning == "name" and one.given < _REPEATED_NAMES * one.persons


def _parts_of_names(free: Sequence[Profile]) -> set[str]:
    """Return the columns of first names and surnames: names that are fewer than the names of all columns together."""
    parts, whole = _names_of(free)
    every = _persons_of([*parts, *whole]) if parts and len(parts) + len(whole) > 1 else 0
    return {one.name for one in parts if _EXCEPTIONS * count_distinct(one.codes) < every}


def _names_of(free: Sequence[Profile]) -> tuple[list[Profile], list[Profile]]:
    """Return the columns of the parts of a name, and those of full names. Surnames of two words beside first names are
    parts.
    """
    names = [one for one in free if one.meaning == "name"][:_MOST_NAMES]
    whole = [one for one in names if nearly_all(lambda label: " " in label.strip(), one.labels)]
    parts = [one for one in names if not any(one is other for other in whole)]
    if len(parts) == 1:
        at = next(n for n, one in enumerate(free) if one is parts[0])
        beside = [one for one in free[max(0, at - 1) : at + 2] if any(one is other for other in whole)]
        surnames = [one.name for one in beside if not contain_first_names(one.labels)]
        if surnames and contain_first_names(parts[0].labels):
            parts = [one for one in names if one is parts[0] or one.name in surnames]
            whole = [one for one in whole if one.name not in surnames]
    return parts, whole


def _evidence(name: str, column: Any, rows: Int64 | None) -> Profile:
    """Return the evidence of a column, or of some of its rows."""
    labels, codes = encoded(column)
    plain = ("".join(label.split()) if _GROUPS(label) else label for label in labels[:_LABELS].to_pylist())
    shown = (_WHOLE.sub(r"\1", label) if "." in label else label for label in plain)
    return profile_of_values(name, tuple(shown), codes if rows is None else codes[rows])


def _single(one: Profile, attributes: Sequence[tuple[str, str, Int64]]) -> PossiblePerson:
    if one.distinct < one.given:
        others = [attribute for attribute in attributes if attribute[1] != one.name]
        one = replace(one, agreement=evidence_of(one.codes, others, of_names=one.meaning == "name"))
    return PossiblePerson((one.name,), one.meaning, points_of(one), one.given, one.distinct)


def _households(
    free: Sequence[Profile], attributes: Sequence[tuple[str, str, Int64]]
) -> tuple[set[str], list[PossiblePerson]]:
    """Return the columns of households, and the columns that identify persons together with a number or the name of the
    member, or with an insurer.

    A household is a key whose rows differ in sex and birth. Another column numbers the members if its header says
    so, or if the rows of each member agree. Of columns without such a header, the one that separates most is used. If
    the rows of the members do not agree, the pair is only named.
    """
    households = set[str]()
    certain, others, named = list[PossiblePerson](), list[PossiblePerson](), list[PossiblePerson]()
    for at, key in enumerate(free):
        if not _may_be_a_household(key):
            continue
        alone = evidence_of(key.codes, [attribute for attribute in attributes if attribute[1] != key.name])
        near = free[max(0, at - _NEAR) : at + _NEAR + 1]
        for other in () if alone == AGREE else free:
            member = _is_small(other) and _names_a_member(other)
            insurer = is_about_a_thing(other.name) and key.is_numbered
            is_name = other.meaning == "name" and alone == DIFFER
            is_near = _is_small(other) and any(other is one for one in near)
            if other is key or not (member or insurer or is_name or is_near):
                continue
            found = _joined((other, key) if insurer else (key, other), "person id", attributes)
            agrees = found.points >= RULES["agree"].points
            if found.persons <= _EXCEPTIONS * count_distinct(key.codes):
                continue
            if alone == DIFFER and (member or agrees):
                households.add(key.name)
            if member and (agrees or key.is_numbered):
                certain.append(replace(found, points=max(found.points, SURE) + 1))
            elif agrees:
                others.append(found)
            elif key.is_numbered or alone == DIFFER:
                named.append(replace(found, points=NAMED))
    for pairs in (others, named):
        pairs.sort(key=lambda pair: -pair.persons)
    return households, [*certain, *others[:1], *named[:_MOST_NAMED_PAIRS]]


def _full_names(free: Sequence[Profile], attributes: Sequence[tuple[str, str, Int64]]) -> Iterator[PossiblePerson]:
    """Yield the parts of names together, and each column of full names, with what distinguishes namesakes."""
    parts, whole = _names_of(free)  # full names of several persons, such as a lawyer
    whole = [one for one in whole if evidence_of(one.codes, attributes, of_names=True) != DIFFER] or whole[:1]
    for names in (parts, *([one] for one in whole)):
        yield from _with_further(names, free, attributes)


def _with_further(
    names: Sequence[Profile], free: Sequence[Profile], attributes: Sequence[tuple[str, str, Int64]]
) -> Iterator[PossiblePerson]:
    """Yield names with the date of birth, with the address or the postcode, and alone if there is no date of birth."""
    births = [one for one in free if one.meaning in ("birth", "born") and all(map(is_full_date, one.labels))]
    places = [one for one in free if one.meaning == "address"]
    codes = [one for one in free if one.meaning == "residence" and one.kind in PLACES and not (births or places)]
    if names and births:
        yield _joined([*names, births[0]], "name", attributes)
    if names and places:
        found = _joined([*names, places[0]], "name", attributes)
        yield replace(found, points=NAMED if found.points < SURE and _rarely_repeats(found) else found.points)
    if names and codes and (found := _joined([*names, codes[0]], "name", attributes)).persons > _persons_of(names):
        yield found  # namesakes
    if len(names) > 1 and not births:
        found = _joined(names, "name", attributes)
        if not _rarely_repeats(found):
            yield replace(found, points=found.points + 1)  # before each of the names


def _persons_of(columns: Sequence[Profile]) -> int:
    return count_distinct(combined([one.codes for one in columns]))


def _is_small(one: Profile) -> bool:
    """Return True if the values may be the numbers of the persons of a household."""
    short = all(len(label) <= _DIGITS_OF_A_MEMBER for label in one.labels) and one.meaning not in ATTRIBUTES
    return short and 1 < len(one.labels) <= _MEMBERS and not is_about(one.name, "quantities")


def _may_be_a_household(one: Profile) -> bool:
    is_plain = not _is_small(one) and one.meaning not in (*ATTRIBUTES, "name")
    several = one.distinct >= max(3, min(_FEW, len(one.codes) / _ROWS_OF_FEW))
    without_blanks = replace(one, labels=tuple("".join(label.split()) for label in one.labels))
    serial = without_blanks.are_numbers and without_blanks.are_serial and not is_about(one.name, "quantities")
    are_words = 2 * sum(any(map(str.isdigit, label)) for label in one.labels) <= len(one.labels)
    is_key = serial or is_identifier(one.name) or one.is_numbered or one.keys
    return is_plain and several and (one.meaning in CONTACTS or (is_key and not are_words))


def _names_a_member(one: Profile) -> bool:
    return is_about_a_person(one.name) or one.meaning in ("person id", "id")


def _joined(parts: Sequence[Profile], meaning: str, attributes: Sequence[tuple[str, str, Int64]]) -> PossiblePerson:
    codes, names = combined([one.codes for one in parts]), tuple(one.name for one in parts)
    others = [attribute for attribute in attributes if attribute[1] not in names]
    evidence = evidence_of(codes, others, of_names=meaning == "name")
    points = {AGREE: RULES["agree"].points, DIFFER: RULES["differ"].points}.get(evidence, 0)
    return PossiblePerson(names, meaning, points, int((codes >= 0).sum()), count_distinct(codes))


def _persons_before_cases(
    ordered: Sequence[PossiblePerson], evidence: Mapping[str, Profile]
) -> tuple[PossiblePerson, ...]:
    """Place each person key before its cases: customers before receipts, if each receipt has one customer."""
    placed: list[PossiblePerson] = []
    for one in ordered:
        at = next((i for i, other in enumerate(placed) if _is_case_of(other, one, evidence)), len(placed))
        placed.insert(at, one)
    return tuple(
        replace(case, part_of=next((", ".join(one.columns) for one in placed if _is_case_of(case, one, evidence)), ""))
        for case in placed
    )


def _is_case_of(case: PossiblePerson, person: PossiblePerson, evidence: Mapping[str, Profile]) -> bool:
    """Return True if each value of `case` belongs to one value of `person`, a key with as good evidence. Names are such
    keys only for a case that is named like one.
    """
    likely = case.meaning == "case id" and person.points > 0
    are_names = len(person.columns) > 1 or person.meaning in ("name", "address")
    if not (case.repeats and person.repeats) or (are_names and not likely):
        return False
    better = person.points > case.points and person.given >= _COMPLETE * case.given
    if not (likely or better) or person.persons > _COARSER * case.persons:
        return False
    codes = combined([evidence[name].codes for name in case.columns])
    joint = combined([codes, *(evidence[name].codes for name in person.columns)])
    return count_distinct(joint) <= _EXCEPTIONS * count_distinct(np.where(joint >= 0, codes, -1))


def is_coarser(person: PossiblePerson, columns: ArrowColumns, ids: Sequence[str]) -> bool:
    """Return True if columns identify persons with as good evidence as the declared `ids`, and each declared person
    has one value of them: cards, if each receipt has one card.
    """
    are_keys = all(name in columns and are_values(columns[name]) for name in ids)
    if not are_keys or person.meaning not in (*PERSON_IDS, ""):
        return False
    first = {name: columns[name].slice(0, _MOST_ROWS) for name in (*ids, *person.columns)}
    declared = persons_in([first[name] for name in ids])
    joint = combined([declared, *(encoded(first[name])[1] for name in person.columns)])
    one_value = count_distinct(joint) <= _EXCEPTIONS * count_distinct(np.where(joint >= 0, declared, -1))
    return one_value and person.points >= max(points_of(_evidence(name, first[name], None)) for name in ids)


def are_cut(column: Any) -> bool:
    """Return True if the values of a column are long numbers that a spreadsheet rounded, such as 1.23E+11."""
    if not are_values(column):
        return False
    labels = arrow.unique(given_texts(column.slice(0, _MOST_ROWS)))[:_LABELS].to_pylist()
    return any("E+" in label for label in labels) and look_at("", labels).kind == "cut numbers"
