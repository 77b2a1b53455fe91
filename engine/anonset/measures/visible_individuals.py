"""Interface of bucketized tables for measures of the disclosure of individuals."""

from typing import Protocol

from anonset.data import CategoricalColumn
from anonset.data.array_types import Bools, Int32, Int64


class VisibleIndividuals(Protocol):
    """Rows of the QIT, and all sensitive values of the groups of these rows.

    The rows are all rows of the QIT, or all rows of some individuals.
    """

    @property
    def ids(self) -> tuple[CategoricalColumn, ...]:
        """Columns that together identify an individual."""

    @property
    def group(self) -> CategoricalColumn:
        """Group of each row."""

    @property
    def starred(self) -> Bools:
        """True for each row with a hidden identity, bool (n,)."""

    @property
    def n_groups(self) -> int:
        """Number of groups."""

    @property
    def sizes(self) -> Int64:
        """Number of tuples of each group, including tuples of other individuals, int64 (groups,)."""

    @property
    def snt_group(self) -> Int32:
        """Group of each value, ascending, int32 (m,)."""

    @property
    def snt_value(self) -> CategoricalColumn:
        """Sensitive values, ascending within each group. There are m values."""

    @property
    def snt_count(self) -> Int64:
        """Number of tuples with each group and value, int64 (m,)."""
