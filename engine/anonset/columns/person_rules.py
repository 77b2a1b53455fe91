"""Roles of columns if the rows of each person are merged, and roles without any recognized column."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from math import isqrt

from anonset.columns.headers import (
    has_known_letters,
    is_about,
    is_about_a_thing,
    is_about_an_agent,
    is_direct,
    is_identifier,
    is_known,
    is_sensitive,
    meaning_of,
    names_codes,
    names_items,
)
from anonset.columns.kinds import MARKS
from anonset.columns.profiles import Profile
from anonset.columns.roles import OF_PERSONS, SETS, UNRECOGNIZED, ProposedRole, tree_of
from anonset.columns.set_rules import is_grade, without_number
from anonset.errors import Fix
from anonset.spelling import counted, setting

FEW_DIFFERING, _MOST_OF_FIRST_ROWS = 0.05, 0.5
"""Maximum shares of persons with differing rows, if the differences may be errors, and if the owner may publish the
values of the first rows.
"""
_MOST_DIFFERENT_CODES, _MANY_ROWS = 0.8, 500
"""Maximum share of distinct values in a column of codes of an unknown system, and rows from which it holds."""
_ROWS_OF_AN_ITEM = 2
"""Minimum average number of rows per value, in a column that may contain one item per row."""
_CODES = ("ICD-9 codes", "ICD-10 codes", "ATC codes")
_CODE_KINDS = _CODES[1:]
"""Kinds of codes that contain letters. ICD-9 codes are numbers."""


def with_unit(
    proposed: Mapping[str, ProposedRole], unit: Sequence[str], profiles: Mapping[str, Profile], role: str
) -> dict[str, ProposedRole]:
    """Return the roles of the columns if the columns `unit` identify the person, with the role `role`."""
    roles = dict(proposed)
    for name in unit:
        if name in profiles and (not proposed[name].is_given or proposed[name].role == "drop"):
            profile = profiles[name]
            reason = f"identifies the person, {profile.distinct:,} different values in {profile.records:,} rows"
            roles[name] = ProposedRole(role, reason)
    return roles


def roles_by_person(
    found: Mapping[str, ProposedRole],
    unit: Sequence[str],
    profiles: Mapping[str, Profile],
    count_differing: Callable[[str], int],
    *,
    repeated: int,
    most: float = FEW_DIFFERING,
) -> tuple[dict[str, ProposedRole], dict[str, int]]:
    """Return the roles of the columns if the rows of a person are merged into one record. The record contains the union
    of the sets in these rows. If there are no sets, columns with one code per row become sets, unless the owner
    declares a sensitive column, which models of sets do not protect. All other columns are dropped if they differ
    between the rows of a person.

    Also returns the columns that are published with the value of the first row, because the rows of few persons differ,
    each with the number of these persons.

    Parameters
    ----------
    unit
        The columns that identify the person.
    count_differing
        Returns the number of persons with different rows in a column.
    repeated
        Number of persons with several rows. A column that differs for most of them is no attribute of a person.
    most
        Maximum share of persons whose rows differ in a column that is published with the value of the first row.
    """
    roles_of_one = ("relational", "sensitive", UNRECOGNIZED)
    single = [n for n, own in found.items() if own.role in roles_of_one and not own.is_given]
    differing = {name: persons for name in single if (persons := count_differing(name))}
    n_persons = max(profiles[column].distinct for column in unit)
    roles, many, half = dict(found), most * n_persons, _MOST_OF_FIRST_ROWS * repeated
    first_rows = dict[str, int]()
    for name in [
        name
        for name, persons in differing.items()
        if persons <= many or (persons <= half and _changes_over_time(name, found, profiles))
    ]:
        persons = differing.pop(name)
        if found[name].role != UNRECOGNIZED:
            first_rows[name] = persons
    able = _item_columns(differing, profiles)
    if not any(own.role in SETS or own.is_declared_sensitive for own in found.values()):
        codes = likely_codes(list(differing), profiles)
        ordered = item_candidates(list(differing), profiles)
        codes = [name for name in ordered[:1] if name in codes]
        for name in codes or [name for name in ordered if _are_surely_items(profiles[name])][:1]:
            reason = "a code per row of a person" if codes else "words that persons share, one per row of a person"
            items = replace(found[name], role="items", hierarchy=tree_of(profiles[name].kind), reason=reason)
            for column in (one for one in numbered_like(name, profiles) if one in single):
                roles[column] = items
                differing.pop(column, None)
                first_rows.pop(column, None)
    of_persons = f"of the same {', '.join(map(repr, unit))}"
    for name, persons in differing.items():
        reason = f"differs between rows {of_persons} for {counted(persons, 'person')}"
        item = Fix({"items": [name]}, "if each value is an item")
        fixes = (item,) if name in able or profiles[name].kind in _CODES else ()
        roles[name] = ProposedRole("drop", reason, fixes=fixes, differs=persons / max(1, repeated))
    return roles, first_rows


def _changes_over_time(name: str, found: Mapping[str, ProposedRole], profiles: Mapping[str, Profile]) -> bool:
    """Return True for an attribute that others know and that changes over time, such as an age or a residence. If sex,
    origin or date of birth differ, the rows may be of different persons.
    """
    changes = meaning_of(name) not in ("sex", "origin", "born") and profiles[name].kind != "dates"
    return found[name].role == "relational" and changes and is_known(name) and not is_about_a_thing(name)


def _differ_nearly(profile: Profile) -> bool:
    """Return True if nearly every row has another value, in data of many rows."""
    return profile.records >= _MANY_ROWS and profile.uniqueness > _MOST_DIFFERENT_CODES


def _item_columns(names: Iterable[str], profiles: Mapping[str, Profile]) -> list[str]:
    """Return the columns of texts or codes that may contain one item per row, the most probable first: by the header,
    then no agents, no ids of letters, texts before numbers, ids before other numbers, words that are not capitalized,
    which may be names, and many different values before few.
    """

    def likely(one: Profile) -> tuple[bool, ...]:
        figures, is_id = one.kind == "integers" and not one.name.isdecimal(), is_identifier(one.name)
        others = is_about_an_agent(one.name), is_id and not figures, figures, figures and not is_id, one.capitalised
        return (not names_items(one.name), *others)

    able = [profiles[name] for name in names if may_be_items(profiles[name])]
    return [one.name for one in sorted(able, key=lambda one: (likely(one), -one.distinct))]


def numbers_agents(profile: Profile) -> bool:
    """Return True if values are numbers or keys of staff or places."""
    return (profile.kind == "integers" or profile.keys) and is_about_an_agent(profile.name)


def may_be_items(profile: Profile) -> bool:
    """Return True if values of a column may be items, one per row: texts, codes or integers that recur, and no names,
    quantities, attributes of the person, or numbers of staff or places.
    """
    name, named = profile.name, names_items(profile.name)
    return (
        (profile.kind in ("text", "integers") or profile.kind.endswith("codes") or names_codes(name))
        and 1 < profile.distinct <= profile.records // _ROWS_OF_AN_ITEM
        and not (
            profile.prose
            or profile.times
            or is_about(name, "remarks")
            or is_direct(meaning_of(name))
            or (is_known(name) and not is_about_a_thing(name))
        )
        and (named or profile.reaches in ("", "account"))  # things have keys like those of devices
        and not numbers_agents(profile)
        and ((named and profile.kind != "integers") or not is_about(name, "quantities"))
    )


def _are_surely_items(profile: Profile) -> bool:
    """Return True if words of a column are items, and neither names nor a status that each person has.

    Capitalized words may be names, and keys may identify physicians or shops.
    """
    may_be_others = (
        profile.capitalised or profile.keys or is_identifier(profile.name) or is_about_an_agent(profile.name)
    )
    may_be_others |= bool(profile.reaches) or profile.results
    several = names_items(profile.name) or profile.distinct >= _FEWEST_ITEMS
    return profile.kind == "text" and several and not may_be_others and has_known_letters(profile.name)


def likely_codes(names: Sequence[str], profiles: Mapping[str, Profile]) -> list[str]:
    """Return the columns that probably contain one code per row, by their header or their values. The most probable
    column is first. Numeric columns are last, and copies of other codes after them. Quantities are excluded.
    """

    def is_coded(name: str) -> bool:
        return (profiles[name].kind in _CODE_KINDS and not is_identifier(name)) or names_codes(name)

    def likely(name: str) -> tuple[bool, bool, bool, bool, int]:
        profile = profiles[name]
        number = profile.kind in ("integers", "zip codes")
        return is_about(name, "copies"), not is_coded(name), not is_about(name, "products"), number, -profile.distinct

    kinds = ("text", "integers", "zip codes")
    able = [
        name
        for name in names
        if (is_coded(name) or is_about(name, "products"))
        and profiles[name].distinct > 2
        and (profiles[name].kind in _CODES or not _differ_nearly(profiles[name]))
        and not profiles[name].prose
        and not is_about_an_agent(name)
        and not is_known(name)
        and not is_about(name, "quantities")
        and not is_grade(profiles[name])
    ]
    return sorted((n for n in able if profiles[n].kind in kinds or "codes" in profiles[n].kind), key=likely)


def possible_items(
    proposed: Mapping[str, ProposedRole], united: Mapping[str, ProposedRole], profiles: Mapping[str, Profile]
) -> dict[str, tuple[str, ...]]:
    """Return unrecognized columns that may contain items, by the setting with which they would be published.

    A column may contain items if its header says so, persons have several values, and values occur in many rows. Three
    or more columns of 0 and 1 may also contain items.

    Parameters
    ----------
    proposed, united
        Roles before and after the rows of each person are merged.
    """
    if any(own.role in SETS for own in united.values()):
        return {}
    unknown = [name for name, own in proposed.items() if own.role == UNRECOGNIZED]
    differing = [name for name in unknown if united[name].role == "drop"]
    texts = tuple(name for name in _item_columns(differing, profiles) if names_items(name))
    marked = marked_columns(proposed, profiles)
    return {"items": texts} if texts else {"one_hot": marked} if marked else {}


def marked_columns(proposed: Mapping[str, ProposedRole], profiles: Mapping[str, Profile]) -> tuple[str, ...]:
    """Return the unrecognized columns of 0 and 1 or the like if there are three or more, with sensitive ones."""
    able = {name for name, own in proposed.items() if own.role in (UNRECOGNIZED, "sensitive")}
    marks = {profiles[n].marks for n in able if proposed[n].role == UNRECOGNIZED and profiles[n].kind in MARKS}
    marked = tuple(n for n, one in profiles.items() if n in able and one.kind in MARKS and one.marks in marks)
    return marked if len(marked) >= _FEWEST_MARKED else ()


_FEWEST_MARKED = 3


def numbered_like(name: str, profiles: Mapping[str, Profile]) -> list[str]:
    """Return the columns of a numbered series, such as ``Drug``, ``Drug2`` and ``Drug3``, with values of one kind.
    Columns without a header, which have numbers as names, form none.
    """
    stem, kind = without_number(name), profiles[name].kind
    return [
        n for n, profile in profiles.items() if n == name or (stem == without_number(n) != "" and profile.kind == kind)
    ]


def item_candidates(names: Sequence[str], profiles: Mapping[str, Profile]) -> list[str]:
    """Return the columns among `names` that may contain the items, the most probable first: codes, then words, then
    other values that recur. Few values, such as states and types of cases, come after columns with many times as many,
    and before numbers without a header of items.
    """
    able = dict.fromkeys((*likely_codes(names, profiles), *_item_columns(names, profiles)))
    plain = [n for n in able if profiles[n].kind != "integers" or names_items(n) or names_codes(n)]
    most = max((profiles[name].distinct for name in plain), default=0)

    def rank(name: str) -> int:
        few = profiles[name].distinct < _FEWEST_ITEMS and profiles[name].distinct * _TIMES_STATES <= most
        return 0 if name in plain and not few else 1

    return sorted(able, key=rank)


_TIMES_STATES = 3
"""A column of few values has at most the number of values of another candidate, divided by this number."""


def roles_by_behaviour(
    proposed: Mapping[str, ProposedRole], united: Mapping[str, ProposedRole], profiles: Mapping[str, Profile]
) -> dict[str, list[str]]:
    """Return roles that are derived only from the values, if no column is recognized. The owner must check these roles.

    A column is a quasi-identifier if it has few short values that many rows share, and each person has a single value.
    A single text column with several values per person contains the items. If no column is of either kind, columns
    that differ for few persons have the values of each person's first row.

    Parameters
    ----------
    proposed, united
        Roles before and after the rows of each person are merged.
    """
    shared = [
        name
        for name, own in proposed.items()
        if own.role == UNRECOGNIZED
        and _is_shared(profiles[name])
        and not (is_sensitive(name) or is_about(name, "quantities"))
    ]
    agreeing = [name for name in shared if united[name].role == UNRECOGNIZED and not _may_be_names(profiles[name])]
    differing = [name for name in shared if united[name].role == "drop"]
    items = [name for name in _item_columns(differing, profiles) if profiles[name].distinct >= _FEWEST_ITEMS][:1]
    if agreeing or items:
        return {role: names for role, names in (("relational", agreeing), ("items", items)) if names}
    return _of_first_rows(differing, united)


def _of_first_rows(names: Sequence[str], united: Mapping[str, ProposedRole]) -> dict[str, list[str]]:
    """Return the roles that publish the values of each person's first row. Columns that differ for most persons are
    excluded.
    """
    few = [name for name in names if united[name].differs <= _MOST_OF_FIRST_ROWS]
    return {"relational": few, "differing": ["first"]} if few else {}


def last_roles(proposed: Mapping[str, ProposedRole], united: Mapping[str, ProposedRole]) -> dict[str, list[str]]:
    """Return the roles that the owner must check if nothing else can be published: a column that may contain items,
    recognized quasi-identifiers with the value of each person's first row, or unrecognized columns that a rule
    generalizes, such as numbers and dates.

    Parameters
    ----------
    proposed, united
        Roles before and after the rows of each person are merged.
    """
    way = {name: {"items": [name]} for name in united}
    if items := [name for name, own in united.items() if any(fix.settings == way[name] for fix in own.fixes)]:
        return {"items": items[:1]}
    others = {name: own for name, own in proposed.items() if united[name].role not in OF_PERSONS}
    known = [name for name, own in others.items() if own.role == "relational"]
    rules = [
        name
        for name, own in others.items()
        if own.role == UNRECOGNIZED and own.hierarchy not in (None, "values") and not is_sensitive(name)
    ]
    agreeing = [name for name in rules if united[name].role == UNRECOGNIZED]
    if agreeing and not known:
        return {"relational": agreeing}
    return _of_first_rows(known or rules, united)


def _may_be_names(profile: Profile) -> bool:
    """Return True if a text column has so many different values that they could be names of persons, in any
    language.
    """
    return profile.kind == "text" and profile.distinct > _MOST_WORDS and not is_known(profile.name)


_MOST_WORDS = 20
_WIDTH_OF_IDS = 1_000
"""Numbers may be ids of persons, which a sensitive column would publish, if their proposed ranges are this wide."""
_FEWEST_ITEMS = 5
_MOST_SHARED, _ROWS_OF_SHARED = 1_000, 20
_NUMBERS = ("integers", "zip codes")


def _is_shared(profile: Profile) -> bool:
    """Return True if a column contains few values that many rows share. Return False for dates, contact data and free
    text.
    """
    most = max(profile.records // _ROWS_OF_SHARED, isqrt(profile.records))  # in small tables, few rows share a value
    few = 1 < profile.distinct <= min(_MOST_SHARED, most)
    open_text = profile.prose or profile.commas or is_about(profile.name, "remarks")
    plain = profile.kind in ("text", *_NUMBERS) or profile.kind.endswith("codes")
    filled = 2 * (profile.nulls + profile.missing) <= profile.records
    return few and plain and filled and not (open_text or profile.reaches or profile.results)


def recognized_roles(
    found: Mapping[str, ProposedRole], profiles: Mapping[str, Profile], k: int, keys: Collection[str]
) -> dict[str, ProposedRole]:
    """Return roles in which unrecognized columns, and sensitive columns that no model protects, are dropped. A dropped
    column has fixes that publish it, unless it is one of the `keys`, which may identify persons. (k, l)-diversity and
    t-closeness protect one sensitive column, if the table has relational columns and no sets. A sensitive value that
    occurs in fewer than k rows cannot be published.
    """
    roles = dict(found)
    sensitive = [n for n, own in found.items() if own.role == "sensitive" and not own.is_declared_sensitive]
    taken = any(own.is_declared_sensitive for own in found.values())
    sets = [name for name, own in found.items() if own.role in SETS]
    listed = all(found[name].role == "items" for name in sets)
    relational = any(own.role == "relational" for own in found.values())
    for name, own in found.items():
        if own.role == UNRECOGNIZED:
            known = Fix({"relational": [name]}, "if others know it")
            secret = Fix({"sensitive": [name]}, "if it is sensitive")
            wide = profiles[name].kind == "integers" and float(profiles[name].width or 0) >= _WIDTH_OF_IDS
            rare = profiles[name].rarest < k or (wide and not is_about(name, "quantities"))
            rare &= profiles[name].distinct > _MOST_WORDS
            fixes = () if name in keys else (known,) if sets or rare else (known, secret)
            roles[name] = ProposedRole("drop", own.reason, fixes=fixes)
    for name in sensitive:
        profile, chosen = profiles[name], {"sensitive": [name]}
        missing = Fix({"null": [*profile.missing_codes[:1]]}, "if it does")
        why, fixes = (
            (
                "models for sets of items do not protect it",
                (Fix({"items": [*sets, name]}, f"to declare values of {name} as sensitive items"),)
                if listed and (profile.distinct <= _MOST_WORDS or may_be_items(profile)) else (),
            ) if sets
            else (
                "models protect it only if there are quasi-identifiers",
                (Fix({"items": [name]}, "if its values are items"),) if may_be_items(profile) else (),
            ) if not relational
            else ("models protect one sensitive column, and another is declared", ()) if taken
            else ("models protect one sensitive column", (Fix(chosen, "to choose it"),)) if len(sensitive) > 1
            else (
                f"{profile.missing_codes[0]} may mean a missing value", (missing, Fix(chosen, "if it is a value"))
            ) if profile.missing_codes
            else (f"some values occur in fewer than {k} rows", ()) if profile.rarest < k
            else ("", ())
        )  # fmt: skip
        if why:
            roles[name] = ProposedRole("drop", f"sensitive, {profile.distinct:,} different values; {why}", fixes=fixes)
    return roles


def without_commas(found: Mapping[str, ProposedRole], profiles: Mapping[str, Profile]) -> dict[str, ProposedRole]:
    """Return roles in which quasi-identifiers are dropped if their values contain commas and they have no hierarchy.

    Commas separate the values of published sets.
    """
    roles = dict(found)
    for name, own in found.items():
        if own.role == "relational" and own.hierarchy == "values" and not own.is_given and profiles[name].commas:
            what = (
                f"{profiles[name].distinct:,} different values, some with commas, which published sets cannot contain"
            )
            if profiles[name].kind == "numbers":
                lacking = counted(profiles[name].missing + profiles[name].nulls + profiles[name].odd, "value")
                what = (
                    f"numbers with a decimal comma, but {lacking} without a number; fill in numbers to publish ranges"
                )
            roles[name] = ProposedRole("drop", f"{what}; with {setting('relational')} it needs a hierarchy")
    return roles
