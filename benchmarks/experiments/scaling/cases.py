"""Figures of the out-of-core study and of the cost model, with their claims."""

from typing import Any

from benchmarks.experiments.cases import Case, Claim, Figure, Results
from benchmarks.experiments.checks import listed, rise
from benchmarks.experiments.scaling.studies import HELD_OUT, LARGEST, PREDICTED, WITHIN, WORKERS

_SHARED = {"generator": "pos_like", "records": 1_000_000, "workers": 2, "k": 5, "m": 2, "fanout": 5}
_QUANTITIES = {
    "seconds": "CPU seconds of all processes",
    "seconds_of_wall": "wall-clock seconds",
    "microseconds_per_record": "CPU time per record in µs",
    "increments": "increments",
    "codes": "nodes of records in tables",
    "cells_of_larger_sets": "accesses to cells of sets of size 3 or more",
    "raised": "counter increments",
    "gib_of_records": "GiB of records read by all passes",
    "gib_stored": "GiB of records stored as codes that all passes read",
    "mib_returned": "MiB of results",
    "tasks": "tasks",
    "passes": "passes",
}
_LEVEL_FROM = 1_000_000


def _case(figure: str, engine: str, x: float, **given: Any) -> Case:
    return Case(figure, engine, x, {**_SHARED, "engine": engine, **given}, cost="time")


_RECORDS = (100_000, 300_000, 1_000_000, 3_000_000, 10_000_000, LARGEST)
_UNIVERSE = (1_000, 10_000, 100_000, 1_000_000)


def _level(results: Results) -> tuple[bool, str]:
    found = [y for x, y in results.curve("threads", "microseconds_per_record") if float(x) >= _LEVEL_FROM]
    return rise(found) <= 1.5, f"largest rise: {rise(found):.2f} ({listed(found)} µs)"


def _cluster_beside_threads(results: Results) -> tuple[bool, str]:
    cpu, wall = (
        results.at("cluster", LARGEST, quantity) / results.at("threads", LARGEST, quantity)
        for quantity in ("seconds", "seconds_of_wall")
    )
    return max(cpu, wall) <= 1.3, f"CPU {cpu:.2f}, time {wall:.2f}"


def _within(results: Results) -> tuple[bool, str]:
    ratios = {x: results.at("predicted", x, "seconds") / results.at("measured", x, "seconds") for x in HELD_OUT}
    held = all(1 / WITHIN <= ratio <= WITHIN for ratio in ratios.values())
    return held, "predicted / measured: " + ", ".join(f"{x} {ratio:.2f}" for x, ratio in ratios.items())


def _model_case(kind: str, x: str) -> Case:
    return Case("model", kind, x, {"model": kind, "of": list(HELD_OUT[x])}, cost="time")


def _prediction(series: str, workers: int) -> Case:
    of, times = PREDICTED[series]
    given = {"model": "wall", "of": list(of), "times": times, "workers": workers}
    return Case("workers", series, workers, given, cost="time")


FIGURES = [
    Figure(
        "blocks-records",
        "Blocks, records: CPU time as the number of records grows (m=2)",
        "records",
        _QUANTITIES,
        [_case("blocks-records", engine, n, records=n) for engine in ("threads", "cluster") for n in _RECORDS],
        (
            Claim(
                "the CPU time per record does not grow from 1,000,000 records on",
                "no value is more than 1.5 times the value of fewer records, on threads",
                _level,
            ),
            Claim(
                "a cluster of two single-threaded processes costs little more than two threads",
                "CPU time and elapsed time are at most 1.3 times as high as with threads, at 20,000,000 records "
                "and without start-up",
                _cluster_beside_threads,
            ),
        ),
        quick=_RECORDS[:2],
    ),
    Figure(
        "blocks-m",
        "Blocks, m: CPU time as m grows (1,000,000 records)",
        "m",
        _QUANTITIES,
        [_case("blocks-m", "threads", m, m=m) for m in (1, 2, 3, 4)],
        quick=(1, 2, 3),
    ),
    Figure(
        "blocks-m-large",
        "Blocks, larger m: CPU time for m=3 and 3,000,000 records, in a run that is not used to fit the model",
        "m",
        _QUANTITIES,
        [_case("blocks-m-large", "threads", 3, m=3, records=3_000_000)],
        quick=(),
    ),
    Figure(
        "blocks-universe",
        "Blocks, universe: CPU time as the number of items grows, if most items are rare (`long_tail`, 300,000 "
        "records)",
        "items",
        _QUANTITIES,
        [_case("blocks-universe", "threads", n, generator="long_tail", records=300_000, n_items=n) for n in _UNIVERSE],
        quick=_UNIVERSE[:2],
    ),
    Figure(
        "blocks-length",
        "Blocks, length: CPU time as record length grows (500,000 records)",
        "mean items per record",
        _QUANTITIES,
        [_case("blocks-length", "threads", n, records=500_000, avg_length=float(n)) for n in (3, 6, 12, 20)],
        quick=(3, 6),
    ),
    Figure(
        "model",
        "Cost model: CPU seconds of runs that were not used to fit the model",
        "run",
        {"seconds": "CPU seconds"},
        [_model_case(kind, x) for kind in ("measured", "predicted") for x in HELD_OUT],
        (
            Claim(
                "the model predicts the CPU time of new runs",
                f"prediction and measurement differ by at most a factor of {WITHIN} for each run",
                _within,
            ),
        ),
        note="""\
The model adds up costs in CPU seconds. A search has a constant cost. In tables of sets, each node of a record, each
access to a cell of sets of size 3 or more, and each counter increment has a cost. Each GiB of records read, each item
of the universe, and each MiB of tables that tasks return has a cost. On a cluster, each task has a cost. All costs
are non-negative. They minimize the sum of squared relative errors over the runs of the figures "Blocks", without the
runs shown here. A cell contains 64 sets.""",
        quick=(),
    ),
    Figure(
        "workers",
        "Prediction: elapsed time of the search on 1 to 64 workers",
        "workers",
        {"seconds": "predicted seconds of the search"},
        [_prediction(series, n) for series in PREDICTED for n in WORKERS],
        note="""\
**A prediction of the cost model, not a measurement.** It assumes single-core workers with access to all blocks, fast
enough disks and network, and no other load.""",
        quick=(),
    ),
]
