"""Safe grouping without random draws: an insecure version that attacks must detect.

Groups are numbered in order of formation, by descending tuple count and then by name. The last group receives all
remaining individuals. The first individual by name loses the last of several removable tuples. The first tuples are
published.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from reference.buckets import Grouping


def deterministic_grouping(ids: Sequence[Any], values: Sequence[str], k: int, l: int) -> Grouping:  # noqa: E741
    """Group the tuples of k individuals at a time, remove tuples for diversity, star tuples for equal visibility."""
    grouping = Grouping([None] * len(values))
    tuples: dict[Any, list[int]] = {}
    for t, u in enumerate(ids):
        tuples.setdefault(u, []).append(t)
    waiting = sorted(tuples, key=lambda u: (-len(tuples[u]), u))
    number = 0
    while len(waiting) >= k:
        size = len(waiting) if len(waiting) < 2 * k else k
        chosen, waiting = waiting[:size], waiting[size:]
        group = [t for u in chosen for t in tuples[u]]
        make_diverse(group, ids, values, l)
        visible = Counter(ids[t] for t in group)
        if len(visible) < k:
            continue
        fewest = min(visible.values())
        for u in visible:
            grouping.starred.update([t for t in group if ids[t] == u][fewest:])
        for t in group:
            grouping.group[t] = number
        number += 1
    return grouping


def make_diverse(group: list[int], ids: Sequence[Any], values: Sequence[str], l: int) -> None:  # noqa: E741
    """Remove tuples from a group until no value exceeds 1/l of the group."""
    while group:
        count = Counter(values[t] for t in group)
        value = min(count, key=lambda v: (-count[v], v))
        if l * count[value] <= len(group):
            return
        total = Counter(ids[t] for t in group)
        who = min({ids[t] for t in group if values[t] == value}, key=lambda u: (-total[u], u))
        group.remove(max(t for t in group if ids[t] == who and values[t] == value))
