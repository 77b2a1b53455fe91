"""Worked examples of the papers and exact vectors, for the naive implementations and the library."""

import json
import re
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from algorithms.implementations import IMPLEMENTATIONS, library_ncp
from reference.hierarchy_model import HierarchyModel, parse
from reference.measures import item_ncp
from reference.transaction_algorithms import brute_force, expanded_count_tree, is_km, optimal

VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "algorithm_vectors.json").read_text())
ALGORITHM = {"OA": "optimal", "DA": "direct", "AA": "apriori"}

FIGURE_2 = "ALL(A(a1,a2),B(b1,b2))"
FIGURE_2_ROWS = "a1 b1 b2|a2 b1|a2 b1 b2|a1 a2 b2"  # Terrovitis et al. 2008, Figure 2a
DIAGNOSES = "ALL(abc(a,b,c),defgh(d,e,f,g,h))"
DIAGNOSES_ROWS = (  # Loukides et al. 2010, Figure 1a
    "a b c d e f g h|a c e f g|c d e f h|a c e f|e f g h|d e f g|a b d e|a c f|a c|b h"
)
OUTLIER = "T(P(H(a,b),K(c,d)),Q(L(f,g),M(x,y,z)),e,i)"
OUTLIER_ROWS = "b c d|a f g|d f y z|c d f x|a b c f g|e i|e|i"  # Liu and Wang 2010, Figure 1a
SHORT = "R(X(x,w),Y(y,z))"
UNEVEN = "ALL(A(a1,a2,a3),B(b1,b2))"
UNEVEN_ROWS = "a1 b1|a1 b2|a2 b1|a2 b2|b1|b2"


@dataclass(frozen=True)
class Example:
    """A run and the published result (None: not given by the source)."""

    algorithm: str
    tree: str
    text: str
    k: int
    m: int
    cut: str
    ncp: Fraction | None = None
    fixes: tuple[tuple[str, int, str], ...] | None = None
    """(itemset in rank order, support, new nodes)."""
    last_fix: str | None = None

    @property
    def rows(self) -> list[set[str]]:
        return [set(row.split()) for row in self.text.split("|")]


EXAMPLES = {
    "figure 2 OA": Example("optimal", FIGURE_2, FIGURE_2_ROWS, 2, 2, "A b1 b2", Fraction(5, 22)),
    "figure 2 DA": Example("direct", FIGURE_2, FIGURE_2_ROWS, 2, 2, "A b1 b2", Fraction(5, 22), (("a2 a1", 1, "A"),)),
    "figure 2 AA": Example("apriori", FIGURE_2, FIGURE_2_ROWS, 2, 2, "A b1 b2", Fraction(5, 22), (("a2 a1", 1, "A"),)),
    "figure 2 unchanged": Example("apriori", FIGURE_2, FIGURE_2_ROWS, 2, 1, "a1 a2 b1 b2", Fraction(0), ()),
    "diagnoses AA": Example(
        "apriori", DIAGNOSES, DIAGNOSES_ROWS, 5, 5, "abc defgh", None, (("d", 4, "defgh"), ("b", 3, "abc"))
    ),
    "diagnoses OA": Example("optimal", DIAGNOSES, DIAGNOSES_ROWS, 5, 5, "abc defgh"),
    # {a1, b1} occurs once; A and B are candidates: ties are broken by loss, then changed leaves, then preorder
    "least loss": Example("apriori", UNEVEN, UNEVEN_ROWS + "|b1", 2, 2, "A b1 b2", Fraction(12, 55)),
    "equal loss, fewest leaves": Example(
        "apriori", UNEVEN, UNEVEN_ROWS, 2, 2, "a1 a2 a3 B", Fraction(12, 50), (("b1 a1", 1, "B"),)
    ),
    "equal loss and leaves, first in preorder": Example(
        "apriori", FIGURE_2, "a1 b1|a2 b1|a2 b1|a1 b2|a1 b2", 2, 2, "A b1 b2", Fraction(1, 4), (("a1 b1", 1, "A"),)
    ),
    "outlier AA": Example("apriori", OUTLIER, OUTLIER_ROWS, 2, 5, "T", Fraction(1), None, "e i"),
    "short record DA": Example("direct", SHORT, "x|y z|y z|w|w", 2, 2, "X y z", Fraction(6, 28), (("x", 1, "X"),)),
    "short record AA": Example("apriori", SHORT, "x|y z|y z|w|w", 2, 2, "X y z", Fraction(6, 28), (("x", 1, "X"),)),
    "short record OA": Example("optimal", SHORT, "x|y z|y z|w|w", 2, 2, "X y z", Fraction(6, 28)),
} | {f"two singletons {name}": Example(name, SHORT, "|x|y", 2, 2, "R", Fraction(1)) for name in ALGORITHM.values()}


@pytest.mark.parametrize("implementation", IMPLEMENTATIONS)
@pytest.mark.parametrize("example", EXAMPLES.values(), ids=EXAMPLES)
def test_worked_examples_have_the_cut_of_the_paper(implementation: str, example: Example) -> None:
    tree = parse(example.tree)
    decision = IMPLEMENTATIONS[implementation](example.algorithm, example.rows, tree, example.k, example.m)
    assert decision is not None
    assert decision.cut() == example.cut.split()
    assert is_km(decision.rows, example.k, example.m)
    fixes = [(" ".join(itemset), support, " ".join(rules)) for itemset, support, rules in decision.fixes]
    if example.fixes is not None:
        assert fixes == list(example.fixes)
    if example.last_fix is not None:
        assert fixes[-1][0] == example.last_fix
    if example.ncp is not None:
        assert item_ncp(example.rows, decision.image, HierarchyModel(tree)) == example.ncp
        assert library_ncp(example.rows, tree, decision.image) == example.ncp


