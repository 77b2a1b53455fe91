"""Limits of a search: a number of steps, which is the same on every machine, and an optional time limit in seconds."""

import threading
import time
from collections.abc import Callable
from contextvars import copy_context
from dataclasses import dataclass, field, replace

from anonset.data import spans
from anonset.data.progress import Progress, report_progress
from anonset.data.redacted_repr import RedactedRepr
from anonset.errors import InputError
from anonset.spelling import setting

STEPS_OF_A_RELAXATION = 10
SETS_OF_A_STEP, SETS_OF_A_RECORD = 2e7, 2
"""Number of sets that are counted in a step, in total and per record. The larger of the two limits applies, so steps
scale with the data.
"""
TABLES_FASTER = 10
"""Counting sets in arrays of counters is this many times faster than traversing the count-tree."""
OUT_OF_STEPS = "its step limit is reached"
OUT_OF_TIME = "its time limit is reached"
_PATIENCE = 0.05
"""Share of the time limit after which a solver that does not stop is abandoned."""
_TICK = 0.05


class LimitReached(Exception):  # noqa: N818
    """Raised when a search must stop and return the best known result. The message contains the reason."""


def require_room(limits: spans.Limits, n_bytes: int) -> None:
    """Raise an error if an allocation exceeds the memory limit.

    Raises
    ------
    InputError
        The message contains the required memory.
    """
    if not limits.has_room(n_bytes):
        raise InputError(
            f"exact needs {n_bytes / 2**30:.1f} GiB for records, above {setting('memory_limit')}: raise the limit, or "
            "use a smaller m, or apriori, which stores no records"
        )


@dataclass(eq=False)
class SearchBudget(RedactedRepr):
    """Remaining limits of a search."""

    seconds: float | None
    """Seconds from the creation of this object to the time limit. None if there is no time limit."""
    steps: float
    """Remaining steps. A linear program takes ten steps, a round of cuts or a branch-and-bound node at most one, and
    counting 2 * 10^7 sets one step.
    """
    records: int = 0
    """Number of records. If it exceeds 10^7, a step counts two sets per record."""
    _began: float = field(init=False, default_factory=time.monotonic)

    @property
    def left(self) -> float:
        """Remaining seconds."""
        return float("inf") if self.seconds is None else self.seconds - (time.monotonic() - self._began)

    def share(self, part: float) -> "SearchBudget":
        """Return a budget with a share of the remaining steps and time."""
        return replace(
            self, seconds=None if self.seconds is None else max(0.0, part * self.left), steps=part * self.steps
        )

    def step(self) -> None:
        """Subtract the steps of a linear program.

        Raises
        ------
        LimitReached
            If no step or no time remains.
        """
        self.steps -= STEPS_OF_A_RELAXATION
        self.check()

    def count(self, sets: float) -> None:
        """Subtract the steps for counting `sets` sets of nodes, before they are counted.

        Raises
        ------
        LimitReached
            If no step or no time remains.
        """
        self.steps -= sets / self._sets_of_a_step
        self.check()

    @property
    def sets_in_tables(self) -> float:
        """Number of sets of nodes that can be counted in tables with the remaining steps."""
        return self.steps * self._sets_of_a_step * TABLES_FASTER

    @property
    def _sets_of_a_step(self) -> float:
        return max(SETS_OF_A_STEP, SETS_OF_A_RECORD * self.records)

    def count_in_tables(self, sets: float) -> None:
        """Subtract the steps for counting sets in tables, as `count` does."""
        self.count(sets / TABLES_FASTER)

    def check(self) -> None:
        """Raise LimitReached if no step or no time remains."""
        if self.steps < 0:
            raise LimitReached(OUT_OF_STEPS)
        if self.left <= 0:
            raise LimitReached(OUT_OF_TIME)

    def stop_after_limit(self, progress: Progress | None) -> Progress:
        """Return a progress function that also raises LimitReached if no step or no time remains."""

        def report(phase: str, done: float, total: float) -> None:
            self.check()
            report_progress(progress, phase, done, total)

        return report

    def run(self, work: Callable[[], object], stop: Callable[[], None]) -> None:
        """Run `work` in a thread, so that signals and the time limit can interrupt it by `stop`.

        Raises
        ------
        LimitReached
            If `work` continues after the time limit and the call of `stop`. The thread is then abandoned.
        """
        failed: list[BaseException] = []

        def guarded() -> None:
            try:
                work()
            except BaseException as error:  # the caller raises the exception again
                failed.append(error)

        thread = threading.Thread(target=copy_context().run, args=(guarded,), daemon=True)
        thread.start()
        deadline, is_stopping = time.monotonic() + self.left, False
        patience = 0.0 if self.seconds is None else _PATIENCE * self.seconds
        try:
            while thread.is_alive():
                thread.join(_TICK)
                if not is_stopping and time.monotonic() >= deadline:
                    stop()
                    is_stopping = True
                if is_stopping and time.monotonic() >= deadline + patience:
                    break
        except BaseException:
            stop()
            thread.join(1.0)
            raise
        if thread.is_alive():
            raise LimitReached(OUT_OF_TIME)
        if failed:
            raise failed[0]
