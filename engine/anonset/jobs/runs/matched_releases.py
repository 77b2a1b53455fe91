"""Match the records of two releases of the same persons by the ids of their inputs."""

import os
from collections.abc import Hashable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from anonset import arrow
from anonset.columns.cells import LIST
from anonset.columns.identity import folded
from anonset.columns.ids import texts_of
from anonset.data import SetColumn, Table
from anonset.data.array_types import Int64
from anonset.data.joining import prefixed
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.storage.store import MEMORY
from anonset.errors import InputError
from anonset.generalization.other_release import LEFT_OUT, OtherRelease, occurring, require_unpublished, without
from anonset.privacy import PrivacyModel
from anonset.publications import Records
from anonset.publications.base import require_kind
from anonset.reading.batches import open_source
from anonset.reading.decisions import FILE, ITEMS, PERSONS, decisions
from anonset.reading.file_options import UNKNOWN, FileOptions, Unit
from anonset.reading.options import ReadOptions, separators_in
from anonset.reading.sources.files import STATISTICS
from anonset.reading.sources.place import may_have_data
from anonset.reading.sources.source import Source
from anonset.reading.table_builder import gather_files, read_all_rows
from anonset.release.documents import Report
from anonset.release.publishing.staging import PRIVATE
from anonset.release.release import Release
from anonset.settings.job import Job
from anonset.settings.paths import side_digests, with_absolute_paths
from anonset.settings.settings import InputSettings, ReadingSettings, Settings, is_job, validate
from anonset.spelling import StatedSettings, listed, setting

if TYPE_CHECKING:
    from anonset.release.opened import OpenedPublication


_OPTIONS = decisions(FileOptions)
_OF_RECORDS = [name for name, decides in _OPTIONS.items() if decides in (PERSONS, FILE)]
"""Reading options that may change the number and the order of the records of a file."""
_OF_ITEMS = {name for name, decides in _OPTIONS.items() if decides is ITEMS} - {"unknown", "inner_items", "missing"}
"""Reading options that decide the items of the source. The others remove or rename items (`OtherRelease`)."""


def beside(earlier: Release, persons: Sequence[Hashable], earlier_persons: Sequence[Hashable]) -> OtherRelease:
    """Match an earlier release with a table, for `anonset.anonymize` (`after`) and `anonset.risk` (`beside`).

    Parameters
    ----------
    earlier
        A release of records.
    persons, earlier_persons
        Id of the person of each record of the table, and of each record of the table behind the earlier release. An id
        of several columns is a tuple. Ids are compared as in files: case, surrounding blanks and leading zeros do not
        matter.

    Raises
    ------
    InputError
        If `earlier` publishes no records or has another record count, if a person has no id or several records, or if
        no person is in both tables.

    Examples
    --------
    >>> import anonset
    >>> tree = anonset.Hierarchy.from_tree(("ALL", [("A", ["a1", "a2"]), ("B", ["b1", "b2"])]))
    >>> table = anonset.Table.from_sets([{"a1", "b1"}, {"a2", "b1"}, {"a1", "b1"}, {"a2", "b1"}])
    >>> first = anonset.anonymize(table, anonset.Apriori(k=2, m=2), hierarchies={"items": tree})
    >>> again = anonset.beside(first, persons=["p3", "p1"], earlier_persons=["p1", "p2", "p3", "p4"])
    >>> again.row.tolist() == first.publication.record.argsort()[[2, 0]].tolist()
    True
    """
    from anonset.release.opened import open_publication

    msg = f"earlier must be a release with a record for each of the {len(earlier_persons):,} entries of earlier_persons"
    publication = require_kind(earlier.publication, Records, msg)
    if len(earlier_persons) != publication.n:
        raise InputError(msg)
    earlier_records = same_persons(_spelled("persons", persons), _spelled("earlier_persons", earlier_persons))
    sha256, table = "", earlier.unverified.table
    if earlier.published is not None:
        with open_publication(earlier.published.out, with_private=False) as opened:
            sha256 = opened.sha256
    row = np.where(earlier_records < 0, -1, publication.row_of(publication.n)[earlier_records])
    no_loss = earlier.retention.get("items", {}).get("suppressed", 1) == 0
    shows_all = no_loss and all(change.rule != LEFT_OUT for change in table.changes)
    items = None if table.transactions is None else _of_records(table.transactions, earlier_records)
    return OtherRelease(publication, row, sha256, shows_all=shows_all, changes=table.changes, other_items=items)


