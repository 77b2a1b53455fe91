"""Roles that `inspect` proposes, and the settings that state them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import takewhile
from typing import Any

from anonset.columns.kinds import ValueFormat
from anonset.columns.profiles import Profile
from anonset.data.hierarchies.hierarchy_rules import FROM, PROPOSED
from anonset.data.redacted_repr import RedactedRepr
from anonset.errors import Fix

ROLES = ("items", "one_hot", "one_code", "relational", "sensitive", "unit", "id", "keep", "drop")
"""Column roles, as settings."""
OF_PERSONS = ("unit", "id")
"""Roles of columns that identify the person: the unit of privacy, and the ids of buckets, which are published."""
GIVEN = "given"
"""Reason for the role of a column to which the user gave the role."""
DECLARED = "declared sensitive"
"""Reason for the role of a column that the owner declares as sensitive. The column may still be dropped if the rows of
a person differ.
"""
UNRECOGNIZED = "unrecognized"
"""Role of a column that is not recognized. It is dropped unless the owner gives it a role."""
MARKS = ("0/1", "crosses")
"""Kinds of columns that mark whether a property is present."""
SETS = ("items", "one_hot", "one_code")
"""Roles of columns that contain sets, or together form a set."""
NUMBERS = ("integers", "numbers", "0/1")
"""Kinds of columns that contain numbers."""
CODE_LEVELS = {"ICD-9 codes": "prefix:1,3", "ICD-10 codes": "prefix:1,3", "ATC codes": "prefix:1,3,5"}
"""Hierarchies of codes of diagnoses and drugs, by kind."""
_MONTHS = ("%Y-%m", "%Y/%m", "%Y.%m")
_FEW = 10


@dataclass(frozen=True)
class ProposedRole(RedactedRepr):
    """Proposed role of a column."""

    role: str
    """One of `ROLES`, or `UNRECOGNIZED`."""
    reason: str
    hierarchy: str | None = None
    """Proposed hierarchy, as a setting. A sensitive or unrecognized column has the hierarchy that it would have as a
    quasi-identifier.
    """
    fixes: tuple[Fix, ...] = field(default=(), repr=False)
    """Settings that give the column another role."""
    differs: bool = False
    """True if the column is dropped because its values differ between rows of a person."""

    @property
    def is_given(self) -> bool:
        """True if the user gave the role."""
        return self.reason == GIVEN

    @property
    def is_declared_sensitive(self) -> bool:
        """True if the owner declares the column as sensitive."""
        return self.role == "sensitive" and self.reason in (GIVEN, DECLARED)


def hierarchy_for(profile: Profile) -> str:
    """Return the hierarchy of a quasi-identifier, as a setting."""
    many = profile.distinct > min(_FEW, profile.records // 3) or profile.look.form != ""
    if profile.kind in NUMBERS and many and not (profile.missing or profile.nulls or profile.look.odd):
        return "range"
    if profile.kind in NUMBERS and many and profile.look.width and not profile.look.form:
        return f"bins:width={profile.look.width},{4 * Fraction(profile.look.width)}"
    if profile.kind == "dates":
        return _of_dates(profile.look)
    return "mask:3,1" if profile.kind in ("postal codes", "zip codes") else CODE_LEVELS.get(profile.kind, "values")


def _of_dates(look: ValueFormat) -> str:
    """Return the levels to which dates generalize. The level of months is omitted if the values are months, or if day
    and month cannot be distinguished. Full dates are never published unchanged.
    """
    levels = "year,decade" if look.doubt or look.form in _MONTHS else "month,year,decade"
    levels = f"{FROM}{levels}" if "d" in (look.form or "%d") else levels
    return f"date:{look.form}:{levels}" if look.form else f"date:{levels}"


def tree_of(kind: str) -> str:
    """Return the hierarchy of items of a kind."""
    return CODE_LEVELS.get(kind, PROPOSED)


def settings_of(proposals: Mapping[str, ProposedRole]) -> dict[str, Any]:
    """Return the columns by role, as settings. Quasi-identifiers that generalize to ranges are also numeric."""
    roles = {role: [name for name, proposed in proposals.items() if proposed.role == role] for role in ROLES}
    numeric = [
        name for name, proposed in proposals.items() if proposed.role == "relational" and proposed.hierarchy == "range"
    ]
    roles["one_hot"] = _with_patterns(roles["one_hot"], list(proposals))
    settings: dict[str, Any] = {role: names for role, names in {**roles, "numeric": numeric}.items() if names}
    return {**settings, **({"sensitive": roles["sensitive"][0]} if roles["sensitive"] else {})}


_CHOICE_OF = "(choice="


def _with_patterns(names: Sequence[str], every: Sequence[str]) -> list[str]:
    """Return the names of 0/1 columns, with a pattern in place of all columns of a question.

    >>> _with_patterns(["Drug (choice=a)", "Pet (choice=cat)", "Drug (choice=b)"], ["age", "Drug (choice=a)"])
    ['Drug (choice=*', 'Pet (choice=*']
    """
    questions = {name: f"{name.partition(_CHOICE_OF)[0]}{_CHOICE_OF}" for name in names if _CHOICE_OF in name}
    if len(questions) == len(names):
        items = [name.removeprefix(questions[name]) for name in names]
        starts = tuple(dict.fromkeys(questions.values()))
        others = any(name.startswith(starts) for name in every if name not in questions)
        if not others and len(set(items)) == len(items) and not any("," in start for start in starts):
            return [f"{start}*" for start in starts]
    start = prefix_of(names, every)
    if start and not any(name.removeprefix(start).isdecimal() for name in names):  # "1" would name no item
        return [f"{start}*"]
    return list(names)


def prefix_of(names: Sequence[str], every: Sequence[str]) -> str:
    """Return the prefix, up to a separator, that these names share and no other name has. Return an empty text if there
    is no such prefix.

    >>> prefix_of(["dx_a", "dx_b"], ["age", "dx_a", "dx_b"]), prefix_of(["dx_a"], ["dx_b", "dx_a"])
    ('dx_', '')
    """
    pairs = zip(min(names, default=""), max(names, default=""), strict=False)
    shared = "".join(a for a, _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    start = shared[: next((end for end in range(len(shared), 0, -1) if not shared[end - 1].isalnum()), 0)]
    return start if start and sum(name.startswith(start) for name in every) == len(names) else ""
