"""Contradictory codebooks are rejected."""

import csv
from pathlib import Path

import pytest
from tests.facts import refused

from anonset.data import Hierarchy, SetColumn, Table
from anonset.errors import InputError
from anonset.publications import Symbol
from anonset.reading.publications.codebook import read_codebook, read_mapping
from anonset.reading.sources.csv_rows import header_of
from anonset.release.kinds.records import with_codebook
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
        (symbol("(a,b)", "group", "a c"), "it (a,b) a c"),
        (symbol("(a,b)", "values", "x y z"), "(a,b) x y z"),
        (symbol("(a,b)", "node", "x y"), "(a,b) hierarchy"),
        (symbol("a", "item", "b"), "a b"),
        (symbol("N", "item", "a b"), "N a b"),
        (symbol("G1", "group", "a"), "G1 a"),
        (symbol("G1", "group", "a a"), "G1 once a"),
        (symbol("N", "node", ""), "N none"),
        (symbol("N", "leaf", "a"), "N item node group values"),
    ],
)
def test_a_contradiction_in_a_codebook(wrong: Symbol, message: str) -> None:
    with refused(InputError, message):
        require_sound([symbol("z", "item", "z"), wrong], "it")


def test_a_codebook_explains_exactly_the_published_symbols() -> None:
    book = (symbol("N", "node", "a b"), symbol("c", "item", "c"), symbol("V1", "values", "x y"))
    shown = with_codebook(Table(SetColumn.of([["N"], ["c"]])), book)
    require_complete(book, shown, "it")
    with refused(InputError, "it N"):
        require_complete(book[1:], shown, "it")
    with refused(InputError, "it d"):
        require_complete((*book, symbol("d", "item", "d")), shown, "it")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (
            symbol("(a,b)", "node", "a b"),
            "(a,b) 3 hierarchy 2",
        ),
        (symbol("ALL", "item", "ALL"), "ALL 4"),
        (symbol("N", "node", "a b"), "N node hierarchy"),
    ],
)
def test_symbols_that_a_hierarchy_contradicts(wrong: Symbol, message: str) -> None:
    right = (symbol("(a,b)", "node", "c b a"), symbol("d", "item", "d"), symbol("x", "item", "x"))
    require_agreement(with_codebook(Table(SetColumn.of([["(a,b)", "d", "x"]])), right), TREE)
    with refused(InputError, message):
        require_agreement(with_codebook(Table(SetColumn.of([[wrong.label]])), (wrong,)), TREE)


def test_a_code_may_be_the_name_of_a_node() -> None:
    tree = Hierarchy.from_tree(("ALL", [("G1", ["a", "b"]), ("G2", ["c", "d"])]))
    require_agreement(with_codebook(Table(SetColumn.of([["G1"]])), (symbol("G1", "group", "a c"),)), tree)
    with refused(InputError, "G1 2"):
        require_agreement(with_codebook(Table(SetColumn.of([["G1"]])), (symbol("G1", "node", "a c"),)), tree)


def test_fields_of_any_size_are_read(tmp_path: Path) -> None:
    path, before = tmp_path / "codebook.csv", csv.field_size_limit()
    long, items = "x" * 140_000, " ".join(f"item{number}" for number in range(20_000))
    path.write_text(f"symbol,kind,members\nN,node,{items}\n{long},item,{long}\n")
    result = read_codebook(path)
    assert [len(symbol.members) for symbol in result] == [20_000, 1]
    assert result[1].members == (long,)
    path.write_text(f"item,published\n{long},{long}\n")
    assert read_mapping(path) == {long: long}
    path.write_text(f"{long},b\n")
    assert header_of(path) == (long, "b")
    assert csv.field_size_limit() == before


def test_a_long_mapping_is_read_completely(tmp_path: Path) -> None:
    path = tmp_path / "mapping.csv"
    rows = [f"i{number}" for number in range(10_000)]
    path.write_text("item,published\n" + "".join(f"{item},{item}\n" for item in rows))
    assert list(read_mapping(path)) == rows


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,item,a\na,item,a\n", "a twice"),
        ('N,node,"""a"\n', "members quoted CSV"),
        ('N,node,"a\n', "CSV"),
    ],
)
def test_a_codebook_that_cannot_be_read(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "codebook.csv"
    path.write_text(f"symbol,kind,members\n{text}")
    with refused(InputError, message):
        read_codebook(path)