def _spelled(name: str, persons: Sequence[Hashable]) -> list[Hashable]:
    """Return the person of each record in a uniform spelling (see `folded`). A tuple is an id of several columns.

    Raises
    ------
    InputError
        If a person has no id, or several records.
    """
    parts = [person if isinstance(person, tuple) else (person,) for person in persons]
    missing = next((n for n, ids in enumerate(parts) if any(one is None or one != one for one in ids)), None)
    if missing is not None:
        raise InputError(f"{name} must name a person for each record; the entry of record {missing} is null")
    texts = iter(folded(arrow.text_array([str(one) for ids in parts for one in ids])).to_pylist())
    spelled: list[Hashable] = [tuple(next(texts) for _ in ids) for ids in parts]
    if repeated := len(spelled) - len(set(spelled)):
        raise InputError(f"{name} must name a different person for each record; {repeated:,} entries repeat")
    return spelled


def read_other_release(other: str | os.PathLike[str], report: Report) -> OtherRelease:
    """Read another release, and match its persons to the persons of the release with the given private report.

    Raises
    ------
    InputError
        If it is not a release of records, or the records cannot be assigned to persons, or the items cannot be
        compared.
    """
    from anonset.release.opened import open_publication

    with open_publication(other) as opened:
        other_report = opened.require_report(_private_missing("beside", opened.out))
        _require_known_persons("beside", report.settings.get("unit"), other_report.settings.get("unit"))
        this, that = _Data.of_release(report), _Data.of_release(other_report)
        return _matched("beside", opened, other_report, this, that)


def read_after(settings: Settings, source: Source, model: PrivacyModel) -> OtherRelease:
    """Read the earlier release named in the settings, and match the persons of the new input to it.

    Raises
    ------
    InputError
        If `read_other_release` would reject the release, the search would run on a cluster, or the model is not
        k^m-anonymity.
    """
    from anonset.algorithms.transaction.joint_anonymity import k_and_m_of  # imported here because it imports scipy
    from anonset.release.publishing.continuation import require_one_machine

    k_and_m_of(model)
    require_one_machine("after", on_cluster=settings.cluster is not None)
    with open_other(settings.after or "") as opened:
        report = opened.require_report(_private_missing("after", opened.out))
        _require_known_persons("after", settings.file.unit, report.settings.get("unit"))
        absolute = with_absolute_paths(settings.stated)
        this = _Data(settings, absolute, source, side_digests(absolute))
        if not settings.file.person and not this.has_same_records(report):
            msg = f"{setting('after')}: the new data need {setting('unit', 'COLUMN')}, so that persons can be matched"
            raise InputError(msg)
        return _matched("after", opened, report, this, None)


def open_other(place: str) -> AbstractContextManager["OpenedPublication"]:
    """Open the release in a directory or at an address. `place` may also be its private directory.

    Raises
    ------
    InputError
        If there is no release.
    """
    from anonset.release.opened import open_publication

    place = place.rstrip("/")
    if not place.endswith(PRIVATE):
        return open_publication(place)
    return open_publication(place.removesuffix(PRIVATE), place)


def sha256_of_other(place: str) -> str:
    """Return the SHA-256 of the attestation of another release (`open_other`). The other files are checked, too."""
    with open_other(place) as opened:
        return opened.sha256


def _private_missing(name: str, out: Path) -> str:
    return f"{setting(name)} {out}: the private directory is missing; it maps published rows to records"


def _require_known_persons(name: str, *units: Any) -> None:
    """Reject releases of data that do not say who is a person. Equal rows need not be equal persons."""
    if any(Unit.of(unit) == (UNKNOWN,) for unit in units):
        unit = setting("unit", UNKNOWN)
        msg = f"{setting(name)}: one of the releases does not know its persons ({unit}), so they cannot be matched"
        raise InputError(msg)


