"""How surely a bucketized table tells the sensitive value of a row, and a value that somebody with several rows has.

Which row of a group has which of its values is what is hidden: each way to hand them out is taken to be as likely as
the others, and what happens in one group to tell nothing of another.
"""

import numpy as np
from numpy.typing import NDArray

from anonset.data.table import Int64
from anonset.generalization.buckets import BucketPublication
from anonset.measures.equivalence_classes import class_of

Float64 = NDArray[np.float64]


def of_groups(publication: BucketPublication) -> Float64:
    """Return float64 (groups,): the share of the most frequent value of each group, the best guess for its rows."""
    most = np.zeros(publication.n_groups)
    np.maximum.at(most, publication.snt_group, publication.snt_count)
    found: Float64 = most / np.maximum(publication.sizes, 1)
    return found


def of_values(publication: BucketPublication, rows: Int64, values: Int64) -> Float64:
    """Return float64 (r,): the share that a value, given by its code for each of some rows, has in the row's group."""
    width = max(1, len(publication.snt_value.vocabulary))
    keys = publication.snt_group.astype(np.int64) * width + publication.snt_value.codes
    groups = publication.group.codes[rows].astype(np.int64)
    wanted = groups * width + values
    at = np.minimum(np.searchsorted(keys, wanted), max(0, len(keys) - 1))
    there = (keys[at] == wanted) & (values >= 0) if len(keys) else np.zeros(len(rows), bool)
    counts = np.where(there, publication.snt_count[at], 0) if len(keys) else np.zeros(len(rows))
    found: Float64 = counts / np.maximum(publication.sizes[groups], 1)
    return found


def persons(publication: BucketPublication) -> tuple[Int64, Int64]:
    """Return the rows whose identity is shown, and the person of each: int64 (v,) both, persons from 0."""
    shown = np.flatnonzero(~publication.starred) if publication.ids else np.zeros(0, np.int64)
    return shown, class_of([column.take(shown) for column in publication.ids], len(shown))


def of_persons(publication: BucketPublication) -> Float64:
    """Return float64 (persons,): how likely each has the value that is likeliest to be on one of the person's rows.

    The chance that none of t rows of a group of s has a value that c of them have is that of t draws without return.

    >>> from anonset.data import CategoricalColumn, Table
    >>> from anonset.generalization import Buckets
    >>> ids = CategoricalColumn.of("patient", ["P1", "P1", "P2"])
    >>> table = Table(sensitive=CategoricalColumn.of("drug", ["a", "b", "c"]), ids=(ids,))
    >>> publication = BucketPublication.of(table, Buckets(np.zeros(3, np.int32), np.zeros(3, bool)))
    >>> of_persons(publication).round(3).tolist()
    [0.667, 0.333]

    Cost: the values of each group, for each person with rows in it.
    """
    from scipy.special import gammaln

    rows, person = persons(publication)
    n_persons = int(person.max(initial=-1)) + 1
    most = np.zeros(n_persons)
    if not n_persons:
        return most
    pairs, tuples = np.unique(person * publication.n_groups + publication.group.codes[rows], return_counts=True)
    who, group = pairs // publication.n_groups, pairs % publication.n_groups
    start = np.searchsorted(publication.snt_group, np.arange(publication.n_groups + 1))
    width = np.diff(start)[group]
    of = np.repeat(np.arange(len(pairs)), width)
    at = np.arange(len(of)) - np.repeat(np.cumsum(width) - width, width) + start[group][of]
    size, taken = publication.sizes[group][of].astype(float), tuples[of].astype(float)
    without = size - publication.snt_count[at]
    certain = without < taken
    left = np.where(certain, taken, without)
    none = gammaln(left + 1) - gammaln(left - taken + 1) - gammaln(size + 1) + gammaln(size - taken + 1)
    key = who[of] * len(publication.snt_value.vocabulary) + publication.snt_value.codes[at]
    keys, inverse = np.unique(key, return_inverse=True)
    total = np.bincount(inverse, np.where(certain, -np.inf, none))
    np.maximum.at(most, keys // len(publication.snt_value.vocabulary), -np.expm1(total))
    return most
