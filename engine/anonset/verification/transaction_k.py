"""Check of k-anonymity of complete records of items, by counting equal records."""

import numpy as np

from anonset.data import SetColumn
from anonset.data.array_types import Int32, Int64
from anonset.data.spans import spans
from anonset.data.storage.store import Store
from anonset.errors import AnonsetError
from anonset.privacy import Verdict, Witness
from anonset.privacy.transaction_k import TransactionKAnonymity
from anonset.verification.distinct_rows import merged
from anonset.verification.itemsets import require_well_formed


def check_transaction_k(column: SetColumn, model: TransactionKAnonymity, store: Store) -> Verdict:
    """Count the records with the same symbols, including empty records. The witness is the first record below k.

    Parameters
    ----------
    store
        Store of the distinct records, if the column is in files.
    """
    require_well_formed(column, store)
    merged_rows = merged(column, store)
    checked = {"rows": column.n, "distinct_rows": merged_rows.column.n, "covered": "every record"}
    first, rows = (
        _first_below(merged_rows.weight, model.k),
        merged_rows.column,
    )  # rows are in order of first occurrence
    if first < 0:
        return Verdict(True, model, checked)
    same = _records_equal(column, rows.held_by(first))
    if len(same) != merged_rows.weight[first]:
        raise AnonsetError(
            f"verification counted {merged_rows.weight[first]} records with the same symbols, but {len(same)} are equal"
        )
    return Verdict(False, model, checked, Witness((), len(same), model.k, int(same[0]), "as a whole record"))


def _first_below(weight: Int64, k: int) -> int:
    """Return the first position of a weight below k, or -1. Constant memory."""
    for begin, end in spans(len(weight)):
        rare = weight[begin:end] < k
        if rare.any():
            return begin + int(rare.argmax())
    return -1


def _records_equal(column: SetColumn, codes: Int32) -> Int64:
    """Return the records that contain exactly the given codes, by a scan of the column."""
    equal_records = []
    for begin, end in spans(column.n):
        indptr = column.indptr[begin : end + 1]
        alike = np.flatnonzero(np.diff(indptr) == len(codes))
        equal = column.codes[indptr[alike, None] + np.arange(len(codes))] == codes
        equal_records.append(begin + alike[equal.all(axis=1)])
    return np.concatenate([np.empty(0, np.int64), *equal_records]).astype(np.int64)
