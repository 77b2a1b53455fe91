"""Text on the distance between a loss and the minimum loss of a hierarchy cut."""

from math import ceil, floor

LOCAL = "Local recodings, and sets of items that are no nodes of the hierarchy, can lose less than any cut."
"""Limitation of a bound."""
_EQUAL = 1e-9  # smallest difference that floating-point numbers can prove


def distance(loss: float, bound: float, *, suppression: bool = False) -> str:
    """Return a text on the distance between a loss and a proven lower bound, rounded up.

    >>> distance(0.0188, 0.018)
    'at most 4.5% above the least possible for a cut of the hierarchy'
    >>> distance(0.018, 0.018, suppression=True)
    'the least possible for a cut of the hierarchy with suppression'
    """
    least = f"the least possible for a cut of the hierarchy{' with suppression' if suppression else ''}"
    if abs(loss - bound) <= _EQUAL * loss:
        return least
    if bound <= 0:
        return f"how near to {least} is not proven"
    percent = 100 * (loss / bound - 1)
    if percent < 0:
        return f"{floor(-percent * 10) / 10:.1f}% below {least}"
    return f"at most {ceil(percent * 10 - _EQUAL) / 10:.1f}% above {least}"
