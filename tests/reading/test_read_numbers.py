"""Numeric columns: every value equals the number in the text, or is rejected."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.facts import refused

from anonset.errors import InputError
from anonset.reading.cells.numbers import read_numbers
from anonset.reading.read import read

INTEGER, HELD = "integer 2^53", "64-bit 15"


def write(folder, data, name="visits.csv"):
    path = folder / name
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(
    ("values", "expected", "kind"),
    [
        (["007", "-0", "12"], [7, 0, 12], np.int64),
        (["1.5", "2"], [1.5, 2.0], np.float64),
        (["2.0", "1e3"], [2, 1000], np.int64),
        (["100000000000000000000", "1"], [1e20, 1.0], np.float64),
        (["9007199254740992", "-9007199254740992"], [2**53, -(2**53)], np.int64),
        (["1152921504606846976", "1"], [2**60, 1], np.int64),
        (["0.1", "0.10000000000000001", "0.30000000000000004"], [0.1, 0.1, 0.1 + 0.2], np.float64),
        (["1e-320", "1.5e299", "-1E+300", "0.50000000000000000000"], [1e-320, 1.5e299, -1e300, 0.5], np.float64),
        ([".5", "5."], [0.5, 5.0], np.float64),
        ([], [], np.int64),
    ],
)
def test_whole_numbers_that_fit_are_read_as_integers(tmp_path, values, expected, kind):
    path = write(tmp_path, "\n".join(["x", *values, ""]).encode())
    column = read(path, relational="x", numeric="x").relational[0]
    assert column.values.dtype == kind
    assert column.values.tolist() == expected


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("old", "number"),
        ("", "number empty"),
        ("nan", "number"),
        ("0x1F", "number"),
        ("1e999", "finite number"),
        ("1e308", "-1e+300 1e+300"),
        ("-1.1e300", "-1e+300 1e+300"),
        ("9007199254740993", INTEGER),
        ("-9223372036854775808.5", HELD),
        ("99999999999999999999", HELD),
        ("0.12345678901234567890", HELD),
        ("0.1000000000000000000001", HELD),
        ("1e-400", HELD),
        ("1e-99999999999999999999", HELD),
        (f"0.{'1' * 500}", HELD),
    ],
)
def test_text_in_a_numeric_column_is_refused(tmp_path, value, reason):
    path = write(tmp_path, f"x,y\n1,a\n{value},b\n".encode())
    with refused(InputError, f"{path} numeric x 'row 2' {reason}"):
        read(path, relational="x", numeric="x", drop="y")


def test_all_rows_with_a_fault_are_counted(tmp_path):
    path = write(tmp_path, b"x\n0.5\n9007199254740993\n1\n9007199254740995\n9007199254740996\n")
    with refused(InputError, f"{path} numeric x 'row 2' 1 {HELD}"):
        read(path, relational="x", numeric="x")


@given(st.lists(st.floats(-1e300, 1e300), min_size=1), st.sampled_from([repr, "{:.17g}".format, "{:.16e}".format]))
def test_printed_floats_are_read_exactly(numbers, printed):
    column = read_numbers("there", "x", pa.array([printed(number) for number in numbers], pa.large_string()))
    assert column.values.tolist() == numbers


@given(st.decimals(-(10**25), 10**25, allow_nan=False, places=3), st.integers(0, 20))
def test_numbers_equal_their_text(number, shift):
    text = f"{number.scaleb(-shift):f}"
    try:
        read_as = read_numbers("there", "x", pa.array([text, "0.5"], pa.large_string())).values[0]
    except InputError:
        assert len(text) > 15
        return
    exponent = int(Decimal(text).as_tuple().exponent)
    apart = abs(Fraction(text) - Fraction(read_as.item()))
    assert Fraction(repr(read_as.item())) == Fraction(text) or apart <= Fraction(10) ** exponent / 2


@pytest.mark.parametrize(
    ("column", "reason"),
    [
        (pa.array([1, 2**53 + 1]), INTEGER),
        (pa.array([1, 2**64 - 1], pa.uint64()), "integer 2^63"),
        (pa.array([1, Decimal("9007199254740993.5")]), HELD),
        (pa.array([1.0, -float("inf")]), "finite number"),
        (pa.array([1.0, 1.7e308]), "-1e+300 1e+300"),
    ],
)
def test_unrepresentable_arrow_numbers_are_rejected(column, reason):
    with refused(InputError, f"Table numeric x 'row 2' {reason}"):
        read(pa.table({"x": column}), relational="x", numeric="x")


def test_arrow_decimals_are_read_as_their_text():
    table = pa.table({"x": pa.array([Decimal("1.50"), Decimal("-0.25")])})
    assert read(table, relational="x", numeric="x").relational[0].values.tolist() == [1.5, -0.25]