def vector_cases() -> list[Any]:
    cases = []
    for name, entries in VECTORS["vectors"].items():
        if match := re.fullmatch(r"k(\d+)m(\d+)", name):
            for paper_name, algorithm in ALGORITHM.items():
                k, m = map(int, match.groups())
                cases.append(pytest.param(algorithm, k, m, entries[paper_name], id=f"{name}-{paper_name}"))
    return cases


@pytest.mark.parametrize("implementation", IMPLEMENTATIONS)
@pytest.mark.parametrize(("algorithm", "k", "m", "expected"), vector_cases())
def test_apriori_reproduces_the_reference_results(
    implementation: str, algorithm: str, k: int, m: int, expected: list[Any]
) -> None:
    tree = parse(VECTORS["tree"])
    rows = [set(row.split()) for row in VECTORS["rows"]]
    cut, ncp, *fixes = expected
    decision = IMPLEMENTATIONS[implementation](algorithm, rows, tree, k, m)
    assert decision is not None
    assert decision.cut() == cut
    assert item_ncp(rows, decision.image, HierarchyModel(tree)) == Fraction(ncp)
    assert library_ncp(rows, tree, decision.image) == Fraction(ncp)
    if fixes:
        assert [["-".join(itemset), support] for itemset, support, _ in decision.fixes] == fixes[0]


def test_every_vector_is_used() -> None:
    assert len(vector_cases()) == 9


@pytest.mark.parametrize("implementation", IMPLEMENTATIONS)
@pytest.mark.parametrize("algorithm", ALGORITHM.values())
@pytest.mark.parametrize("rows", [[], [set()] * 3], ids=["no record", "empty records"])
def test_safe_records_are_unchanged(implementation: str, algorithm: str, rows: list[set[str]]) -> None:
    decision = IMPLEMENTATIONS[implementation](algorithm, rows, parse(SHORT), 2, 2)
    assert decision is not None
    assert decision.cut() == ["x", "w", "y", "z"]
    assert decision.rows == rows
    assert decision.fixes == []


@pytest.mark.parametrize("implementation", IMPLEMENTATIONS)
@pytest.mark.parametrize("algorithm", ALGORITHM.values())
@pytest.mark.parametrize("rows", [[{"x"}], [{"x", "y"}, set(), set()]], ids=["one record", "one with items"])
def test_fewer_than_k_records_with_items_are_infeasible(
    implementation: str, algorithm: str, rows: list[set[str]]
) -> None:
    assert IMPLEMENTATIONS[implementation](algorithm, rows, parse(SHORT), 2, 2) is None


def test_count_tree_of_figure_2() -> None:
    counts = expanded_count_tree(EXAMPLES["figure 2 OA"].rows, HierarchyModel(parse(FIGURE_2)), 2)
    assert [(" ".join(path), count) for path, count in counts] == [
        ("A", 4), ("A B", 4), ("A b1", 3), ("A b2", 3),
        ("B", 4), ("B a2", 3), ("B a1", 2),
        ("a2", 3), ("a2 b1", 2), ("a2 b2", 2), ("a2 a1", 1),
        ("b1", 3), ("b1 b2", 2), ("b1 a1", 1),
        ("b2", 3), ("b2 a1", 2),
        ("a1", 2),
    ]  # fmt: skip


def test_count_tree_of_one_record_of_figure_2() -> None:
    counts = expanded_count_tree([{"a2", "b1"}], HierarchyModel(parse(FIGURE_2)), 2)
    assert {frozenset(path) for path, _ in counts} == {
        frozenset(path.split()) for path in ["a2", "b1", "A", "B", "a2 b1", "a2 B", "b1 A", "A B"]
    }
    assert {count for _, count in counts} == {1}


def test_cuts_examined_in_figure_2() -> None:
    example = EXAMPLES["figure 2 OA"]
    tree = HierarchyModel(parse(FIGURE_2))
    assert optimal(example.rows, tree, 2, 2).examined == 3
    assert brute_force(example.rows, tree, 2, 2) == Fraction(5, 22)


@pytest.mark.parametrize(
    ("cut", "holds", "ncp"),
    [
        ("a1 a2 b1 b2", False, Fraction(0)),
        ("a1 a2 B", False, Fraction(3, 11)),
        ("A b1 b2", True, Fraction(5, 22)),
        ("A B", True, Fraction(1, 2)),
        ("ALL", True, Fraction(1)),
    ],
)
def test_each_cut_of_figure_2_has_the_expected_loss_and_guarantee(cut: str, holds: bool, ncp: Fraction) -> None:
    rows, tree = EXAMPLES["figure 2 OA"].rows, HierarchyModel(parse(FIGURE_2))
    image = tree.image(cut.split())
    assert tuple(cut.split()) in tree.cuts()
    assert is_km([{image[item] for item in row} for row in rows], 2, 2) is holds
    assert item_ncp(rows, image, tree) == ncp
    assert library_ncp(rows, parse(FIGURE_2), image) == ncp
