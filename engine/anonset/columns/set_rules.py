"""Propose sets: cells with several items, columns of 0 and 1, codes in several columns, and answers to one question."""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import chain, groupby

from anonset.columns.headers import (
    begins_like_items,
    is_about,
    is_direct,
    is_identifier,
    is_known,
    is_sensitive,
    meaning_of,
    names_a_subject,
    names_codes,
    names_items,
)
from anonset.columns.kinds import MARKS, kind_of_values
from anonset.columns.marks import ABOVE_0, FILLED
from anonset.columns.profiles import MOST_SHARED_VALUES, Profile
from anonset.columns.roles import CODE_LEVELS, UNRECOGNIZED, ProposedRole, tree_of
from anonset.errors import VALUE, Fix, Problem
from anonset.spelling import counted, setting

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
_CODE_HEADERS = ("ICD-10 codes", "ATC codes")
"""Kinds of codes that may be the headers of columns of 0 and 1."""
_OFTEN, _MOST_DIFFERENT = 5, 0.9
"""Minimum average number of cells per part, if parts of cells are items under any header, and largest share of
distinct parts of sets.
"""
_OF_CHOICES = (
    re.compile(r"(.*\(choice=).+\)"),  # labels of REDCap
    re.compile(r"(.+___).+"),  # names of REDCap
    re.compile(r"(.*\S ?\[).+\]"),  # LimeSurvey
    re.compile(r"(.*\S/)\S.*"),  # ODK
)
"""Headers of a question with several choices. The group is the part that all choices share."""
_STEMS = (re.compile(r"(.*?)[_\W]?\d+"), re.compile(r"(.*[^\W_][_\W]+)[^\W_]+"))
"""Headers that a number, or the last word, distinguishes from the other headers of a question."""
_MOST_GRADES = 30
"""Maximum number of distinct values in a column of grades."""
_FEWEST, _MANY = 3, 10
"""Minimum number of columns of a question, if the headers do not show that the columns are choices, and minimum number
of columns whose headers have nothing in common.
"""
_KINDS_OF_CODES = ("ICD-10 codes", "ICD-9 codes", "ATC codes", "dates", "numbers", "postal codes", "zip codes", "sets")
_CHOICE, _PAIR = "choice", 2


def propose_sets(profiles: Sequence[Profile], proposed: dict[str, ProposedRole]) -> None:
    """Propose set-valued columns. If some columns have several items per cell, propose these columns. If there are
    none, propose columns of 0 and 1, or else columns with one code per cell.
    """
    proposed |= _of_fields(profiles)
    of_fields = [profile.name for profile in profiles if profile.name in proposed]
    for profile in profiles:
        if profile.name in of_fields:
            continue
        if profile.kind == "sets" and profile.reaches:
            proposed[profile.name] = ProposedRole("drop", f"items are names of persons, {profile.distinct:,} different")
        elif profile.kind == "sets" and (profile.bound_items or not _of_items(profile, profiles)):
            reason = f"may contain sets, {profile.distinct:,} different parts"
            items = Fix({"items": [profile.name]}, "if its values are items")
            proposed[profile.name] = ProposedRole("drop", reason, fixes=(items,))
        elif profile.kind == "sets" and _MOST_DIFFERENT * profile.occurrences < profile.distinct:
            reason = f"nearly every part of a cell is different ({profile.distinct:,} of {profile.occurrences:,})"
            proposed[profile.name] = ProposedRole("drop", f"{reason}: probably free text")
        elif profile.kind == "sets":
            kind = f" of {profile.items_kind}" if profile.items_kind not in ("", "text") else ""
            reason = f"cells contain sets{kind}, {profile.distinct:,} different items"
            proposed[profile.name] = ProposedRole("items", reason, tree_of(profile.items_kind))
    lists = [
        profile.name for profile in profiles if profile.name in proposed and proposed[profile.name].role == "items"
    ]
    proposed |= {name: proposed[first] for name, first in _later_in_series(lists, profiles).items()}
    if any(role.role == "items" for role in proposed.values()):
        return
    profiles = [profile for profile in profiles if profile.name not in of_fields]
    marked = [
        profile.name
        for profile in profiles
        if profile.kind in MARKS
        and (profile.distinct > 1 or profile.nulls or profile.missing)
        and not is_known(profile.name)
    ]
    of_counts = {profile.name for profile in profiles if _is_counted(profile)}
    hot = _families([profile.name for profile in profiles if profile.name in of_counts.union(marked)])
    if len(set(map(without_number, hot))) < _PAIR:  # numbers count nothing under a numbered question
        hot = _families(marked)
    if len(hot) > 2:
        kind = "counts: each above 0" if of_counts.intersection(hot) else "0/1 or crosses: each"
        proposed |= dict.fromkeys(hot, ProposedRole("one_hot", f"one of {len(hot)} columns with {kind} is an item"))
        return
    codes = _one_code(profiles)
    coded = any(profile.kind in CODE_LEVELS for profile in profiles if profile.name in codes)
    proposed |= (codes if coded else {}) or propose_choices(profiles) or codes or propose_answers(profiles)


