"""Settings of an anonymization run, and the objects that they name.

The data are read into memory if they fit. Larger data are read in blocks into a work directory.
"""

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from anonset.algorithms.base import Algorithm, traits_of
from anonset.algorithms.registry import ALGORITHMS, with_traits
from anonset.columns.cells import LIST
from anonset.data import Hierarchy, Table
from anonset.data.hierarchies.hierarchy_rules import HALVES, REFINE
from anonset.data.progress import Progress
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.resumption.ledger import READ, Ledger
from anonset.data.spans import Limits
from anonset.data.storage.lease import Tell
from anonset.data.storage.store import Files, Memory, Store
from anonset.data.storage.workers import Threads, Workers
from anonset.errors import InputError
from anonset.jobs import warmup
from anonset.jobs.runs.cluster import attached, require_on_workers
from anonset.jobs.runs.matched_releases import read_after
from anonset.jobs.runs.run import Run
from anonset.jobs.runs.work_places import killed_run, work_place_of_run
from anonset.privacy import PrivacyModel
from anonset.reading.batches import open_source
from anonset.reading.options import separators_in
from anonset.reading.sources.files import STATISTICS
from anonset.reading.sources.place import is_address
from anonset.reading.sources.sizes import DataSize
from anonset.reading.sources.source import TABLES, Source
from anonset.reading.table_builder import gather_files
from anonset.release import memory
from anonset.release.disk import announcement, require_space, space_for
from anonset.release.formats import Layout, kind_of
from anonset.release.memory import format_size, memory_for, memory_limit, require_memory
from anonset.release.publishing.destination import Destination, destination
from anonset.release.publishing.publish import CheckOptions
from anonset.release.publishing.staging import require_apart
from anonset.release.stopwatch import Stopwatch
from anonset.settings.column_rules import with_exact_names
from anonset.settings.job import Job
from anonset.settings.job_changes import ROLES
from anonset.settings.parameters import algorithm_name, make_algorithm, needs_data
from anonset.settings.paths import require_unchanged, side_digests, with_absolute_paths
from anonset.settings.readers import ParsingContext, work_budget
from anonset.settings.settings import Settings, with_sensitive_kept
from anonset.spelling import listed, setting


@dataclass(frozen=True)
class MemoryPlan(RedactedRepr):
    """Decision to read the table into memory or into a work directory, with the memory of the run."""

    by_blocks: bool
    """Whether the table is stored in a work directory."""
    need: int
    """Estimated memory in bytes of the whole run without a work directory, including compilation."""
    limit: int | None
    """Memory limit in bytes. None if the limit is unknown."""
    compiling: int = 0
    """Part of `need`, in bytes, reserved for compiling kernels."""

    @property
    def limit_on_data(self) -> int | None:
        """Memory limit in bytes, excluding compilation."""
        return None if self.limit is None else self.limit - self.compiling


_BYTES_PER_VALUE = 512
"""Maximum memory of an algorithm in bytes per value, on top of the memory of the data. Measured values were lower, for
data with 360,000 to 970,000 values.
"""


def memory_of(size: DataSize, algorithm: Algorithm) -> int:
    """Estimate the memory of a whole run in memory, in bytes, from input size and algorithm.

    The estimate is the sum of three amounts. They are a constant for Python and compiled kernels, the memory of the
    data times the algorithm's factor, and the memory that the algorithm needs on top of the data. The last amount is
    limited by the number of values.
    """
    least, traits = memory_for(DataSize()), traits_of(algorithm)
    return int(least + traits.memory_factor * (memory_for(size) - least)) + min(
        traits.memory_beside, int(_BYTES_PER_VALUE * size.values)
    )


def _compiling_takes(compiling: int) -> str:
    """Return a note on the memory that is reserved for compilation, and how to avoid it. Empty if no memory is
    reserved.
    """
    if not compiling:
        return ""
    return f"{format_size(compiling)} of the memory is for compiling kernels; to avoid it, run anonset warmup first"


def _obstacle(algorithm: Algorithm) -> str:
    """Return the reason why an algorithm cannot run out of core. Empty if it can run out of core."""
    traits = traits_of(algorithm)
    if not traits.by_blocks and traits.split_records is None:
        return f"{algorithm.name} runs in memory only ({_instead(algorithm.model)})"
    return ""


def _instead(model: PrivacyModel) -> str:
    """Return text that names the algorithms of a model that run out of core or in parts. If there are none, name the
    algorithms of k^m-anonymity.
    """
    if runs := _running(model.name):
        return runs
    return (
        f"no algorithm for {setting('model', model.name)} runs out of core; for {setting('model', 'km')}, "
        f"{_running('km')}"
    )


def _running(model: str) -> str:
    """Return text that names the algorithms of a model that run out of core or in parts, and their conditions."""
    runs: dict[str, list[str]] = {}
    for name in with_traits(lambda traits: model in traits.models):
        traits = traits_of(ALGORITHMS[name])
        if traits.by_blocks or traits.split_records is not None:
            manner = "out of core" if traits.by_blocks else "in parts of the data"
            runs.setdefault(f"{manner} if {traits.where}" if traits.where else manner, []).append(name)
    return "; ".join(
        f"{listed(names)} {'runs' if len(names) == 1 else 'run'} {manner}" for manner, names in runs.items()
    )


