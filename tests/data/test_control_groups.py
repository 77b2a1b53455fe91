"""Memory available to a process under control groups, of both versions and over all levels."""

import os

import pytest

from anonset.data import spans
from anonset.data.storage.workers import Threads


@pytest.fixture
def groups(tmp_path, monkeypatch):
    """Return a function that writes control group files, by name, and the lines of /proc/self/cgroup."""
    monkeypatch.setattr(spans, "_OWN", tmp_path / "own")
    monkeypatch.setattr(spans, "_GROUPS", tmp_path / "groups")
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(16)), raising=False)
    monkeypatch.setattr(os, "process_cpu_count", lambda: 16, raising=False)

    def write(own, files):
        (tmp_path / "own").write_text(own)
        for name, text in files.items():
            (tmp_path / "groups" / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / "groups" / name).write_text(text)

    return write


@pytest.mark.parametrize(
    ("own", "files", "expected"),
    [
        ("0::/a/b\n", {"a/b/cpu.max": "250000 100000\n"}, 3),
        ("0::/a/b\n", {"a/b/cpu.max": "max 100000\n", "a/cpu.max": "100000 100000\n"}, 1),
        ("0::/a/b\n", {"a/b/cpu.max": "20000 100000\n"}, 1),
        ("0::/not/here\n", {"cpu.max": "200000 100000\n"}, 2),
        ("0::/\n", {"cpu.max": "max 100000\n"}, 16),
        ("4:cpu,cpuacct:/a\n0::/\n", {"cpu/a/cpu.cfs_quota_us": "400000\n", "cpu/a/cpu.cfs_period_us": "100000\n"}, 4),
        ("4:cpu:/a\n", {"cpu/a/cpu.cfs_quota_us": "-1\n", "cpu/a/cpu.cfs_period_us": "100000\n"}, 16),
        ("0::/a\n", {"b/cpu.max": "100000 100000\n"}, 16),
        ("", {}, 16),
    ],
)
def test_the_share_of_processors_is_kept(groups, own, files, expected):
    groups(own, files)
    assert spans.cores() == expected


def memory(folder, most, used, cache, first=False):
    names = ("limit_in_bytes", "usage_in_bytes", "total_cache") if first else ("max", "current", "file")
    stat = f"anon 1\n{names[2]} {cache}\n"
    return {f"{folder}memory.{names[0]}": most, f"{folder}memory.{names[1]}": used, f"{folder}memory.stat": stat}


@pytest.mark.parametrize(
    ("own", "files", "expected"),
    [
        ("0::/a/b\n", memory("a/b/", "600\n", "300\n", 200), 500),
        ("0::/a/b\n", {**memory("a/b/", "max\n", "300\n", 200), **memory("a/", "400\n", "350\n", 10)}, 60),
        ("0::/a\n", memory("a/", "100\n", "300\n", 0), 0),
        ("0::/a\n", memory("a/", "max\n", "300\n", 0), None),
        ("4:memory:/a\n0::/\n", memory("memory/a/", "600\n", "300\n", 200, first=True), 500),
        ("4:memory:/a\n", memory("memory/a/", f"{(1 << 63) - 4096}\n", "300\n", 200, first=True), None),
        ("0::/a\n", memory("b/", "600\n", "300\n", 200), None),
    ],
)
def test_the_memory_that_the_groups_leave(groups, own, files, expected):
    groups(own, files)
    assert spans.memory_left() == expected


def test_threads_are_one_per_core_by_default(groups):
    groups("0::/\n", {"cpu.max": "300000 100000\n"})
    assert (Threads().count, Threads(1).count, Threads(5).count) == (3, 1, 5)
