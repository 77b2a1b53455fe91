"""Checks before a run. The owner must declare who is a person, and no published column may name persons."""

from collections.abc import Iterable, Mapping

import numpy as np

from anonset.columns.headers import meaning_of
from anonset.columns.id_findings import placeholder_problem
from anonset.data import Table
from anonset.data.equivalence_classes import keys_of
from anonset.data.table_facts import COUNTRY, MERGES, NO_ID, REPEATS, SEVERAL, SPELLINGS, TESTS, PersonSign
from anonset.errors import Fix, InputError, Problem, UndeclaredUnitError
from anonset.privacy import PrivacyModel
from anonset.reading.file_options import ROW, UNKNOWN
from anonset.release.scan.disclosure_scan import names_of_persons
from anonset.settings.binding import HierarchySpec
from anonset.spelling import counted, setting
from anonset.verification.shares import shares_of


def require_persons(
    table: Table, model: PrivacyModel | None = None, hierarchies: Mapping[str, HierarchySpec] | None = None
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
    for error in errors_of_persons(table, model, hierarchies):
        raise error


def errors_of_persons(
    table: Table, model: PrivacyModel | None = None, hierarchies: Mapping[str, HierarchySpec] | None = None
) -> list[InputError]:
    """Return all errors that `require_persons` finds. It raises the first."""
    protected = None if model is None else model.sensitive_column
    errors = [InputError(problem) for problem in names_of_persons(table, hierarchies, protected)]
    errors += [InputError(_two_numbers(sign, table)) for sign in table.signs if sign.kind == COUNTRY]
    linked = table.sensitive is not None if model is None else "sensitive" in model.protects
    if needs_unit(table) and not (linked and table.ids):
        errors.append(UndeclaredUnitError(_question(table)))
    return errors


def _two_numbers(sign: PersonSign, table: Table) -> Problem:
    """Return the problem that telephone numbers have a national and an international form."""
    (name,), (country,) = sign.columns, sign.words
    return Problem(
        f"column {name!r}: {counted(sign.rows, 'telephone number')} begin with {country} in some rows and have no "
        "country code in others, and count as different persons",
        [
            Fix({"normalize": [f"{name}={country}"]}, f"if they are the same ({counted(sign.persons, 'person')})"),
            Fix({"normalize": [f"{name}=nfc"]}, f"if they are not ({counted(count_persons(table), 'person')})"),
        ],
    )


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
    return not (table.statements.unit or table.by_person or (alone and not table.statements.has_further_columns))


def _question(table: Table) -> Problem:
    fixes = [_as_person(identifier, table.n) for identifier in _signs(table) if identifier.kind == REPEATS]
    key = "" if fixes else f"; {setting('unit', 'COLUMN')} if all rows with the same value are one person"
    by_row = Fix({"unit": [ROW]}, f"if each of the {counted(table.n, 'row')} is a different person")
    unknown = Fix({"unit": [UNKNOWN]}, "if the data do not say")
    return Problem(f"who is a person? Declare the unit of privacy{key}", [*fixes, by_row, unknown])


def _as_person(identifier: PersonSign, n: int) -> Fix:
    columns = list(identifier.columns)
    persons = f" ({counted(identifier.persons, 'person')})" if identifier.rows == n else ""
    return Fix({"unit": columns}, f"if each {' with '.join(map(repr, columns))} is a person{persons}")


_MOST_SHOWN = 3


def _signs(table: Table) -> list[PersonSign]:
    """Return the first signs of each kind, without columns named like another value of the setting ``unit``."""
    named = [sign for sign in table.signs if sign.columns not in ((ROW,), (UNKNOWN,))]
    kinds = dict.fromkeys(sign.kind for sign in named)
    return [sign for kind in kinds for sign in [one for one in named if one.kind == kind][:_MOST_SHOWN]]


def unit_findings(table: Table, model: PrivacyModel | None = None) -> tuple[Problem, ...]:
    """Return facts that contradict the declared unit, or a model that protects rows, with counts.

    Facts about the unit are those of the first rows.
    """
    if model is not None and model.counts_rows and table.ids:
        return _several_rows(table, model)
    if not table.statements.unit:
        return ()
    return tuple(_contradiction(sign, table) for sign in _signs(table) if sign.kind in (REPEATS, NO_ID, MERGES))


def likely_persons(found: Iterable[Problem]) -> tuple[str, ...]:
    """Return the columns of the person that the first fix of contradictions declares. Empty if none does."""
    units = (fix.settings.get("unit") for problem in found for fix in problem.fixes)
    return next((tuple(unit) for unit in units if isinstance(unit, list)), ())


def spelled_ids(table: Table) -> list[Problem]:
    """Return the problem that ids of persons have several spellings, without ids of the data, or an empty list."""
    merged = [change.occurrences for change in table.changes if change.rule == SPELLINGS]
    return [_spellings(table, persons) for persons in merged]


def _spellings(table: Table, persons: int) -> Problem:
    return Problem(
        f"column {' and '.join(map(repr, _id_names(table)))}: {persons:,} of {counted(count_persons(table), 'person')} "
        "have ids in several spellings, which differ only in case, blanks, punctuation, leading zeros, forms of "
        "letters and digits, date format or form of reference (1-23, 12-3 and 0123 are the same person); if they are "
        "different persons, make their ids differ in letters or digits"
    )


def _id_names(table: Table) -> tuple[str, ...]:
    return table.persons or tuple(column.name for column in table.ids)


def count_persons(table: Table) -> int:
    """Return the number of different ids, or the number of records if the table has no ids. Ids of buckets repeat."""
    if not table.ids:
        return table.n
    shares = shares_of(table.ids, table.store)
    return sum(len(np.unique(keys_of([column.take(rows) for column in table.ids], len(rows)))) for rows in shares)


def _several_rows(table: Table, model: PrivacyModel) -> tuple[Problem, ...]:
    """Return a problem if ids repeat, although the model does not protect a person with several rows."""
    persons = count_persons(table)
    if persons == table.n:
        return ()
    names = " and ".join(map(repr, _id_names(table)))
    problem = (
        f"model {model.name} protects rows, not persons: {table.n:,} rows have only {persons:,} different values of "
        f"{names}, and the rows of a person together may disclose a sensitive value"
    )
    of_persons = Fix({"model": "safe-grouping", "k": model.diversity, "l": model.diversity}, "to protect persons")
    return (Problem(problem, [of_persons]),)


def further_findings(table: Table) -> tuple[Problem, ...]:
    """Return the number of persons whose ids have several spellings, or who are named like test persons, and the
    columns with several persons per row.
    """
    couples = [
        f"{' and '.join(map(repr, sign.columns))} may be different persons, so that a row contains several persons; "
        "the guarantee holds for a row, and not for a person in several rows, or who knows the others of the row"
        for sign in table.signs
        if sign.kind == SEVERAL
    ]
    return (
        *spelled_ids(table),
        *map(Problem, couples),
        *(
            Problem(
                f"{counted(sign.persons, 'person')} in {counted(sign.rows, 'row')} named like test persons (column "
                f"{' and '.join(map(repr, sign.columns))}); they count towards k: remove these rows from the data"
            )
            for sign in table.signs
            if sign.kind == TESTS
        ),
    )


def _contradiction(sign: PersonSign, table: Table) -> Problem:
    columns, unit = list(sign.columns), table.statements.unit
    if sign.kind == NO_ID:
        return placeholder_problem(columns[0], sign.words, sign.rows)
    if sign.kind == MERGES:
        ids = " with ".join(map(repr, _id_names(table)))
        problem = (
            f"column {columns[0]!r} differs between the rows of {counted(sign.persons, 'person')}, so {ids} may stand "
            "for several persons"
        )
        is_sex = meaning_of(columns[0]) == "sex"
        return Problem(problem, [] if is_sex else [Fix({"unit": [*_id_names(table), *columns]}, "if each is a person")])
    of_ids = unit not in ("row", "unknown")
    each = f"value of {' with '.join(map(repr, _id_names(table)))}" if of_ids else "row"
    word = "the data do not say who is a person" if unit == "unknown" else f"each {each} is declared a different person"
    of_persons = of_ids and sign.rows != table.source_rows  # the first row of each person is examined
    examined = "persons" if of_persons else "rows" if sign.rows == table.source_rows else "of the first rows"
    facts = f"{sign.rows:,} {examined} have only {sign.persons:,}"
    if sign.persons > sign.rows:
        facts = f"{sign.rows:,} different {each.replace('value', 'values', 1)} contain {sign.persons:,}"
    problem = f"{word}, but {facts} different values of {' and '.join(map(repr, columns))}"
    return Problem(problem, [Fix({"unit": columns}, "if these are persons")])
