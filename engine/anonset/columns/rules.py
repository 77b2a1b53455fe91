"""What a single column shows: one table of rules with the role that each proposes, and its points for a person.

The first rule with a role that applies decides the role. A column that no rule recognizes is dropped, with the settings
that would publish it. The points of all rules that apply are the evidence that each value is a person (`persons`).
``make columns`` measures what each rule contributes.
"""

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from anonset.columns.headers import (
    ATTRIBUTES,
    PERSON_IDS,
    is_about,
    is_about_a_thing,
    is_direct,
    is_identifier,
    is_known,
    is_numbered,
    is_sensitive,
    numbers_a_thing,
)
from anonset.columns.ids import AGREE, DIFFER
from anonset.columns.kinds import MARKS
from anonset.columns.personal_values import CONTACTS, personal_kind
from anonset.columns.profiles import FREE_TEXT, Profile, profile_of_counts
from anonset.columns.roles import CODE_LEVELS, UNRECOGNIZED, ProposedRole, hierarchy_for
from anonset.columns.set_rules import is_grade, propose_sets
from anonset.data.array_types import Int64
from anonset.errors import Fix

NEVER = -20
"""Points of a column that is never offered as the person."""
_FEWEST_ROWS, _ALL_DIFFERENT, _MANY_DIFFERENT = 20, 0.98, 0.1
"""Values identify rows in at least this many rows, and from these shares of distinct values: the first without a header
of ids, the second with one.
"""
_MANY_NAMES, _ROWS_OF_A_NAME = 50, 100
"""Minimum number of capitalized words in a column of names, and largest average number of rows per name."""
_FEW, _ROWS_OF_FEW, _MOST_ROWS_EACH = 10, 10, 150
"""A column rarely identifies persons if it has fewer than the first number of distinct values and more than the second
number of rows per value, or more than the third number of rows per value, or no value in half of the rows.
"""
_MOST_COUNTED = 30
"""Maximum number of different counts of persons or things."""
_LONGEST_AMOUNT = 12
_NOT_RECOGNIZED = "not recognized as an attribute that others know"


@dataclass(frozen=True)
class Rule:
    """A fact of columns, with the role that it proposes."""

    applies: Callable[[Profile], bool]
    role: str = ""
    """Role of the columns to which the rule applies. Empty if the rule proposes none."""
    reason: Callable[[Profile], str] = lambda column: ""
    fixes: Callable[[Profile], tuple[Fix, ...]] = lambda column: ()
    points: int = 0
    """Evidence that each value is a person. Negative if it is evidence against it."""


def _is_text(column: Profile) -> bool:
    return column.distinct > 1 and not column.reaches and column.kind in ("text", "sets")


def _is_constant(column: Profile) -> bool:
    is_mark = column.kind == "crosses" and column.missing + column.nulls > 0 and not is_known(column.name)
    return column.distinct <= 1 and not is_mark


def _one_value(column: Profile) -> str:
    if column.distinct and (blank := column.missing + column.nulls):
        return f"one value, and {blank:,} blank cells: may be a mark"
    return "same value in all rows: no information"


def _is_direct(column: Profile) -> bool:
    date_of_birth = column.header == "born" and column.kind == "dates"
    amounts = column.header == "network" and column.kind == "numbers"
    plain = column.kind not in (*MARKS, "sets") and not amounts
    return plain and bool(column.reaches or (is_direct(column.header) and not date_of_birth))


def _is_named_like_an_id(column: Profile) -> bool:
    named = column.header == "id" or is_identifier(column.name)
    many = column.uniqueness > _MANY_DIFFERENT and column.kind != "numbers"
    return column.is_single and named and many and column.header != "thing" and not is_sensitive(column.name)


def _differs_in_all_rows(column: Profile) -> bool:
    key = column.kind not in ("numbers", "dates", "postal codes") and not is_sensitive(column.name)
    return column.is_single and key and _differs(column)


