"""How far a loss is from the least that is possible, in words."""

from collections.abc import Mapping
from math import ceil

_EQUAL = 1e-9  # what floating-point numbers can prove


def distance(loss: float, bound: float) -> str:
    """Say how far a loss is from a proven lower bound, rounded up.

    >>> distance(0.0188, 0.018), distance(0.018, 0.018), distance(1.0, 0.0)
    ('at most 4.5% above the least possible', 'the least possible', 'how near to the least possible is not proven')
    """
    if loss - bound <= _EQUAL * loss:
        return "the least possible"
    if bound <= 0:
        return "how near to the least possible is not proven"
    percent = ceil((loss / bound - 1) * 1000 - _EQUAL) / 10
    return f"at most {percent:.1f}% above the least possible"


def distance_of_cut(loss: float, figures: Mapping[str, float]) -> str:
    """Say how far a cut's loss is from the least of all cuts, by the figures of its proof; nothing without one."""
    if "lower_bound" not in figures:
        return ""
    with_suppression = " with suppression" if figures.get("suppression") else ""
    return f"{distance(loss, figures['lower_bound'])} for a cut of the hierarchy{with_suppression}"
