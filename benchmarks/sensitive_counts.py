"""Measure how well `cahd` preserves the counts of a public item together with a sensitive item.

Run as ``python -m benchmarks.sensitive_counts FOLDER``, with the folder of the real data. Ten items of at least 20
records, and of at most 1/20 of the records, are drawn as sensitive, with several seeds. A count of both items is
estimated from a publication by assuming that they are independent in each cluster; a term is in one record. The error
is half of the sum of all differences from the original counts, divided by the sum of the original counts: the share of
pairs that are counted at the wrong place. The table compares `cahd` with `disassociation` for k=1, and with a single
cluster of all records, which preserves no correlation.
"""

import gzip
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from anonset.algorithms.transaction.disassociation.cahd import Cahd
from anonset.algorithms.transaction.disassociation.disassociation import Disassociation
from anonset.data import SetColumn, Table
from anonset.generalization import Disassociated
from anonset.generalization.recoding import TERMS

DATA = ("bms_webview1", "bms_webview2", "groceries", "msweb", "retail")
CAPS, SEEDS, ITEMS = ("1/4", "1/10", "1/20"), range(5), 10


def sensitive_of(column: SetColumn, seed: int) -> tuple[str, ...]:
    """Draw the sensitive items."""
    counts = column.occurrences
    chosen = np.flatnonzero((counts >= 20) & (counts <= column.n / 20))
    drawn = np.random.default_rng(seed).choice(chosen, ITEMS, replace=False)
    return tuple(column.vocabulary.labels[item] for item in sorted(drawn))


def error(column: SetColumn, recoding: Disassociated, sensitive: tuple[str, ...]) -> tuple[float, float]:
    """Return the error of the counts, and the share of sensitive occurrences in chunks."""
    secret = np.array([label in sensitive for label in column.vocabulary.labels], np.bool_)
    n_items, n_clusters = len(secret), recoding.n_clusters
    matrix = csr_array(
        (np.ones(len(column.items)), column.items.astype(np.int64), column.indptr), shape=(column.n, n_items)
    )
    sizes = np.diff(recoding.begins)
    cluster = np.empty(column.n, np.int64)
    cluster[recoding.record] = np.repeat(np.arange(n_clusters), sizes)
    of_cluster = csr_array((np.ones(column.n), (cluster, np.arange(column.n))), shape=(n_clusters, column.n))
    counts = (of_cluster @ matrix).tocsr()
    shown = counts[:, secret].toarray()
    terms, occurrences = recoding.place == TERMS, shown.sum()
    dense = np.zeros((n_clusters, n_items), np.bool_)
    dense[recoding.in_cluster[terms], recoding.item[terms]] = True
    hidden = dense[:, secret]
    kept = shown[~hidden].sum() / occurrences
    shown[hidden] = 1
    estimated: NDArray[np.float64] = counts[:, ~secret].T @ (shown / sizes[:, None])
    actual = (matrix[:, ~secret].T @ matrix[:, secret]).toarray()
    return float(np.abs(estimated - actual).sum() / 2 / actual.sum()), float(kept)


def single(column: SetColumn, sensitive: tuple[str, ...]) -> Disassociated:
    """Return a publication with a single cluster, whose items have a chunk each."""
    item = np.flatnonzero(column.occurrences).astype(np.int32)
    none = np.zeros(len(item), np.int32)
    begins = np.array([0, column.n])
    return Disassociated(np.arange(column.n), begins, none, item, np.arange(len(item), dtype=np.int32), none, none)


def lines_of(folder: Path, name: str) -> Iterator[str]:
    """Yield a line per cap, with means over the seeds."""
    with gzip.open(folder / "transactions" / f"{name}.dat.gz", "rt") as file:
        column = SetColumn.of([line.split() for line in file])
    table = Table(column)
    for cap in CAPS:
        rows = []
        for seed in SEEDS:
            sensitive = sensitive_of(column, seed)
            began = time.process_time()
            recoding = Cahd(sensitive_items=sensitive, cap=cap).recode(table, {}).recoding
            seconds = time.process_time() - began
            other = Disassociation(k=1, m=1, sensitive_items=sensitive, cap=cap).recode(table, {}).recoding
            assert isinstance(recoding, Disassociated)
            assert isinstance(other, Disassociated)
            one = error(column, single(column, sensitive), sensitive)[0]
            rows.append((error(column, recoding, sensitive)[0], *error(column, other, sensitive), one, seconds))
        cahd, other_error, kept, one, seconds = (fmean(values) for values in zip(*rows, strict=True))
        yield f"| {name} | {cap} | {cahd:.1%} | {other_error:.1%} | {kept:.1%} | {one:.1%} | {seconds:.2f} |"


def main(folder: Path) -> None:
    """Print the table."""
    for name in DATA:
        for line in lines_of(folder, name):
            sys.stdout.write(line + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
