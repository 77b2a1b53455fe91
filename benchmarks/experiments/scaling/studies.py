"""Predictions of the cost model for runs that were not used to fit it, and for clusters of more workers."""

from collections.abc import Mapping

from benchmarks.experiments.cases import Measured, Parameters
from benchmarks.experiments.scaling.cost_model import CostModel, Run, scaled

LARGEST = 20_000_000
RUNS = "measured runs"
"""Data name of the cost model's cases, which run after all other cases."""
HELD_OUT = {
    "20,000,000 records on threads": ("blocks-records", "threads", LARGEST),
    "20,000,000 records on a cluster": ("blocks-records", "cluster", LARGEST),
    "m=3, 3,000,000 records": ("blocks-m-large", "threads", 3),
    "12 items a record": ("blocks-length", "threads", 12),
    "10,000 items": ("blocks-universe", "threads", 10_000),
}
"""Figure, series and x of each run that is not used to fit the model, by name of the run."""
WITHIN = 1.25
"""Largest accepted ratio between prediction and measurement of a run."""
WORKERS = (1, 2, 4, 8, 16, 32, 64)
PREDICTED = {
    "100,000,000 records, m=2: prediction": (("blocks-records", "cluster", LARGEST), 5),
    "100,000,000 records, m=3: prediction": (("blocks-m-large", "threads", 3), 33),
}
"""Basis of each curve of predictions.

The basis consists of a measured run, and the factor by which the number of records is multiplied.
"""


def measure_model(parameters: Parameters) -> Measured:
    """Return the costs of a run that was not used to fit the model, or a prediction for more workers.

    Raises
    ------
    RuntimeError
        If the runs are not measured yet.
    """
    from benchmarks.experiments import runner

    import anonset.algorithms.transaction.cuts.apriori  # noqa: F401 - a change of the search makes predictions stale

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
