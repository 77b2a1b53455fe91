"""Fields of the public attestation and the private report, and functions that read these documents."""

import os
import stat
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, SerializerFunctionWrapHandler, ValidationError, model_serializer

from anonset.data import Table
from anonset.data.storage.lease import LEASE
from anonset.data.table_facts import Change, UnitKind
from anonset.errors import InputError, foreign, require_finite
from anonset.privacy.model import PrivacyModel, PublishedKind
from anonset.publications.presentation import Format
from anonset.reading.publications.chunks import file_names
from anonset.reading.publications.records import PARTS, part_names
from anonset.reading.publications.tables import files_of_table
from anonset.reading.sources.files import write_file
from anonset.release.formats import MOST_PARTS
from anonset.settings.settings import REPORT
from anonset.strict_json import loads

D = TypeVar("D", bound=BaseModel)

SCHEMA_VERSION: Literal[1] = 1
ATTESTATION = "attestation.json"
"""Name of the file with the guarantees of a publication."""
CODEBOOK = "codebook.csv"
"""Name of the file with the members of each published symbol."""
MAPPING = "mapping.csv"
"""Name of the private file with the published symbol of each item."""
HIERARCHY = "hierarchy.csv"
"""Name of the private file with the hierarchy of a cut."""
RETIRED = "retired.csv"
"""Name of the private file with symbols that earlier releases published, but this release does not. Later releases must
not reuse them.
"""
CONSTRAINTS = "privacy_constraints.txt"
"""Name of the private file with the privacy constraints, which must not be in the attestation."""


