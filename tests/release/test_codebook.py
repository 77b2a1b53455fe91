"""Codebooks that say what cannot be."""

import csv
from pathlib import Path

import pytest

from anonset.data import Hierarchy, SetColumn, Table
from anonset.errors import InputError
from anonset.generalization import Symbol
from anonset.io.codebook import read_codebook, read_mapping
from anonset.io.lines import header_of
from anonset.release.records import with_codebook
from anonset.release.symbols import require_agreement, require_complete, require_sound

TREE = Hierarchy.from_tree(("ALL", [("(a,b)", ["a", "b", "c"]), "d"]))


def symbol(label: str, kind: str, members: str) -> Symbol:
    return Symbol(label, kind, tuple(members.split()))


def test_a_sound_codebook() -> None:
    book = [
        symbol("a", "item", "a"),
        symbol("(b,c)", "item", "(b,c)"),
        symbol("(d,e)", "group", "e d"),
        symbol("G1", "group", "f g"),
        symbol("N", "node", "h"),
        symbol("(a,b)", "node", "b a"),
        symbol("(20)", "node", "x y"),
        symbol("V1", "values", "a z"),
    ]
    require_sound(book, "it")
    require_sound([symbol("(a,b)", "node", "a b c")], "it", nodes_known=True)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (symbol("(a,b)", "group", "a c"), r"it: group '\(a,b\)' must stand for the members that its name lists, got"),
        (symbol("(a,b)", "values", "x y z"), "must stand for the members that its name lists, got 'x' 'y' 'z'"),
        (symbol("(a,b)", "node", "x y"), "is named like a set of others; name its hierarchy"),
        (symbol("a", "item", "b"), "item 'a' must stand for itself alone, got 'b'"),
        (symbol("N", "item", "a b"), "must stand for itself alone"),
        (symbol("G1", "group", "a"), "must stand for two or more"),
        (symbol("G1", "group", "a a"), "each once, got 'a' 'a'"),
        (symbol("N", "node", ""), "one item at least, and each once, got none"),
        (symbol("N", "leaf", "a"), "must be of a kind out of item, node, group, values"),
    ],
)
def test_a_contradiction_in_a_codebook(wrong: Symbol, message: str) -> None:
    with pytest.raises(InputError, match=message):
        require_sound([symbol("z", "item", "z"), wrong], "it")


def test_a_codebook_explains_what_is_shown_and_nothing_else() -> None:
    book = (symbol("N", "node", "a b"), symbol("c", "item", "c"), symbol("V1", "values", "x y"))
    shown = with_codebook(Table(SetColumn.of([["N"], ["c"]])), book)
    require_complete(book, shown, "it")
    with pytest.raises(InputError, match="it must explain every symbol of the records, but not 'N'"):
        require_complete(book[1:], shown, "it")
    with pytest.raises(InputError, match="alone, but also 'd', which no record shows"):
        require_complete((*book, symbol("d", "item", "d")), shown, "it")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (
            symbol("(a,b)", "node", "a b"),
            r"'\(a,b\)' must stand for the 3 leaves below it in the hierarchy, got 2 items",
        ),
        (symbol("ALL", "item", "ALL"), "'ALL' must stand for the 4 leaves"),
        (symbol("N", "node", "a b"), "'N' must be a node of the hierarchy"),
    ],
)
def test_symbols_that_a_hierarchy_contradicts(wrong: Symbol, message: str) -> None:
    right = (symbol("(a,b)", "node", "c b a"), symbol("d", "item", "d"), symbol("x", "item", "x"))
    require_agreement(with_codebook(Table(SetColumn.of([["(a,b)", "d", "x"]])), right), TREE)
    with pytest.raises(InputError, match=message):
        require_agreement(with_codebook(Table(SetColumn.of([[wrong.label]])), (wrong,)), TREE)


def test_a_code_may_be_the_name_of_a_node() -> None:
    tree = Hierarchy.from_tree(("ALL", [("G1", ["a", "b"]), ("G2", ["c", "d"])]))
    require_agreement(with_codebook(Table(SetColumn.of([["G1"]])), (symbol("G1", "group", "a c"),)), tree)
    with pytest.raises(InputError, match="'G1' must stand for the 2 leaves"):
        require_agreement(with_codebook(Table(SetColumn.of([["G1"]])), (symbol("G1", "node", "a c"),)), tree)


def test_fields_of_any_size_are_read(tmp_path: Path) -> None:
    path, before = tmp_path / "codebook.csv", csv.field_size_limit()
    long, items = "x" * 140_000, " ".join(f"item{number}" for number in range(20_000))
    path.write_text(f"symbol,kind,members\nN,node,{items}\n{long},item,{long}\n")
    found = read_codebook(path)
    assert [len(symbol.members) for symbol in found] == [20_000, 1]
    assert found[1].members == (long,)
    path.write_text(f"item,published\n{long},{long}\n")
    assert read_mapping(path) == {long: long}
    path.write_text(f"{long},b\n")
    assert header_of(path) == (long, "b")
    assert csv.field_size_limit() == before


def test_many_rows_are_all_read(tmp_path: Path) -> None:
    path = tmp_path / "mapping.csv"
    rows = [f"i{number}" for number in range(10_000)]
    path.write_text("item,published\n" + "".join(f"{item},{item}\n" for item in rows))
    assert list(read_mapping(path)) == rows


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,item,a\na,item,a\n", "must explain symbol 'a' once, but does so twice"),
        ('N,node,"""a"\n', "members must be separated by blanks, and quoted as in CSV"),
        ('N,node,"a\n', "is no valid CSV"),
    ],
)
def test_a_codebook_that_cannot_be_read(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "codebook.csv"
    path.write_text(f"symbol,kind,members\n{text}")
    with pytest.raises(InputError, match=message):
        read_codebook(path)
