"""Search and apply: from a table to a candidate publication, and from there to a verified release."""

import os
import warnings as python_warnings
from collections.abc import Iterator, Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Literal

from anonset.algorithms.base import Algorithm, Progress
from anonset.data import Hierarchy, Table
from anonset.errors import InfeasibleError, InputError, UndecidedError, VerificationError
from anonset.generalization import Publication, apply
from anonset.privacy import Verdict
from anonset.runner.appraisal import measures_of, no_information
from anonset.runner.candidate import Candidate
from anonset.runner.phases import Stopwatch
from anonset.runner.release import Release

Order = Literal["sorted", "input"]
HierarchySpec = Hierarchy | str | os.PathLike[str]


def anonymize(
    table: Table,
    algorithm: Algorithm,
    *,
    hierarchies: Mapping[str, HierarchySpec] | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
    order: Order = "sorted",
    max_loss: float | None = None,
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
        Called with (phase, amount done, total amount).
    order
        ``sorted`` by the published content (row order would give back what was hidden), or as the ``input``.
    max_loss
        Refuse a result whose loss is above this.
    accept_undecided
        Return a release although the check was too large to finish; its verdict says so.
    budget
        Largest number of itemset occurrences to count in verifying (see `anonset.verify`).

    Raises
    ------
    InputError
        If the table, a hierarchy or a parameter is not what it must be.
    InfeasibleError
        If the guarantee, or `max_loss`, cannot be reached.
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
    watch = Stopwatch()
    with watch.phase("hierarchies"):
        table, bound = bind(table, hierarchies or {})
    candidate = search(
        table,
        algorithm,
        hierarchies=bound,
        workers=workers,
        progress=progress,
        order=order,
        max_loss=max_loss,
        watch=watch,
    )
    for warning in candidate.warnings:
        python_warnings.warn(warning, UserWarning, stacklevel=2)
    with watch.phase("verify"):
        verdict = checked(
            candidate.publication, algorithm, accept_undecided=accept_undecided, budget=budget, progress=progress
        )
    return Release(candidate, verdict, tuple(watch.phases))


def search(
    table: Table,
    algorithm: Algorithm,
    *,
    hierarchies: Mapping[str, Hierarchy],
    workers: int | None = None,
    progress: Progress | None = None,
    order: Order = "sorted",
    max_loss: float | None = None,
    watch: Stopwatch,
) -> Candidate:
    """Find a recoding and apply it; the candidate still has to be verified.

    The table must be bound to its hierarchies (see `bind`); the other parameters are those of `anonymize`.
    """
    if order not in ("sorted", "input"):
        msg = f"order must be 'sorted' or 'input', got {order!r}"
        raise InputError(msg)
    _require_roles(table, algorithm)
    with watch.phase("search"), executor_of(workers) as executor:
        result = algorithm.anonymize(table, hierarchies, executor=executor, progress=progress)
    with watch.phase("apply"):
        publication = apply(table, result.recoding)
        if order == "sorted":
            publication = publication.sorted()
    with watch.phase("measure"):
        measures = measures_of(table, result.recoding)
        warnings = no_information(table, publication, measures)
    _require_loss(algorithm, measures, max_loss)
    return Candidate(table, algorithm, result, publication, order, measures, warnings)


def checked(
    publication: Publication | Table,
    algorithm: Algorithm,
    *,
    accept_undecided: bool = False,
    budget: int | None = None,
    progress: Progress | None = None,
) -> Verdict:
    """Verify what an algorithm promised; return the verdict if it may be published.

    Raises
    ------
    VerificationError
        If the model does not hold, or (`UndecidedError`) the check was too large to finish and that is not accepted.
    """
    from anonset.verification import DEFAULT_BUDGET, verify

    budget = DEFAULT_BUDGET if budget is None else budget
    verdict = verify(publication, algorithm.model, budget=budget, progress=progress)
    if verdict.holds is False:
        raise VerificationError(verdict)
    if verdict.holds is None and not accept_undecided:
        raise UndecidedError(verdict)
    return verdict


def bind(table: Table, hierarchies: Mapping[str, HierarchySpec]) -> tuple[Table, dict[str, Hierarchy]]:
    """Read the hierarchies and re-encode the set-valued column by its own.

    Raises
    ------
    InputError
        If a hierarchy is given for a column that takes none, or is no tree over the column's items.
    """
    from anonset.io.hierarchies import hierarchy_for

    column = table.transactions
    known = [] if column is None else [column.name]
    if unknown := sorted(set(hierarchies) - set(known)):
        msg = f"--hierarchy names column {unknown[0]!r}; the columns that take one are: {', '.join(known) or 'none'}"
        raise InputError(msg)
    if column is None or column.name not in hierarchies:
        return table, {}
    given = hierarchies[column.name]
    spec = given if isinstance(given, Hierarchy) else os.fspath(given)
    hierarchy = hierarchy_for(spec, column.vocabulary, column.name)
    return table.with_transactions(hierarchy.bind(column)), {column.name: hierarchy}


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


def _require_roles(table: Table, algorithm: Algorithm) -> None:
    """Refuse columns that the model would leave unprotected without anybody having said so."""
    unprotected = [column.name for column in table.relational]
    if table.sensitive is not None:
        unprotected.append(table.sensitive.name)
    if unprotected:
        msg = (
            f"model {algorithm.model.name} protects the set-valued column alone, and says nothing about "
            f"{', '.join(map(repr, unprotected))}; publish them as they are with --keep or leave them out with --drop"
        )
        raise InputError(msg)


def _require_loss(algorithm: Algorithm, measures: Mapping[str, float], max_loss: float | None) -> None:
    if max_loss is not None and measures["ncp"] > max_loss + 1e-12:
        reason = (
            f"the loss (NCP) is {measures['ncp']:.6g}, above the largest allowed {max_loss:.6g}; "
            "a smaller k or m, a hierarchy with a smaller fan-out, or another algorithm may help"
        )
        raise InfeasibleError(algorithm.name, reason, achieved=measures["ncp"], bound=max_loss)
