"""Numbers such as -99 may mean a missing value: the owner decides."""

import pytest

import anonset
from anonset.columns.missing import missing_codes

N = 120


@pytest.mark.parametrize(
    ("values", "code"),
    [("0 1 -99", "-99"), ("1 2 3 4 99", "99"), ("1 2 3 999", "999"), ("0.5 2.5 17 -9", "-9"), ("0 1 -77", "-77")],
)
def test_numbers_that_may_mean_missing_are_reported_and_not_proposed_as_sensitive(values, code):
    given = values.split()
    data = {"income": [given[n // 2 % len(given)] for n in range(N)], "sex": ["fm"[n % 2] for n in range(N)]}
    inspection = anonset.inspect(data, k=2, unit="row")
    column = inspection.columns[0]
    assert (column.role, f"null={code!r}" in column.reason) == ("drop", True)
    assert any(f"{code} may mean" in problem and f"null='income={code}'" in problem for problem in inspection.problems)
    chosen = anonset.inspect(data, k=2, unit="row", sensitive="income")
    assert chosen.columns[0].role == "sensitive"
    declared = anonset.inspect(data, k=2, unit="row", null=code)
    assert declared.columns[0].role == "sensitive"


@pytest.mark.parametrize("values", ["16 61 77 88 99", "-20 -9 0 7", "10 30 99", "-99 99"])
def test_numbers_within_the_range_of_the_others_are_values(values):
    assert missing_codes(values.split()) == ()
