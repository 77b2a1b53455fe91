"""Loss of published relational values, computed from their labels."""

from collections.abc import Mapping
from math import fsum, nan

import numpy as np

from anonset.data import CategoricalColumn, Hierarchy, Table
from anonset.data.decimals import LARGEST_NUMBER
from anonset.data.domains import Domain, Range, ValueSet, domain_of
from anonset.errors import InputError, datum
from anonset.publications.symbols import members_of, range_ends


def published_relational_loss(
    original: Table,
    published: tuple[CategoricalColumn, ...],
    hierarchies: Mapping[str, Hierarchy],
    weights: Mapping[str, float] | None = None,
) -> float:
    """Return the mean NCP of the published relational values over the records. Return 0 if there are no records.

    The cost of an unchanged value is 0. The cost of ``[low:high]`` is its share of the range from the smallest to the
    largest original value. The cost of ``(a,b,c)`` is its share of the original values. The cost of a node is its share
    of the leaves.

    Raises
    ------
    InputError
        If a column is missing, a label has another form, or the weights name other columns.
    """
    names = [column.name for column in original.relational]
    if weights is not None and set(weights) != set(names):
        differing = sorted(set(weights) ^ set(names))[0]
        msg = f"relational weights must name each relational column once ({', '.join(names)}); {differing!r} differs"
        raise InputError(msg)
    if not original.n:
        return 0.0
    by_name = {column.name: column for column in published}
    total = []
    for column in original.relational:
        if column.name not in by_name:
            raise InputError(f"the publication lacks the relational column {column.name!r}")
        after = by_name[column.name]
        weight = 1.0 / len(original.relational) if weights is None else weights[column.name]
        counts = np.bincount(after.codes, minlength=len(after.vocabulary)).tolist()
        domain = domain_of(column, hierarchies.get(column.name))
        costs = [_cost(label, column.name, domain) for label in after.vocabulary.labels]
        total += [weight * count * cost for count, cost in zip(counts, costs, strict=True)]
    return fsum(total) / original.n


def _cost(label: str, name: str, domain: Domain) -> float:
    if isinstance(domain, Range):
        low, high = range_ends(label)
        try:
            first, last = float(low), float(high)
        except ValueError:
            first, last = nan, nan
        if not 0 <= last - first <= 2 * LARGEST_NUMBER:
            raise InputError(f"column {name!r}: {datum(label)} must be a number or a range such as [19:22]")
        covered = max(0.0, min(last, domain.high) - max(first, domain.low))
        return covered / (domain.high - domain.low) if domain.high > domain.low else 0.0
    if isinstance(domain, ValueSet):
        size = len(members_of(label))
        if size == 1 and label not in domain.vocabulary.index:
            msg = f"column {name!r}: {datum(label)} is not a value of the original; a hierarchy or range may be missing"
            raise InputError(msg)
        return size / len(domain.vocabulary) if size > 1 else 0.0
    members = members_of(label)
    if label not in domain.node_of and len(members) > 1 and all(x in domain.leaves.index for x in members):
        return len(members) / domain.n_leaves
    if label not in domain.node_of:
        raise InputError(f"column {name!r}: {datum(label)} must be a node of the hierarchy, or a set of leaves")
    below = int(domain.n_leaves_below[domain.node_of[label]])
    return below / domain.n_leaves if below > 1 else 0.0
