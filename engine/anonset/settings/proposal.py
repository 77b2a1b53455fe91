"""Roles that are proposed for columns that nobody has given one, each with its reason; the owner decides."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from anonset.data.discreet import Discreet
from anonset.io.profiles import Profile

ROLES = ("items", "one_hot", "one_code", "relational", "sensitive", "id", "keep", "drop")
"""The roles of columns, as settings."""
_FEW = 10
_NUMBERS = ("integers", "numbers", "0/1")

_IDENTIFIER = re.compile(
    r"(^|[_\W])(id|ids|uid|uuid|guid|ssn|nhs|mrn|passport|iban|pid)($|[_\W])|(patient|person|customer|subject|member|"
    r"client|user|card|account|case)[_\W]?(id|no|nr|num|number|index|key)$|Id$|ID$|"
    r"^(patient|person|customer|subject|member|client|user)$",
)
_NAMES_A_PERSON = re.compile(
    r"(first|last|full|sur|given|family|maiden|middle)[_\W]?name|^name$|e-?mail|phone|mobile|fax|address|street|"
    r"(^|[_\W])ip($|[_\W])|url|username|login|licen[cs]e|plate",
    re.IGNORECASE,
)
_SENSITIVE = re.compile(
    r"income|salary|wage|disease|diagnos|condition|illness|hiv|death|died|outcome|readmi|religion|credit|debt|"
    r"(^|[_\W])(class|label|target)($|[_\W])",
    re.IGNORECASE,
)
_COUNT = re.compile(r"(num|number|count|n)[_\W]", re.IGNORECASE)
_OF_SAMPLING = re.compile(r"wgt|weight$|sampling", re.IGNORECASE)
_NUMBERED = re.compile(r"(.*?)[_\W]?(\d+)$")
_CODED = re.compile(r"dx|diag|icd|code|proc|drug|item|product|med", re.IGNORECASE)


@dataclass(frozen=True)
class Proposed(Discreet):
    """The role that is proposed for a column."""

    role: str
    """One of `ROLES`."""
    reason: str
    """Why."""
    hierarchy: str | None = None
    """What it may be generalized by, as a setting."""


def propose(profiles: Sequence[Profile], same: Callable[[str, str], bool]) -> dict[str, Proposed]:
    """Propose a role for each column, by its name and by what it looks like.

    Parameters
    ----------
    same
        Tells whether two columns say the same in all rows, though they may say it in other words.

    >>> sex = Profile("sex", "text", 100, 2, 0, 0, 1.0, 50)
    >>> propose([sex], lambda a, b: False)["sex"].role
    'relational'
    """
    found: dict[str, Proposed] = {}
    _propose_sets(profiles, found)
    for one in profiles:
        if one.name not in found:
            found[one.name] = _alone(one)
    for at, one in enumerate(profiles):
        earlier = [other for other in profiles[:at] if found[other.name].role == "relational"]
        if found[one.name].role == "relational" and one.distinct > 2:
            alike = (o for o in earlier if (o.distinct, o.largest) == (one.distinct, one.largest))
            if (twin := next((o for o in alike if same(o.name, one.name)), None)) is not None:
                found[one.name] = Proposed("drop", f"says the same as {twin.name!r} in every row")
    return _one_person_a_row(profiles, found)


def _propose_sets(profiles: Sequence[Profile], found: dict[str, Proposed]) -> None:
    """Propose where the sets are: cells with several items, else columns of 0 and 1, else columns of one code each."""
    for one in profiles:
        if one.kind == "sets":
            what = f" of {one.items_kind}" if one.items_kind not in ("", "text") else ""
            found[one.name] = Proposed(
                "items", f"cells hold sets{what}, {one.distinct:,} different items", "balanced:5"
            )
    if found:
        return
    hot = [one.name for one in profiles if one.kind == "0/1"]
    if len(hot) >= 5:
        found |= dict.fromkeys(hot, Proposed("one_hot", f"one of {len(hot)} columns of 0 and 1: an item each"))
        return
    stems: dict[str, list[str]] = {}
    for one in profiles:
        if (numbered := _NUMBERED.fullmatch(one.name)) and _CODED.search(numbered[1]) and one.kind not in _NUMBERS[1:2]:
            stems.setdefault(numbered[1], []).append(one.name)
    for names in stems.values():
        if len(names) > 1 and not found:
            found |= dict.fromkeys(
                names, Proposed("one_code", f"one of {len(names)} numbered columns of one code each")
            )


def _alone(one: Profile) -> Proposed:
    """Propose a role for a column by itself."""
    described = f"{one.distinct:,} different values"
    if one.distinct <= 1:
        return Proposed("drop", "holds one value in all rows: it says nothing")
    if one.kind == "e-mail addresses" or (_NAMES_A_PERSON.search(one.name) and one.uniqueness > 0.1):
        return Proposed("drop", f"names or reaches a person, {described}")
    if _IDENTIFIER.search(one.name) and one.uniqueness > 0.1 and one.kind != "numbers":
        return Proposed("id", f"called like an identifier, {described} in {one.records:,} rows")
    if one.records >= 20 and one.uniqueness > 0.98 and one.kind != "numbers":
        return Proposed("id", f"nearly every row has a value of its own ({one.uniqueness:.1%})")
    if one.kind in _NUMBERS and _OF_SAMPLING.search(one.name) and one.uniqueness > 0.1:
        return Proposed("drop", "a weight of sampling: no attribute of the person, and it tells rows apart")
    if _SENSITIVE.search(one.name) and one.distinct <= 2 * _FEW and not _COUNT.match(one.name):
        reason = f"sensitive, {described}: what others may learn; published as it is, and counted by anonset risk"
        return Proposed("keep", reason)
    kind = "" if one.kind == "text" else f"{one.kind}, "
    return Proposed("relational", f"{kind}{described}: may be known of a person", _hierarchy(one))


def _hierarchy(one: Profile) -> str:
    """Return how a quasi-identifier may be generalized."""
    if one.kind in _NUMBERS and not one.missing and not one.nulls and one.distinct > min(_FEW, one.records // 3):
        return "range"
    if one.kind == "zip codes" and not one.missing:
        return "mask:3,1"
    return "values"


def _one_person_a_row(profiles: Sequence[Profile], found: dict[str, Proposed]) -> dict[str, Proposed]:
    """Leave one identifier: the first; where none tells rows apart, none is needed."""
    ids = [one for one in profiles if found[one.name].role == "id"]
    for one in ids[1:]:
        reason = f"tells rows apart like {ids[0].name!r}, which is the identifier"
        found[one.name] = Proposed("drop", reason)
    if ids and len(ids) == len(profiles):  # nothing else is there
        found[ids[0].name] = Proposed("relational", found[ids[0].name].reason, "values")
    return found


def of_sets(found: Mapping[str, Proposed], name: str) -> dict[str, Proposed]:
    """Return the roles where an identifier repeats and a column holds one code a row: rows become sets by person."""
    return {**found, name: replace(found[name], role="items", hierarchy="balanced:5")}


def settings_of(found: Mapping[str, Proposed]) -> dict[str, list[str]]:
    """Return the columns by role, as settings; quasi-identifiers that generalize to ranges are numeric too."""
    roles = {role: [name for name, one in found.items() if one.role == role] for role in ROLES}
    numeric = [name for name, one in found.items() if one.role == "relational" and one.hierarchy == "range"]
    return {role: names for role, names in {**roles, "numeric": numeric}.items() if names}
