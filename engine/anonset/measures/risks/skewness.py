"""Skewness attack. An attacker guesses a sensitive value from its frequency in an equivalence class.

Reference: Li, Li, Venkatasubramanian, ICDE 2007, section 3. The paper shows that l-diversity does not prevent this
attack.
"""

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from anonset.columns.headers import has_usual_value
from anonset.columns.missing import words_for_no_item
from anonset.data.array_types import Int64
from anonset.data.distinct import first_of_runs
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.table import CategoricalColumn
from anonset.measures.risks.sensitive_values import known_values

DEALS = 10
"""Number of random permutations of the values that are used as a control."""
ONE_SIDED = 0.6
"""Relative frequency of a value from which a class is one-sided."""


@dataclass(frozen=True)
class LikeliestValue(RedactedRepr):
    """Value whose relative frequency in a class exceeds that in all rows most."""

    value: str = field(default="", repr=False)
    in_class: int = 0
    """Number of rows of the class with the value."""
    class_size: int = 0
    in_all: int = 0
    """Number of all rows with the value."""


@dataclass(frozen=True)
class Skewness(RedactedRepr):
    """Success of guessing the sensitive value of a row, with and without its class. All attributes are 0 if all values
    are missing.
    """

    guessed_of_all: float
    """Share of the rows with the most frequent value of all rows. This is the success without classes."""
    guessed: float
    """Share of the rows with the most frequent value of their class. This is the success with classes."""
    by_chance: float
    """Value of `guessed` for randomly permuted values, which shows the effect of small classes."""
    doubled: float
    """Share of the rows whose value is at least twice as frequent in the class as in all rows."""
    largest_gain: float
    """Maximum ratio of the relative frequency of a value in a class to its relative frequency in all rows."""
    alone: float
    """Share of the rows in classes with a single value. Anyone who finds the class learns this value."""
    alone_by_chance: float
    """Value of `alone` for randomly permuted values."""
    likeliest: LikeliestValue = field(default_factory=LikeliestValue, repr=False, kw_only=True)
    """Value with the maximum ratio, and its class."""
    common: str = field(default="", repr=False, kw_only=True)
    """Most frequent value of all rows, if it is a word for none, or the most frequent value of each class, and may say
    nothing about a person (`has_usual_value`). Empty otherwise.
    """
    common_share: float = field(default=0.0, kw_only=True)
    """Maximum relative frequency of `common` in a class."""
    largest_share: float = field(default=0.0, kw_only=True)
    """Maximum relative frequency of another value in a class."""
    largest: str = field(default="", repr=False, kw_only=True)
    """The value with `largest_share`."""
    one_sided: float = field(default=0.0, kw_only=True)
    """Share of the classes in which another value has a relative frequency of at least `ONE_SIDED`."""

    def without_values(self) -> "Skewness":
        """Return the figures without values of the column."""
        return replace(self, likeliest=replace(self.likeliest, value=""), largest="", common="")


def skewness(class_of: NDArray[np.integer], values: CategoricalColumn, seed: int = 0) -> Skewness:
    """Guess the value of each row from its class. As a control, repeat this with randomly permuted values.

    Rows with a missing value are ignored. Cost: O(n log n), and ten times this cost for the control.

    Parameters
    ----------
    class_of
        Class of each row as an integer, (n,). Classes are numbered from 0.
    values
        The sensitive column, published unchanged.

    Examples
    --------
    >>> illness = CategoricalColumn.of("illness", ["flu", "flu", "flu", "ulcer", "ulcer", "flu"])
    >>> found = skewness(np.array([0, 0, 0, 1, 1, 1]), illness)
    >>> round(found.guessed_of_all, 3), round(found.guessed, 3), round(found.doubled, 3), found.likeliest.value
    (0.667, 0.833, 0.333, 'ulcer')
    """
    is_known = known_values(values)[values.codes]
    n = int(np.count_nonzero(is_known))
    if not n:
        return Skewness(*[0.0] * 7)
    class_of, codes = class_of[is_known], values.codes[is_known].astype(np.int64)
    size = np.bincount(class_of)
    overall = np.bincount(codes)
    of, value, count = _pairs(class_of, codes)
    gain = (count / size[of]) / (overall[value] / n)
    most = int(gain.argmax())
    likeliest = LikeliestValue(
        values.vocabulary.labels[value[most]], int(count[most]), int(size[of[most]]), int(overall[value[most]]),
    )  # fmt: skip
    begins, share, top = np.flatnonzero(first_of_runs(of)), count / size[of], int(overall.argmax())
    label, is_top = values.vocabulary.labels[top], value == top
    highest, of_top = (np.maximum.reduceat(one, begins) for one in (share, np.where(is_top, share, 0.0)))
    always = len(begins) > 1 and bool((highest == of_top).all())
    is_usual = (always or bool(words_for_no_item([label]))) and has_usual_value(values.name)
    is_left_out = is_top & is_usual
    others = np.where(is_left_out, 0.0, share)
    largest, of_left_out = np.maximum.reduceat(others, begins), float(np.max(share, where=is_left_out, initial=0.0))
    twice = count * n >= 2 * overall[value] * size[of]
    random = np.random.default_rng(seed)
    dealt = np.array([_guessed(class_of, random.permutation(codes)) for _ in range(DEALS)])
    guessed, n_unique = _guessed(class_of, codes)
    return Skewness(
        float(overall.max() / n),
        guessed / n,
        float(np.mean(dealt[:, 0])) / n,
        float(count[twice].sum() / n),
        float(gain[most]),
        n_unique / n,
        float(np.mean(dealt[:, 1])) / n,
        likeliest=likeliest,
        common=label if of_left_out else "",
        common_share=of_left_out,
        largest_share=float(largest.max()),
        largest=values.vocabulary.labels[value[int(others.argmax())]] if largest.any() else "",
        one_sided=float(np.mean(largest >= ONE_SIDED)),
    )


def _pairs(class_of: NDArray[np.integer], codes: Int64) -> tuple[Int64, Int64, Int64]:
    """Return the distinct pairs of a class and a value, and the number of rows with each pair."""
    width = int(codes.max()) + 1
    pairs, count = np.unique(class_of.astype(np.int64) * width + codes, return_counts=True)
    return pairs // width, pairs % width, count.astype(np.int64)


def _guessed(class_of: NDArray[np.integer], codes: Int64) -> tuple[int, int]:
    """Return the number of rows with the most frequent value of their class, and in classes with a single value."""
    of, _, count = _pairs(class_of, codes)
    begins = np.flatnonzero(first_of_runs(of))
    most, values = np.maximum.reduceat(count, begins), np.diff(np.append(begins, len(of)))
    return int(most.sum()), int(most[values == 1].sum())