class Document(BaseModel):
    """A JSON document with a fixed set of fields."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    def write(self, path: Path) -> None:
        """Write the document as indented JSON.

        Raises
        ------
        AnonsetError
            If it contains an infinite number or NaN, which JSON cannot represent.
        """
        require_finite(self.model_dump())
        write_file(path, [f"{self.model_dump_json(indent=2)}\n".encode()])


class PublishedFiles(Document):
    """Files of published data. The JSON omits fields without a value, such as the number of parts if there is only one
    file.
    """

    kind: ClassVar[PublishedKind]
    """Kind of publication."""
    described: ClassVar[str]
    """Name of the content in messages, with an article."""
    complete: ClassVar[bool] = True
    """True if each record of the original is published."""
    by_blocks: ClassVar[bool] = False
    """True if counts and comparisons with the original are computed in blocks."""
    shows_ids: ClassVar[bool] = False
    """Whether the publication contains ids that identify the person of each row."""
    held_in_memory: ClassVar[bool] = False
    """True if counting needs all data in memory."""

    @property
    def data_files(self) -> tuple[str, ...]:
        """Names of the data files, in order."""
        raise NotImplementedError

    @property
    def nameless(self) -> bool:
        """Whether the format has no column names."""
        return False

    @property
    def quasi_identifiers(self) -> list[str]:
        """Names of the generalized relational columns."""
        return []

    def protected(self, original: Table) -> dict[str, tuple[list[str], list[str]]]:
        """Return the protected columns of an original and of the publication, by role."""
        raise NotImplementedError

    @property
    def named_files(self) -> tuple[str, ...]:
        """Names of the attested files, without the attestation."""
        return self.data_files

    @model_serializer(mode="wrap")
    def _drop_absent(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        optional = ("parts", "counts", "tables")
        return {name: value for name, value in handler(self).items() if name not in optional or value is not None}


class PublishedFile(PublishedFiles):
    """Data file and codebook of a publication, with the options to read them."""

    kind = "records"
    described = "a table of records"

    file: str
    format: Format
    separator: str | None
    """Separator of the symbols within a field, or None if no text field contains two symbols."""
    items: list[str]
    """Set-valued columns. They are joined into one column for verification. The column of a FIMI file is always
    ``items``.
    """
    relational: list[str]
    keep: list[str]
    sha256: dict[str, str]
    """Digest of every file of the publication except the attestation, by name."""
    parts: Annotated[int, Field(ge=1, le=MOST_PARTS)] | None = None
    """Number of data files in the folder `file`, or of each of the tables. None if `file`, or each table, is one data
    file.
    """
    tables: Annotated[list[Annotated[str, Field(pattern=r"^[^./\\]+$")]], Field(min_length=2)] | None = None
    """Names of the linked tables in the folder `file`, first that with a row per record. None if there is one table."""

    @property
    def data_files(self) -> tuple[str, ...]:
        """Names of the data files, in order."""
        if self.tables is not None:
            return tuple(file for table in self.tables for file in files_of_table(table, self.format, self.parts))
        return (self.file,) if self.parts is None else part_names(self.parts, self.format, self.file)

    @property
    def columns(self) -> list[str]:
        """Names of the published columns."""
        return [*self.items, *self.relational, *self.keep]

    @property
    def nameless(self) -> bool:
        """Whether the format is FIMI, which has no column names."""
        return self.format == "dat"

    @property
    def quasi_identifiers(self) -> list[str]:
        """Names of the generalized relational columns."""
        return self.relational

    def protected(self, original: Table) -> dict[str, tuple[list[str], list[str]]]:
        """Return the item columns and the relational columns."""
        sets = list(original.item_columns)
        items = self.items if self.nameless and len(sets) == 1 else sets
        relational = [column.name for column in original.relational]
        return {"items": (items, self.items), "relational": (relational, self.relational)}

    @property
    def named_files(self) -> tuple[str, ...]:
        """Data files and codebook."""
        return (*self.data_files, CODEBOOK)

    @property
    def files(self) -> tuple[str, ...]:
        """Expected names of the files of the publication, without the attestation."""
        if self.tables is not None:
            return self.named_files
        renamed = self.model_copy(update={"file": f"published.{self.format}" if self.parts is None else PARTS})
        return renamed.named_files


class BucketFiles(PublishedFiles):
    """Two published tables of buckets, with the options to read them. Each table is a file or a folder of files."""

    kind = "buckets"
    described = "a bucketized table"
    complete = False
    by_blocks = True
    shows_ids = True

    qit: str
    snt: str
    id: list[str]
    keep: list[str]
    sensitive: str
    sha256: dict[str, str]
    """Digest of every file of the publication except the attestation, by name."""
    parts: Annotated[int, Field(ge=1, le=MOST_PARTS)] | None = None
    """Number of files of each table in the folders `qit` and `snt`, or None if each table is a single file."""

    @property
    def columns(self) -> list[str]:
        """Names of the published columns."""
        return [*self.id, *self.keep, self.sensitive]

    def protected(self, original: Table) -> dict[str, tuple[list[str], list[str]]]:
        """Return the ids and the sensitive column."""
        sensitive = [] if original.sensitive is None else [original.sensitive.name]
        return {"id": ([column.name for column in original.ids], self.id), "sensitive": (sensitive, [self.sensitive])}

    @property
    def files_by_table(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Names of the files of both tables, in order."""
        if self.parts is None:
            return (self.qit,), (self.snt,)
        return part_names(self.parts, "csv", self.qit), part_names(self.parts, "csv", self.snt)

    @property
    def data_files(self) -> tuple[str, ...]:
        """Names of the data files."""
        qit, snt = self.files_by_table
        return (*qit, *snt)

    @property
    def files(self) -> tuple[str, ...]:
        """Expected names of the files of the publication, without the attestation."""
        end = ".csv" if self.parts is None else ""
        return self.model_copy(update={"qit": f"qit{end}", "snt": f"snt{end}"}).data_files


