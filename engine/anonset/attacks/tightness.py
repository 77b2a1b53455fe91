"""Tightness. This attack uses ranges that are as narrow as possible. Both ends of such a range are values of rows.

Local recodings publish each class as the lowest value that covers all its rows. For numbers this is the range from the
smallest to the largest value. An attacker finds the class of a person and guesses an end of the range. The guess is
right for at least one row of the class, regardless of the width of the range. Without this attack, the attacker guesses
the most frequent value of the range, and ignores the ends. Ranges that a hierarchy defines are not attacked, because
their ends need not be values of rows. If ends are rounded, the attacker guesses the nearest data values.

Tight nodes imply that at least two children occur, and tight sets imply that all members occur. This information does
not make any value of a row more likely.
"""

import numpy as np

from anonset.attacks.base import AttackInput, AttackResult, AttackSuccess
from anonset.data import NumericColumn
from anonset.data.array_types import Int64
from anonset.publications.symbols import range_ends
from anonset.spelling import printable, setting

_WHY = "with a numeric column that is published as ranges"


def tightness(scene: AttackInput) -> tuple[AttackResult, ...] | str:
    """Guess that the number in a random row is the more frequent end of the published range of its class."""
    if scene.original is None:
        return f"it needs {setting('original')} {_WHY}"
    columns = [
        column
        for column in scene.original.relational
        if isinstance(column, NumericColumn) and column.name not in scene.hierarchies
    ]
    outcomes = [_ends_of(scene, column) for column in columns]
    return tuple(outcome for outcome in outcomes if outcome is not None) or f"it needs {setting('original')} {_WHY}"


def _ends_of(scene: AttackInput, column: NumericColumn) -> AttackResult | None:
    """Return the share of rows whose value is the guessed end of their range. Return None if no row has a range."""
    published = next(candidate for candidate in scene.publication.relational if candidate.name == column.name)
    ends = np.array([[float(end) for end in range_ends(label)] for label in published.vocabulary.labels]).reshape(-1, 2)
    wide = np.flatnonzero(ends[published.codes, 0] < ends[published.codes, 1])
    if not len(wide):
        return None
    random = np.random.default_rng(scene.seed)
    rows = np.sort(random.permutation(wide)[: scene.attempts])
    low, high = ends[published.codes[rows]].T
    values = column.values[scene.publication.record[rows]]
    domain, count = np.unique(column.values, return_counts=True)
    first, last = np.searchsorted(domain, low), np.searchsorted(domain, high, side="right")
    often = [a + int(count[a:b].argmax()) for a, b in zip(first.tolist(), last.tolist(), strict=True)]

    def right(first: Int64, second: Int64) -> AttackSuccess:
        """Return the success of guessing the more frequent of two values."""
        return AttackSuccess(
            None, float((domain[np.where(count[second] > count[first], second, first)] == values).mean())
        )

    without, won = right(np.array(often), np.array(often)), right(first, last - 1)
    control = right(*random.integers(first, last, size=(2, len(rows))))
    name = printable(column.name)
    knows = f"the class of a person, and value frequencies of {name!r}; guesses that the value is an end of the range"
    return AttackResult("tightness", knows, len(rows), without, won, control)
