"""What is published, and how: the layout, the publication before it is verified, and the operations of its kind.

There are three kinds: records, buckets and chunks (`records.py`, `buckets.py`, `chunks.py`); `kind_of` tells
that of a model.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, Generic, Literal, Protocol, TypeVar

from anonset.algorithms.base import Algorithm, Result
from anonset.data import Hierarchy, Table
from anonset.data.redacted_repr import Discreet, figures_shown, shown
from anonset.data.store import MEMORY, Store
from anonset.errors import InputError
from anonset.generalization.beside import Beside
from anonset.generalization.earlier import Earlier, Since
from anonset.privacy import PrivacyModel, Witness
from anonset.privacy.model import PublishedKind
from anonset.publications import Published, Symbol
from anonset.spelling import setting

Order = Literal["sorted", "input"]
Symbols = Literal["auto", "members", "short"]
Format = Literal["csv", "parquet", "dat"]

MOST_PARTS = 100_000
"""Largest number of files that the data of a publication are in."""
_AS_INPUT = (
    "the rows stand in the order of the input; whoever knows that order knows whose row each one is, "
    "whatever the model promises"
)


@dataclass(frozen=True)
class Layout:
    """The form of a publication, independent of its contents."""

    order: Order = "sorted"
    """Order of the rows: by their published content, or as in the input."""
    symbols: Symbols = "auto"
    """How a set of items or values is named: by its members, by a short code, or by a code above 8 members."""
    format: Format | None = "csv"
    """Format of the data; None: they stay in memory."""
    separator: str | None = None
    """Separates the symbols within a field; None: a blank, or another mark where labels hold blanks."""
    part_rows: int | None = None
    """Rows of each part file; None: one file."""
    codes: Mapping[tuple[str, ...], str] = field(default_factory=dict, repr=False)
    """Names of sets of items in an earlier release, by their members."""
    taken: frozenset[str] = field(default=frozenset(), repr=False)
    """Texts that no code may have: names and items of all earlier releases that this one continues."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is dangerous about it."""
        return (f"{setting('order', 'input')}: {_AS_INPUT}",) if self.order == "input" else ()

    def __post_init__(self) -> None:
        for name, value, choices in (
            ("order", self.order, ("sorted", "input")),
            ("symbols", self.symbols, ("auto", "members", "short")),
            ("format", self.format or "csv", ("csv", "parquet", "dat")),
        ):
            if value not in choices:
                shown = " or ".join([", ".join(map(repr, choices[:-1])), repr(choices[-1])])
                msg = f"{name} must be {shown}, got {value!r}"
                raise InputError(msg)
        if self.part_rows is not None and self.part_rows < 1:
            msg = f"{setting('part_rows')} must be at least 1, got {self.part_rows}"
            raise InputError(msg)


def require_few_parts(n: int, layout: Layout) -> None:
    """Refuse more part files than a publication may have.

    Raises
    ------
    InputError
        With the least number of rows of a part file.
    """
    if layout.part_rows is not None and n > MOST_PARTS * layout.part_rows:
        need = f"at least {-(-n // MOST_PARTS)}, so that there are at most {MOST_PARTS:,} parts"
        msg = f"{setting('part_rows')} must be {need}, got {layout.part_rows}"
        raise InputError(msg)


P = TypeVar("P", bound=Published)
"""Records, buckets, or chunks."""


@dataclass(frozen=True, eq=False)
class Unverified(Discreet, Generic[P]):
    """A publication that an algorithm made and nobody has verified yet."""

    table: Table
    """The input, its columns bound to their hierarchies."""
    hierarchies: Mapping[str, Hierarchy]
    """Hierarchy of each column that has one."""
    algorithm: Algorithm
    """The algorithm with its parameters."""
    result: Result
    """What the algorithm decided."""
    publication: P
    """What would be published, its rows in their final order."""
    measures: Mapping[str, float]
    """Losses by name; the first is the main one."""
    retention: Mapping[str, Mapping[str, int]]
    """How many item occurrences, relational values and tuples were kept, generalized, suppressed (`retention`)."""
    warnings: tuple[str, ...]
    """What is wrong with a publication that may be safe nevertheless."""
    earlier: Earlier | None = None
    """The earlier release that it continues."""
    since: Since | None = None
    """What became of the names of that one."""
    beside: Beside | None = None
    """The earlier release of the same persons, together with which it keeps its model."""

    def __repr__(self) -> str:
        return f"Unverified({shown(self.algorithm)}, {self.publication!r}, {figures_shown(self.measures)})"


