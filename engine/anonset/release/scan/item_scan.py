"""Scan of items for values that identify persons: keys, names, contact data and free text."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from anonset.columns.headers import is_about, meaning_of
from anonset.columns.kinds import kind_of_values
from anonset.columns.personal_values import (
    CHECKED,
    FEWEST_DATES,
    OPAQUE,
    are_opaque_keys,
    are_places,
    are_sentences,
    are_words_of_texts,
    days_in,
    personal_kind,
)
from anonset.data import SetColumn, Table
from anonset.data.array_types import Int64
from anonset.data.hierarchies.hierarchy_rules import PROPOSED
from anonset.data.joining import headers_of, parts_of
from anonset.errors import Fix, Problem
from anonset.privacy import PrivacyModel
from anonset.publications import Records
from anonset.release.scan import remedies
from anonset.release.scan.findings import (
    FEW_PERSONS,
    ScanFinding,
    few_persons,
    personal_values_finding,
)
from anonset.spelling import spelled

KEYS = 0.9
"""Share of all occurrences that must belong to rare items, if the items count as keys."""
FEWEST_KEYS = 100
"""Minimum number of rare items, or of items of the same form, if they count as keys. An item is rare if few persons
have it.
"""
_FEWEST_OWN, _MOST_SHARING, _MOST_OWN = 10, 2, 1.1
"""Minimum number of rare items that count as keys if they are no codes, maximum average number of persons with the same
item, and maximum average number of items of a person.
"""
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
        stated, sets = self.table.statements, self.table.transactions
        if sets is None:
            return
        findings = self.keys(names, sets)
        yield from findings
        found = {finding.column for finding in findings} | {*stated.publish_as_is}
        shown = [] if sets.vocabulary.is_numbered else list(published)
        parts = self._parts(names, sets)
        single = {start: 2 * np.count_nonzero(counts == 1) > len(counts) for _, start, _, counts in parts}
        for name, start, codes in parts_of(names, shown, self._headers):
            of = (name,) if name else names
            if found.issuperset(of):
                continue
            labels = _texts(start, shown, codes)
            fixes = remedies.of_items(of, self.model, others=len(of) < len(names))
            kind = personal_kind(labels)
            if kind and not (kind[0] == OPAQUE or (kind[0] == CHECKED and is_about(start[:-1] or name, "products"))):
                yield personal_values_finding(of, *kind, fixes)  # `keys` finds opaque keys
            elif are_words_of_texts(labels) or (single.get(start) and are_sentences(labels)):
                yield _free_text(of, len(labels), fixes)
            else:
                continue
            found.update(of)

    def keys(self, names: tuple[str, ...], sets: SetColumn) -> list[ScanFinding]:
        """Return findings for item columns that contain keys or dates of few persons in the original data, or mention
        persons.
        """
        stated, findings = self.table.statements, list[ScanFinding]()
        mentions = {mention.items: mention for mention in self.table.mentions}
        for name, start, codes, counts in self._parts(names, sets):
            if name in stated.publish_as_is or not name:
                continue
            fixes = remedies.of_items((name,), self.model, others=len(names) > 1)
            step = 1 + len(codes) // _EXAMINED
            examined = () if sets.vocabulary.is_numbered else codes[::step]
            labels = _texts(start, sets.vocabulary.labels, examined)
            header = start[:-1] or name
            is_id = meaning_of(self.table.header_of(header)) == "person id" or (
                are_opaque_keys(labels) and not is_about(header, "products")
            )
            if is_id and labels:
                findings.append(personal_values_finding((name,), OPAQUE, step * len(labels), fixes))
            elif rare := self._rare_keys(counts, labels) or step * self._dates_of_few(counts[::step], labels):
                problem = f"items belong to fewer than {self.few} persons each, like identifiers"
                findings.append(ScanFinding.of((name,), rare, problem, fixes))
            elif (mention := mentions.get(name)) and mention.column:
                problem = f"items contain values of {mention.column!r}, which identifies people"
                findings.append(ScanFinding.of((name,), mention.labels, problem, fixes, may_stay=False))
            elif mention:
                words = [Fix({"separator": " "}, "if blanks separate the items")] if mention.may_be_words else []
                findings.append(_free_text((name,), mention.labels, [*words, *fixes], "cells"))
        return list({finding.column: finding for finding in findings}.values())

    @cached_property
    def _headers(self) -> Collection[str]:
        sets = self.table.transactions
        return () if sets is None or sets.vocabulary.is_numbered else headers_of(sets.vocabulary.labels)

    def _parts(self, names: Sequence[str], sets: SetColumn) -> list[tuple[str, str, Sequence[int], Int64]]:
        """Return each column, its prefix, the codes of its items, and the number of persons with each item."""
        parts = list(parts_of(names, sets.vocabulary.labels, self._headers))
        counts = sets.occurrences
        return [(*part, counts if len(parts) == 1 else counts[part[2]]) for part in parts]

    def _rare_keys(self, counts: Int64, labels: Sequence[str]) -> int:
        """Return the number of rare items, or 0 if the items are no keys because too many occurrences belong to
        frequent items.

        Few rare items are keys if they are no codes, at most two persons share an item on average, and nearly no person
        has two.
        """
        rare = counts[(counts > 0) & (counts < self.few)]
        if rare.sum() < KEYS * counts.sum() or len(rare) < _FEWEST_OWN:
            return 0
        most = _MOST_OWN * min(self.table.n, _MOST_SHARING * len(labels))
        are_codes = kind_of_values(labels).endswith("codes") and not are_places(labels)
        are_own = counts.sum() <= most and not are_codes
        return len(rare) if len(rare) >= FEWEST_KEYS or are_own else 0

    def _dates_of_few(self, counts: Int64, labels: Sequence[str]) -> int:
        """Return the number of full dates of few persons. Return 0 if most full dates belong to more persons."""
        of_dates = counts[days_in(labels)]
        rare = int(np.count_nonzero(of_dates < self.few))
        return rare if rare >= FEWEST_DATES and 2 * rare > len(of_dates) else 0

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


def ids_among_items(table: Table) -> Iterator[Problem]:
    """Yield a problem if nearly every record contains exactly one of many items of the same form, or exactly one of
    many rare items, because these items may be ids.

    The form of an item is its text with each number replaced by 9, or by # if the number is as long as an id. Nearly
    every record must contain such an item. For long numbers, one record in fifty suffices. Only the first records are
    examined.
    """
    sets = table.transactions
    if (
        sets is None
        or table.joined
        or sets.name in table.statements.publish_as_is
        or sets.vocabulary.is_numbered
        or sets.vocabulary.filed is not None
    ):
        return
    if len(sets.vocabulary) < FEWEST_KEYS or table.n < FEWEST_KEYS:
        return
    codes_of: dict[str, list[int]] = defaultdict(list)
    for code, label in enumerate(sets.vocabulary.labels):
        codes_of["@" if "@" in label else _NUMBER.sub("9", _LONG_NUMBER.sub("#", label))].append(code)
    groups = [("items of the same form", codes, _is_long(form)) for form, codes in codes_of.items() if _is_varied(form)]
    groups.append(("rare items", np.flatnonzero(sets.occurrences < FEW_PERSONS).tolist(), False))
    n = min(table.n, _MOST_RECORDS)
    items = sets.slice(0, n).items
    record_of = np.repeat(np.arange(n), np.diff(sets.indptr[: n + 1]))
    for what, codes, is_long in groups:
        fewest, with_ids = (_LONG_IDS, _WITH_LONG_ID) if is_long else (_IDS, _WITH_ID)
        if len(codes) < max(FEWEST_KEYS, fewest * table.n):
            continue
        is_id = np.zeros(len(sets.vocabulary), np.bool_)
        is_id[codes] = True
        of_group = is_id[items]
        per_record = np.bincount(record_of[of_group], minlength=n)
        records = int(np.count_nonzero(per_record))
        others = int(np.count_nonzero(per_record[record_of[~of_group]]))
        one_each = int((per_record == 1).sum()) >= _ONE_EACH * records
        if one_each and records >= with_ids * n and 2 * others >= records:
            yield _ids_among_items(sets.name, f"{len(codes):,} {what}")


def _is_long(form: str) -> bool:
    return "#" in form or form == "@"


def _is_varied(form: str) -> bool:
    """Return True if items of a form differ in a number or an address."""
    return "9" in form or _is_long(form)


_NUMBER = re.compile(r"\d+")
_LONG_NUMBER = re.compile(r"\d{6,}")
_ONE_EACH = 0.95
"""Minimum share of records with exactly one possible id among the records with at least one."""
_IDS, _LONG_IDS = 0.02, 0.002
"""Minimum number of distinct possible ids per record. The second number applies to long numbers and e-mail addresses.
"""
_WITH_ID, _WITH_LONG_ID = 0.95, 0.02
"""Minimum share of records with a possible id. The second share applies to long numbers and e-mail addresses."""
_MOST_RECORDS = 100_000


def _ids_among_items(name: str, ids: str) -> Problem:
    what = f"records contain exactly one of {ids}, such as the id of a person"
    awk = """awk -F';' '{for (i = 2; i <= NF; i++) print $1 ";" $i}' FILE > TABLE.csv"""
    way = f"write a line per id and item (if the id comes first, and ';' separates: {awk})"
    reading = spelled({"no_header": True, "unit": ["1"], "items": ["2"], "hierarchy": {"2": PROPOSED}})
    problem = f"{name!r}: {what}; {way} and use {reading}"
    return Problem(problem, [Fix({"publish_as_is": [name]}, "if they are items")])


def _free_text(names: tuple[str, ...], number: int, fixes: Sequence[Fix], what: str = "items") -> ScanFinding:
    found = ScanFinding.of(
        names, number, f"{what} look like free text", [*fixes, Fix({}, "or extract codes from them")]
    )
    return replace(found, is_text=True)


def _texts(start: str, labels: Sequence[str], codes: Sequence[int]) -> Sequence[str]:
    """Return the labels of a column's items without the prefix of the column."""
    return labels if len(codes) == len(labels) and not start else [labels[code].removeprefix(start) for code in codes]
