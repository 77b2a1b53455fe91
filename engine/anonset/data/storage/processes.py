"""Identify processes by start time, boot of the machine, and namespace of the process number."""

from pathlib import Path


def start_of(process: int) -> int:
    """Return the start of a process in ticks since boot. Return -1 if the process does not exist or has ended."""
    # fields after the process name, which may contain any characters
    fields = _content(f"/proc/{process}/stat").rpartition(")")[2].split()
    return -1 if not fields or fields[0] in "ZX" else int(fields[19])


def namespace() -> str:
    """Return the namespace of this process's number. Return an empty text if the system does not provide it."""
    try:
        return str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        return ""


def boot() -> str:
    """Return the id of the current boot. Return an empty text if the system does not provide it."""
    return _content("/proc/sys/kernel/random/boot_id").strip()


def _content(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