class ChunkFiles(PublishedFiles):
    """Tables of a disassociated publication. Each table is a file or a folder of files."""

    kind = "chunks"
    described = "a disassociated publication"
    held_in_memory = True

    clusters: str
    chunks: str
    shared: str
    counts: str | None = None
    """Table with the total count of each term, or None if no totals are published."""
    format: Literal["csv", "parquet"]
    items: Annotated[list[str], Field(min_length=1, max_length=1)]
    """Set-valued column."""
    sha256: dict[str, str]
    """Digest of every file of the publication except the attestation, by name."""
    parts: dict[str, Annotated[int, Field(ge=1, le=MOST_PARTS)]] | None = None
    """Number of files in the folder of each table, or None if each table is a single file."""

    @property
    def columns(self) -> list[str]:
        """Names of the published columns."""
        return self.items

    def protected(self, original: Table) -> dict[str, tuple[list[str], list[str]]]:
        """Return the item column and the relational columns. Relational columns are not published."""
        sets = list(original.item_columns)
        return {"items": (sets, self.items), "relational": ([column.name for column in original.relational], [])}

    @property
    def files_by_table(self) -> dict[str, tuple[str, ...]]:
        """Names of the files of each table, in order."""
        return file_names(self.format, self.parts, counts=self.counts is not None)

    @property
    def data_files(self) -> tuple[str, ...]:
        """Names of the data files."""
        named = {"clusters": self.clusters, "chunks": self.chunks, "shared": self.shared, "counts": self.counts}
        return tuple(
            f"{named[table]}/{file.rpartition('/')[2]}" if self.parts else f"{named[table]}"
            for table, files in self.files_by_table.items()
            for file in files
        )

    @property
    def files(self) -> tuple[str, ...]:
        """Expected names of the files of the publication, without the attestation."""
        return tuple(file for files in self.files_by_table.values() for file in files)


DECLARED_UNITS: Mapping[UnitKind, Any] = MappingProxyType(
    {"": "row, not asked", "person": "person", "row": "row, declared a person", "unknown": "row, person unknown"}
)
"""Units of privacy in the attestation, by the kind of the setting ``unit``."""
_UNITS_IN_WORDS = {
    "person": "person, as declared",
    "row, declared a person": "each row is one person, as declared",
    "row, person unknown": "row; the data do not say who is a person",
    "row, not asked": "row",
}


def unit_in_words(unit: str, model: PrivacyModel, ids: Sequence[str]) -> str:
    """Return a phrase for readers that states what the guarantee covers as one person, and who declared it.

    Parameters
    ----------
    unit
        Unit of privacy in the attestation.
    ids
        Columns of published ids, which may repeat.
    """
    return "row; ids name the person of each row, as declared" if model.counts_rows and ids else _UNITS_IN_WORDS[unit]


UNDECLARED = ("row, person unknown", "row, not asked")
"""Units of privacy that nobody declared to be persons."""


