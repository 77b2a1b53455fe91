"""Policy files. Each line contains a protected itemset or an item group. Items are separated by blanks, and quoted as
in CSV.
"""

import re
from collections.abc import Iterable, Sequence
from fractions import Fraction
from pathlib import Path

from anonset.data import Vocabulary
from anonset.data.decimals import exact
from anonset.errors import InputError, datum
from anonset.measures.losses.item_weights import ItemWeights
from anonset.privacy.policies import PrivacyPolicy, UtilityPolicy
from anonset.reading.sources.files import read_bytes, write_file

_ITEM = re.compile(r'"(?:[^"]|"")*"(?!\S)|[^"\s]\S*')
"""Pattern of an item in a line. An item with blanks, or with a quote at its start, is quoted, and quotes within it are
doubled.
"""
_REMAINING = "..."
"""Line of utility constraints for all items that are in no other group."""


def read_privacy_policy(path: str | Path, vocabulary: Vocabulary | None = None) -> PrivacyPolicy:
    """Read privacy constraints, one itemset per line (also ``.gz`` and ``.zst``). Blank lines are skipped.

    Parameters
    ----------
    vocabulary
        Vocabulary that must contain all items. If None, any items are accepted.

    Raises
    ------
    InputError
        If the file cannot be read or contains no constraint, a line contains an item twice, or an item is unknown.
    """
    where = Path(path)
    lines = _lines(where)
    for number, items in lines:
        _require_distinct(where, number, items)
        _require_known(where, number, items, vocabulary)
    return PrivacyPolicy.of(items for _, items in lines)


def read_utility_policy(path: str | Path, vocabulary: Vocabulary | None = None) -> UtilityPolicy:
    """Read utility constraints, one group per line (also ``.gz`` and ``.zst``). Blank lines are skipped.

    The line ``...`` is the group of all items that are in no other group, unless ``...`` is an item.

    Parameters
    ----------
    vocabulary
        Vocabulary that the groups must partition. If None, any groups are accepted, and the line ``...`` is a group.

    Raises
    ------
    InputError
        If the file cannot be read or contains no group, or if an item is unknown, in two groups or in no group.
    """
    where = Path(path)
    lines, line_of = _lines(where), dict[str, int]()
    remaining = vocabulary is not None and _REMAINING not in vocabulary.index
    for number, items in lines:
        _require_distinct(where, number, items)
        if not (remaining and items == [_REMAINING]):
            _require_known(where, number, items, vocabulary)
        for item in items:
            if item in line_of:
                problem = f"lines {line_of[item]} and {number} both contain item {datum(item)}"
                raise InputError(f"{where}: {problem}; an item may be in one group only")
            line_of[item] = number
    policy = UtilityPolicy.of(items for _, items in lines)
    if vocabulary is None:
        return policy
    if remaining and _REMAINING in line_of:
        return UtilityPolicy(tuple(group for group in policy.groups if group != (_REMAINING,))).completed(vocabulary)
    try:
        policy.codes(vocabulary)
    except InputError as error:
        raise InputError(f"{where}: {error}, or the line {_REMAINING}") from None
    return policy


def read_item_weights(path: str | Path, vocabulary: Vocabulary | None = None) -> ItemWeights:
    """Read weights of item groups. Each line contains a weight in [0, 1] and the items, separated by blanks.

    Raises
    ------
    InputError
        If the file cannot be read, or a line is malformed.
    """
    where = Path(path)
    weights: dict[tuple[str, ...], Fraction] = {}
    for number, (weight, *items) in _lines(where):
        try:
            value = exact(weight)
        except ValueError:
            raise InputError(f"{where}: line {number} must start with a weight in [0, 1]") from None
        if not items or not 0 <= value <= 1:
            raise InputError(f"{where}: line {number} must contain a weight in [0, 1] and an item")
        _require_distinct(where, number, items)
        _require_known(where, number, items, vocabulary)
        weights[tuple(items)] = value
    return ItemWeights.of(weights)


def write_privacy_policy(policy: PrivacyPolicy, path: str | Path) -> Path:
    """Write privacy constraints, one itemset per line.

    Raises
    ------
    InputError
        If an item is empty or contains a line break, or the file cannot be written.
    """
    return _write(policy.itemsets, Path(path))


def write_utility_policy(policy: UtilityPolicy, path: str | Path) -> Path:
    """Write utility constraints, one group per line.

    Raises
    ------
    InputError
        If an item is empty or contains a line break, or the file cannot be written.
    """
    return _write(policy.groups, Path(path))


def _lines(path: Path) -> list[tuple[int, list[str]]]:
    try:
        text = read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: the text is not valid UTF-8 (byte {error.start})") from None
    lines = [(number, _items(path, number, line)) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    if not lines:
        raise InputError(f"{path}: the file is empty; at least one line of items is required")
    return lines


def _items(path: Path, number: int, line: str) -> list[str]:
    if _ITEM.sub("", line).strip():
        msg = f"{path}: line {number}: a quote at the start of an item must close at its end; double a quote within it"
        raise InputError(msg, line=number)
    items = _ITEM.findall(line)
    return [item[1:-1].replace('""', '"') if item.startswith('"') else item for item in items]


def _require_distinct(path: Path, number: int, items: Sequence[str]) -> None:
    earlier: set[str] = set()
    for item in items:
        if item in earlier:
            raise InputError(f"{path}: line {number} contains item {datum(item)} twice; remove one", line=number)
        earlier.add(item)


def _require_known(path: Path, number: int, items: Sequence[str], vocabulary: Vocabulary | None) -> None:
    if vocabulary is not None:
        for item in items:
            if item not in vocabulary.index:
                msg = f"{path}: line {number}: item {datum(item)} does not occur in the data ({len(vocabulary)} items)"
                raise InputError(msg, line=number)


def _write(rows: Iterable[Sequence[str]], path: Path) -> Path:
    lines = []
    for row in rows:
        for item in row:
            if not item or item.splitlines() != [item]:
                msg = f"{path}: item {datum(item)} is empty or contains a line break; each line of this file is a set"
                raise InputError(msg)
        lines.append(f"{items_as_text(row)}\n")
    return write_file(path, [line.encode() for line in lines])


def items_as_text(row: Iterable[str]) -> str:
    """Return items as a line of a policy file.

    >>> items_as_text(["milk", "cat food"])
    'milk "cat food"'
    """
    return " ".join(map(_quoted, row))


def _quoted(item: str) -> str:
    return item if _ITEM.fullmatch(item) and not item.startswith('"') else '"' + item.replace('"', '""') + '"'
