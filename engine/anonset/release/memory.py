"""Memory limit and estimated memory of a run. A run is rejected if the estimate exceeds the limit."""

import re
from pathlib import Path

from anonset.data.spans import memory_left
from anonset.errors import InputError
from anonset.reading.sources.sizes import DataSize
from anonset.spelling import setting

_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_SIZE = re.compile(r"(\d{1,18}(?:\.\d{1,18})?)\s*([KMGT]?)(?:I?B)?", re.IGNORECASE)
_SHARE = 0.8  # share of the available memory. The rest covers other processes and estimation errors.
AT_LEAST = 600 << 20
"""Minimum memory of an out-of-core run, in bytes, for any input."""
COMPILING_TAKES = 450 << 20
"""Memory that compiling kernels needs in addition to the data, in bytes (measured: up to 430 MiB)."""
_WHATEVER, _PER_RECORD, _PER_VALUE, _PER_TEXT = 280 << 20, 45, 45, 2.6
_MEMINFO = Path("/proc/meminfo")


def parse_size(text: str) -> int:
    """Parse a size in bytes, such as ``8G``, ``500 MB`` or ``1048576``. K, M, G and T are powers of 1024.

    >>> parse_size("1.5G")
    1610612736

    Raises
    ------
    InputError
        If the text is no size.
    """
    if (size := _SIZE.fullmatch(text.strip())) is None:
        raise InputError(f"the memory limit must be a size such as 8G or 500M, got {text!r}")
    return int(float(size[1]) * _UNITS[size[2].upper()])


def format_size(size: int) -> str:
    """Format a number of bytes for readers.

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
    """Return 80% of the available memory, in bytes, or None if the system does not report it.

    Control groups of the process may limit the available memory.
    """
    sizes = [size for size in (_available(), memory_left()) if size is not None]
    return int(min(sizes) * _SHARE) if sizes else None


def _available() -> int | None:
    """Return the available memory of the machine, in bytes."""
    try:
        lines = _MEMINFO.read_text().splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:")), None)


def memory_for(size: DataSize) -> int:
    """Estimate the memory of a whole run, in bytes, from the input size.

    The estimate is the sum of a constant for Python and the compiled kernels, a share of the text size, and a share per
    record and per value. The last share covers the encoded table, the records expanded by the ancestors of their items,
    and the publication. The estimate was fitted on 13 runs with 10^5 to 10^7 baskets of 2 to 31 items, labels of 3 and
    21 characters, and 10^6 rows of 8 columns, from CSV and Parquet. Actual memory was between 0.55 (FIMI) and 1.07
    (m=3) times the estimate.
    """
    return int(_WHATEVER + _PER_RECORD * size.records + _PER_VALUE * size.values + _PER_TEXT * size.text)


def memory_limit(text: str | None) -> int | None:
    """Return the memory limit in bytes. If `text` is None, return the default limit, or None if the system does not
    report its memory.

    Raises
    ------
    InputError
        If the text is no size.
    """
    return default_limit() if text is None else parse_size(text)


def require_memory(estimate: int, limit: str | None, obstacle: str = "") -> None:
    """Reject a run if its estimated memory exceeds a limit. The default limit is 80% of the available memory.

    Parameters
    ----------
    obstacle
        Reason why the run cannot use less memory, for the message.

    Raises
    ------
    InputError
        The message contains the estimate and the limit.
    """
    allowed = memory_limit(limit)
    if allowed is not None and estimate > allowed:
        over = f"the run would need about {format_size(estimate)} of memory, above the limit of {format_size(allowed)}"
        reason = f", and {obstacle}" if obstacle else ""
        msg = f"{over}{reason}; use fewer records or a machine with more memory, or raise {setting('memory_limit')}"
        raise InputError(msg)
