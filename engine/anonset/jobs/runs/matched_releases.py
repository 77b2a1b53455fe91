"""Match the records of two releases of the same persons by the ids of their inputs."""

import os
from collections.abc import Hashable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from anonset import arrow
from anonset.columns.identity import folded
from anonset.columns.ids import texts_of
from anonset.data.array_types import Int64
from anonset.errors import InputError
from anonset.generalization.other_release import OtherRelease
from anonset.privacy import PrivacyModel
from anonset.publications import Records
from anonset.publications.base import require_kind
from anonset.reading.batches import open_source
from anonset.reading.file_options import ROW, UNKNOWN
from anonset.reading.options import ReadOptions
from anonset.reading.roles import name_list
from anonset.reading.sources.place import may_have_data
from anonset.reading.sources.source import Source
from anonset.reading.table_builder import read_all_rows
from anonset.release.documents import Report
from anonset.release.publishing.staging import PRIVATE
from anonset.release.release import Release
from anonset.settings.settings import ReadingSettings, Settings, is_job, validate
from anonset.spelling import setting

if TYPE_CHECKING:
    from anonset.release.opened import OpenedPublication


_NOT_OF_RECORDS = {
    "separator", "one_hot", "present", "one_code", "with_header", "normalize", "unknown", "inner_items", "missing",
    "differing",
}  # fmt: skip
"""Reading options that change neither the number nor the order of the records of a file."""
_OF_RECORDS = sorted(ReadingSettings.model_fields.keys() - _NOT_OF_RECORDS)


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
    sha256 = ""
    if earlier.published is not None:
        with open_publication(earlier.published.out, with_private=False) as opened:
            sha256 = opened.sha256
    rules = frozenset(change.rule for change in earlier.unverified.table.changes)
    row = np.where(earlier_records < 0, -1, publication.row_of(publication.n)[earlier_records])
    return OtherRelease(publication, row, sha256, shows_all=_shows_all(earlier.retention), rules=rules)


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
        msg = f"{name} must name a person for each record; the entry of record {missing} is null"
        raise InputError(msg)
    texts = iter(folded(arrow.text_array([str(one) for ids in parts for one in ids])).to_pylist())
    spelled: list[Hashable] = [tuple(next(texts) for _ in ids) for ids in parts]
    if repeated := len(spelled) - len(set(spelled)):
        msg = f"{name} must name a different person for each record; {repeated:,} entries repeat"
        raise InputError(msg)
    return spelled


def read_other_release(other: str | os.PathLike[str], report: Report) -> OtherRelease:
    """Read another release, and match its persons to the persons of the release with the given private report.

    Raises
    ------
    InputError
        If it is not a release of records, or the records cannot be assigned to persons.
    """
    from anonset.release.opened import open_publication

    with open_publication(other) as opened:
        other_report = opened.require_report(_private_missing("beside", opened.out))
        _require_known_persons("beside", report.settings, other_report.settings)
        if _has_same_records(report.input.get("sha256"), report.settings, other_report):
            other_records = np.arange(int(report.input["records"]))
        else:
            other_records = same_persons(ids_of_release(report), ids_of_release(other_report))
        return _matched(opened, other_report, other_records)


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
        _require_known_persons("after", {"unit": settings.file.unit}, report.settings)
        if _has_same_records(source.sha256, settings.model_dump(), report):
            return _matched(opened, report, np.arange(int(report.input["records"])))
        if not settings.file.person:
            msg = f"{setting('after')}: the new data need {setting('unit', 'COLUMN')}, so that persons can be matched"
            raise InputError(msg)
        return _matched(opened, report, same_persons(ids_of(source, settings), ids_of_release(report)))


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


