"""Base class of published data (a table with a recoding applied). Each kind is one module of this package."""

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
        """Return the sizes that the attestation contains."""

    @abstractmethod
    def with_way_back(self, record: Int64, cluster: Int32 | None) -> Self:
        """Return the same data with the input record of each row, and the cluster of each row if there are clusters."""

    @abstractmethod
    def require_same(self, written: Self) -> Self:
        """Return `written` with the private link to the input records, after checking that both contain the same data.

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