def without_number(name: str) -> str:
    """Return a header without the number at its end."""
    return _NUMBERED.sub(r"\1", name)


def reading_by_words(profile: Profile, own: ProposedRole) -> tuple[Fix, ...]:
    """Return the setting that splits cells at blanks, if the cells are read as one value each but their words may be
    items.
    """
    if not profile.words or own.is_given or (own.role == "drop" and not own.fixes):
        return ()
    items: dict[str, list[str]] = {} if own.role == "items" else {"items": [profile.name]}
    return (Fix({**items, "separator": " "}, "if each word is an item"),)


def _later_in_series(names: Sequence[str], profiles: Sequence[Profile]) -> dict[str, str]:
    """Return the other columns of the numbered series of `names`, which may be nearly empty, each with the first."""
    stems = {without_number(name): name for name in reversed(names)}
    return {
        one.name: stems[stem]
        for one in profiles
        if one.name not in names and (stem := without_number(one.name)) not in ("", one.name) and stem in stems
    }


def _of_fields(profiles: Sequence[Profile]) -> dict[str, ProposedRole]:
    """Return the columns whose values consist of fields, with their series, as dropped."""
    found = {profile.name: profile for profile in profiles if joins_fields(profile)}
    first = {**{name: name for name in found}, **_later_in_series([*found], profiles)}
    kinds = {"items" if profile.kind == "sets" else "one_code" for profile in found.values()}
    whole = Fix({min(kinds, default=""): [*first]}, "if all of a value is an item")
    return {name: ProposedRole("drop", fields_in(found[one]), fixes=(whole,)) for name, one in first.items()}


def joins_fields(profile: Profile) -> bool:
    """Return True if values of a column that may contain items, or the items, consist of several fields."""
    named = names_items(profile.name) or names_codes(profile.name) or profile.kind == "sets"
    recur = 2 * profile.distinct <= profile.given and not _is_of_a_person(profile)
    return bool(profile.fields_by) and (named or recur)


def fields_in(profile: Profile) -> str:
    """Return that a column contains fields, and the remedy."""
    what, separator = "items" if profile.kind == "sets" else "cells", profile.fields_by
    return f"{what} contain fields joined by {separator!r}; extract the one that is the item"