@dataclass(frozen=True)
class _Data(RedactedRepr):
    """Input of a release, and the settings with which it is read."""

    settings: InputSettings
    given: StatedSettings
    """Settings as the private report contains them."""
    source: Source
    side_files: Mapping[str, str]
    """SHA-256 of each side file, by setting."""

    @classmethod
    def of_release(cls, report: Report, same: Source | None = None) -> Self:
        """Return the input of a release. `same` is a source that may have the same content.

        Raises
        ------
        InputError
            If the input has changed or is missing.
        """
        given, sha256 = report.settings, report.input.get("sha256")
        settings = validate(InputSettings, {x: given[x] for x in InputSettings.model_fields if x in given})
        sides = report.input.get("side_files", {})
        if same is not None and sha256 == same.sha256 and not is_job(settings.input):
            return cls(settings, given, same, sides)
        if not may_have_data(settings.input):
            msg = f"{settings.input}: the input of the other release is missing; its persons and items are needed"
            raise InputError(msg)
        source = settings.source(settings.input)
        if source.sha256 != sha256:
            changed = "the input has changed since the other release was made"
            msg = f"{settings.input}: {changed}; restore the input, because its persons and items are needed"
            raise InputError(msg)
        return cls(settings, given, source, sides)

    def has_same_records(self, report: Report) -> bool:
        """Return True if a release certainly contains the records of these data.

        The reading options of linked tables are not settings, so their records are always matched by id. `null`
        determines the records only if it determines which rows have no id.
        """
        if is_job(self.settings.input):
            return False
        without_id = "no-id" in self.settings.file.skip_rows
        names = [name for name in _OF_RECORDS if name != "null" or without_id]
        same = all(self.given.get(name) == report.settings.get(name) for name in names)
        return same and self.source.sha256 == report.input.get("sha256")

    @property
    def may_remove(self) -> bool:
        """True if texts that mean no value may remove items. The options of linked tables are not settings."""
        return bool(self.settings.file.null) or is_job(self.settings.input)

    def table(self, *, null_items: bool = True) -> Table:
        """Read the items of each record before any hierarchy, by default with those that `null` removes."""
        read = self.settings.read_options()
        drop = (*read.relational, *read.keep, *read.drop, *([] if read.sensitive is None else [read.sensitive]))
        items = replace(read, relational=(), numeric=(), keep=(), sensitive=None, drop=drop, null_items=null_items)
        return gather_files(self.source, items, MEMORY)

    def ids(self, records: int) -> list[Hashable]:
        """Return the id of each record.

        Raises
        ------
        InputError
            If the data are read without ids, or the number of records differs.
        """
        if not self.settings.file.person:
            name = Path(self.source.where).name
            msg = f"the release made from {name} has no id of persons ({setting('unit')}), so persons cannot be matched"
            raise InputError(msg)
        ids = ids_of(self.source, self.settings)
        if len(ids) != records:
            raise InputError(f"{self.source.where}: {len(ids):,} ids for {records:,} records; each record needs an id")
        return ids

    def tree_of(self, column: str) -> str | None:
        """Return the content of the hierarchy of a column of items: the digest of a file, or a specification."""
        name = column if column in self.settings.hierarchy else "items"
        return self.side_files.get(f"hierarchy {name}", self.settings.hierarchy.get(name))

    def reading_of(self, column: str) -> Job:
        """Return the options that decide the items of a column, by name. Separators are compared with the items."""
        file, rules = (
            self.settings.file,
            ReadOptions(normalize=self.settings.file.normalize).resolved([column]).rules_of_columns,
        )
        options = {name: getattr(file, name) for name in _OF_ITEMS - {"separator"}}
        options["normalize"] = (*rules.get("", ()), *rules.get(column, ()))
        options["one_code"] = bool(file.one_code)  # items do not depend on the names of these columns
        options["one_hot"] = bool(file.one_hot) and {name for name in file.one_hot if name.endswith("*")}
        options["value_codes"] = file.value_codes if self.source.format in STATISTICS else None
        return Job(options)

    def separator_of(self, table: Table, column: str) -> str | None:
        """Return the text at which cells of a column of items are split. None if a cell is one item."""
        file = self.settings.file
        marks = separators_in(file.separator, table.item_columns)
        if (mark := marks.get(column) if marks else file.separator) is not None:
            return None if mark == LIST else "\t" if mark == "\\t" else mark
        several = bool(table.tables) or table.n != table.source_rows
        return None if file.one_code or file.one_hot or (file.person and several) else " "


