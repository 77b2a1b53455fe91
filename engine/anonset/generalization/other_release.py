"""Another release about the persons of a table, published or planned.

Releases are compared by items of the source: the column of an item and its text, before any hierarchy. Items of both
releases are named as in the table. An item of a column that the table lacks has a name of its own.
"""

from collections.abc import Container, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Self

import numpy as np

from anonset.data import SetColumn, Table, Vocabulary
from anonset.data.array_types import Int64
from anonset.data.blocks import tidy_rows
from anonset.data.joining import prefixed, require_joinable
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.spans import begins_of
from anonset.data.table_facts import Change
from anonset.errors import InputError, datum
from anonset.publications import Records
from anonset.spelling import setting

LEFT_OUT = "unknown suppress"
_BY_HIERARCHY = ("unknown prefix", "inner-items leaf")
"""Names of the rules that rename items by a hierarchy."""
_ELSEWHERE = "\x1f"
"""First character of the name of an item whose column the table lacks."""


@dataclass(frozen=True, eq=False)
class OtherRelease(RedactedRepr):
    """Another release about the persons of a table, and the row of each person in this release."""

    publication: Records
    row: Int64
    """Row of the other release for each record of the table, int64 (n,). -1 if the person is not in the release."""
    attestation_sha256: str = ""
    """SHA-256 digest of the attestation of the other release."""
    linked: bool = False
    """True if the joint guarantee covers attackers who can link the rows of a person across releases."""

    shows_all: bool = False
    """True if the release suppresses no item, and reading removed none."""
    changes: tuple[Change, ...] = ()
    """Changes that rules made in the original data of the other release."""
    items: SetColumn | None = None
    """Items of each record of the table, including those that reading removed. None if reading of both removed none."""
    other_items: SetColumn | None = None
    """Original items in the other release of each record of the table. Persons who are not in it have none. None if
    they are unknown.
    """
    removed: frozenset[str] = frozenset()
    """Items of the table that reading removed, so that no symbol stands for them."""
    same_trees: frozenset[str] = frozenset()
    """Columns that have the same hierarchy in both releases."""

    def compared_with(self, table: Table) -> Self:
        """Return the release with the item names of a bound table, and with `items` that attackers may know.

        Raises
        ------
        InputError
            If the releases have no column of items in common, or if items cannot be compared.
        """
        column, shown = table.transactions, self.publication
        if column is None or shown.transactions is None:
            return self
        own, others, name_of = table.item_columns, shown.item_columns, shown.transactions.name
        if not {*own} & {*others}:
            msg = f"{setting('after')}: the releases have no column of items in common: {', '.join(map(repr, others))}"
            raise InputError(msg)
        require_joinable(dict.fromkeys([*own, *others]))
        self._require_comparable(table)

        items = column if self.items is None else self.items
        removed = frozenset(occurring(items)) - {*occurring(column)}

        def named(label: str) -> str:
            of_column = next((name for name in shown.joined if label.startswith(prefixed(name, ""))), name_of)
            text = label.removeprefix(prefixed(of_column, "")) if shown.joined else label
            name = prefixed(of_column, text) if table.joined else text
            return name if of_column in own and name not in removed else f"{_ELSEWHERE}{prefixed(of_column, text)}"

        symbols = tuple(replace(one, members=tuple(map(named, one.members))) for one in shown.symbols)
        start = "" if table.joined else prefixed(own[0], "")
        parts = [(items, [f"{_ELSEWHERE}{start}{x}" if x in removed else x for x in items.vocabulary.labels])]
        if self.other_items is not None and not {*others} <= {*own}:
            names = list(map(named, self.other_items.vocabulary.labels))
            only = np.array(
                [any(x.startswith(_ELSEWHERE + prefixed(y, "")) for y in {*others} - {*own}) for x in names], np.bool_
            )
            parts.append((self.other_items.only(only), names))
        if removed or len(parts) > 1:
            items = _joined(parts)
        renamed = replace(shown, symbols=symbols)
        return replace(self, publication=renamed, items=items, removed=removed, other_items=None)

    def _require_comparable(self, table: Table) -> None:
        """Reject items that a hierarchy renamed in only one way, or that reading removed without a trace."""
        own, others = {*table.item_columns, "items"}, {*self.publication.item_columns, "items"}
        renamed, renamed_there = (
            {one.column for one in changes if one.column in columns and (one.rule in _BY_HIERARCHY or one.coarsened_by)}
            for changes, columns in ((table.changes, own), (self.changes, others))
        )
        rules = f"{setting('unknown', 'prefix')}, {setting('inner_items', 'leaf')} or a rule"
        if ((renamed & others) | renamed_there) - self.same_trees:
            msg = f"{setting('after')}: items renamed by {rules} require the same hierarchy in both releases"
            raise InputError(msg)
        removed, removed_there = (
            any(change.rule == LEFT_OUT and change.column in columns for change in changes)
            for changes, columns in ((table.changes, own), (self.changes, others))
        )
        is_renamed = bool(renamed | renamed_there)
        if (removed and self.items is None) or (is_renamed and (removed_there or self.items is not None)):
            msg = f"{setting('after')}: items that reading removed cannot be compared with items renamed by {rules}"
            raise InputError(msg)

    def certain_absence(self, table: Table, shown: Container[str]) -> tuple[bool, bool]:
        """Return a flag for the release of `table`, and a flag for the other release.

        A flag is True if an item without a symbol is certainly in no record of the release. This is certain if the
        release has all columns of items, and if it suppressed and removed no item.

        Parameters
        ----------
        table
            Original of the release that the first flag describes.
        shown
            Items that the symbols of the release of `table` cover.
        """
        column = table.transactions if self.items is None else self.items
        if column is None:
            return False, False
        own, others = {*table.item_columns}, {*self.publication.item_columns}
        all_shown = all(label in shown for label in occurring(column))
        return all_shown and others <= own, self.shows_all and own <= others

    def require_records(self, n: int) -> None:
        """Reject a table whose record count is not `n`.

        Raises
        ------
        InputError
            The message contains both counts.
        """
        if len(self.row) != n:
            raise InputError(f"the other release identifies {len(self.row):,} records, but the table has {n:,}")


