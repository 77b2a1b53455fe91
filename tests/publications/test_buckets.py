import numpy as np
import pytest
from tests.facts import refused

from algorithms.bucket_tables import FIGURE_1, FIGURE_1B_GROUPS, buckets_of, published, table_of, values_of
from anonset.data import CategoricalColumn, Table, Vocabulary
from anonset.errors import InputError
from anonset.generalization.bucketizing import bucketize
from anonset.publications import Buckets
from anonset.publications.buckets import count_values


def test_publishes_figure_1b() -> None:
    publication = published(FIGURE_1, FIGURE_1B_GROUPS)
    assert publication.n_groups == 5
    assert publication.sizes.tolist() == [3] * 5
    assert values_of(publication)["4"] == ["Azelaic acid", "Cytarabine", "Retinoic Acid"]
    rows = zip(publication.ids[0].labels(), publication.group.labels(), strict=True)
    assert [row for row in rows if row[1] == "4"] == [("P1", "4"), ("P3", "4"), ("P3", "4")]


def test_row_order_depends_only_on_the_published_content() -> None:
    rows = [("b", "x"), ("a", "y"), ("b", "z"), ("c", "x"), ("a", "w"), ("c", "y")]
    group, starred, zips = [0, 0, 0, 1, 0, 1], [2, 4], list("221133")
    contents = set()
    for shift in range(6):
        order = [(i + shift) % 6 for i in range(6)]
        table = table_of([rows[i] for i in order], kept=[zips[i] for i in order])
        stars = [i for i, was in enumerate(order) if was in starred]
        publication = bucketize(table, buckets_of([group[i] for i in order], stars))
        qit = zip(*(column.labels() for column in publication.qit), strict=True)
        snt = zip(publication.snt_group.tolist(), publication.snt_value.labels(), strict=True)
        contents.add((tuple(qit), tuple(snt)))
        assert [order[i] for i in publication.record if order[i] not in starred] == [1, 0, 3, 5]
    assert contents == {
        (
            (("a", "2", "1"), ("b", "2", "1"), ("*", "1", "1"), ("*", "3", "1"), ("c", "1", "2"), ("c", "3", "2")),
            ((0, "w"), (0, "x"), (0, "y"), (0, "z"), (1, "x"), (1, "y")),
        )
    }


def test_removed_tuples_are_in_neither_table_and_stars_hide_every_id_column() -> None:
    rows = [(("a", "s"), "x"), (("b", "t"), "y"), (("b", "t"), "z"), (("c", "u"), "x")]
    publication = published(rows, [0, 0, 0, -1], [2])
    assert [column.labels() for column in publication.ids] == [["a", "b", "*"], ["s", "t", "*"]]
    assert publication.starred.tolist() == [False, False, True]
    assert values_of(publication) == {"1": ["x", "y", "z"]}
    assert publication.record.tolist() == [0, 1, 2]


def test_without_ids_no_tuple_is_starred() -> None:
    table = Table(sensitive=CategoricalColumn.of("drug", ["x", "y"]))
    publication = bucketize(table, buckets_of([0, 0]))
    assert [column.name for column in publication.qit] == ["group"]
    assert publication.starred.tolist() == [False, False]


def test_count_values_counts_pairs_in_order() -> None:
    group, value = np.array([1, 0, 1, 1], np.int32), np.array([2, 0, 2, 1], np.int32)
    assert [entry.tolist() for entry in count_values(group, value, 3)] == [[0, 1, 1], [0, 1, 2], [1, 1, 2]]
    times = np.array([5, 1, 2, 3], np.int64)
    assert count_values(group, value, 3, times)[2].tolist() == [1, 3, 7]


def publication_of(groups: list[int], snt_group: list[int], snt_value: list[int], count: list[int]) -> object:
    n = len(groups)
    return Buckets(
        (),
        (),
        CategoricalColumn("group", np.array(groups, np.int32), Vocabulary(("1", "2"))),
        np.array(snt_group, np.int32),
        CategoricalColumn("drug", np.array(snt_value, np.int32), Vocabulary(("x", "y"))),
        np.array(count, np.int64),
        np.arange(n, dtype=np.int64),
    )


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: publication_of([0, 1], [0, 1], [0, 0], [1, 2]), "group 2 1"),
        (
            lambda: publication_of([0, 1], [0, 1], [0, 0], [1, 2**63 - 1]),
            "group 2 1 9223372036854775807",
        ),
        (
            lambda: publication_of([0, 1, 1, 1], [0, 1, 1], [0, 0, 1], [1, 2**63 - 1, 2**63 - 1]),
            "group 2 3 18446744073709551614",
        ),
        (lambda: publication_of([0, 0], [0, 0], [1, 0], [1, 1]), "order"),
        (lambda: publication_of([0, 0], [0, 0], [0, 0], [1, 1]), "SNT distinct"),
        (lambda: publication_of([0, 0], [0, 0], [0, 1], [2, 0]), "SNT counts 1"),
        (lambda: publication_of([0, 0], [0], [0, 1], [1, 1]), "SNT"),
        (lambda: published([("a", "x")], [0, 0]), "tuples 2 1"),
        (lambda: published([("*", "x"), ("b", "y")], [0, 0], [1]), "id0 *"),
        (
            lambda: bucketize(Table.from_sets([{"a"}]), buckets_of([0])),
            "items",
        ),
        (
            lambda: bucketize(
                Table(sensitive=CategoricalColumn.of("drug", ["x"]), kept=(CategoricalColumn.of("group", ["1"]),)),
                buckets_of([0]),
            ),
            "group twice",
        ),
    ],
)
def test_tables_that_do_not_match_are_rejected(make: object, message: str) -> None:
    assert callable(make)
    with refused(InputError, message):
        make()
