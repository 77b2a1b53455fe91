"""Propose sets for columns that contain the answers to one question: marks, labels, and values from a shared list."""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from anonset.errors import Fix, Problem
from anonset.reading.persons.header_topics import is_quantity, is_sensitive, names_a_subject
from anonset.reading.persons.header_words import is_direct, is_identifier, is_known, meaning_of
from anonset.reading.presence import FILLED
from anonset.reading.profiles import MOST_SHARED_VALUES, Profile
from anonset.settings.person_columns import MARKS, ProposedRole, is_grade
from anonset.spelling import counted, spelled

_OF_CHOICES = (
    re.compile(r"(.*\(choice=).+\)"),  # labels of REDCap
    re.compile(r"(.+___).+"),  # names of REDCap
    re.compile(r"(.*\S ?\[).+\]"),  # LimeSurvey
)
"""Headers of a question with several choices. The group is the part that all choices share."""
_STEMS = (re.compile(r"(.*?)[_\W]?\d+"), re.compile(r"(.*[^\W_][_\W]+)[^\W_]+"))
"""Headers that a number, or the last word, distinguishes from the other headers of a question."""
_FEWEST = 3
"""Minimum number of columns of a question, if the headers do not show that the columns are choices."""
_CODED = re.compile(r"dx|diag|icd|code|proc|drug|item|product|med", re.IGNORECASE)
_CODES = ("ICD-10 codes", "ICD-9 codes", "ATC codes", "dates", "numbers", "postal codes", "zip codes", "sets")


def propose_choices(profiles: Sequence[Profile]) -> dict[str, ProposedRole]:
    """Propose choices as the set-valued column: columns that a known word marks as chosen, or columns that contain a
    label if they are chosen.
    """
    able = [profile for profile in profiles if not _is_of_a_person(profile)]
    if chosen := _families([one for one in able if _is_marked(one)], of_words=True):
        reason = f"one of {len(chosen)} columns that mark a choice: each is an item"
        return dict.fromkeys(chosen, ProposedRole("one_hot", reason))
    labelled = _families([one for one in able if _is_labelled(one)])
    values = [profile.shared_values for profile in able if profile.name in labelled]
    if len(frozenset().union(*values)) < len(labelled):  # equal labels name no items
        return {}
    reason = f"one of {len(labelled)} columns that contain a label or nothing: each is an item"
    return dict.fromkeys(labelled, ProposedRole("one_hot", reason))


def propose_answers(profiles: Sequence[Profile]) -> dict[str, ProposedRole]:
    """Propose columns with answers from one short list as the set-valued column. Items contain the header."""
    able = [profile for profile in profiles if not (_is_of_a_person(profile) or _CODED.search(profile.name))]
    answers = _families([one for one in able if _is_answer(one)])
    if not share_values([profile for profile in able if profile.name in answers]):
        return {}
    reason = f"one of {len(answers)} columns with values from one list: items such as header=value"
    return dict.fromkeys(answers, ProposedRole("one_code", reason))


def pair_problems(profiles: Sequence[Profile], unknown: Collection[str]) -> list[Problem]:
    """Return how to read the unrecognized columns that contain the same two values, if no word shows which value marks
    an item.
    """
    groups: dict[frozenset[int], list[Profile]] = {}
    for profile in profiles:
        if profile.name in unknown and _is_pair(profile) and not _is_of_a_person(profile):
            groups.setdefault(profile.shared_values, []).append(profile)
    return [_reading_pairs(group) for group in groups.values() if len(group) >= _FEWEST]


def _reading_pairs(group: Sequence[Profile]) -> Problem:
    names = [profile.name for profile in group]
    fixes = [
        Fix({"one_hot": names, "present": value}, f"if {value} marks an item") for value in group[0].coded_pair or ()
    ]
    fixes.append(Fix({"one_code": names, "with_header": True}, "if both values are items"))
    columns = f"{group[0].name!r} and {counted(len(group) - 1, 'other column')}"
    problem = f"{columns} are dropped, because their two values do not show which one marks an item"
    if not group[0].coded_pair:
        problem += f"; if one does: {spelled({'one_hot': names, 'present': 'VALUE'})}"
    return Problem(problem, fixes)


