"""Rules for the role of a single column, in order. The first rule that applies decides.

A column that no rule recognizes is dropped, with the settings that would publish it. ``make columns`` measures what
each rule contributes.
"""

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from anonset.columns.header_topics import is_remark, is_sensitive
from anonset.columns.headers import (
    ATTRIBUTES,
    PERSON_IDS,
    is_direct,
    is_identifier,
    is_known,
    is_numbered,
    is_sampling_weight,
    meaning_of,
    numbers_a_thing,
)
from anonset.columns.profiles import Profile
from anonset.columns.roles import CODE_LEVELS, MARKS, NUMBERS, UNRECOGNIZED, ProposedRole, hierarchy_for
from anonset.columns.set_rules import is_grade, propose_sets
from anonset.errors import Fix

_FEWEST_ROWS, _ALL_DIFFERENT, _MANY_DIFFERENT = 20, 0.98, 0.1
"""Fewest rows in which values identify rows, and shares of distinct values from which values, or ids and sampling
weights by their header, do.
"""
_MANY_NAMES, _ROWS_OF_A_NAME = 50, 100
"""Minimum number of capitalized words in a column of names, and largest average number of rows per name."""


_NOT_RECOGNIZED = "not recognized as an attribute that others know"


@dataclass(frozen=True)
class ColumnEvidence:
    """A column and what the other columns show about it."""

    profile: Profile
    identifies: bool = False
    """Whether the column may identify the person of each row."""
    mentions: str = ""
    """Column with the names or ids that this column mentions. Empty if it mentions none."""
    has_persons: bool = False
    """Whether another column names persons or their attributes."""

    @property
    def meaning(self) -> str:
        """Meaning of the header."""
        return meaning_of(self.profile.name)

    @property
    def is_single(self) -> bool:
        """Whether the column contains one value per row, which neither marks an item nor is an attribute."""
        return self.profile.kind not in (*MARKS, "sets") and self.meaning not in ATTRIBUTES

    @property
    def different(self) -> str:
        """Number of distinct values, in words."""
        return f"{self.profile.distinct:,} different values"


@dataclass(frozen=True)
class Rule:
    """Role of the columns to which a condition applies."""

    applies: Callable[[ColumnEvidence], bool]
    role: str
    reason: Callable[[ColumnEvidence], str]
    fixes: Callable[[ColumnEvidence], tuple[Fix, ...]] = lambda column: ()


def _is_text(column: ColumnEvidence) -> bool:
    return column.profile.distinct > 1 and not column.profile.reaches and column.profile.kind in ("text", "sets")


def _is_constant(column: ColumnEvidence) -> bool:
    one = column.profile
    is_mark = one.kind == "crosses" and one.missing + one.nulls > 0 and not is_known(one.name)
    return one.distinct <= 1 and not is_mark


def _is_direct(column: ColumnEvidence) -> bool:
    date_of_birth = column.meaning == "born" and column.profile.kind == "dates"
    plain = column.profile.kind not in (*MARKS, "sets")
    return plain and bool(column.profile.reaches or (is_direct(column.meaning) and not date_of_birth))


def _is_named_like_an_id(column: ColumnEvidence) -> bool:
    one, named = column.profile, column.meaning == "id" or is_identifier(column.profile.name)
    many = one.uniqueness > _MANY_DIFFERENT and one.kind != "numbers"
    return column.is_single and named and many and column.meaning != "thing" and not is_sensitive(one.name)


def _differs_in_all_rows(column: ColumnEvidence) -> bool:
    one = column.profile
    key = one.kind not in ("numbers", "dates", "postal codes") and not is_sensitive(one.name)
    return column.is_single and key and _differs(one)


