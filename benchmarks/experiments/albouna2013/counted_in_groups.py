"""Count the loss of safe grouping if tuples that are anonymized for l-diversity still count as members of their group.

The paper does not state whether these tuples count. The engine removes tuples for l-diversity, so the group shrinks and
more tuples must be removed until the published tuples of the group are l-diverse. In this module, removed tuples still
count, and no value may occur in more than 1/l of the original group. The groups are computed by the engine.
"""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from anonset_kernels._jit import kernel

if TYPE_CHECKING:
    from anonset import Table


class Lost(NamedTuple):
    """Numbers of lost tuples by reason. Each tuple is counted once."""

    for_diversity: int
    """Tuples that are anonymized because their value occurs in more than 1/l of their group."""
    with_groups: int
    """Tuples that are lost because fewer than k individuals of their group remain. Excludes `for_diversity`."""
    for_equality: int
    """Tuples with a suppressed identity, so that all individuals of a group have equally many tuples. Excludes
    `for_diversity` and `with_groups`.
    """


def lost_if_counted(table: "Table", k: int, l: int, seed: int) -> Lost:  # noqa: E741
    """Return the losses for the groups that `SafeGrouping` forms with the same parameters."""
    from anonset.algorithms.buckets.base import random_runs, sensitive_column, sorted_rows
    from anonset.algorithms.buckets.draws import Draws
    from anonset.algorithms.buckets.safe_grouping import LARGER, ORDER
    from anonset.privacy.safe_grouping import SafetyConstraint
    from anonset_kernels.buckets.safe_grouping import group_bounds

    by_id, runs = sorted_rows(table.ids)
    draws, sensitive = Draws.of(table, seed), sensitive_column(table, SafetyConstraint.name)
    tuples, start = random_runs(by_id, runs, draws, ORDER)
    with np.errstate(over="ignore"):  # draws overflow on purpose; NumPy warns when kernels run as plain Python
        bounds = group_bounds(len(start) - 1, k, draws.key(LARGER))
    return Lost(*map(int, count_lost(sensitive.codes[tuples], start, bounds, len(sensitive.vocabulary), k, l)))


@kernel(allocates=True)
def count_lost(value: Any, start: Any, bounds: Any, n_values: int, k: int, l: int) -> Any:  # noqa: E741
    """Count the lost tuples, int64 (3,), in the order of the fields of `Lost`.

    Parameters
    ----------
    value
        int32 (n,): sensitive value of each tuple.
    start
        int64 (persons + 1,): first tuple of each person.
    bounds
        int64 (groups + 1,): first person of each group.

    If a value is too frequent, a tuple with this value is removed. The tuple belongs to the person with the most
    remaining tuples. Ties are broken by position.
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
