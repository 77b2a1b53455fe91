"""Scan of items for values that identify persons: keys, names, contact data and free text."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from anonset.columns.header_topics import names_a_product
from anonset.columns.headers import meaning_of
from anonset.columns.personal_values import OPAQUE, are_opaque_keys, are_sentences, are_words_of_texts
from anonset.data import SetColumn, Table
from anonset.errors import Fix
from anonset.privacy import PrivacyModel
from anonset.publications import Records
from anonset.release import scan_remedies as remedies
from anonset.release.scan_findings import ScanFinding, few_persons, identifying_kind, personal_values_finding

KEYS = 0.9
"""Share of all occurrences that must belong to rare items, if the items count as keys."""
FEWEST_KEYS = 100
"""Minimum number of rare items, if the items count as keys. An item is rare if few persons have it."""
_EXAMINED = 20_000
"""Number of evenly spaced labels that are tested for the form of keys."""


@dataclass(frozen=True)
class ItemScan:
    """Scanner for the items of one table."""

    table: Table
    model: PrivacyModel

    @property
    def few(self) -> int:
        """Number of persons from which an item is no longer reported as rare."""
        return few_persons(self.model)

    def shown(self, names: tuple[str, ...], published: Iterable[str]) -> Iterator[ScanFinding]:
        """Yield findings for items of a publication or its codebook that are names, contact data, keys or free text."""
        word, sets = self.table.word, self.table.transactions
        if sets is None or set(names) <= set(word.publish_as_is):
            return
        if findings := self.keys(names, sets):
            yield from findings
            return
        counts, fixes = sets.occurrences, remedies.of_items(names, self.model, others=False)
        labels = [] if sets.vocabulary.is_numbered else _without_prefix(names, list(published))
        kind = None if word.identifying_as_declared else identifying_kind(labels)
        if kind and kind[0] != OPAQUE:  # `keys` decides about opaque keys
            yield personal_values_finding(names, *kind, fixes)
        elif are_words_of_texts(labels) or (2 * np.count_nonzero(counts == 1) > len(labels) and are_sentences(labels)):
            yield _free_text(names, len(labels), fixes)

    def keys(self, names: tuple[str, ...], sets: SetColumn) -> list[ScanFinding]:
        """Return findings for item columns that contain keys in the original data."""
        word = self.table.word
        if set(names) <= set(word.publish_as_is):
            return []
        if opaque := list(self._opaque(names, sets)):
            return opaque
        columns, rare = self._keys(names, sets)
        if not columns:
            return list(self._mentions(names))
        problem = f"items belong to fewer than {self.few} persons each, like identifiers"
        others = len(columns) < len(names)
        return [ScanFinding.of(columns, rare, problem, remedies.of_items(columns, self.model, others=others))]

    def _opaque(self, names: tuple[str, ...], sets: SetColumn) -> Iterator[ScanFinding]:
        word, step = self.table.word, 1 + len(sets.vocabulary) // _EXAMINED
        if sets.vocabulary.is_numbered or word.identifying_as_declared:
            return
        labels = sets.vocabulary.labels[::step]
        for name in names:
            mark = f"{name}:" if len(names) > 1 else ""
            keys = [label.removeprefix(mark) for label in labels if label.startswith(mark)]
            is_id = meaning_of(name) == "person id" or (are_opaque_keys(keys) and not names_a_product(name))
            if is_id and name not in word.publish_as_is:
                fixes = remedies.of_items((name,), self.model, others=len(names) > 1)
                yield personal_values_finding((name,), OPAQUE, step * len(keys), fixes)

    def _mentions(self, names: tuple[str, ...]) -> Iterator[ScanFinding]:
        word = self.table.word
        for mention in () if word.identifying_as_declared else self.table.mentions:
            if mention.items not in word.publish_as_is:
                fixes = remedies.of_items((mention.items,), self.model, others=len(names) > 1)
                problem = f"items contain values of {mention.column!r}, which identifies people"
                if mention.column:
                    yield ScanFinding.of((mention.items,), mention.labels, problem, fixes)
                else:
                    yield _free_text((mention.items,), mention.labels, fixes)

    def _keys(self, names: tuple[str, ...], sets: SetColumn) -> tuple[tuple[str, ...], int]:
        """Return the columns that contain keys, and the number of keys. Return all columns if no single column has
        enough keys, but all columns together do.
        """
        counts, keys, number = sets.occurrences, list[str](), 0
        of_column = np.zeros(len(counts), np.int64)
        if len(names) > 1:
            place = {name: position for position, name in enumerate(names)}
            of_column[:] = [place.get(label.partition(":")[0], 0) for label in sets.vocabulary.labels]
        for position, name in enumerate(names):
            if rare := self._rare_keys(counts[of_column == position]):
                keys, number = [*keys, name], number + rare
        if not keys and (number := self._rare_keys(counts)):
            keys = list(names)
        return tuple(keys), number

    def _rare_keys(self, counts: NDArray[np.int64]) -> int:
        """Return the number of rare items, or 0 if the items are no keys because too many occurrences belong to
        frequent items.
        """
        rare = counts[(counts > 0) & (counts < self.few)]
        return len(rare) if len(rare) >= FEWEST_KEYS and rare.sum() >= KEYS * counts.sum() else 0

    def unchanged(self, publication: Records) -> dict[str, int]:
        """Count the rare items that are published unchanged."""
        sets = self.table.transactions
        if sets is None or publication.transactions is None:
            return {}
        index, counts = sets.vocabulary.index, sets.occurrences
        single = [index[s.members[0]] for s in publication.symbols if len(s.members) == 1 and s.members[0] in index]
        rare = int(np.count_nonzero((counts[single] > 0) & (counts[single] < self.few))) if single else 0
        return {publication.transactions.name: rare} if rare else {}


def labels_of(publication: Records) -> Iterator[str]:
    """Yield the items in the codebook, and the names of nodes."""
    yield from dict.fromkeys(member for symbol in publication.symbols for member in symbol.members)
    yield from (symbol.label for symbol in publication.symbols if symbol.kind == "node")


def _free_text(names: tuple[str, ...], number: int, fixes: Sequence[Fix]) -> ScanFinding:
    found = ScanFinding.of(names, number, "items look like free text", [*fixes, Fix({}, "or extract codes from them")])
    return replace(found, is_text=True)


def _without_prefix(names: Sequence[str], labels: list[str]) -> list[str]:
    if len(names) == 1:
        return labels
    return [label.partition(":")[2] if label.partition(":")[0] in names else label for label in labels]
