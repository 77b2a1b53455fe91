"""The study by blocks: records, m, universe and length on threads and on a cluster, and the cost model made of them."""

from collections.abc import Mapping
from typing import Any

from benchmarks.experiments.cases import Case, Claim, Figure, Measured, Parameters, Results
from benchmarks.experiments.checks import listed, spread
from benchmarks.experiments.scaling.cost_model import CostModel, Run, scaled

_SHARED = {"generator": "pos_like", "records": 1_000_000, "workers": 2, "k": 5, "m": 2, "fanout": 5}
_QUANTITIES = {
    "seconds": "CPU seconds of all processes",
    "seconds_of_wall": "wall-clock seconds",
    "microseconds_per_record": "CPU time per record in µs",
    "increments": "increments",
    "codes": "nodes of records in tables",
    "cells_of_larger_sets": "looks at cells of sets of 3 and more",
    "raised": "counters raised",
    "gib_of_records": "GiB of records read by all passes",
    "gib_stored": "GiB read of records that were stored as they are expanded",
    "mib_returned": "MiB of results",
    "tasks": "tasks",
    "passes": "passes",
}
LARGEST = 20_000_000
RUNS = "measured runs"
"""What the cases of the cost model read: they come after all others."""
_LEVEL_FROM = 1_000_000


def _case(figure: str, engine: str, x: float, **given: Any) -> Case:
    return Case(figure, engine, x, {**_SHARED, "engine": engine, **given}, cost="time")


_RECORDS = (100_000, 300_000, 1_000_000, 3_000_000, 10_000_000, LARGEST)
_UNIVERSE = (1_000, 10_000, 100_000, 1_000_000)
HELD_OUT = {
    "20,000,000 records on threads": ("blocks-records", "threads", LARGEST),
    "20,000,000 records on a cluster": ("blocks-records", "cluster", LARGEST),
    "m=3, 3,000,000 records": ("blocks-m-large", "threads", 3),
    "12 items a record": ("blocks-length", "threads", 12),
    "10,000 items": ("blocks-universe", "threads", 10_000),
}
"""Runs that the model is not fitted on, by name: figure, series and x."""
WITHIN = 1.25
"""How far the model may be from what is measured of these."""
WORKERS = (1, 2, 4, 8, 16, 32, 64)
_PREDICTED = {
    "100,000,000 records, m=2: prediction": (("blocks-records", "cluster", LARGEST), 5),
    "100,000,000 records, m=3: prediction": (("blocks-m-large", "threads", 3), 33),
}
"""Curves of predictions: the measured run, and how many times its records."""


def measure_model(parameters: Parameters) -> Measured:
    """Return what was measured of a run outside the fit, or what the model says of it, or of more workers.

    Raises
    ------
    RuntimeError
        If the runs are not measured yet.
    """
    from benchmarks.experiments import runner

    import anonset.algorithms.transaction.apriori  # noqa: F401 - where the search changes, what was asked is stale

    there = runner.results_of(runner.paper("scaling"))
    found = {key[:3]: one["measured"] for key, one in there.items() if "measured" in one}
    key = tuple(parameters["of"])
    fitted_on = [
        Run(str(one[1]), measured)
        for one, measured in sorted(found.items(), key=str)
        if one[0].startswith("blocks-") and one not in HELD_OUT.values()
    ]
    if key not in found or not fitted_on:
        msg = f"measure {', '.join(map(str, key))} first"
        raise RuntimeError(msg)
    model = CostModel.fitted(fitted_on)
    if parameters["model"] == "measured":
        return {"seconds": found[key]["seconds"]}
    if parameters["model"] == "predicted":
        return {"seconds": model.cpu_seconds(Run(str(key[1]), found[key])), **_costs(model)}
    work = scaled(found[key], parameters["times"], parameters["workers"])
    return {"seconds": model.wall_seconds(work, parameters["workers"])}


