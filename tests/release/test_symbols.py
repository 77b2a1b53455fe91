"""Names of sets: their members, or short codes explained by the codebook."""

import numpy as np
import pytest
from tests.facts import refused

from anonset.data import CategoricalColumn, SetColumn, Vocabulary
from anonset.errors import InputError
from anonset.publications import Records, Symbol
from anonset.publications.presentation import Symbols
from anonset.publications.symbols import members_of
from anonset.release.symbols import leave_out, name_sets, require_plain_items, spell_out

LETTERS = tuple("abcdefghi")
NINE, TWO = f"({','.join(LETTERS)})", "(y,z)"


def publication(extra: str = "x") -> Records:
    symbols = (Symbol(NINE, "group", LETTERS), Symbol(TWO, "group", ("y", "z")), Symbol(extra, "item", (extra,)))
    column = SetColumn.of([[NINE], [TWO, extra]], universe=[symbol.label for symbol in symbols])
    races = CategoricalColumn.of("race", [NINE, TWO])
    return Records(column, symbols, (races,), (), np.arange(2))


@pytest.mark.parametrize(
    ("symbols", "items", "values"),
    [
        ("members", [NINE, TWO], [NINE, TWO]),
        ("auto", ["G1", TWO], ["V1", TWO]),
        ("short", ["G1", "G2"], ["V1", "V2"]),
    ],
)
def test_sets_get_a_short_label_by_the_symbols_option(symbols: Symbols, items: list[str], values: list[str]) -> None:
    named = name_sets(publication(), ["race"], symbols)
    assert named.transactions.vocabulary.labels == (*items, "x")
    assert [symbol.label for symbol in named.symbols] == [*items, "x"]
    assert [symbol.members for symbol in named.symbols][:2] == [LETTERS, ("y", "z")]
    assert sorted(named.relational[0].labels()) == sorted(values)
    assert {symbol.kind for symbol in named.value_sets} <= {"values"}
    assert sorted(spell_out(named.relational, named.value_sets)[0].labels()) == [NINE, TWO]


def test_columns_without_value_sets_are_unchanged() -> None:
    named = name_sets(publication(), [], "short")
    assert named.relational[0].labels() == [NINE, TWO]
    assert named.value_sets == ()


def test_a_code_is_no_label_of_the_data() -> None:
    named = name_sets(publication(extra="G7"), ["race"], "short")
    assert named.transactions.vocabulary.labels == ("G_1", "G_2", "G7")


def test_a_code_is_no_node_of_the_hierarchy() -> None:
    named = name_sets(publication(), ["race"], "short", others=["ALL", "G2"])
    assert named.transactions.vocabulary.labels == ("G_1", "G_2", "x")


def test_sensitive_items_are_left_out() -> None:
    before = publication()
    after = leave_out(before, ["x", "y"]).transactions
    assert after is not None
    assert [list(row) for row in after.rows()] == [[NINE], [TWO]]
    assert leave_out(before, []) is before


@pytest.mark.parametrize("item", ["a,b", "(a", "b)"])
def test_items_with_commas_or_parentheses_are_rejected(item: str) -> None:
    with refused(InputError, "item symbols short"):
        require_plain_items(["x", item])


def test_labels_that_are_not_sets_have_one_member() -> None:
    assert members_of("(a)") == ("a",)
    assert members_of("a,b") == ("a,b",)


def test_empty_vocabularies() -> None:
    empty = SetColumn("items", np.zeros(1, np.int64), np.zeros(0, np.int32), Vocabulary(()))
    named = name_sets(Records(empty, (), (), (), np.arange(0)), [], "short")
    assert named.n == 0
    assert leave_out(named, ["a"]).n == 0
