"""Limits of a search: steps of the solver, the same on every machine, and seconds, where they were asked for."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from anonset.algorithms.base import Progress
from anonset.data import spans
from anonset.data.redacted_repr import Discreet
from anonset.errors import InputError
from anonset.spelling import setting

STEPS_OF_A_RELAXATION = 10
SETS_OF_A_STEP, SETS_OF_A_RECORD = 2e7, 2
"""Sets that are counted in a step, at least, and for each record: a step is a share of the work that the data make."""
TABLES_FASTER = 10
"""Sets that are counted in tables while one is counted by a walk."""
OUT_OF_STEPS = "all of its steps are taken"
OUT_OF_TIME = "its time is up"
_PATIENCE = 0.05
"""Share of the time limit after which a solver that does not stop is left to itself."""
_TICK = 0.05


class LimitReached(Exception):  # noqa: N818
    """A search must end with what it has; the message says why."""


def require_room(limits: spans.Limits, n_bytes: int) -> None:
    """Refuse to hold so much at once where the limit on the memory has no room for it.

    Raises
    ------
    InputError
        With what it would take.
    """
    if not limits.has_room(n_bytes):
        what = (
            f"exact would hold {n_bytes / 2**30:.1f} GiB of records at once, more than {setting('memory_limit')} leaves"
        )
        msg = f"{what}; raise it, take a smaller m, or apriori, which holds none"
        raise InputError(msg)


@dataclass(eq=False)
class SearchBudget(Discreet):
    """What is left of a search's limits."""

    seconds: float | None
    """Seconds from now; None for no limit."""
    steps: float
    """Steps: ten a relaxation, one (at most) a round of cuts or a node of branch and bound, one 2 * 10^7 sets."""
    records: int = 0
    """Number of records: of more than 10^7 a step is two sets each."""
    _began: float = field(init=False, default_factory=time.monotonic)

    @property
    def left(self) -> float:
        """Seconds that are left."""
        return float("inf") if self.seconds is None else self.seconds - (time.monotonic() - self._began)

    def share(self, part: float) -> "SearchBudget":
        """Return limits of a part of what is left."""
        return replace(
            self, seconds=None if self.seconds is None else max(0.0, part * self.left), steps=part * self.steps
        )

    def step(self) -> None:
        """Count a relaxation.

        Raises
        ------
        LimitReached
            If there is none left, or no time.
        """
        self.steps -= STEPS_OF_A_RELAXATION
        self.check()

    def count(self, sets: float) -> None:
        """Count sets of nodes in records that are about to be counted.

        Raises
        ------
        LimitReached
            If no step or no time is left.
        """
        self.steps -= sets / self._sets_of_a_step
        self.check()

    @property
    def sets_in_tables(self) -> float:
        """Sets of nodes in records that the steps that are left allow to count in tables."""
        return self.steps * self._sets_of_a_step * TABLES_FASTER

    @property
    def _sets_of_a_step(self) -> float:
        return max(SETS_OF_A_STEP, SETS_OF_A_RECORD * self.records)

    def count_in_tables(self, sets: float) -> None:
        """Count sets of nodes in records that are counted in tables, as `count` does."""
        self.count(sets / TABLES_FASTER)

    def check(self) -> None:
        """Raise LimitReached if no step or no time is left."""
        if self.steps < 0:
            raise LimitReached(OUT_OF_STEPS)
        if self.left <= 0:
            raise LimitReached(OUT_OF_TIME)

    def heeded(self, progress: Progress | None) -> Progress:
        """Return what reports progress and, each time, raises LimitReached if time is up."""

        def report(phase: str, done: float, total: float) -> None:
            self.check()
            if progress is not None:
                progress(phase, done, total)

        return report

    def run(self, work: Callable[[], object], stop: Callable[[], None]) -> None:
        """Run what may take long and answers to `stop`, so that signals and the time limit are heard.

        Raises
        ------
        LimitReached
            If it goes on after the time limit although it was told to stop; it is left to itself then.
        """
        failed: list[BaseException] = []

        def guarded() -> None:
            try:
                work()
            except BaseException as error:  # handed on to the caller below
                failed.append(error)

        thread = threading.Thread(target=guarded, daemon=True)
        thread.start()
        deadline, told = time.monotonic() + self.left, False
        patience = 0.0 if self.seconds is None else _PATIENCE * self.seconds
        try:
            while thread.is_alive():
                thread.join(_TICK)
                if not told and time.monotonic() >= deadline:
                    stop()
                    told = True
                if told and time.monotonic() >= deadline + patience:
                    break
        except BaseException:
            stop()
            thread.join(1.0)
            raise
        if thread.is_alive():
            raise LimitReached(OUT_OF_TIME)
        if failed:
            raise failed[0]