def _costs(model: CostModel) -> Mapping[str, float]:
    names = (
        "seconds_of_search",
        "nanoseconds_of_code",
        "nanoseconds_of_cell_of_larger_sets",
        "nanoseconds_of_raising",
        "seconds_of_gib_of_records",
        "microseconds_of_item",
        "milliseconds_of_mib_of_tables",
        "milliseconds_of_task",
    )
    factors = 1, 1e9, 1e9, 1e9, 1, 1e6, 1e3, 1e3
    return {name: cost * factor for name, cost, factor in zip(names, model.costs, factors, strict=True)}


def _level(results: Results) -> tuple[bool, str]:
    found = [y for x, y in results.curve("threads", "microseconds_per_record") if float(x) >= _LEVEL_FROM]
    return spread(found) <= 1.5, f"largest / smallest: {spread(found):.2f} ({listed(found)} µs)"


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
    of, times = _PREDICTED[series]
    given = {"model": "wall", "of": list(of), "times": times, "workers": workers}
    return Case("workers", series, workers, given, cost="time")


FIGURES = [
    Figure(
        "blocks-records",
        "Blocks, records: CPU as the data grow (m=2)",
        "records",
        _QUANTITIES,
        [_case("blocks-records", engine, n, records=n) for engine in ("threads", "cluster") for n in _RECORDS],
        (
            Claim(
                "the CPU time per record stays level from 1,000,000 records on",
                "largest at most 1.5 times the smallest, on threads",
                _level,
            ),
            Claim(
                "a cluster of two processes of one thread takes little more than two threads",
                "at most 1.3 times the CPU and the time at 20,000,000 records, start-up apart",
                _cluster_beside_threads,
            ),
        ),
    ),
    Figure(
        "blocks-m",
        "Blocks, m: CPU as the attacker knows more items (1,000,000 records)",
        "m",
        _QUANTITIES,
        [_case("blocks-m", "threads", m, m=m) for m in (1, 2, 3, 4)],
    ),
    Figure(
        "blocks-m-large",
        "Blocks, m and records: CPU of a run that the model is not fitted on (3,000,000 records)",
        "m",
        _QUANTITIES,
        [_case("blocks-m-large", "threads", 3, m=3, records=3_000_000)],
    ),
    Figure(
        "blocks-universe",
        "Blocks, universe: CPU as there are more items, most of them rare (`long_tail`, 300,000 records)",
        "items",
        _QUANTITIES,
        [_case("blocks-universe", "threads", n, generator="long_tail", records=300_000, n_items=n) for n in _UNIVERSE],
    ),
    Figure(
        "blocks-length",
        "Blocks, length: CPU as records hold more items (500,000 records)",
        "items a record, on average",
        _QUANTITIES,
        [_case("blocks-length", "threads", n, records=500_000, avg_length=float(n)) for n in (3, 6, 12, 20)],
    ),
    Figure(
        "model",
        "Cost model: CPU seconds of runs that it was not fitted on",
        "run",
        {"seconds": "CPU seconds"},
        [_model_case(kind, x) for kind in ("measured", "predicted") for x in HELD_OUT],
        (Claim("the model tells the CPU of runs that it was not fitted on", f"within {WITHIN} times, each", _within),),
        note="""\
CPU seconds = those of a search + nodes of the records in tables of sets + looks at cells of sets of 3 and more +
counters raised + GiB of records read + items of the universe + MiB of tables that tasks make + on a cluster tasks, each
at a price that is not negative; the prices have the least sum of squared relative errors over the runs of the figures
by blocks. A cell is of 64 sets.""",
    ),
    Figure(
        "workers",
        "Prediction: wall-clock seconds of the search on 1 to 64 workers",
        "workers",
        {"seconds": "predicted seconds of the search"},
        [_prediction(series, n) for series in _PREDICTED for n in WORKERS],
        note="""\
**A prediction of the cost model, not a measurement**: workers of one core each that all see the blocks, disks and a
network that keep up, and nothing else at work.""",
    ),
]
