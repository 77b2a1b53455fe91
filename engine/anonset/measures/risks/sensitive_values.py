"""Diversity of sensitive values in the equivalence classes of a publication: the observed l and t.

References: Machanavajjhala, Gehrke, Kifer, Venkitasubramaniam, ICDE 2006 (l-diversity: distinct, entropy); Xiao and
Tao, VLDB 2006 (frequency: a value is in at most 1/l of a class); Li, Li, Venkatasubramanian, ICDE 2007 (t-closeness,
with the equal ground distance).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from anonset.data.array_types import Bools, Float64, Int32, Int64
from anonset.data.distinct import first_of_runs
from anonset.data.hierarchies.hierarchy_rules import NO_VALUE
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.spans import run_spans, spans
from anonset.data.storage.store import Store
from anonset.data.table import CategoricalColumn
from anonset.generalization.row_order import sort_rows
from anonset.generalization.unsorted_rows import UnsortedRows, without_items
from anonset.measures.distinct_records import begins_group


@dataclass(frozen=True)
class ObservedDiversity(RedactedRepr):
    """Smallest l and largest t over all classes. Missing sensitive values are ignored. If all values are missing, all
    attributes are 0.
    """

    classes: int
    """Number of classes in which a sensitive value is known."""
    distinct_l: int
    """Minimum number of different values in a class."""
    frequency_l: float
    """Largest l such that every value is in at most 1/l of the records of each class."""
    entropy_l: float
    """Minimum effective number of values in a class, which is e to the power of the entropy of the value shares."""
    t: float
    """Maximum distance between the distribution of the values in a class and in all records, in [0, 1]."""
    homogeneous_records: int
    """Number of records in classes with a single known value. Anyone who finds the class of a person learns
    this value.
    """


@dataclass(frozen=True, eq=False)
class ClassDiversity(RedactedRepr):
    """Diversity of the sensitive values of each class."""

    size: Int64
    """Number of records with a known value, int64 (C,)."""
    distinct: Int64
    """Number of different values, int64 (C,)."""
    largest: Int64
    """Number of records with the most frequent value, int64 (C,)."""
    entropy: Float64
    """Entropy of the value shares in nats, float64 (C,)."""
    distance: Float64
    """Distance between the distributions of the values in the class and in all records, float64 (C,), in [0, 1]."""

    def worst(self) -> ObservedDiversity:
        """Return the smallest l and the largest t."""
        if not len(self.size):
            return ObservedDiversity(0, 0, 0.0, 0.0, 0.0, 0)
        return ObservedDiversity(
            len(self.size),
            int(self.distinct.min()),
            float((self.size / self.largest).min()),
            float(np.exp(self.entropy).min()),
            float(self.distance.max()),
            int(self.size[self.distinct == 1].sum()),
        )


def _diversity(of: Int64, value: Int64, count: Int64, overall: Float64) -> ClassDiversity:
    """Return the diversity of each class. `count` is the number of records of each pair of a class and a value.

    Pairs are sorted by class.
    """
    start = np.flatnonzero(first_of_runs(of))
    of = np.repeat(np.arange(len(start)), np.diff(np.append(start, len(of))))
    size: Int64 = np.add.reduceat(count, start) if len(start) else np.zeros(0, np.int64)
    share = count / size[of]
    if not len(size):
        return ClassDiversity(size, size, size, np.zeros(0), np.zeros(0))
    return ClassDiversity(
        size,
        np.diff(np.append(start, len(of))).astype(np.int64),
        np.maximum.reduceat(count, start).astype(np.int64),
        np.maximum(np.add.reduceat(-share * np.log(share), start), 0.0),
        _distance_to_overall(value, share, overall, start),
    )


def observed_diversity(group: Sequence[Int32], values: CategoricalColumn, store: Store) -> ObservedDiversity:
    """Return the smallest l and the largest t over the classes. The ground distance between any two values is 1.

    Missing values are ignored. Records are sorted in the store and measured in blocks.

    Parameters
    ----------
    group
        Code arrays, int32 (n,) each. Records with equal codes in all arrays are in the same class. If there are no
        arrays, all records are in one class.

    Examples
    --------
    >>> from anonset.data.storage.store import MEMORY
    >>> illness = CategoricalColumn.of("illness", ["flu", "flu", "flu", "asthma"])
    >>> observed_diversity([np.array([0, 0, 1, 1], np.int32)], illness, MEMORY).distinct_l
    1
    """
    n, smallest = values.n, ClassDiversity(*np.zeros((3, 0), np.int64), *np.zeros((2, 0))).worst()
    is_known = known_values(values)
    overall = np.where(is_known, values.occurrences, 0) / max(1, int(values.occurrences[is_known].sum()))
    with store.nested() as scratch, scratch.growing("class", np.int64) as growing_of:
        largest = [*(int(codes.max(initial=0)) + 1 for codes in group), len(values.vocabulary), 0]
        columns = sort_rows(
            UnsortedRows(without_items(n), [*group, values.codes]), largest=largest, store=scratch
        ).columns
        with scratch.growing("value", np.int32) as growing_value, scratch.growing("start", np.int64) as growing_start:
            last = -1
            for a, b in spans(n):
                of_row = last + np.cumsum(begins_group(columns[:-1], a, b))
                first = np.flatnonzero(begins_group(columns, a, b))
                growing_of.append(of_row[first])
                growing_value.append(columns[-1][a:b][first])
                growing_start.append(first + a)
                last = int(of_row[-1])
            growing_start.append(np.array([n], np.int64))
        of, value, start = growing_of.finished(), growing_value.finished(), growing_start.finished()
        for a, b in run_spans(of):
            is_counted, counts = is_known[value[a:b]], np.diff(start[a : b + 1])
            diversity = _diversity(of[a:b][is_counted], value[a:b][is_counted], counts[is_counted], overall)
            smallest = _combined(smallest, diversity.worst())
    return smallest


def known_values(values: CategoricalColumn) -> Bools:
    """Return True for the categories that are known values, bool (M,). An empty text and ``?`` are missing values."""
    labels = values.vocabulary.labels
    return np.fromiter((label.strip() not in NO_VALUE for label in labels), np.bool_, len(labels))


def _combined(first: ObservedDiversity, second: ObservedDiversity) -> ObservedDiversity:
    """Return the smallest l and the largest t of two sets of classes together."""
    if not first.classes or not second.classes:
        return first if first.classes else second
    return ObservedDiversity(
        first.classes + second.classes,
        min(first.distinct_l, second.distinct_l),
        min(first.frequency_l, second.frequency_l),
        min(first.entropy_l, second.entropy_l),
        max(first.t, second.t),
        first.homogeneous_records + second.homogeneous_records,
    )


def _distance_to_overall(value: Int64, share: Float64, overall: Float64, start: Int64) -> Float64:
    """Return the distance between the value shares of each class and the overall shares.

    It is the sum of the positive differences.
    """
    above: Float64 = np.add.reduceat(np.maximum(share - overall[value], 0.0), start)
    return above
