"""Propose roles for columns without a declared role, each with a reason. The owner decides."""

import re
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import takewhile
from types import MappingProxyType
from typing import Any

from anonset.data.hierarchy_rules import FROM, PROPOSED
from anonset.errors import Fix
from anonset.reading.kinds import ValueFormat, kind_of_values
from anonset.reading.persons.header_topics import begins_like_items, is_remark, is_sensitive, names_items
from anonset.reading.persons.header_words import ATTRIBUTES, is_known, is_sampling_weight, meaning_of
from anonset.reading.profiles import Profile
from anonset.settings.answer_columns import are_pairs, propose_answers, propose_choices
from anonset.settings.person_columns import DECLARED, MARKS, ROLES, UNRECOGNIZED, ProposedRole, is_grade, of_a_person
from anonset.spelling import setting

_FEW = 10
_NUMBERS = ("integers", "numbers", "0/1")

_NUMBERED = re.compile(r"(.*?)[_\W]?(\d+)$")
_ONE_CODE = re.compile(
    r"^(HD|DX|DP|DR|AD|ED|ICD)$|haupt|main|princ|prncpal|prim|admtg|admit|aufnahme|entlass|einweis|fst_dgns|diag|dgns|"
    r"(^|[_\W])(dx|icd|hd|nd|nebend|das)($|[_\W\d])",
    re.IGNORECASE,
)
"""Names of columns with a single diagnosis, such as the principal diagnosis. Numbered columns contain further
diagnoses.
"""
_PROCEDURES = re.compile(r"oper|proc|prozed|opcs|(^|[_\W])ops?($|[_\W\d])|interv", re.IGNORECASE)
"""Names of columns with a procedure code. Procedure codes may look like diagnosis codes, but have other meanings."""
_VALUES = ("numbers", "dates", "postal codes", "zip codes")
_CODE_LEVELS = {"ICD-9 codes": "prefix:1,3", "ICD-10 codes": "prefix:1,3", "ATC codes": "prefix:1,3,5"}
_CODE_HEADERS = ("ICD-10 codes", "ATC codes")
"""Kinds of codes that may be the headers of columns of 0 and 1."""
_MONTHS = ("%Y-%m", "%Y/%m", "%Y.%m")
_CODED = re.compile(r"dx|diag|icd|code|proc|drug|item|product|med", re.IGNORECASE)


def propose(
    profiles: Sequence[Profile],
    says: Callable[[str], Hashable],
    identifying: Collection[str] = (),
    mentioning: Mapping[str, str] = MappingProxyType({}),
    published: Mapping[str, str] = MappingProxyType({}),
) -> dict[str, ProposedRole]:
    """Propose a role for each column, based on its name and its values.

    Parameters
    ----------
    says
        Function that returns a key for the content of a column. Two columns have equal keys if their values correspond
        one to one.
    identifying
        Columns of the candidates for the unit.
    mentioning
        Columns that mention persons, each with the column that contains the names of the persons.
    published
        Columns to which the owner gives the role ``relational`` or ``sensitive``. Only one column can be sensitive.

    >>> sex = Profile("sex", "text", 100, 2, 0, 0, 1.0, 50)
    >>> propose([sex], lambda name: name)["sex"].role
    'relational'
    """
    proposed: dict[str, ProposedRole] = {}
    for profile in profiles:
        if grounds := _why_text(profile, mentioning.get(profile.name, "")):
            proposed[profile.name] = ProposedRole("drop", f"{grounds}; may describe a person")
    _propose_sets([profile for profile in profiles if profile.name not in proposed], proposed)
    for profile in profiles:
        if profile.name not in proposed:
            role = of_a_person(profile, profiles, identifying) or _propose_single(profile)
            proposed[profile.name] = _published(role, published.get(profile.name, ""), published)
    earlier: dict[Hashable, Profile] = {}
    for profile in profiles:
        if proposed[profile.name].role == "relational" and profile.distinct > 2:
            twin = earlier.setdefault(says(profile.name), profile)
            if twin is not profile:
                proposed[profile.name] = ProposedRole("drop", f"same content as {twin.name!r} in every row")
    return proposed


