"""Checking k-anonymity of whole transactions by counting equal records."""

import numpy as np

from anonset.data import SetColumn
from anonset.generalization.publication import row_ranks
from anonset.privacy import Verdict, Witness
from anonset.privacy.transaction_k import TransactionKAnonymity
from anonset.verification.itemsets import require_well_formed


def check_transaction_k(column: SetColumn, model: TransactionKAnonymity) -> Verdict:
    """Count the records with the same symbols, empty ones included; the witness is the first record with too few."""
    require_well_formed(column)
    _, first, inverse, count = np.unique(row_ranks(column), return_index=True, return_inverse=True, return_counts=True)
    checked = {"rows": column.n, "distinct_rows": len(first), "covered": "every record"}
    alike = count[inverse] if column.n else np.empty(0, np.int64)
    rare = np.flatnonzero(alike < model.k)
    if len(rare) == 0:
        return Verdict(True, model, checked)
    row = int(rare[0])
    codes = column.items[column.indptr[row] : column.indptr[row + 1]]
    same = [
        r
        for r in np.flatnonzero(column.lengths == len(codes)).tolist()
        if np.array_equal(column.items[column.indptr[r] : column.indptr[r + 1]], codes)
    ]
    return Verdict(False, model, checked, Witness((), len(same), model.k, row, "as a whole record"))
