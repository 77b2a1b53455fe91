"""The job of anonymizing, for Python and for the command line: bind, search, apply, measure, and verify to the end.

`anonymize` begins with a table and ends with a verified release in memory; `anonymize_file` reads the table before, and
ends with a publication that was verified from the bytes that were written. What lies between is one `Job`.
"""

import os
import warnings as python_warnings
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import Executor
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from anonset.algorithms.base import Algorithm, Progress, Result, executor_of, traits_of
from anonset.algorithms.transaction.base import bind_items
from anonset.data import Hierarchy, Table
from anonset.data.decimals import require_between_0_and_1
from anonset.data.domains import with_grid
from anonset.data.store import Files
from anonset.errors import InputError, WorthlessError
from anonset.generalization import Cut
from anonset.measures.retention import retention
from anonset.release.disclosure_scan import declared, require_kept_declared
from anonset.release.formats import Format, Layout, Order, Symbols, Unverified
from anonset.release.losses import measures_of, refuse_worthless, require_loss
from anonset.release.publish import Request, kind_of, publish, verify_release
from anonset.release.release import Release
from anonset.release.staging import require_apart, require_free
from anonset.release.stopwatch import Stopwatch, tell_compiling
from anonset.settings.binding import HierarchySpec, bind, cap, require_roles, require_table
from anonset.spelling import setting

if TYPE_CHECKING:  # few runs continue an earlier release; pydantic takes its time, and is needed for files alone
    from anonset.generalization.beside import Beside
    from anonset.generalization.earlier import Earlier
    from anonset.settings.settings import Settings


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
    publish_as_is: str | Collection[str] | None = None,
    recoding: str | os.PathLike[str] | None = None,
    out: str | os.PathLike[str] | None = None,
    format: Format | None = None,  # noqa: A002
    part_rows: int | None = None,
    client: Any = None,
    ceilings: Mapping[str, int | Collection[str] | os.PathLike[str]] | None = None,
    after: "Beside | None" = None,
    round_ends: bool = True,
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
    publish_as_is
        Columns that you declare to publish although they show values that identify persons. A publication is scanned
        for such values when it leaves the release: when it is written, or by `Release.to_arrow` and the like.
    recoding
        The private directory of an earlier release, to go on from: names keep their meaning, and nothing becomes
        finer than it was. A hierarchy that would be made from the data is that of the earlier release.
    out
        New directory: the publication is written into it, and what is verified is read back from its bytes, so that
        a table of `anonset.scan` is never held in memory.
    format
        Of what is written there: as in `Release.save`.
    part_rows
        Rows of a part of it: as in `Release.save`.
    client
        A `distributed.Client`: the search runs on its workers, over the files of a table that `anonset.scan` read
        into a directory (``work_dir``) which they see, too.
    ceilings
        Of columns by name, the nodes of their hierarchies above which nothing is published: labels, a column of the
        hierarchy's file, counted from the root's, or a file with a label a line.
    after
        What `anonset.beside` returned: an earlier release of the same persons, together with which km is kept.
    round_ends
        Round the ends of ranges outward, to numbers that do not depend on fewer than k records. False
        publishes the smallest and largest value of each class, as the papers do.

    Raises
    ------
    InputError
        If the table, a hierarchy or a parameter is not what it must be; `DisclosureError` if `out` is given and a
        column shows values that identify persons.
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
    from anonset.jobs.leftovers import warning_of_what_is_left

    require_table(table)
    table = declared(table, publish_as_is)  # type: ignore[arg-type]
    if warning := warning_of_what_is_left():
        python_warnings.warn(warning, UserWarning, stacklevel=2)
    if out is None and (format is not None or part_rows is not None):
        msg = f"{setting('format')} and {setting('part_rows')} are of what is written: {setting('out')} must say where"
        raise InputError(msg)
    layout = Layout(order, symbols, format or "csv", part_rows=part_rows)
    earlier = _earlier(recoding, on_cluster=client is not None)
    request = None if out is None else Request(Path(out), None, layout, accept_undecided, budget)
    if request is not None:
        require_free(request.out, request.private_folder)
        require_apart(table.store.path if isinstance(table.store, Files) else None, request.out, request.private_folder)
    written = layout if request is not None else replace(layout, format=None)
    if client is not None:
        from anonset.jobs.cluster import require_shareable

        require_shareable(table, algorithm, client)
    job = Job(
        written, workers, progress, max_loss, allow_worthless, earlier, client, ceilings=ceilings or {}, beside=after,
        round_ends=round_ends,
    )  # fmt: skip
    with tell_compiling(progress), job.watch.memory.watched():
        unverified = job.run(table, hierarchies or {}, algorithm)
        kind_of(algorithm.model).require_readable(unverified.publication)
        for warning in unverified.warnings:
            python_warnings.warn(warning, UserWarning, stacklevel=2)
        if request is not None:
            verdict, exact_values = publish(unverified, request, watch=job.watch, progress=progress)
            return Release(unverified, verdict, layout, tuple(job.watch.phases), request, exact_values)
        with job.watch.phase("verify"):
            verdict = verify_release(
                unverified, unverified.publication, accept_undecided=accept_undecided, budget=budget, progress=progress
            )
    return Release(unverified, verdict, layout, tuple(job.watch.phases))