_OF_PARTS = ("parts", "smallest_part", "largest_part", "begun_in_parts")


def sizes_of_parts(result: Result) -> dict[str, int]:
    """Return the figures on how the records are split, if they are."""
    return {name: int(result.figures[name]) for name in _OF_PARTS if name in result.figures}


Hierarchies = Mapping[str, Hierarchy]


class Kind(Protocol[P]):
    """How publications of a kind are made, written, read back and compared with the original."""

    no_stream: str
    """Why it makes no one stream of Arrow, and what to take; empty where it does."""
    several_tables: bool
    """Whether the data are several tables, in csv by default."""
    next_commands: tuple[str, ...]
    """Commands for the owner to run next on the publication."""

    def require_publishable(self, table: Table, hierarchies: Hierarchies, algorithm: Algorithm, layout: Layout) -> None:
        """Refuse columns and labels that cannot be published in this layout, before any work.

        Raises
        ------
        InputError
            With the column or the label, and the way out.
        """
        ...

    def apply(self, table: Table, hierarchies: Hierarchies, result: Result, layout: Layout) -> P:
        """Apply what an algorithm decided."""
        ...

    def require_readable(self, publication: P) -> None:
        """Refuse published symbols that readers would take for something else than they stand for.

        Raises
        ------
        InputError
            With the label, and the way out.
        """
        ...

    def to_arrow(self, publication: P) -> Any:
        """Return a publication as an Arrow table, or several."""
        ...

    def write(self, unverified: Unverified[P], folder: Path, layout: Layout) -> Any:
        """Write the public files into a folder, and return how to read them, for the attestation."""
        ...

    def write_private(self, unverified: Unverified[P], folder: Path) -> None:
        """Write the files that lead back to the input into the private folder."""
        ...

    def read(
        self,
        folder: Path,
        files: Any,
        store: Store = MEMORY,
        meant: P | None = None,
        book: Iterable[Symbol] | None = None,
    ) -> P:
        """Read written data, in memory or into a work directory.

        Parameters
        ----------
        book
            The codebook, if it was read before.

        Raises
        ------
        AnonsetError
            If columns that are compared while they are read differ from the expected ones.
        """
        ...

    def stated(self, publication: P, files: Any) -> dict[str, tuple[Any, Any]]:
        """Return what the attestation says of the data, and what the data give, by field."""
        ...

    def untrue(self, table: Table, publication: P, hierarchies: Hierarchies, model: PrivacyModel) -> Witness | None:
        """Return something that a publication says and the original does not, or None."""
        ...

    def sizes(self, unverified: Unverified[P]) -> dict[str, int]:
        """Return the sizes that its owner is told: of items, symbols, clusters, groups."""
        ...

    def why_worthless(self, model: PrivacyModel, table: Table, publication: P) -> str:
        """Return why a publication is worthless; empty if it is not (`losses`)."""
        ...

    def nothing_left(self, model: PrivacyModel, table: Table, publication: P) -> tuple[str, ...]:
        """Return a warning where the items, or the relational values, say nothing although other columns do."""
        ...

    def formula_warnings(self, publication: P) -> tuple[str, ...]:
        """Return a warning if a spreadsheet might run labels in its CSV files as formulas (`formulas`)."""
        ...


_KINDS = {
    "records": "anonset.release.records:RecordsKind",
    "buckets": "anonset.release.buckets:BucketsKind",
    "chunks": "anonset.release.chunks:ChunksKind",
}
"""The operations of each kind of publication, imported on first use."""


def kind_of(model: PrivacyModel) -> Kind[Any]:
    """Return the kind of publication that a model is about."""
    return kind_named(model.kind)


def kind_named(name: PublishedKind) -> Kind[Any]:
    """Return the operations of a kind of publication."""
    made: Kind[Any] = resolve_name(_KINDS[name])()
    return made
