"""Check of k^m-anonymity of every partition of a local recoding."""

from anonset.data import SetColumn
from anonset.data.store import MEMORY, Store
from anonset.data.table import Int32
from anonset.errors import InputError
from anonset.privacy import Verdict
from anonset.privacy.partitions import PartitionKmAnonymity
from anonset.verification.cohorts import Rule, check_cohorts
from anonset.verification.counting import Progress


def check_partitions(
    column: SetColumn,
    partition: Int32 | None,
    model: PartitionKmAnonymity,
    budget: int,
    progress: Progress | None,
    store: Store = MEMORY,
) -> Verdict:
    """Check published records, given the partition of each.

    Parameters
    ----------
    store
        Store of temporary files, if the column is in files.

    Raises
    ------
    InputError
        If the partitions are not known.
    """
    if partition is None or len(partition) != column.n:
        msg = f"model {model.name!r} needs the partition of each published record; check 'km' where it is not known"
        raise InputError(msg)
    rule = Rule(range(1, model.m + 1), model.k)
    return check_cohorts(column, partition, (), rule, model, budget, progress, store)
