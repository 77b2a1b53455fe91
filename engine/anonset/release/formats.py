"""Layout of a publication, unverified publications, and the interface of each kind of publication.

There are three kinds of publications: records, buckets and chunks (`records.py`, `buckets.py`, `chunks.py`). `kind_of`
returns the kind for a model.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from anonset.algorithms.base import Algorithm, Result
from anonset.data import Hierarchy, Table
from anonset.data.redacted_repr import RedactedRepr, figures_shown, redacted
from anonset.data.resumption.seals import Seal
from anonset.data.storage.store import MEMORY, Store
from anonset.errors import DisclosureError, InputError
from anonset.privacy import PrivacyModel, Witness
from anonset.privacy.model import PublishedKind, require_parameters
from anonset.publications import Published, Symbol
from anonset.publications.presentation import Format, Order, Symbols
from anonset.release.scan.findings import ScanResult
from anonset.spelling import setting

if TYPE_CHECKING:
    from anonset.generalization.earlier_release import EarlierRelease, ReleaseChanges
    from anonset.generalization.other_release import OtherRelease
    from anonset.settings.publication import CheckSettings


MOST_PARTS = 100_000
"""Largest number of data files of a publication."""
_AS_INPUT = (
    "the rows are in input order; someone who knows this order knows the person of each row, regardless of the model"
)


@dataclass(frozen=True)
class Layout:
    """Row order, names of symbols and file format of a publication."""

    order: Order = "sorted"
    """Row order. ``sorted`` orders rows by their published content, and ``input`` keeps the order of the input."""
    symbols: Symbols = "auto"
    """Names of published sets. ``members`` lists the members, ``short`` uses a code, and ``auto`` uses a code for sets
    of more than 8 members.
    """
    format: Format | None = "csv"
    """Format of the data files, or None if the data remain in memory."""
    separator: str | None = None
    """Separator of the symbols within a field. With None, it is a space, or another character if labels contain
    spaces.
    """
    part_rows: int | None = None
    """Number of rows per part file, or None for a single file."""
    codes: Mapping[tuple[str, ...], str] = field(default_factory=dict, repr=False)
    """Names of itemsets in an earlier release, by the members of the itemset."""
    used_labels: frozenset[str] = field(default=frozenset(), repr=False)
    """Symbols and items of all earlier releases that this release continues. These texts are reserved, and are not used
    as codes.
    """

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings about disclosure through the layout."""
        return (f"{setting('order', 'input')}: {_AS_INPUT}",) if self.order == "input" else ()

    def __post_init__(self) -> None:
        require_parameters(self)
        if self.part_rows is not None and self.part_rows < 1:
            raise InputError(f"{setting('part_rows')} must be at least 1, got {self.part_rows}")


def require_few_parts(n: int, layout: Layout) -> None:
    """Reject a layout with more part files than a publication may have.

    Raises
    ------
    InputError
        The message contains the smallest possible number of rows per part file.
    """
    if layout.part_rows is not None and n > MOST_PARTS * layout.part_rows:
        need = f"at least {-(-n // MOST_PARTS)} (at most {MOST_PARTS:,} parts are allowed)"
        raise InputError(f"{setting('part_rows')} must be {need}, got {layout.part_rows}")


P = TypeVar("P", bound=Published)
"""Records, buckets, or chunks."""


@dataclass(frozen=True, eq=False)
class UnverifiedPublication(RedactedRepr, Generic[P]):
    """Output of an algorithm before verification."""

    table: Table
    """Input table with columns bound to their hierarchies."""
    hierarchies: Mapping[str, Hierarchy]
    algorithm: Algorithm
    result: Result
    publication: P
    """Data to publish, with rows in final order."""
    measures: Mapping[str, float]
    """Losses by name, the main loss first."""
    retention: Mapping[str, Mapping[str, int]]
    """Number of item occurrences, relational values and tuples with each outcome, such as kept, generalized or
    suppressed.
    """
    warnings: tuple[str, ...]
    """Warnings about the publication. A publication with warnings still satisfies the model."""
    sealed: Seal
    """Checksums of the table's files, which are checked at the end of the verification."""
    contradictions: tuple[str, ...] = ()
    """Facts of the data that contradict the declared person. They are also among the warnings."""
    likely_persons: tuple[str, ...] = ()
    """Columns whose values are persons, if the contradictions are true."""
    on_persons: tuple[str, ...] = ()
    """Other facts about the persons, such as ids in several spellings. They are also among the warnings."""
    earlier: "EarlierRelease | None" = None
    """Earlier release that the publication continues."""
    since: "ReleaseChanges | None" = None
    """Changes of the symbols since the earlier release."""
    other_release: "OtherRelease | None" = None
    """Earlier release of the same persons. Both releases together satisfy the model."""

    def __repr__(self) -> str:
        return (
            f"UnverifiedPublication({redacted(self.algorithm)}, {self.publication!r}, {figures_shown(self.measures)})"
        )


_OF_PARTS = ("parts", "smallest_part", "largest_part", "begun_in_parts")


def sizes_of_parts(result: Result) -> dict[str, int]:
    """Return the number and sizes of the clusters or partitions of a result, if it has any."""
    return {name: int(result.figures[name]) for name in _OF_PARTS if name in result.figures}


