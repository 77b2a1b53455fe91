"""Check the l-diversity of bucketized tables, which limits the share of each sensitive value in each group."""

from typing import Any

import numpy as np

from anonset.data.spans import ascending, run_spans, spans
from anonset.privacy.anatomy import AnatomyDiversity
from anonset.privacy.model import Verdict, Witness
from anonset.publications import Buckets


def check_anatomy(publication: Buckets, model: AnatomyDiversity) -> Verdict:
    """Check every group. The witness of a violation contains the first violating group and its most frequent value.

    The check needs no budget, because it costs O(n log(n)).

    >>> from anonset.data import CategoricalColumn, Table
    >>> from anonset.generalization import Bucketized
    >>> from anonset.generalization.bucketizing import bucketize
    >>> table = Table(sensitive=CategoricalColumn.of("drug", ["a", "b", "a"]))
    >>> publication = bucketize(table, Bucketized(np.zeros(3, np.int32), np.zeros(3, bool)))
    >>> print(check_anatomy(publication, AnatomyDiversity(l=2)).witness.detail)
    'a' is in 2 of the 3 tuples of group 1, more than 1/2 of them
    """
    witness = concentration(publication, model.l)
    return Verdict(witness is None, model, checked_groups(publication), witness)


def checked_groups(publication: Buckets) -> dict[str, Any]:
    """Return the number of rows, groups and distinct values of a publication."""
    return {
        "rows": publication.n,
        "groups": publication.n_groups,
        "values": len(publication.snt_group),
        "covered": "all groups",
    }


def concentration(publication: Buckets, l: int) -> Witness | None:  # noqa: E741
    """Return the first group in which the share of a value exceeds 1/l, and the most frequent value of the group.
    Return None if there is no such group.

    Group sizes are computed from the rows of the sensitive table. These rows may be in any order.
    """
    groups = publication.snt_group
    for rows in run_spans(groups) if ascending(groups) else [(0, len(groups))]:
        witness = _concentration(publication, rows, l)
        if witness is not None:
            return witness
    return None


def _concentration(publication: Buckets, rows: tuple[int, int], l: int) -> Witness | None:  # noqa: E741
    """Return the first violation among the groups of a range of rows of the sensitive table, or None."""
    n_values, part = max(1, len(publication.snt_value.vocabulary)), slice(*rows)
    keys = publication.snt_group[part].astype(np.int64) * n_values + publication.snt_value.codes[part]
    order = np.argsort(keys, kind="stable")
    pair, begin = np.unique(keys[order], return_index=True)
    count = np.add.reduceat(publication.snt_count[part][order], begin) if len(begin) else np.zeros(0, np.int64)
    group = pair // n_values
    of = np.unique(group, return_inverse=True)[1]
    sizes = np.zeros(int(of.max(initial=-1)) + 1, np.int64)
    np.add.at(sizes, of, count)
    size = sizes[of]
    over = np.flatnonzero(l * count > size)
    if not len(over):
        return None
    of_first = over[group[over] == group[over[0]]]
    worst = int(of_first[np.argmax(count[of_first])])
    violating, value = int(group[worst]), publication.snt_value.vocabulary.labels[int(pair[worst] % n_values)]
    detail = (
        f"{value!r} is in {count[worst]} of the {size[worst]} tuples of group "
        f"{publication.group.vocabulary.labels[violating]}, more than 1/{l} of them"
    )
    return Witness((value,), int(size[worst]), l * int(count[worst]), row_of_group(publication, violating), detail)


def row_of_group(publication: Buckets, group: int) -> int:
    """Return the first QIT row of a group."""
    codes = publication.group.codes
    rows = (first + int(np.argmax(codes[first:end] == group)) for first, end in spans(len(codes)))
    return next(row for row in rows if codes[row] == group)
