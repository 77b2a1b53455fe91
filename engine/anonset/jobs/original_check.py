"""Whether an original, a publication and its private directory belong together; what does not is never measured."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from anonset.data import CategoricalColumn, Hierarchy, NumericColumn, SetColumn, Table
from anonset.data.fingerprints import column_sha256
from anonset.data.quasi_identifiers import Float64
from anonset.data.spans import Limits
from anonset.data.table import Column, Int64
from anonset.errors import InputError, datum
from anonset.publications import Buckets, Chunks, Records, Symbol
from anonset.publications.buckets import STAR
from anonset.publications.symbols import generalize, range_ends, row_ranks
from anonset.release.documents import Attestation, BucketFiles, DataFile, Report
from anonset.release.memory import format_size
from anonset.release.published_recoding import invert
from anonset.verification.relational_truth import covers

_BYTES, _BYTES_PER_COLUMN = 40, 48
"""Bytes that comparing rows takes for each of them, as measured: of its own, and of each column."""
_OTHER = "so it is not of the data that were published"


def require_columns(original: Table, attested: Attestation) -> None:
    """Refuse an original that has not the protected columns of a publication, in the same roles.

    Raises
    ------
    InputError
        With the columns.
    """
    data = attested.data
    if isinstance(data, BucketFiles):
        sensitive = [] if original.sensitive is None else [original.sensitive.name]
        pairs = {"id": ([c.name for c in original.ids], data.id), "sensitive": (sensitive, [data.sensitive])}
    else:
        sets = [] if original.transactions is None else list(original.joined or (original.transactions.name,))
        fimi = isinstance(data, DataFile) and data.format == "dat" and len(sets) == 1  # it has no names
        pairs = {"items": (data.items if fimi else sets, data.items)}
        pairs["relational"] = ([column.name for column in original.relational], data.relational)
    for role, (found, expected) in pairs.items():
        if sorted(found) != sorted(expected):
            shown = [", ".join(map(repr, names)) or "none" for names in (found, expected)]
            msg = f"the original must have the {role} columns that were published, {shown[1]}, got {shown[0]}"
            raise InputError(msg)


def require_same_content(original: Table, report: Report) -> None:
    """Refuse an original of which a column is not, row by row, what was anonymized.

    Raises
    ------
    InputError
        With the column.
    """
    known = report.input.get("columns", {})
    others = {column.name for column in (*original.kept, *original.ids)} - known.keys()  # dropped at the time
    for column in original.columns:
        if column.name not in others and column_sha256(column) != known.get(column.name):
            msg = (
                f"column {column.name!r} of the original is not the one that was published: it must hold the same "
                "values in the same order, and be read in the same way (as text or as numbers)"
            )
            raise InputError(msg)


def require_possible(
    original: Table,
    publication: Records | Buckets | Chunks,
    hierarchies: Mapping[str, Hierarchy],
) -> None:
    """Refuse an original that a publication cannot have been made from, where nothing private tells.

    Rows stand in another order than those of the original: what is compared is how often they occur.

    Raises
    ------
    InputError
        With the first difference.
    """
    if isinstance(publication, Buckets):
        _require_possible_buckets(original, publication)
        return
    if isinstance(publication, Chunks):
        _require_possible_chunks(original, publication)
        return
    kept = _kept_keys(original.kept, publication.kept)
    if original.transactions is not None and publication.transactions is not None:
        kept.append(_symbol_keys(original.transactions, publication.transactions, publication.symbols))
    if kept and not _as_often(kept):
        msg = f"the original, recoded as the codebook says, has other rows than the publication, {_OTHER}"
        raise InputError(msg)
    published = {column.name: column for column in publication.relational}
    for column in original.relational:
        _require_coverable(column, published[column.name], hierarchies.get(column.name))


def _kept_keys(
    before: tuple[CategoricalColumn, ...], after: tuple[CategoricalColumn, ...]
) -> list[tuple[Int64, Int64]]:
    """Return common codes of the kept columns that both have."""
    found = {column.name: column for column in after}
    return [
        (column.codes.astype(np.int64), _recoded(found[column.name], column))
        for column in before
        if column.name in found
    ]


def _recoded(column: CategoricalColumn, before: CategoricalColumn) -> Int64:
    """Return int64 (n,): published labels as codes of the original column, -1 for others."""
    index = before.vocabulary.index
    image = np.array([index.get(label, -1) for label in column.vocabulary.labels], np.int64)
    return image[column.codes] if column.n else np.zeros(0, np.int64)


def _symbol_keys(items: SetColumn, after: SetColumn, symbols: tuple[Symbol, ...]) -> tuple[Int64, Int64]:
    """Return common ranks of the rows of symbols: those of the original, recoded by the codebook, and the published."""
    symbol_of = invert({symbol.label: symbol.members for symbol in symbols})
    place = {symbol.label: code for code, symbol in enumerate(symbols)}
    labels = items.vocabulary.labels
    image = np.array([place.get(symbol_of.get(label, ""), -1) for label in labels], np.int32)
    recoded = generalize(items, image, symbols)
    both = SetColumn(
        items.name,
        np.concatenate([recoded.indptr, after.indptr[1:] + recoded.indptr[-1]]),
        np.concatenate([recoded.items, after.items]),
        after.vocabulary,
    )
    ranks = row_ranks(both)
    return ranks[: items.n], ranks[items.n :]


def _as_often(keys: list[tuple[Int64, Int64]]) -> bool:
    """Tell whether the same rows of keys occur in both, each as often."""
    sides = [np.stack([pair[side] for pair in keys]) for side in (0, 1)]
    one, other = (side[:, np.lexsort(side)] for side in sides)
    return np.array_equal(one, other)


def _require_coverable(before: Column, after: CategoricalColumn, hierarchy: Hierarchy | None) -> None:
    """Refuse values that no published one covers, and published ones that cover fewer values than they stand for."""
    values = before.codes if isinstance(before, CategoricalColumn) else before.values
    found, counts = np.unique(values, return_counts=True)
    texts = [before.vocabulary.labels[value] for value in found] if isinstance(before, CategoricalColumn) else []
    published = np.bincount(after.codes, minlength=len(after.vocabulary))
    covered = np.zeros(len(found), bool)
    for code in np.flatnonzero(published).tolist():
        label = after.vocabulary.labels[code]
        if isinstance(before, NumericColumn):
            own = _within(label, found.astype(np.float64))
        else:
            own = np.fromiter(map(covers(label, False, hierarchy), texts), bool, len(texts))
        covered |= own
        if published[code] > counts[own].sum():
            msg = (
                f"column {after.name!r}: {published[code]} rows are published as {datum(label)}, and "
                f"{counts[own].sum()} of the original have such values, {_OTHER}"
            )
            raise InputError(msg)
    if not covered.all():
        msg = f"column {after.name!r}: the original has values that no published one covers, {_OTHER}"
        raise InputError(msg)


def _within(label: str, numbers: Float64) -> NDArray[np.bool_]:
    """Tell which numbers are in a published range."""
    try:
        low, high = map(float, range_ends(label))
    except ValueError:
        return np.zeros(len(numbers), bool)
    return (numbers >= low) & (numbers <= high)


def _require_possible_buckets(original: Table, publication: Buckets) -> None:
    """Refuse rows and values of buckets that the original does not have, or not as often."""
    before = {column.name: column for column in (*original.ids, *original.kept)}
    columns = [c for c in (*publication.ids, *publication.kept) if c.name in before]
    visible = np.ones(publication.n, bool)
    for column in publication.ids:
        visible &= column.codes != column.vocabulary.index.get(STAR, -1)
    _require_room(original.n + publication.n, len(columns), publication.store.limits)
    pairs = [(before[c.name].codes.astype(np.int64), _recoded(c, before[c.name])[visible]) for c in columns]
    if pairs and not _contained(pairs):
        msg = f"qit.csv has rows that the original does not have, or not as often, {_OTHER}"
        raise InputError(msg)
    sensitive = original.sensitive
    if sensitive is not None:
        values = np.repeat(_recoded(publication.snt_value, sensitive), publication.snt_count)
        if not _contained([(sensitive.codes.astype(np.int64), values)]):
            msg = f"snt.csv has values that the original does not have, or not as often, {_OTHER}"
            raise InputError(msg)


def _require_room(rows: int, columns: int, limits: Limits) -> None:
    """Refuse to sort all rows at once where that would take more than half of what is left within the memory limit."""
    each = _BYTES + _BYTES_PER_COLUMN * columns
    if limits.held(rows, each) < rows:
        without = "without the private directory all rows are compared at once"
        msg = f"{without}, which takes about {format_size(each * rows)} of memory; name it, or raise the memory limit"
        raise InputError(msg)


def _contained(keys: list[tuple[Int64, Int64]]) -> bool:
    """Tell whether the first side has each row of keys of the second, and at least as often."""
    n = len(keys[0][0])
    if not n:
        return not len(keys[0][1])
    both = np.stack([np.concatenate(pair) for pair in keys])
    rank = np.unique(both, axis=1, return_inverse=True)[1].reshape(-1)
    counts = [np.bincount(part, minlength=int(rank.max(initial=-1)) + 1) for part in (rank[:n], rank[n:])]
    return bool(np.all(counts[0] >= counts[1]))


def _require_possible_chunks(original: Table, publication: Chunks) -> None:
    """Refuse items of chunks and terms that the original does not have, or not as often."""
    from anonset.measures.terms import in_chunks, in_terms

    column = original.transactions
    often = {} if column is None else dict(zip(column.vocabulary.labels, column.occurrences.tolist(), strict=True))
    totals, labels = dict(publication.totals or ()), publication.vocabulary.labels
    for item, counts in enumerate(zip(in_chunks(publication), in_terms(publication), strict=True)):
        occurring, shown = often.get(labels[item], 0), sum(counts)
        unknown = counts[1] > 0 and item not in totals
        if shown > occurring or (shown < occurring and not unknown):
            counted = f"{occurring} records of the original hold it, {shown} are published"
            msg = f"item {datum(labels[item])}: {counted}, {_OTHER}"
            raise InputError(msg)
