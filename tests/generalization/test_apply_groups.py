import numpy as np
from tests.facts import refused

from anonset.data import Table
from anonset.errors import InputError
from anonset.generalization import ItemGroups, apply


def test_groups_are_published_as_sets_of_their_items() -> None:
    table = Table.from_sets([{"a", "b"}, {"d"}, {"c", "b", "d"}, set()], universe="abcde")
    assert table.transactions is not None
    publication = apply(table, ItemGroups(table.transactions.vocabulary, np.array([0, 1, 0, -1, 2], np.int32)))
    assert publication.transactions is not None
    assert list(publication.transactions.rows()) == [["(a,c)", "b"], [], ["(a,c)", "b"], []]
    assert [(symbol.label, symbol.kind, symbol.members) for symbol in publication.symbols] == [
        ("(a,c)", "group", ("a", "c")),
        ("b", "item", ("b",)),
    ]
    assert publication.record.tolist() == [0, 1, 2, 3]


def test_groups_of_other_items_are_refused() -> None:
    table, other = Table.from_sets([{"a"}]), Table.from_sets([{"b"}])
    assert other.transactions is not None
    groups = ItemGroups.identity(other.transactions.vocabulary)
    with refused(InputError, "set-valued"):
        apply(table, groups)
    with refused(InputError, "set-valued"):
        apply(Table(), groups)
