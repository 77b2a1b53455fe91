"""Hierarchy of a column of a data set, with the number of records below each node."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from anonset.columns.kinds import look_at
from anonset.data import CategoricalColumn, Hierarchy, SetColumn, Table
from anonset.data.array_types import Int64
from anonset.data.distinct import first_of_runs
from anonset.data.hierarchies.ceilings import nodes_of_ceiling
from anonset.data.hierarchies.hierarchy_rules import RANGE, VALUES
from anonset.data.redacted_repr import RedactedRepr
from anonset.errors import InputError
from anonset.reading.read import read_by
from anonset.settings.binding import bind_columns, cap, ceiling_of
from anonset.settings.commands import TreeSettings
from anonset.spelling import hierarchy_of, listed

_LEAVES_IN_TITLE = 3


@dataclass(frozen=True)
class ColumnHierarchy(RedactedRepr):
    """Hierarchy of a column, its ceilings, and the number of records below each node."""

    column: str
    hierarchy: Hierarchy
    records: Int64
    """Number of records below each node, int64 (V,). A record is below a node if it contains a leaf of the node."""
    ceilings: frozenset[int] = frozenset()
    """Highest nodes that may be published. Empty if no ceiling is set."""

    @classmethod
    def of_contents(cls, contents: Mapping[str, Any]) -> "ColumnHierarchy":
        """Create the hierarchy from `contents`."""
        hierarchy = Hierarchy.from_preorder(contents["labels"], np.array(contents["parents"], np.int64))
        unnamed = frozenset(hierarchy.labels[node] for node in contents["unnamed"])
        return cls(
            contents["column"],
            replace(hierarchy, unnamed=unnamed),
            np.array(contents["records"], np.int64),
            frozenset(contents["ceilings"]),
        )

    @property
    def contents(self) -> dict[str, Any]:
        """Tree as JSON data. Nodes are in preorder, so the children of a node follow the node."""
        return {
            "column": self.column,
            "labels": list(self.hierarchy.labels),
            "parents": self.hierarchy.parent.tolist(),
            "records": self.records.tolist(),
            "unnamed": [node for node, label in enumerate(self.hierarchy.labels) if label in self.hierarchy.unnamed],
            "ceilings": sorted(self.ceilings),
        }

    @cached_property
    def excluded(self) -> frozenset[int]:
        """Nodes above a ceiling, which are never published."""
        return frozenset(above for node in self.ceilings for above in self.hierarchy.ancestors(node))

    @cached_property
    def date_form(self) -> str:
        """Format of the leaves for `datetime.strptime` if all leaves are dates of one format other than ISO, and day
        and month are not ambiguous. Otherwise empty.

        >>> tree = Hierarchy.from_tree(("all", ["31.12.2023", "01.02.2024"]))
        >>> ColumnHierarchy("born", tree, np.ones(3, np.int64)).date_form
        '%d.%m.%Y'
        """
        look = look_at(self.column, self.hierarchy.leaves.labels)
        return look.form if look.kind == "dates" and look.usable and not (look.doubt or look.odd) else ""

    def path(self, node: int) -> list[int]:
        """Return the nodes from the root to a node."""
        return [*reversed(self.hierarchy.ancestors(node)), node]

    def title(self, node: int) -> str:
        """Return the label of a node, or its first leaves if it has no name.

        >>> tree = Hierarchy.from_tree(("H1", ["a", "b", "c", "d"]))
        >>> ColumnHierarchy("codes", replace(tree, unnamed=frozenset(["H1"])), np.ones(5, np.int64)).title(0)
        'a, b, c and 1 more'
        """
        label = self.hierarchy.labels[node]
        if label not in self.hierarchy.unnamed or "(" in label:
            return label
        low, high = int(self.hierarchy.leaf_lo[node]), int(self.hierarchy.leaf_hi[node])
        return listed(self.hierarchy.leaves.labels[low:high], most=_LEAVES_IN_TITLE)

    def matches(self, text: str, most: int, *, leaves: bool = False) -> list[int]:
        """Return up to `most` nodes with a label that contains `text`. Labels that begin with the text come first, then
        the most frequent. If `leaves` is True, return only leaves.

        >>> tree = ColumnHierarchy("codes", Hierarchy.from_tree(("all", ["E10", "I10", "1"])), np.ones(4, np.int64))
        >>> [tree.hierarchy.labels[node] for node in tree.matches("1", 2)]
        ['1', 'E10']
        """
        wanted = text.casefold()
        found = [(node, label.casefold()) for node, label in enumerate(self.hierarchy.labels)]
        places = [(label.find(wanted) > 0, -self.records[node], node) for node, label in found if wanted in label]
        if leaves:
            places = [place for place in places if self.hierarchy.is_leaf[place[-1]]]
        return [node for *_, node in sorted(places)[:most]]

    def values_below(self, label: str) -> tuple[str, ...]:
        """Return the values below a node, in order.

        >>> tree = Hierarchy.from_tree(("all", [("A", ["a", "b"]), "c"]))
        >>> ColumnHierarchy("codes", tree, np.ones(5, np.int64)).values_below("A")
        ('a', 'b')
        """
        tree, node = self.hierarchy, self.hierarchy.node_of[label]
        return tuple(tree.leaves.labels[tree.leaf_lo[node] : tree.leaf_hi[node]])

    def with_ceiling(self, node: int) -> list[str]:
        """Return the labels of the ceilings after a click on a node. A click on a ceiling removes it. A click on
        another node makes it a ceiling and removes all ceilings above and below it.

        >>> tree = Hierarchy.from_tree(("all", [("A", ["a", "b"]), "c"]))
        >>> ColumnHierarchy("codes", tree, np.ones(5, np.int64)).with_ceiling(1)
        ['A']
        """
        tree = self.hierarchy
        if node in self.ceilings:
            chosen = self.ceilings - {node}
        else:
            family = {*tree.ancestors(node), *range(node, int(tree.subtree_end[node]))}
            chosen = (self.ceilings - family) | ({node} if node else set())
        return [tree.labels[one] for one in sorted(chosen)]


def column_tree(source: str, settings: TreeSettings, column: str | None = None) -> ColumnHierarchy:
    """Read a data set, and return the hierarchy of a column. The default column contains the items. Values without a
    hierarchy are placed below one root.

    Raises
    ------
    InputError
        If the data cannot be read, or the column has no valid hierarchy.
    """
    table = read_by(source, settings.read_options())
    items = "" if table.transactions is None else table.transactions.name
    name = items if column in table.joined else column or items  # joined columns of items share a tree
    parts = table.joined if table.transactions is not None and name == table.transactions.name else ()
    specs = {one: spec for one, spec in settings.hierarchy.items() if one in (name, *parts)}
    for attribute in table.relational:
        if specs.get(attribute.name) == VALUES and isinstance(attribute, CategoricalColumn):
            specs[attribute.name] = f"balanced:{max(2, len(attribute.vocabulary))}"
    if not specs or not {*specs.values()}.isdisjoint((RANGE, VALUES)):
        trees = ", ".join(name for name, spec in settings.hierarchy.items() if spec not in (RANGE, VALUES)) or "none"
        raise InputError(f"{hierarchy_of(name)}: column {name!r} has no hierarchy; columns with a hierarchy: {trees}")
    table, hierarchies = bind_columns(table, specs)
    ceilings = {one: bound for one, bound in settings.ceiling.items() if one == name}
    cap(table, hierarchies, ceilings)
    tree = hierarchies[name]
    nodes = nodes_of_ceiling(tree, ceiling_of(ceilings[name])) if ceilings else ()
    return ColumnHierarchy(name, tree, _records(_sets(table, name, tree), tree), frozenset(nodes))


def _sets(table: Table, name: str, tree: Hierarchy) -> SetColumn:
    column = next(one for one in (table.transactions, *table.relational) if one is not None and one.name == name)
    if isinstance(column, CategoricalColumn):
        leaves = tree.codes_of(column.vocabulary, name)[column.codes]
        return SetColumn(name, np.arange(column.n + 1, dtype=np.int64), leaves, tree.leaves)
    if not isinstance(column, SetColumn):
        raise InputError(f"column {name!r} contains numbers, which have no hierarchy")
    return column


def _records(column: SetColumn, tree: Hierarchy) -> Int64:
    """Return the number of records with a leaf below each node, int64 (V,).

    Starts from the leaves of each record and replaces them by their parents, one level at a time. The nodes of a record
    are in preorder, so equal nodes are neighbours.
    """
    counts = np.zeros(tree.n_nodes, np.int64)
    record = np.repeat(np.arange(column.n), column.lengths)
    node = tree.leaf_node[column.items]
    for depth in range(int(tree.depth.max()), -1, -1):
        is_new = first_of_runs(node, record)
        record, node = record[is_new], node[is_new]
        deep = tree.depth[node] == depth
        counts += np.bincount(node[deep], minlength=tree.n_nodes)
        node = np.where(deep, tree.parent[node], node) if depth else node
    return counts