def _require_known_persons(name: str, *settings: Mapping[str, Any]) -> None:
    """Reject releases of data that do not say who is a person. Equal rows need not be equal persons."""
    if any(UNKNOWN in name_list(one.get("unit") or ()) for one in settings):
        unit = setting("unit", UNKNOWN)
        msg = f"{setting(name)}: one of the releases does not know its persons ({unit}), so they cannot be matched"
        raise InputError(msg)


def _has_same_records(sha256: str | None, settings: Mapping[str, Any], report: Report) -> bool:
    """Return True if a release certainly contains the records of the data with digest `sha256`, read with `settings`.

    The reading options of linked tables are not settings, so their records are always matched by id. `null` determines
    the records only if it determines which rows have no id.
    """
    if is_job(str(settings.get("input"))):
        return False
    without_id = "no-id" in name_list(settings.get("skip_rows") or ())
    names = [name for name in _OF_RECORDS if name != "null" or without_id]
    same = all(settings.get(name) == report.settings.get(name) for name in names)
    return same and sha256 is not None and sha256 == report.input.get("sha256")


def _matched(opened: "OpenedPublication", report: Report, other_records: Int64) -> OtherRelease:
    """Return another release, with its row for each record of a table. `other_records` is the record number in the
    other release of each record of the table, or -1 if the record is absent.
    """
    msg = f"{opened.out}: not a release of records, or the private directory lacks the map from rows to records"
    publication, way_back = require_kind(opened.publication, Records, msg), opened.way_back(opened.store)
    if way_back is None:
        raise InputError(msg)
    row_of = np.full(int(report.input["records"]), -1, np.int64)
    row_of[way_back[0]] = np.arange(publication.n)
    publication = replace(publication, record=way_back[0], cluster=way_back[1])
    return OtherRelease(
        publication,
        np.where(other_records < 0, -1, row_of[other_records]),
        opened.sha256,
        shows_all=_shows_all(report.retention),
        rules=frozenset(str(change["rule"]) for change in report.changes),
    )


def _shows_all(retention: Mapping[str, Mapping[str, int]]) -> bool:
    return retention.get("items", {}).get("suppressed", 1) == 0


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
        msg = (
            f"the {len(ids):,} ids and the {len(others):,} ids of the other release have none in common; "
            "check that both name the same persons"
        )
        raise InputError(msg)
    return positions


def ids_of_release(report: Report) -> list[Hashable]:
    """Return the id of each record of a release, read from the input.

    Raises
    ------
    InputError
        If the release was made without ids, or the input has changed or is missing.
    """
    options, name = report.settings, report.input.get("file", "from Python")
    if name_list(options.get("unit") or ()) in ([], [ROW], [UNKNOWN]):
        msg = f"the release made from {name} has no id of persons ({setting('unit')}), so persons cannot be matched"
        raise InputError(msg)
    if not may_have_data(options["input"]):
        msg = f"{options['input']}: the input of the other release is missing; its ids are needed to match persons"
        raise InputError(msg)
    settings = validate(
        ReadingSettings, {x: value for x, value in options.items() if x in ReadingSettings.model_fields}
    )
    source = settings.source(options["input"])
    if source.sha256 != report.input["sha256"]:
        changed = "the input has changed since the other release was made"
        msg = f"{options['input']}: {changed}; restore the input, because its ids are needed"
        raise InputError(msg)
    ids = ids_of(source, settings)
    if len(ids) != report.input["records"]:
        msg = f"{options['input']}: {len(ids):,} ids for {report.input['records']:,} records; each record needs an id"
        raise InputError(msg)
    return ids


def ids_of(source: Source, settings: ReadingSettings) -> list[Hashable]:
    """Return the distinct ids of data in order of first appearance, which is the record order. Ids have a uniform
    spelling.
    """
    names = settings.file.person
    opened = open_source(source, ReadOptions(**settings.reading_options()).reading())
    columns = read_all_rows(opened, names)
    texts = (folded(texts_of(columns[name])).to_pylist() for name in names)
    return list(dict.fromkeys(zip(*texts, strict=True)))
