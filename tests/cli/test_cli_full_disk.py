"""On a full disk a run returns exit code 2 with a message that names the user's path, and writes no files."""

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.facts import names

from anonset.data.storage.lease import LEASE
from cli.place import Place

FORMATS = ["csv", "parquet", "dat"]
PRIVATE = ("mapping.csv", "hierarchy.csv", "records.csv", "report.json")
needs_full = pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")


Call = Callable[..., Any]


def writes(*arguments: Any) -> bool:
    """Return True if a call of `open` opens a file for writing."""
    return len(arguments) > 1 and "w" in arguments[1]


def failing(patch: pytest.MonkeyPatch, owner: Any, name: str, number: int, fail: Call) -> list[int]:
    """Make the n-th call of a function fail. Return a list that grows by an entry per call."""
    honest, calls = getattr(owner, name), []

    def counted(*arguments: Any, **options: Any) -> Any:
        if name == "open" and not writes(*arguments):
            return honest(*arguments, **options)
        calls.append(1)
        return (fail if len(calls) == number + 1 else honest)(*arguments, **options)

    patch.setattr(owner, name, counted)
    return calls


def stories(place: Place, job: list[str], owner: Any, name: str, fail: Call) -> list[str]:
    """Run a job that fails at its first call, then at its second and so on, until it succeeds. Return the messages."""
    messages: list[str] = []
    while True:
        with pytest.MonkeyPatch.context() as patch:
            calls = failing(patch, owner, name, len(messages), fail)
            ran = place.run(*job)
        if len(calls) <= len(messages):
            assert ran.code == 0, ran.err
            return messages
        assert (ran.code, ran.err.count("\n"), ran.out) == (2, 1, ""), ran.err
        assert place.nothing_left()
        messages.append(ran.err)


@needs_full
@pytest.mark.parametrize("suffix", FORMATS)
@pytest.mark.long
def test_every_file_reports_a_full_disk(place: Place, suffix: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Files are written through a device on which every write fails."""
    config = tmp_path_factory.mktemp("job") / "trace.toml"
    config.write_text("trace = true\n")
    opened = Path.open

    def full(path: Path, mode: str, *arguments: Any, **options: Any) -> Any:
        opened(path, mode).close()
        return opened(Path("/dev/full"), mode, *arguments, **options)

    job = place.job("--config", str(config), data="data.csv" if suffix == "csv" else "data.dat")
    job += ["--items", "codes", "--drop", "age", "--unit", "row"] if suffix == "csv" else ["--format", suffix]
    messages = stories(place, job, Path, "open", full)
    places = [place.out / f"published.{suffix}", place.out / "codebook.csv", place.out / "attestation.json"]
    places += [place.private / name for name in PRIVATE]
    for path in places:
        assert any(names(text, f"error {path} 'No space'") for text in messages)
    assert len(messages) == len(places)


def out_of_quota(*_: Any, **__: Any) -> None:
    raise OSError(errno.EDQUOT, os.strerror(errno.EDQUOT))


def test_a_quota_that_shows_when_bytes_are_forced_to_the_disk(place: Place) -> None:
    messages = stories(place, place.job(), os, "fsync", out_of_quota)
    named = {text.removeprefix("anonset: error: Disk quota exceeded: ").strip().strip("'") for text in messages}
    inside = ("published.dat", "codebook.csv", "attestation.json")
    expected = {
        place.folder,
        place.out,
        place.out / LEASE,
        place.private,
        *(place.out / x for x in inside),
        *(place.private / x for x in (*PRIVATE, LEASE)),
    }
    assert named == set(map(str, expected))


@pytest.mark.parametrize("name", ["mkdir", "rename"])
def test_a_directory_reports_a_full_disk(place: Place, name: str) -> None:
    def full(path: Path, *_: Any, **__: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))

    messages = stories(place, place.job(), Path, name, full)
    assert messages
    assert {text.removeprefix("anonset: error: No space left on device: ").strip().strip("'") for text in messages} <= {
        str(place.out),
        str(place.private),
    }
