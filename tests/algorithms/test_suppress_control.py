"""SuppressControl compared with a naive implementation, and rho-uncertainty with closed sets."""

import random
from collections.abc import Sequence
from fractions import Fraction
from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.facts import names, refused

from anonset.algorithms.transaction.suppression.suppress_control import SuppressControl
from anonset.data import Hierarchy, Table
from anonset.data.hierarchies.combined_hierarchies import attach_sensitive
from anonset.errors import InputError
from anonset.generalization import Cut, apply
from anonset.measures.losses.ncp import ncp_exact
from anonset.verification.cohort_models import check_rho
from anonset.verification.counting import Resources
from effort import examples
from reference.hierarchy_model import parse
from reference.uncertainty import Rows, largest_share, rules, suppress_control

SENSITIVE = ("s", "t")
RHOS = (Fraction(1, 2), Fraction(1, 3), Fraction(1), Fraction(1, 4), Fraction(333333333333, 10**12))
thorough = settings(max_examples=examples(200))
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
    remaining = [set(row) - set(result.trace) for row in rows]
    assert not list(rules(remaining, SENSITIVE, rho, sizes, strict=strict))


@thorough
@given(seeds)
def test_the_check_equals_the_naive_twin(seed: int) -> None:
    rng, rows = case(seed)
    rho, strict = rng.choice(RHOS), rng.random() < 0.5
    model = SuppressControl(
        rho=rho, m=rng.randint(1, 3), sensitive_items=SENSITIVE, strict=strict, from_nothing=rng.random() < 0.5
    ).model
    column = Table.from_sets([sorted(row) for row in rows]).transactions
    assert column is not None
    verdict = check_rho(column, model, Resources(10**9))
    bad = list(rules(rows, SENSITIVE, rho, model.sizes, strict=strict))
    assert verdict.holds is not bool(bad)
    if verdict.witness is not None:
        assert verdict.witness.what == bad[0][0]
        assert any(names(verdict.witness.detail, f"sensitive {secret}") for known, secret in bad if known == bad[0][0])
        need = verdict.witness.required
        holders = min(sum({*bad[0][0], secret} <= set(row) for row in rows) for secret in SENSITIVE)
        assert verdict.witness.support < need or holders == 0


@thorough
@given(seeds)
def test_closed_sets_determine_the_largest_confidence(seed: int) -> None:
    _, rows = case(seed)
    longest = max((len(row) for row in rows), default=0)
    shares = [Fraction(0)]
    for known, secret in rules(rows, SENSITIVE, Fraction(0), range(longest + 1), strict=False):
        cohort = [row for row in rows if set(known) <= set(row)]
        shares.append(Fraction(sum(secret in row for row in cohort), len(cohort)))
    assert largest_share(rows, SENSITIVE) == max(shares)


def test_a_known_sensitive_item_can_disclose_another() -> None:
    table = Table.from_sets([["s", "t"], ["s", "t"], ["a"], ["a"], ["b"], ["b"]])
    result = SuppressControl(rho=0.5, m=1, sensitive_items=SENSITIVE).recode(table, {})
    assert result.trace == ("t",)


def test_a_share_of_exactly_rho_is_a_choice() -> None:
    table = Table.from_sets([["a", "s"], ["a"], ["b"], ["b"]])
    strict = SuppressControl(rho=0.5, m=1, sensitive_items=("s",)).recode(table, {})
    loose = SuppressControl(rho=0.5, m=1, sensitive_items=("s",), strict=False).recode(table, {})
    assert (strict.trace, loose.trace) == (("s",), ())


def test_empty_antecedents_are_optional() -> None:
    table = Table.from_sets([["s"], ["s"], ["a"]])
    known = SuppressControl(rho=0.5, m=1, sensitive_items=("s",), from_nothing=False)
    assert known.recode(table, {}).trace == ()
    assert SuppressControl(rho=0.5, m=1, sensitive_items=("s",)).recode(table, {}).trace == ("s",)


def test_with_a_hierarchy_a_cut_is_published() -> None:
    hierarchy = Hierarchy.from_tree(parse("R(X(a,b),c)"))
    table = Table.from_sets([["a", "s"], ["a"], ["b", "s"], ["b"]], universe=("a", "b", "s"))
    result = SuppressControl(rho=0.5, m=1, sensitive_items=("s",)).recode(table, {"items": hierarchy})
    assert isinstance(result.recoding, Cut)
    assert result.recoding.suppressed == ["s"]


TREE = Hierarchy.from_tree(parse("R(X(a,b),Y(Z(c,d),e))"))


