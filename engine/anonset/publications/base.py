"""Base class of published data. A publication is the result of applying a recoding to a table. Each module of this
package defines one kind of publication.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import Any, Self, TypeVar

from anonset.data import Hierarchy
from anonset.data.array_types import Int32, Int64
from anonset.data.redacted_repr import RedactedRepr
from anonset.errors import InputError


class Published(RedactedRepr, ABC):
    """Base class of `Records`, `Buckets` and `Chunks`. A method returns what the published data show."""

    @property
    @abstractmethod
    def n(self) -> int:
        """Number of published records."""

    @abstractmethod
    def counts(self) -> dict[str, int]:
        """Return the numbers of records and other elements, for the attestation."""

    @abstractmethod
    def content(self) -> list[Any]:
        """Return the published data as lists, to compare publications."""

    def items_shown(self) -> Iterator[str]:
        """Yield the items that a record or sub-record contains unchanged."""
        yield from ()

    def above_ceilings(self, hierarchies: Mapping[str, Hierarchy]) -> Iterator[str]:
        """Yield the columns that publish a symbol above the ceiling of their hierarchy."""
        yield from ()

    @abstractmethod
    def with_way_back(self, record: Int64, cluster: Int32 | None) -> Self:
        """Return a copy of the publication with the private input record and the private cluster of each row. `cluster`
        is None if rows have no cluster.
        """

    @abstractmethod
    def require_same(self, written: Self) -> Self:
        """Check that `written` contains the same data as this publication. Return `written` with the private input
        records.

        Raises
        ------
        AnonsetError
            The message names the first column or table that differs.
        """


_P = TypeVar("_P", bound=Published)


def require_kind(publication: Published, kind: type[_P], message: str) -> _P:
    """Return the publication if it is of the required kind.

    Raises
    ------
    InputError
        If the publication is of another kind.
    """
    if not isinstance(publication, kind):
        raise InputError(message)
    return publication
