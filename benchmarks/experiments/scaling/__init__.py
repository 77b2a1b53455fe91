"""Measure how the cost of AA grows with records, m, items and record length: in memory, out of core, on a cluster."""

from benchmarks.experiments.cases import Case, Claim, Figure, Measured, Paper, Parameters, Results
from benchmarks.experiments.checks import LINEAR, each_at_most, linear, listed, rise_at_most
from benchmarks.experiments.scaling.cases import FIGURES
from benchmarks.experiments.scaling.in_memory import measure_in_memory
from benchmarks.experiments.scaling.studies import RUNS, measure_model
from benchmarks.experiments.terrovitis2008.measurement import compile_kernels

_QUANTITIES = {
    "microseconds_per_record": "time per record in µs (best of 3)",
    "seconds": "time in seconds (best of 3)",
    "peak_mib": "peak memory of the process in MiB",
    "ncp": "information loss (NCP)",
}
_POS_RECORDS = 515_597


def _case(figure: str, x: int, *, records: int = _POS_RECORDS, m: int = 2) -> Case:
    shared = {"data": "pos_like", "algorithm": "apriori", "k": 5, "fanout": 5, "order": "numeric", "tree": False}
    return Case(figure, "AA", x, {**shared, "records": records, "m": m}, cost="memory")


def _bytes_per_record(results: Results) -> tuple[bool, str]:
    (low, before), (high, after) = results.curve("AA", "peak_mib")[0], results.curve("AA", "peak_mib")[-1]
    each = (after - before) * 2**20 / (float(high) - float(low))
    return each <= 500, f"{listed([each])} bytes per additional record, {listed([after])} MiB at the largest"


def measure(parameters: Parameters) -> Measured:
    """Run a case in memory or out of core, or evaluate the cost model."""
    if "model" in parameters:
        return measure_model(parameters)
    if "engine" in parameters:
        from benchmarks.experiments.scaling.by_blocks import measure_by_blocks

        return measure_by_blocks(parameters)
    return measure_in_memory(parameters)


PAPER = Paper(
    key="scaling",
    title="Growth of the cost of AA",
    note="""\
The study measures AA with k=5 and the hierarchy `balanced:5` on `pos_like`. These generated point-of-sale baskets
contain 6.5 of 1,657 items on average. Smaller tables are prefixes of larger tables, so fewer itemsets are rare in
larger tables, and the loss falls. Times are the best of three searches on a table in memory, on one thread, after a
search that loads the kernels. Each case runs in a separate process. Every result was verified.

The figures "Blocks" show only the search, over records in the files of a work directory. It runs on two threads, or
on a local cluster of two single-threaded processes, after a small search that loads the kernels. CPU seconds of a
cluster include its scheduler.""",
    measure=measure,
    reads=lambda parameters: [RUNS if "model" in parameters else parameters.get("data", "")],
    study=True,
    prepare=compile_kernels,
    figures=[
        Figure(
            "records",
            "Records: time per record as the table grows (m=2)",
            "records",
            _QUANTITIES,
            [_case("records", n, records=n) for n in (50_000, 100_000, _POS_RECORDS, 1_000_000, 5_000_000)],
            (
                Claim(
                    "the time per record does not grow up to 5,000,000 records",
                    "no value is more than twice the value of a smaller table",
                    rise_at_most("AA", "microseconds_per_record", 2),
                ),
                Claim(
                    "the search is linear in the number of records",
                    LINEAR,
                    linear("AA", "seconds"),
                ),
                Claim(
                    "memory is linear in the number of records",
                    "memory is at most 500 bytes per additional record",
                    _bytes_per_record,
                ),
            ),
            quick=(50_000, 100_000),
        ),
        Figure(
            "m",
            f"m: time as m grows ({_POS_RECORDS:,} records)",
            "m",
            _QUANTITIES,
            [_case("m", m, m=m) for m in (2, 3, 4, 5)],
            (
                Claim(
                    "half a million baskets are anonymized in seconds up to m=5",
                    "the time is at most 30 seconds for each m",
                    each_at_most("AA", "seconds", 30),
                ),
            ),
            quick=(2, 3),
        ),
        *FIGURES,
    ],
)
"""Our own study of scaling."""
