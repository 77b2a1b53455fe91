"""Measuring the search of AA on a table in memory: the best of some times, the peak of the memory, and the loss."""

from benchmarks.experiments.cases import Measured, Parameters
from benchmarks.experiments.terrovitis2008 import measurement

_RUNS = 3


def measure_in_memory(parameters: Parameters) -> Measured:
    """Search a table several times, the first time for its memory alone, and once more to verify what is found.

    Parameters
    ----------
    parameters
        Those of `terrovitis2008.measurement.measure` but ``what``.

    Raises
    ------
    RuntimeError
        If a result does not verify.
    """
    memory, *times, losses = (
        measurement.measure({**parameters, "what": what}) for what in ("memory", *["time"] * _RUNS, "losses")
    )
    seconds = min(time["seconds"] for time in times)
    each = seconds / parameters["records"] * 1e6
    return {**losses, **memory, "seconds": seconds, "microseconds_per_record": each}
