"""The input of a job: read into memory where it fits, else block by block into a work directory."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from anonset.algorithms.base import Algorithm, Progress, traits_of
from anonset.algorithms.registry import ALGORITHMS, with_traits
from anonset.data import Table
from anonset.data.hierarchy_rules import HALVES, REFINE
from anonset.data.redacted_repr import Discreet
from anonset.data.saved import save_table, saved_facts, saved_table
from anonset.data.spans import Limits
from anonset.data.store import Files, Memory, Store
from anonset.data.workers import Threads
from anonset.errors import InputError
from anonset.jobs import warmup
from anonset.jobs.cluster import require_on_workers
from anonset.jobs.work_places import killed_run, work_place
from anonset.privacy import PrivacyModel
from anonset.reading.options import ReadOptions, separators_in
from anonset.reading.sizes import Size
from anonset.reading.source import Source
from anonset.reading.table_builder import gather_files
from anonset.release import memory
from anonset.release.disk import announcement, require_space, space_for
from anonset.release.formats import Layout, kind_of
from anonset.release.memory import format_size, memory_for, memory_limit, require_memory
from anonset.release.publish import Request
from anonset.settings.settings import Settings
from anonset.spelling import listed, setting

Note = Callable[[str], None]
"""Is told what people should know."""


@dataclass(frozen=True)
class Input(Discreet):
    """What a job reads, and where its table is to lie."""

    source: Source
    by_blocks: bool
    """Whether the table is to lie in a work directory."""
    need: int
    """Bytes of memory that the whole run would need without one, about, with those that compiling takes."""
    limit: int | None
    """Bytes that it may take; None: nobody knows."""
    compiling: int = 0
    """Bytes of these that are reserved for compiling kernels."""

    @property
    def limit_on_data(self) -> int | None:
        """Bytes that the run may take without those that compiling takes."""
        return None if self.limit is None else self.limit - self.compiling


_BESIDE_EACH = 512
"""Bytes, for each value, of what an algorithm takes beside the data, at most: data of 360,000 to 970,000 values took
less."""


def memory_of(size: Size, algorithm: Algorithm) -> int:
    """Estimate the memory of a whole run in memory, in bytes, by what its input holds and by its algorithm.

    What Python and the compiled kernels take is the same for all; what the data take is multiplied by the algorithm's
    factor, and what it takes beside them is added, as far as so many values can fill it.
    """
    least, traits = memory_for(Size()), traits_of(algorithm)
    return int(least + traits.memory_factor * (memory_for(size) - least)) + min(
        traits.memory_beside, int(_BESIDE_EACH * size.values)
    )


def input_of(source: Source, settings: Settings, algorithm: Algorithm) -> Input:
    """Choose whether a job runs in memory or by blocks.

    By blocks it runs where it would need more memory than it may take, or a work directory is named.

    Raises
    ------
    InputError
        If it would need more than it may take, and cannot run by blocks; or its size cannot be looked up.
    """
    size = source.size
    need, limit = memory_of(size, algorithm), memory_limit(settings.memory_limit)
    near = limit is not None and need + memory.COMPILING_TAKES > limit
    compiling = memory.COMPILING_TAKES if near and not warmup.is_warm() else 0
    need += compiling
    if settings.resume and settings.work_dir is None:
        msg = f"{setting('resume', True)} needs {setting('work_dir')}: the directory in which the run was killed"
        raise InputError(msg)
    by_blocks = settings.work_dir is not None or settings.cluster is not None
    if not by_blocks and (limit is None or need <= limit):
        return Input(source, False, need, limit, compiling)
    traits = traits_of(algorithm)
    if traits.refuses_above is not None and source.format == "parquet" and size.records > traits.refuses_above:
        limit_of_records = (
            f"{algorithm.name} takes at most {traits.refuses_above:,} records, the input has {int(size.records):,}"
        )
        msg = f"{limit_of_records}; {traits.instead}"
        raise InputError(msg)
    obstacle = _obstacle(settings, algorithm)
    least = memory.AT_LEAST + compiling
    if limit is not None and need > limit and (obstacle or limit < least):
        reasons = [obstacle, _compiling_takes(compiling)]
        require_memory(need if obstacle else least, settings.memory_limit, ", and ".join(filter(None, reasons)))
    if obstacle:
        given = setting("work_dir" if settings.work_dir is not None else "cluster")
        msg = f"{given} is for a run by blocks, but {obstacle}"
        raise InputError(msg)
    if settings.cluster is not None:
        require_on_workers(algorithm, "cluster")
    return Input(source, True, need, limit, compiling)


def _compiling_takes(compiling: int) -> str:
    """Return how much memory is reserved for compiling and how to avoid it; empty if none is."""
    return f"{format_size(compiling)} of it are for compiling kernels (run anonset warmup first)" if compiling else ""


def _obstacle(settings: Settings, algorithm: Algorithm) -> str:
    """Say why a job cannot run by blocks; nothing if it can."""
    traits = traits_of(algorithm)
    if not traits.by_blocks and traits.split_records is None:
        return f"{algorithm.name} takes all records at once ({_instead(algorithm.model)})"
    if settings.file.group and (len(settings.id or ()) > 1 or settings.sensitive):
        beside = "beside a sensitive column" if settings.sensitive else "with ids of several columns"
        return f"{setting('group', True)} {beside} takes all records at once"
    return ""


def _instead(model: PrivacyModel) -> str:
    """Say what runs by blocks, or in parts, for a model; where nothing does, what does for k^m-anonymity."""
    if runs := _running(model.name):
        return runs
    return f"nothing for {setting('model', model.name)} runs by blocks; for {setting('model', 'km')} {_running('km')}"


def _running(model: str) -> str:
    """Say which algorithms for a model run by blocks, or in parts, and under which parameters; nothing if none does."""
    runs: dict[str, list[str]] = {}
    for name in with_traits(lambda traits: model in traits.models):
        traits = traits_of(ALGORITHMS[name])
        if traits.by_blocks or traits.split_records is not None:
            how = "by blocks" if traits.by_blocks else "in parts of the data"
            runs.setdefault(f"{how} where {traits.where}" if traits.where else how, []).append(name)
    return "; ".join(f"{listed(names)} {'runs' if len(names) == 1 else 'run'} {how}" for how, names in runs.items())


def require_disk(settings: Settings, chosen: Input, request: Request, note: Note | None) -> None:
    """Refuse a run for which a disk is too small, and announce the space and time of a large one.

    Raises
    ------
    InputError
        With the directory, and both figures.
    """
    size, place = _published(chosen.source.size, settings), None
    if chosen.by_blocks:
        place = Path(settings.work_dir or tempfile.gettempdir())
        if settings.work_dir is not None and killed_run(place, settings) is not None:
            place = None  # its files are there already
    parquet = request.layout.format == "parquet"
    spaces = space_for(size, request.out, request.private_folder, place, parquet=parquet)
    require_space(spaces, by_blocks=chosen.by_blocks)
    if note is not None and (told := announcement(spaces, size)):
        note(told)


def _published(size: Size, settings: Settings) -> Size:
    """Return the part of a size that is not of columns left out, as far as these are named."""
    named = [*settings.items, *settings.relational, *settings.keep, *settings.id, settings.sensitive]
    kept = sum(name is not None for name in named)
    share = kept / (kept + len(settings.drop)) if settings.drop else 1.0
    return replace(size, values=int(size.values * share), text=int(size.text * share))


@contextmanager
def table_of(
    settings: Settings,
    chosen: Input,
    *,
    progress: Progress | None = None,
    note: Note | None = None,
    require: Callable[[Files], None] | None = None,
) -> Iterator[Table]:
    """Read the table of a job; its work directory is removed in the end, or, if it was named, on success.

    Parameters
    ----------
    require
        Called with the work directory before anything is read.

    Raises
    ------
    InputError
        If it cannot be read, or not within the memory that may be taken.
    """
    if not chosen.by_blocks:
        if progress is not None:
            progress("read", 0, 0)
        yield _gathered(chosen, settings, Memory(workers=Threads(settings.workers)), progress)
        return

    with work_place(settings, Limits.of_process(chosen.limit_on_data), note) as store:
        if require is not None:
            require(store)
        if note is not None:
            note(_by_blocks(chosen, store))
        facts = saved_facts(store)
        if facts is not None:
            _require_same(settings, facts["sha256"], chosen.source.sha256)
            yield saved_table(store)
            return
        table = _gathered(chosen, settings, store, progress)
        if settings.work_dir is not None:
            save_table(table, {"sha256": chosen.source.sha256})
        yield table


def _require_same(settings: Settings, before: str, now: str) -> None:
    """Refuse to go on with data that were changed since they were read."""
    if before != now:
        way = setting("resume", True) if settings.resume else setting("if_exists", "resume")
        msg = f"{way}: the data have changed since they were read; start again in another directory"
        raise InputError(msg, code="other-run")


def _by_blocks(chosen: Input, store: Files) -> str:
    """Say that a job runs by blocks, and, where nobody asked for it, why."""
    text = f"runs by blocks in {store.path}"
    if chosen.limit is None or chosen.need <= chosen.limit:
        return text
    taken = f"{format_size(chosen.limit)} may be taken"
    return f"{text}: in memory it would need about {format_size(chosen.need)}, of which {taken}"


def _gathered(chosen: Input, settings: Settings, store: Store, progress: Progress | None) -> Table:
    def tell(records: int) -> None:
        if progress is not None:
            progress("read", records, 0)

    return gather_files(chosen.source, ReadOptions(**settings.read_options()), store, tell)


_OF_SETS = frozenset("(,)")
"""What the names of sets of items hold: where that separates the items of the input, something else must in OUT."""


_PUBLISHED = {"tsv": "csv", "baskets": "csv", "jsonl": "csv", "xlsx": "csv", "spmf": "dat"}
"""By the format of the input that of the publication, where that differs."""


def request_of(settings: Settings, algorithm: Algorithm, read: str) -> Request:
    """Return where and how the settings ask to publish; by default in the format that is read, but tables as csv."""
    model = algorithm.model
    private = None if settings.private is None else Path(settings.private)
    format = settings.format or ("csv" if kind_of(model).several_tables else _PUBLISHED.get(read, read))  # noqa: A001
    made = any(spec.startswith((HALVES, REFINE)) for spec in settings.hierarchy.values())
    forms = traits_of(algorithm).forms_sets or made or settings.recoding is not None or settings.after is not None
    sets = forms and settings.symbols != "short"
    separator = settings.file.separator
    if separators_in(separator, settings.items) or (sets and _OF_SETS.intersection(separator or "")):
        separator = None
    layout = Layout(settings.order, settings.symbols, format, separator, settings.part_rows)  # type: ignore[arg-type]
    return Request(Path(settings.out), private, layout, settings.accept_undecided, settings.budget, settings.trace)
