"""What safe grouping loses where a tuple that is anonymized for l-diversity still counts in its group.

The paper does not say whether it does. The engine takes such tuples out, so that the group shrinks and more must go:
whoever counts the published tuples of a group must find it l-diverse. Here they stay, and no value may be seen on more
than 1/l of the group as it was; everything else is as in the engine, the groups are the same ones.
"""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from anonset_kernels._jit import kernel

if TYPE_CHECKING:
    from anonset import Table


class Lost(NamedTuple):
    """Tuples that are lost, each once."""

    for_diversity: int
    """Anonymized because their value is on more than 1/l of their group."""
    with_groups: int
    """Others of groups in which fewer than k individuals are left."""
    for_equality: int
    """Others whose identity is starred, so that all individuals of a group show equally many."""


def lost_if_counted(table: "Table", k: int, l: int, seed: int) -> Lost:  # noqa: E741
    """Return what is lost in the groups that `SafeGrouping` of the same parameters forms."""
    from anonset.algorithms.buckets.base import random_runs, sensitive_column, sorted_rows
    from anonset.algorithms.buckets.draws import Draws
    from anonset.algorithms.buckets.safe_grouping import LARGER, ORDER
    from anonset_kernels.safe_grouping import group_bounds

    by_id, runs = sorted_rows(table.ids)
    draws, sensitive = Draws.of(table, seed), sensitive_column(table)
    tuples, start = random_runs(by_id, runs, draws, ORDER)
    with np.errstate(over="ignore"):  # sums of draws wrap around, which NumPy says where kernels run as plain Python
        bounds = group_bounds(len(start) - 1, k, draws.key(LARGER))
    return Lost(*map(int, count_lost(sensitive.codes[tuples], start, bounds, len(sensitive.vocabulary), k, l)))


@kernel()
def count_lost(value: Any, start: Any, bounds: Any, n_values: int, k: int, l: int) -> Any:  # noqa: E741
    """Count the tuples lost, int64 (3,): see `Lost`.

    Parameters
    ----------
    value
        int32 (n,): sensitive value of the tuple at each place.
    start
        int64 (persons + 1,): where each person's tuples start.
    bounds
        int64 (groups + 1,): where each group's persons start.

    A frequent value loses its tuples to the person with most tuples left of those with it, the first of several.
    """
    lost = np.zeros(3, np.int64)
    for number in range(len(bounds) - 1):
        first, last = bounds[number], bounds[number + 1]
        begin, size = start[first], start[last] - start[first]
        left, kept = start[first + 1 : last + 1] - start[first:last], np.ones(size, np.bool_)
        count = np.zeros(n_values, np.int64)
        for at in range(begin, begin + size):
            count[value[at]] += 1
        for code in range(n_values):
            for _ in range(count[code] - size // l):
                best, its_person = -1, -1
                for person in range(last - first):
                    for at in range(start[first + person], start[first + person + 1]):
                        wanted = kept[at - begin] and value[at] == code
                        if wanted and (best < 0 or left[person] > left[its_person]):
                            best, its_person = at - begin, person
                kept[best] = False
                left[its_person] -= 1
                lost[0] += 1
        n_left = left.sum()
        n_persons, fewest = 0, size
        for tuples in left:
            if tuples > 0:
                n_persons, fewest = n_persons + 1, min(fewest, tuples)
        if n_persons < k:
            lost[1] += n_left
        else:
            lost[2] += n_left - n_persons * fewest
    return lost
