"""The attestation, which goes with the data, and the private report: their fields, and how they are made."""

import dataclasses
import json
import platform
from collections.abc import Mapping
from functools import partial
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, SerializerFunctionWrapHandler, model_serializer

from anonset.algorithms.base import traits_of
from anonset.data.fingerprints import fingerprint
from anonset.errors import require_finite
from anonset.privacy import PrivacyModel, Verdict
from anonset.release.formats import MOST_PARTS, Unverified
from anonset.release.limits import limits_of
from anonset.release.stopwatch import Phase
from anonset.spelling import counted

if TYPE_CHECKING:
    from anonset.generalization.buckets import AnyPublication

SCHEMA_VERSION: Literal[1] = 1
ATTESTATION = "attestation.json"
"""Name of the file that states what is guaranteed of a publication."""
REPORT = "report.json"
"""Name of the private report."""
CODEBOOK = "codebook.csv"
"""Name of the file that says what each published symbol stands for."""
HIERARCHY = "hierarchy.csv"
"""Name of the private file of the hierarchy that the names of a cut are nodes of."""
CONSTRAINTS = "privacy_constraints.txt"
"""Name of the private file of the privacy constraints, which the attestation must not hold."""
_VERSION = "Version: "
_PACKAGES = ("anonset", "highspy", "numba", "numpy", "pyarrow", "pydantic", "scipy")


class Document(BaseModel):
    """A JSON document with a fixed set of fields."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    def write(self, path: Path) -> None:
        """Write the document as indented JSON.

        Raises
        ------
        AnonsetError
            If it holds a number that is not finite, which JSON cannot represent.
        """
        from anonset.io.files import write_file

        require_finite(self.model_dump())
        write_file(path, [f"{self.model_dump_json(indent=2)}\n".encode()])


class PublishedFiles(Document):
    """Files of published data. Their number is absent where the data are not in parts, as is a table that is not."""

    @model_serializer(mode="wrap")
    def _said(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        optional = ("parts", "counts")
        return {name: value for name, value in handler(self).items() if name not in optional or value is not None}


class DataFile(PublishedFiles):
    """The data file of a publication with its codebook, and how to read it."""

    file: str
    format: Literal["csv", "parquet", "dat"]
    separator: str | None
    """Separates the symbols within a field; None where no field of text holds two."""
    items: list[str]
    """The set-valued column, or those that are joined into one to be verified; of FIMI files always ``items``."""
    relational: list[str]
    keep: list[str]
    sha256: dict[str, str]
    """Digest of every file of the publication but the attestation, by name."""
    parts: Annotated[int, Field(ge=1, le=MOST_PARTS)] | None = None
    """Number of files that the data are in, in the folder that `file` names; None: they are one file."""

    @property
    def data_files(self) -> tuple[str, ...]:
        """Names of the files that hold the data, in their order."""
        from anonset.io.publish import part_names

        return (self.file,) if self.parts is None else part_names(self.parts, self.format, self.file)

    @property
    def files(self) -> tuple[str, ...]:
        """Names of the files of the publication but the attestation."""
        from anonset.io.publish import PARTS

        own = self.model_copy(update={"file": f"published.{self.format}" if self.parts is None else PARTS})
        return (*own.data_files, CODEBOOK)


class BucketFiles(PublishedFiles):
    """The two tables of a bucketized one, each a file or a folder of files, and how to read them."""

    qit: str
    snt: str
    id: list[str]
    keep: list[str]
    sensitive: str
    sha256: dict[str, str]
    """Digest of every file of the publication but the attestation, by name."""
    parts: Annotated[int, Field(ge=1, le=MOST_PARTS)] | None = None
    """Number of files that each table is in, in the folders that are named; None: each is one file."""

    @property
    def tables(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Names of the files of both tables, in their order."""
        from anonset.io.publish import part_names

        if self.parts is None:
            return (self.qit,), (self.snt,)
        return part_names(self.parts, "csv", self.qit), part_names(self.parts, "csv", self.snt)

    @property
    def data_files(self) -> tuple[str, ...]:
        """Names of the files that hold the data."""
        qit, snt = self.tables
        return (*qit, *snt)

    @property
    def files(self) -> tuple[str, ...]:
        """Names of the files of the publication but the attestation."""
        end = ".csv" if self.parts is None else ""
        return self.model_copy(update={"qit": f"qit{end}", "snt": f"snt{end}"}).data_files