def _published(proposal: ProposedRole, role: str, published: Mapping[str, str]) -> ProposedRole:
    """Return the proposal for a column in the role that the owner chose. `role` is empty if the owner has not chosen a
    role.
    """
    if role == "sensitive" and proposal.role in ("relational", "sensitive", UNRECOGNIZED):
        return replace(proposal, role=role, reason=DECLARED)
    if proposal.role == "sensitive" and role != "sensitive" and "sensitive" in published.values():
        return ProposedRole("drop", f"{proposal.reason}; models protect one sensitive column, and another is declared")
    return replace(proposal, role=role) if role and proposal.role == UNRECOGNIZED else proposal


def _why_text(profile: Profile, column: str) -> str:
    """Return why a column is text that may mention persons, or an empty text if it is not."""
    if profile.distinct <= 1 or profile.reaches or profile.kind not in ("text", "sets"):
        return ""
    if column:
        return f"mentions values of {column!r}"
    return "remarks" if is_remark(profile.name) and profile.kind == "text" else profile.prose


def _propose_sets(profiles: Sequence[Profile], proposed: dict[str, ProposedRole]) -> None:
    """Propose set-valued columns. If some columns have several items per cell, propose these columns. If there are
    none, propose columns of 0 and 1, or else columns with one code per cell.
    """
    for profile in profiles:
        if profile.kind == "sets" and profile.reaches:
            proposed[profile.name] = ProposedRole("drop", f"items are names of persons, {profile.distinct:,} different")
        elif profile.kind == "sets" and not _of_items(profile, profiles):
            reason = f"may contain sets, {profile.distinct:,} different parts"
            items = Fix({"items": [profile.name]}, "if its values are items")
            proposed[profile.name] = ProposedRole("drop", reason, fixes=(items,))
        elif profile.kind == "sets":
            kind = f" of {profile.items_kind}" if profile.items_kind not in ("", "text") else ""
            reason = f"cells contain sets{kind}, {profile.distinct:,} different items"
            proposed[profile.name] = ProposedRole("items", reason, tree_of(profile.items_kind))
    if any(role.role == "items" for role in proposed.values()):
        return
    marked = [
        profile.name
        for profile in profiles
        if profile.kind in MARKS
        and (profile.distinct > 1 or profile.nulls or profile.missing)
        and not is_known(profile.name)
    ]
    hot = _families(marked)
    if len(hot) > 2:
        proposed |= dict.fromkeys(
            hot, ProposedRole("one_hot", f"one of {len(hot)} columns with 0/1 or crosses: each is an item")
        )
        return
    codes = _one_code(profiles)
    coded = any(profile.kind in _CODE_LEVELS for profile in profiles if profile.name in codes)
    proposed |= (codes if coded else {}) or propose_choices(profiles) or codes or propose_answers(profiles)


def _of_items(profile: Profile, profiles: Sequence[Profile]) -> bool:
    """Return True if the header is a word for items, the parts of cells are codes, or there is no other column."""
    return (
        len(profiles) == 1
        or profile.separator is None  # lists, not text
        or names_items(profile.name)
        or profile.items_kind in _CODE_LEVELS
        or profile.item_codes
    )


def _families(names: Sequence[str]) -> list[str]:
    """Return the headers that are names of items. These are codes such as ``E11``, and names such as ``dx_a`` that
    begin with a word for goods or diagnoses.

    >>> _families(["dx_a", "HIV", "dx_b"]), _families(["E11", "I10", "J45"]), _families(["F1", "F2", "F3"])
    (['dx_a', 'dx_b'], ['E11', 'I10', 'J45'], [])
    """
    coded = [name for name in names if kind_of_values([name]) in _CODE_HEADERS]
    several = len({name[0] for name in coded}) > 1  # numbered questions have the same letter
    return [name for name in names if begins_like_items(name) or (several and name in coded)]


def _one_code(profiles: Sequence[Profile]) -> dict[str, ProposedRole]:
    """Propose numbered columns with one code per cell as items. Diagnosis columns that contain the same codes are
    added.
    """
    stems: dict[str, list[Profile]] = {}
    for profile in profiles:
        numbered = _NUMBERED.fullmatch(profile.name)
        if numbered and (numbered[1] or profile.kind in _CODE_LEVELS):  # columns without a header have numbers as names
            stems.setdefault(numbered[1], []).append(profile)
    names, codes = list[str](), set[str]()
    for stem, group in stems.items():
        filled = [profile for profile in group if profile.distinct]
        kinds = {profile.kind for profile in filled if profile.kind in _CODE_LEVELS}
        coded = _CODED.search(stem) and not names and all(profile.kind not in _VALUES for profile in filled)
        if len(filled) > 1 and (kinds or coded) and not are_pairs(filled):
            names += [profile.name for profile in group]
            codes |= kinds
    if not names:
        return {}
    others = [name for name in names if _PROCEDURES.search(name)]
    if 0 < len(others) < len(names):  # two kinds of codes do not form a set
        names = [name for name in names if name not in others]
        remark = setting("one_code", ",".join(others)) if len(others) < _FEW else setting("one_code")
        description = (
            f"one of {len(others)} procedure columns; the items are diagnoses ({remark} uses procedures instead)"
        )
        other = dict.fromkeys(others, ProposedRole("drop", description))
    else:
        other = {}
    single = [
        profile.name
        for profile in profiles
        if profile.name not in names and profile.kind in codes and _ONE_CODE.search(profile.name)
    ]
    reason = f"one of {len(single) + len(names)} columns with one code per cell"
    return other | dict.fromkeys([*single, *names], ProposedRole("one_code", reason))


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


