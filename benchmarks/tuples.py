"""Generate tuples for buckets. A person has several tuples, each with a sensitive value and an unchanged column.

    python -m benchmarks.tuples 100000000 tuples.parquet

A person, identified by an id such as ``p000000042``, has 4 tuples on average. The 200 sensitive values roughly follow
Zipf's law, with at most 2 % of the tuples each; the unchanged column has 50 values. Rows are in random order.
"""

import sys
from pathlib import Path

import numpy as np

PER_PERSON = 4
VALUES, WARDS = 200, 50
_AT_ONCE = 1 << 20
_MOST = 0.02


def write_tuples(n: int, path: Path, seed: int = 0) -> None:
    """Write `n` tuples to a Parquet file with the columns ``patient``, ``drug`` and ``ward``."""
    import pyarrow as pa
    from pyarrow import parquet

    rng = np.random.default_rng(seed)
    persons = max(1, n // PER_PERSON)
    shares = np.minimum(1 / np.arange(1, VALUES + 1), _MOST * 5)
    for _ in range(50):  # redistribute the shares above the limit
        shares = np.minimum(shares / shares.sum(), _MOST)
    shares /= shares.sum()
    drugs, wards = (pa.array([f"{kind}{at:03}" for at in range(size)]) for kind, size in (("d", VALUES), ("w", WARDS)))
    kinds = {"patient": pa.string(), "drug": pa.string(), "ward": pa.string()}
    plain = {"use_dictionary": ["drug", "ward"]}
    with parquet.ParquetWriter(path, pa.schema(kinds.items()), **plain) as writer:
        for first in range(0, n, _AT_ONCE):
            size = min(_AT_ONCE, n - first)
            numbers = pa.array(rng.integers(0, persons, size) + 10**9).cast(pa.string())
            patient = pa.compute.binary_replace_slice(numbers, 0, 1, "p")
            drug = drugs.take(pa.array(rng.choice(VALUES, size, p=shares)))
            ward = wards.take(pa.array(rng.integers(0, WARDS, size)))
            writer.write_table(pa.table({"patient": patient, "drug": drug, "ward": ward}))


if __name__ == "__main__":
    import pyarrow.compute  # noqa: F401

    write_tuples(int(sys.argv[1]), Path(sys.argv[2]))
