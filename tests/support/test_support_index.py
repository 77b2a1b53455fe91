import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.facts import refused

from anonset.data import SetColumn
from anonset.errors import InputError
from anonset.support import SupportIndex

LABELS = ("a1", "a2", "c1", "c2", "b1", "b2")

records = st.lists(st.sets(st.integers(0, len(LABELS) - 1)), max_size=10)
codes = st.sets(st.integers(0, len(LABELS) - 1), max_size=4)


def column_of(rows: list[set[int]]) -> SetColumn:
    return SetColumn.of([[LABELS[code] for code in row] for row in rows], universe=LABELS)


@given(rows=records, itemset=codes)
def test_supports_and_records_of_itemsets(rows: list[set[int]], itemset: set[int]) -> None:
    index = SupportIndex(column_of(rows))
    expected = [r for r, row in enumerate(rows) if itemset <= row]
    assert index.support(itemset) == len(expected)
    assert index.support_of(LABELS[code] for code in itemset) == len(expected)
    actual = index.records(itemset)
    assert actual.dtype == np.uint32
    assert actual.tolist() == expected
    assert [index.support_of_item(code) for code in range(len(LABELS))] == [
        sum(code in row for row in rows) for code in range(len(LABELS))
    ]


@given(rows=records, groups=st.lists(codes, max_size=3))
def test_supports_of_groups_equal_a_count(rows: list[set[int]], groups: list[set[int]]) -> None:
    index = SupportIndex(column_of(rows))
    assert index.support_of_groups(groups) == sum(all(row & group for group in groups) for row in rows)
    assert index.support_of_item(0) == sum(0 in row for row in rows)  # unions did not change the items' records


def test_unknown_labels_are_rejected() -> None:
    column = column_of([{0}])
    with refused(InputError, "A items"):
        SupportIndex(column).support_of(["A"])
