"""What an algorithm is: frozen parameters with one method."""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from itertools import islice
from typing import Any, ClassVar, Protocol, TypeVar, runtime_checkable

from anonset.data import Hierarchy, Table
from anonset.data.discreet import Discreet
from anonset.errors import InputError
from anonset.generalization import Recoding
from anonset.privacy import PrivacyModel

_TASKS_AHEAD = 4
"""Tasks that are begun for each worker."""
_Task = TypeVar("_Task")
_Done = TypeVar("_Done")

Progress = Callable[[str, float, float], None]
"""Called with (phase, amount done, total amount) as work goes on."""


@dataclass(frozen=True, eq=False)
class Result(Discreet):
    """What an algorithm decided, and how it came to it."""

    recoding: Recoding
    trace: tuple[Any, ...] = ()
    """The decisions in order; what an entry is, the algorithm says."""
    figures: Mapping[str, float] = field(default_factory=dict)
    """Counts of the search: itemsets counted, cuts examined, and the like."""
    notes: tuple[str, ...] = ()
    """What whoever publishes must be told: what was done unasked, and limits that were reached."""


@runtime_checkable
class Algorithm(Protocol):
    """A published algorithm: a frozen keyword-only dataclass of its parameters.

    One that publishes sets of items, named ``(a,b,c)``, declares it by ``forms_sets = True``: then labels of which no
    such name can be made are refused before any work, and not after it.
    """

    name: ClassVar[str]
    """Name on the command line."""

    @property
    def model(self) -> PrivacyModel:
        """The privacy model whose guarantee the algorithm gives."""
        ...

    def recode(
        self,
        table: Table,
        hierarchies: Mapping[str, Hierarchy],
        *,
        executor: Executor | None = None,
        progress: Progress | None = None,
    ) -> Result:
        """Find a recoding of the table, which nobody has verified yet: only `anonset.anonymize` anonymizes.

        Columns must be bound to their hierarchies.

        Raises
        ------
        InfeasibleError
            If no recoding within the algorithm's operators gives the guarantee.
        """
        ...


class Algorithms(Mapping[str, type[Algorithm]]):
    """Algorithms by name; our own are imported when they are asked for, since a run needs one or two of them."""

    def __init__(self, own: Mapping[str, str], offered: Mapping[str, type[Algorithm]]) -> None:
        self._own, self._offered = own, offered

    def __getitem__(self, name: str) -> type[Algorithm]:
        if name not in self._own:
            return self._offered[name]
        module, _, found = self._own[name].partition(":")
        made: type[Algorithm] = getattr(import_module(f"anonset.algorithms.{module}"), found)
        return made

    def __contains__(self, name: object) -> bool:
        return name in self._own or name in self._offered

    def __iter__(self) -> Iterator[str]:
        yield from self._own
        yield from self._offered

    def __len__(self) -> int:
        return len(self._own) + len(self._offered)


@runtime_checkable
class DeclaresSets(Protocol):
    """An algorithm that says whether it publishes sets of items, named by their members."""

    @property
    def forms_sets(self) -> bool:
        """Whether it does."""
        ...


def forms_sets(algorithm: object) -> bool:
    """Tell whether an algorithm declares that it publishes sets of items, named by their members."""
    return isinstance(algorithm, DeclaresSets) and algorithm.forms_sets


@runtime_checkable
class DeclaresBlocks(Protocol):
    """An algorithm that says whether it goes through records block by block, and holds nothing as long as the table."""

    @property
    def by_blocks(self) -> bool:
        """Whether it does."""
        ...


def goes_by_blocks(algorithm: object) -> bool:
    """Tell whether an algorithm declares that it goes through records block by block."""
    return isinstance(algorithm, DeclaresBlocks) and algorithm.by_blocks


LARGEST_MEMORY_FACTOR = 2.9
"""That of an algorithm which declares none: the largest of our own."""


@runtime_checkable
class DeclaresMemory(Protocol):
    """An algorithm that says how much memory it takes.

    Our own say what was taken at 1,000,000 baskets or tuples, and 100,000 or 300,000 relational or RT records, less
    what Python takes, rounded up (docs/scale.md); `apriori` by its run of 10,000,000, `optimal` by what it had taken of
    300,000 when it was ended; `cluster`, `k-member` and those of Xu as `rum-bound`: they were not measured apart from
    compiling.
    """

    @property
    def memory_factor(self) -> float:
        """How many times the memory that `apriori` takes of the data (above 0) a run takes, kernels compiled before."""
        ...


def memory_factor(algorithm: object) -> float:
    """Return how many times what `apriori` takes of the data an algorithm takes: as it declares, else the largest."""
    declared = algorithm.memory_factor if isinstance(algorithm, DeclaresMemory) else LARGEST_MEMORY_FACTOR
    return float(declared) if isinstance(declared, int | float) and declared > 0 else LARGEST_MEMORY_FACTOR


def goes_to_workers(algorithm: object) -> bool:
    """Tell whether an algorithm's tasks can run in other processes: it declares it (``on_workers``), or is split."""
    by_blocks = goes_by_blocks(algorithm) and bool(getattr(algorithm, "on_workers", False))
    return by_blocks or split_records(algorithm) is not None


def split_records(algorithm: object) -> int | None:
    """Return the most records of a part where an algorithm declares that it can be run part by part; None: it cannot.

    One that is split must publish clusters of records (`PerCluster`) that are safe whatever other records there are.
    """
    found = getattr(algorithm, "split_records", None)
    return found if isinstance(found, int) else None


@contextmanager
def executor_of(workers: int | None) -> Iterator[Executor | None]:
    """Give an executor of `workers` threads (by default one a core); None for one worker.

    Raises
    ------
    InputError
        If the number is below 1.
    """
    count = (os.cpu_count() or 1) if workers is None else workers
    if count < 1:
        msg = f"workers must be at least 1, got {count}"
        raise InputError(msg)
    if count == 1:
        yield None
        return
    pool = ThreadPoolExecutor(count, thread_name_prefix="anonset")
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


def run_tasks(executor: Executor | None, work: Callable[[_Task], _Done], tasks: Iterable[_Task]) -> Iterator[_Done]:
    """Run `work` over independent tasks, in this thread or by an executor; results in the order of the tasks.

    No more than some for each worker are begun ahead of the result that is asked for: what they return waits in memory.
    """
    return map(work, tasks) if executor is None else _ahead(executor, work, iter(tasks))


def _ahead(executor: Executor, work: Callable[[_Task], _Done], tasks: Iterator[_Task]) -> Iterator[_Done]:
    """Yield the results of tasks that an executor runs, some of them ahead."""
    ahead = _TASKS_AHEAD * int(getattr(executor, "_max_workers", _TASKS_AHEAD))
    begun = deque(executor.submit(work, task) for task in islice(tasks, ahead))
    try:
        while begun:
            done = begun.popleft().result()
            begun.extend(executor.submit(work, task) for task in islice(tasks, 1))
            yield done
    finally:
        for future in begun:
            future.cancel()
