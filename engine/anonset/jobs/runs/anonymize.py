"""Anonymization job for Python. It starts from a table and returns a verified release.

`anonset.jobs.anonymize_file` is the job for the command line, which also reads the table. Both use a `Run`.
"""

import os
import warnings as python_warnings
from collections.abc import Collection, Mapping
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

from anonset.algorithms.base import Algorithm
from anonset.data import Table
from anonset.data.progress import Progress
from anonset.data.storage.workers import Threads
from anonset.errors import InputError, require_known
from anonset.generalization.other_release import OtherRelease
from anonset.jobs.runs.cluster import attached, require_files, require_on_workers
from anonset.jobs.runs.leftovers import warning_of_what_is_left
from anonset.jobs.runs.run import Run
from anonset.publications.presentation import Format, Order, Symbols
from anonset.release.formats import Layout
from anonset.release.publishing.continuation import read_earlier
from anonset.release.publishing.destination import destination
from anonset.release.publishing.publish import CheckOptions
from anonset.release.publishing.staging import require_apart
from anonset.release.release import Release
from anonset.release.stopwatch import report_compilation
from anonset.settings.binding import CeilingSpec, HierarchySpec, require_table
from anonset.spelling import setting


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
    accept: str | Collection[str] = (),
    budget: int | None = None,
    publish_as_is: str | Collection[str] | None = None,
    recoding: str | os.PathLike[str] | None = None,
    out: str | os.PathLike[str] | None = None,
    format: Format | None = None,  # noqa: A002
    separator: str | None = None,
    part_rows: int | None = None,
    client: Any = None,
    ceilings: Mapping[str, CeilingSpec] | None = None,
    after: OtherRelease | None = None,
    round_ends: bool = True,
) -> Release:
    """Anonymize a table and verify the result.

    Parameters
    ----------
    table
        Table returned by `anonset.read` or `Table.from_sets`.
    algorithm
        Algorithm with its parameters. It declares the privacy model to satisfy.
    hierarchies
        Hierarchies by column name. A hierarchy is a file, ``balanced:F`` or a `Hierarchy`.
    workers
        Number of threads. The default is the core count. The result does not depend on the number of threads.
    progress
        Progress callback with the arguments (phase, amount done, total amount). While a kernel compiles, the arguments
        are (``compiling``, kernels so far, 0).
    order
        Order of the published rows. ``sorted`` sorts by published content. ``input`` keeps the input order, which may
        reveal hidden information.
    symbols
        Names of sets of items or values. ``members`` lists the members, ``short`` uses a code, and ``auto`` uses a code
        for sets of more than 8 members.
    max_loss
        Largest accepted loss. The loss is the first measure of the result.
    accept
        Words for the results to return: ``worthless`` if each protected column shows at most one symbol, although the
        original has several, and ``undecided`` if the check was too large to finish. Empty input is accepted.
    budget
        Largest number of itemset occurrences to count during verification (see `anonset.verify`).
    publish_as_is
        Columns to publish although they show values that identify persons. A publication is scanned for identifying
        values when it is written, or converted by `Release.to_arrow` and similar methods.
    recoding
        Private directory of an earlier release to continue from. Symbols keep their meaning, and nothing becomes finer.
        A hierarchy derived from the data is reused from the earlier release.
    out
        New directory or address for the publication. The written bytes are read back and verified, so a table of
        `anonset.scan` is never loaded into memory.
    format
        Output format: ``csv`` (the default), ``parquet`` or ``dat``.
    separator
        Separator of the symbols within a field, as in `Release.save`. The command line uses the separator of the input.
    part_rows
        Number of rows per part file (``published/part-00000.csv`` and so on). If None, one file is written.
    client
        `distributed.Client` for the search. The table must come from `anonset.scan` with a ``work_dir``
        that the workers can access.
    ceilings
        Highest published hierarchy nodes of each column. They are given as labels, as the number of a column of the
        hierarchy file counted from the root, or as a file with one label per line.
    after
        Earlier release of the same persons, from `anonset.beside`. The earlier and the new release together satisfy
        k^m-anonymity.
    round_ends
        Round range ends outward, so that at least k records are between two of them. False publishes the smallest
        and largest value of each class, as in the papers.

    Raises
    ------
    InputError
        If the table, a hierarchy or a parameter is invalid. The error is a `DisclosureError` if `out` is given and a
        column shows values that identify persons.
    InfeasibleError
        If the guarantee or `max_loss` cannot be reached. The error is a `WorthlessError` if only one symbol remains.
    VerificationError
        If the result violates the model, or (`UndecidedError`) the check could not finish.

    Examples
    --------
    >>> table = Table.from_sets([{"a1", "b1", "b2"}, {"a2", "b1"}, {"a2", "b1", "b2"}, {"a1", "a2", "b2"}])
    >>> from anonset.algorithms.transaction.cuts.apriori import Apriori
    >>> release = anonymize(table, Apriori(k=2, m=2), hierarchies={"items": "balanced:2"})
    >>> release.verdict.holds, release.recoding.labels
    (True, ['N1_0', 'b1', 'b2'])
    """
    require_table(table)
    accepted = [accept] if isinstance(accept, str) else accept
    for word in accepted:
        require_known(setting("accept"), word, ("undecided", "worthless"))
    table = table if workers is None else table.with_workers(Threads(workers))
    if warning := warning_of_what_is_left():
        python_warnings.warn(warning, UserWarning, stacklevel=2)
    if out is None and (format, separator, part_rows) != (None, None, None):
        names = f"{setting('format')}, {setting('separator')} and {setting('part_rows')}"
        raise InputError(f"{names} apply to written files only; also set {setting('out')}")
    layout = Layout(order, symbols, None if out is None else format or "csv", separator, part_rows)
    earlier = read_earlier(recoding, on_cluster=client is not None)
    place = None if out is None else destination(out)
    if place is not None:
        place.require_free()
        require_apart(table.store.path, place.out, place.private)
    if client is not None:
        require_on_workers(algorithm, "client")
        require_files(table)
    run = Run(
        layout, progress, max_loss, accepted, earlier, ceilings=ceilings or {}, other_release=after,
        round_ends=round_ends, publish_as_is=publish_as_is,
        check=CheckOptions("undecided" in accepted, budget),
    )  # fmt: skip
    with ExitStack() as stack:
        stack.enter_context(report_compilation(progress))
        stack.enter_context(run.watch.memory.watched())
        if client is not None:
            table = replace(table, store=stack.enter_context(attached(require_files(table), client)))
        unverified = run.unverified(table, hierarchies or {}, algorithm)
        for warning in unverified.warnings:
            python_warnings.warn(warning, UserWarning, stacklevel=2)
        return run.release(unverified, place)