class ChunkFiles(PublishedFiles):
    """The tables of a disassociated publication, each a file or a folder of files."""

    clusters: str
    chunks: str
    shared: str
    counts: str | None = None
    """The totals of terms; absent where none are published."""
    format: Literal["csv", "parquet"]
    items: Annotated[list[str], Field(min_length=1, max_length=1)]
    """The set-valued column."""
    sha256: dict[str, str]
    """Digest of every file of the publication but the attestation, by name."""
    parts: dict[str, Annotated[int, Field(ge=1, le=MOST_PARTS)]] | None = None
    """Number of files that each table is in, in the folders that are named; None: each is one file."""

    @property
    def relational(self) -> list[str]:
        """No relational columns."""
        return []

    @property
    def keep(self) -> list[str]:
        """No columns that are kept as they are."""
        return []

    @property
    def tables(self) -> dict[str, tuple[str, ...]]:
        """Names of the files of each table, in their order."""
        from anonset.io.chunks import file_names

        return file_names(self.format, self.parts, counts=self.counts is not None)

    @property
    def data_files(self) -> tuple[str, ...]:
        """Names of the files that hold the data."""
        named = {"clusters": self.clusters, "chunks": self.chunks, "shared": self.shared, "counts": self.counts}
        return tuple(
            f"{named[table]}/{file.rpartition('/')[2]}" if self.parts else f"{named[table]}"
            for table, files in self.tables.items()
            for file in files
        )

    @property
    def files(self) -> tuple[str, ...]:
        """Names of the files of the publication but the attestation."""
        return tuple(file for files in self.tables.values() for file in files)


class Declarations(Document):
    """What the owner declares, since the publication does not show it: a closed list. Undeclared fields are absent."""

    unit: Literal["person", "row, taken for a person"]
    """What a record stands for: a person, told by an id, or a row."""
    rows_are_persons: Literal[True] | None = None
    """Each row is a person, although an identifier may repeat."""
    identifying_as_declared: Literal[True] | None = None
    """Columns that name or reach persons are published on purpose."""
    hierarchy_built_from_data: Literal[True] | None = None
    """A hierarchy is made from how often labels occur, and so discloses something of that."""
    partition_made_from_data: Literal[True] | None = None
    """Sets of items were made from how often, and with which others, items occur, so that they tell of that."""
    accepted_undecided: Literal[True] | None = None
    """The check could not be finished, and the owner published all the same."""
    earlier_attestation: Annotated[str, Field(pattern="^[0-9a-f]{64}$")] | None = None
    """SHA-256 of the attestation of an earlier publication of the same persons."""

    @property
    def unit_in_words(self) -> str:
        """What a record stands for, and who says so."""
        by_word = self.rows_are_persons and self.unit != "person"
        return "row, each a person by the owner's word" if by_word else self.unit

    @model_serializer(mode="wrap")
    def _said(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {name: value for name, value in handler(self).items() if value is not None}


class Attestation(Document):
    """What is guaranteed of a publication, and what has been verified. Holds nothing that helps an attacker.

    All but the declarations is what the files, and the model with its parameters, give: `anonset verify` computes it.
    """

    schema_version: Literal[1]
    model: str
    parameters: dict[str, Any]
    in_plain_words: str
    statement: str
    limits: str
    declarations: Declarations
    verified: dict[str, Any]
    """What the check examined; empty where an unfinished check is accepted."""
    counts: dict[str, int]
    data: DataFile | BucketFiles | ChunkFiles


class PhaseRecord(Document):
    """Seconds and peak memory, in bytes, of one phase."""

    phase: str
    seconds: float
    peak_memory: int | None


class Report(Document):
    """Everything about a run. Private: it describes the input."""

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
    """Digest of the attestation, which holds those of the other files of the publication."""
    files: dict[str, str]
    """Digest of the other files of the private directory, by name."""
    measures: dict[str, float]
    retention: dict[str, dict[str, int]]
    """Item occurrences, relational values and tuples by what became of them: kept, generalized, suppressed, …"""
    figures: dict[str, float]
    warnings: list[str]
    hierarchy_from_data: bool
    """Whether the hierarchy of the items was made from how often they occur."""
    unnamed_nodes: list[str] = []
    """Nodes of ``hierarchy.csv`` that have no name to be published: sets of their leaves are."""
    earlier: dict[str, Any]
    """What became of the names of the earlier release that this one continues."""
    changes: list[dict[str, Any]]
    """What rules changed in the data while reading: the column, the rule, and how many labels and occurrences."""
    phases: list[PhaseRecord]
    trace: list[Any] | None


def declared_limits(model: PrivacyModel, publication: "AnyPublication", declared: Declarations) -> list[str]:
    """Return what is not guaranteed, given the declarations."""
    return limits_of(
        model,
        publication,
        by_person=declared.unit == "person",
        undecided=bool(declared.accepted_undecided),
        from_data=bool(declared.hierarchy_built_from_data),
        sets_from_data=bool(declared.partition_made_from_data),
        earlier=declared.earlier_attestation is not None,
        by_word=bool(declared.rows_are_persons),
        named=bool(declared.identifying_as_declared),
    )


def declarations(unverified: Unverified[Any], *, undecided: bool) -> Declarations:
    """Return what is declared of a publication, and of its verification."""
    table, earlier = unverified.table, unverified.earlier
    from_data = any(hierarchy.from_data for hierarchy in unverified.hierarchies.values())
    return Declarations(
        unit="person" if table.by_person else "row, taken for a person",
        rows_are_persons=table.word.rows_are_persons or None,
        identifying_as_declared=table.word.identifying_as_declared or None,
        hierarchy_built_from_data=from_data or None,
        partition_made_from_data=traits_of(unverified.algorithm).sets_from_data or None,
        accepted_undecided=True if undecided else None,
        earlier_attestation=None if earlier is None else earlier.attestation_sha256,
    )


def public_checks(verdict: Verdict) -> dict[str, Any]:
    """Return what a check examined, as far as anybody can repeat it; nothing of an unfinished check.

    The number of suppressed protected items is left out: it would disclose empty records.
    """
    if verdict.holds is None:  # how far an unfinished check comes depends on the budget
        return {}
    checks: dict[str, Any] = json.loads(json.dumps(plain(verdict.checked)))
    return {name: value for name, value in checks.items() if name not in ("protected_items", "unpublished_items")}


def attestation(
    model: PrivacyModel,
    seen: Verdict,
    publication: "AnyPublication",
    counts: Mapping[str, int],
    data: DataFile | BucketFiles | ChunkFiles,
    declared: Declarations,
) -> Attestation:
    """Return the attestation of a verified publication.

    Parameters
    ----------
    seen
        The verdict on what the publication alone shows (see `anonset.release.publish.evidence`).
    """
    return Attestation(
        schema_version=SCHEMA_VERSION,
        model=model.name,
        parameters=parameters_of(model),
        in_plain_words=model.in_plain_words,
        statement=model.statement,
        limits=" ".join(declared_limits(model, publication, declared)),
        declarations=declared,
        verified=public_checks(seen),
        counts=dict(counts),
        data=data,
    )


def digests(folder: Path, *, without: str | None = None) -> dict[str, str]:
    """Return the SHA-256 of every file in a folder and below it but the one of a name, by name."""
    from anonset.io.files import digest

    files = {path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob("*")) if path.is_file()}
    return {name: digest(path) for name, path in files.items() if name != without}


