"""Base class of published data. A publication is a table with a recoding applied. Each module of this package defines
one kind.
"""

from abc import ABC, abstractmethod
from typing import Self, TypeVar

from anonset.data.redacted_repr import RedactedRepr
from anonset.data.table import Int32, Int64
from anonset.errors import InputError


class Published(RedactedRepr, ABC):
    """Records, buckets or chunks. Functions that differ by kind are `functools.singledispatch` over these classes."""

    @property
    @abstractmethod
    def n(self) -> int:
        """Number of published records."""

    @abstractmethod
    def counts(self) -> dict[str, int]:
        """Return the numbers of records and other elements that the attestation contains."""

    @abstractmethod
    def with_way_back(self, record: Int64, cluster: Int32 | None) -> Self:
        """Return the same data with the private link to the input. `record` is the input record of each row. `cluster`
        is the cluster of each row, or None.
        """

    @abstractmethod
    def require_same(self, written: Self) -> Self:
        """Check that `written` contains the same data, and return it with the private link to the input records.

        Raises
        ------
        AnonsetError
            The message names the first column or table that differs.
        """


_P = TypeVar("_P", bound=Published)


def require_kind(publication: Published, kind: type[_P], message: str) -> _P:
    """Return a publication of the required kind.

    Raises
    ------
    InputError
        If the publication is of another kind.
    """
    if not isinstance(publication, kind):
        raise InputError(message)
    return publication


def unknown_kind(publication: object) -> TypeError:
    """Return the TypeError for dispatch functions called with an unknown kind."""
    return TypeError(f"a publication must be Records, Buckets or Chunks, got {type(publication).__name__}")
