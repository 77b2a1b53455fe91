"""A source that is opened: named columns that come batch by batch, and how they are to be read."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from anonset.data.redacted_repr import Discreet
from anonset.io.dialect import RECOGNISED, Dialect, Missing

HEAD = 1 << 20
"""Bytes of a text that hold its first rows."""


@dataclass(frozen=True)
class Described:
    """Named columns, with a name of the source for messages."""

    where: str
    """Name of the source, for messages."""
    names: tuple[str, ...]
    """Names of its columns."""
    sets_only: bool = field(default=False, kw_only=True)
    """Whether its single column is one of sets."""
    first_line: bool = field(default=False, kw_only=True)
    """Whether the names are the first line of a text."""
    hint: str = field(default="", kw_only=True)
    """What may help where a declared column is missing."""
    printed: bool = field(default=False, kw_only=True)
    """Whether its lists come from a text."""
    decimal: str = field(default="", kw_only=True)
    """The decimal sign of its numbers, if it is recognised."""
    below: int = field(default=0, kw_only=True)
    """The line in which its names seem to stand, below other lines; 0 for none."""


@dataclass(frozen=True)
class Batch(Discreet):
    """Rows of one file."""

    where: str
    """The file, for messages."""
    before: int
    """Rows of the file before these."""
    columns: Mapping[str, Any] = field(repr=False)
    """Each a ``SetColumn`` or a ``pyarrow.ChunkedArray``."""


@dataclass(frozen=True)
class OpenedSource(Described):
    """Named columns that come batch by batch, as often as they are asked for."""

    batches: Callable[[Sequence[str]], Iterator[Batch]] = lambda _: iter(())
    """Yield the named columns; at least one batch, which may have no rows."""
    judge: Callable[[], None] = field(default=lambda: None, kw_only=True)
    """Refuses what shows only when all batches have come."""
    head: Callable[[Sequence[str]], Mapping[str, Any]] = field(default=lambda _: {}, kw_only=True)
    """Return those of the named columns of which it is little work, of the first rows alone."""

    def held(self, columns: Mapping[str, Any]) -> "OpenedSource":
        """Return this source with its columns, of which all are given, in memory: one batch."""

        def chosen(names: Sequence[str]) -> Mapping[str, Any]:
            return {name: columns[name] for name in names}

        def batches(names: Sequence[str]) -> Iterator[Batch]:
            yield Batch(self.where, 0, chosen(names))

        return replace(self, batches=batches, head=chosen, judge=lambda: None)


@dataclass(frozen=True)
class Reading:
    """How a file is to be read, as far as it is declared."""

    format: str | None = None
    """One of `anonset.io.files.INPUT_FORMATS`; None: as its name says."""
    dialect: Dialect = RECOGNISED
    """The dialect of a text."""
    separator: str | None = None
    """What separates items; None: not declared."""
    absent: Missing = lambda _: []
    """Tells which declared columns names lack."""
    labels: Sequence[str] | None = None
    """The items that the columns of a matrix stand for."""
    ids: tuple[str, ...] = ()
    """Columns whose values are nearly all different, which are best read as plain text."""
    null: tuple[str, ...] = ()
    """Texts that are null."""
    numeric: tuple[str, ...] = ()
    """Columns of numbers, by which their decimal sign is recognised."""


AS_RECOGNISED = Reading()
"""Nothing was said."""
