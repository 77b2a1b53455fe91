"""How much memory a run takes: what it may take, what its input needs, and a refusal of what would not fit."""

import re
from pathlib import Path

from anonset.data.spans import memory_left
from anonset.errors import InputError
from anonset.reading.sizes import Size

_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_SIZE = re.compile(r"(\d{1,18}(?:\.\d{1,18})?)\s*([KMGT]?)(?:I?B)?", re.IGNORECASE)
_SHARE = 0.8  # of the available memory; the rest is for other processes and for what the estimate misses
AT_LEAST = 600 << 20
"""Memory, in bytes, that a run by blocks takes, whatever the input."""
COMPILING_TAKES = 450 << 20
"""Memory, in bytes, that compiling kernels takes beside the data (at most 430 MiB were measured)."""
_WHATEVER, _PER_RECORD, _PER_VALUE, _PER_TEXT = 280 << 20, 45, 45, 2.6
_MEMINFO = Path("/proc/meminfo")


def parse_size(text: str) -> int:
    """Read a size such as ``8G``, ``500 MB`` or ``1048576`` (bytes; K, M, G, T are powers of 1024).

    >>> parse_size("1.5G")
    1610612736

    Raises
    ------
    InputError
        If the text is no size.
    """
    if (size := _SIZE.fullmatch(text.strip())) is None:
        msg = f"the memory limit must be a size such as 8G or 500M, got {text!r}"
        raise InputError(msg)
    return int(float(size[1]) * _UNITS[size[2].upper()])


def format_size(size: int) -> str:
    """Write a number of bytes for people.

    >>> format_size(1610612736)
    '1.5 GiB'
    """
    value = float(size)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if value < 1024:
            return f"{value:.0f} B" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1024
    return f"{value:.1f} TiB"


def default_limit() -> int | None:
    """Return 80% of the memory that is available now, in bytes, or None where the system does not say.

    No more is available than the control groups of the process leave.
    """
    sizes = [size for size in (_available(), memory_left()) if size is not None]
    return int(min(sizes) * _SHARE) if sizes else None


def _available() -> int | None:
    """Return the bytes that the machine has left."""
    try:
        lines = _MEMINFO.read_text().splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:")), None)


def memory_for(size: Size) -> int:
    """Estimate the memory of a whole run, in bytes, from what its input holds.

    What Python and the compiled kernels take; for each record and each value the encoded table, the records expanded by
    the ancestors of their items, and what is published; and the text. Fitted on 13 runs of 10^5 to 10^7 baskets of 2 to
    31 items, with labels of 3 and 21 characters, and of 10^6 rows of 8 columns, from CSV and Parquet: they take 0.55 of
    it (least: FIMI) to 1.07 times as much (m=3).
    """
    return int(_WHATEVER + _PER_RECORD * size.records + _PER_VALUE * size.values + _PER_TEXT * size.text)


def memory_limit(given: str | None) -> int | None:
    """Return how many bytes may be taken: as given, else by default; None where the system does not say.

    Raises
    ------
    InputError
        If the text is no size.
    """
    return default_limit() if given is None else parse_size(given)


def require_memory(estimate: int, limit: str | None, obstacle: str = "") -> None:
    """Refuse work whose estimated memory is above a limit (by default 80% of what is available).

    Parameters
    ----------
    obstacle
        Why it cannot do with less.

    Raises
    ------
    InputError
        With both figures.
    """
    allowed = memory_limit(limit)
    if allowed is not None and estimate > allowed:
        over = f"the run would need about {format_size(estimate)} of memory, above the limit of {format_size(allowed)}"
        why = f", and {obstacle}" if obstacle else ""
        msg = f"{over}{why}; use a machine with more memory, fewer records, or raise it with --memory-limit"
        raise InputError(msg)
