"""A publication is complete or absent."""

import json
import signal
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from tests.facts import refused

import anonset
from anonset.data.storage.lease import new_lease, token_in
from anonset.data.storage.store import MEMORY
from anonset.errors import InputError
from anonset.release.publishing import publish
from anonset.release.publishing import staging as module
from anonset.release.publishing.staging import Directories, Staging


@pytest.fixture(autouse=True)
def interruptible() -> Iterator[None]:
    """Enable Ctrl-C, even if the test process inherited another handler."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def _stage(out: Path, private: Path) -> Staging:
    return Directories(out, private).stage(MEMORY)


def test_finished_work_is_kept(tmp_path: Path) -> None:
    with _stage(tmp_path / "out", tmp_path / "private") as staging:
        assert not (tmp_path / "out").exists()
        assert (tmp_path / "private").is_dir()
        assert staging.folder.parent.stat().st_mode & 0o777 == 0o700
        (staging.folder / "data").write_text("x")
        staging.rename()
        (staging.private / "report").write_text("y")
        staging.finish()
    assert (tmp_path / "private" / "report").stat().st_mode & 0o777 == 0o600
    assert {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*")} == {
        "out",
        "out/data",
        "private",
        "private/report",
    }


@pytest.mark.parametrize("renamed", [False, True])
@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
def test_unfinished_work_is_removed(tmp_path: Path, error: type[BaseException], renamed: bool) -> None:
    def work() -> None:
        with _stage(tmp_path / "out", tmp_path / "private") as staging:
            (staging.folder / "data").write_text("x")
            if renamed:
                staging.rename()
            raise error

    with pytest.raises(error):
        work()
    assert list(tmp_path.iterdir()) == []


def test_a_directory_that_appears_meanwhile_is_not_replaced(tmp_path: Path) -> None:
    def work() -> None:
        with _stage(tmp_path / "out", tmp_path / "private") as staging:
            (tmp_path / "out").mkdir()
            (tmp_path / "out" / "precious").write_text("x")
            staging.rename()

    with refused(InputError, f"{tmp_path / 'out'}", code="exists"):
        work()
    assert (tmp_path / "out" / "precious").read_text() == "x"
    assert not (tmp_path / "private").exists()


def take_over(folder: Path) -> None:
    """Write the lease of another run that took over a directory while this process was suspended."""
    (folder / f"anonset-lease-{token_in(folder)}.json").write_text(json.dumps(asdict(new_lease())))


@pytest.mark.parametrize("name", ["out", "private"])
def test_a_publication_without_its_lease_is_not_renamed(tmp_path: Path, name: str) -> None:
    def work() -> None:
        with _stage(tmp_path / "out", tmp_path / "private") as staging:
            take_over(staging.private if name == "private" else staging.folder.parent)
            staging.rename()

    with refused(InputError, f"'{tmp_path / name}'", code="in-use"):
        work()
    assert not (tmp_path / "out").exists()


def test_a_release_is_not_published_if_another_run_takes_over_its_work_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "v.dat").write_text("a b\nb c\n" * 2)
    table = anonset.scan(tmp_path / "v.dat", work_dir=tmp_path / "work")
    release = anonset.anonymize(table, anonset.Apriori(k=2, m=1), hierarchies={"items": "balanced:2"})
    fingerprint = publish.fingerprint
    monkeypatch.setattr(publish, "fingerprint", lambda table: take_over(tmp_path / "work") or fingerprint(table))
    with refused(InputError, f"'{tmp_path / 'work'}'", code="in-use"):
        release.save(tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_dangling_link_is_something_that_exists(tmp_path: Path) -> None:
    (tmp_path / "out").symlink_to(tmp_path / "nowhere")
    with refused(InputError, f"{tmp_path / 'out'}", code="exists"), _stage(tmp_path / "out", tmp_path / "private"):
        pass
    assert (tmp_path / "out").is_symlink()


def test_a_failure_at_the_start_leaves_no_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make = Path.mkdir

    def fail(path: Path, *arguments: Any, **options: Any) -> None:
        if path.name.endswith(".tmp"):
            raise PermissionError(13, "Permission denied", str(path))
        make(path, *arguments, **options)

    monkeypatch.setattr(Path, "mkdir", fail)
    with pytest.raises(PermissionError) as raised, _stage(tmp_path / "out", tmp_path / "private"):
        pass
    assert raised.value.filename == str(tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_a_private_directory_that_appears_meanwhile_is_not_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Directories, "require_free", lambda _: None)
    (tmp_path / "private").mkdir()
    with pytest.raises(FileExistsError), _stage(tmp_path / "out", tmp_path / "private"):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["private"]


def test_a_directory_in_the_place_of_the_publication_is_not_removed(tmp_path: Path) -> None:
    """Someone created the directory after the publication started, and the owner is unknown."""

    def work() -> None:
        with _stage(tmp_path / "out", tmp_path / "private"):
            (tmp_path / "out").mkdir()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        work()
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize("name", ["rename", "mkdir"])
def test_an_interruption_after_a_step_leaves_no_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """The interruption arrives after a step, before it can be recorded."""
    step: Callable[..., Any] = getattr(Path, name)

    def interrupted(path: Path, *arguments: Any, **options: Any) -> None:
        step(path, *arguments, **options)
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, name, interrupted)

    def work() -> None:
        with _stage(tmp_path / "out", tmp_path / "private") as staging:
            (staging.folder / "data").write_text("x")
            staging.rename()

    with pytest.raises(KeyboardInterrupt):
        work()
    assert list(tmp_path.iterdir()) == []


def test_a_signal_during_the_clean_up_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    remove = module.shutil.rmtree

    def struck(*arguments: Any, **options: Any) -> None:
        signal.raise_signal(signal.SIGINT)
        remove(*arguments, **options)
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(module.shutil, "rmtree", struck)

    def work() -> None:
        with _stage(tmp_path / "out", tmp_path / "private") as staging:
            staging.rename()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        work()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.long
def test_a_signal_at_any_line_leaves_no_files(tmp_path: Path) -> None:
    """Interrupt the work at the first line, the second line and so on, until it is complete."""
    lines = 0
    while _is_interrupted_at(lines, tmp_path):
        assert list(tmp_path.iterdir()) == [], f"line event {lines}"
        lines += 1
    assert lines > 20
    assert {path.name for path in tmp_path.iterdir()} == {"out", "private"}


STEPS = ("__enter__", "_begin", "_make_private", "_mark", "seal", "rename", "finish", "sync", "sync_entry")


def _is_interrupted_at(number: int, folder: Path) -> bool:
    """Publish with a signal at the n-th line of the module. Return False if there are fewer lines."""
    staging = _stage(folder / "out", folder / "private")
    left = number

    def trace(frame: FrameType, event: str, _: object) -> Any:
        nonlocal left
        if frame.f_code.co_filename != module.__file__ or frame.f_code.co_name not in STEPS:
            return None
        if event == "line":
            left -= 1
            if left < 0:
                sys.settrace(None)
                signal.raise_signal(signal.SIGINT)
        return trace

    before = sys.gettrace()
    try:
        sys.settrace(trace)
        with staging:
            (staging.folder / "data").write_text("x")
            staging.rename()
            staging.finish()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(before)
    return False


def test_errors_name_the_users_path(tmp_path: Path) -> None:
    def work() -> None:
        with _stage(tmp_path / "out", tmp_path / "private") as staging:
            raise InputError(f"{staging.folder / 'data'}: full")

    with pytest.raises(InputError) as raised:
        work()
    assert str(raised.value) == f"{tmp_path / 'out' / 'data'}: full"
    with pytest.raises(OSError, match="full") as failed, _stage(tmp_path / "out", tmp_path / "private") as staging:
        raise OSError(28, "full", str(staging.folder / "data"))
    assert failed.value.filename == str(tmp_path / "out" / "data")


def test_long_file_names_allow_a_temporary_name(tmp_path: Path) -> None:
    out = tmp_path / ("x" * 250)
    with _stage(out, tmp_path / "private") as staging:
        staging.rename()
        staging.finish()
    assert out.is_dir()
