"""Numbers in their written form, and small fractions with the same decisions."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.facts import refused

from anonset.data.decimals import exact, floor_fraction, require_between_0_and_1, shortest_float, shortest_text
from anonset.errors import InputError

NINES = "0." + "9" * 30


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0.1, Fraction(1, 10)),
        (np.float64(0.1), Fraction(1, 10)),
        (1, Fraction(1)),
        ("1e-12", Fraction(1, 10**12)),
        (" 0.15 ", Fraction(3, 20)),
        ("2/6", Fraction(1, 3)),
        (Fraction(1, 3), Fraction(1, 3)),
        (Decimal(NINES), 1 - Fraction(1, 10**30)),
        (NINES, 1 - Fraction(1, 10**30)),
    ],
)
def test_a_number_has_its_written_value(value, expected):
    assert exact(value) == expected


@pytest.mark.parametrize(
    "value", ["", "x", "nan", "inf", "-Infinity", "1/0", "1e999999999999", "1e-999999999999", "9" * 401, True, None, []]
)
def test_unrepresentable_numbers_are_rejected(value):
    with refused(ValueError, "400"):
        exact(value)


@given(st.fractions(0, 1, max_denominator=10**18))
def test_numbers_are_shown_and_stored_without_rounding(value):
    assert exact(shortest_text(value)) == value
    assert exact(shortest_float(value)) == value
    assert exact(require_between_0_and_1("h", value)) == value


@pytest.mark.parametrize(
    ("value", "above_0", "asked"),
    [
        (0, True, "0 1"),
        ("1.0000000000000000000001", False, "0 1"),
        ("-1e-30", False, "0 1"),
        (float("nan"), False, "0 1"),
        ("half", True, "0 1"),
    ],
)
def test_invalid_shares_are_rejected(value, above_0, asked):
    with refused(InputError, f"h {asked}"):
        require_between_0_and_1("h", value, above_0=above_0)


@given(st.fractions(0, 1, max_denominator=10**15), st.integers(1, 40))
def test_a_small_fraction_decides_the_same(value, most):
    result = floor_fraction(value, most)
    assert result == max(Fraction(value.numerator * below // value.denominator, below) for below in range(1, most + 1))
    for size in range(1, most + 1):
        for part in range(size + 1):
            assert (Fraction(part, size) > value) == (part * result.denominator > size * result.numerator)