def _of_items(profile: Profile, profiles: Sequence[Profile]) -> bool:
    """Return True if the header is a word for items, the parts of cells are codes, there is no other column, or cells
    share parts that are not separated by blanks.
    """
    shared = profile.occurrences >= _OFTEN * profile.distinct and (profile.separator or " ").strip() != ""
    return shared or (
        len(profiles) == 1
        or profile.separator is None  # lists, not text
        or names_items(profile.name)
        or profile.items_kind in CODE_LEVELS
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
        if numbered and (numbered[1] or profile.kind in CODE_LEVELS):  # columns without a header have numbers as names
            stems.setdefault(numbered[1], []).append(profile)
    names, codes = list[str](), set[str]()
    for stem, group in stems.items():
        filled = [profile for profile in group if profile.distinct]
        kinds = {profile.kind for profile in filled if profile.kind in CODE_LEVELS}
        coded = names_codes(stem) and not names and all(profile.kind not in _VALUES for profile in filled)
        if len(filled) > 1 and (kinds or coded) and not are_pairs(filled):
            names += [profile.name for profile in group]
            codes |= kinds
    if not names:
        return {}
    others = [name for name in names if _PROCEDURES.search(name)]
    if 0 < len(others) < len(names):  # two kinds of codes do not form a set
        names = [name for name in names if name not in others]
        remark = setting("one_code", ",".join(others)) if len(others) < _MANY else setting("one_code")
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


def propose_choices(profiles: Sequence[Profile]) -> dict[str, ProposedRole]:
    """Propose choices as the set-valued column: columns that a known word marks as chosen, or columns that contain a
    label if they are chosen.
    """
    able = [profile for profile in profiles if not _is_of_a_person(profile)]
    if chosen := _questions([one for one in able if _is_marked(one)], of_words=True):
        chosen = _block(chosen, profiles)
        reason = f"one of {len(chosen)} columns that mark a choice: each is an item"
        return dict.fromkeys(chosen, ProposedRole("one_hot", reason))
    labelled = _block(_questions([one for one in able if _is_labelled(one)]), profiles)
    values = [profile.shared_values for profile in profiles if profile.name in labelled]
    if len(frozenset().union(*values)) < len(labelled):  # equal labels name no items
        return {}
    reason = f"one of {len(labelled)} columns that contain a label or nothing: each is an item"
    return dict.fromkeys(labelled, ProposedRole("one_hot", reason))


_TEXT_OF = re.compile(r"[_.-]\D+").fullmatch
"""Function that recognizes the end of a header, such as ``_TEXT``, if the rest is another column."""


def _block(chosen: Collection[str], profiles: Sequence[Profile]) -> list[str]:
    """Return the chosen columns with their neighbours of the same shape, which belong to the same question. Texts that
    belong to another column of the block, such as ``Q5_3_TEXT`` to ``Q5_3``, do not.
    """
    runs = [[one.name for one in group] for shape, group in groupby(profiles, _shape) if shape is not None]
    block = {name for run in runs if not {*chosen}.isdisjoint(run) for name in run}
    texts = {name for name in block for one in block if name.startswith(one) and _TEXT_OF(name.removeprefix(one))}
    return [profile.name for profile in profiles if profile.name in (block - texts).union(chosen)]


def _shape(profile: Profile) -> object:
    """Return the shape of a column of marks: a label, or its only value. None for other columns."""
    blank = profile.missing + profile.nulls > 0
    if profile.reaches or profile.distinct != 1 or not blank or (is_known(profile.name) and not profile.label_is_name):
        return None
    return "label" if _is_labelled(profile) else profile.shared_values if profile.kind == "crosses" else None


def further_marks(profiles: Sequence[Profile], roles: Mapping[str, ProposedRole], hot: Collection[str]) -> list[Fix]:
    """Return the setting that reads each filled cell as an item, if columns next to the columns of marks `hot` are also
    blank in some rows, and contain few values that several of these columns share.
    """
    sparse = [one for one in profiles if one.missing + one.nulls and not _is_of_a_person(one)]
    alike = {*chain(*columns_alike(sparse))}.difference(name for name, own in roles.items() if own.is_given)
    runs = [[*run] for near, run in groupby(profiles, lambda one: one.name in alike.union(hot)) if near]
    block = [one.name for run in runs if {one.name for one in run}.intersection(hot) for one in run]
    if not hot or not (more := len({*block}.difference(hot))):
        return []
    effect = f"if each filled cell is an item, also in {counted(more, 'further column')}"
    every = [one.name for one in profiles if one.name in {*block, *hot}]
    return [Fix({"one_hot": every, "present": FILLED}, effect)]


def propose_answers(profiles: Sequence[Profile]) -> dict[str, ProposedRole]:
    """Propose columns with answers from one short list as the set-valued column. Items contain the header."""
    able = [profile for profile in profiles if not (_is_of_a_person(profile) or names_codes(profile.name))]
    given = [one for one in able if _is_answer(one)]
    plain = [one for one in given if not is_sensitive(one.name)]
    answers = _questions(plain) or ([one.name for one in plain] if len(plain) >= _MANY else [])
    values = {one.shared_values for one in plain if one.name in answers}
    secret = [
        one.name for one in profiles if is_sensitive(one.name) and _is_answer(one) and one.shared_values in values
    ]
    answers = [one.name for one in profiles if one.name in answers or one.name in secret]
    if not share_values([profile for profile in profiles if profile.name in answers]):
        return {}
    reason = f"one of {len(answers)} columns with values from one list: items such as header=value"
    return dict.fromkeys(answers, ProposedRole("one_code", reason))


def pair_problems(profiles: Sequence[Profile], roles: Mapping[str, ProposedRole]) -> list[Problem]:
    """Return how to read the unrecognized columns that contain the same two values, if no word shows which value marks
    an item. Columns whose header is sensitive belong to them.
    """
    groups: dict[frozenset[int], list[Profile]] = {}
    for profile in profiles:
        own = roles[profile.name]
        named = own.role == "sensitive" and not own.is_given and is_sensitive(profile.name)
        is_free = named or (own.role == UNRECOGNIZED and not _is_of_a_person(profile))
        if is_free and _is_pair(profile):
            groups.setdefault(profile.shared_values, []).append(profile)
    return [_reading_pairs(group) for group in groups.values() if len(group) >= _FEWEST]


def _reading_pairs(group: Sequence[Profile]) -> Problem:
    names = [profile.name for profile in group]
    fixes = [
        Fix({"one_hot": names, "present": value}, f"if {value} marks an item") for value in group[0].coded_pair or ()
    ]
    fixes.append(Fix({"one_code": names, "with_header": True}, "if both values are items"))
    if not group[0].coded_pair:
        fixes.insert(0, Fix({"one_hot": names, "present": VALUE}, "if one value marks an item"))
    columns = f"{group[0].name!r} and {counted(len(group) - 1, 'other column')}"
    problem = f"{columns} are not proposed as items, because their two values do not show which one marks an item"
    return Problem(problem, fixes)


def answers_reading(roles: Mapping[str, ProposedRole], profiles: Mapping[str, Profile]) -> dict[str, str | bool]:
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
        if all(_is_counted(profile) or profile.kind == "0/1" or not profile.distinct for profile in hot):
            return {"present": ABOVE_0}
    if any(not names_codes(profile.name) for profile in codes) and share_values(codes):
        return {"with_header": True}
    return {}


def share_values(profiles: Sequence[Profile]) -> bool:
    """Return True if at least three columns contain values from one short list of three or more values, which are no
    codes.
    """
    filled = [profile for profile in profiles if profile.distinct]
    values = [profile.shared_values for profile in filled]
    if len(filled) < _FEWEST or not all(values) or any(profile.kind in _KINDS_OF_CODES for profile in filled):
        return False
    union = frozenset().union(*values)
    return _PAIR < len(union) <= MOST_SHARED_VALUES and 2 * len(union) < sum(map(len, values))


def columns_alike(profiles: Sequence[Profile]) -> list[list[str]]:
    """Return the groups of at least three columns of one kind with the same values, such as the answers to questions of
    a survey. A column that lacks some of these values also belongs to the group.
    """
    common = Counter((profile.kind, profile.shared_values) for profile in profiles)
    groups: dict[tuple[str, frozenset[int]], list[str]] = {}
    for profile in sorted(profiles, key=lambda one: -common[one.kind, one.shared_values]):
        if len(values := profile.shared_values) >= _PAIR:
            alike = next((key for key in groups if key[0] == profile.kind and values <= key[1]), (profile.kind, values))
            groups.setdefault(alike, []).append(profile.name)
    order = [profile.name for profile in profiles]
    return [sorted(names, key=order.index) for names in groups.values() if len(names) >= _FEWEST]


def are_pairs(profiles: Sequence[Profile]) -> bool:
    """Return True if all columns contain the same two values, which are no codes."""
    pairs = {profile.shared_values for profile in profiles if profile.distinct}
    return len(pairs) == 1 and len(*pairs) == _PAIR and not any(profile.kind in _KINDS_OF_CODES for profile in profiles)


def _is_of_a_person(profile: Profile) -> bool:
    """Return True if a column contains an attribute, an identifier or a quantity of the person."""
    name = profile.name
    if profile.label_is_name or any(form.fullmatch(name) for form in _OF_CHOICES):
        return bool(profile.reaches)
    return bool(
        profile.reaches
        or is_known(name)
        or is_direct(meaning_of(name))
        or is_identifier(name)
        or is_about(name, "quantities")
        or is_grade(profile)
        or names_a_subject(name)
    )


def is_grade(profile: Profile) -> bool:
    """Return True if a column contains grades: few numbers, under a header that names a school subject or grades."""
    numbers = profile.kind in ("integers", "numbers") and profile.distinct <= _MOST_GRADES
    return numbers and (is_sensitive(profile.name) or names_a_subject(profile.name))


def _is_marked(profile: Profile) -> bool:
    is_choice = bool(_choice(profile.name)) or without_number(profile.name) not in ("", profile.name)
    evident = profile.kind == "crosses" or (profile.kind == "0/1" and is_choice)
    return evident or profile.marks is not None


def _is_counted(profile: Profile) -> bool:
    """Return True if a column contains few integers, one of which is 0."""
    return profile.kind == "integers" and hash("0") in profile.shared_values and not is_known(profile.name)


def _is_labelled(profile: Profile) -> bool:
    """Return True if a column contains a single label, and empty cells."""
    empty = profile.missing + profile.nulls
    return profile.distinct == 1 and empty > 0 and profile.kind == "text" and profile.marks is None


def _is_answer(profile: Profile) -> bool:
    return profile.kind in ("text", "integers") and profile.marks is None and len(profile.shared_values) > 1


def _is_pair(profile: Profile) -> bool:
    plain = profile.kind in ("text", "integers") and profile.marks is None
    return plain and len(profile.shared_values) == _PAIR


def _choice(name: str) -> str:
    """Return the common part of the headers of a question with choices. Empty for other headers."""
    return next((found[1] for form in _OF_CHOICES if (found := form.fullmatch(name))), "")


def _questions(profiles: Sequence[Profile], *, of_words: bool = False) -> list[str]:
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
        if profile.label_is_name:
            groups.setdefault(("name", ""), []).append(profile)
        if of_words and words and profile.kind not in MARKS and not is_sensitive(profile.name):
            groups.setdefault(("words", words), []).append(profile)
    found = set[str]()
    for (kind, _), group in groups.items():
        pairs = {tuple(map(str.casefold, one.marks)) for one in group if one.marks is not None and all(one.marks)}
        vary = any(profile.distinct > 1 or profile.missing + profile.nulls for profile in group)
        if len(group) >= (_PAIR if kind == _CHOICE else _FEWEST) and len(pairs) <= 1 and vary:
            found.update(profile.name for profile in group)
    return [profile.name for profile in profiles if profile.name in found]
