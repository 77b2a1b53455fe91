"""Search and apply: from a table to an unverified publication, and from there to a verified release."""

import os
import warnings as python_warnings
from collections.abc import Iterator, Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from anonset.algorithms.base import Algorithm, Progress
from anonset.data import Hierarchy, Table
from anonset.data.exact import require_between_0_and_1
from anonset.errors import InfeasibleError, InputError, WorthlessError
from anonset.measures.retention import retention
from anonset.release.checking import checked
from anonset.release.formats import kind_of
from anonset.release.formulas import formula_warnings
from anonset.release.layout import Layout, Order, Symbols
from anonset.release.losses import measures_of
from anonset.release.phases import Stopwatch, compiling_told
from anonset.release.release import Release
from anonset.release.unverified import Unverified
from anonset.release.worth import mute_sides, refusal, worthless
from anonset.settings.binding import HierarchySpec, bind
from anonset.settings.models import require_roles


def anonymize(
    table: Table,
    algorithm: Algorithm,
    *,
    hierarchies: Mapping[str, HierarchySpec] | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
    order: Order = "sorted",
    symbols: Symbols = "auto",
    max_loss: float | None = None,
    allow_worthless: bool = False,
    accept_undecided: bool = False,
    budget: int | None = None,
) -> Release:
    """Anonymize a table and verify the result.

    Parameters
    ----------
    table
        What `anonset.read` or `Table.from_sets` returned.
    algorithm
        The algorithm with its parameters; it declares the privacy model that must hold.
    hierarchies
        Hierarchy of each column by name: a file, ``balanced:F`` or a `Hierarchy`.
    workers
        Number of threads; by default one a core. The result is the same for any number.
    progress
        Called with (phase, amount done, total amount), and (``compiling``, kernels so far, 0) while one is compiled.
    order
        ``sorted`` by the published content (row order would give back what was hidden), or as the ``input``.
    symbols
        How a set of items or values is named: by its ``members``, by a ``short`` code, or (``auto``) by a code
        above 8 members.
    max_loss
        Refuse a result whose main loss, the first of its measures, is above this.
    allow_worthless
        Return a release although each of its protected columns shows one symbol at most, where more occurred.
    accept_undecided
        Return a release although the check was too large to finish; its verdict says so.
    budget
        Largest number of itemset occurrences to count in verifying (see `anonset.verify`).

    Raises
    ------
    InputError
        If the table, a hierarchy or a parameter is not what it must be.
    InfeasibleError
        If the guarantee, or `max_loss`, cannot be reached; `WorthlessError` if nothing but one symbol is left.
    VerificationError
        If the result does not satisfy the model, or (`UndecidedError`) the check could not be finished.

    Examples
    --------
    >>> table = Table.from_sets([{"a1", "b1", "b2"}, {"a2", "b1"}, {"a2", "b1", "b2"}, {"a1", "a2", "b2"}])
    >>> from anonset.algorithms.transaction.apriori import Apriori
    >>> release = anonymize(table, Apriori(k=2, m=2), hierarchies={"items": "balanced:2"})
    >>> release.verdict.holds, release.recoding.labels
    (True, ['N1_0', 'b1', 'b2'])
    """
    watch, layout = Stopwatch(), Layout(order=order, symbols=symbols)
    with compiling_told(progress):
        with watch.phase("hierarchies"):
            table, bound = bind(table, hierarchies or {}, algorithm.model)
            kind_of(algorithm.model).require_publishable(table, bound, algorithm, replace(layout, format=None))
        unverified = search(
            table,
            algorithm,
            hierarchies=bound,
            workers=workers,
            progress=progress,
            layout=replace(layout, format=None),
            max_loss=max_loss,
            allow_worthless=allow_worthless,
            watch=watch,
        )
        kind_of(algorithm.model).require_readable(unverified.publication)
        for warning in unverified.warnings:
            python_warnings.warn(warning, UserWarning, stacklevel=2)
        with watch.phase("verify"):
            verdict = checked(
                unverified, unverified.publication, accept_undecided=accept_undecided, budget=budget, progress=progress
            )
    return Release(unverified, verdict, layout, tuple(watch.phases))


def search(
    table: Table,
    algorithm: Algorithm,
    *,
    hierarchies: Mapping[str, Hierarchy],
    workers: int | None = None,
    progress: Progress | None = None,
    layout: Layout,
    max_loss: float | None = None,
    allow_worthless: bool = False,
    watch: Stopwatch,
) -> Unverified[Any]:
    """Find a recoding and apply it; what comes of it still has to be verified.

    The table must be bound to its hierarchies (see `bind`); the other parameters are those of `anonymize`.
    """
    require_roles(table, algorithm.model)
    if max_loss is not None:
        require_between_0_and_1("max_loss", max_loss)
    with watch.phase("search"), executor_of(workers) as executor:
        result = algorithm.recode(table, hierarchies, executor=executor, progress=progress)
    with watch.phase("apply"):
        publication = kind_of(algorithm.model).apply(table, hierarchies, result, layout)
    with watch.phase("measure"):
        measures = measures_of(table, hierarchies, algorithm, result, publication)
        kept = retention(table, result.recoding)
        said = mute_sides(algorithm.model, table, publication)
        if what := worthless(algorithm.model, table, publication):
            said = (f"the publication is worthless: {what}",)
    _require_loss(algorithm, measures, max_loss)
    if what and not allow_worthless:
        raise WorthlessError(algorithm.name, refusal(algorithm, result, what))
    said += formula_warnings(publication) if layout.format == "csv" else ()
    return Unverified(table, hierarchies, algorithm, result, publication, measures, kept, layout.warnings + said)


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


def _require_loss(algorithm: Algorithm, measures: Mapping[str, float], max_loss: float | None) -> None:
    """Hold the main loss, which is the first, against the bound."""
    name, loss = next(iter(measures.items()))
    if max_loss is not None and not loss <= max_loss + 1e-12:
        reason = (
            f"the loss ({name.upper()}) is {loss:.6g}, above the largest allowed {max_loss:.6g}; "
            "another algorithm, or hierarchies whose nodes have fewer children, may keep more"
        )
        raise InfeasibleError(algorithm.name, reason, achieved=loss, bound=max_loss)
