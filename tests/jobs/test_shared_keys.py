"""Keys that tables share are found by headers and ids, not by chance."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonset.columns.headers import meaning_of
from anonset.jobs.proposals.shared_keys import KeyColumn, _are_forms, _Comparison, shared_keys


def column(table, name, ids, *, rows=None, points=0, dense=False, before=""):
    unique = np.unique(np.array(ids, np.uint64) * np.uint64(0x9E3779B97F4A7C15))  # ids are hashes
    return KeyColumn(table, (name,), unique, len(ids), rows or len(ids), points, dense, before)


def groups(*columns):
    return [{(one.table, one.name) for one in key.columns} for key in shared_keys(columns)]


PATIENTS = column("patients", "Id", range(100, 200))


@pytest.mark.parametrize(
    ("other", "is_shared"),
    [
        (column("visits", "PATIENT", [100, 101, 101]), True),
        (column("visits", "patient_id", [100, 999, 101, 101]), True),
        (column("visits", "patient_id", [100, 998, 997, 996]), False),
        (column("visits", "subject", [100, 101, 101]), True),
        (column("visits", "x", [100, 101, 101]), True),
        (column("visits", "x", [100, 999, 101]), False),
        (column("visits", "subject.reference", [100, 101, 101], before="Patient/"), True),
        (column("patients", "PATIENT", [100, 101]), False),
    ],
)
def test_headers_or_nearly_all_ids_must_agree(other, is_shared):
    assert bool(groups(PATIENTS, other)) == is_shared


@pytest.mark.parametrize(("name", "is_shared"), [("order_id", True), ("orders", True), ("stock", False), ("id", False)])
def test_row_numbers_are_shared_only_by_name(name, is_shared):
    orders = column("orders", "id", range(50), dense=True)
    assert bool(groups(orders, column("lines", name, range(9), rows=20, dense=True))) == is_shared


def test_a_key_refers_to_a_table_with_a_row_for_each_id():
    persons = column("person", "person_id", range(50), dense=True)
    first = column("visit", "person_id", [1, 1, 2])
    second = column("drug", "person_id", [2, 2, 3])
    assert groups(first, second, persons) == [{("visit", "person_id"), ("drug", "person_id"), ("person", "person_id")}]
    assert groups(first, column("drug", "person_id", [2, 2, 1])) == [{("visit", "person_id"), ("drug", "person_id")}]


def test_a_key_in_one_table_counts_if_others_refer_to_its_rows():
    visits = [column("visits", "id", range(100, 200)), column("visits", "patient_id", [1, 1, 2], rows=100, points=6)]
    assert groups(*visits, column("wards", "x", range(1000, 1010))) == []
    names = column("visits", "LAST", [1, 1, 2], rows=100, points=6)
    assert groups(*visits, names, column("drugs", "visit_id", [100, 100])) == [
        {("visits", "patient_id")},
        {("visits", "id"), ("drugs", "visit_id")},
    ]


def test_a_column_joins_the_key_that_its_header_names():
    organizations = column("organizations", "Id", [100, 101, *range(300, 400)])
    visits = column("visits", "PATIENT", [100, 101, 101])
    assert groups(organizations, PATIENTS, visits) == [{("patients", "Id"), ("visits", "PATIENT")}]


def test_keys_with_more_evidence_of_persons_are_first():
    ward, wards = column("visits", "ward_id", [1, 1], points=-3), column("wards", "id", range(9), points=-1)
    key = shared_keys([ward, wards, PATIENTS, column("visits", "PATIENT", [100, 101, 101], points=6)])
    assert [one.name for one in key] == ["PATIENT", "ward_id"]
    assert (key[0].n_ids, key[0].tables) == (100, ("patients", "visits"))
    assert (key[0].of("patients"), key[0].of("wards")) == (PATIENTS, None)


def test_a_key_of_persons_precedes_the_key_of_their_cases():
    of_cards = [column(table, "card", [7, 7, 8, 9]) for table in ("lines", "coupons")]
    receipts = [column(table, "receipt_id", range(20), rows=30, points=3) for table in ("lines", "returns")]
    assert [key.name for key in shared_keys([*receipts, *of_cards])] == ["receipt_id", "card"]
    cases = [replace(receipts[0], part_of="card"), receipts[1]]
    assert [key.name for key in shared_keys([*cases, *of_cards])] == ["card", "receipt_id"]


def test_of_two_columns_of_a_table_the_most_common_name_is_the_key():
    visits = [column("visits", "patient id", [100, 102, 103]), column("visits", "PATIENT", [100, 101, 101])]
    (key,) = shared_keys([PATIENTS, *visits, column("drugs", "PATIENT", [100, 103, 103])])
    assert (len(key.columns), key.of("visits")) == (4, visits[1])


def evidence(one, other):
    """Return the strength of the evidence that a column contains ids of another, or None."""
    topics = one.topic, other.topic
    agree = 3 if one.topic and len(one.topic) == len(other.topic) and all(map(_are_forms, *topics)) else 0
    agree = agree or 2 * (meaning_of(one.header) == meaning_of(other.header) == "person id")
    if one.table == other.table or (not agree and (one.is_dense or other.is_dense or not other.is_unique)):
        return None
    share = max(one.share_in(other), other.share_in(one) if agree and not other.is_unique else 0)
    return (other.is_unique, agree or 1, share) if share >= (0.5 if agree else 0.9) else None


@given(
    st.lists(
        st.builds(
            column,
            st.sampled_from(["visits", "wards", "x"]),
            st.sampled_from(
                ["id", "patient_id", "PatientenNr", "visit_id", "visiten", "person_id", "ward", "wards", "x"]
            ),
            st.lists(st.integers(0, 9), max_size=9),
            rows=st.sampled_from([None, 9]),
            dense=st.booleans(),
        ),
        max_size=8,
    )
)
def test_each_column_refers_to_the_column_of_strongest_evidence(columns):
    comparison = _Comparison(columns) if columns else None
    for number, one in enumerate(columns):
        found = {n: strength for n, other in enumerate(columns) if (strength := evidence(one, other)) is not None}
        assert comparison.target(number) == max(found, key=found.__getitem__, default=number)