def _matched(name: str, opened: "OpenedPublication", report: Report, this: _Data, that: _Data | None) -> OtherRelease:
    """Return another release, with its row and its items for each record of `this`.

    Parameters
    ----------
    that
        Input of the other release. If None, it is opened.

    Raises
    ------
    InputError
        If persons or items cannot be compared.
    """
    msg = f"{opened.out}: not a release of records, or the private directory lacks the map from rows to records"
    publication, way_back = require_kind(opened.publication, Records, msg), opened.way_back(opened.store)
    if way_back is None:
        raise InputError(msg)
    that = that or _Data.of_release(report, this.source)
    units = {str(Unit.of(data.settings.file.unit)) for data in (this, that)}  # a flag splits a name at its commas
    if len(units) > 1:
        same = f"both releases must have the same {setting('unit')}, so that persons can be matched"
        raise InputError(f"{setting(name)} {opened.out}: {same}")
    tables, records = (this.table(), that.table()), int(report.input["records"])
    _require_same_items(name, (this, that), tables)
    if this.has_same_records(report):
        other_records = np.arange(records)
    else:
        other_records = same_persons(this.ids(tables[0].n), that.ids(records))
    row_of = np.full(records, -1, np.int64)
    row_of[way_back[0]] = np.arange(publication.n)
    publication = replace(publication, record=way_back[0], cluster=way_back[1])
    items, others = (table.transactions for table in tables)
    if others is not None and publication.transactions is not None and not tables[1].joined:
        # a publication in FIMI has no column name
        publication = replace(publication, transactions=replace(publication.transactions, name=others.name))
    if others is not None and that.may_remove:
        read = that.table(null_items=False).transactions
        removed = {*occurring(others)} - {*([] if read is None else occurring(read))}
        if name == "after":
            require_unpublished(publication, removed)
        publication = without(publication, removed)
    shown = {member for symbol in publication.symbols for member in symbol.members}
    return OtherRelease(
        publication,
        np.where(other_records < 0, -1, row_of[other_records]),
        opened.sha256,
        shows_all=others is not None and {*occurring(others)} <= shown,
        changes=tuple(report.changes),
        items=items if this.may_remove or that.may_remove or this.settings.file.unknown == "suppress" else None,
        other_items=None if others is None else _of_records(others, other_records),
        same_trees=frozenset(
            column
            for column in ({*tables[0].item_columns} & {*tables[1].item_columns}) | {"items"}
            if this.tree_of(column) == that.tree_of(column)
        ),
    )


def _require_same_items(name: str, both: tuple[_Data, _Data], tables: tuple[Table, Table]) -> None:
    """Reject releases that read the items of a column in different ways."""
    for column in {*tables[0].item_columns} & {*tables[1].item_columns}:
        this, that = (data.reading_of(column) for data in both)
        if differing := [option for option in this if this[option] != that[option]]:
            same = listed([setting(option) for option in differing], "and")
            msg = f"{setting(name)}: both releases must read the items of column {column!r} with the same {same}"
            raise InputError(msg)
        for data, other in (tables, tables[::-1]):
            mark = both[tables.index(other)].separator_of(other, column)
            start = prefixed(column, "") if data.joined else ""
            labels = [] if data.transactions is None else occurring(data.transactions)
            if mark and any(mark in x.removeprefix(start) for x in labels if x.startswith(start)):
                raise InputError(
                    f"{setting(name)}: items of column {column!r} in one release contain {mark!r}, at which the other "
                    f"release splits its items; read both with the same {setting('separator')}"
                )


def _of_records(column: SetColumn, records: Int64) -> SetColumn:
    """Return the given records of a column. Record -1 has no items."""
    with_empty = replace(column, indptr=np.append(column.indptr, column.indptr[-1]))
    return with_empty.take(np.where(records < 0, column.n, records))


def same_persons(ids: Sequence[Hashable], others: Sequence[Hashable]) -> Int64:
    """Return the position of each id in `others`, int64 (n,). -1 if the id is absent.

    >>> same_persons(["p2", "p9"], ["p1", "p2"]).tolist()
    [1, -1]

    Raises
    ------
    InputError
        If both sequences contain ids, but have no id in common.
    """
    place = {identity: number for number, identity in enumerate(others)}
    positions = np.array([place.get(identity, -1) for identity in ids], np.int64)
    if len(ids) and len(others) and (positions < 0).all():
        raise InputError(
            f"the {len(ids):,} ids and the {len(others):,} ids of the other release have none in common; "
            "check that both name the same persons"
        )
    return positions


def ids_of(source: Source, settings: ReadingSettings) -> list[Hashable]:
    """Return the distinct ids of data in order of first appearance, which is the record order. Ids have a uniform
    spelling.
    """
    opened = open_source(source, ReadOptions(**settings.reading_options()))
    names = Unit.of(settings.file.unit, opened.names).columns
    columns = read_all_rows(opened, names)
    texts = (folded(texts_of(columns[name])).to_pylist() for name in names)
    return list(dict.fromkeys(zip(*texts, strict=True)))
