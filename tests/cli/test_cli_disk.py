"""A disk that is too small is rejected before any work, and large runs announce their disk space and time."""

from collections import namedtuple
from pathlib import Path
from typing import Any

import pytest
from tests.facts import names

from anonset.jobs.runs import file_run
from anonset.reading.sources.sizes import DataSize
from anonset.release import disk
from anonset.settings.settings import settings_model
from cli.place import Place

Usage = namedtuple("Usage", "total used free")


@pytest.fixture
def free(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """Free bytes on each disk. Unlimited unless the test sets a number."""
    result: dict[str, int] = {}
    monkeypatch.setattr(disk.shutil, "disk_usage", lambda path: Usage(1 << 50, 0, result.get(Path(path).name, 1 << 50)))
    return result


@pytest.mark.parametrize("more", [(), ("--private", "home/private"), ("--work-dir", "scratch/work")])
def test_a_disk_that_is_too_small_is_refused_before_any_work(
    place: Place, free: dict[str, int], more: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(place.folder)
    monkeypatch.setattr("anonset.jobs.runs.file_run._gathered", lambda *_: pytest.fail("the data are read"))
    stat = Path.stat

    def of_disk(path: Path, **how: Any) -> Any:  # each folder is a separate disk
        result = stat(path, **how)
        return namedtuple("Status", "st_dev st_mode st_size st_mtime_ns st_ino")(
            hash(path.name), result.st_mode, result.st_size, result.st_mtime_ns, result.st_ino
        )

    for name in ("home", "scratch"):
        (place.folder / name).mkdir()
    monkeypatch.setattr(Path, "stat", of_disk)
    small = more[1].partition("/")[0] if more else place.folder.name
    free[small] = 3
    ran = place.run(*place.job(*more))
    assert (ran.code, ran.err.count("\n"), names(ran.err, "disk space")) == (2, 1, True), ran.err
    assert small in ran.err
    assert ("--work-dir" in ran.err) == ("--work-dir" in more)
    assert not place.out.exists()
    free[small] = 1 << 20
    monkeypatch.setattr("anonset.jobs.runs.file_run._gathered", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    assert place.run(*place.job(*more)).code == 130


def test_directories_on_the_same_disk_share_its_space(tmp_path: Path, free: dict[str, int]) -> None:
    size = DataSize(records=1000, values=5000, text=20_000)
    out, private, work = tmp_path / "out", tmp_path / "private", tmp_path / "deep" / "work"
    (together,) = disk.space_for(size, out, private, work, parquet=False)
    (alone,) = disk.space_for(size, out, private, None, parquet=False)
    assert together.needed - alone.needed == 20 * 1000 + 3.9 * 5000
    assert alone.needed == 12 * 1000 + 5000


def test_the_space_and_the_time_of_a_large_run_are_announced(tmp_path: Path, free: dict[str, int]) -> None:
    size = DataSize(records=10**9, values=65 * 10**8, text=3 * 10**10)
    spaces = disk.space_for(size, tmp_path / "out", tmp_path / "private", tmp_path / "work", parquet=True)
    announcement = disk.announcement(spaces, size)
    assert names(announcement, "GiB disk")
    assert "27 minutes" in announcement
    assert disk.announcement([], DataSize(10, 240 * 10**6, 10)).endswith("1 minute")
    assert disk.announcement(spaces[:0], DataSize(1000, 6500, 30_000)) == ""


@pytest.mark.parametrize(
    ("roles", "values"),
    [({"items": ["a"]}, 50), ({"one_hot": ["a", "b", "c"]}, 75), ({"one_code": ["a"]}, 50), ({"one_hot": ["a*"]}, 100)],
)
def test_dropped_columns_need_no_space_and_columns_of_any_set_do(roles: dict[str, Any], values: int) -> None:
    settings = settings_model()(**roles, input="v.csv", out="out", drop=["z"], model="km", k=2, m=2)
    assert file_run._published(DataSize(records=10, values=100, text=200), settings).values == values