def _propose_single(profile: Profile) -> ProposedRole:
    described = f"{profile.distinct:,} different values"
    if not profile.look.usable:
        return ProposedRole("drop", profile.look.doubt, fixes=profile.look.fixes)
    one_mark = profile.kind == "crosses" and profile.missing + profile.nulls > 0 and not is_known(profile.name)
    if profile.distinct <= 1 and not one_mark:
        return ProposedRole("drop", "same value in all rows: no information")
    if profile.kind in _NUMBERS and is_sampling_weight(profile.name) and profile.uniqueness > 0.1:
        return ProposedRole("drop", "sampling weight: not an attribute of the person, and identifies rows")
    sensitive = (is_sensitive(profile.name) and profile.kind != "dates") or is_grade(profile) or _is_result(profile)
    if sensitive or profile.kind in _CODE_LEVELS:
        what = f"sensitive, {described}: must not be inferred for a person"
        return ProposedRole("sensitive", what, _hierarchy(profile))
    kind = "" if profile.kind == "text" else f"{profile.kind}, "
    if not is_known(profile.name, dates=profile.kind == "dates"):
        return ProposedRole(UNRECOGNIZED, f"{kind}{described}", _hierarchy(profile))
    return ProposedRole("relational", f"{kind}{described}: an attacker may know the value", _hierarchy(profile))


def _is_result(profile: Profile) -> bool:
    """Return True if values are results of tests or measurements.

    Ages and dates of birth are not results, even if they contain limits such as ``>90``.
    """
    return profile.results and meaning_of(profile.name) not in ATTRIBUTES


def _hierarchy(profile: Profile) -> str:
    many = profile.distinct > min(_FEW, profile.records // 3) or profile.look.form != ""
    if profile.kind in _NUMBERS and many and not (profile.missing or profile.nulls or profile.look.odd):
        return "range"
    if profile.kind in _NUMBERS and many and profile.look.width and not profile.look.form:
        return f"bins:width={profile.look.width},{4 * Fraction(profile.look.width)}"
    if profile.kind == "dates":
        return _of_dates(profile.look)
    return "mask:3,1" if profile.kind in _VALUES[2:] else _CODE_LEVELS.get(profile.kind, "values")


def _of_dates(look: ValueFormat) -> str:
    """Return the levels to which dates generalize. The level of months is omitted if the values are months, or if day
    and month cannot be distinguished. Full dates are never published unchanged.
    """
    levels = "year,decade" if look.doubt or look.form in _MONTHS else "month,year,decade"
    levels = f"{FROM}{levels}" if "d" in (look.form or "%d") else levels
    return f"date:{look.form}:{levels}" if look.form else f"date:{levels}"


def tree_of(kind: str) -> str:
    """Return the hierarchy of items of a kind."""
    return _CODE_LEVELS.get(kind, PROPOSED)


def settings_of(proposals: Mapping[str, ProposedRole]) -> dict[str, Any]:
    """Return the columns by role, as settings. Quasi-identifiers that generalize to ranges are also numeric."""
    roles = {role: [name for name, proposed in proposals.items() if proposed.role == role] for role in ROLES}
    numeric = [
        name for name, proposed in proposals.items() if proposed.role == "relational" and proposed.hierarchy == "range"
    ]
    roles["one_hot"] = _with_patterns(roles["one_hot"], list(proposals))
    settings: dict[str, Any] = {role: names for role, names in {**roles, "numeric": numeric}.items() if names}
    return {**settings, **({"sensitive": roles["sensitive"][0]} if roles["sensitive"] else {})}


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


_CHOICE_OF = "(choice="
