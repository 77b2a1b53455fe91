"""Sets of nodes that too few records support, whoever finds them: tables, count-trees, or counts of given sets."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anonset.data.table import Int32
from anonset.errors import TooLargeError
from anonset.spelling import setting

Nodes = NDArray[np.bool_]
"""bool (V,): a set of nodes."""
Pairs = NDArray[np.uint8]
"""uint8 (C, C): a set of pairs of codes."""
Found = tuple[Int32, Int32]
"""Sets as codes, int32 (T, size), and their supports, int32 (T,)."""


@dataclass(frozen=True, eq=False)
class RareSets:
    """Some sets with a support below k, in the order of the count-tree."""

    codes: Int32
    """int32 (T, size): the members of each as places in `node_of_code`, filled up with -1."""
    support: Int32
    """int32 (T,)."""
    node_of_code: Int32
    """int32 (C,)."""

    @classmethod
    def joined(cls, parts: "list[RareSets]") -> "RareSets":
        """Return sets of the same nodes, one part after the other."""
        codes = np.concatenate([part.codes for part in parts])
        return cls(codes, np.concatenate([part.support for part in parts]), parts[0].node_of_code)


def refuse_above(limit: float, size: int, increments: float) -> None:
    """Refuse to count sets of a size that take more increments than a limit.

    Raises
    ------
    TooLargeError
    """
    if increments > limit:
        took = f"counting sets of {size} would take {increments:.3g} increments"
        allowed = f"above {setting('max_increments', int(limit))}"
        msg = f"m must be below {size}, or the hierarchy coarser, or the limit higher: {took}, {allowed}"
        raise TooLargeError(msg)