def _may_be_names(column: Profile) -> bool:
    many = column.distinct > max(_MANY_NAMES, column.records // _ROWS_OF_A_NAME)
    named = column.header or is_sensitive(column.name)
    return column.capitalised and many and not named and column.has_persons


def _is_sensitive(column: Profile) -> bool:
    named = (is_sensitive(column.name) and column.kind != "dates") or is_grade(column)
    return named or (column.results and column.header not in ATTRIBUTES) or column.kind in CODE_LEVELS


def _numbers_groups(column: Profile) -> bool:
    """Return True if the header names the number of a household or the like, and not how many persons it has."""
    is_key = column.keys or column.distinct > _MOST_COUNTED
    return is_key and column.kind in ("text", "integers") and is_numbered(column.name) and column.header != "residence"


def _is_known(column: Profile) -> bool:
    row = column.header == "residence" and column.kind == "integers" and column.keys and _differs(column)
    known = is_known(column.name, dates=column.kind == "dates") or _tells_the_sex(column)
    return known and not (_numbers_groups(column) or row or numbers_a_thing(column.name))


def _tells_the_sex(column: Profile) -> bool:
    """Return True if the values are words for the sexes, and the header names no quantity and no other person."""
    other = is_about_a_thing(column.name) or is_sensitive(column.name) or is_about(column.name, "quantities")
    return column.attribute == "sex" and column.kind == "text" and not other


def _differs(profile: Profile) -> bool:
    return profile.records >= _FEWEST_ROWS and profile.uniqueness > _ALL_DIFFERENT


def _is_about_persons(column: Profile) -> bool:
    """Return True if the header names an attribute that describes persons, and the values are no keys."""
    described = is_known(column.name) or is_sensitive(column.name)
    return column.meaning in (*ATTRIBUTES, "born") or (described and not (column.keys or _numbers_groups(column)))


def _are_words(column: Profile) -> bool:
    if column.is_key or column.are_numbers or column.meaning in (*CONTACTS, "name", "address"):
        return False
    worded = sum(not any(map(str.isdigit, label)) for label in column.labels)
    return 2 * worded > len(column.labels) or column.kind.endswith("codes")


def _are_few(column: Profile) -> bool:
    given, persons = column.given, column.distinct
    is_id = column.meaning in PERSON_IDS and (column.is_key or column.are_serial)
    several = 3 if is_id else max(3, min(_FEW, given / _ROWS_OF_FEW))
    return 2 * given < column.records or persons < max(several, given / _MOST_ROWS_EACH)


def _are_amounts(column: Profile) -> bool:
    decimals = sum(len(label) <= _LONGEST_AMOUNT and ("." in label or "," in label) for label in column.labels)
    return column.kind == "numbers" and 2 * decimals > len(column.labels)


def _identifies(column: Profile) -> str:
    what = "named like an id" if _are_few(column) else "identifies people or cases"
    return f"{what}, {column.distinct:,} different values in {column.records:,} rows"


RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "mentions persons": Rule(
            lambda column: _is_text(column) and column.mentions != "",
            "drop",
            lambda column: f"mentions values of {column.mentions!r}; may describe a person",
        ),
        "remarks": Rule(
            lambda column: _is_text(column) and column.kind == "text" and is_about(column.name, "remarks"),
            "drop",
            lambda column: "remarks; may describe a person",
            points=NEVER,
        ),
        "free text": Rule(
            lambda column: _is_text(column) and column.prose == FREE_TEXT,
            "drop",
            lambda column: f"{FREE_TEXT}; may describe a person",
            lambda column: (
                (Fix({"items": [column.name], "separator": " "}, "if blanks separate items"),)
                if column.may_be_words
                else ()
            ),
            points=NEVER,
        ),
        "dates or contacts": Rule(
            lambda column: _is_text(column) and column.prose != "",
            "drop",
            lambda column: f"{column.prose}; may describe a person",
        ),
        "unusable": Rule(
            lambda column: not column.usable,
            "drop",
            lambda column: column.doubt,
            lambda column: column.fixes,
        ),
        "constant": Rule(_is_constant, "drop", _one_value),
        "direct": Rule(
            _is_direct,
            "drop",
            lambda column: f"direct identifier (name or contact), {column.distinct:,} different values",
        ),
        "person id": Rule(
            lambda column: column.is_single and column.meaning == "person id", "drop", _identifies, points=6
        ),
        "case id": Rule(lambda column: column.is_single and column.meaning == "case id", "drop", _identifies, points=1),
        "person": Rule(
            lambda column: column.is_single and column.identifies and not is_about(column.name, "families"),
            "drop",
            _identifies,
        ),
        "named like an id": Rule(
            _is_named_like_an_id,
            "drop",
            lambda column: f"named like an identifier, {column.distinct:,} different values in {column.records:,} rows",
        ),
        "different in all rows": Rule(
            _differs_in_all_rows,
            "drop",
            lambda column: f"nearly every row has a different value ({column.uniqueness:.1%})",
        ),
        "possible names": Rule(
            _may_be_names,
            "drop",
            lambda column: f"{column.distinct:,} different values, capitalized words without digits: possibly names",
        ),
        "sensitive": Rule(
            _is_sensitive,
            "sensitive",
            lambda column: f"sensitive, {column.distinct:,} different values: must not be inferred for a person",
        ),
        "known": Rule(_is_known, "relational", lambda _: "an attacker may know the value"),
        "about persons": Rule(_is_about_persons, points=-6),
        "quantity": Rule(
            lambda column: is_about(column.name, "quantities") and column.are_numbers and not column.is_numbered,
            points=NEVER,
        ),
        "moments": Rule(lambda column: column.kind == "dates" or column.times, points=NEVER),
        "amounts": Rule(_are_amounts, points=NEVER),
        "id": Rule(lambda column: column.meaning == "id", points=2),
        "numbered": Rule(lambda column: column.meaning not in PERSON_IDS and column.is_numbered, points=1),
        "about a thing": Rule(
            lambda column: (
                is_about_a_thing(column.name) or (is_about(column.name, "products") and column.header not in PERSON_IDS)
            ),
            points=-3,
        ),
        "keys": Rule(lambda column: column.is_key, points=2),
        "serial": Rule(
            lambda column: not column.is_key and column.are_numbers and (column.are_serial or column.recurs_evenly),
            points=1,
        ),
        "numbers": Rule(
            lambda column: (
                not (column.is_key or column.meaning in PERSON_IDS or column.recurs_evenly)
                and not (is_known(column.name) and _numbers_groups(column))
                and column.are_numbers
                and not column.are_serial
            ),
            points=-3,
        ),
        "words": Rule(_are_words, points=-2),
        "few": Rule(_are_few, points=-4),
        "agree": Rule(lambda column: column.agreement == AGREE, points=4),
        "differ": Rule(lambda column: column.agreement == DIFFER, points=-4),
    }
)
"""Rules by name, in order."""
TEXTS = ("mentions persons", "remarks", "free text", "dates or contacts")
"""Rules for texts, which are neither values nor sets."""