def anonymize_file(
    settings: "Settings", *, progress: Progress | None = None, note: Callable[[str], None] | None = None
) -> Release:
    """Anonymize a file, or many, write the result, read it back, verify and publish it.

    What would need more memory than it may take runs by blocks, if it can; `note` is told so in a line.

    Raises
    ------
    InputError
        If the settings or the data are not what they must be.
    InfeasibleError
        If the guarantee, or the largest allowed loss, cannot be reached, or (`WorthlessError`) nothing would be said.
    VerificationError
        If the model does not hold, or (`UndecidedError`) the check could not be finished.
    """
    from anonset.io.files import arrow_threads
    from anonset.jobs.input import input_of, request_of, require_disk, table_of
    from anonset.settings.parameters import default_algorithm, make_algorithm, needs_data
    from anonset.settings.paths import require_unchanged, side_digests, with_absolute_paths
    from anonset.settings.readers import Context
    from anonset.settings.settings import with_sensitive_kept

    private = settings.private or f"{settings.out}.private"
    require_apart(settings.work_dir, settings.out, private, settings.input)
    source = settings.source(settings.input)
    given = settings.algorithm_parameters()
    absolute = with_absolute_paths(settings.model_dump(exclude_none=True))
    side = side_digests(absolute)
    name = settings.algorithm or default_algorithm(settings.model, relational=bool(settings.relational))
    algorithm = make_algorithm(settings.model, name, given)
    request = request_of(settings, algorithm, source.format)
    if settings.if_exists == "resume":
        from anonset.jobs.work_places import clear_leftovers

        clear_leftovers(request.out, request.private_folder, note)
    if not settings.resume:
        require_free(request.out, request.private_folder, by_command=True)
    earlier = _earlier(settings.recoding, on_cluster=settings.cluster is not None)
    beside = None
    if settings.after is not None:
        from anonset.jobs.beside import read_after

        beside = read_after(settings, source, algorithm.model)
    job = Job(
        request.layout, settings.workers, progress, settings.max_loss, settings.allow_worthless, earlier,
        ceilings=settings.ceiling, beside=beside, round_ends=settings.round_ends,
    )  # fmt: skip

    def made_from(bound: Table, hierarchies: Mapping[str, Hierarchy]) -> Algorithm:
        context = Context.of(bound, hierarchies, given)
        made = make_algorithm(settings.model, name, given, context) if needs_data(given) else algorithm
        require_unchanged(absolute, side)  # all side files are read by now
        return made

    with ExitStack() as stack:
        stack.enter_context(job.watch.memory.watched())
        reading = with_sensitive_kept(settings, algorithm.model)
        chosen = input_of(source, reading, algorithm)
        require_disk(settings, chosen, request, note)
        require = None
        if settings.cluster is not None:
            from anonset.jobs.cluster import cluster_of, require_workers

            with job.watch.phase("cluster"):
                job = replace(job, client=stack.enter_context(cluster_of(settings.cluster)))
            require = partial(require_workers, job.client)
        stack.enter_context(arrow_threads(settings.workers))
        with job.watch.phase("read"):
            table = stack.enter_context(table_of(reading, chosen, progress=progress, note=note, require=require))
        _require_records(table, settings)
        table = declared(table, settings.publish_as_is)
        if settings.resume:  # only now it is known to be the same run
            from anonset.jobs.work_places import clear_leftovers

            clear_leftovers(request.out, request.private_folder)
            require_free(request.out, request.private_folder)
        unverified = job.run(table, settings.hierarchy, algorithm, made_from)
        context = {
            "settings": absolute,
            "seed": settings.seed,
            "input": {
                "file": Path(settings.input).name,
                "sha256": source.sha256,
                "side_files": side,
                **({} if earlier is None else {"recoding_of": earlier.attestation_sha256}),
                **({} if beside is None else {"after": beside.attestation_sha256}),
            },
        }
        verdict, exact_values = publish(unverified, request, watch=job.watch, progress=progress, context=context)
    return Release(unverified, verdict, request.layout, tuple(job.watch.phases), request, exact_values)