Hierarchies = Mapping[str, Hierarchy]


class PublicationKind(ABC, Generic[P]):
    """Operations on a kind of publication. By default, a kind has none of the optional features."""

    no_stream: str
    """Reason why the data cannot be exported as a single Arrow stream, with an alternative. Empty if the data can be
    exported.
    """
    several_tables: bool
    """True if the data consist of several tables. The default format of tables is CSV."""

    @abstractmethod
    def require_publishable(self, table: Table, hierarchies: Hierarchies, algorithm: Algorithm, layout: Layout) -> None:
        """Reject columns and labels that cannot be published in this layout, before the search.

        Raises
        ------
        InputError
            The message names the column or the label, and the remedy.
        """

    @abstractmethod
    def apply(self, table: Table, hierarchies: Hierarchies, result: Result, layout: Layout) -> P:
        """Apply the recoding of an algorithm."""

    def require_readable(self, publication: P) -> None:
        """Reject symbols whose name suggests other members than they have.

        Raises
        ------
        InputError
            The message names the label, and the remedy.
        """
        return

    @abstractmethod
    def to_arrow(self, publication: P) -> Any:
        """Return a publication as one or several Arrow tables."""

    @abstractmethod
    def write(self, unverified: UnverifiedPublication[P], folder: Path, layout: Layout) -> Any:
        """Write the public files into a folder, and return their reading options for the attestation."""

    @abstractmethod
    def write_private(self, unverified: UnverifiedPublication[P], folder: Path) -> None:
        """Write the files that link rows to the input into the private folder."""

    @abstractmethod
    def read(
        self,
        folder: Path,
        files: Any,
        store: Store = MEMORY,
        meant: P | None = None,
        book: Iterable[Symbol] | None = None,
    ) -> P:
        """Read written data into memory or a work directory.

        Parameters
        ----------
        book
            Codebook, if already read.

        Raises
        ------
        AnonsetError
            If the columns that are read differ from the expected columns.
        """

    @abstractmethod
    def read_foreign(self, published: Path, settings: "CheckSettings", model: PrivacyModel) -> P:
        """Read a publication that another program made.

        Raises
        ------
        InputError
            If the publication cannot be read with these settings.
        """

    def stated(self, publication: P, files: Any) -> dict[str, tuple[Any, Any]]:
        """Return, for each attested field that describes the data, the attested value and the value computed from the
        data.
        """
        return {}

    @abstractmethod
    def find_contradiction(
        self, table: Table, publication: P, hierarchies: Hierarchies, model: PrivacyModel
    ) -> Witness | None:
        """Return a published value that does not agree with the original, or None."""

    @abstractmethod
    def sizes(self, unverified: UnverifiedPublication[P]) -> dict[str, int]:
        """Return the sizes for the owner, such as the number of items, symbols, clusters or groups."""

    @abstractmethod
    def retention(self, table: Table, result: Result, publication: P) -> Mapping[str, Mapping[str, int]]:
        """Return the number of items, values or tuples with each outcome, for each part of the data."""

    @abstractmethod
    def measures(
        self, table: Table, hierarchies: Hierarchies, algorithm: Algorithm, result: Result, publication: P
    ) -> Mapping[str, float]:
        """Return the losses by name, the main loss first."""

    @abstractmethod
    def why_worthless(self, model: PrivacyModel, table: Table, publication: P) -> str:
        """Return why a publication is worthless (see `losses`), or an empty text if it is useful."""

    def nothing_left(self, model: PrivacyModel, table: Table, publication: P) -> tuple[str, ...]:
        """Return a warning if the items or the relational values retain no information, although other columns do."""
        return ()

    def limits(self, publication: P, model: PrivacyModel) -> list[str]:
        """Return the limits of the guarantee that follow from the published data (`guarantee_limits`)."""
        return []

    @abstractmethod
    def scan(self, publication: P, scanner: Any) -> ScanResult:
        """Scan the published data for values that identify persons."""

    def require_declared(self, table: Table, publication: P, model: PrivacyModel) -> Mapping[str, int]:
        """Scan a publication and return the number of values of few persons that the model publishes, by column.

        Parameters
        ----------
        table
            Original table, with the owner's declarations and the grids of its numeric columns.

        Raises
        ------
        DisclosureError
            If a column shows values that identify persons, and the owner has not declared it.
        """
        from anonset.release.scan.disclosure_scan import Scanner

        scan = self.scan(publication, Scanner(table, model))
        if scan.findings:
            raise DisclosureError(scan.findings)
        return scan.promised

    @abstractmethod
    def formula_warnings(self, publication: P) -> tuple[str, ...]:
        """Return a warning if a spreadsheet might run labels in the CSV files as formulas (`formulas`)."""


def kind_of(model: PrivacyModel) -> PublicationKind[Any]:
    """Return the kind of publication to which a model applies."""
    return kind_named(model.kind)


def kind_named(name: PublishedKind) -> PublicationKind[Any]:
    """Return the implementation of a kind of publication, which is imported on first use."""
    made: PublicationKind[Any] = resolve_name(f"anonset.release.kinds.{name}:{name.title()}Kind")()
    return made
