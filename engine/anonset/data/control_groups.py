"""Processors and memory that the control groups of this process leave it (/proc/self/cgroup, versions 1 and 2).

A limit of a group above the process's own counts too. In a container the files of the own group may lie at the root.
"""

import math
import os
from collections.abc import Iterator
from pathlib import Path

_OWN, _GROUPS = Path("/proc/self/cgroup"), Path("/sys/fs/cgroup")
_CACHE = ("file", "total_cache")  # in memory.stat: the page cache, by version
_UNLIMITED = 1 << 62  # what the first version says of no limit is about twice as much


def cores() -> int:
    """Return how many threads can compute at once: within the CPU affinity and the share of the control groups."""
    if hasattr(os, "process_cpu_count"):
        count = os.process_cpu_count() or 1
    else:
        count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min([count, *(math.ceil(share) for share in _shares())]))


def memory_left() -> int | None:
    """Return the bytes that the limits of the groups leave, their page cache being free; None without a limit."""
    left = []
    for folder in _folders("memory"):
        for limit, usage in (("memory.max", "memory.current"), ("memory.limit_in_bytes", "memory.usage_in_bytes")):
            try:
                most, used = int((folder / limit).read_text()), int((folder / usage).read_text())
                stat = dict(line.split() for line in (folder / "memory.stat").read_text().splitlines())
            except (OSError, ValueError):  # no such file, or "max"
                continue
            if most < _UNLIMITED:
                left.append(max(0, most - used + next((int(stat[name]) for name in _CACHE if name in stat), 0)))
    return min(left, default=None)


def _shares() -> Iterator[float]:
    """Yield how many processors each group may take."""
    for folder in _folders("cpu"):
        try:
            if (folder / "cpu.max").exists():
                quota, period = map(int, (folder / "cpu.max").read_text().split())
            else:
                quota, period = (int((folder / f"cpu.cfs_{name}_us").read_text()) for name in ("quota", "period"))
        except (OSError, ValueError):  # no such file, or "max"
            continue
        if quota > 0:
            yield quota / period


def _folders(controller: str) -> Iterator[Path]:
    """Yield the directories of the process's group under a controller, and of the groups above it."""
    try:
        lines = [line.split(":", 2) for line in _OWN.read_text().splitlines()]
    except OSError:
        return
    for _, controllers, path in lines:
        if controllers and controller not in controllers.split(","):
            continue
        root = _GROUPS / controller if controllers else _GROUPS
        folder = root / path.lstrip("/")
        yield folder
        if folder != root:
            yield from (above for above in folder.parents if above.is_relative_to(root))
