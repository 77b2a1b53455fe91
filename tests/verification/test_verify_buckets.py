"""Verification of bucketized tables against the naive implementation, with witnesses and tampered publications."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.facts import names, refused

from algorithms.bucket_tables import (
    FIGURE_1,
    FIGURE_1B_GROUPS,
    FIGURE_2,
    FIGURE_3,
    buckets_of,
    published,
    random_rows,
    shown_rows,
    table_of,
    values_of,
)
from anonset.algorithms.buckets.safe_grouping import SafeGrouping
from anonset.data import CategoricalColumn, Table
from anonset.errors import InputError
from anonset.generalization import Bucketized
from anonset.generalization.bucketizing import bucketize
from anonset.privacy.anatomy import AnatomyDiversity
from anonset.privacy.model import Verdict
from anonset.privacy.safe_grouping import SafetyConstraint
from anonset.publications import Buckets
from anonset.verification.anatomy import check_anatomy
from anonset.verification.bucket_truth import check_buckets_truthful, check_undivided
from anonset.verification.safe_grouping import check_safe_grouping
from effort import examples
from reference import buckets as twin

FIGURE_3_GROUPS = [0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 1, 0, 1]
tuples = st.lists(
    st.tuples(
        st.sampled_from("abc"),
        st.sampled_from("vuwx"),
        st.integers(0, 2),
        st.sampled_from([False, False, False, True]),
    ),
    max_size=16,
)


def publish(drawn: list[tuple[str, str, int, bool]]) -> Buckets:
    numbers = sorted({group for _, _, group, _ in drawn})
    rows = [(identity, value) for identity, value, _, _ in drawn]
    starred = [t for t, (*_, star) in enumerate(drawn) if star]
    return published(rows, [numbers.index(group) for _, _, group, _ in drawn], starred)


def mostly_safe(seed: int) -> Buckets:
    """Publish Figure 3 with at most one change, by the seed."""
    group, starred, rows = list(FIGURE_3_GROUPS), [7, 10], list(FIGURE_3)
    position = seed % 13
    if seed % 4 == 0:
        group[position] = 1 - group[position]
    elif seed % 4 == 1:
        starred.append(position)
    elif seed % 4 == 2:
        rows[position] = (rows[position][0], "Mild Exfoliation")
    return published(rows, group, starred)


def verdict_of(publication: Buckets, k: int, l: int) -> Verdict:  # noqa: E741
    return check_safe_grouping(publication, SafetyConstraint(k, l))


@settings(max_examples=examples(150))
@given(publication=st.one_of(tuples.map(publish), st.integers(0, 200).map(mostly_safe)), data=st.data())
def test_safe_grouping_agrees_with_the_twin(publication: Buckets, data: st.DataObject) -> None:
    k = data.draw(st.integers(1, 3))
    l = data.draw(st.integers(1, k))  # noqa: E741
    verdict = verdict_of(publication, k, l)
    shown, groups, values = shown_rows(publication), publication.group.labels(), values_of(publication)
    assert verdict.holds is twin.is_safe(shown, groups, values, k, l)
    assert (verdict.witness is None) is verdict.holds
    if verdict.witness is not None:
        assert verdict.witness.support != verdict.witness.required
        assert 0 <= verdict.witness.record < publication.n
    assert verdict.checked["individuals"] == len({*shown} - {None})


@settings(max_examples=examples(150))
@given(tuples, st.integers(1, 4))
def test_anatomy_agrees_with_the_twin(drawn: list[tuple[str, str, int, bool]], l: int) -> None:  # noqa: E741
    publication = publish(drawn)
    verdict = check_anatomy(publication, AnatomyDiversity(l))
    assert verdict.holds is all(twin.is_diverse(values, l) for values in values_of(publication).values())
    if verdict.witness is not None:
        (value,) = verdict.witness.what
        values = values_of(publication)[publication.group.labels()[verdict.witness.record]]
        assert verdict.witness.required == l * values.count(value) > verdict.witness.support == len(values)


def test_figure_3_is_safe_and_figure_1b_is_not() -> None:
    safe = published(FIGURE_3, FIGURE_3_GROUPS, [7, 10])
    assert verdict_of(safe, 2, 2).holds
    assert str(verdict_of(safe, 2, 2)) == "safe-grouping with k=2, l=2 holds"
    assert check_anatomy(safe, AnatomyDiversity(2)).holds
    crossed = published(FIGURE_1, FIGURE_1B_GROUPS)
    assert check_anatomy(crossed, AnatomyDiversity(3)).holds
    witness = verdict_of(crossed, 2, 2).witness
    assert witness is not None
    assert (witness.what, witness.support, crossed.ids[0].labels()[witness.record]) == ((), 4, "P1")


@pytest.mark.parametrize(
    ("rows", "group", "starred", "k", "l", "what", "detail"),
    [
        (
            FIGURE_2, [0] * 6, [], 3, 3, ("Azelaic acid",),
            "'Azelaic acid' 3 6 'group 1' 1/3",
        ),
        (FIGURE_2, [0] * 6, [], 3, 2, ("group 1",), "'group 1' 2 k 3"),
        (FIGURE_2, [0] * 6, [], 2, 2, (), "2 'group 1' 4"),
        (FIGURE_2, [0] * 6, [0, 1], 2, 2, None, ""),
        (FIGURE_2, [0] * 6, range(6), 1, 1, ("group 1",), "'group 1' 0 k 1"),
        (
            [("a", "x"), ("b", "y"), ("a", "x"), ("b", "y")], [0, 0, 1, 1], [], 2, 2, (),
            "groups 1 2",
        ),
    ],
)  # fmt: skip
def test_the_witness_of_each_rule(rows: Any, group: Any, starred: Any, k: int, l: int, what: Any, detail: str) -> None:  # noqa: E741
    witness = verdict_of(published(rows, group, list(starred)), k, l).witness
    if what is None:
        assert witness is None
    else:
        assert witness is not None
        assert witness.what == what
        assert names(witness.detail, detail)


def test_invalid_checks_are_rejected() -> None:
    nobody = bucketize(Table(sensitive=CategoricalColumn.of("drug", ["x"])), buckets_of([0]))
    with refused(InputError, "id"):
        verdict_of(nobody, 1, 1)
    half = bucketize(table_of([(("a", "b"), "x"), (("c", "d"), "y")]), buckets_of([0, 0]))
    tampered = replace(half, ids=(half.ids[0], CategoricalColumn.of("id1", ["*", "d"])))
    with refused(InputError, "'row 0' id0 id1 *"):
        verdict_of(tampered, 1, 1)


def test_an_empty_publication_is_safe() -> None:
    assert verdict_of(published([], []), 5, 5).holds
    assert check_anatomy(published([], []), AnatomyDiversity(5)).holds


def safe_table() -> tuple[Table, Buckets]:
    rows = random_rows(3, n=200)
    table = table_of(rows, kept=[str(t % 7) for t in range(200)])
    buckets = SafeGrouping(k=4, l=2).recode(table, {}).recoding
    assert isinstance(buckets, Bucketized)
    return table, bucketize(table, buckets)


def test_a_publication_is_true_and_its_groups_undivided() -> None:
    table, publication = safe_table()
    assert publication.starred.any()
    assert publication.n < table.n or publication.n_groups > 1
    assert check_buckets_truthful(table, publication) is None
    assert check_undivided(table, publication) is None


def test_changed_buckets_do_not_match_the_original() -> None:
    table, publication = safe_table()
    kept, value = publication.kept[0], publication.snt_value
    codes = kept.codes.copy()
    codes[5] = (codes[5] + 1) % 7
    witness = check_buckets_truthful(
        table, replace(publication, kept=(CategoricalColumn(kept.name, codes, kept.vocabulary),))
    )
    assert witness is not None
    assert witness.record == 5
    record = publication.record.copy()
    record[3] = record[4]
    witness = check_buckets_truthful(table, replace(publication, record=record))
    assert witness is not None
    assert names(witness.detail, f"{record[3]}")
    first = np.flatnonzero(publication.snt_group == 0)
    swapped = publication.snt_count.copy()
    most, least = first[np.argmax(swapped[first])], first[np.argmin(swapped[first])]
    assert swapped[most] != swapped[least]
    swapped[[most, least]] = swapped[[least, most]]
    witness = check_buckets_truthful(table, replace(publication, snt_count=swapped))
    assert witness is not None
    assert witness.what[0] in (value.labels()[most], value.labels()[least])
    assert witness.support != witness.required
    renamed = CategoricalColumn(value.name, value.codes, type(value.vocabulary)(tuple(map("x{}".format, range(99)))))
    witness = check_buckets_truthful(table, replace(publication, snt_value=renamed))
    assert witness is not None


def test_a_divided_individual_is_noticed_even_when_starred() -> None:
    rows = [("a", "x"), ("b", "y"), ("a", "z"), ("c", "w")]
    publication = published(rows, [0, 0, 1, 1], [2])
    assert verdict_of(publication, 1, 1).holds
    witness = check_undivided(table_of(rows), publication)
    assert witness is not None
    assert (witness.what, witness.support, publication.record[witness.record] in (0, 2)) == ((), 2, True)
    assert names(witness.detail, "groups 1 2")


def test_truth_needs_the_columns_of_the_original() -> None:
    table, publication = safe_table()
    with refused(InputError, "ids sensitive"):
        check_buckets_truthful(Table(sensitive=table.sensitive, ids=table.ids), publication)
    with refused(InputError, "0 199"):
        check_buckets_truthful(table, replace(publication, record=publication.record + 50))