def _local_work(settings: Settings) -> Path:
    named = settings.work_dir is not None and not is_address(settings.work_dir)
    return Path(settings.work_dir if settings.work_dir is not None and named else tempfile.gettempdir())


def _published(size: DataSize, settings: Settings) -> DataSize:
    """Estimate the size of the input without the dropped columns. A pattern may select any number of columns."""
    used = settings.stated.names(*(role for role in ROLES if role != "drop"))
    counted = settings.drop and not any(name.endswith("*") for name in (*used, *settings.drop))
    share = len(used) / (len(used) + len(settings.drop)) if counted else 1.0
    return replace(size, values=int(size.values * share), text=int(size.text * share))


def _require_same(before: str, source: Source, workers: Workers) -> None:
    """Reject a resumed run if the data have changed since they were read."""
    if before != source.sha256_by(workers):
        remedy = f"the {source.compared} have changed since the run began; start again in another directory"
        raise InputError(f"{setting('if_exists', 'resume')}: {remedy}", code="other-run")


def _by_blocks(chosen: MemoryPlan, store: Files) -> str:
    """Return the message that a job runs out of core. If the memory limit is the reason, the message contains the
    required memory and the limit.
    """
    text = f"running out of core in {store.path}"
    if chosen.limit is None or chosen.need <= chosen.limit:
        return text
    return f"{text}: needs about {format_size(chosen.need)} in memory, limit {format_size(chosen.limit)}"


def _gathered(source: Source, settings: Settings, store: Store, progress: Progress | None) -> Table:
    table = gather_files(source, settings.read_options(), store, progress)
    if table.transactions is not None:
        table.transactions.counted(store)
    return table


_OF_SETS = frozenset("(,)")
"""Characters in the names of itemsets. If the item separator of the input is one of these characters, the output uses
another separator.
"""


_PUBLISHED = {**dict.fromkeys(("tsv", "baskets", "jsonl", "xlsx", *STATISTICS), "csv"), "spmf": "dat"}
"""Output format of each input format, if the formats differ."""


