"""Sets of nodes that too few records support, whoever finds them: tables, count-trees, or counts of given sets."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anonset.data.table import Int32

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
