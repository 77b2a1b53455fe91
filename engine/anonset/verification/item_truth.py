"""Truthfulness: published symbols cover the original items, and stand for nothing else."""

import numpy as np

from anonset.data import SetColumn, Table
from anonset.errors import InputError
from anonset.generalization import Publication
from anonset.privacy import Witness
from anonset.verification.itemsets import Progress, require_well_formed

_ROWS_PER_CALL = 10_000


def check_item_truth(original: Table, publication: Publication, *, progress: Progress | None = None) -> Witness | None:
    """Find a published row that does not tell the truth about the record it was made from.

    In a truthful publication no record is published twice; every item of a record is covered by a symbol of its
    row, unless it is suppressed everywhere (no published symbol stands for it); and every symbol of a row stands
    for at least one item of its record.

    Returns
    -------
    The first violation, by row, or None. Its `support` is the number of symbols (items) that match, none.

    Raises
    ------
    InputError
        If the publication does not belong to the table: another codebook, or records that it does not have.

    Examples
    --------
    >>> from anonset.data import Hierarchy
    >>> from anonset.generalization import Cut, apply
    >>> hierarchy = Hierarchy.from_tree(("ALL", [("A", ["a1", "a2"]), "b"]))
    >>> table = Table.from_sets([{"a1", "b"}, {"a2"}], universe=hierarchy.leaves.labels)
    >>> check_item_truth(table, apply(table, Cut.identity(hierarchy))) is None
    True
    """
    before, after = original.transactions, publication.transactions
    _require_same_shape(original, publication)
    record = publication.record
    repeated = np.ones(publication.n, bool)
    repeated[np.unique(record, return_index=True)[1]] = False
    if bool(repeated.any()):
        row = int(np.argmax(repeated))
        return Witness((), 0, 1, row, f"input record {record[row]} is published more than once")
    if before is None or after is None:
        return None
    return _first_untrue(before, after, publication, progress)


def _require_same_shape(original: Table, publication: Publication) -> None:
    before, after, record = original.transactions, publication.transactions, publication.record
    if (before is None) != (after is None):
        msg = "the table and its publication must both have a set-valued column, or neither"
        raise InputError(msg)
    if len(record) and not (int(record.min()) >= 0 and int(record.max()) < original.n):
        msg = f"records of the publication must be in 0..{original.n - 1}, got {int(record.min())}..{int(record.max())}"
        raise InputError(msg)
    if after is None:
        return
    require_well_formed(after)
    if after.n != len(record):
        msg = f"the publication has {after.n} rows, but names the records of {len(record)}"
        raise InputError(msg)
    if after.vocabulary.labels != tuple(symbol.label for symbol in publication.symbols):
        msg = "the codebook of the publication must explain its symbols, one by one and in their order"
        raise InputError(msg)


def _first_untrue(
    before: SetColumn, after: SetColumn, publication: Publication, progress: Progress | None
) -> Witness | None:
    from anonset_kernels.verification import Members, first_untrue

    code_of = before.vocabulary.index
    known = [sorted({code_of[x] for x in symbol.members if x in code_of}) for symbol in publication.symbols]
    indptr = np.zeros(len(known) + 1, np.int64)
    np.cumsum([len(codes) for codes in known], out=indptr[1:])
    members = Members(indptr, np.fromiter((c for codes in known for c in codes), np.int32, int(indptr[-1])))
    hidden = np.ones(len(before.vocabulary), bool)
    for symbol in np.flatnonzero(after.occurrences):
        hidden[known[symbol]] = False
    records, rows = (before.indptr, before.items), (after.indptr, after.items)
    for begin in range(0, publication.n, _ROWS_PER_CALL):
        end = min(begin + _ROWS_PER_CALL, publication.n)
        row, item, code = first_untrue(records, rows, publication.record, members, hidden, begin, end)
        if progress is not None:
            progress("truthfulness", float(end), float(publication.n))
        if item >= 0:
            label = before.vocabulary.labels[item]
            return Witness((label,), 0, 1, row, f"no symbol of this row stands for the original item {label!r}")
        if code >= 0:
            label = after.vocabulary.labels[code]
            return Witness((label,), 0, 1, row, f"symbol {label!r} stands for no item of the original record")
    return None
