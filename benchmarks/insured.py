"""Generate insured persons with age, sex, region and a set of diagnosis codes. No person is real.

    python -m benchmarks.insured 1000000 insured.parquet
    python -m benchmarks.insured 1000000 insured.parquet 5000

A person has 4.8 codes on average. There are 540 codes by default, and their frequencies roughly follow Zipf's law. Each
code is most frequent at a certain age and for a certain sex. Neighbouring codes share this age and sex, so they often
occur together.
"""

import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

CODES, REGIONS = 540, 16
_AT_ONCE = 1 << 18
_AGE_BANDS, _LONGEST, _MEAN_OF_LOGARITHM, _SPREAD = 21, 26, 1.25, 0.75


def write_insured(n: int, path: Path, n_codes: int = CODES, seed: int = 0) -> None:
    """Write a Parquet file with the columns ``age``, ``sex``, ``region`` and ``codes`` (separated by blanks)."""
    import pyarrow as pa
    from pyarrow import parquet

    rng = np.random.default_rng(seed)
    below = np.cumsum(_shares(n_codes, rng), axis=1)
    regions = 1 / np.arange(1, REGIONS + 1) ** 0.7
    names = np.array([f"{chr(ord('A') + at * 26 // n_codes)}{at:04}" for at in range(n_codes)])
    kinds = {"age": pa.int64(), "sex": pa.string(), "region": pa.string(), "codes": pa.string()}
    with parquet.ParquetWriter(path, pa.schema(kinds.items())) as writer:
        for first in range(0, n, _AT_ONCE):
            size = min(_AT_ONCE, n - first)
            age, sex = np.clip(rng.normal(48, 23, size), 0, 104).astype(np.int64), rng.integers(0, 2, size)
            region = rng.choice(REGIONS, size, p=regions / regions.sum())
            drawn = np.clip(rng.lognormal(_MEAN_OF_LOGARITHM, _SPREAD, size).astype(np.int64) + 1, 1, _LONGEST)
            stratum = np.repeat((age // 5) * 2 + sex, drawn)
            place = rng.random(len(stratum))
            code = np.empty(len(stratum), np.int64)
            for s in range(len(below)):
                code[stratum == s] = np.searchsorted(below[s], place[stratum == s])
            person = np.repeat(np.arange(size), drawn)
            keys = np.unique(person * n_codes + np.minimum(code, n_codes - 1))
            ends = np.cumsum(np.bincount(keys // n_codes, minlength=size))[:-1]
            codes = [" ".join(row) for row in np.split(names[keys % n_codes], ends)]
            writer.write_table(
                pa.table(
                    {
                        "age": age,
                        "sex": np.array(["f", "m"])[sex],
                        "region": [f"R{r:02}" for r in region],
                        "codes": codes,
                    }
                )
            )


def _shares(n_codes: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Return the share of each code in each stratum (age band and sex), float64 (strata, codes)."""
    frequency = rng.permutation(1 / (np.arange(n_codes) + 3.0) ** 0.9)
    chapters = max(1, n_codes // 25)
    chapter = np.arange(n_codes) * chapters // n_codes
    peak = rng.uniform(0, 95, chapters)[chapter] + rng.normal(0, 5, n_codes)
    women = np.clip(rng.normal(0.5, 0.2, chapters)[chapter], 0.05, 0.95)
    middle = np.arange(_AGE_BANDS) * 5 + 2.5
    by_age = 0.05 + np.exp(-((middle[:, None] - peak) ** 2) / (2 * 18.0**2))
    shares = np.stack([by_age * women, by_age * (1 - women)], axis=1).reshape(2 * _AGE_BANDS, n_codes) * frequency
    normal: NDArray[np.float64] = shares / shares.sum(axis=1, keepdims=True)
    return normal


if __name__ == "__main__":
    write_insured(int(sys.argv[1]), Path(sys.argv[2]), *map(int, sys.argv[3:]))
