"""Roles that are proposed for columns that name, reach or tell apart persons."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from anonset.data.redacted_repr import Discreet
from anonset.io.header_words import is_direct, meaning_of
from anonset.io.person_signs import PERSON_IDS, occurs_twice
from anonset.io.profiles import Profile

ROLES = ("items", "one_hot", "one_code", "relational", "sensitive", "id", "keep", "drop")
"""The roles of columns, as settings."""
_ATTRIBUTES = ("birth", "sex", "origin", "family", "residence")
_VALUES = ("numbers", "dates", "postal codes")
_MANY_NAMES = 50
"""Capitalised words that are many: at least so many, and one for so many rows."""
_ROWS_OF_A_NAME = 100
_FEWEST_ROWS = 100
_KEYS_OF_ROWS, _MOST_OF_A_KEY = (0.02, 0.5), 0.05
"""Share of the rows: different values of what may be a key, and rows of its most frequent value at most."""

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
_CODED = re.compile(r"dx|diag|icd|code|proc|drug|item|product|med|atc|ops|concept|article", re.IGNORECASE)


@dataclass(frozen=True)
class Proposed(Discreet):
    """The role that is proposed for a column."""

    role: str
    """One of `ROLES`."""
    reason: str
    """Why."""
    hierarchy: str | None = None
    """What it may be generalized by, as a setting."""


def of_a_person(profile: Profile, profiles: Sequence[Profile], persons: Sequence[str]) -> Proposed | None:
    """Propose a role for a column that names, reaches or tells apart persons; None for any other.

    Parameters
    ----------
    persons
        Columns that tell persons apart and repeat.
    """
    meaning, described = meaning_of(profile.name), f"{profile.distinct:,} different values"
    if profile.distinct <= 1 or not profile.look.usable or profile.kind in ("0/1", "crosses", "sets"):
        return None
    if profile.reaches or (is_direct(meaning) and (meaning != "born" or profile.kind != "dates")):
        return Proposed("drop", f"names or reaches a person, {described}")
    if profile.name in persons or (meaning in PERSON_IDS and (meaning != "id" or _tells_apart(profile))):
        called = "called like an identifier" if meaning in PERSON_IDS else "birth or sex agrees within its values"
        return Proposed("id", f"{called}, {described} in {profile.records:,} rows")
    if meaning in _ATTRIBUTES:
        return None
    if _NAMES_A_PERSON.search(profile.name) and profile.uniqueness > 0.1 and meaning != "thing":
        return Proposed("drop", f"names or reaches a person, {described}")
    if (
        _IDENTIFIER.search(profile.name)
        and profile.uniqueness > 0.1
        and profile.kind != "numbers"
        and meaning != "thing"
    ):
        return Proposed("id", f"called like an identifier, {described} in {profile.records:,} rows")
    if profile.records >= 20 and profile.uniqueness > 0.98 and profile.kind not in _VALUES:
        return Proposed("id", f"nearly every row has a value of its own ({profile.uniqueness:.1%})")
    many = profile.distinct > max(_MANY_NAMES, profile.records // _ROWS_OF_A_NAME)
    of_persons = {"name", *PERSON_IDS, *_ATTRIBUTES}
    if (
        profile.capitalised and many and not meaning  # before the others are gone through: for few columns alone
        and any(meaning_of(other.name) in of_persons for other in profiles if other.name != profile.name)
    ):  # fmt: skip
        return Proposed("drop", f"{described}, capitalised words without digits: they may be names")
    return None


def _tells_apart(profile: Profile) -> bool:
    given = profile.records - profile.nulls - profile.missing
    return profile.distinct == given or occurs_twice(given, profile.distinct, profile.name)


def one_identifier(
    profiles: Sequence[Profile], proposed: dict[str, Proposed], persons: Sequence[str] = ()
) -> dict[str, Proposed]:
    """Leave one identifier: the surest of a person; where none tells rows apart, none is needed."""
    ids = [profile for profile in profiles if proposed[profile.name].role == "id"] or _keys(profiles, proposed)

    def surest(profile: Profile) -> tuple[int, int]:
        meaning = meaning_of(profile.name)
        rank = PERSON_IDS.index(meaning) if meaning in PERSON_IDS else len(PERSON_IDS) + (profile.name not in persons)
        return rank, profile.distinct if profile.name in persons else 0

    ids.sort(key=surest)
    for profile in ids[1:]:
        united = f"another identifier than {ids[0].name!r}, whose rows become one record each"
        apart = f"tells rows apart like {ids[0].name!r}, which is the identifier"
        proposed[profile.name] = Proposed("drop", apart if ids[0].uniqueness == 1 else united)
    if ids and len(ids) == len(profiles):  # nothing else is there
        proposed[ids[0].name] = Proposed("relational", proposed[ids[0].name].reason, "values")
    return proposed


def _keys(profiles: Sequence[Profile], proposed: dict[str, Proposed]) -> list[Profile]:
    """Propose as the id, where nothing else is one, what looks like a key, says nothing else, and repeats as one."""
    able = [
        profile
        for profile in profiles
        if profile.keys and proposed[profile.name].role == "relational" and not meaning_of(profile.name)
        and profile.records >= _FEWEST_ROWS and _KEYS_OF_ROWS[0] <= profile.uniqueness <= _KEYS_OF_ROWS[1]
        and profile.largest <= _MOST_OF_A_KEY * profile.records
    ]  # fmt: skip
    best = sorted(able, key=lambda profile: -profile.distinct)[:1]
    for profile in best:
        distinct = f"{profile.distinct:,} different values in {profile.records:,} rows"
        reason = f"looks like a key, {distinct}: of persons, if nothing else"
        proposed[profile.name] = Proposed("id", reason)
    return best


def united(
    found: Mapping[str, Proposed],
    name: str,
    profiles: Mapping[str, Profile],
    varies: Callable[[str], bool],
    tree: Callable[[str], str],
) -> dict[str, Proposed]:
    """Return the roles by which the rows of an identifier become one record.

    Sets are united; where there are none, those columns are sets that hold one code a row. What else differs within
    the identifier is left out.

    Parameters
    ----------
    name
        The identifier.
    varies
        Tells whether a column differs between rows with the same identifier.
    tree
        Returns the hierarchy of items of a kind.
    """
    single = [
        n for n, proposed in found.items() if proposed.role in ("relational", "keep") and proposed.reason != "given"
    ]
    differing = [n for n in single if varies(n)]
    roles = dict(found)
    if not any(proposed.role in ("items", "one_hot", "one_code") for proposed in found.values()):
        for code in _codes(differing, profiles)[:1]:
            levels = tree(profiles[code].kind)
            roles[code] = replace(found[code], role="items", hierarchy=levels, reason="one code a row of a person")
            differing.remove(code)
    dropped = Proposed("drop", f"differs between rows of the same {name!r}, which become one record")
    return {**roles, **dict.fromkeys(differing, dropped)}


def _codes(names: Sequence[str], profiles: Mapping[str, Profile]) -> list[str]:
    """Return the columns that may hold one code a row, the likeliest first."""

    def likely(name: str) -> tuple[bool, bool, int]:
        profile = profiles[name]
        coded = profile.kind.startswith("ICD") or _CODED.search(name) is not None
        return not coded, meaning_of(name) == "thing", -profile.distinct

    kinds = ("text", "integers", "zip codes")
    able = [n for n in names if profiles[n].distinct > 2 and meaning_of(n) not in _ATTRIBUTES]
    return sorted((n for n in able if profiles[n].kind in kinds or "codes" in profiles[n].kind), key=likely)
