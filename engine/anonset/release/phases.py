"""Seconds and peak memory of each phase of a run."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Phase:
    """One finished phase of a run."""

    name: str
    """What was done: ``read``, ``search``, ``write``, and the like."""
    seconds: float
    """Wall-clock seconds."""
    peak_memory: int | None
    """Largest resident memory of the process up to the end of the phase, in bytes; None where it is unknown."""


@dataclass
class Stopwatch:
    """Records the phases of a run, in order.

    >>> watch = Stopwatch()
    >>> with watch.phase("search"):
    ...     pass
    >>> [phase.name for phase in watch.phases]
    ['search']
    """

    phases: list[Phase] = field(default_factory=list)
    """The finished phases."""

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Time the body of a ``with`` statement as one phase."""
        start = time.perf_counter()
        yield
        self.phases.append(Phase(name, time.perf_counter() - start, peak_memory()))


def peak_memory() -> int | None:
    """Return the largest resident memory of this process so far, in bytes, or None where the system does not say."""
    try:
        import resource
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