class Declarations(Document):
    """Facts about a publication that cannot be computed from its files. The JSON omits facts that are not declared."""

    unit: Literal["person", "row, declared a person", "row, person unknown", "row, not asked"]
    """Unit of privacy: all rows with the same id, each row as the owner declares it, each row because the data do not
    say who is a person, or each row of data that contain a single set-valued column and nothing else.
    """
    published_as_is: Annotated[list[str], Field(min_length=1)] | None = None
    """Columns that are published although they may show exact values of few persons, identifiers or names."""
    hierarchy_built_from_data: Literal[True] | None = None
    """True if a hierarchy is built from label frequencies, so that it discloses information about the frequencies."""
    partition_made_from_data: Literal[True] | None = None
    """True if sets of items are built from item frequencies and co-occurrence. The sets then disclose information about
    both.
    """
    accepted_undecided: Literal[True] | None = None
    """True if the owner accepted that the check could not finish."""
    earlier_attestation: Annotated[str, Field(pattern="^[0-9a-f]{64}$")] | None = None
    """SHA-256 of the attestation of an earlier publication of the same persons."""
    together_with: Annotated[str, Field(pattern="^[0-9a-f]{64}$")] | None = None
    """SHA-256 of the attestation of an earlier publication, if the guarantee also covers persons in both
    publications.
    """
    together_if_linked: Literal[True] | None = None
    """True if the joint guarantee also covers attackers who know which rows of the two publications belong to the same
    person.
    """

    @model_serializer(mode="wrap")
    def _drop_absent(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {name: value for name, value in handler(self).items() if value is not None}


class Attestation(Document):
    """Guarantee of a publication, and the extent of its verification. It contains no information that helps an
    attacker. All fields except the declarations follow from the published files, the model and its parameters, so
    `anonset verify` can compute them.
    """

    schema_version: Literal[1]
    model: str
    parameters: dict[str, Any]
    in_plain_words: str
    """Text of `statement`."""
    statement: str
    limits: str
    declarations: Declarations
    verified: dict[str, Any]
    """Facts that the check examined. Empty if the owner accepted an unfinished check."""
    counts: dict[str, int]
    data: PublishedFile | BucketFiles | ChunkFiles


class PhaseRecord(Document):
    """Seconds and peak memory, in bytes, of one phase."""

    phase: str
    seconds: float
    peak_memory: int | None


class Report(Document):
    """Complete description of a run and its input. It is private."""

    schema_version: Literal[1]
    versions: dict[str, str]
    settings: dict[str, Any]
    algorithm: str
    parameters: dict[str, Any]
    model: str
    verdict: Literal["holds", "undecided"]
    verified: dict[str, Any]
    seed: int | None
    input: dict[str, Any]
    attestation_sha256: str
    """Digest of the attestation, which contains the digests of the other public files."""
    files: dict[str, str]
    """Digest of the other files of the private directory, by name."""
    measures: dict[str, float]
    retention: dict[str, dict[str, int]]
    """Number of item occurrences, relational values and tuples with each outcome, such as kept, generalized or
    suppressed.
    """
    figures: dict[str, float]
    warnings: list[str]
    contradictions: list[str] = []
    """Facts of the data that contradict the declared person. They are also among the warnings."""
    likely_persons: list[str] = []
    """Columns whose values are persons, if the contradictions are true."""
    on_persons: list[str] = []
    """Other facts about the persons, such as ids in several spellings. They are also among the warnings."""
    date: str = ""
    """Date of the run in UTC, such as 2026-11-28. Empty if the run did not state it."""
    hierarchy_from_data: bool
    """Whether the item hierarchy was built from item frequencies."""
    exact_values: dict[str, int] = {}
    """Number of values of few persons that the model publishes unchanged, by column."""
    unnamed_nodes: list[str] = []
    """Nodes of ``hierarchy.csv`` without a public name. They are published as the set of their leaves."""
    earlier: dict[str, Any]
    """Changes of symbols since the earlier release that this release continues."""
    changes: list[Change]
    """Changes of values by rules during reading."""
    coarsened: dict[str, list[str]] = {}
    """Columns that were coarsened during reading, by part of the data: ``items`` or ``values``. The losses and the
    retention of these parts are relative to the coarsened data.
    """
    phases: list[PhaseRecord]
    trace: list[Any] | None
    frontier: list[dict[str, Any]] = []
    """Losses that other weights would have led to. Each entry contains the weight, the number of clusters, the
    relational loss and the estimated item loss.
    """


def read_attestation(out: Path) -> tuple[Attestation, str]:
    """Return the attestation of a publication, and the SHA-256 of the file.

    Raises
    ------
    InputError
        If there is no attestation, or it is invalid.
    """
    path = own_file(out / ATTESTATION)
    text, otherwise = path.read_bytes(), "no attestation of a publication"
    attested = _document(Attestation, path, text, otherwise)
    try:
        loads(text)
    except ValueError as error:
        raise InputError(f"{str(path)!r} is {otherwise}: {foreign(error)}") from None
    return attested, sha256(text).hexdigest()


def read_report(private: Path, out: Path) -> Report:
    """Return the private report of a publication.

    Raises
    ------
    InputError
        If there is no report, or it is invalid.
    """
    path = private / REPORT
    if not path.is_file():
        killed = ": the run that made it was killed" if os.path.lexists(private / LEASE) else ""
        raise InputError(f"{str(private)!r} must be the private directory of {str(out)!r}, but has no {REPORT}{killed}")
    return _document(Report, path, path.read_bytes(), "no report of a publication")


def _document(kind: type[D], path: Path, text: bytes, otherwise: str) -> D:
    try:
        return kind.model_validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the document"
        raise InputError(f"{str(path)!r} is {otherwise}: {where}: {first['msg']}") from None


def own_file(path: Path) -> Path:
    """Return the path of a publication file. Reject links, because their target may change."""
    if not os.path.lexists(path):
        raise InputError(f"{path}: no such file or directory")
    if not stat.S_ISREG(path.lstat().st_mode):
        raise InputError(f"{str(path)!r} must be a regular file in the publication, not a link, directory or device")
    return path