def without(publication: Records, items: Container[str]) -> Records:
    """Return a publication whose symbols do not stand for the given items."""
    symbols = (replace(one, members=tuple(x for x in one.members if x not in items)) for one in publication.symbols)
    return replace(publication, symbols=tuple(symbols))


def require_unpublished(publication: Records, removed: Container[str]) -> None:
    """Reject items that reading removed although a symbol stands for them.

    Readers of the codebook expect this symbol in the row of each person with such an item, and exclude the others.
    """
    covered = sorted({x for symbol in publication.symbols for x in symbol.members if x in removed})
    if covered:
        raise InputError(
            f"{setting('after')}: reading removed items for which a published symbol stands, such as "
            f"{datum(covered[0])}; read them as items in both releases, or remove them from the hierarchy"
        )


def occurring(column: SetColumn) -> list[str]:
    """Return the items that occur in a column."""
    return [column.vocabulary.labels[item] for item in np.flatnonzero(column.occurrences).tolist()]


def _joined(parts: Sequence[tuple[SetColumn, Sequence[str]]]) -> SetColumn:
    """Return the items of columns of the same records. Each column is given with the new names of its items."""
    vocabulary = Vocabulary.of(chain.from_iterable(names for _, names in parts))
    items = [np.array([vocabulary.index[x] for x in names], np.int32)[column.items] for column, names in parts]
    records = np.concatenate([np.repeat(np.arange(column.n), column.lengths) for column, _ in parts])
    begins = begins_of(np.bincount(records, minlength=parts[0][0].n))
    return tidy_rows(parts[0][0].name, begins, np.concatenate(items)[np.argsort(records, kind="stable")], vocabulary)