def describes_persons(column: Profile) -> bool:
    """Return True if a column contains names or contact data, or text that may describe persons."""
    return any(RULES[name].applies(column) for name in (*TEXTS, "direct"))


def are_personal(
    name: str, labels: Sequence[str], counts: Int64, *, is_set: bool = False, may_differ: bool = False
) -> bool:
    """Return True if values of a column, which occur `counts` times, are contact data, names, ids, or remarks and other
    free text, or if each record has a value of its own, unless they `may_differ`.
    """
    all_different = not (is_set or may_differ) and counts.sum() <= len(labels)
    of_persons = bool(all_different or personal_kind(labels))
    return of_persons or describes_persons(profile_of_counts(name, labels, counts, is_set=is_set))


def points_of(column: Profile, rules: Mapping[str, Rule] = RULES) -> int:
    """Return the evidence that each value of a column is a person: the sum of the points of the rules that apply, or
    `NEVER`.
    """
    points = [rule.points for rule in rules.values() if rule.points and rule.applies(column)] if column.labels else []
    return NEVER if not column.labels or NEVER in points else sum(points)


def propose(
    profiles: Sequence[Profile],
    content_of: Callable[[str], Hashable],
    identifying: Collection[str] = (),
    mentioning: Mapping[str, str] = MappingProxyType({}),
    rules: Mapping[str, Rule] = RULES,
) -> dict[str, ProposedRole]:
    """Propose a role for each column, based on its name and its values.

    Parameters
    ----------
    content_of
        Function that returns a key for the content of a column. Two columns have equal keys if their values correspond
        one to one.
    identifying
        Columns of the candidates for the unit.
    mentioning
        Columns that mention persons, each with the column that contains the names of the persons.

    >>> sex = Profile("text", name="sex", records=100, distinct=2)
    >>> propose([sex], lambda name: name)["sex"].role
    'relational'
    """
    of_persons = {"name", *PERSON_IDS, *ATTRIBUTES}
    named = [profile.name for profile in profiles if profile.header in of_persons]
    columns = {
        profile.name: replace(
            profile,
            identifies=profile.name in identifying,
            mentions=mentioning.get(profile.name, ""),
            has_persons=any(name != profile.name for name in named),
        )
        for profile in profiles
    }
    texts = {name: rule for name, rule in rules.items() if name in TEXTS}
    found = {name: _first(column, texts) for name, column in columns.items()}
    proposed = {name: role for name, role in found.items() if role.role != UNRECOGNIZED}
    propose_sets([profile for profile in profiles if profile.name not in proposed], proposed)
    for name, column in columns.items():
        if name not in proposed:
            proposed[name] = _first(column, rules)
    earlier: dict[Hashable, Profile] = {}
    for profile in profiles:
        if proposed[profile.name].role == "relational" and profile.distinct > 2:
            twin = earlier.setdefault(content_of(profile.name), profile)
            if twin is not profile:
                proposed[profile.name] = ProposedRole(
                    "drop", f"each value occurs with one value of {twin.name!r}, and vice versa"
                )
    return proposed


def _first(column: Profile, rules: Mapping[str, Rule]) -> ProposedRole:
    """Return the role by the first rule that applies."""
    rule = next((rule for rule in rules.values() if rule.role and rule.applies(column)), None)
    if rule is None:
        return ProposedRole(UNRECOGNIZED, _NOT_RECOGNIZED, hierarchy_for(column))
    hierarchy = None if rule.role == "drop" else hierarchy_for(column)
    return ProposedRole(rule.role, rule.reason(column), hierarchy, rule.fixes(column))
