"""Peak memory of this process."""

import resource
import sys
from pathlib import Path

_STATUS, _RESET = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def forget_peak() -> None:
    """Let the peak start again from what is held now, where the system can do that (Linux)."""
    try:
        _RESET.write_text("5")
    except OSError:
        return


def peak_mib() -> float:
    """Return the largest resident memory of this process so far, in MiB.

    Linux's own high-water mark is preferred: `getrusage` hands a process the peak of the one that started it.
    """
    if _STATUS.exists():
        for line in _STATUS.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 2**20 if sys.platform == "darwin" else peak / 1024
