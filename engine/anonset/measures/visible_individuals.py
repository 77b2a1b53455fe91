"""What a bucketized table shows of individuals: the interface of publications that measures of individuals read."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from anonset.data import CategoricalColumn
from anonset.data.table import Int32, Int64


class VisibleIndividuals(Protocol):
    """Rows of the QIT, and the values of all their groups: a whole publication, or that of some individuals."""

    @property
    def ids(self) -> tuple[CategoricalColumn, ...]:
        """The columns that together tell an individual."""

    @property
    def group(self) -> CategoricalColumn:
        """The group of each row."""

    @property
    def starred(self) -> NDArray[np.bool_]:
        """Rows whose identity is hidden: bool (n,)."""

    @property
    def n_groups(self) -> int:
        """Number of groups."""

    @property
    def sizes(self) -> Int64:
        """Tuples of each group, those of other individuals too: int64 (groups,)."""

    @property
    def snt_group(self) -> Int32:
        """Group of each value, ascending: int32 (m,)."""

    @property
    def snt_value(self) -> CategoricalColumn:
        """The m values, ascending in each group."""

    @property
    def snt_count(self) -> Int64:
        """Tuples of the group with the value: int64 (m,)."""
