"""Reading back and verifying columns that were joined."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.facts import refused

from anonset.algorithms.transaction.cuts.apriori import Apriori
from anonset.data import Hierarchy, SetColumn, Table
from anonset.data.table_facts import OwnerStatements
from anonset.errors import InputError
from anonset.jobs.runs.anonymize import anonymize
from anonset.privacy import KmAnonymity
from anonset.publications import Symbol
from anonset.reading.read import read
from anonset.release.kinds.joined import rejoin, texts_of_items, texts_of_nodes
from anonset.release.kinds.records import with_codebook
from anonset.settings.binding import bind
from anonset.verification import verify

JOINED = ("dx", "rx")
ALL = Symbol("ALL", "node", ("dx:a", "rx:1"))
BOOK = (ALL, Symbol("dx:AB", "node", ("dx:b", "dx:c")))


def read_back(*rows: set[str]) -> Table:
    """Return the labels that `read` assigns to published columns: texts with a column prefix."""
    return Table(SetColumn.of(rows), order=("dx", "rx"), joined=JOINED)


def test_a_symbol_of_several_columns_is_read_as_one_symbol() -> None:
    table = read_back({"dx:ALL", "rx:ALL", "dx:AB"}, {"dx:ALL", "rx:ALL", "rx:(2,3)"}, set())
    result = with_codebook(table, BOOK)
    assert [set(row) for row in result.transactions.rows()] == [{"ALL", "dx:AB"}, {"ALL", "rx:(2,3)"}, set()]
    assert set(result.symbols) == {*BOOK, Symbol("rx:(2,3)", "group", ("rx:2", "rx:3"))}
    assert result.joined == JOINED


def test_sets_of_several_columns_are_read_without_a_codebook() -> None:
    column = SetColumn.of([{"dx:(dx:a,rx:1)", "rx:(dx:a,rx:1)", "dx:z"}])
    rejoined, symbols = rejoin(column, (), JOINED, sets=True)
    assert [set(row) for row in rejoined.rows()] == [{"(dx:a,rx:1)", "dx:z"}]
    assert Symbol("(dx:a,rx:1)", "group", ("dx:a", "rx:1")) in symbols
    rejoined, symbols = rejoin(column, (), JOINED)
    assert list(rejoined.rows()) == list(column.rows())
    assert {symbol.members for symbol in symbols} == {("dx:a", "rx:1"), ("dx:z",)}


@pytest.mark.parametrize("sets", [False, True])
def test_texts_of_several_columns_are_not_merged_without_a_codebook(sets: bool) -> None:
    """Each occurs in a single row, which violates k = 2. As a single symbol they would satisfy it."""
    table = read_back({"dx:(x,y)"}, {"dx:(dx:x,dx:y)"})
    result = with_codebook(table, (), sets=sets)
    assert [symbol.label for symbol in result.symbols] == ["dx:(dx:x,dx:y)", "dx:(x,y)"]
    assert verify(result, KmAnonymity(k=2, m=1)).holds is False
    table = read_back({"dx:(dx:x,rx:y)", "rx:(dx:x,rx:y)"}, {"dx:(dx:x,rx:y)", "rx:(dx:x,rx:y)"}, {"dx:(x,rx:y)"})
    assert verify(with_codebook(table, (), sets=sets), KmAnonymity(k=2, m=1)).holds is False


def test_a_symbol_missing_in_one_of_its_columns_is_rejected() -> None:
    with refused(InputError, "ALL 2"):
        with_codebook(read_back({"dx:ALL", "rx:ALL"}, {"dx:ALL"}), BOOK)
    with refused(InputError, "(dx:a,rx:1) 2"):
        with_codebook(read_back({"dx:(dx:a,rx:1)", "rx:(dx:a,rx:1)"}, {"dx:(dx:a,rx:1)"}), (), sets=True)


@pytest.mark.parametrize(
    "rows",
    [
        [{"dx:ALL", "rx:ALL", "dx:AB"}] * 2 + [{"dx:ALL", "rx:ALL"}] * 2,
        [{"dx:ALL", "rx:ALL", "dx:AB"}] + [{"dx:ALL", "rx:ALL"}, {"dx:AB"}] * 2,
        [{"dx:ALL", "rx:ALL"}, {"dx:AB"}, {"dx:AB"}],
    ],
)
@pytest.mark.parametrize("m", [1, 2, 3])
def test_the_verdict_is_the_same_without_the_codebook(rows: list[set[str]], m: int) -> None:
    """Without the codebook, a symbol over several columns counts once per column."""
    model = KmAnonymity(k=2, m=m)
    table = read_back(*rows)
    with_book, each = with_codebook(table, BOOK), with_codebook(table, ())
    assert len(each.symbols) == 3
    assert len(with_book.symbols) == 2
    assert verify(with_book, model).holds == verify(each, model).holds


def test_published_texts_omit_the_prefix_of_the_column() -> None:
    hierarchy = Hierarchy.from_tree(("ALL", [("AB", ["dx:a", "dx:b"]), "rx:1"]))
    assert texts_of_nodes(hierarchy, JOINED, range(5)) == ["ALL", "AB", "a", "b", "ALL", "1"]
    assert texts_of_nodes(hierarchy, JOINED, range(1, 5)) == ["AB", "a", "b", "1"]
    assert texts_of_items(SetColumn.of([{"rx:1", "dx:b"}]), JOINED) == ["b", "1"]


def test_hierarchies_of_the_columns_are_joined() -> None:
    table = read_back({"dx:10", "dx:9", "rx:x"}, {"dx:11", "rx:y"})
    bound, trees = bind(
        table, {"dx": "balanced:2", "rx": Hierarchy.from_tree(("R", ["x", "y"]))}, KmAnonymity(k=2, m=2)
    )
    assert trees["items"].labels == (
        *("items", "dx:N2_0", "dx:N1_0", "dx:9", "dx:10", "dx:11"),  # numbers in numeric order within their column
        *("rx:R", "rx:x", "rx:y"),
    )
    assert bound.transactions.vocabulary == trees["items"].leaves


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"dx": "balanced:2"}, "dx rx items none"),
        ({"dx": "balanced:2", "rx": "balanced:2", "items": "balanced:2"}, "items dx both"),
        ({"dx": "balanced:2", "rx": "values"}, "rx set-valued"),
        ({"zx": "balanced:2"}, "zx items dx rx"),
    ],
)
def test_hierarchies_that_do_not_fit_joined_columns(given: dict[str, str], message: str) -> None:
    with refused(InputError, message):
        bind(read_back({"dx:a", "rx:1"}), given, KmAnonymity(k=2, m=2))


@pytest.mark.parametrize(
    ("dx", "labels"),
    [([{"a", "b"}] * 2, ("dx:N1_0", "dx:a", "dx:b")), ([set(), set()], ("items",))],
    ids=["one column has items", "no column has items"],
)
def test_a_column_without_items_adds_none_to_the_universe(dx: list[set[str]], labels: tuple[str, ...]) -> None:
    table = replace(Table.from_columns({"dx": dx, "rx": [set(), set()]}), statements=OwnerStatements("row"))
    hierarchies = {"dx": "balanced:2", "rx": "balanced:2"}
    release = anonymize(table, Apriori(k=2, m=1), hierarchies=hierarchies)
    assert release.unverified.hierarchies["items"].labels == labels
    assert release.to_arrow()["rx"].to_pylist() == [[], []]


def test_a_table_from_columns_is_published_like_a_table_from_a_file(tmp_path: Path) -> None:
    dx = [{"a", "b"}, {"a"}, {"b"}, set(), {"c"}, {"c"}]
    made = Table.from_columns({"dx": dx, "rx": [{"10"}, {"9"}, {"9", "10"}, set(), {"9"}, {"9"}]})
    made = replace(made, statements=OwnerStatements("row"))
    (tmp_path / "visits.csv").write_text("dx,rx\na b,10\na,9\nb,10 9\n,\nc,9\nc,9\n")
    hierarchies = {"dx": "balanced:2", "rx": "balanced:2"}
    first, other = (
        anonymize(table, Apriori(k=2, m=2), hierarchies=hierarchies).to_arrow()
        for table in (made, read(tmp_path / "visits.csv", items="dx,rx", unit="row"))
    )
    assert first.column_names == ["dx", "rx"]
    assert first.equals(other)
