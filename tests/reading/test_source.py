"""The type of a source is determined once."""

import hashlib
import os
import pickle
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from tests.facts import refused
from tests.object_store import object_store

from anonset.data import Table
from anonset.errors import InputError
from anonset.reading.read import read
from anonset.reading.sources import source
from anonset.reading.sources.files import arrow_threads, digest
from anonset.reading.sources.source import OBJECT, Source, of_files, source_of

ROWS = {"a.dat": "1 2\n2 3\n", "b.dat": "3\n", "below/c.dat": "1 3\n"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in ROWS.items():
        path = tmp_path / "data" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "data"


def names_of(found: Source) -> list[str]:
    return [file.name for file in found.files]


def sets_of(table: Table) -> list[list[str]]:
    assert table.transactions is not None
    return [list(row) for row in table.transactions.rows()]


def test_every_kind_of_input_becomes_a_source(folder: Path) -> None:
    for arguments, names in (
        (folder / "a.dat", ["a.dat"]),
        (str(folder / "a.dat"), ["a.dat"]),
        (folder, ["a.dat", "b.dat", "below/c.dat"]),
        (str(folder / "*.dat"), ["a.dat", "b.dat"]),
        (str(folder / "**" / "c.dat"), ["below/c.dat"]),
        ((folder / "below").as_uri(), ["c.dat"]),
    ):
        source = source_of(arguments)
        assert (source.format, names_of(source)) == ("dat", names), arguments
        assert source_of(source) is source
        assert sets_of(read(source)) == sets_of(read(arguments))
    rows = [{"a", "b"}, {"b"}]
    row_source = source_of(rows)
    assert (row_source.format, row_source.files, row_source.keys, row_source.where) == (
        OBJECT,
        (),
        (),
        "the given list",
    )
    assert sets_of(read(row_source)) == sets_of(read(rows))


def test_the_repr_of_a_source_shows_no_data() -> None:
    assert "secret" not in repr(source_of([{"secret"}]))


def test_a_declared_format_decides_for_unknown_file_names(folder: Path) -> None:
    (folder / "rows.txt").write_text("1 2\n")
    assert source_of(folder / "rows.txt", "fimi").format == "dat"
    assert source_of(folder / "rows.txt", no_header=True).format == "csv"
    with refused(InputError, "rows.txt name"):
        source_of(folder / "rows.txt")


def test_digests_of_files_and_folders(folder: Path) -> None:
    assert source_of(folder / "a.dat").sha256 == hashlib.sha256(ROWS["a.dat"].encode()).hexdigest()
    lines = "".join(f"{digest(folder / name)}  {name}\n" for name in ("a.dat", "b.dat"))
    assert source_of(str(folder / "*.dat")).sha256 == hashlib.sha256(lines.encode()).hexdigest()
    assert of_files([folder / "a.dat", folder / "b.dat"]).sha256 == hashlib.sha256(lines.encode()).hexdigest()
    assert source_of(folder).sha256 == digest(folder)
    assert source_of((folder / "a.dat").as_uri()).sha256 == digest(folder / "a.dat")


def test_size_and_digest_are_computed_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = source_of(folder / "a.dat")
    assert result.size.text == (folder / "a.dat").stat().st_size
    before = result.sha256
    (folder / "a.dat").write_text("other\n" * 99)
    for name in ("digest", "size_in"):
        monkeypatch.setattr(source, name, lambda *_: pytest.fail("looked up again"))
    assert (result.sha256, result.size.records) == (before, 2)


def appended(path: Path) -> None:
    with path.open("a") as file:
        file.write("4\n")


def rewritten(path: Path) -> None:
    path.write_text(path.read_text().replace("2", "5"))
    os.utime(path, ns=(0, 10**18))


def replaced(path: Path) -> None:
    """Replace the file by another of the same size and time."""
    status = path.stat()
    other = path.with_name("other")
    other.write_text(path.read_text().replace("2", "5"))
    os.utime(other, ns=(status.st_atime_ns, status.st_mtime_ns))
    other.replace(path)


@pytest.mark.parametrize("change", [appended, rewritten, replaced])
@pytest.mark.parametrize("name", ["a.dat", ""])
def test_a_file_that_changes_between_two_readings_is_rejected(folder: Path, change: Any, name: str) -> None:
    source = source_of(folder / name)
    assert source.size.records
    change(folder / "a.dat")
    with refused(InputError, "a.dat changed"):
        read(source)
    with refused(InputError, "a.dat changed"):
        _ = source.sha256
    assert read(folder / "a.dat").n


def test_a_file_that_changes_while_it_is_read_is_rejected(folder: Path) -> None:
    (file,) = source_of(folder / "a.dat").files
    opening = file.opened()
    opening.__enter__().read(1)
    replaced(folder / "a.dat")
    with refused(InputError, "a.dat changed"):
        opening.__exit__(None, None, None)


def test_an_object_that_is_replaced_is_rejected_though_listings_are_cached(monkeypatch: pytest.MonkeyPatch) -> None:
    fsspec = pytest.importorskip("fsspec")
    system = fsspec.filesystem("memory")
    system.pipe("/bucket/a.dat", b"1 2\n")
    source = source_of("memory://bucket/a.dat")
    assert source.sha256
    info, stale = type(system).info, [{"size": 4, "ETag": "stale"}]

    def tagged(tag: str) -> Any:
        return lambda *of, **how: stale[0] if stale else {**info(*of, **how), "ETag": tag}

    monkeypatch.setattr(type(system), "info", tagged("two"))
    monkeypatch.setattr(type(system), "invalidate_cache", lambda *_: stale.clear(), raising=False)
    source.files[0].pinned.clear()
    assert source.files[0].sha256()
    assert "two" in source.files[0].pinned[0]
    monkeypatch.setattr(type(system), "info", tagged("three"))
    with refused(InputError, "a.dat changed"):
        source.files[0].sha256()


def test_a_message_names_an_object_without_credentials_and_pins_its_version(monkeypatch: pytest.MonkeyPatch) -> None:
    with object_store(monkeypatch) as store:
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "hidden-key")
        store.objects["bucket/in/a.dat"] = b"1 2\n"
        (file,) = source_of("s3://bucket/in").files
        with file.opened():
            message = pickle.dumps(file)
        assert b"s3://bucket/in" in message
        assert not any(part in message for part in (b"hidden-key", b"FileSystem"))
        received = pickle.loads(message)
        assert received.sha256() == file.sha256() == hashlib.sha256(b"1 2\n").hexdigest()
        store.objects["bucket/in/a.dat"] = b"1 3\n"
        with refused(InputError, "a.dat changed"):
            received.sha256()


def test_runs_in_several_threads_leave_the_number_of_arrows_threads() -> None:
    before = pa.cpu_count()
    first, second = arrow_threads(before + 1), arrow_threads(before + 2)
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert pa.cpu_count() == before + 2
    with arrow_threads(None):
        assert pa.cpu_count() == before
    second.__exit__(None, None, None)
    assert pa.cpu_count() == before
