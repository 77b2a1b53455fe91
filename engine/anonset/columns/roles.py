"""Roles that `inspect` proposes, and the settings that state them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import takewhile

import numpy as np

from anonset.columns.kinds import MOST_LOOKED_AT, ValueFormat, look_at
from anonset.columns.profiles import Profile
from anonset.data.domains import lists_persons
from anonset.data.hierarchies.hierarchy_rules import FROM, NO_VALUE, PROPOSED, RANGE, VALUES, coarser, date_rule
from anonset.data.redacted_repr import RedactedRepr
from anonset.errors import Fix, HierarchyError

ROLES = ("items", "one_hot", "one_code", "relational", "sensitive", "unit", "id", "keep", "drop")
"""Column roles, as settings."""
OF_PERSONS = ("unit", "id")
"""Roles of columns that identify the person: the unit of privacy, and the ids of buckets, which are published."""
GIVEN = "given"
"""Reason for the role of a column to which the user gave the role."""
UNRECOGNIZED = "unrecognized"
"""Role of a column that is not recognized. It is dropped unless the owner gives it a role."""
SETS = ("items", "one_hot", "one_code")
"""Roles of columns that contain sets, or together form a set."""
NUMBERS = ("integers", "numbers", "0/1")
"""Kinds of columns that contain numbers."""
CODE_LEVELS = {"ICD-9 codes": "prefix:1,3", "ICD-10 codes": "prefix:1,3", "ATC codes": "prefix:1,3,5"}
"""Hierarchies of codes of diagnoses and drugs, by kind."""
PLACES = ("postal codes", "zip codes")
"""Kinds of columns that contain codes of places."""
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
    differs: float = 0.0
    """Share of persons whose rows differ among those with several rows, if the column is dropped for this reason."""

    @property
    def is_given(self) -> bool:
        """True if the user gave the role."""
        return self.reason == GIVEN

    @property
    def is_declared_sensitive(self) -> bool:
        """True if the owner declares the column as sensitive."""
        return self.role == "sensitive" and self.reason == GIVEN


def hierarchy_for(profile: Profile) -> str:
    """Return the hierarchy of a quasi-identifier, as a setting."""
    if profile.kind in NUMBERS:
        if profile.distinct <= min(_FEW, profile.records // 3) and not profile.form:
            return VALUES
        if not (profile.missing or profile.nulls or profile.odd):
            return RANGE
    return rule_of(profile) or VALUES


def rule_of(look: ValueFormat) -> str:
    """Return the rule that makes values of a kind coarser, or an empty text if no rule is known.

    Numbers get bins of two widths. Full dates are never published unchanged, and the level of months is omitted if the
    values are months, or if day and month cannot be distinguished.

    >>> rule_of(ValueFormat("numbers", width="0.05")), rule_of(ValueFormat("dates", "%m/%Y"))
    ('bins:width=0.05,0.2', 'date:%m/%Y:year,decade')
    >>> rule_of(ValueFormat("dates", "%d/%m/%Y", doubt="day or month first"))
    'date:%d/%m/%Y:from-year,decade'
    """
    if look.kind in NUMBERS:
        return f"bins:width={look.width},{float(4 * Fraction(look.width)):.12g}" if look.width and not look.form else ""
    if look.kind == "dates":
        levels = "month,year,decade" if look.has_days and not look.doubt else "year,decade"
        return date_rule(look.form, f"{FROM}{levels}" if look.has_days else levels)
    return "mask:3,1" if look.kind in PLACES else CODE_LEVELS.get(look.kind, "")


def tree_of(kind: str) -> str:
    """Return the hierarchy of items of a kind."""
    return "prefix:1,3" if kind in PLACES else CODE_LEVELS.get(kind, PROPOSED)


def settings_of(proposals: Mapping[str, ProposedRole]) -> dict[str, str | list[str]]:
    """Return the columns by role, as settings. Quasi-identifiers that generalize to ranges are also numeric."""
    roles = {role: [name for name, proposed in proposals.items() if proposed.role == role] for role in ROLES}
    numeric = [
        name for name, proposed in proposals.items() if proposed.role == "relational" and proposed.hierarchy == RANGE
    ]
    roles["one_hot"] = _with_patterns(roles["one_hot"], list(proposals))
    named = {role: names for role, names in {**roles, "numeric": numeric}.items() if names}
    return {role: names[0] if role == "sensitive" else names for role, names in named.items()}


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


_DATES = ("month,year,decade", "year,decade", "decade")
_CUTS = ("3,1", "2,1", "1")


def coarse_rule(name: str, labels: Sequence[str], counts: Sequence[int], threshold: int, rule: str = "") -> str:
    """Return the finest generalization rule after which few values are rare, or an empty text if no rule achieves this.

    Parameters
    ----------
    labels, counts
        Values of the column, and the number of persons with each value.
    rule
        Rule that already generalized the values during reading, or an empty text. It contains the date format of the
        file.

    >>> days = [f"19{year}-0{month}-11" for year in range(10, 99) for month in range(1, 10)]
    >>> coarse_rule("born", days, [1] * len(days), 5)
    'date:from-year,decade'
    """
    present = {label: count for label, count in zip(labels, counts, strict=True) if label not in NO_VALUE and count}
    looked_at = list(present)[:MOST_LOOKED_AT]
    look = look_at(name, looked_at)
    persons = sum(present.values())
    for cut in _cuts(look, looked_at, rule):
        within = date_rule(look.form, cut) if look.kind == "dates" else _joined(look.kind, cut)
        try:
            above = coarser(within, list(present), name)
        except HierarchyError:
            return ""
        sums = Counter[str]()
        for label, count in present.items():
            sums[above.get(label, label)] += count
        if len(sums) > 1 and not lists_persons(np.array(list(sums.values()), np.int64), threshold, persons):
            return _as_read(within, cut, rule)
    return ""


def _cuts(look: ValueFormat, labels: Sequence[str], rule: str) -> list[str]:
    """Return the generalization levels to try. The first are the finest."""
    if look.kind == "dates" and look.usable:
        start = 0 if look.has_days and not look.doubt else 1
        return [f"{FROM}{levels}" for levels in _DATES[start:]]
    longest = max(map(len, labels), default=0)
    if look.kind in (*PLACES, *CODE_LEVELS) or rule.startswith("mask:"):
        return [f"{FROM}{cut}" for cut in _CUTS if int(cut[0]) < longest]
    return []


def _joined(kind: str, cut: str) -> str:
    return f"{'prefix' if kind in CODE_LEVELS else 'mask'}:{cut}"


def _as_read(within: str, cut: str, rule: str) -> str:
    """Return the rule for dates as the file contains them, even if reading already generalized them."""
    form = rule.removeprefix("date:").rpartition(":")[0] if rule.startswith("date:") else None
    return within if form is None else date_rule(form, cut)