def _may_be_names(column: ColumnEvidence) -> bool:
    one = column.profile
    many = one.distinct > max(_MANY_NAMES, one.records // _ROWS_OF_A_NAME)
    return one.capitalised and many and not column.meaning and column.has_persons and not is_sensitive(one.name)


def _is_sensitive(column: ColumnEvidence) -> bool:
    one = column.profile
    named = (is_sensitive(one.name) and one.kind != "dates") or is_grade(one)
    return named or (one.results and column.meaning not in ATTRIBUTES) or one.kind in CODE_LEVELS


def _is_known(column: ColumnEvidence) -> bool:
    one = column.profile
    key = one.keys and one.kind == "text" and is_numbered(one.name) and column.meaning != "residence"
    row = column.meaning == "residence" and one.kind == "integers" and one.keys and _differs(one)
    known = is_known(one.name, dates=one.kind == "dates")
    return known and not (key or row or numbers_a_thing(one.name))


def _differs(profile: Profile) -> bool:
    return profile.records >= _FEWEST_ROWS and profile.uniqueness > _ALL_DIFFERENT


RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "mentions persons": Rule(
            lambda column: _is_text(column) and column.mentions != "",
            "drop",
            lambda column: f"mentions values of {column.mentions!r}; may describe a person",
        ),
        "remarks": Rule(
            lambda column: _is_text(column) and column.profile.kind == "text" and is_remark(column.profile.name),
            "drop",
            lambda column: "remarks; may describe a person",
        ),
        "free text": Rule(
            lambda column: _is_text(column) and column.profile.prose != "",
            "drop",
            lambda column: f"{column.profile.prose}; may describe a person",
        ),
        "unusable": Rule(
            lambda column: not column.profile.look.usable,
            "drop",
            lambda column: column.profile.look.doubt,
            lambda column: column.profile.look.fixes,
        ),
        "constant": Rule(_is_constant, "drop", lambda column: "same value in all rows: no information"),
        "direct": Rule(_is_direct, "drop", lambda column: f"direct identifier (name or contact), {column.different}"),
        "person": Rule(
            lambda column: column.is_single and (column.identifies or column.meaning in ("person id", "case id")),
            "drop",
            lambda column: f"identifies people or cases, {column.different} in {column.profile.records:,} rows",
        ),
        "named like an id": Rule(
            _is_named_like_an_id,
            "drop",
            lambda column: f"named like an identifier, {column.different} in {column.profile.records:,} rows",
        ),
        "different in all rows": Rule(
            _differs_in_all_rows,
            "drop",
            lambda column: f"nearly every row has a different value ({column.profile.uniqueness:.1%})",
        ),
        "possible names": Rule(
            _may_be_names,
            "drop",
            lambda column: f"{column.different}, capitalized words without digits: possibly names",
        ),
        "sampling weight": Rule(
            lambda column: (
                column.profile.kind in NUMBERS
                and is_sampling_weight(column.profile.name)
                and column.profile.uniqueness > _MANY_DIFFERENT
            ),
            "drop",
            lambda column: "sampling weight: not an attribute of the person, and identifies rows",
        ),
        "sensitive": Rule(
            _is_sensitive,
            "sensitive",
            lambda column: f"sensitive, {column.different}: must not be inferred for a person",
        ),
        "known": Rule(
            _is_known,
            "relational",
            lambda _: "an attacker may know the value",
        ),
    }
)
"""Rules by name, in order."""
TEXTS = ("mentions persons", "remarks", "free text")
"""Rules for texts, which are neither values nor sets."""


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

    >>> sex = Profile("sex", "text", 100, 2, 0, 0, 1.0, 50)
    >>> propose([sex], lambda name: name)["sex"].role
    'relational'
    """
    of_persons = {"name", *PERSON_IDS, *ATTRIBUTES}
    named = [profile.name for profile in profiles if meaning_of(profile.name) in of_persons]
    columns = {
        profile.name: ColumnEvidence(
            profile,
            profile.name in identifying,
            mentioning.get(profile.name, ""),
            any(name != profile.name for name in named),
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
                proposed[profile.name] = ProposedRole("drop", f"same content as {twin.name!r} in every row")
    return proposed


def _first(column: ColumnEvidence, rules: Mapping[str, Rule]) -> ProposedRole:
    """Return the role by the first rule that applies."""
    rule = next((rule for rule in rules.values() if rule.applies(column)), None)
    if rule is None:
        return ProposedRole(UNRECOGNIZED, _NOT_RECOGNIZED, hierarchy_for(column.profile))
    hierarchy = None if rule.role == "drop" else hierarchy_for(column.profile)
    return ProposedRole(rule.role, rule.reason(column), hierarchy, rule.fixes(column))
