"""Sequences whose members are computed on access."""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import TypeVar, overload

T_co = TypeVar("T_co", covariant=True)


class ComputedSequence(Sequence[T_co]):
    """Read-only sequence that stores its members in another form, such as columns or files. Indexes are at least 0."""

    @abstractmethod
    def member(self, index: int) -> T_co:
        """Return the member at an index from 0 to the length - 1."""

    def part(self, indices: range) -> Sequence[T_co]:
        """Return the members at `indices`."""
        return tuple(map(self.member, indices))

    @overload
    def __getitem__(self, index: int) -> T_co: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[T_co]: ...

    def __getitem__(self, index: int | slice) -> T_co | Sequence[T_co]:
        if isinstance(index, slice):
            return self.part(range(len(self))[index])
        if not 0 <= index < len(self):  # a code of -1 has no member
            raise IndexError
        return self.member(index)

    def __iter__(self) -> Iterator[T_co]:
        return map(self.member, range(len(self)))
