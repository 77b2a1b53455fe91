"""Minimum disk space and time of a run. A run is rejected if less than the minimum is free.

The minimum is a lower bound, so a run for which the disk is large enough is never rejected. In 13 runs with 60,000 to
822,000 records, the work directory needed 35 bytes per record of 2.2 values, at least 45 per record of 6.4, and 92 to
105 per record of 10. The amount also depends on the number of equal records, which is not known before. The publication
needed 0.49 times the text size of the input, and the private directory needed 13 bytes per record.
"""

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from anonset.errors import InputError
from anonset.reading.sources.sizes import DataSize
from anonset.release.memory import format_size
from anonset.spelling import counted, setting

_WORK_RECORD, _WORK_VALUE = 20, 3.9
_OUT_TEXT, _OUT_PARQUET = 0.25, 0.02
_PRIVATE_RECORD, _PRIVATE_PARQUET, _PRIVATE_ROWS = 12, 2, 1_000_000
_SECONDS_VALUE = 2.5e-7
"""Seconds that the fastest algorithm needs per value on two cores to read, search and write."""
_MUCH, _LONG = 1 << 30, 60
"""Disk space in bytes and time in seconds. A run prints an announcement if it needs more."""


@dataclass(frozen=True)
class DiskSpace:
    """Required and free space of a file system."""

    folder: Path
    needed: int
    """Minimum number of bytes that the run needs."""
    free: int
    """Number of free bytes."""


def space_for(size: DataSize, out: Path, private: Path, work: Path | None, *, parquet: bool) -> list[DiskSpace]:
    """Return the minimum space that a run needs on each file system that it writes to.

    Parameters
    ----------
    work
        Work directory. None if the run is in memory or continues another run.
    parquet
        Whether the publication is in Parquet format.
    """
    is_small = size.records <= _PRIVATE_ROWS
    takes = [
        (out.parent, int((_OUT_PARQUET if parquet else _OUT_TEXT) * size.text)),
        (private.parent, (_PRIVATE_RECORD if is_small else _PRIVATE_PARQUET) * size.records),
    ]
    if work is not None:
        takes.append((work, int(_WORK_RECORD * size.records + _WORK_VALUE * size.values)))
    space_of: dict[int, DiskSpace] = {}
    for path, needed in takes:
        folder = next(place for place in (path.absolute(), *path.absolute().parents) if place.is_dir())
        device, usage = folder.stat().st_dev, shutil.disk_usage(folder)
        if usage.total:  # some network file systems report no size
            before = space_of.get(device, DiskSpace(folder, 0, usage.free))
            space_of[device] = DiskSpace(before.folder, before.needed + needed, usage.free)
    return list(space_of.values())


def require_space(spaces: list[DiskSpace], *, by_blocks: bool) -> None:
    """Reject a run if a disk is too small.

    Raises
    ------
    InputError
        The message names the directory, the space required and the free space.
    """
    for space in spaces:
        if space.needed > space.free:
            figures = f"at least {format_size(space.needed)} needed, {format_size(space.free)} free"
            way = f" or {setting('work_dir')}" if by_blocks else ""
            raise InputError(
                f"not enough disk space in {os.fspath(space.folder)!r}: {figures}; free space, or use another OUT{way}"
            )


def announcement(spaces: list[DiskSpace], size: DataSize) -> str:
    """Return a line about the disk space and time that a run needs, or an empty text for a small run."""
    needs = [
        f"{format_size(space.needed)} of disk space in {os.fspath(space.folder)} ({format_size(space.free)} free)"
        for space in spaces
        if space.needed >= _MUCH
    ]
    if (seconds := _SECONDS_VALUE * size.values) >= _LONG:
        needs.append(counted(round(seconds / 60), "minute"))
    return f"the run needs at least {', and '.join(needs)}" if needs else ""
