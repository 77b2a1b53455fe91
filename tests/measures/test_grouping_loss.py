from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from algorithms.bucket_tables import buckets_of
from anonset.measures.losses.grouping_loss import grouping_loss, grouping_loss_exact
from reference.buckets import Grouping, loss


@given(tuples=st.lists(st.tuples(st.integers(-1, 2), st.booleans()), max_size=20))
def test_counts_every_lost_tuple_once(tuples: list[tuple[int, bool]]) -> None:
    starred = {t for t, (_, star) in enumerate(tuples) if star}
    buckets = buckets_of([group for group, _ in tuples], sorted(starred))
    expected = loss(Grouping([None if group < 0 else group for group, _ in tuples], starred))
    assert grouping_loss_exact(buckets) == expected
    assert grouping_loss(buckets) == float(expected)


def test_figure_3_costs_two_of_thirteen_tuples() -> None:
    assert grouping_loss_exact(buckets_of([0] * 8 + [1] * 5, [8, 9])) == Fraction(2, 13)
