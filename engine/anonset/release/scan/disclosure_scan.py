"""Scan for values that identify persons in any column, of the table before the search (`names_of_persons`), and of a
publication before it is renamed into place.

The scan examines the data read back from the written files. A finding stops the publication, unless the owner declares
the column (``publish_as_is``). "Few persons" means fewer than the model's k, or fewer than `FEW_PERSONS` if the model
has no k.

**Relational columns.** Findings are range ends and single values that are exact values of few persons. Sets of values
(``(a,b)``) are findings in two cases. In the first case, more than a tenth of the persons have values of few persons
(`lists_persons`), such as household ids, times or order numbers. In the second case, most members are texts of few
persons (`are_rare_texts`), such as names and remarks. Sets may contain a few rare categories, because the model
protects these.

**Kept columns.** Findings are values of few persons, and groups of few persons with equal kept and relational values.
In buckets, the identities next to the kept columns do not count as relational values.

**Sensitive columns.** Some models, and buckets, publish them unchanged by design. Rare values are counted for the
owner. They are findings if they contain full dates, or if most values belong to few persons and are neither numbers nor
codes: names, keys, short texts.

**Any column.** Findings are e-mail addresses, telephone numbers, national ids and other values of `personal_kind`, and
items that are free text. No owner expects a model to publish these, even if k persons share them.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from anonset.columns.headers import PERSON_IDS, meaning_of
from anonset.columns.kinds import kind_of_values, look_at
from anonset.columns.personal_values import (
    FEWEST_DATES,
    FEWEST_RARE,
    KINDS,
    MOST_OF_FEW,
    are_full_names,
    are_keys,
    are_places,
    are_rare_texts,
    days_in,
    is_free_text,
    pattern_of,
    personal_kind,
)
from anonset.columns.roles import NUMBERS, coarse_rule, rule_of
from anonset.data import CategoricalColumn, NumericColumn, Table
from anonset.data.domains import lists_persons
from anonset.data.hierarchies.hierarchy_rules import NO_VALUE, is_coarser
from anonset.data.storage.store import Store
from anonset.errors import DisclosureError, Fix, Problem
from anonset.privacy import PrivacyModel
from anonset.publications import Records
from anonset.publications.buckets import STAR
from anonset.release.scan import remedies
from anonset.release.scan.findings import (
    ScanFinding,
    few_persons,
    personal_values_finding,
)
from anonset.release.scan.item_scan import ItemScan, ids_among_items
from anonset.release.scan.rare_values import (
    count_given,
    count_rare,
    ends_of_ranges,
    persons_in_small_groups,
    persons_with,
    values_in_sets,
)
from anonset.settings.binding import HierarchySpec
from anonset.spelling import setting

_REFUSED = ("name", "e-mail", "IBAN")
"""Kinds of values that are rejected before the search unless the owner declares them."""
_LOOKED_AT = 200
_MONTH = len("2020-01")
_EXAMINED = 20_000
"""Number of labels that are compared with patterns if the labels are on disk. The compared labels are evenly spaced."""


def require_originals_declared(table: Table, model: PrivacyModel) -> None:
    """Scan data that the search does not change: items that are keys, and kept columns of large tables.

    Kept columns in combination with relational columns can only be scanned after the search.

    Raises
    ------
    DisclosureError
        See `PublicationKind.require_declared`.
    """
    scanner, findings, sets = Scanner(table, model), list[ScanFinding](), table.transactions
    if sets is not None:
        findings += scanner.items.keys(table.item_columns, sets)
    if table.kept and table.store.in_files:
        with table.store.nested() as scratch:
            findings += scanner.kept(table.kept, (), scratch, table.ids)
    if findings:
        raise DisclosureError(findings)


def names_of_persons(
    table: Table, hierarchies: Mapping[str, HierarchySpec] | None, protected: str | None = None
) -> Iterator[Problem]:
    """Yield a problem for each column that names persons before the search, unless the owner declares it.

    These are columns whose header names persons, columns that contain e-mail addresses or IBANs, columns that could
    publish full dates of birth (see `require_persons`), and items that may be ids (see `ids_among_items`).

    Parameters
    ----------
    hierarchies
        Hierarchies of the relational columns, by name. None if the hierarchies are not known yet.
    protected
        Sensitive column that the model needs.
    """
    as_is = table.statements.publish_as_is
    for role, columns in (("relational", table.relational), ("keep", table.kept)):
        for column in columns:
            if column.name in as_is:
                continue
            if isinstance(column, CategoricalColumn) and (kind := _refused_kind(column, table)):
                role = "sensitive" if column.name == protected else role
                problem = f"column {column.name!r} contains {KINDS[kind].words} but is declared {setting(role)}"
                fixes = _omit_or_publish(column.name)
                yield Problem(problem, fixes if role != "sensitive" else [remedies.TAKEN_OUT, *fixes[1:]])
    specs = {} if hierarchies is None else hierarchies
    fine = () if hierarchies is None else [c for c in table.relational if not is_coarser(specs.get(c.name))]
    for column in (*fine, *table.kept):
        if column.name not in as_is and meaning_of(table.header_of(column.name)) in ("birth", "born"):
            looked_at = column.vocabulary.labels if isinstance(column, CategoricalColumn) else _numbers_of(column)
            labels = [label for label in looked_at[:_LOOKED_AT] if label not in NO_VALUE]
            look = look_at("", labels)
            if labels and look.kind == "dates" and not all(len(label) <= _MONTH for label in labels):
                yield _birth_dates(column.name, rule_of(look) if look.usable else "")
    yield from ids_among_items(table)


def _refused_kind(column: CategoricalColumn, table: Table) -> str:
    """Return the kind of names or contact data in a column, by its header or its first values. Empty if none."""
    kind = meaning_of(table.header_of(column.name))
    if kind in _REFUSED:
        return kind
    labels = [label for label in column.vocabulary.labels[:_LOOKED_AT] if label not in NO_VALUE]
    return pattern_of(labels, _REFUSED[1:]) or ("name" if are_full_names(labels) else "")


def _numbers_of(column: NumericColumn) -> list[str]:
    return [f"{number:.0f}" for number in np.unique(column.values[: 10 * _LOOKED_AT]).tolist()]


def _are_numbers_or_codes(labels: Sequence[str]) -> bool:
    """Return True if labels are codes, or numbers other than coordinates and long numbers of one length."""
    kind = kind_of_values(labels)
    is_key = kind == "integers" and are_keys(list(filter(str.isdecimal, labels)))
    return (kind in NUMBERS or kind.endswith("codes")) and not (is_key or are_places(labels))


def _birth_dates(name: str, rule: str) -> Problem:
    coarse = [Fix({"relational": [name], "hierarchy": {name: rule}}, "to publish months or coarser")] if rule else []
    problem = f"column {name!r} contains full dates of birth, which could be published"
    return Problem(problem, [*coarse, *_omit_or_publish(name)])


def _omit_or_publish(name: str) -> list[Fix]:
    return [Fix({"drop": [name]}, "to omit the column"), Fix({"publish_as_is": [name]}, "to publish it unchanged")]


@dataclass(frozen=True)
class Scanner:
    """Scanner for publications of one table."""

    table: Table
    model: PrivacyModel

    @property
    def few(self) -> int:
        """Minimum number of persons for a value that is not rare."""
        return few_persons(self.model)

    @property
    def items(self) -> ItemScan:
        """Scan of the items."""
        return ItemScan(self.table, self.model)

    def kept(
        self,
        kept: Sequence[CategoricalColumn],
        relational: Sequence[CategoricalColumn],
        store: Store,
        ids: Sequence[CategoricalColumn] = (),
    ) -> list[ScanFinding]:
        """Return findings for kept columns, alone and together with the relational columns. `ids` identify the person
        of each row, if a person may have several.
        """
        stated, sensitive = self.table.statements, self.model.sensitive_column
        undeclared = [column for column in kept if column.name not in (*stated.publish_as_is, sensitive)]
        findings = [finding for column in undeclared if (finding := self._rare(column, ids, store)) is not None]
        findings += self.patterns(kept, {finding.column for finding in findings})
        named = {finding.column for finding in findings}
        findings += self._together(
            [column for column in undeclared if column.name not in named], relational, ids, store
        )
        return findings

    def headers(self, names: Sequence[str]) -> Iterator[ScanFinding]:
        """Yield findings for column names that are e-mail addresses, IBANs or phone numbers. Such names may be data of
        a file without a header.
        """
        for number, name in enumerate(names, 1):
            if name not in self.table.statements.publish_as_is and (kind := pattern_of([name])):
                text = f"the name of column {number} of the publication looks like data ({KINDS[kind].words})"
                fix = Fix({"no_header": True}, "if the file has no header line")
                yield ScanFinding(
                    f"#{number}", 1, Problem(f"{text}, so nothing is published; rename the column", [fix])
                )

    def relational(self, publication: Records) -> Iterator[ScanFinding]:
        """Yield findings for generalized columns."""
        members = {symbol.label: symbol.members for symbol in publication.value_sets}
        original = {column.name: column for column in self.table.relational}
        for column in publication.relational:
            before = original.get(column.name)
            if before is None or column.name in self.table.statements.publish_as_is:
                continue
            labels = column.vocabulary.labels
            if isinstance(before, NumericColumn):
                finding = self._ends(before, labels)
            else:
                finding = self._values(before, labels, members)
            kind = personal_kind(labels)
            if kind is None and isinstance(before, CategoricalColumn):
                kind = personal_kind(values_in_sets(before, labels, members))
            if finding is None and kind is not None:
                drop = remedies.of_dropped(column.name, self.model, only=len(self.table.relational) == 1)
                finding = personal_values_finding((column.name,), *kind, drop or [remedies.TAKEN_OUT])
            if finding is not None:
                yield finding

    def _ends(self, before: NumericColumn, labels: Sequence[str]) -> ScanFinding | None:
        numbers = ends_of_ranges(labels)
        if (grid := getattr(before, "grid", None)) is not None:  # each grid cell contains at least k records
            numbers = numbers[~np.isin(numbers, np.append(grid.lows, grid.highs))]
        persons = persons_with(before, numbers)
        rare = int(np.count_nonzero((persons > 0) & (persons < self.few)))
        if not rare:
            return None
        problem = f"range ends are exact values of fewer than {self.few} persons each"
        remedy = Fix({}, f"remove {setting('round_ends', value=False)}")
        return ScanFinding.of((before.name,), rare, problem, [remedy])

    def _values(
        self, before: CategoricalColumn, labels: Sequence[str], members: Mapping[str, tuple[str, ...]]
    ) -> ScanFinding | None:
        """Return a finding if rare values are published alone or in sets, or else None."""
        index, counts, threshold = before.vocabulary.index, before.occurrences, self.few
        single = [index[label] for label in labels if label in index and label not in members and label not in NO_VALUE]
        rare = int(np.count_nonzero((counts[single] > 0) & (counts[single] < threshold))) if single else 0
        if rare:
            problem = f"values belong to fewer than {threshold} persons each"
            return ScanFinding.of((before.name,), rare, problem, self._of_sets(before))
        codes = np.array([index[value] for value in values_in_sets(before, labels, members)], np.int64)
        of_few = int(np.count_nonzero((counts[codes] > 0) & (counts[codes] < threshold)))
        is_text = of_few > 0 and are_rare_texts(before.vocabulary.labels, counts.tolist(), threshold)
        if not (is_text or lists_persons(counts[codes], threshold, before.n)):
            return None
        problem = f"values of fewer than {threshold} persons each are listed in sets"
        return ScanFinding.of((before.name,), of_few, problem, self._of_sets(before))

    def _of_sets(self, column: CategoricalColumn) -> list[Fix]:
        drop = remedies.of_dropped(column.name, self.model, only=len(self.table.relational) == 1)
        return remedies.of_sets(column.name, self._coarser(column), drop=drop)

    def _coarser(self, column: CategoricalColumn) -> str:
        """Return a generalization rule after which most rare values are no longer rare, or an empty text if no rule
        achieves this.
        """
        rules = [change.coarsened_by for change in self.table.changes if change.column == column.name]
        rule = next(filter(None, reversed(rules)), "")
        step = 1 if column.vocabulary.filed is None else max(1, len(column.vocabulary) // _EXAMINED)
        labels = column.vocabulary.labels[::step]
        coarse = coarse_rule(column.name, labels, column.occurrences[::step].tolist(), self.few, rule)
        return coarse or remedies.bins_of(column.name, labels)

    def _rare(self, column: CategoricalColumn, ids: Sequence[CategoricalColumn], store: Store) -> ScanFinding | None:
        if not (rare := count_rare(column, self.few, ids, store)):
            return None
        remedy = remedies.of_kept(column.name, self._coarser(column), column.vocabulary.labels, self.model)
        return ScanFinding.of((column.name,), rare, f"values belong to fewer than {self.few} persons each", remedy)

    def _together(
        self,
        kept: Sequence[CategoricalColumn],
        relational: Sequence[CategoricalColumn],
        ids: Sequence[CategoricalColumn],
        store: Store,
    ) -> Iterator[ScanFinding]:
        """Yield a finding for kept columns that form groups of few persons in combination with other columns.

        Other columns are the relational columns, and kept columns without such groups.
        """
        together, singling, small = list(relational), list[CategoricalColumn](), 0
        for column in kept if len(kept) + len(relational) > 1 else ():
            persons = persons_in_small_groups((*together, column), self.few, store, ids)
            if persons:
                singling.append(column)
                small = max(small, persons)
            else:
                together.append(column)
        if singling:
            names = tuple(column.name for column in singling)
            problem = f"persons are in groups of fewer than {self.few} persons with the same published values"
            yield ScanFinding.of(names, small, problem, remedies.of_singling_out(names, self.model))

    def patterns(self, columns: Sequence[CategoricalColumn], named: Collection[str]) -> Iterator[ScanFinding]:
        """Yield findings for columns with personal values. Skip the columns in `named`."""
        for column in columns:
            if column.name in named or column.name in self.table.statements.publish_as_is:
                continue
            labels = column.vocabulary.labels
            if column.vocabulary.filed is not None:
                labels = labels[:: max(1, len(labels) // _EXAMINED)]
            needed = (self.model.sensitive_column, None if self.table.sensitive is None else self.table.sensitive.name)
            fix = remedies.TAKEN_OUT if column.name in needed else remedies.dropping(column.name)
            if kind := personal_kind([label for label in labels if label != STAR]):
                yield personal_values_finding((column.name,), *kind, [fix])
            elif problem := self._of_persons(column, labels):
                yield ScanFinding.of((column.name,), len(column.vocabulary), problem, [fix])

    def _of_persons(self, column: CategoricalColumn, labels: Sequence[str]) -> str:
        """Return why most values describe single persons, for example because they are free text or ids. Return an
        empty text if they do not.
        """
        given = [label for label in labels if label not in NO_VALUE]
        rare, distinct, dates = count_rare(column, self.few), len(column.vocabulary), len(days_in(given))
        if dates >= FEWEST_DATES and 2 * rare > dates:
            return f"values, most of fewer than {self.few} persons each, contain full dates"
        if 2 * rare <= distinct:
            return ""
        if is_free_text(given, column.n):
            return "values look like free text"
        if meaning_of(column.name) in PERSON_IDS:
            return "values are ids of persons by the column name"
        rare = count_rare(column, min(self.few, MOST_OF_FEW))
        if rare < FEWEST_RARE or 2 * rare <= distinct or _are_numbers_or_codes(given):
            return ""
        return f"values for {count_given(column):,} persons: most values belong to few persons"

    def promised(self, columns: Sequence[CategoricalColumn]) -> dict[str, int]:
        """Return the number of values of few persons of each column that has such values."""
        return {column.name: rare for column in columns if (rare := count_rare(column, self.few))}
