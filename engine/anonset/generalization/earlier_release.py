"""Published names of items in an earlier release, and changes of these names in a new release."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from anonset.data import Hierarchy, SetColumn, Vocabulary
from anonset.data.redacted_repr import RedactedRepr
from anonset.errors import InputError, datum
from anonset.generalization.recoding import SUPPRESSED, Cut, ItemGroups, cut_symbol
from anonset.publications import Symbol
from anonset.publications.symbols import set_label
from anonset.spelling import counted, setting

_HINT = "keep the hierarchy unchanged, or add new items only below nodes that were not published"


@dataclass(frozen=True, eq=False)
class ReleaseChanges(RedactedRepr):
    """Changes between the names of an earlier release and a new release."""

    kept: int
    """Number of published symbols that the earlier release also publishes."""
    coarser: Mapping[str, str]
    """New name of each earlier name that the new release replaces by a coarser symbol."""
    suppressed: tuple[str, ...]
    """Names in the earlier release of items that the new release suppresses."""
    new: tuple[str, ...]
    """Symbols of the new release that cover no item of the earlier release."""


@dataclass(frozen=True, eq=False)
class EarlierRelease(RedactedRepr):
    """An earlier release that publishes each item under a single name."""

    mapping: Mapping[str, str]
    """Published name of each item of the earlier original data. Empty if the item is suppressed."""
    hierarchy: Hierarchy | None = None
    """Hierarchy of the names. None if the names are sets of items."""
    attestation_sha256: str = ""
    """SHA-256 digest of the attestation of the earlier release."""
    retired: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Items of each retired name. A name is retired if an even earlier release used it and the earlier release does
    not.
    """

    @cached_property
    def members(self) -> dict[str, tuple[str, ...]]:
        """Items of each published name."""
        items_of_name: dict[str, list[str]] = {}
        for item, name in self.mapping.items():
            if name:
                items_of_name.setdefault(name, []).append(item)
        tree = self.hierarchy
        return {
            name: tuple(items) if tree is None else self._members(tree, name, items)
            for name, items in items_of_name.items()
        }

    def _members(self, tree: Hierarchy, name: str, items: Sequence[str]) -> tuple[str, ...]:
        node = self._node(tree, name, items)
        return tuple(items) if node is None else self._leaves(tree, node, name)

    def _leaves(self, tree: Hierarchy, node: int, name: str) -> tuple[str, ...]:
        """Return the leaves of a node. If the node is published as a set, its suppressed leaves are left out."""
        leaves = tree.members(node)
        return leaves if tree.labels[node] == name else tuple(leaf for leaf in leaves if self.mapping.get(leaf, leaf))

    def _node(self, tree: Hierarchy, name: str, items: Sequence[str]) -> int | None:
        """Return the node with a name. For the name of a set, return the lowest unnamed node above the items.

        If some leaves of a node are suppressed, the node is published as the set of the other leaves.
        """
        node = tree.node_of.get(name)
        if node is not None and name not in tree.unnamed:
            return node
        leaves = tree.leaves.index
        if any(item not in leaves for item in items):
            return None
        node = tree.lowest_common_ancestor(leaves[item] for item in items)
        part = tree.n_leaves_below[node] > len(items) and set(self._leaves(tree, node, name)) == set(items)
        return node if part or tree.labels[node] in tree.unnamed else None

    @cached_property
    def codes(self) -> dict[tuple[str, ...], str]:
        """Published name of each set of items."""
        return {items: name for name, items in self.members.items() if len(items) > 1}

    @cached_property
    def reserved(self) -> dict[str, tuple[str, ...]]:
        """All names of the earlier release and of the releases before it, with their items."""
        return {**self.retired, **self.members}

    @property
    def used_labels(self) -> frozenset[str]:
        """Texts that no new symbol may use: all items, and all names of the earlier release and of the releases before
        it.
        """
        return frozenset({*self.mapping, *self.reserved}.union(*self.retired.values()))

    def cut(self, hierarchy: Hierarchy) -> Cut:
        """Return the earlier recoding as a cut of a hierarchy.

        Leaves that are missing from the earlier data are published unchanged.

        Raises
        ------
        InputError
            If a name is not a node of the hierarchy, or if the items of the node and the name differ.
        """
        place: dict[str, int] = {}
        for name, items in self.members.items():
            node = self._node(hierarchy, name, items)
            if node is not None:
                place[name] = node
            if node is None and len(items) > 1:
                msg = f"{_named(name)} is not a node of the hierarchy; use the hierarchy of the earlier release"
                raise InputError(msg)
            if node is not None:
                self._require_same(name, self._leaves(hierarchy, node, name))
        image = hierarchy.leaf_node.copy()
        for leaf, label in enumerate(hierarchy.leaves.labels):
            if (name := self.mapping.get(label, label)) in place or not name:
                image[leaf] = place[name] if name else SUPPRESSED
        return Cut(hierarchy, image)

    def groups(self, vocabulary: Vocabulary) -> ItemGroups:
        """Return the earlier recoding as item groups.

        Items that are missing from the earlier data are published unchanged.

        Raises
        ------
        InputError
            If an item of an earlier set is missing from the vocabulary.
        """
        first: dict[str, int] = {}
        group = np.arange(len(vocabulary), dtype=np.int32)
        for item, label in enumerate(vocabulary.labels):
            if (name := self.mapping.get(label)) is not None:
                group[item] = first.setdefault(name, item) if name else SUPPRESSED
        for name, items in self.members.items():
            if len(items) > 1 and any(item not in vocabulary.index for item in items):
                raise InputError(f"{_named(name)} covers items that the hierarchy does not contain")
        return ItemGroups(vocabulary, group)

    def over_both(self, column: SetColumn) -> SetColumn:
        """Return the column with a vocabulary that contains the column's items and the items of the earlier release."""
        union = Vocabulary.of({*column.vocabulary.labels, *self.mapping})
        codes = np.array([union.index[label] for label in column.vocabulary.labels], np.int32)
        return column.recode(codes, union)

    def require_kept(self, symbols: Sequence[Symbol]) -> None:
        """Reject symbols that change the meaning of an earlier name, or are finer than symbols of the earlier release.

        Raises
        ------
        InputError
            The message contains the earlier name.
        """
        for symbol in symbols:
            if symbol.label in self.reserved:
                self._require_same(symbol.label, symbol.members)
            shown = {self.mapping.get(item, "") for item in symbol.members} - {""}
            lacking = next((name for name in shown if not set(self.members[name]) <= set(symbol.members)), None)
            if symbol.members and not shown and all(item in self.mapping for item in symbol.members):
                raise InputError(
                    f"{setting('recoding')}: {datum(symbol.label)} would publish items that the earlier release "
                    "suppressed"
                )
            if lacking is not None:
                msg = f"{_named(lacking)}: the new symbol {datum(symbol.label)} is finer and would disclose more"
                raise InputError(msg)

    def retired_by(self, recoding: Cut | ItemGroups) -> list[Symbol]:
        """Return the names of the earlier release, and of the releases before it, that a recoding no longer
        publishes.
        """
        shown = set(self.names(recoding).values())
        return [Symbol(name, "group", items) for name, items in self.reserved.items() if name not in shown]

    def changes(self, recoding: Cut | ItemGroups, symbols: Sequence[Symbol]) -> ReleaseChanges:
        """Return the name changes caused by a recoding, which must be at least as coarse as the earlier recoding."""
        now = self.names(recoding)
        coarser: dict[str, str] = {}
        vanished: dict[str, None] = {}
        for item, name in self.mapping.items():
            if name and item in now and now[item] != name:
                if now[item]:
                    coarser[name] = now[item]
                else:
                    vanished[name] = None
        new = tuple(s.label for s in symbols if not any(item in self.mapping for item in s.members))
        n_kept = sum(symbol.label in self.members for symbol in symbols)
        return ReleaseChanges(n_kept, coarser, tuple(name for name in vanished if name not in coarser), new)

    def names(self, recoding: Cut | ItemGroups) -> dict[str, str]:
        """Return the published name of each item under a recoding. Empty if the item is suppressed."""
        if isinstance(recoding, Cut):
            tree, labels = recoding.hierarchy, {SUPPRESSED: ""}
            for node in recoding.nodes.tolist():
                symbol = cut_symbol(recoding, node)
                labels[node] = self.codes.get(symbol.members, symbol.label) if symbol.kind == "group" else symbol.label
            return {leaf: labels[v] for leaf, v in zip(tree.leaves.labels, recoding.image.tolist(), strict=True)}
        name_of_item = dict.fromkeys(recoding.vocabulary.labels, "")
        for members in recoding.labels:
            name_of_item.update(dict.fromkeys(members, self.codes.get(members) or set_label(members)))
        return name_of_item

    def _require_same(self, name: str, items: Sequence[str]) -> None:
        before = self.reserved[name]
        if len(before) != len(items) or set(before) != set(items):
            changed = f"{counted(len(before), 'item')} but would now cover {len(items):,}"
            raise InputError(f"{_named(name)} covered {changed}; symbols must keep their items: {_HINT}")


def _named(name: str) -> str:
    return f"{setting('recoding')}: {datum(name)} of the earlier release"
