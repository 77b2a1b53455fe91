"""Set-valued columns joined into a column are published as separate columns."""

import numpy as np
import pytest
from tests.facts import refused

from anonset.data import CategoricalColumn, Hierarchy, SetColumn, Table
from anonset.data.hierarchies.combined_hierarchies import join_hierarchies
from anonset.errors import InputError
from anonset.generalization import Cut, ItemGroups, apply
from anonset.publications import Records, Symbol
from anonset.publications.records import written_columns
from anonset.publications.symbols import cells

JOINED = ("dx", "rx")
ROWS = [{"dx:a", "dx:b", "rx:1"}, {"rx:2"}, set(), {"dx:c", "rx:1", "rx:2"}]
TREE = ("ALL", [("dx:AB", ["dx:a", "dx:b"]), ("mixed", ["dx:c", "rx:1"]), "rx:2"])


def table_of(universe: tuple[str, ...] | None = None) -> Table:
    kept = CategoricalColumn.of("city", ["x", "y", "y", "x"])
    return Table(SetColumn.of(ROWS, universe=universe), kept=(kept,), order=("rx", "city", "dx"), joined=JOINED)


def written(publication: Records) -> dict[str, list[list[str]]]:
    return {c.name: list(c.rows()) for c in written_columns(publication) if isinstance(c, SetColumn)}


@pytest.mark.parametrize(
    ("symbol", "expected"),
    [
        (Symbol("dx:a", "item", ("dx:a",)), {"dx": "a"}),
        (Symbol("dx:dx:a", "item", ("dx:dx:a",)), {"dx": "dx:a"}),
        (Symbol("dx:AB", "node", ("dx:a", "dx:b")), {"dx": "AB"}),
        (Symbol("AB", "node", ("dx:a", "dx:b")), {"dx": "AB"}),
        (Symbol("(rx:1,rx:2)", "group", ("rx:1", "rx:2")), {"rx": "(1,2)"}),
        (Symbol("G1", "group", ("rx:1", "rx:2")), {"rx": "G1"}),
        (Symbol("(dx:a,rx:1)", "group", ("dx:a", "rx:1")), {"dx": "(dx:a,rx:1)", "rx": "(dx:a,rx:1)"}),
        (Symbol("dx:ALL", "node", ("dx:a", "rx:1")), {"dx": "dx:ALL", "rx": "dx:ALL"}),
        (Symbol("other", "item", ("other",)), {}),
    ],
)
def test_text_of_a_symbol_in_each_column(symbol: Symbol, expected: dict[str, str]) -> None:
    assert cells(symbol, JOINED) == expected


def test_nodes_are_published_in_the_columns_of_their_leaves() -> None:
    hierarchy = Hierarchy.from_tree(TREE)
    image = [hierarchy.node_of[x] for x in ("dx:AB", "dx:AB", "mixed", "mixed", "rx:2")]
    cut = Cut(hierarchy, np.array(image, np.int32))
    publication = apply(table_of(hierarchy.leaves.labels), cut)
    assert publication.joined == JOINED
    assert written(publication) == {
        "dx": [["AB", "mixed"], [], [], ["mixed"]],
        "rx": [["mixed"], ["2"], [], ["mixed", "2"]],
    }
    assert [column.name for column in written_columns(publication)] == ["rx", "city", "dx"]
    assert [column.name for column in publication.columns] == ["items", "city"]
    assert [symbol.label for symbol in publication.symbols] == ["dx:AB", "mixed", "rx:2"]


def test_sets_of_one_column_lose_the_prefix_of_their_members() -> None:
    table = table_of()
    groups = ItemGroups(table.transactions.vocabulary, np.array([0, 0, 1, 1, -1], np.int32))  # a b, c 1, 2 suppressed
    publication = apply(table, groups).take(np.array([3, 0]))
    assert written(publication) == {"dx": [["(dx:c,rx:1)"], ["(a,b)", "(dx:c,rx:1)"]], "rx": [["(dx:c,rx:1)"]] * 2}


def test_unjoined_columns_are_not_separated() -> None:
    table = Table(SetColumn.of(ROWS))
    publication = apply(table, ItemGroups(table.transactions.vocabulary, np.arange(5, dtype=np.int32)))
    assert written_columns(publication) == publication.columns


def test_two_symbols_with_equal_text_are_rejected() -> None:
    hierarchy = Hierarchy.from_tree(("c", [("a", ["dx:a", "dx:b"]), ("r", ["dx:c", "rx:1", "rx:2"])]))
    table = table_of(hierarchy.leaves.labels)
    with refused(InputError, "dx a dx:a"):
        written_columns(Records(table.transactions, _both(hierarchy), (), (), np.arange(4), joined=JOINED))


def _both(hierarchy: Hierarchy) -> tuple[Symbol, ...]:
    return (Symbol("a", "node", ("dx:a", "dx:b")), *(Symbol(x, "item", (x,)) for x in hierarchy.leaves.labels))


def test_hierarchies_are_joined_under_one_root() -> None:
    parts = {"dx": Hierarchy.from_tree(("ALL", [("AB", ["a", "b"]), "c"])), "rx": Hierarchy.from_tree("1")}
    result = join_hierarchies(parts, "items")
    assert result.labels == ("items", "dx:ALL", "dx:AB", "dx:a", "dx:b", "dx:c", "rx:1")
    assert result.parent.tolist() == [-1, 0, 1, 2, 2, 1, 0]
