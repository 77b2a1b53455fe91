"""Two releases of the same persons: which records are whose, by the ids of their inputs."""

import os
from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from anonset.data.table import Int64
from anonset.errors import InputError
from anonset.generalization.beside import Beside
from anonset.generalization.buckets import with_way_back
from anonset.generalization.chunks import ChunkPublication
from anonset.io.source import Source
from anonset.release.documents import Report
from anonset.release.opened import Opened
from anonset.settings.settings import ReadingSettings, validate
from anonset.spelling import setting


def read_beside(other: str | os.PathLike[str], report: Report) -> Beside:
    """Read another release, and find in it the persons of a release by its private report.

    Raises
    ------
    InputError
        If it is no release of records, or nothing tells which of its records are whose.
    """
    opened = Opened.at(other)
    way_back = opened.way_back(opened.store)
    if opened.report is None or way_back is None:
        msg = f"{setting('beside')} {opened.out}: its private directory is required, which tells the record of each row"
        raise InputError(msg)
    publication: Any = opened.publication
    if opened.has_buckets or isinstance(publication, ChunkPublication):
        msg = f"{setting('beside')} {opened.out}: a release of records is required"
        raise InputError(msg)
    publication = with_way_back(publication, *way_back)
    row_of = np.full(int(opened.report.input["records"]), -1, np.int64)
    row_of[publication.record] = np.arange(publication.n)
    there = records_of_same(report, opened.report)
    return Beside(publication, np.where(there < 0, -1, row_of[there]), opened.sha256)


def records_of_same(report: Report, other: Report) -> Int64:
    """Return int64 (n,): for each record of a release the one of the same person in another; -1 where there is none.

    Releases of the same input have the same records; else the ids of both inputs tell.

    Raises
    ------
    InputError
        If the inputs differ, and one of them has no ids, or is not there any more.
    """
    alike = all(report.settings.get(name) == other.settings.get(name) for name in ("group", "id"))
    if report.input.get("sha256", "") == other.input.get("sha256") and alike:
        return np.arange(int(report.input["records"]))
    return same_persons(ids_of_release(report), ids_of_release(other))


def same_persons(ids: Sequence[Hashable], others: Sequence[Hashable]) -> Int64:
    """Return int64 (n,): where each id stands among others; -1 where it does not.

    >>> same_persons(["p2", "p9"], ["p1", "p2"]).tolist()
    [1, -1]
    """
    place = {identity: number for number, identity in enumerate(others)}
    return np.array([place.get(identity, -1) for identity in ids], np.int64)


def ids_of_release(report: Report) -> list[Hashable]:
    """Return the id of each record of a release, from the input that it was made from.

    Raises
    ------
    InputError
        If it was made without ids, or its input is not there any more as it was.
    """
    given, name = report.settings, report.input.get("file", "from Python")
    if not given.get("id"):
        msg = f"the release made from {name} has no {setting('id')}: nothing tells which of its records are whose"
        raise InputError(msg)
    if not Path(given["input"]).exists():
        msg = f"{given['input']}: the input of a release holds its ids, and is not there any more"
        raise InputError(msg)
    settings = validate(ReadingSettings, {x: value for x, value in given.items() if x in ReadingSettings.model_fields})
    source = settings.source(given["input"])
    if source.sha256 != report.input["sha256"]:
        msg = f"{given['input']}: the input of a release holds its ids, and was changed since"
        raise InputError(msg)
    ids = ids_of(source, settings, given["id"])
    if len(ids) != report.input["records"]:
        msg = (
            f"{given['input']}: it holds {len(ids):,} ids of {report.input['records']:,} records; one each is required"
        )
        raise InputError(msg)
    return ids


def ids_of(source: Source, settings: ReadingSettings, names: Sequence[str]) -> list[Hashable]:
    """Return the distinct ids of data, in the order of first appearance: that of the records."""
    from anonset.io.batches import open_source
    from anonset.io.options import ReadOptions
    from anonset.io.table_builder import whole

    opened = open_source(source, ReadOptions.of(**settings.reading_options(), id=list(names)).reading())
    columns = whole(opened, list(names))
    rows = zip(*(map(str, columns[name].to_pylist()) for name in names), strict=True)
    return list(dict.fromkeys(rows))
