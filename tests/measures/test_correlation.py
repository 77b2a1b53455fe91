"""Correlation detectors: the paper's figures, and the naive implementation on random publications."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.facts import refused

from algorithms.bucket_tables import FIGURE_1, FIGURE_1B_GROUPS, FIGURE_2, buckets_of, published, shown_rows, values_of
from anonset.data import CategoricalColumn, Table
from anonset.errors import InputError
from anonset.generalization.bucketizing import bucketize
from anonset.measures import correlation
from anonset.measures.correlation import inter_group_violations, intra_group_violations
from anonset.publications import Buckets
from effort import examples
from reference import buckets as twin

tuples = st.lists(
    st.tuples(
        st.tuples(st.sampled_from("ba"), st.sampled_from("yx")),
        st.sampled_from("vuw"),
        st.integers(0, 5),
        st.sampled_from([False, False, False, True]),
    ),
    max_size=25,
)


def publish(drawn: list[tuple[tuple[str, str], str, int, bool]]) -> Buckets:
    numbers = sorted({group for _, _, group, _ in drawn})
    rows = [(identity, value) for identity, value, _, _ in drawn]
    starred = [t for t, (*_, star) in enumerate(drawn) if star]
    return published(rows, [numbers.index(group) for _, _, group, _ in drawn], starred)


@settings(max_examples=examples(150))
@given(tuples)
def test_intra_group_violations_equal_the_twins(drawn: list[tuple[tuple[str, str], str, int, bool]]) -> None:
    publication = publish(drawn)
    violations = intra_group_violations(publication)
    expected = twin.intra_group(shown_rows(publication), publication.group.labels(), values_of(publication))
    assert {(v.group, v.individual, v.value) for v in violations} == expected
    assert len(violations) == len(expected)
    for v in violations:
        assert v.certain >= 1
        assert v.size == len(values_of(publication)[v.group])


@settings(max_examples=examples(150))
@given(
    drawn=tuples,
    l=st.integers(1, 4),
    alpha=st.integers(2, 4),
    at_once=st.sampled_from([1, 7, 10**6]),
)
def test_inter_group_violations_equal_the_twins(
    drawn: list[tuple[tuple[str, str], str, int, bool]],
    l: int,  # noqa: E741
    alpha: int,
    at_once: int,
) -> None:
    publication = publish(drawn)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(correlation, "_PAIRS_AT_ONCE", at_once)
        violations = inter_group_violations(publication, l, alpha=alpha)
    shown, groups, values = shown_rows(publication), publication.group.labels(), values_of(publication)
    expected = twin.inter_group(shown, groups, values, l, alpha)
    assert {(v.individual, v.value, v.groups_with, v.groups, v.common) for v in violations} == expected
    assert len(violations) == len(expected)
    assert [(v.individual, v.value) for v in violations] == sorted((v.individual, v.value) for v in violations)


def test_figure_2_discloses_both_drugs_of_roan() -> None:
    violations = intra_group_violations(published(FIGURE_2, [0] * 6))
    assert [(v.group, v.individual, v.value, v.certain) for v in violations] == [
        ("1", ("P1",), "Azelaic acid", 1),
        ("1", ("P1",), "Retinoic Acid", 1),
    ]


def test_figure_1b_has_no_violation_inside_groups() -> None:
    assert intra_group_violations(published(FIGURE_1, FIGURE_1B_GROUPS)) == []


def test_figure_1b_discloses_carl_across_groups() -> None:
    violations = inter_group_violations(published(FIGURE_1, FIGURE_1B_GROUPS), 2)
    assert [(v.individual, v.value, v.groups_with, v.groups, v.common) for v in violations] == [
        (("P3",), "Azelaic acid", 2, 3, 0),
        (("P3",), "Mild Exfoliation", 2, 3, 0),
        (("P3",), "Retinoic Acid", 2, 3, 0),
    ]


def test_figure_1b_discloses_roan_with_a_larger_l() -> None:
    publication = published(FIGURE_1, FIGURE_1B_GROUPS)
    assert not [v for v in inter_group_violations(publication, 2) if v.individual == ("P1",)]  # 2 values are common
    violations = inter_group_violations(publication, 3)
    roan = {v.value: (v.groups_with, v.groups, v.common) for v in violations if v.individual == ("P1",)}
    assert roan["Retinoic Acid"] == (4, 4, 2)


def test_alpha_excludes_individuals_in_few_groups() -> None:
    publication = published(FIGURE_1, FIGURE_1B_GROUPS)
    assert {v.individual for v in inter_group_violations(publication, 3, alpha=4)} == {("P1",)}
    assert inter_group_violations(publication, 3, alpha=5) == []


def test_bad_input_is_refused() -> None:
    publication = published(FIGURE_2, [0] * 6)
    with refused(InputError, "alpha 2 1"):
        inter_group_violations(publication, 2, alpha=1)
    with refused(InputError, "l 1 0"):
        inter_group_violations(publication, 0)
    nobody = bucketize(Table(sensitive=CategoricalColumn.of("drug", ["x"])), buckets_of([0]))
    with refused(InputError, "id"):
        intra_group_violations(nobody)
