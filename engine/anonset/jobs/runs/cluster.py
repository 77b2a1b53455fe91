"""Checks whether a run can use a cluster."""

from anonset.algorithms.base import Algorithm, traits_of
from anonset.algorithms.registry import with_traits
from anonset.data import Table
from anonset.data.storage.store import Files
from anonset.errors import InputError
from anonset.spelling import listed, setting


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
    msg = f"{setting(option)}: {algorithm.name} runs on a single machine ({alternatives})"
    raise InputError(msg)


def require_files(table: Table) -> Files:
    """Return the work directory of a table, and reject a table in memory.

    Raises
    ------
    InputError
        The message contains the remedy.
    """
    if not isinstance(table.store, Files):
        msg = (
            f"{setting('client')} needs a table from anonset.scan with a {setting('work_dir')} that all workers can "
            "access"
        )
        raise InputError(msg)
    return table.store
