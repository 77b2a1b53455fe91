"""Identity of processes: their start, the boot of the machine, and the namespace of the process numbers."""

from pathlib import Path


def start_of(process: int) -> int:
    """Return the start of a process in ticks since boot; -1 if it does not exist or is dead."""
    # the fields after the name, which may contain any characters
    fields = _content(f"/proc/{process}/stat").rpartition(")")[2].split()
    return -1 if not fields or fields[0] in "ZX" else int(fields[19])


def namespace() -> str:
    """Return the namespace in which this process has its number; empty if the system does not state it."""
    try:
        return str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        return ""


def boot() -> str:
    """Return the id of the current boot; empty if the system does not state it."""
    return _content("/proc/sys/kernel/random/boot_id").strip()


def _content(path: str) -> str:
    """Return the content of a system file; empty if it does not exist."""
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
