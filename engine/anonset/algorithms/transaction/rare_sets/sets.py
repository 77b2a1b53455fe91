"""Sets of hierarchy nodes that fewer than k records contain (rare sets)."""

from dataclasses import dataclass

import numpy as np

from anonset.data.array_types import Bools, Int32, UInt8
from anonset.errors import TooLargeError
from anonset.spelling import setting

Nodes = Bools
"""Set of nodes, bool (V,)."""
Pairs = UInt8
"""Set of pairs of codes, uint8 (C, C)."""
Found = tuple[Int32, Int32]
"""Sets as codes, int32 (T, size), and their supports, int32 (T,)."""


@dataclass(frozen=True, eq=False)
class RareSets:
    """Sets with a support below k, in count-tree order."""

    codes: Int32
    """Members of each set as positions in `node_of_code`, int32 (T, size), padded with -1."""
    support: Int32
    """Support of each set, int32 (T,)."""
    node_of_code: Int32
    """Node of each code, int32 (C,)."""

    @classmethod
    def joined(cls, parts: "list[RareSets]") -> "RareSets":
        """Concatenate several results. All results must have the same node codes."""
        codes = np.concatenate([part.codes for part in parts])
        return cls(codes, np.concatenate([part.support for part in parts]), parts[0].node_of_code)


def refuse_above(limit: float, size: int, increments: float) -> None:
    """Raise an error if counting the sets of a size needs more counting steps than `limit`.

    Raises
    ------
    TooLargeError
    """
    if increments > limit:
        needed = f"counting sets of {size} needs {increments:.3g} increments"
        more = f"a larger {setting('max_increments', option='max_work')}"
        raise TooLargeError(f"{needed}, above {int(limit):,}: use an m below {size}, a coarser hierarchy, or {more}")
