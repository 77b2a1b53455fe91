"""Checks before a run. The owner must declare who is a person, and no published column may name persons."""

import re
from collections import defaultdict
from collections.abc import Mapping

import numpy as np

from anonset.columns.headers import meaning_of
from anonset.columns.kinds import look_at
from anonset.columns.personal_values import KINDS_OF_VALUES, are_full_names, pattern_of
from anonset.columns.placeholders import placeholder_problem
from anonset.data import CategoricalColumn, NumericColumn, Table
from anonset.data.hierarchy_rules import NO_VALUE, PROPOSED, is_coarser
from anonset.data.table_facts import RepeatedIdentifiers
from anonset.errors import Fix, InputError, Problem, UndeclaredUnitError
from anonset.privacy import PrivacyModel
from anonset.reading.options import ROW, UNKNOWN
from anonset.release.scan_findings import FEW_PERSONS
from anonset.spelling import counted, setting, spelled

_MONTH = len("2020-01")
_LOOKED_AT = 200
_REFUSED = ("name", "e-mail", "IBAN")
"""Kinds of values that are published only if the owner declares it."""


def require_persons(
    table: Table, model: PrivacyModel | None = None, hierarchies: Mapping[str, object] | None = None
) -> None:
    """Reject a table that names persons, or whose owner has not declared who is a person.

    Ids of buckets are the declaration of their model. Without a model, a table with a sensitive column and ids is
    treated as buckets.

    Full dates of birth are rejected in kept columns, and in relational columns unless the finest level of their
    hierarchy is coarser. A date that k persons share could be published. With sex and postcode, it could identify these
    persons.

    Parameters
    ----------
    hierarchies
        Hierarchies of the relational columns, by name. None if the hierarchies are not known yet.

    Raises
    ------
    InputError
        The message names the columns and the remedies. It shows no value. `UndeclaredUnitError` if the unit of privacy
        is not declared.
    """
    if not table.word.identifying_as_declared:
        _require_nameless(table)
        _require_no_full_birth_dates(table, hierarchies)
        _require_no_ids_among_items(table)
    linked = table.sensitive is not None if model is None else "sensitive" in model.protects
    if not (linked and table.ids):
        require_unit(table)


def require_unit(table: Table) -> None:
    """Reject a table whose owner has not declared who is a person.

    Raises
    ------
    UndeclaredUnitError
        The message names the settings that declare it.
    """
    if needs_unit(table):
        raise UndeclaredUnitError(_question(table))


def needs_unit(table: Table) -> bool:
    """Return True if the owner must declare who is a person and has not done so.

    A table that consists of a single set-valued column needs no declaration. Dropped columns of the source count.
    """
    alone = len(table.columns) == 1 and table.transactions is not None and not table.joined
    return not (table.word.unit or table.by_person or (alone and not table.word.beside_sets))


def _question(table: Table) -> Problem:
    columns = [identifier.column for identifier in _repeated(table)]
    key = "" if columns else f"; {setting('unit', 'COLUMN')} if all rows with the same value are one person"
    fixes = [Fix({"unit": column.split(",")}, "if all rows with the same value are one person") for column in columns]
    by_row = Fix({"unit": [ROW]}, f"if each of the {counted(table.n, 'row')} is a different person")
    unknown = Fix({"unit": [UNKNOWN]}, "if the data do not say")
    return Problem(f"who is a person? Declare the unit of privacy{key}", [*fixes, by_row, unknown])


_MOST_SHOWN = 3


def _repeated(table: Table) -> list[RepeatedIdentifiers]:
    """Return the first columns that repeat, without columns named like another value of the setting ``unit``."""
    return [identifier for identifier in table.repeated if identifier.column not in (ROW, UNKNOWN)][:_MOST_SHOWN]


def unit_findings(table: Table) -> tuple[Problem, ...]:
    """Return facts of the first rows that contradict the declared unit, with counts."""
    if table.word.unit in ("", "unknown"):
        return ()
    unit = "row" if table.word.unit == "row" else f"value of {setting('unit')}"
    return tuple(_contradiction(identifier, unit) for identifier in _repeated(table))


def _contradiction(identifier: RepeatedIdentifiers, unit: str) -> Problem:
    if identifier.words:
        return placeholder_problem(identifier.column, identifier.words, identifier.rows)
    columns = identifier.column.split(",")
    problem = (
        f"each {unit} is declared a different person, but {identifier.rows:,} of the first rows or records have only "
        f"{identifier.persons:,} different values of {' and '.join(map(repr, columns))}"
    )
    return Problem(problem, [Fix({"unit": columns}, "if these are persons")])


def _require_nameless(table: Table) -> None:
    """Reject columns whose header names persons, and columns that contain e-mail addresses or IBANs."""
    if not table.relational and not table.kept:
        return

    for role, columns in (("relational", table.relational), ("keep", table.kept)):
        for column in columns:
            if isinstance(column, CategoricalColumn):
                kind = meaning_of(column.name)
                labels = [label for label in column.vocabulary.labels[:_LOOKED_AT] if label not in NO_VALUE]
                kind = kind if kind in _REFUSED else pattern_of(labels, _REFUSED[1:])
                kind = kind or ("name" if are_full_names(labels) else "")
                if kind:
                    raise InputError(_named(column.name, role, KINDS_OF_VALUES[kind]))


