"""Clusters of runs: connecting to one, and checks whether a run can use it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from anonset.algorithms.base import Algorithm, traits_of
from anonset.algorithms.registry import with_traits
from anonset.data import Table
from anonset.data.storage.store import Files
from anonset.errors import InputError
from anonset.spelling import listed, setting

if TYPE_CHECKING:
    from anonset.settings.settings import ComparedSettings, Settings


@contextmanager
def connected(settings: "ComparedSettings | Settings") -> Iterator[Any]:
    """Yield a client of the cluster that the settings name. The client is None if they name no cluster.

    Raises
    ------
    InputError
        If the cluster cannot be used.
    """
    if settings.cluster is None:
        yield None
        return
    from anonset.data.storage.scheduler import cluster_of  # slow: imports asyncio

    with cluster_of(settings.cluster, settings.cluster_tls) as client:
        yield client


@contextmanager
def attached(store: Files, client: Any) -> Iterator[Files]:
    """Yield a store whose tasks run on the workers of a Dask client. If the client is None, yield the store itself.

    Raises
    ------
    InputError
        If a worker cannot access the store.
    """
    if client is None:
        yield store
        return
    from anonset.data.storage.cluster import ClusterWorkers

    with ClusterWorkers(client, store) as workers:
        yield store.with_workers(workers)


def require_on_workers(algorithm: Algorithm, option: str) -> None:
    """Reject an algorithm that cannot distribute tasks to workers. `option` is the setting with the workers.

    Raises
    ------
    InputError
        The message contains the reason, or the algorithms that run on workers.
    """
    traits = traits_of(algorithm)
    if traits.to_workers:
        return
    if traits.undivided:
        msg = f"{setting(option)} does not speed up {algorithm.name} ({traits.undivided}); remove the option"
        raise InputError(msg)
    others = listed(with_traits(lambda other: other.by_blocks and other.on_workers))
    alternatives = f"clusters can run {others}, and runs in parts"
    raise InputError(f"{setting(option)}: {algorithm.name} runs on a single machine ({alternatives})")


def require_files(table: Table) -> Files:
    """Return the work directory of a table, and reject a table in memory.

    Raises
    ------
    InputError
        The message contains the remedy.
    """
    if not isinstance(table.store, Files):
        raise InputError(
            f"{setting('client')} needs a table from anonset.scan with a {setting('work_dir')} that all workers can "
            "access"
        )
    return table.store
