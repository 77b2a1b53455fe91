from collections.abc import Collection, Mapping
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.facts import refused

from algorithms.bucket_tables import FIGURE_1, FIGURE_1B_GROUPS, buckets_of, published, table_of, values_of
from anonset.data import CategoricalColumn, Table
from anonset.errors import InputError
from anonset.generalization.bucketizing import bucketize
from anonset.measures.query_error import relative_errors
from anonset.publications import Buckets
from anonset.queries.buckets import (
    BucketQuery,
    estimate,
    record_workload,
    true_count,
)
from effort import examples
from reference import buckets as twin

tuples = st.lists(
    st.tuples(st.sampled_from("ab"), st.sampled_from("vuw"), st.sampled_from("12"), st.integers(0, 2), st.booleans()),
    min_size=1,
    max_size=15,
)
conditions = st.dictionaries(
    st.sampled_from(["id0", "zip"]), st.sets(st.sampled_from(["a", "b", "1", "2", "*", "?"]), max_size=3)
)


def rows_of(publication: Buckets) -> list[Mapping[str, str]]:
    columns = (*publication.ids, *publication.kept)
    labels = zip(*(column.labels() for column in columns), strict=True)
    return [dict(zip([column.name for column in columns], row, strict=True)) for row in labels]


@settings(max_examples=examples(150))
@given(drawn=tuples, columns=conditions, sensitive=st.none() | st.sets(st.sampled_from("vux")))
def test_estimates_equal_the_twin(
    drawn: list[tuple[str, str, str, int, bool]],
    columns: Mapping[str, Collection[str]],
    sensitive: Collection[str] | None,
) -> None:
    numbers = sorted({group for *_, group, _ in drawn})
    table = table_of([(u, v) for u, v, *_ in drawn], kept=[z for _, _, z, _, _ in drawn])
    starred = [t for t, (*_, star) in enumerate(drawn) if star]
    publication = bucketize(table, buckets_of([numbers.index(g) for *_, g, _ in drawn], starred))
    query = BucketQuery(columns, sensitive)
    expected = twin.estimate(
        rows_of(publication), publication.group.labels(), values_of(publication), columns, sensitive
    )
    assert estimate(publication, query) == pytest.approx(float(expected), abs=1e-12)
    true = sum(
        all({"id0": u, "zip": z}[name] in allowed for name, allowed in columns.items())
        and (sensitive is None or v in sensitive)
        for u, v, z, _, _ in drawn
    )
    assert true_count(table, query) == true


def test_queries_on_figure_1b() -> None:
    table, publication = table_of(FIGURE_1), published(FIGURE_1, FIGURE_1B_GROUPS)
    roan = BucketQuery({"id0": {"P1"}}, {"Retinoic Acid"})
    assert true_count(table, roan) == 3
    assert estimate(publication, roan) == pytest.approx(float(Fraction(2, 3) + Fraction(1, 3) * 3))
    everybody = BucketQuery(sensitive={"Retinoic Acid", "Cytarabine"})
    assert estimate(publication, everybody) == pytest.approx(true_count(table, everybody))
    nobody = BucketQuery({"id0": {"P9"}})
    queries = [roan, everybody, nobody]
    result = relative_errors(queries, lambda query: (true_count(table, query), estimate(publication, query)))
    assert result.errors[:2] == pytest.approx((abs(3 - 5 / 3) / 3, 0.0))
    assert (result.average, result.answered, result.skipped) == (pytest.approx(2 / 9), 2, 1)


def test_workloads_take_values_from_records() -> None:
    table = table_of(FIGURE_1)
    queries = record_workload(table, ["id0"], queries=50, seed=3)
    assert queries == record_workload(table, ["id0"], queries=50, seed=3)
    assert queries != record_workload(table, ["id0"], queries=50, seed=4)
    assert len(queries) == 50
    assert all(true_count(table, query) >= 1 for query in queries)
    # SplitMix64 of seed 0 starts with e220a8397b1dcdaf, 6e789e6aa1b965f4
    first = [next(iter(query.columns["id0"])) for query in record_workload(table, ["id0"], queries=2)]
    assert first == [FIGURE_1[0xE220A8397B1DCDAF % 15][0], FIGURE_1[0x6E789E6AA1B965F4 % 15][0]]


def test_bad_queries_are_refused() -> None:
    table, publication = table_of(FIGURE_1), published(FIGURE_1, FIGURE_1B_GROUPS)
    with refused(InputError, "id0 age"):
        estimate(publication, BucketQuery({"age": {"1"}}))
    with refused(InputError, "id0 age"):
        record_workload(table, ["age"])
    with refused(InputError, "n_queries 1000000 100000000000"):
        record_workload(table, ["id0"], queries=10**11)
    without = Table(ids=(CategoricalColumn.of("id0", ["a"]),))
    with refused(InputError, "sensitive"):
        true_count(without, BucketQuery(sensitive={"x"}))
    with refused(InputError, "sensitive"):
        record_workload(without, [])
