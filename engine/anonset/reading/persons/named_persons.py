"""Candidates that combine the names of persons with the date of birth or the address."""

from collections.abc import Mapping, Sequence

import numpy as np

from anonset.data.table import Int64
from anonset.reading.persons.agreement import FEWEST_PAIRS, agreeing_within, count_distinct
from anonset.reading.persons.coded_columns import CodedColumn
from anonset.reading.persons.header_words import ADDRESS, ATTRIBUTES, NAMED, is_direct, meaning_of
from anonset.reading.persons.missing_values import combined
from anonset.reading.persons.unit_candidate import AGREEING, NAMED_AND_BORN, NAMED_AT, UnitCandidate

_FEW_TOGETHER = 0.01


def names_and_births(coded: Mapping[str, CodedColumn], ids: Sequence[str]) -> list[UnitCandidate]:
    """Return candidates that combine all name columns with the date of birth.

    Without a date of birth, return the names alone and the names with addresses. Without names, return the date of
    birth with agreeing attributes.

    Different persons may have the same name, so names without birth do not show that records of another id belong to
    one person.
    """
    free = {name: column for name, column in coded.items() if name not in ids and not column.thing}
    names = tuple(name for name, column in free.items() if column.kind == NAMED or _is_birth_name(column))
    # further name columns may name other persons
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
    agreeing = agreeing_within(codes, attributes_in({**others}), alone=bool(names))
    often = n_values - persons >= _FEW_TOGETHER * len(codes)
    if not names:
        return [UnitCandidate((*key, *agreeing), AGREEING, n_values, persons, agreeing)] if agreeing and often else []
    if ids:
        return [UnitCandidate(key, NAMED_AND_BORN, n_values, persons, agreeing)] if agreeing and often else []
    beyond = n_values - persons > _by_chance(codes, [free[n].codes for n in names], [free[n].codes for n in births])
    return [UnitCandidate(key, NAMED_AND_BORN, n_values, persons, agreeing, beyond_chance=beyond)]


def _is_birth_of(names: Sequence[str], date: str, free: Mapping[str, CodedColumn]) -> bool:
    """Return True if dates are dates of birth. If so, rows with equal names have equal dates far more often than by
    chance.
    """
    if not free[date].years or free[date].kind:
        return False
    of_names = [free[name].codes for name in names]
    codes = combined([*of_names, free[date].codes])
    n_values, persons = int((codes >= 0).sum()), count_distinct(codes)
    beyond = n_values - persons > _by_chance(codes, of_names, [free[date].codes])
    return beyond and persons <= _SAME_BIRTH * n_values


_SAME_BIRTH = 0.8
"""Maximum ratio of distinct combinations of names and date to rows, for a date column with an unknown header that is a
date of birth.
"""


def _named_at(names: tuple[str, ...], places: tuple[str, ...], free: Mapping[str, CodedColumn]) -> list[UnitCandidate]:
    key = tuple(name for name in (*names, *places) if "," not in name)
    if not places or not all(name in key for name in names):
        return []
    codes = combined([free[name].codes for name in key])
    n_values, persons = int((codes >= 0).sum()), count_distinct(codes)
    beyond = n_values - persons > _by_chance(codes, [free[n].codes for n in names], [free[n].codes for n in places])
    return [UnitCandidate(key, NAMED_AT, n_values, persons, beyond_chance=beyond)]


def _is_another(name: str, names: Sequence[str], births: Sequence[str], free: Mapping[str, CodedColumn]) -> bool:
    """Return True if a name column names another person, because it differs between rows in which all other names and
    the birth are equal.
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
    """Return an upper bound on the number of persons who share names and birth by chance. It is three times the
    expected number, plus three standard deviations.
    """
    first = np.unique(codes, return_index=True)[1]
    first = first[codes[first] >= 0]
    persons = len(first)

    def share(columns: Sequence[Int64]) -> float:
        counts = np.bincount(combined([column[first] for column in columns])).astype(np.float64)
        return float((counts * (counts - 1)).sum()) / max(1, persons * (persons - 1))

    expected = persons * (persons - 1) / 2 * share(names) * share(births)
    return float(3 * expected + 3 * np.sqrt(expected))


def attributes_in(coded: Mapping[str, CodedColumn]) -> list[tuple[str, str, Int64]]:
    """Return the kind, name and codes of each column with a personal attribute."""
    kinds = {
        name: NAMED if is_direct(look.kind) and look.kind != "address" else look.kind for name, look in coded.items()
    }
    return [(kind, name, coded[name].comparable) for name, kind in kinds.items() if kind in (*ATTRIBUTES, NAMED)]