def report(
    unverified: Unverified[Any],
    verdict: Verdict,
    phases: list[Phase],
    context: Mapping[str, Any],
    written: tuple[str, dict[str, str]],
    *,
    trace: bool,
) -> Report:
    """Return the private report of a run.

    Parameters
    ----------
    context
        ``settings``, ``seed`` and facts about the ``input``, where the caller knows them.
    written
        Digest of the attestation, and those of the other private files by name.
    """
    result = unverified.result
    return Report(
        schema_version=SCHEMA_VERSION,
        versions=versions(),
        settings=plain(context.get("settings", {})),
        algorithm=unverified.algorithm.name,
        parameters=parameters_of(unverified.algorithm),
        model=verdict.model.name,
        verdict="holds" if verdict.holds else "undecided",
        verified=plain(verdict.checked),
        seed=context.get("seed"),
        input={**plain(context.get("input", {})), **fingerprint(unverified.table)},
        attestation_sha256=written[0],
        files=written[1],
        measures=plain(unverified.measures),
        retention=plain(unverified.retention),
        figures=plain(result.figures),
        warnings=list(unverified.warnings),
        hierarchy_from_data=any(tree.from_data for tree in unverified.hierarchies.values()),
        unnamed_nodes=sorted(node for tree in unverified.hierarchies.values() for node in tree.unnamed),
        earlier={} if unverified.since is None else plain(unverified.since),
        changes=plain(unverified.table.changes),
        phases=[PhaseRecord(phase=p.name, seconds=p.seconds, peak_memory=p.peak_memory) for p in phases],
        trace=plain(result.trace) if trace else None,
    )


def parameters_of(instance: Any) -> dict[str, Any]:
    """Return the fields of a model or an algorithm by name; those that were not given, and None by default, are not."""
    values = {field.name: getattr(instance, field.name) for field in dataclasses.fields(instance)}
    parameters: dict[str, Any] = plain({name: value for name, value in values.items() if value is not None})
    return parameters


def versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that shape the result."""
    version_of = {"python": platform.python_version()}
    for name in _PACKAGES:
        try:
            version_of[name] = _version_of(name)
        except PackageNotFoundError:  # run from the sources
            version_of[name] = "unknown"
    return version_of


def _version_of(package: str) -> str:
    """Return the version that the metadata of a package begin with; the rest of them, its README, is not parsed."""
    found = distribution(package)
    head, _, _ = (found.read_text("METADATA") or "").partition("\n\n")
    stated = (line.removeprefix(_VERSION) for line in head.splitlines() if line.startswith(_VERSION))
    return next(stated, None) or found.version


def plain(value: Any) -> Any:
    """Convert dataclasses, mappings, tuples and NumPy values to JSON types."""
    if (what := getattr(type(value), "counted_as", None)) is not None:  # a file of its own holds a policy
        return counted(len(value), what)
    if isinstance(value, partial):
        return {"name": plain(value.func), **plain(value.keywords)}
    if isinstance(value, type):
        return getattr(value, "name", value.__name__)
    if dataclasses.is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(entry) for entry in value]
    if hasattr(value, "tolist"):  # NumPy scalars and arrays
        return value.tolist()
    return value if isinstance(value, (str, int, float, bool)) or value is None else str(value)
