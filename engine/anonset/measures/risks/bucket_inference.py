"""Probability that an attacker infers a sensitive value from a bucketized table, for a row or for a person with several
rows.

The publication does not show which row of a group has which value. The computation assumes that all assignments are
equally likely, and that groups are independent.
"""

import numpy as np

from anonset.data.array_types import Float64, Int64
from anonset.data.distinct import first_of_runs
from anonset.data.equivalence_classes import class_of
from anonset.data.spans import gathered, run_spans, spans
from anonset.measures.risks.sensitive_values import ClassDiversity, ObservedDiversity
from anonset.measures.visible_individuals import VisibleIndividuals
from anonset.publications import Buckets
from anonset.publications.buckets import sums_by_code


def of_groups(publication: Buckets) -> Float64:
    """Return the share of the most frequent value in each group, float64 (groups,).

    It is the probability that an attacker who guesses this value is right.
    """
    most = np.zeros(publication.n_groups)
    for first, end in spans(len(publication.snt_group)):
        np.maximum.at(most, publication.snt_group[first:end], publication.snt_count[first:end])
    share: Float64 = most / np.maximum(publication.sizes, 1)
    return share


def of_values(publication: Buckets, rows: Int64, values: Int64) -> Float64:
    """Return the share of a value in the group of each row, float64 (r,). `values` contains one value code per row."""
    groups, codes = publication.group.codes[rows], publication.snt_value.codes
    low = np.searchsorted(publication.snt_group, groups)
    stop = np.searchsorted(publication.snt_group, groups, side="right")
    high = stop
    while (open_ := low < high).any():  # binary search, because values are ascending in each group
        middle = (low + high) // 2
        below = codes[np.where(open_, middle, 0)] < values
        low, high = np.where(open_ & below, middle + 1, low), np.where(open_ & ~below, middle, high)
    inside = low < stop
    entry = np.where(inside, low, 0)
    is_found = inside & (codes[entry] == values) if len(codes) else inside
    counts = np.where(is_found, publication.snt_count[entry], 0) if len(codes) else np.zeros(len(rows))
    share: Float64 = counts / np.maximum(publication.sizes[groups], 1)
    return share


def likeliest(publication: Buckets, rows: Int64) -> Int64:
    """Return the code of the most frequent value in the group of each row, int64 (r,). -1 for a group without values.

    If several values are equally frequent, the first is returned.
    """
    groups, of = np.unique(publication.group.codes[rows], return_inverse=True)
    first = np.searchsorted(publication.snt_group, groups)
    end = np.searchsorted(publication.snt_group, groups, side="right")
    most_frequent = np.full(len(groups), -1, np.int64)
    for place, (low, high) in enumerate(zip(first.tolist(), end.tolist(), strict=True)):
        if low < high:
            most_frequent[place] = publication.snt_value.codes[low + int(np.argmax(publication.snt_count[low:high]))]
    most: Int64 = most_frequent[of]
    return most


def bucket_diversity(publication: Buckets) -> ObservedDiversity:
    """Return the smallest l and the largest t over all groups.

    `observed_diversity` returns these measures for equivalence classes. Groups are processed in blocks.
    """
    groups, values = publication.snt_group, publication.snt_value
    overall = sums_by_code(values.codes, publication.snt_count, len(values.vocabulary)) / max(1, publication.n)
    parts = []
    for rows in run_spans(groups):
        part = slice(*rows)
        count, code = publication.snt_count[part], values.codes[part]
        start = np.flatnonzero(first_of_runs(groups[part]))
        distinct = np.diff(np.append(start, len(code)))
        size = np.add.reduceat(count, start)
        share = count / np.repeat(size, distinct)
        entropy = np.maximum(np.add.reduceat(-share * np.log(share), start), 0.0)
        distance = np.add.reduceat(np.maximum(share - overall[code], 0.0), start)
        parts.append(ClassDiversity(size, distinct, np.maximum.reduceat(count, start), entropy, distance).worst())
    if not parts:
        return ObservedDiversity(0, 0, 0.0, 0.0, 0.0, 0)
    return ObservedDiversity(
        sum(part.classes for part in parts),
        min(part.distinct_l for part in parts),
        min(part.frequency_l for part in parts),
        min(part.entropy_l for part in parts),
        max(part.t for part in parts),
        sum(part.homogeneous_records for part in parts),
    )


def persons(publication: VisibleIndividuals) -> tuple[Int64, Int64]:
    """Return the rows with a visible identity, int64 (v,), and the person of each of these rows, int64 (v,).

    Persons are numbered from 0.
    """
    shown = np.flatnonzero(~publication.starred) if publication.ids else np.zeros(0, np.int64)
    return shown, class_of([column.take(shown) for column in publication.ids], len(shown))


def of_persons(publication: VisibleIndividuals) -> Float64:
    """Return the probability that the best guess of a value of each person is right, float64 (persons,).

    If c of the s rows of a group have a value, the number of a person's t rows with the value is hypergeometric.

    >>> from anonset.data import CategoricalColumn, Table
    >>> from anonset.generalization import Bucketized
    >>> from anonset.generalization.bucketizing import bucketize
    >>> ids = CategoricalColumn.of("patient", ["P1", "P1", "P2"])
    >>> table = Table(sensitive=CategoricalColumn.of("drug", ["a", "b", "c"]), ids=(ids,))
    >>> publication = bucketize(table, Bucketized(np.zeros(3, np.int32), np.zeros(3, bool)))
    >>> of_persons(publication).round(3).tolist()
    [0.667, 0.333]

    Cost: for each person, a step per value in the groups of the person's rows.
    """
    from scipy.special import gammaln

    rows, person = persons(publication)
    n_persons = int(person.max(initial=-1)) + 1
    most = np.zeros(n_persons)
    if not n_persons:
        return most
    pairs, tuples = np.unique(person * publication.n_groups + publication.group.codes[rows], return_counts=True)
    individual, group = pairs // publication.n_groups, pairs % publication.n_groups
    start = np.searchsorted(publication.snt_group, np.arange(publication.n_groups + 1))
    width = np.diff(start)[group]
    of = np.repeat(np.arange(len(pairs)), width)
    _, entry = gathered(start[group], width)
    size, n_tuples = publication.sizes[group][of].astype(float), tuples[of].astype(float)
    without = size - publication.snt_count[entry]
    certain = without < n_tuples
    upper = np.where(certain, n_tuples, without)
    none = gammaln(upper + 1) - gammaln(upper - n_tuples + 1) - gammaln(size + 1) + gammaln(size - n_tuples + 1)
    key = individual[of] * len(publication.snt_value.vocabulary) + publication.snt_value.codes[entry]
    keys, inverse = np.unique(key, return_inverse=True)
    total = np.bincount(inverse, np.where(certain, -np.inf, none))
    np.maximum.at(most, keys // len(publication.snt_value.vocabulary), -np.expm1(total))
    return most
