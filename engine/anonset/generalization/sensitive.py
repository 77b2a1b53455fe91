"""Sensitive items beside a hierarchy: published as they are, whatever happens to the others."""

from collections.abc import Iterable

import numpy as np

from anonset.data import Hierarchy
from anonset.data.vocabulary import canonical_order
from anonset.errors import InputError

_BESIDE = " and sensitive items"


def attach_sensitive(hierarchy: Hierarchy, sensitive: Iterable[str]) -> Hierarchy:
    """Return a hierarchy whose root has the given one and each sensitive item as children.

    Nothing is ever generalised to that root, so the sensitive items stay as they are. The leaf codes of the others
    are those of the given hierarchy; the sensitive items follow in canonical order. A hierarchy that was made by
    this function for the same items is returned as it is.

    >>> h = attach_sensitive(Hierarchy.from_tree(("ALL", ["a", "b"])), ["s2", "s1"])
    >>> h.labels
    ('ALL and sensitive items', 'ALL', 'a', 'b', 's1', 's2')
    >>> attach_sensitive(h, ["s1", "s2"]) is h
    True

    Raises
    ------
    InputError
        If a sensitive item is in the hierarchy: it would be generalised.
    """
    items = canonical_order(sensitive)
    if not items or is_attached(hierarchy, items):
        return hierarchy
    for item in items:
        if item in hierarchy.node_of:
            msg = f"sensitive item {item!r} must not be in the hierarchy of the other items, which generalises it"
            raise InputError(msg)
    n = hierarchy.n_nodes
    labels = (hierarchy.labels[0] + _BESIDE, *hierarchy.labels, *items)
    parent = np.concatenate([[-1, 0], hierarchy.parent[1:] + 1, np.zeros(len(items), np.int64)])
    attached = Hierarchy.from_preorder(labels, parent.astype(np.int64))
    if attached.n_nodes != n + 1 + len(items):
        msg = f"the hierarchy of the items beside {items[0]!r} must have no nodes with one child"
        raise InputError(msg)
    return attached


def is_attached(hierarchy: Hierarchy, sensitive: Iterable[str]) -> bool:
    """Tell whether a hierarchy was made by `attach_sensitive` for these items."""
    children = [hierarchy.labels[v] for v in hierarchy.children(0)]
    return hierarchy.labels[0] == (children or [""])[0] + _BESIDE and children[1:] == canonical_order(sensitive)