def _named(name: str, role: str, content: str) -> Problem:
    return Problem(f"column {name!r} contains {content} but is declared {setting(role)}", _omit_or_publish(name))


def _require_no_full_birth_dates(table: Table, hierarchies: Mapping[str, object] | None) -> None:
    """Reject columns that contain full dates of birth according to their header, and that could publish these dates."""
    if not (table.kept or (hierarchies is not None and table.relational)):
        return

    fine = (
        []
        if hierarchies is None
        else [column for column in table.relational if not is_coarser(hierarchies.get(column.name))]
    )
    for column in (*fine, *table.kept):
        if meaning_of(column.name) in ("birth", "born"):
            looked_at = column.vocabulary.labels if isinstance(column, CategoricalColumn) else _numbers_of(column)
            labels = [label for label in looked_at[:_LOOKED_AT] if label not in NO_VALUE]
            look = look_at("", labels)
            if labels and look.kind == "dates" and not all(len(label) <= _MONTH for label in labels):
                raise InputError(_birth_dates(column.name, look.form))


def _require_no_ids_among_items(table: Table) -> None:
    """Reject sets in which nearly every record contains exactly one of many items of the same form, or exactly one of
    many rare items, because these items may be ids.

    The form of an item is its text with each number replaced by 9, or by # if the number is as long as an id. Nearly
    every record must contain such an item. For long numbers, one record in fifty suffices. Only the first records are
    examined.
    """
    sets = table.transactions
    if sets is None or table.joined or sets.vocabulary.is_numbered or sets.vocabulary.filed is not None:
        return
    if len(sets.vocabulary) < _FEWEST_IDS or table.n < _FEWEST_IDS:
        return
    codes_of: dict[str, list[int]] = defaultdict(list)
    for code, label in enumerate(sets.vocabulary.labels):
        codes_of["@" if "@" in label else _NUMBER.sub("9", _LONG_NUMBER.sub("#", label))].append(code)
    groups = [("items of the same form", codes, _is_long(form)) for form, codes in codes_of.items() if _is_varied(form)]
    groups.append(("rare items", np.flatnonzero(sets.occurrences < FEW_PERSONS).tolist(), False))
    n = min(table.n, _MOST_RECORDS)
    items = sets.slice(0, n).items
    record_of = np.repeat(np.arange(n), np.diff(sets.indptr[: n + 1]))
    for what, codes, is_long in groups:
        fewest, with_ids = (_LONG_IDS, _WITH_LONG_ID) if is_long else (_IDS, _WITH_ID)
        if len(codes) < max(_FEWEST_IDS, fewest * table.n):
            continue
        is_id = np.zeros(len(sets.vocabulary), np.bool_)
        is_id[codes] = True
        of_group = is_id[items]
        per_record = np.bincount(record_of[of_group], minlength=n)
        records = int(np.count_nonzero(per_record))
        others = int(np.count_nonzero(per_record[record_of[~of_group]]))
        one_each = int((per_record == 1).sum()) >= _ONE_EACH * records
        if one_each and records >= with_ids * n and 2 * others >= records:
            raise InputError(_ids_among_items(sets.name, f"{len(codes):,} {what}"))


def _is_long(form: str) -> bool:
    return "#" in form or form == "@"


def _is_varied(form: str) -> bool:
    """Return True if items of a form differ in a number or an address."""
    return "9" in form or _is_long(form)


_NUMBER = re.compile(r"\d+")
_LONG_NUMBER = re.compile(r"\d{6,}")
_FEWEST_IDS = 100
"""Minimum number of distinct items that may be ids."""
_ONE_EACH = 0.95
"""Minimum share of records with exactly one possible id among the records with at least one."""
_IDS, _LONG_IDS = 0.02, 0.002
"""Minimum number of distinct possible ids per record. The second number applies to long numbers and e-mail addresses.
"""
_WITH_ID, _WITH_LONG_ID = 0.95, 0.02
"""Minimum share of records with a possible id. The second share applies to long numbers and e-mail addresses."""
_MOST_RECORDS = 100_000


def _ids_among_items(name: str, ids: str) -> Problem:
    what = f"records contain exactly one of {ids}, such as the id of a person"
    awk = """awk -F';' '{for (i = 2; i <= NF; i++) print $1 ";" $i}' FILE > TABLE.csv"""
    way = f"write a line per id and item (if the id comes first, and ';' separates: {awk})"
    of_lines = {"no_header": True, "unit": ["1"], "items": ["2"], "hierarchy": {"2": PROPOSED}}
    problem = f"{name!r}: {what}; {way} and use {spelled(of_lines)}"
    return Problem(problem, [Fix({"identifying_as_declared": True}, "if they are items")])


def _numbers_of(column: NumericColumn) -> list[str]:
    return [f"{number:.0f}" for number in np.unique(column.values[: 10 * _LOOKED_AT]).tolist()]


def _birth_dates(name: str, form: str) -> Problem:
    levels = f"date:{form}{':' if form else ''}from-month,year,decade"
    coarse = Fix({"relational": [name], "hierarchy": {name: levels}}, "to publish months or coarser")
    problem = f"column {name!r} contains full dates of birth, which could be published"
    return Problem(problem, [coarse, *_omit_or_publish(name)])


def _omit_or_publish(name: str) -> list[Fix]:
    publish = Fix({"identifying_as_declared": True}, "to publish it unchanged")
    return [Fix({"drop": [name]}, "to omit the column"), publish]
