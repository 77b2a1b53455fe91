"""What a single column shows: one table of rules with the role that each proposes, and its points for a person.

The first rule with a role that applies decides the role. A column that no rule recognizes is dropped, with the settings
that would publish it. The points of all rules that apply are the evidence that each value is a person (`persons`).
``make columns`` measures what each rule contributes.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np

from anonset.columns.agreement import AGREE, DIFFER, UNKNOWN
from anonset.columns.header_topics import is_quantity, is_remark, is_sensitive, names_a_product
from anonset.columns.headers import (
    ATTRIBUTES,
    PERSON_IDS,
    is_about_a_thing,
    is_direct,
    is_identifier,
    is_known,
    is_numbered,
    meaning_of,
    numbers_a_thing,
)
from anonset.columns.profiles import FREE_TEXT, Profile
from anonset.columns.roles import CODE_LEVELS, MARKS, UNRECOGNIZED, ProposedRole, hierarchy_for
from anonset.columns.set_rules import is_grade, propose_sets
from anonset.data.array_types import Int64
from anonset.data.redacted_repr import RedactedRepr
from anonset.errors import Fix

CONTACTS = ("e-mail", "IBAN", "phone", "account", "network")
"""Meanings of headers and values by which a person can be reached or recognized."""
NEVER = -20
"""Points of a column that is never offered as the person."""
_FEWEST_ROWS, _ALL_DIFFERENT, _MANY_DIFFERENT = 20, 0.98, 0.1
"""Fewest rows in which values identify rows, and shares of distinct values from which values, or ids by their header,
do.
"""
_MANY_NAMES, _ROWS_OF_A_NAME = 50, 100
"""Minimum number of capitalized words in a column of names, and largest average number of rows per name."""
_FEW, _ROWS_OF_FEW, _MOST_ROWS_EACH = 10, 10, 150
"""A column of fewer distinct values, with more rows per value on average, rarely identifies persons, and neither does
any column with more rows per value than the last number, or with a value in less than half of the rows.
"""
_NEARLY_ALL, _DIGITS_OF_A_KEY, _LONGEST_AMOUNT = 0.9, 4, 12
_YEAR = re.compile(r"(19|20)\d\d").fullmatch
_NOT_RECOGNIZED = "not recognized as an attribute that others know"


@dataclass(frozen=True)
class ColumnEvidence(RedactedRepr):
    """A column, and what the other columns show about it."""

    profile: Profile
    labels: tuple[str, ...] = field(default=(), repr=False)
    """Some distinct values. Empty if only the role of the column is asked."""
    codes: Int64 = field(default_factory=lambda: np.empty(0, np.int64), repr=False)
    """Value of each of the first rows, int64 (n,), folded. -1 if it is missing. Empty if only the role is asked."""
    agreement: int = UNKNOWN
    """Whether birth or sex agree within the values: `AGREE`, `UNKNOWN` or `DIFFER`."""
    identifies: bool = False
    """Whether the column may identify the person of each row."""
    mentions: str = ""
    """Column with the names or ids that this column mentions. Empty if it mentions none."""
    has_persons: bool = False
    """Whether another column names persons or their attributes."""

    @property
    def name(self) -> str:
        """Name of the column."""
        return self.profile.name

    @property
    def header(self) -> str:
        """Meaning of the header."""
        return meaning_of(self.name)

    @property
    def meaning(self) -> str:
        """Meaning of the header, or of the values if these are clearer."""
        by_values = self.profile.reaches
        if by_values in ("e-mail", "IBAN") or (by_values == "name" and self.header == "person id"):
            return by_values
        return self.header or by_values

    @property
    def is_single(self) -> bool:
        """Whether the column contains one value per row, which neither marks an item nor is an attribute."""
        return self.profile.kind not in (*MARKS, "sets") and self.header not in ATTRIBUTES

    @property
    def different(self) -> str:
        """Number of distinct values, in words."""
        return f"{self.profile.distinct:,} different values"

    @property
    def is_numbered(self) -> bool:
        """Whether the header names an id or a number of a person or of an unknown thing."""
        return self.header in PERSON_IDS or is_numbered(self.name)

    @property
    def are_numbers(self) -> bool:
        """Whether all values consist of digits."""
        return all(map(str.isdecimal, self.labels))

    @property
    def are_serial(self) -> bool:
        """Whether nearly all numbers have the same number of digits, as ids have, and are no years."""
        if not self.labels or all(map(_YEAR, self.labels)):
            return False
        counts = (Counter(map(len, labels)) for labels in (self.labels, [label.lstrip("0") for label in self.labels]))
        (width, most), (_, others) = (one.most_common(1)[0] for one in counts)
        return width >= _DIGITS_OF_A_KEY and max(most, others) >= _NEARLY_ALL * len(self.labels)

    @property
    def is_key(self) -> bool:
        """Whether the values look like keys, and not like codes of diagnoses, drugs or places."""
        return self.profile.keys and not self.profile.kind.endswith("codes")


@dataclass(frozen=True)
class Rule:
    """A fact of columns, with the role that it proposes."""

    applies: Callable[[ColumnEvidence], bool]
    role: str = ""
    """Role of the columns to which the rule applies. Empty if the rule proposes none."""
    reason: Callable[[ColumnEvidence], str] = lambda column: ""
    fixes: Callable[[ColumnEvidence], tuple[Fix, ...]] = lambda column: ()
    points: int = 0
    """Evidence that each value is a person. Negative if it is evidence against it."""


def _is_text(column: ColumnEvidence) -> bool:
    return column.profile.distinct > 1 and not column.profile.reaches and column.profile.kind in ("text", "sets")


def _is_constant(column: ColumnEvidence) -> bool:
    one = column.profile
    is_mark = one.kind == "crosses" and one.missing + one.nulls > 0 and not is_known(one.name)
    return one.distinct <= 1 and not is_mark


def _is_direct(column: ColumnEvidence) -> bool:
    date_of_birth = column.header == "born" and column.profile.kind == "dates"
    plain = column.profile.kind not in (*MARKS, "sets")
    return plain and bool(column.profile.reaches or (is_direct(column.header) and not date_of_birth))


def _is_named_like_an_id(column: ColumnEvidence) -> bool:
    one, named = column.profile, column.header == "id" or is_identifier(column.name)
    many = one.uniqueness > _MANY_DIFFERENT and one.kind != "numbers"
    return column.is_single and named and many and column.header != "thing" and not is_sensitive(one.name)


def _differs_in_all_rows(column: ColumnEvidence) -> bool:
    one = column.profile
    key = one.kind not in ("numbers", "dates", "postal codes") and not is_sensitive(one.name)
    return column.is_single and key and _differs(one)


def _may_be_names(column: ColumnEvidence) -> bool:
    one = column.profile
    many = one.distinct > max(_MANY_NAMES, one.records // _ROWS_OF_A_NAME)
    return one.capitalised and many and not column.header and column.has_persons and not is_sensitive(one.name)


def _is_sensitive(column: ColumnEvidence) -> bool:
    one = column.profile
    named = (is_sensitive(one.name) and one.kind != "dates") or is_grade(one)
    return named or (one.results and column.header not in ATTRIBUTES) or one.kind in CODE_LEVELS


def _is_known(column: ColumnEvidence) -> bool:
    one = column.profile
    key = one.keys and one.kind == "text" and is_numbered(one.name) and column.header != "residence"
    row = column.header == "residence" and one.kind == "integers" and one.keys and _differs(one)
    known = is_known(one.name, dates=one.kind == "dates")
    return known and not (key or row or numbers_a_thing(one.name))


def _differs(profile: Profile) -> bool:
    return profile.records >= _FEWEST_ROWS and profile.uniqueness > _ALL_DIFFERENT


def _is_about_persons(column: ColumnEvidence) -> bool:
    """Return True if the header names an attribute that describes persons, and the values are no keys."""
    described = is_known(column.name) or is_sensitive(column.name)
    return column.meaning in (*ATTRIBUTES, "born") or (described and not column.profile.keys)


def _are_words(column: ColumnEvidence) -> bool:
    if column.is_key or column.are_numbers or column.meaning in (*CONTACTS, "name", "address"):
        return False
    worded = sum(not any(map(str.isdigit, label)) for label in column.labels)
    return 2 * worded > len(column.labels) or column.profile.kind.endswith("codes")


def _are_few(column: ColumnEvidence) -> bool:
    given, persons = column.profile.given, column.profile.distinct
    return 2 * given < column.profile.records or persons < max(
        3, min(_FEW, given / _ROWS_OF_FEW), given / _MOST_ROWS_EACH
    )


def _are_amounts(column: ColumnEvidence) -> bool:
    decimals = sum(len(label) <= _LONGEST_AMOUNT and ("." in label or "," in label) for label in column.labels)
    return column.profile.kind == "numbers" and 2 * decimals > len(column.labels)


def _identifies(column: ColumnEvidence) -> str:
    return f"identifies people or cases, {column.different} in {column.profile.records:,} rows"


RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "mentions persons": Rule(
            lambda column: _is_text(column) and column.mentions != "",
            "drop",
            lambda column: f"mentions values of {column.mentions!r}; may describe a person",
        ),
        "remarks": Rule(
            lambda column: _is_text(column) and column.profile.kind == "text" and is_remark(column.name),
            "drop",
            lambda column: "remarks; may describe a person",
            points=NEVER,
        ),
        "free text": Rule(
            lambda column: _is_text(column) and column.profile.prose == FREE_TEXT,
            "drop",
            lambda column: f"{FREE_TEXT}; may describe a person",
            points=NEVER,
        ),
        "dates or contacts": Rule(
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
        "person id": Rule(
            lambda column: column.is_single and column.meaning == "person id", "drop", _identifies, points=6
        ),
        "case id": Rule(lambda column: column.is_single and column.meaning == "case id", "drop", _identifies, points=1),
        "person": Rule(lambda column: column.is_single and column.identifies, "drop", _identifies),
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
        "sensitive": Rule(
            _is_sensitive,
            "sensitive",
            lambda column: f"sensitive, {column.different}: must not be inferred for a person",
        ),
        "known": Rule(_is_known, "relational", lambda _: "an attacker may know the value"),
        "about persons": Rule(_is_about_persons, points=-6),
        "quantity": Rule(
            lambda column: is_quantity(column.name) and column.are_numbers and not column.is_numbered, points=NEVER
        ),
        "moments": Rule(lambda column: column.profile.kind == "dates" or column.profile.times, points=NEVER),
        "amounts": Rule(_are_amounts, points=NEVER),
        "id": Rule(lambda column: column.meaning == "id", points=2),
        "numbered": Rule(lambda column: column.meaning not in PERSON_IDS and column.is_numbered, points=1),
        "about a thing": Rule(lambda column: is_about_a_thing(column.name) or names_a_product(column.name), points=-3),
        "keys": Rule(lambda column: column.is_key, points=2),
        "serial": Rule(lambda column: not column.is_key and column.are_numbers and column.are_serial, points=1),
        "numbers": Rule(
            lambda column: (
                not (column.is_key or column.meaning in PERSON_IDS) and column.are_numbers and not column.are_serial
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


def points_of(column: ColumnEvidence, rules: Mapping[str, Rule] = RULES) -> int:
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

    >>> sex = Profile("sex", "text", 100, 2, 0, 0, 1.0, 50)
    >>> propose([sex], lambda name: name)["sex"].role
    'relational'
    """
    of_persons = {"name", *PERSON_IDS, *ATTRIBUTES}
    named = [profile.name for profile in profiles if meaning_of(profile.name) in of_persons]
    columns = {
        profile.name: ColumnEvidence(
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
                proposed[profile.name] = ProposedRole("drop", f"same content as {twin.name!r} in every row")
    return proposed


def _first(column: ColumnEvidence, rules: Mapping[str, Rule]) -> ProposedRole:
    """Return the role by the first rule that applies."""
    rule = next((rule for rule in rules.values() if rule.role and rule.applies(column)), None)
    if rule is None:
        return ProposedRole(UNRECOGNIZED, _NOT_RECOGNIZED, hierarchy_for(column.profile))
    hierarchy = None if rule.role == "drop" else hierarchy_for(column.profile)
    return ProposedRole(rule.role, rule.reason(column), hierarchy, rule.fixes(column))