def answers_reading(roles: Mapping[str, ProposedRole], profiles: Mapping[str, Profile]) -> dict[str, Any]:
    """Return the settings with which the proposed or declared columns of answers are read.

    These are the value that marks an item, and whether an item contains the header.
    """
    hot = [profiles[name] for name, own in roles.items() if own.role == "one_hot" and name in profiles]
    codes = [profiles[name] for name, own in roles.items() if own.role == "one_code" and name in profiles]
    if hot and not all(profile.kind in MARKS or not profile.distinct for profile in hot):
        words = {profile.marks[0] for profile in hot if profile.marks and profile.marks[0]}
        if len({word.casefold() for word in words}) == 1 and all(map(_is_marked, hot)):
            return {"present": min(words)}
        if all(_is_labelled(profile) or not profile.distinct for profile in hot):
            return {"present": FILLED}
    if any(not _CODED.search(profile.name) for profile in codes) and share_values(codes):
        return {"with_header": True}
    return {}


def share_values(profiles: Sequence[Profile]) -> bool:
    """Return True if at least three columns contain values from one short list of three or more values, which are no
    codes.
    """
    filled = [profile for profile in profiles if profile.distinct]
    values = [profile.shared_values for profile in filled]
    if len(filled) < _FEWEST or not all(values) or any(profile.kind in _CODES for profile in filled):
        return False
    union = frozenset().union(*values)
    return _PAIR < len(union) <= MOST_SHARED_VALUES and 2 * len(union) < sum(map(len, values))


def are_pairs(profiles: Sequence[Profile]) -> bool:
    """Return True if all columns contain the same two values, which are no codes."""
    pairs = {profile.shared_values for profile in profiles if profile.distinct}
    return len(pairs) == 1 and len(*pairs) == _PAIR and not any(profile.kind in _CODES for profile in profiles)


def _is_of_a_person(profile: Profile) -> bool:
    """Return True if a column contains an attribute, an identifier or a quantity of the person."""
    name = profile.name
    if any(form.fullmatch(name) for form in _OF_CHOICES):
        return bool(profile.reaches)
    return bool(
        profile.reaches
        or is_known(name)
        or is_direct(meaning_of(name))
        or is_identifier(name)
        or is_quantity(name)
        or is_grade(profile)
        or names_a_subject(name)
    )


def _is_marked(profile: Profile) -> bool:
    evident = profile.kind == "crosses" or (profile.kind == "0/1" and _choice(profile.name) != "")
    return evident or profile.marks is not None


def _is_labelled(profile: Profile) -> bool:
    """Return True if a column contains a single label, and empty cells."""
    empty = profile.missing + profile.nulls
    return profile.distinct == 1 and empty > 0 and profile.kind == "text" and profile.marks is None


def _is_answer(profile: Profile) -> bool:
    plain = profile.kind in ("text", "integers") and profile.marks is None
    return plain and len(profile.shared_values) > 1 and not is_sensitive(profile.name)


def _is_pair(profile: Profile) -> bool:
    plain = profile.kind in ("text", "integers") and profile.marks is None
    return plain and len(profile.shared_values) == _PAIR


def _choice(name: str) -> str:
    """Return the common part of the headers of a question with choices. Empty for other headers."""
    return next((found[1] for form in _OF_CHOICES if (found := form.fullmatch(name))), "")


def _families(profiles: Sequence[Profile], *, of_words: bool = False) -> list[str]:
    """Return the columns that are choices or answers of one question, in the order of the data.

    Two columns with choices in their headers suffice, or three columns with a common stem. If `of_words`, three columns
    with the same pair of words suffice, unless their headers are sensitive or the words are evident.
    """
    groups: dict[tuple[str, str], list[Profile]] = {}
    for profile in profiles:
        words = "/".join(map(str.casefold, profile.marks or ()))
        if choice := _choice(profile.name):
            groups.setdefault((_CHOICE, choice), []).append(profile)
        for form in _STEMS:
            if (match := form.fullmatch(profile.name)) is not None and match[1]:
                groups.setdefault(("stem", match[1]), []).append(profile)
        if of_words and words and profile.kind not in MARKS and not is_sensitive(profile.name):
            groups.setdefault(("words", words), []).append(profile)
    found = set[str]()
    for (kind, _), group in groups.items():
        pairs = {tuple(map(str.casefold, one.marks)) for one in group if one.marks is not None and all(one.marks)}
        vary = any(profile.distinct > 1 or profile.missing + profile.nulls for profile in group)
        if len(group) >= (_PAIR if kind == _CHOICE else _FEWEST) and len(pairs) <= 1 and vary:
            found.update(profile.name for profile in group)
    return [profile.name for profile in profiles if profile.name in found]


_CHOICE, _PAIR = "choice", 2
