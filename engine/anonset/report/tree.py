"""Drawing of a hierarchy as lines of text."""

from collections.abc import Collection, Iterator

from anonset.data import Hierarchy
from anonset.data.array_types import Int64
from anonset.spelling import counted, printable


def drawn(
    hierarchy: Hierarchy,
    records: Int64 | None = None,
    ceilings: Collection[int] = (),
    *,
    depth: int | None = None,
    most: int | None = None,
) -> Iterator[str]:
    """Yield the lines of the drawing. Each line shows a node and the number of leaves below it.

    Parameters
    ----------
    records
        Number of records that contain a value below each node, int64 (V,).
    ceilings
        Nodes that are marked as ceilings.
    depth
        Maximum number of levels below the root. None for all levels.
    most
        Maximum number of children per node. None for all children. If children are omitted, a line states their number
        and the number of leaves below them.

    >>> import numpy as np
    >>> tree = Hierarchy.from_tree(("any", [("E", ["E10", "E11", "E12"]), ("I", ["I10", "I11"]), ("J", ["J1", "J2"])]))
    >>> for line in drawn(tree, most=2):
    ...     print(line)
    any  (7)
    ├── E  (3)
    │   ├── E10
    │   ├── E11
    │   └── … 1 more
    ├── I  (2)
    │   ├── I10
    │   └── I11
    └── … 1 more, with 2 leaves
    >>> for line in drawn(tree, np.arange(11)[::-1], {1}, depth=1):
    ...     print(line)
    any  (7; 10 records)
    ├── E  (3; 9 records) ceiling
    ├── I  (2; 5 records)
    └── J  (2; 2 records)
    """
    below, leaf = hierarchy.n_leaves_below.tolist(), hierarchy.is_leaf.tolist()

    def named(node: int) -> str:
        figures = [] if leaf[node] else [f"{below[node]:,}"]
        figures += [] if records is None else [counted(int(records[node]), "record")]
        mark = " ceiling" if node in ceilings else ""
        shown = f"  ({'; '.join(figures)})" if figures else ""
        return f"{printable(hierarchy.labels[node])}{shown}{mark}"

    yield named(0)
    open_ = [(hierarchy.children(0), 0, "")]  # children of a node, number of children already drawn, and line prefix
    while open_:
        nodes, position, before = open_.pop()
        if position == len(nodes) or (depth is not None and len(open_) >= depth):
            continue
        if position == most and position < len(nodes):
            remaining = nodes[position:]
            with_leaves = (
                f", with {_leaves(sum(below[v] for v in remaining))}" if not all(leaf[v] for v in remaining) else ""
            )
            yield f"{before}└── … {len(remaining):,} more{with_leaves}"
            continue
        last = position + 1 == len(nodes)
        yield f"{before}{'└── ' if last else '├── '}{named(nodes[position])}"
        open_.append((nodes, position + 1, before))
        open_.append((hierarchy.children(nodes[position]), 0, f"{before}{'    ' if last else '│   '}"))


def _leaves(n: int) -> str:
    return counted(n, "leaf").replace("leafs", "leaves")