BESIDE = attach_sensitive(TREE, SENSITIVE)


def bound(rows: Rows) -> Table:
    table = Table.from_sets([sorted(row) for row in rows], universe=BESIDE.leaves.labels)
    assert table.transactions is not None
    return table.with_transactions(BESIDE.bind(table.transactions))


def all_cuts(node: int = 0) -> list[tuple[int, ...]]:
    """Return the nodes of each cut below a node."""
    if TREE.is_leaf[node]:
        return [(node,)]
    parts = product(*(all_cuts(child) for child in TREE.children(node)))
    return [(node,), *(tuple(v for part in cut for v in part) for cut in parts)]


def lost(rows: Rows, algorithm: SuppressControl, nodes: Sequence[int]) -> Fraction:
    """Return the NCP of a cut after the naive implementation's suppression."""
    shown = {leaf: TREE.labels[node] for node in nodes for leaf in TREE.members(node)}
    published = [sorted({shown.get(item, item) for item in row}) for row in rows]
    order = [*(TREE.labels[node] for node in nodes), *SENSITIVE]
    rho = Fraction(algorithm.model.share)
    gone = suppress_control(published, SENSITIVE, rho, algorithm.model.sizes, order, strict=algorithm.strict)
    n_leaves = TREE.n_leaves + len(SENSITIVE)
    total = 0
    for item in (item for row in rows for item in row):
        below = len(TREE.members(TREE.node_of[shown[item]])) if item in shown else 1
        total += n_leaves if shown.get(item, item) in gone else below if below > 1 else 0
    return Fraction(total, n_leaves * max(1, sum(map(len, rows))))


@thorough
@given(seeds)
def test_generalizing_first_is_safe_and_never_loses_more(seed: int) -> None:
    rng, rows = case(seed)
    requested = SuppressControl(
        rho=rng.choice(RHOS), m=rng.randint(1, 2), sensitive_items=SENSITIVE, strict=rng.random() < 0.5,
        from_nothing=rng.random() < 0.5, generalize=True,
    )  # fmt: skip
    table, trees = bound(rows), {"items": BESIDE}
    result = requested.recode(table, trees)
    assert isinstance(result.recoding, Cut)
    assert table.transactions is not None
    publication = apply(table, result.recoding)
    assert publication.transactions is not None
    shown = [set(row) for row in publication.transactions.rows()]
    share = Fraction(requested.model.share)
    assert not list(rules(shown, SENSITIVE, share, requested.model.sizes, strict=requested.strict))
    assert check_rho(publication.transactions, requested.model, Resources(10**9)).holds
    loss = ncp_exact(result.recoding.hierarchy.bind(table.transactions), result.recoding)
    losses = [lost(rows, requested, nodes) for nodes in all_cuts()]
    assert loss in losses
    assert loss <= losses[-1]  # the loss without generalization


def test_most_draws_end_at_the_least_loss_of_all_cuts() -> None:
    optimal, better = 0, 0
    for seed in range(60):
        _, rows = case(seed)
        requested = SuppressControl(rho=0.5, m=2, sensitive_items=SENSITIVE, generalize=True)
        table, trees = bound(rows), {"items": BESIDE}
        recoding = requested.recode(table, trees).recoding
        assert isinstance(recoding, Cut)
        assert table.transactions is not None
        loss = ncp_exact(recoding.hierarchy.bind(table.transactions), recoding)
        losses = [lost(rows, requested, nodes) for nodes in all_cuts()]
        assert loss >= min(losses)
        optimal += loss == min(losses)
        better += loss < losses[-1]
    assert optimal >= 50
    assert better >= 5


def test_generalizing_needs_a_hierarchy() -> None:
    requested = SuppressControl(rho=0.5, m=1, sensitive_items=("s",), generalize=True)
    with refused(InputError, "generalize items hierarchy"):
        requested.recode(Table.from_sets([["a", "s"], ["a"]]), {})
    with refused(InputError, "sensitive s hierarchy"):
        requested.recode(Table.from_sets([["a", "s"], ["a"]]), {"items": Hierarchy.from_tree(parse("R(a,s)"))})


def test_too_many_rules_are_refused() -> None:
    rows = [["s", *"abcdefgh"], ["s", *"ijklmnop"]]
    with refused(InputError, "m 1 rho max_rules 3"):
        SuppressControl(rho=0.5, m=1, sensitive_items=("s",), from_nothing=False, max_rules=3).recode(
            Table.from_sets(rows), {}
        )