class FileRun:
    """Settings of a run, and the objects that they name.

    Each object is created when it is first used. All properties and methods raise InputError if the settings or the
    data are invalid.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    @cached_property
    def source(self) -> Source:
        """Data of the run."""
        return self.settings.source(self.settings.input)

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns of the data. Empty for linked tables."""
        if self.source.format == TABLES:
            return ()
        return open_source(self.source, self.settings.read_options()).names

    @cached_property
    def algorithm(self) -> Algorithm:
        """Algorithm without the parameters that depend on the data."""
        return self._made()

    @cached_property
    def reading(self) -> Settings:
        """Settings with which the data are read."""
        return with_sensitive_kept(self.settings, self.algorithm.model)

    @cached_property
    def absolute(self) -> Job:
        """Settings with absolute paths."""
        return with_absolute_paths(self.settings.stated)

    @cached_property
    def side_files(self) -> dict[str, str]:
        """SHA-256 of each side file, by setting."""
        return side_digests(self.absolute)

    @cached_property
    def destination(self) -> Destination:
        """Public and private place of the publication."""
        return destination(self.settings.out, self.settings.private)

    @cached_property
    def layout(self) -> Layout:
        """Form of the publication. The default format is the input format, or CSV for several tables."""
        settings, model, read = self.settings, self.algorithm.model, self.source.stored_as
        format = settings.format or ("csv" if kind_of(model).several_tables else _PUBLISHED.get(read, read))  # noqa: A001
        from_data = any(spec.startswith((HALVES, REFINE)) for spec in settings.hierarchy.values())
        earlier = settings.recoding is not None or settings.after is not None
        sets = (traits_of(self.algorithm).forms_sets or from_data or earlier) and settings.symbols != "short"
        separator = settings.file.separator
        if (
            separator == LIST
            or separators_in(separator, settings.items)
            or (sets and _OF_SETS.intersection(separator or ""))
        ):
            separator = None
        return Layout(settings.order, settings.symbols, format, separator, settings.part_rows)  # type: ignore[arg-type]

    @cached_property
    def chosen(self) -> MemoryPlan:
        """Whether the data are read into memory. They are read out of core if the run exceeds the memory limit, or a
        work directory or a cluster is given.
        """
        source, settings, algorithm = self.source, self.reading, self.algorithm
        size = source.size
        need, limit = memory_of(size, algorithm), memory_limit(settings.memory_limit)
        near = limit is not None and need + memory.COMPILING_TAKES > limit
        compiling = memory.COMPILING_TAKES if near and not warmup.is_warm() else 0
        need += compiling
        by_blocks = settings.work_dir is not None or settings.cluster is not None
        if not by_blocks and (limit is None or need <= limit):
            return MemoryPlan(False, need, limit, compiling)
        traits = traits_of(algorithm)
        if traits.refuses_above is not None and source.format == "parquet" and size.records > traits.refuses_above:
            raise InputError(
                f"{algorithm.name} accepts at most {traits.refuses_above:,} records, the input has "
                f"{int(size.records):,}; {traits.instead}"
            )
        obstacle = _obstacle(algorithm)
        least = memory.AT_LEAST + compiling
        if limit is not None and need > limit and (obstacle or limit < least):
            reasons = [obstacle, _compiling_takes(compiling)]
            require_memory(need if obstacle else least, settings.memory_limit, ", and ".join(filter(None, reasons)))
        if obstacle:
            option = setting("work_dir" if settings.work_dir is not None else "cluster")
            raise InputError(f"{option} requires an out-of-core run, but {obstacle}")
        if settings.cluster is not None:
            require_on_workers(algorithm, "cluster")
        return MemoryPlan(True, need, limit, compiling)

    def require_apart(self) -> None:
        """Reject a work directory that overlaps the destination or the data. The destination is compared first, without
        a look at the data.
        """
        work_dir = self.settings.work_dir
        require_apart(work_dir, self.destination.out, self.destination.private, self.settings.input)
        require_apart(work_dir, *self.source.places)

    def run(self, progress: Progress | None = None) -> Run:
        """Read the earlier releases, and return the run from the table on."""
        settings, earlier = self.settings, None
        if settings.recoding is not None:
            from anonset.release.publishing.continuation import read_earlier

            earlier = read_earlier(settings.recoding, on_cluster=settings.cluster is not None)
        other_release = None if settings.after is None else read_after(self.reading, self.source, self.algorithm.model)
        return Run(
            self.layout, progress, settings.max_loss, settings.accept, earlier,
            ceilings=settings.ceiling, other_release=other_release, round_ends=settings.round_ends,
            watch=Stopwatch(progress=progress), publish_as_is=settings.publish_as_is,
            check=CheckOptions("undecided" in settings.accept, work_budget(settings.max_work)), trace=settings.trace,
        )  # fmt: skip

    def require_disk(self, note: Tell | None = None) -> None:
        """Reject the run if a disk is too small, and announce the space and time of a large run."""
        settings, chosen = self.settings, self.chosen
        size, place = _published(self.source.size, settings), None
        if chosen.by_blocks:
            place = _local_work(settings)
            if isinstance(killed_run(self.reading), Path):
                place = None  # the files of the resumed run already exist
        parquet = self.layout.format == "parquet"
        local = _local_work(settings) / "out"  # files for an address are written here first
        places = self.destination.out, self.destination.private
        out, private = (path if isinstance(path, Path) else local for path in places)
        spaces = space_for(size, out, private, place, parquet=parquet)
        require_space(spaces, by_blocks=chosen.by_blocks)
        if note is not None and (message := announcement(spaces, size)):
            note(message)

    def work_place(self, note: Tell | None = None) -> AbstractContextManager[Files | None]:
        """Return the work directory of the run, locked against other runs. None if the data are read into memory.

        A temporary directory is always removed at the end. A named directory is removed only on success.
        """
        if not self.chosen.by_blocks:
            return nullcontext()
        limits = Limits.of_process(self.chosen.limit_on_data)
        return work_place_of_run(self.reading, limits, Threads(self.settings.workers), note)

    @contextmanager
    def table(
        self, files: Files | None, client: Any, *, progress: Progress | None = None, note: Tell | None = None
    ) -> Iterator[Table]:
        """Read the table into a work directory, or into memory if `files` is None.

        The workers of a Dask client run the tasks, or threads of this process if `client` is None.
        """
        settings = self.reading
        if files is None:
            if progress is not None:
                progress("read", 0, 0)
            yield _gathered(self.source, settings, Memory(workers=Threads(settings.workers)), progress)
            return

        with attached(files, client) as store:
            if note is not None:
                note(_by_blocks(self.chosen, store))
            ledger = Ledger(store.of_run)
            if (read := ledger.finished(READ)) is not None:
                table, sha256 = read
                _require_same(sha256, self.source, store.workers)
            else:
                table = _gathered(self.source, settings, store, progress)
                if store.of_run is not None:
                    ledger.finish(READ, (table, self.source.sha256_by(store.workers)))
            yield table

    def algorithm_for(self, bound: Table, hierarchies: Mapping[str, Hierarchy]) -> Algorithm:
        """Return the algorithm with the parameters that depend on the data. Reject side files that have changed."""
        context = ParsingContext.of(bound, hierarchies, self._parameters)
        algorithm = self._made(context) if needs_data(self._parameters) else self.algorithm
        require_unchanged(self.absolute, self.side_files)  # all side files have been read
        return algorithm

    def _made(self, context: ParsingContext | None = None) -> Algorithm:
        settings = self.settings
        name = algorithm_name(settings.model, settings.algorithm, relational=bool(settings.relational))
        return make_algorithm(settings.model, name, self._parameters, context)

    @cached_property
    def _parameters(self) -> Job:
        """Parameters of the algorithm. Sensitive items may contain column names with commas."""
        given = self.settings.algorithm_parameters()
        return with_exact_names(given, self.columns) if "sensitive_items" in given else given
