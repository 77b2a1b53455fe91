"""Interface of places in object stores."""

from pathlib import Path
from typing import Protocol, Self


class ObjectPlace(Protocol):
    """Part of an object store that contains named objects, such as `anonset.reading.sources.place.Place`."""

    def names(self) -> list[str]:
        """Return the names of all objects."""

    def size(self, name: str) -> int | None:
        """Return the size of an object in bytes. None if the object does not exist."""

    def read(self, name: str) -> bytes:
        """Return the content of an object."""

    def put(self, name: str, content: bytes | Path, *, replace: bool = False) -> None:
        """Write an object."""

    def fetch(self, name: str, path: Path) -> None:
        """Copy an object to a local file."""

    def delete(self, name: str) -> None:
        """Delete an object, if it exists."""

    def delete_all(self) -> None:
        """Delete all objects."""

    def __truediv__(self, name: str) -> Self:
        """Return the place below a name."""
