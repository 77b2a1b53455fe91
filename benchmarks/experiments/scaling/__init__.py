"""How the cost of AA grows: with records, m, items and their number a record; in memory, by blocks and on a cluster."""

from benchmarks.experiments.cases import Case, Claim, Figure, Measured, Paper, Parameters, Results
from benchmarks.experiments.checks import each_at_most, exponents_within, listed, spread_at_most
from benchmarks.experiments.scaling.in_memory import measure_in_memory
from benchmarks.experiments.scaling.studies import FIGURES, RUNS, measure_model
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
    return each <= 500, f"{listed([each])} bytes for each further record, {listed([after])} MiB at the largest"


def measure(parameters: Parameters) -> Measured:
    """Run a case in memory or by blocks, or ask the cost model."""
    if "model" in parameters:
        return measure_model(parameters)
    if "engine" in parameters:
        from benchmarks.experiments.scaling.by_blocks import measure_by_blocks

        return measure_by_blocks(parameters)
    return measure_in_memory(parameters)


PAPER = Paper(
    key="scaling",
    title="How the cost of AA grows",
    note="""\
AA on `pos_like`, generated point-of-sale baskets of 6.5 items on average over 1,657 items, k=5, `balanced:5`. Smaller
tables are the beginning of larger ones, so what is rare gets rarer as the table grows, and the loss falls. Time is that
of the search on a table in memory, on one thread, the best of three runs after others that load the kernels;
each case has a process of its own. Every result was verified.

The figures by blocks are of the search alone, over records that lie in the files of a work directory, on two threads or
on a local cluster of two processes of one thread, after a small search that loads the kernels. CPU seconds of
a cluster hold those of its scheduler.""",
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
                    "the time per record stays level up to 5,000,000 records",
                    "largest at most twice the smallest",
                    spread_at_most("AA", "microseconds_per_record", 2),
                ),
                Claim(
                    "the search is linear in the number of records",
                    "exponent of the best power law within 0.9 to 1.1",
                    exponents_within(("AA",), "seconds", 0.9, 1.1),
                ),
                Claim("memory is linear too", "at most 500 bytes for each further record", _bytes_per_record),
            ),
        ),
        Figure(
            "m",
            f"m: time as the attacker knows more items ({_POS_RECORDS:,} records)",
            "m",
            _QUANTITIES,
            [_case("m", m, m=m) for m in (2, 3, 4, 5)],
            (
                Claim(
                    "half a million baskets are made k^m-anonymous in seconds up to m=5",
                    "at most 30 seconds each",
                    each_at_most("AA", "seconds", 30),
                ),
            ),
        ),
        *FIGURES,
    ],
)
"""Our own experiment on scaling."""
