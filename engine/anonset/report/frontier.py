"""Frontier of `joint-split`: its relational loss and its item loss for several weights.

A fast search estimates the item losses, and the estimates are too high. Texts therefore show each item loss as a
percentage of the item loss at the first point. Drawings scale the item losses so that the first point has the measured
loss.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from anonset.report.drawings import curve

if TYPE_CHECKING:
    from anonset.algorithms.rt.joint.pruning import Pruning


_SHOWN = (0.03, 0.1, 0.3, 0.5)
"""Relational losses for which the text shows a point. It also shows the first and the last point."""
_LEAST = 1e-9


def frontier_text(points: "Sequence[Pruning]") -> str:
    """Return some points of a frontier, which has at least two points, as text.

    >>> from anonset.algorithms.rt.joint.pruning import Pruning
    >>> frontier_text([Pruning(0.1, 9, 0.02, 0.05), Pruning(0.05, 4, 0.2, 0.03), Pruning(0.01, 1, 1.0, 0.02)])
    'the attributes lose 2% of their detail; with 20%, the items lose 40% less; with 100%, 60% less (estimated)'
    """
    nearest = [min(points, key=lambda point: abs(point.relational_ncp - loss)) for loss in _SHOWN]
    ordered = sorted({points[0], points[-1], *nearest}, key=lambda point: point.relational_ncp)
    listed = list({f"{point.relational_ncp:.0%}": point for point in reversed(ordered)}.values())[::-1]
    losses = scaled(points, 1.0)
    first, *others = listed
    less = [f"with {point.relational_ncp:.0%}, {1 - losses[point]:.0%} less" for point in others]
    less[0] = less[0].replace(", ", ", the items lose ")
    return f"the attributes lose {first.relational_ncp:.0%} of their detail; {'; '.join(less)} (estimated)"


def scaled(points: "Sequence[Pruning]", loss: float) -> "dict[Pruning, float]":
    """Return the estimated item loss of each point, scaled so that the first point has the measured loss."""
    return {point: point.item_loss / max(_LEAST, points[0].item_loss) * loss for point in points}


def frontier_drawing(points: "Sequence[Pruning]", measures: Mapping[str, float]) -> str:
    """Return a drawing of the frontier and of the losses of the publication, or an empty text if there is no
    frontier.
    """
    if len(points) < 2:
        return ""
    line = [(point.relational_ncp, loss) for point, loss in scaled(points, measures["lm"]).items()]
    axes = "loss of the attributes (0: none, 1: all)", "loss of the items"
    return curve("losses at other weights", axes, line, (measures["rum"], measures["lm"]))
