"""Published data: a table with a recoding applied. Each kind of it has one file in this package."""

from abc import ABC, abstractmethod
from typing import Self

from anonset.data.redacted_repr import Discreet
from anonset.data.table import Int32, Int64


class Published(Discreet, ABC):
    """Records, buckets or chunks. Code that differs by kind is a `functools.singledispatch` over these classes."""

    @property
    @abstractmethod
    def n(self) -> int:
        """Number of published records."""

    @abstractmethod
    def counts(self) -> dict[str, int]:
        """Return the sizes that the attestation contains."""

    @abstractmethod
    def with_way_back(self, record: Int64, cluster: Int32 | None) -> Self:
        """Return the same data with the input record of each row, and its cluster if there are any."""

    @abstractmethod
    def require_same(self, written: Self) -> Self:
        """Refuse written data that differ from these, and return them with the way back, which only the owner knows.

        Raises
        ------
        AnonsetError
            With the first column or table that differs.
        """


def unknown_kind(publication: object) -> TypeError:
    """Return the error that the default of a dispatcher over the kinds raises."""
    return TypeError(f"{type(publication).__name__} is no kind of publication: it must be Records, Buckets or Chunks")
