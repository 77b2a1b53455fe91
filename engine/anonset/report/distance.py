"""Text that compares a loss with the minimum loss of a hierarchy cut."""

from math import ceil, floor

LOCAL = "Local recodings, and sets of items that are not nodes of the hierarchy, can have a lower loss than any cut."
"""Note on the meaning of a lower bound."""
_EQUAL = 1e-9  # smaller differences may be rounding errors


def distance(loss: float, bound: float, *, suppression: bool = False) -> str:
    """Return a text that compares a loss with a proven lower bound. The percentage above the bound is rounded up.

    >>> distance(0.0188, 0.018)
    'at most 4.5% above the minimum for a cut of this hierarchy'
    >>> distance(0.018, 0.018, suppression=True)
    'the minimum for a cut of this hierarchy with suppression, proven'
    """
    least = f"the minimum for a cut of this hierarchy{' with suppression' if suppression else ''}"
    if abs(loss - bound) <= _EQUAL * loss:
        return f"{least}, proven"
    if bound <= 0:
        return f"distance to {least} not proven"
    percent = 100 * (loss / bound - 1)
    if percent < 0:
        return f"{floor(-percent * 10) / 10:.1f}% below {least}"
    return f"at most {ceil(percent * 10 - _EQUAL) / 10:.1f}% above {least}"
