"""Whether records are the persons that a guarantee speaks of, and whether anything published names them."""

from collections.abc import Mapping

import numpy as np

from anonset.data import CategoricalColumn, NumericColumn, Table
from anonset.data.table_facts import CUT, Repeated
from anonset.errors import InputError
from anonset.privacy import PrivacyModel
from anonset.spelling import hierarchy_of, setting

_MONTH = len("2020-01")
_LOOKED_AT = 200
"""Labels of a column that are looked at."""
_REACHED = {"name": "persons' names", "e-mail": "e-mail addresses", "IBAN": "IBANs"}


def require_persons(
    table: Table, model: PrivacyModel | None = None, hierarchies: Mapping[str, object] | None = None
) -> None:
    """Refuse a table whose records are not persons, or that names them, unless its owner answers for it.

    The ids of buckets repeat by nature; where no model is named, a table with a sensitive column is taken for buckets.

    Full dates of birth are refused where they are kept, or relational without a hierarchy whose finest level is
    coarser: a date that k persons share may be published then, which finds them elsewhere beside sex and postcode.

    Parameters
    ----------
    hierarchies
        Those of the relational columns, by name; None: they are not known yet.

    Raises
    ------
    InputError
        With the column and the ways out; no value is told.
    """
    if not table.word.identifying_as_declared:
        _require_nameless(table)
        _require_no_full_birth_dates(table, hierarchies)
    buckets = table.sensitive is not None if model is None else "buckets" in model.protects
    if table.word.rows_are_persons or buckets:
        return
    if (repeated := (*table.repeated, *_repeated_in(table))[:1]) != ():
        raise InputError(_refused(repeated[0]))


def _refused(repeated: Repeated) -> str:
    name = repeated.column
    others = f"{setting('rows_are_persons', True)} if each row is another person"
    if repeated.cut:
        return (
            f"column {name!r} tells persons apart, and {CUT}; export the file anew with this column as text; {others}"
        )
    within = f", and {' and '.join(map(repr, repeated.agreeing))} agree within them" if repeated.agreeing else ""
    unite = f"{setting('id', name)} {setting('group', True)} makes one record of the rows of each"
    if "," in name:
        what = (
            f"columns {', '.join(map(repr, name.split(',')))} together tell persons apart: their values repeat{within}"
        )
        return (
            f"{what}, so rows are not persons; {unite}, better with a column that numbers the persons as id; {others}"
        )
    return f"column {name!r} tells persons apart: its values repeat{within}, so rows are not persons; {unite}; {others}"


def _repeated_in(table: Table) -> tuple[Repeated, ...]:
    """Return the published columns that are called like ids of persons, and whose values repeat."""
    if not table.relational and not table.kept:
        return ()
    from anonset.io.header_words import meaning_of
    from anonset.io.person_signs import PERSON_IDS, occurs_twice

    found = []
    for column in (*table.relational, *table.kept):
        if meaning_of(column.name) in PERSON_IDS:
            if isinstance(column, CategoricalColumn):
                distinct = len(column.vocabulary)
            else:
                distinct = len(np.unique(column.values))
            if occurs_twice(table.n, distinct, column.name):
                found.append(Repeated(column.name))
    return tuple(sorted(found, key=lambda one: PERSON_IDS.index(meaning_of(one.column))))


def _require_nameless(table: Table) -> None:
    """Refuse columns that hold names, by their headers, e-mail addresses or IBANs."""
    if not table.relational and not table.kept:
        return
    from anonset.io.header_words import meaning_of
    from anonset.io.person_values import pattern_of

    for role, columns in (("relational", table.relational), ("keep", table.kept)):
        for column in columns:
            if isinstance(column, CategoricalColumn):
                kind = meaning_of(column.name)
                kind = (
                    kind if kind in _REACHED else pattern_of(column.vocabulary.labels[:_LOOKED_AT], ("e-mail", "IBAN"))
                )
                if kind:
                    raise InputError(_named(column.name, role, _REACHED[kind]))


def _named(name: str, role: str, what: str) -> str:
    out = f"{setting('drop', name)} leaves it out, {setting('identifying_as_declared', True)} publishes it all the same"
    return f"column {name!r} holds {what}, and is {setting(role)}: {out}"


def _require_no_full_birth_dates(table: Table, hierarchies: Mapping[str, object] | None) -> None:
    """Refuse columns that are called like a date of birth, hold full dates, and may be published as these."""
    if not (table.kept or (hierarchies is not None and table.relational)):
        return
    from anonset.data.hierarchy_rules import is_coarser
    from anonset.io.header_words import meaning_of
    from anonset.io.kinds import look_at

    fine = [] if hierarchies is None else [one for one in table.relational if not is_coarser(hierarchies.get(one.name))]
    for column in (*fine, *table.kept):
        if meaning_of(column.name) in ("birth", "born"):
            looked_at = column.vocabulary.labels if isinstance(column, CategoricalColumn) else _numbers_of(column)
            labels = [label for label in looked_at[:_LOOKED_AT] if label not in ("", "?")]
            look = look_at("", labels)
            if labels and look.kind == "dates" and not all(len(label) <= _MONTH for label in labels):
                raise InputError(_birth_dates(column.name, look.form))


def _numbers_of(column: NumericColumn) -> list[str]:
    return [f"{number:.0f}" for number in np.unique(column.values[: 10 * _LOOKED_AT]).tolist()]


def _birth_dates(name: str, form: str) -> str:
    levels = f"date:{form}{':' if form else ''}from-month,year,decade"
    coarser = f"relational with {hierarchy_of(name, levels)} publishes months at the finest"
    others = (
        f"{setting('drop', name)} leaves it out, {setting('identifying_as_declared', True)} publishes them all the same"
    )
    return f"column {name!r} holds full dates of birth, which may be published: {coarser}, {others}"
