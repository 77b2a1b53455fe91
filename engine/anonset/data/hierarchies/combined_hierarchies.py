"""Hierarchies built from other hierarchies, by attaching sensitive items or by joining several trees under one root."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from anonset.data.hierarchies.hierarchy import Hierarchy
from anonset.data.joining import prefixed
from anonset.data.labels.vocabulary import canonical_order
from anonset.errors import InputError, datum

_AND_SENSITIVE = " and sensitive items"


def attach_sensitive(hierarchy: Hierarchy, sensitive: Iterable[str]) -> Hierarchy:
    """Return a hierarchy with a new root. Its children are the root of the given hierarchy and the sensitive items.

    Items are never generalized to the new root, so sensitive items remain unchanged. The other leaves keep their codes,
    and the sensitive items follow in canonical order. A hierarchy that already has these items attached is returned
    unchanged.

    >>> h = attach_sensitive(Hierarchy.from_tree(("ALL", ["a", "b"])), ["s2", "s1"])
    >>> h.labels
    ('ALL and sensitive items', 'ALL', 'a', 'b', 's1', 's2')
    >>> attach_sensitive(h, ["s1", "s2"]) is h
    True

    Raises
    ------
    InputError
        If a sensitive item is already in the given hierarchy, which could generalize the item.
    """
    items = canonical_order(sensitive)
    if not items or is_attached(hierarchy, items):
        return hierarchy
    if hierarchy.capped:
        raise InputError("models with sensitive items do not support a ceiling; remove the ceiling from the hierarchy")
    for item in items:
        if item in hierarchy.node_of:
            raise InputError(
                f"sensitive item {datum(item)} must not be in the hierarchy of the other items, which would "
                "generalize it"
            )
    n = hierarchy.n_nodes
    labels = (hierarchy.labels[0] + _AND_SENSITIVE, *hierarchy.labels, *items)
    parent = np.concatenate([[-1, 0], hierarchy.parent[1:] + 1, np.zeros(len(items), np.int64)])
    columns = [0, *(hierarchy.column_depth + 1).tolist(), *[1] * len(items)]
    sensitive_places = np.arange(hierarchy.n_leaves, hierarchy.n_leaves + len(items), dtype=np.int32)
    attached = replace(
        Hierarchy.from_preorder(labels, parent.astype(np.int64), columns),
        from_data=hierarchy.from_data,
        unnamed=hierarchy.unnamed,
        place=None if hierarchy.place is None else np.concatenate([hierarchy.place, sensitive_places]),
        rival=None if hierarchy.rival is None else attach_sensitive(hierarchy.rival, items),
    )
    if attached.n_nodes != n + 1 + len(items):
        raise InputError(
            f"the hierarchy of the items that are not sensitive (unlike {datum(items[0])}) must not have nodes with a "
            "single child"
        )
    return attached


def is_attached(hierarchy: Hierarchy, sensitive: Iterable[str]) -> bool:
    """Return True if a hierarchy was built by `attach_sensitive` for these items."""
    children = [hierarchy.labels[v] for v in hierarchy.children(0)]
    return hierarchy.labels[0] == (children or [""])[0] + _AND_SENSITIVE and children[1:] == canonical_order(sensitive)


def join_hierarchies(parts: Mapping[str, Hierarchy], root: str) -> Hierarchy:
    """Join the hierarchies of several columns under one root. Each label is prefixed with its column name.

    >>> drugs, codes = Hierarchy.from_tree(("ALL", ["1", "2"])), Hierarchy.from_tree(("ALL", ["8", "9"]))
    >>> join_hierarchies({"drug": drugs, "icd": codes}, "items").labels
    ('items', 'drug:ALL', 'drug:1', 'drug:2', 'icd:ALL', 'icd:8', 'icd:9')
    """
    labels, parents, columns = [root], [np.array([-1], np.int64)], [0]
    for name, part in parts.items():
        first = int(part.capped)  # the new root replaces the root above the ceilings
        above = part.parent[first:].astype(np.int64) - first
        parents.append(np.where(above < 0, 0, above + len(labels)))
        labels += [prefixed(name, label) for label in part.labels[first:]]
        columns += (part.column_depth[first:] + 1).tolist()
    joined = Hierarchy.from_preorder(labels, np.concatenate(parents), columns)
    some, capped = any(part.from_data for part in parts.values()), any(part.capped for part in parts.values())
    aliases = [(prefixed(name, a), prefixed(name, b)) for name, part in parts.items() for a, b in part.aliases]
    marked = replace(joined, from_data=some, capped=capped, aliases=(*joined.aliases, *aliases))
    if all(part.place is None for part in parts.values()):
        return marked
    first, places = 0, []
    for part in parts.values():
        places.append(first + (np.arange(part.n_leaves) if part.place is None else part.place))
        first += part.n_leaves
    rivals = {name: part.rival or part for name, part in parts.items()}
    return replace(
        marked,
        unnamed=frozenset(prefixed(name, label) for name, part in parts.items() for label in part.unnamed),
        place=np.concatenate(places).astype(np.int32),
        rival=join_hierarchies(rivals, root) if any(part.rival for part in parts.values()) else None,
    )
