"""Measure the shortest time, the peak memory and the loss of AA on a table in memory."""

from benchmarks.experiments.cases import Measured, Parameters
from benchmarks.experiments.terrovitis2008 import measurement

_RUNS = 3


def measure_in_memory(parameters: Parameters) -> Measured:
    """Search a table several times. The first search measures peak memory, and the last search is verified.

    Parameters
    ----------
    parameters
        Parameters of `terrovitis2008.measurement.measure` without ``what``.

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