def _require_records(table: Table, settings: "Settings") -> None:
    """Refuse data without records, which usually are an export that failed."""
    if not table.n and not settings.allow_empty:
        publish_empty = setting("allow_empty", True)
        msg = f"{settings.input}: the data contain no record; use {publish_empty} to publish an empty table"
        raise InputError(msg)


@dataclass(frozen=True)
class Job:
    """From a table to a publication that nobody has verified yet; the fields are parameters of `anonymize`."""

    layout: Layout
    workers: int | None = None
    progress: Progress | None = None
    max_loss: float | None = None
    allow_worthless: bool = False
    earlier: "Earlier | None" = None
    """The earlier release to go on from."""
    client: Any = None
    """A dask client whose workers search; None: threads of this process do."""
    watch: Stopwatch = field(default_factory=Stopwatch)
    """Takes the time of each step."""
    ceilings: Mapping[str, Any] = field(default_factory=dict)
    beside: "Beside | None" = None
    """An earlier release of the same persons, together with which the model is kept."""
    round_ends: bool = True

    def run(
        self,
        table: Table,
        hierarchies: Mapping[str, HierarchySpec],
        algorithm: Algorithm,
        made_from: Callable[[Table, Mapping[str, Hierarchy]], Algorithm] | None = None,
    ) -> Unverified[Any]:
        """Bind the table to its hierarchies, refuse what could not be published, and `search`.

        Parameters
        ----------
        made_from
            Makes the algorithm anew, if some of its parameters are made from the data.
        """
        if table.repeated or table.relational or table.kept:  # otherwise there is nothing to refuse
            from anonset.jobs.persons import require_persons

            require_persons(table, algorithm.model, hierarchies)
        if self.layout.format is not None:
            require_kept_declared(table, algorithm.model)
        if self.earlier is not None:
            from anonset.release.earlier import begun_from

            table, hierarchies = begun_from(self.earlier, table, hierarchies, algorithm)
        with self.watch.phase("hierarchies"):
            table, bound = bind(table, hierarchies, algorithm.model)
            bound = cap(bound, self.ceilings)
            algorithm = algorithm if made_from is None else made_from(table, bound)
            kind_of(algorithm.model).require_publishable(table, bound, algorithm, self.layout)
        return self.search(table, bound, algorithm)

    def search(self, table: Table, hierarchies: Mapping[str, Hierarchy], algorithm: Algorithm) -> Unverified[Any]:
        """Find a recoding of a table that is bound to its hierarchies, apply it, and measure what is lost."""
        require_roles(table, algorithm.model)
        if self.beside is not None:
            self.beside.require_records(table.n)
        table = self._with_grids(self._on_workers(table), algorithm)
        if self.max_loss is not None:
            require_between_0_and_1("max_loss", self.max_loss)
        with self.watch.phase("search"), self._executor(table) as executor:
            sealed = _sealed(table)
            with sealed():
                result = self._recode(algorithm, table, hierarchies, executor)
                if (beside := self.beside) is not None:
                    from anonset.algorithms.transaction.kept_together import kept_together

                    column = bind_items(table, hierarchies)[0]
                    gone = set(getattr(result.recoding, "suppressed", ()))
                    certain = beside.certain(table, set(column.vocabulary.labels) - gone)
                    result, linked = kept_together(algorithm, result, column, beside, self.progress, certain=certain)
                    beside = replace(beside, linked=linked)
            hierarchies = _with_used(table, hierarchies, result)
        with self.watch.phase("apply"), sealed():
            layout = self.layout
            if self.earlier is not None:
                layout = replace(layout, codes=self.earlier.codes, taken=self.earlier.taken)
            publication = kind_of(algorithm.model).apply(table, hierarchies, result, layout)
            if any(hierarchy.capped for hierarchy in hierarchies.values()):
                from anonset.release.ceilings import require_under_ceilings

                require_under_ceilings(algorithm.name, result, publication, hierarchies)
            since, decided = None, cast("Any", result.recoding)
            if self.earlier is not None:
                self.earlier.require_kept(publication.symbols)
                since = self.earlier.since(decided, publication.symbols)
        with self.watch.phase("measure"):
            kept = retention(table, result.recoding, publication)
            measures = measures_of(table, hierarchies, algorithm, result, publication, kept)
            kind = kind_of(algorithm.model)
            warnings = kind.nothing_left(algorithm.model, table, publication)
            if what := kind.why_worthless(algorithm.model, table, publication):
                warnings = (f"the publication is worthless: {what}",)
        require_loss(algorithm, measures, self.max_loss)
        if what and not self.allow_worthless:
            raise WorthlessError(algorithm.name, refuse_worthless(algorithm, result, what))
        warnings += kind.formula_warnings(publication) if self.layout.format == "csv" else ()
        warnings = self.layout.warnings + result.notes + warnings
        return Unverified(
            table, hierarchies, algorithm, result, publication, measures, kept, warnings, self.earlier, since, beside
        )

    def _on_workers(self, table: Table) -> Table:
        """Return the table in a store whose steps take as many threads as the search."""
        store: Any = table.store
        limits = replace(store.limits, workers=self.workers)
        return table if self.workers is None else replace(table, store=replace(store, limits=limits))

    def _with_grids(self, table: Table, algorithm: Algorithm) -> Table:
        """Return the table with the admissible ends of published ranges: a function of all records, and of k."""
        if not self.round_ends:
            return table
        k = int(getattr(algorithm.model, "k", 1))
        return replace(table, relational=tuple(with_grid(column, k) for column in table.relational))

    def _executor(self, table: Table) -> AbstractContextManager[Executor | None]:
        if self.client is None or not isinstance(table.store, Files):
            return executor_of(self.workers)
        from anonset.jobs.cluster import ClusterExecutor

        return ClusterExecutor(self.client, table.store)

    def _recode(
        self, algorithm: Algorithm, table: Table, hierarchies: Mapping[str, Hierarchy], executor: Executor | None
    ) -> Result:
        """Find a recoding: any, or one that goes on from that of the earlier release."""
        if self.earlier is None and table.store.in_files and (most := traits_of(algorithm).split_records) is not None:
            from anonset.algorithms.split.solving import split_and_solve

            return split_and_solve(algorithm, most, table, hierarchies, executor=executor, progress=self.progress)
        if self.earlier is None:
            return algorithm.recode(table, hierarchies, executor=executor, progress=self.progress)
        from anonset.algorithms.coarsening import coarsened

        column, tree = bind_items(table, hierarchies)
        in_sets = tree is None or traits_of(algorithm).forms_sets
        start = self.earlier.cut(tree) if tree is not None and not in_sets else self.earlier.groups(column.vocabulary)
        return coarsened(algorithm, table, hierarchies, start, executor=executor, progress=self.progress)


def _with_used(table: Table, hierarchies: Mapping[str, Hierarchy], result: Result) -> Mapping[str, Hierarchy]:
    """Return the hierarchies with the tree of the items whose cut was found, where that is a rival of the given one."""
    name = "" if table.transactions is None else table.transactions.name
    if name not in hierarchies or not isinstance(result.recoding, Cut):
        return hierarchies
    used = result.recoding.hierarchy
    return {**hierarchies, name: used} if used is hierarchies[name].rival else hierarchies


def _sealed(table: Table) -> Callable[[], AbstractContextManager[None]]:
    """Return what holds the files that a table lies in, if any, against what they held before."""
    if not table.store.in_files:
        return nullcontext
    from anonset.data.seals import Seal

    return Seal.of(table).kept


def _earlier(private: str | os.PathLike[str] | None, *, on_cluster: bool) -> "Earlier | None":
    """Read the earlier release to go on from, if there is one; what goes on from it runs on one machine."""
    if private is None:
        return None
    from anonset.release.earlier import read_earlier, require_one_machine

    require_one_machine("recoding", on_cluster=on_cluster)
    return read_earlier(private)
