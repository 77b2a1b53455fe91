"""Read the data that a command compares. Large data are stored in files and memory-mapped."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Literal

from anonset.data import Table
from anonset.data.spans import Limits
from anonset.data.storage.store import MEMORY, Store
from anonset.errors import InputError, MisreadError, MissingRoleError
from anonset.jobs.runs.cluster import attached, connected
from anonset.jobs.runs.work_places import work_place
from anonset.reading.options import ReadOptions
from anonset.reading.sources.source import Source
from anonset.reading.table_builder import gather_files
from anonset.release import memory
from anonset.release.memory import memory_for, memory_limit, require_memory
from anonset.release.opened import OpenedPublication, open_publication
from anonset.release.publishing.staging import private_of, require_apart
from anonset.settings.settings import ComparedSettings, ReadingSettings
from anonset.spelling import StatedSettings, as_typed, setting

_RISKS = 1.2
"""Ratio of the memory for counting risks to the memory of a run."""
_CHUNKS = 1.5
"""Ratio of the memory for a disassociated publication to the memory of a run.

Measured: 470 MiB for 1,470 clusters of 88,162 baskets.
"""


@contextmanager
def place_of_data(sources: Sequence[Source], settings: ComparedSettings, factor: float = 1.0) -> Iterator[Store]:
    """Yield the store for data that a command compares. The store is in memory if all data fit, and on disk if they do
    not.

    Parameters
    ----------
    sources
        All data.
    settings
        Memory limit, by default the available memory. With a work directory or a cluster, the data are on disk even if
        they fit into memory. The contents of the work directory are removed at the end.
    factor
        Memory required, as a multiple of a run's memory.

    Raises
    ------
    InputError
        If the memory limit is below the minimum of an out-of-core run, the directory is not writable, or the cluster
        cannot be used.
    """
    given, work_dir = settings.memory_limit, settings.work_dir
    limit, need = memory_limit(given), int(factor * sum(memory_for(source.size) for source in sources))
    if work_dir is None and settings.cluster is None and (limit is None or need <= limit):
        yield MEMORY
        return
    if given is not None and limit is not None and need > limit < memory.AT_LEAST:
        require_memory(memory.AT_LEAST, given)
    limits = Limits.of_process(limit)
    with work_place(work_dir, limits) as files, connected(settings) as client, attached(files, client) as store:
        yield store


@contextmanager
def opened_to_compare(
    published: OpenedPublication | str | os.PathLike[str],
    original: Source | None,
    settings: ComparedSettings,
    use: Literal["check", "losses", "risks"],
    *,
    with_private: bool = True,
) -> Iterator[tuple[OpenedPublication, Store]]:
    """Open a publication for comparison with the original, and choose the store of the publication and the original.

    Parameters
    ----------
    settings
        Private directory, reading options of the original, memory limit, work directory and cluster.
    use
        Use of the data: to check the publication, to measure losses, or to count risks. Only a check processes chunks
        out of core. Counting risks with an original requires memory.
    with_private
        Whether to fetch the private files next to a publication at an address.

    Yields
    ------
    tuple of OpenedPublication and Store
        Publication, and the store for the original. The store is in memory if all data fit.

    Raises
    ------
    InputError
        If there is no publication, or the data exceed the memory limit.
    """
    out = published.out if isinstance(published, OpenedPublication) else published
    directories = out, private_of(out, settings.private), None if original is None else original.where
    require_apart(settings.work_dir, *directories)
    with (
        open_publication(published, settings.private, with_private=with_private) as opened,
        _placed(opened, original, settings, use) as placed,
    ):
        yield placed


@contextmanager
def _placed(
    publication: OpenedPublication, original: Source | None, settings: ComparedSettings, use: str
) -> Iterator[tuple[OpenedPublication, Store]]:
    data, for_risks = publication.attested.data, use == "risks"
    obstacle = f"{data.kind} are processed in memory" if data.held_in_memory and use != "check" else ""
    if for_risks and original is not None and not data.by_blocks:
        in_memory = (
            "the comparison with the original runs in memory; without the original, risks are counted out of core"
        )
        obstacle = obstacle or in_memory
    if obstacle:
        if settings.cluster is not None:
            raise InputError(f"{setting('cluster')} requires an out-of-core run, but {obstacle}")
        factor = _CHUNKS if data.held_in_memory else _RISKS
        require_memory(int(factor * memory_for(publication.source.size)), settings.memory_limit, obstacle)
    sized = data.by_blocks or data.held_in_memory or (for_risks and not obstacle)
    sources = [*([publication.source] if sized else []), *([] if original is None else [original])]
    place_of = place_of_data(sources, settings, _RISKS if for_risks else 1.0)
    with place_of as place, publication.placed(place, records=not (for_risks and obstacle)) as opened:
        yield opened, place


def read_data(source: Source, options: ReadOptions, store: Store = MEMORY) -> Table:
    """Read data into a store.

    Parameters
    ----------
    store
        Store that contains the table. A table in files is stored in a nested directory.

    Raises
    ------
    InputError
        If the data contradict the options, or cannot be read into files.
    """
    try:
        return gather_files(source, options, store.nested())
    except (MisreadError, MissingRoleError) as error:
        error.commands = to_inspect(source.where, vars(options))
        raise


def source_to_read(settings: ReadingSettings, where: str) -> Source:
    """Resolve data. If their format is unknown, the error message contains the command that detects it."""
    try:
        return settings.source(where)
    except MisreadError as error:
        error.commands = to_inspect(where, settings.model_dump())
        raise


def to_inspect(where: str, options: StatedSettings) -> list[str]:
    """Return a line with the command that detects the reading options of data and proposes the missing roles.

    >>> to_inspect("a.csv", {"items": ["codes"], "id": [], "k": 5, "unit": []})
    ['complete command, to propose roles: anonset inspect a.csv --items codes -o job.toml']
    """
    from anonset.settings.commands import InspectSettings

    defaults = {name: field.default for name, field in InspectSettings.model_fields.items() if name != "input"}
    listed = {n: [*x] if isinstance(x := options[n], tuple) else x for n in defaults if n in options}
    stated = {name: value for name, value in listed.items() if value not in (None, defaults[name])}
    return [f"complete command, to propose roles: {as_typed('inspect', where, stated)} -o job.toml"]
