from hypothesis import given
from hypothesis import strategies as st

from algorithms.bucket_tables import published
from reference.buckets import Grouping, loss


def share_lost(group: list[int], starred: list[int]) -> float:
    return published([("P", "x")] * len(group), group, starred).share_lost(len(group))


@given(tuples=st.lists(st.tuples(st.integers(-1, 2), st.booleans()), max_size=20))
def test_counts_every_lost_tuple_once(tuples: list[tuple[int, bool]]) -> None:
    group, starred = [group for group, _ in tuples], [t for t, (_, star) in enumerate(tuples) if star]
    expected = loss(Grouping([None if number < 0 else number for number in group], set(starred)))
    assert share_lost(group, starred) == float(expected)


def test_figure_3_costs_two_of_thirteen_tuples() -> None:
    assert share_lost([0] * 8 + [1] * 5, [8, 9]) == 2 / 13
