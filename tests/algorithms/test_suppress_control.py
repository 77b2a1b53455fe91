"""SuppressControl against a naive twin, and rho-uncertainty against what closed sets tell."""

import random
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonset.algorithms.transaction.suppress_control import SuppressControl
from anonset.data import Hierarchy, Table
from anonset.errors import InputError
from anonset.generalization import Cut
from anonset.verification.rho import check_rho
from effort import examples
from reference.hierarchy_model import parse
from reference.uncertainty import Rows, largest_share, rules, suppress_control

SENSITIVE = ("s", "t")
RHOS = (Fraction(1, 2), Fraction(1, 3), Fraction(1), Fraction(1, 4), Fraction(333333333333, 10**12))
thorough = settings(max_examples=examples(200), deadline=None)
seeds = st.integers(0, 2**32 - 1)


def case(seed: int) -> tuple[random.Random, Rows]:
    rng = random.Random(seed)
    density = rng.choice((0.2, 0.35, 0.5))
    return rng, [{item for item in "abcdest" if rng.random() < density} for _ in range(rng.randint(0, 20))]


@thorough
@given(seeds)
def test_the_naive_twin_suppresses_the_same_items(seed: int) -> None:
    rng, rows = case(seed)
    rho, strict = rng.choice(RHOS), rng.random() < 0.5
    algorithm = SuppressControl(
        rho=rho, m=rng.randint(1, 3), sensitive_items=SENSITIVE, strict=strict, from_nothing=rng.random() < 0.5
    )
    table = Table.from_sets([sorted(row) for row in rows])
    assert table.transactions is not None
    order, sizes = table.transactions.vocabulary.labels, algorithm.model.sizes
    result = algorithm.recode(table, {})
    assert list(result.trace) == suppress_control(rows, SENSITIVE, rho, sizes, order, strict=strict)
    left = [set(row) - set(result.trace) for row in rows]
    assert not list(rules(left, SENSITIVE, rho, sizes, strict=strict))


@thorough
@given(seeds)
def test_the_check_finds_what_the_naive_twin_finds(seed: int) -> None:
    rng, rows = case(seed)
    rho, strict = rng.choice(RHOS), rng.random() < 0.5
    model = SuppressControl(
        rho=rho, m=rng.randint(1, 3), sensitive_items=SENSITIVE, strict=strict, from_nothing=rng.random() < 0.5
    ).model
    column = Table.from_sets([sorted(row) for row in rows]).transactions
    assert column is not None
    verdict = check_rho(column, model, 10**9, None)
    bad = list(rules(rows, SENSITIVE, rho, model.sizes, strict=strict))
    assert verdict.holds is not bool(bad)
    if verdict.witness is not None:
        assert verdict.witness.what == bad[0][0]
        assert any(
            f"sensitive item {secret!r}" in verdict.witness.detail for known, secret in bad if known == bad[0][0]
        )
        need = verdict.witness.required
        holders = min(sum({*bad[0][0], secret} <= set(row) for row in rows) for secret in SENSITIVE)
        assert verdict.witness.support < need or holders == 0


@thorough
@given(seeds)
def test_closed_sets_tell_the_largest_share_of_all_antecedents(seed: int) -> None:
    _, rows = case(seed)
    longest = max((len(row) for row in rows), default=0)
    shares = [Fraction(0)]
    for known, secret in rules(rows, SENSITIVE, Fraction(0), range(longest + 1), strict=False):
        cohort = [row for row in rows if set(known) <= set(row)]
        shares.append(Fraction(sum(secret in row for row in cohort), len(cohort)))
    assert largest_share(rows, SENSITIVE) == max(shares)


def test_a_sensitive_item_that_is_known_infers_another() -> None:
    table = Table.from_sets([["s", "t"], ["s", "t"], ["a"], ["a"], ["b"], ["b"]])
    result = SuppressControl(rho=0.5, m=1, sensitive_items=SENSITIVE).recode(table, {})
    assert result.trace == ("t",)


def test_a_share_of_exactly_rho_is_a_choice() -> None:
    table = Table.from_sets([["a", "s"], ["a"], ["b"], ["b"]])
    strict = SuppressControl(rho=0.5, m=1, sensitive_items=("s",)).recode(table, {})
    loose = SuppressControl(rho=0.5, m=1, sensitive_items=("s",), strict=False).recode(table, {})
    assert (strict.trace, loose.trace) == (("s",), ())


def test_what_all_records_tell_is_a_choice() -> None:
    table = Table.from_sets([["s"], ["s"], ["a"]])
    known = SuppressControl(rho=0.5, m=1, sensitive_items=("s",), from_nothing=False)
    assert known.recode(table, {}).trace == ()
    assert SuppressControl(rho=0.5, m=1, sensitive_items=("s",)).recode(table, {}).trace == ("s",)


def test_with_a_hierarchy_a_cut_is_published() -> None:
    hierarchy = Hierarchy.from_tree(parse("R(X(a,b),s)"))
    table = Table.from_sets([["a", "s"], ["a"], ["b", "s"], ["b"]], universe=("a", "b", "s"))
    result = SuppressControl(rho=0.5, m=1, sensitive_items=("s",)).recode(table, {"items": hierarchy})
    assert isinstance(result.recoding, Cut)
    assert result.recoding.suppressed == ["s"]


def test_too_many_rules_are_refused() -> None:
    rows = [["s", *"abcdefgh"], ["s", *"ijklmnop"]]
    with pytest.raises(InputError, match="m must be below 1, or rho larger: there are more than max_rules=3 rules"):
        SuppressControl(rho=0.5, m=1, sensitive_items=("s",), from_nothing=False, max_rules=3).recode(
            Table.from_sets(rows), {}
        )
