"""Build hierarchies from objects in memory: a data frame with one row per leaf, or a mapping."""

from collections.abc import Mapping
from typing import Any

from anonset.data import Hierarchy
from anonset.errors import HierarchyError
from anonset.reading.formats.objects import columns_of
from anonset.reading.hierarchies.amnesia import paths_of
from anonset.reading.hierarchies.files import hierarchy_of_rows

_KINDS = (
    "a hierarchy must be a file, a Hierarchy, a data frame with a row per leaf (leaf, parent, ..., root), a mapping of "
    "each label to its parent, or nested mappings {root: {node: [leaf, ...]}}"
)


def hierarchy_from(name: str, tree: Any) -> Hierarchy:
    """Return the hierarchy of a data frame or a mapping.

    Each row of a data frame is a path from a leaf to the root. Trailing nulls are ignored. A leaf that is null is the
    leaf of empty cells. A mapping in which all values are text maps each label to its parent. Any other mapping is
    nested, from its only key, the root, down to lists.

    Parameters
    ----------
    name
        Name of the column, for messages.

    Raises
    ------
    HierarchyError
        If the object is neither, or not a tree.

    Examples
    --------
    >>> hierarchy_from("codes", {"E10": "E", "E11": "E", "I10": "any", "E": "any"}).labels
    ('any', 'E', 'E10', 'E11', 'I10')
    >>> hierarchy_from("codes", {"any": {"E": ["E10", "E11"], "I10": []}}).labels
    ('any', 'E', 'E10', 'E11', 'I10')
    """
    where = f"hierarchy of {name!r}"
    if isinstance(tree, Mapping):
        flat = len(tree) > 0 and all(isinstance(value, str) for value in tree.values())
        rows = paths_of(tree) if flat else _of_nested(where, tree)
    elif hasattr(tree, "__arrow_c_stream__") or hasattr(tree, "collect"):
        columns = columns_of(where, tree).columns.values()
        rows = [_path(row) for row in zip(*(column.to_pylist() for column in columns), strict=True)]
    else:
        raise HierarchyError(f"{where}: {_KINDS}; got {type(tree).__name__}")
    if invalid := next((label for row in rows for label in row if not isinstance(label, str)), None):
        raise HierarchyError(f"{where}: labels must be text, got {type(invalid).__name__}")
    return hierarchy_of_rows(where, rows)


def _path(row: tuple[Any, ...]) -> list[Any]:
    path = [str(label) if isinstance(label, int) and not isinstance(label, bool) else label for label in row]
    while path and path[-1] in (None, ""):
        path.pop()
    return ["", *path[1:]] if path and path[0] is None else path


def _of_nested(where: str, tree: Mapping[Any, Any]) -> list[list[Any]]:
    if len(tree) != 1:
        raise HierarchyError(f"{where}: nested mappings must have one key, the root, got {len(tree)}")
    rows: list[list[Any]] = []
    stack: list[tuple[Any, list[Any]]] = [(tree, [])]
    while stack:
        below, above = stack.pop()
        if isinstance(below, Mapping):
            stack.extend((children, [label, *above]) for label, children in reversed(list(below.items())))
        elif isinstance(below, (list, tuple)):
            rows.extend([leaf, *above] for leaf in below)
            rows.extend([above] if not below else [])
        else:
            raise HierarchyError(f"{where}: {_KINDS}; got {type(below).__name__} below a node")
    return rows
