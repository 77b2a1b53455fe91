"""Values and items that differ from others only in case or blanks, or in one letter."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from anonset.data import CategoricalColumn, NumericColumn, SetColumn, Table
from anonset.data.hierarchies.hierarchy_rules import NO_VALUE
from anonset.errors import Fix, Problem
from anonset.privacy import PrivacyModel
from anonset.reading.cells.normalizing import NORMALIZATIONS, applied
from anonset.spelling import counted

_SHORTEST, _FREQUENT, _TIMES = 5, 50, 50
"""Minimum length of a misspelled value, and minimum frequency of the right one, absolute and as a ratio."""


def spelling_problems(
    table: Table, model: PrivacyModel | None = None, names: Mapping[str, str] | None = None
) -> list[Problem]:
    """Return the published columns with values or items in several spellings, with counts and the rules that merge
    them, and the columns of attributes with probable misspellings. Of the rules for case, the one that changes fewer
    labels. Labels in files are not compared.

    Parameters
    ----------
    model
        Model that counts spellings as different sensitive values or items. If given, only these are
        returned, also with labels in files.
    names
        Columns to compare, each with its name in messages and settings. By default, all columns.
    """
    problems = []
    for column in [one for one in table.columns if one not in table.ids and not isinstance(one, NumericColumn)]:
        if names is not None and column.name not in names:
            continue
        name = (names or {}).get(column.name, column.name)
        is_sensitive = column is table.sensitive or (model is not None and column.name == model.sensitive_column)
        secrets = set(model.secrets) if model is not None and column is table.transactions else set[str]()
        counted_here = is_sensitive or bool(secrets) if model is not None else column.vocabulary.filed is None
        counts = _counts(column) if counted_here else {}
        if model is None and isinstance(column, CategoricalColumn) and (wrong := misspelled(counts)):
            records = counted(sum(counts[label] for label in wrong), "record")
            text = (
                f"column {name!r}: {counted(len(wrong), 'rare value')} may be misspelled ({records}): a frequent value "
                "differs in one letter; if so, correct the data"
            )
            problems.append(Problem(text))
        spellings = dict[str, list[str]]()
        for label in counts:
            spellings.setdefault("".join(label.split()).casefold(), []).append(label)
        several = [
            labels for labels in spellings.values() if len(labels) > 1 and (not secrets or secrets.intersection(labels))
        ]
        if several:
            place = "" if column is table.transactions else f"{name}="
            frequencies = [[counts[label] for label in labels] for labels in several]
            rare = counted(sum(sum(times) - max(times) for times in frequencies), "occurrence")
            text = (
                f"column {name!r}: {counted(len(several), 'value')} in several spellings, which differ only in "
                f"case or blanks and count as different ({rare} of the rarer ones)"
            )
            rules = _merging(several, counts)
            changed = sum(count for label, count in counts.items() if applied(rules, label) != label)
            settings = {"normalize": [f"{place}{rule}" for rule in rules]}
            problems.append(
                Problem(text, [Fix(settings, "if they mean the same", f"changes {counted(changed, 'record')}")])
            )
    return problems


def misspelled(counts: Mapping[str, int]) -> list[str]:
    """Return the words that differ in one letter from a much more frequent one, given the frequency of each value.

    >>> misspelled({"Berlin": 900, "Berlim": 2, "Berlni": 1, "Merlin": 1, "berlin": 3, "Bremen": 9})
    ['Berlim', 'Berlni']
    """
    words = {x: x.casefold() for x in counts if len(x) >= _SHORTEST and x.replace(" ", "").replace("-", "").isalpha()}
    often, most = Counter(words.values()), dict[str, int]()
    for label, word in words.items():
        for form in _without_a_letter(word) if counts[label] >= _FREQUENT else ():
            most[form] = max(most.get(form, 0), counts[label])
    return [
        label
        for label, word in words.items()
        if often[word] == 1 and max(most.get(form, 0) for form in _without_a_letter(word)) >= _TIMES * counts[label]
    ]


def _without_a_letter(word: str) -> set[str]:
    """Return a word, and the word without each of its letters but the first."""
    return {word, *(word[:place] + word[place + 1 :] for place in range(1, len(word)))}


def _counts(column: CategoricalColumn | SetColumn) -> dict[str, int]:
    """Return the frequency of each label that means a value."""
    often = zip(column.vocabulary.labels, column.occurrences.tolist(), strict=True)
    return {label: count for label, count in often if count and label.strip() not in NO_VALUE}


def _merging(several: Sequence[Sequence[str]], counts: Mapping[str, int]) -> list[str]:
    """Return the rules that are needed to make the spellings of each label equal."""
    case = max(("upper", "lower"), key=lambda rule: sum(counts[x] for x in counts if NORMALIZATIONS[rule](x) == x))
    needed = {case: _differ(several, NORMALIZATIONS["strip-blanks"]), "strip-blanks": _differ(several, str.casefold)}
    return [rule for rule, is_needed in needed.items() if is_needed]


def _differ(several: Sequence[Sequence[str]], rule: Callable[[str], str]) -> bool:
    """Return True if spellings of a label still differ after a rule."""
    return any(len({*map(rule, labels)}) > 1 for labels in several)
