"""Normalization rules for codes: case, dots, hyphens, blanks, zeros."""

import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TypeVar

import numpy as np

from anonset.columns.identity import is_repair
from anonset.data import CategoricalColumn, SetColumn, Vocabulary
from anonset.data.blocks import SetColumnBuilder, keep_tokens, tidy_rows
from anonset.data.spans import begins_of, spans
from anonset.data.storage.store import MEMORY, Store
from anonset.data.table_facts import Change
from anonset.errors import InputError, datum, require_known
from anonset.spelling import setting

_Column = TypeVar("_Column", SetColumn, CategoricalColumn)


def _without(*marks: str) -> Callable[[str], str]:
    table = str.maketrans("", "", "".join(marks))
    return lambda label: label.translate(table)


NORMALIZATIONS: Mapping[str, Callable[[str], str]] = MappingProxyType(
    {
        "upper": str.upper,
        "lower": str.lower,
        "strip-dots": _without("."),
        "strip-hyphens": _without("-"),
        "strip-blanks": lambda label: "".join(label.split()),
        "strip-zeros": lambda label: label.lstrip("0") or label[-1:],
        "nfc": lambda label: unicodedata.normalize("NFC", label),
    }
)
"""Rules by name. ``strip-zeros`` strips leading zeros, and ``nfc`` composes letters and accents.
"""


def applied(rules: Sequence[str], label: str) -> str:
    """Return a label after rules, in the given order."""
    for rule in rules:
        label = NORMALIZATIONS[rule](label)
    return label


def require_rules(names: Sequence[str]) -> None:
    """Reject names that are neither rules nor repairs of ids.

    Raises
    ------
    InputError
        The message names the known rules.
    """
    for name in names:
        if not is_repair(name):
            require_known(setting("normalize"), name, NORMALIZATIONS)


@dataclass
class Changes:
    """Changes that rules make in columns, which may be read in batches."""

    labels: dict[tuple[str, str], set[str]] = field(default_factory=dict)
    """Changed labels, by column and rule."""
    occurrences: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Number of occurrences of changed labels, by column and rule."""

    def note(self, column: SetColumn | CategoricalColumn, rule: str, image: Mapping[str, str | None]) -> None:
        """Count the changes that a rule makes in a column or in a batch of a column."""
        change = change_of(column, rule, image)
        self.labels.setdefault((column.name, rule), set()).update(image)
        self.occurrences[column.name, rule] += change.occurrences

    def add(self, other: "Changes") -> None:
        """Add the changes in another part of the columns."""
        for change, labels in other.labels.items():
            self.labels.setdefault(change, set()).update(labels)
        self.occurrences.update(other.occurrences)

    def list_changes(self, rules: Mapping[str, Sequence[str]], columns: Sequence[str]) -> tuple[Change, ...]:
        """Return all changes, ordered by column, then by rule."""
        requested = [(name, rule) for name in columns for rule in (*rules.get("", ()), *rules.get(name, ()))]
        applied = [change for change in dict.fromkeys(requested) if change in self.labels]
        return tuple(Change(*change, len(self.labels[change]), self.occurrences[change]) for change in applied)


def normalize_items(column: SetColumn, rules: Mapping[str, Sequence[str]], changes: Changes) -> SetColumn:
    """Apply the rules for all items (``""``), then the rules of the column.

    Items that become equal are merged.

    Raises
    ------
    InputError
        If an item becomes empty.
    """
    return _normalized(column, (*rules.get("", ()), *rules.get(column.name, ())), changes, "item", relabel)


def normalize_values(column: CategoricalColumn, names: Sequence[str], changes: Changes) -> CategoricalColumn:
    """Apply rules in order to the values of a column. Values that become equal are merged.

    Raises
    ------
    InputError
        If a value becomes empty.
    """
    return _normalized(column, names, changes, "value", recategorize)


def _normalized(
    column: _Column,
    names: Sequence[str],
    changes: Changes,
    noun: str,
    renamed: Callable[[_Column, dict[str, str]], _Column],
) -> _Column:
    """Apply rules to the labels of a column. `renamed` replaces labels, and `noun` names a label in messages."""
    for name in names:
        if image := _image(column, name, noun):
            changes.note(column, name, image)
            column = renamed(column, image)
    return column


def _image(column: SetColumn | CategoricalColumn, rule: str, noun: str) -> dict[str, str]:
    image = {old: new for old in column.vocabulary.labels if (new := applied([rule], old)) != old}
    if bare := next((old for old, new in image.items() if not new), None):
        raise InputError(
            f"{setting('normalize', rule)} makes {noun} {datum(bare)} of column {column.name!r} empty; remove the "
            f"rule or the {noun}"
        )
    return image


def change_of(column: SetColumn | CategoricalColumn, rule: str, image: Mapping[str, str | None]) -> Change:
    """Count the changes in a column."""
    times = column.occurrences.tolist()
    moved = [code for code, label in enumerate(column.vocabulary.labels) if label in image]
    return Change(column.name, rule, len(moved), int(sum(times[code] for code in moved)))


def relabel(column: SetColumn, image: Mapping[str, str | None], store: Store = MEMORY) -> SetColumn:
    """Return a set-valued column with some labels replaced. Labels that are mapped to None are removed. Labels that
    become equal are merged.

    Parameters
    ----------
    store
        Storage for the new column.
    """
    after = [image.get(label, label) for label in column.vocabulary.labels]
    vocabulary = Vocabulary.of(label for label in after if label is not None)
    codes = np.array([-1 if label is None else vocabulary.index[label] for label in after], np.int32)
    with SetColumnBuilder(column.name, store, narrow=True) as relabelled:
        for first, end in spans(column.n):
            block = column.slice(first, end)
            lengths, items = block.lengths, codes[block.items]
            if None in after:
                lengths, items = keep_tokens(lengths, items, items >= 0)
            relabelled.append(tidy_rows(column.name, begins_of(lengths), items, vocabulary))
    return relabelled.finished(vocabulary)


def recategorize(column: CategoricalColumn, image: Mapping[str, str], store: Store = MEMORY) -> CategoricalColumn:
    """Return a categorical column with some labels replaced."""
    after = [image.get(label, label) for label in column.vocabulary.labels]
    vocabulary = Vocabulary.of(after)
    codes = np.array([vocabulary.index[label] for label in after], np.int32)
    return column.recode(codes, vocabulary, store)
