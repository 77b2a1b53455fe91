"""Measure how the time of each algorithm grows with the number of records, and write the table of docs/scale.md.

    python -m benchmarks.growth

Each algorithm searches generated tables of increasing size in memory on one thread, until a search takes more than
`LONG` CPU seconds or the algorithm rejects the table. A line, or a power law where no line fits, describes the three
largest sizes. Kernels are compiled before.
"""

import sys
import time
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from benchmarks.algorithms.test_bench_families import CASES, Case, bound, fresh, generated
from benchmarks.experiments.results_page import put
from benchmarks.experiments.runner import machine
from benchmarks.experiments.workers import ROOT

from anonset.algorithms.base import traits_of
from anonset.algorithms.registry import ALGORITHMS
from anonset.errors import InputError
from anonset.jobs.trials.growth import Line, fitted_power

SIZES = (1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000)
LONG = 12.0
"""Larger tables are not searched after a search of this many CPU seconds."""
PAGE = ROOT / "docs" / "scale.md"


def measured(case: Case) -> Iterator[tuple[int, float]]:
    """Yield the number of records and the CPU seconds of searches, smaller tables first."""
    algorithm: Any = ALGORITHMS[case.algorithm](**case.parameters)
    for records in SIZES:
        table, hierarchies = bound(generated(case.data, records), algorithm)
        try:
            if records == SIZES[0]:
                algorithm.recode(fresh(table), hierarchies)
            began = time.process_time()
            algorithm.recode(fresh(table), hierarchies)
        except InputError:
            return
        seconds = time.process_time() - began
        yield table.n, seconds
        if seconds > LONG:
            return


def described(points: list[tuple[int, float]]) -> str:
    """Return the growth as text.

    >>> described([(1_000, 0.011), (10_000, 0.02), (100_000, 0.11)])
    '10 ms + 1 µs per record'
    >>> described([(1_000, 0.01), (2_000, 0.04), (4_000, 0.16)])
    'records^2.0'
    """
    line = Line.fitted(points)
    if line.is_linear:
        fixed = f"{1e3 * line.fixed:.2g} ms + " if line.fixed >= 1e-4 else ""
        return f"{fixed}{1e6 * line.slope:.2g} µs per record"
    return f"records^{fitted_power(points)[0]:.1f}"


def larger(name: str) -> str:
    """Return what the algorithm does with tables that are larger than memory, or than its own limit."""
    cls: Any = ALGORITHMS[name]
    traits = traits_of(cls)
    limit = next((field.default for field in fields(cls) if field.name == "max_records"), None)
    if limit is not None:
        return f"rejected above {limit:,} records"
    if traits.by_blocks:
        return "in blocks"
    return "in memory only" if traits.split_records is None else f"in parts of at most {traits.split_records:,} records"


def main() -> None:
    """Measure all algorithms and write the table."""
    rows = ["| algorithm | largest table | CPU seconds | growth | larger tables |", "|---|---|---|---|---|"]
    for name in ALGORITHMS:
        points = list(measured(next(case for case in CASES if case.algorithm == name)))
        records, seconds = points[-1]
        rows.append(f"| `{name}` | {records:,} | {seconds:.2g} | {described(points[-3:])} | {larger(name)} |")
        sys.stdout.write(f"{rows[-1]}\n")
    here = machine()
    note = f"Measured at commit {here['commit'][:12]} on one thread of {here['cpu']}, with generated data."
    sys.stdout.write(put("\n".join([*rows, "", note]), "growth", PAGE) + "\n")


if __name__ == "__main__":
    main()
