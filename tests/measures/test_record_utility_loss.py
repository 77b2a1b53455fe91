"""Utility loss of published records is exact and does not overflow."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.facts import refused

from anonset.data import Hierarchy, SetColumn, Vocabulary
from anonset.errors import InputError
from anonset.measures.losses.item_weights import ItemWeights
from anonset.measures.losses.record_utility_loss import record_losses, record_utility_loss
from anonset.measures.losses.utility_loss import group_weights
from anonset.publications import Records, Symbol
from reference.rt import record_loss

# Figures 2a to 2d of Poulis et al. 2013 without the items G and H; the first record of 2a as in the paper's text
FIGURES = {
    "2a": "E F BD|E F BD|BCF DE|BCF DE|AEF|AEF",
    "2b": "E F ABCD|E F ABCD|E ABCD|F ABCD|E|F ABCD",
    "2c": "E F BCD|E F BCD|E BCD|F BCD|AEF|AEF",
    "2d": "E F ABD|E F ABD|E|F ABD|BCF DE|BCF DE",
}


def published(text: str) -> Records:
    rows = [row.split() for row in text.split("|")]
    column = SetColumn.of(rows)
    symbols = tuple(Symbol(x, "group" if len(x) > 1 else "item", tuple(x)) for x in column.vocabulary.labels)
    return Records(column, symbols, (), (), np.arange(len(rows)))


@pytest.mark.parametrize(
    ("figure", "loss", "with_single_items"),
    [("2a", 0.5075, 0.5520), ("2b", 0.3213, 0.5147), ("2c", 0.5642, 0.6079), ("2d", 0.2606, 0.4599)],
)
def test_the_figures_of_the_paper_have_the_stated_loss(figure: str, loss: float, with_single_items: float) -> None:
    publication = published(FIGURES[figure])
    assert record_utility_loss(publication) == pytest.approx(loss, abs=5e-5)
    assert publication.transactions is not None
    size = np.array([len(symbol.members) for symbol in publication.symbols], np.int64)
    losses = record_losses(publication.transactions, size, np.ones(len(size)))
    assert losses.mean() == pytest.approx(with_single_items, abs=5e-5)
    ones = group_weights("ones", Vocabulary.of("ABCDEF"))
    assert record_utility_loss(publication, ones) == pytest.approx(with_single_items, abs=5e-5)


TREE = Hierarchy.from_tree(("ALL", [("L", ["A", "B"]), ("R", ["C", "D", ("S", ["E", "F"])])]))


@given(st.lists(st.lists(st.sampled_from(["A", "AB", "CD", "EF", "CEF", "BC"]), max_size=4), min_size=1, max_size=6))
def test_weighted_losses_equal_fractions(rows: list[list[str]]) -> None:
    covered = {"A": 0, "AB": 2, "CD": 4, "EF": 2, "CEF": 4, "BC": 6}  # leaves below the lowest common ancestor
    listed = {"AB": Fraction(1, 2), "CEF": Fraction(1, 4)}  # a symbol within both has the first weight
    rows = [sorted(set(row)) for row in rows]
    publication = published("|".join(" ".join(row) for row in rows))
    lca = {label: Fraction(leaves, 6) for label, leaves in covered.items()}
    own = {label: Fraction(1) for label in covered} | {"A": Fraction(0)} | listed
    own |= {"EF": Fraction(1, 4)}
    for given_weights, weight in (("lca", lca), (ItemWeights.of({tuple(x): w for x, w in listed.items()}), own)):
        weights = group_weights(given_weights, TREE.leaves, TREE if given_weights == "lca" else None)
        exact_mean = sum(
            (
                sum((2 ** len(x) - 1) * weight[x] for x in row) / Fraction(max(1, 2 ** sum(map(len, row)) - 1))
                for row in rows
            ),
            Fraction(0),
        ) / len(rows)
        assert record_utility_loss(publication, weights) == pytest.approx(float(exact_mean), rel=1e-12)


def exact(sizes: list[int], ones: bool) -> Fraction:
    if not sizes:
        return Fraction(0)
    return Fraction(sum(2**s - 1 for s in sizes if ones or s > 1), 2 ** sum(sizes) - 1)


@given(st.lists(st.lists(st.integers(1, 60), max_size=6), max_size=8), st.booleans())
def test_losses_equal_fractions_and_the_twin(rows: list[list[int]], ones: bool) -> None:
    size = np.array([s for row in rows for s in row] or [1], np.int64)
    indptr = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    vocabulary = Vocabulary(tuple(map(str, range(len(size)))))
    column = SetColumn("items", indptr, np.arange(indptr[-1], dtype=np.int32), vocabulary)
    result = record_losses(column, size, (ones | (size > 1)).astype(np.float64)).tolist()
    assert result == pytest.approx([float(exact(row, ones)) for row in rows], rel=1e-13)
    assert result == [record_loss([("x",) * s for s in row], ones) for row in rows]


def test_huge_symbols_do_not_overflow() -> None:
    size = np.array([5000, 4000, 4999], np.int64)
    column = SetColumn("items", np.array([0, 1, 3]), np.array([0, 1, 2], np.int32), Vocabulary(("a", "b", "c")))
    assert record_losses(column, size, np.ones(3)).tolist() == [1.0, 0.0]


def test_bad_input_is_refused() -> None:
    with refused(InputError, "set-valued"):
        record_utility_loss(Records(None, (), (), (), np.arange(0)))
    assert record_utility_loss(Records(SetColumn.of([]), (), (), (), np.arange(0))) == 0.0
