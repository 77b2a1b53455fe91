"""How an earlier release publishes its items: the start of the next one, the meaning of its names, what changes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from anonset.data import Hierarchy, SetColumn, Vocabulary
from anonset.data.redacted_repr import Discreet
from anonset.errors import InputError, datum
from anonset.generalization.recoding import SUPPRESSED, Cut, ItemGroups, cut_symbol
from anonset.publications import Symbol
from anonset.publications.symbols import set_label
from anonset.spelling import counted, setting

_HINT = "leave the hierarchy as it was, or let new items stand below nodes that were not published"


@dataclass(frozen=True, eq=False)
class Since(Discreet):
    """What became of the names of an earlier release."""

    kept: int
    """Published symbols that the earlier release has, too."""
    coarser: Mapping[str, str]
    """Earlier names whose items are published under another one now, and that one."""
    suppressed: tuple[str, ...]
    """Earlier names whose items are suppressed now."""
    new: tuple[str, ...]
    """Published symbols that stand for none of the earlier items."""


@dataclass(frozen=True, eq=False)
class Earlier(Discreet):
    """An earlier release that publishes each item in one way."""

    mapping: Mapping[str, str]
    """The name under which it publishes each item of its universe; empty: the item is suppressed."""
    hierarchy: Hierarchy | None = None
    """The hierarchy that its names are nodes of; None where they are sets of items."""
    attestation_sha256: str = ""
    """Digest of its attestation."""
    retired: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Names of the releases before it that it no longer publishes, and what they stood for."""

    @cached_property
    def members(self) -> dict[str, tuple[str, ...]]:
        """What each of its names stands for."""
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
        """Return what a name stands for, in the order of the leaves."""
        node = self._node(tree, name, items)
        return tuple(items) if node is None else self._leaves(tree, node, name)

    def _leaves(self, tree: Hierarchy, node: int, name: str) -> tuple[str, ...]:
        """Return the leaves of a node; if it has another name, it is published as a set, without suppressed ones."""
        leaves = tree.members(node)
        return leaves if tree.labels[node] == name else tuple(leaf for leaf in leaves if self.mapping.get(leaf, leaf))

    def _node(self, tree: Hierarchy, name: str, items: Sequence[str]) -> int | None:
        """Return the node of a name: the one of that name, or, of a set, the lowest above its items that has no name.

        A node of which leaves are suppressed has none, for the set of the others is published.
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
        """The names of its sets of items, by their members."""
        return {items: name for name, items in self.members.items() if len(items) > 1}

    @cached_property
    def reserved(self) -> dict[str, tuple[str, ...]]:
        """All names of the chain of releases up to it, and what they stand for."""
        return {**self.retired, **self.members}

    @property
    def taken(self) -> frozenset[str]:
        """Texts that no new symbol may have: all names of the chain of releases, and all items."""
        return frozenset({*self.mapping, *self.reserved}.union(*self.retired.values()))

    def cut(self, hierarchy: Hierarchy) -> Cut:
        """Return its recoding as a cut of a hierarchy; leaves that it did not know stay as they are.

        Raises
        ------
        InputError
            If a name is no node of the hierarchy, or one that stands for other items.
        """
        place: dict[str, int] = {}
        for name, items in self.members.items():
            node = self._node(hierarchy, name, items)
            if node is not None:
                place[name] = node
            if node is None and len(items) > 1:
                msg = f"{_named(name)} is no node of the hierarchy; start from it with the hierarchy that made it"
                raise InputError(msg)
            if node is not None:
                self._require_same(name, self._leaves(hierarchy, node, name))
        image = hierarchy.leaf_node.copy()
        for leaf, label in enumerate(hierarchy.leaves.labels):
            if (name := self.mapping.get(label, label)) in place or not name:
                image[leaf] = place[name] if name else SUPPRESSED
        return Cut(hierarchy, image)

    def groups(self, vocabulary: Vocabulary) -> ItemGroups:
        """Return its recoding as groups of items; items that it did not know stay as they are.

        Raises
        ------
        InputError
            If an item of one of its sets is not in the vocabulary.
        """
        first: dict[str, int] = {}
        group = np.arange(len(vocabulary), dtype=np.int32)
        for item, label in enumerate(vocabulary.labels):
            if (name := self.mapping.get(label)) is not None:
                group[item] = first.setdefault(name, item) if name else SUPPRESSED
        for name, items in self.members.items():
            if len(items) > 1 and any(item not in vocabulary.index for item in items):
                msg = f"{_named(name)} stands for items that the hierarchy does not have"
                raise InputError(msg)
        return ItemGroups(vocabulary, group)

    def over_both(self, column: SetColumn) -> SetColumn:
        """Return a column over its own items and those of the earlier release."""
        union = Vocabulary.of({*column.vocabulary.labels, *self.mapping})
        codes = np.array([union.index[label] for label in column.vocabulary.labels], np.int32)
        return column.recode(codes, union)

    def require_kept(self, symbols: Sequence[Symbol]) -> None:
        """Refuse symbols that give an earlier name another meaning, or that are finer than earlier ones.

        Raises
        ------
        InputError
            With the name.
        """
        for symbol in symbols:
            if symbol.label in self.reserved:
                self._require_same(symbol.label, symbol.members)
            shown = {self.mapping.get(item, "") for item in symbol.members} - {""}
            lacking = next((name for name in shown if not set(self.members[name]) <= set(symbol.members)), None)
            if symbol.members and not shown and all(item in self.mapping for item in symbol.members):
                msg = f"{setting('recoding')}: {datum(symbol.label)} shows items that the earlier release suppressed"
                raise InputError(msg)
            if lacking is not None:
                finer = f"{datum(symbol.label)} shows only some of its items: it is finer"
                msg = f"{_named(lacking)} was published, and {finer}"
                raise InputError(msg)

    def retired_by(self, recoding: Cut | ItemGroups) -> list[Symbol]:
        """Return the names of the chain of releases that a recoding no longer publishes."""
        shown = set(self.names(recoding).values())
        return [Symbol(name, "group", items) for name, items in self.reserved.items() if name not in shown]

    def since(self, recoding: Cut | ItemGroups, symbols: Sequence[Symbol]) -> Since:
        """Return what became of its names under a recoding that coarsens its own."""
        now = self.names(recoding)
        coarser: dict[str, str] = {}
        gone: dict[str, None] = {}
        for item, name in self.mapping.items():
            if name and item in now and now[item] != name:
                if now[item]:
                    coarser[name] = now[item]
                else:
                    gone[name] = None
        new = tuple(s.label for s in symbols if not any(item in self.mapping for item in s.members))
        kept = sum(symbol.label in self.members for symbol in symbols)
        return Since(kept, coarser, tuple(name for name in gone if name not in coarser), new)

    def names(self, recoding: Cut | ItemGroups) -> dict[str, str]:
        """Return the name under which a recoding publishes each item; empty: it is suppressed."""
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
            changed = f"{counted(len(before), 'item')}, and would stand for {len(items):,}"
            msg = f"{_named(name)} stood for {changed}: a name keeps its members; {_HINT}"
            raise InputError(msg)


def _named(name: str) -> str:
    return f"{setting('recoding')}: {datum(name)} of the earlier release"
