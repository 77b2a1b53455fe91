"""Publication on disk: attestation, files, model, data, and the owner's private files."""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Self

from anonset.data.array_types import Int32, Int64
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.storage.store import MEMORY, Files, Store
from anonset.errors import InputError, require_known
from anonset.privacy import PrivacyModel
from anonset.privacy.policies import PrivacyPolicy
from anonset.publications import Published, Symbol
from anonset.reading.publications.codebook import read_codebook, read_records, records_file
from anonset.reading.sources.files import digest
from anonset.reading.sources.source import Source, of_files
from anonset.release.documents import (
    ATTESTATION,
    CODEBOOK,
    CONSTRAINTS,
    Attestation,
    Report,
    own_file,
    read_attestation,
    read_report,
)
from anonset.release.formats import kind_named
from anonset.release.publishing.fetched import fetched_publication, is_below
from anonset.release.publishing.staging import private_of, require_apart
from anonset.settings.job import Job
from anonset.settings.parameters import MODELS, build
from anonset.settings.publication import check_settings_model
from anonset.settings.readers import ParsingContext
from anonset.settings.settings import validate
from anonset.spelling import StatedSettings

_MANY = 6


@dataclass(frozen=True, eq=False)
class OpenedPublication(RedactedRepr):
    """Publication on disk. All its files match the digests in the attestation.

    Digests are checked when the publication is opened. Data, model and private report are read once, on first access.
    """

    out: Path
    """Directory of the publication."""
    attested: Attestation
    sha256: str
    """Digest of the attestation, which contains the digests of the other files."""
    private_named: Path | None = None
    """Private directory that the caller named, or None."""
    store: Store = MEMORY
    """Store for the data."""
    with_private: bool = True
    """Whether the private directory may be read. A shareable report never reads it."""

    @classmethod
    def at(cls, out: str | os.PathLike[str], private: str | os.PathLike[str] | None = None) -> Self:
        """Open the publication in a directory. `open_publication` also accepts addresses.

        Raises
        ------
        InputError
            If the directory contains no publication, a changed file, or a file that is not attested.
        """
        if not is_publication(out):
            raise InputError(f"{os.fspath(out)!r} must be an output directory of anonset anonymize, with {ATTESTATION}")
        folder = Path(out)
        attested, digest = read_attestation(folder)
        _require_attested(folder, attested)
        return cls(folder, attested, digest, None if private is None else Path(private))

    @contextmanager
    def placed(self, store: Store = MEMORY, *, records: bool = True) -> Iterator[Self]:
        """Yield the publication with a store for its data. The store is on disk if the data consist of part files.

        Parameters
        ----------
        store
            Parent of the store for the data. Part files are always read into files.
        records
            Whether records may be stored in files. Buckets may always be stored in files.
        """
        if not (records or self.attested.data.by_blocks):
            yield self
            return
        in_parts = self.attested.data.parts is not None
        with store.nested_on_disk() if in_parts else store.nested() as below:
            yield replace(self, store=below)

    def require_about(self, model: PrivacyModel) -> None:
        """Reject a model that does not cover this kind of publication.

        Raises
        ------
        InputError
            The message names the kind of this publication.
        """
        if self.attested.data.kind != model.kind:
            msg = f"{str(self.out)!r} is {self.attested.data.described}, which model {model.name} does not cover"
            raise InputError(msg)

    @property
    def source(self) -> Source:
        """Data files as a source."""
        return of_files([self.out / name for name in self.attested.data.data_files])

    @cached_property
    def model(self) -> PrivacyModel:
        """Attested model, without its privacy constraints, which an attestation does not contain.

        Raises
        ------
        InputError
            If the model is unknown, or a parameter is invalid.
        """
        attested = self.attested
        parameters = {name: value for name, value in attested.parameters.items() if name != "policy"}
        settings = validate(check_settings_model(), {**parameters, "model": attested.model}, fetch=False)
        require_known("the model of the attestation", attested.model, MODELS)
        empty = {"privacy_constraints": PrivacyPolicy(())} if "policy" in attested.parameters else {}
        return built_model(attested.model, Job({**settings.model_parameters(), **empty}))

    @cached_property
    def codebook(self) -> tuple[Symbol, ...]:
        """Members of each published symbol. Empty if this kind of publication has no symbols."""
        return tuple(read_codebook(self.out / CODEBOOK)) if CODEBOOK in self.attested.data.files else ()

    @cached_property
    def publication(self) -> Published:
        """Published data."""
        data = self.attested.data
        read: Published = kind_named(data.kind).read(self.out, data, self.store, book=self.codebook)
        return read

    @property
    def _private(self) -> Path:
        named = self.private_named
        return private_of(self.out.resolve()) if named is None else named  # the directory may be "."

    @property
    def kept_constraints(self) -> dict[str, str]:
        """Setting that names the file of privacy constraints in the private directory. Empty if there is no file."""
        path = self._private / CONSTRAINTS
        return {"privacy_constraints": str(path)} if path.is_file() else {}

    @cached_property
    def private(self) -> Path | None:
        """Private directory, or None if it does not exist.

        Raises
        ------
        InputError
            If a named directory does not exist.
        """
        if not self.with_private:
            return None
        if self._private.is_dir():
            return self._private
        if self.private_named is None:
            return None
        msg = f"{str(self.private_named)!r} must be the private directory of a publication; it does not exist"
        raise InputError(msg)

    @cached_property
    def report(self) -> Report | None:
        """Private report, or None if there is no private directory.

        Raises
        ------
        InputError
            If the directory is incomplete, belongs to another publication, or a file was changed.
        """
        if self.private is None:
            return None
        report = read_report(self.private, self.out)
        self._require_own(report, self.private)
        return report

    def require_report(self, missing: str) -> Report:
        """Return the private report. `missing` is the error message if there is no private directory."""
        if self.report is None:
            raise InputError(missing)
        return self.report

    def _require_own(self, report: Report, private: Path) -> None:
        if report.attestation_sha256 != self.sha256:
            raise InputError(f"{str(private)!r} is not the private directory of {str(self.out)!r}")
        for name, expected in report.files.items():
            if not is_below(name) or digest(private / name) != expected:
                other = f"is not the file written for {str(self.out)!r}: the SHA-256 differs"
                raise InputError(f"{str(private / name)!r} {other}")

    def way_back(self, store: Store) -> tuple[Int64, Int32 | None] | None:
        """Return the input record of each row, int64 (n,), and the cluster of each row, int32 (n,) or None without
        clusters. Return None if the private directory does not contain the input records.

        Parameters
        ----------
        store
            Store for the arrays.
        """
        path = None if self.private is None else records_file(self.private)
        return None if path is None else read_records(path, store)


def is_publication(path: str | os.PathLike[str]) -> bool:
    """Return True if a path is a directory with an attestation. Other programs publish files without one."""
    return Path(path).is_dir() and os.path.lexists(Path(path) / ATTESTATION)


@contextmanager
def open_publication(
    published: OpenedPublication | str | os.PathLike[str],
    private: str | os.PathLike[str] | None = None,
    *,
    with_private: bool = True,
) -> Iterator[OpenedPublication]:
    """Yield the publication in a directory or at an address. An open publication is yielded unchanged.

    Parameters
    ----------
    private
        Private directory or address. The default is `published` with the suffix ``.private``, if it exists.
    with_private
        Whether to fetch the private files next to a publication at an address.

    Raises
    ------
    InputError
        See `OpenedPublication.at`; also if a file cannot be fetched.
    """
    if isinstance(published, OpenedPublication):
        yield published
        return
    with fetched_publication(published, private, with_private=with_private) as (folder, private_copy):
        yield OpenedPublication.at(folder, None if private is None else private_copy)


@contextmanager
def open_in_blocks(
    published: OpenedPublication | str | os.PathLike[str],
    private: str | os.PathLike[str] | None,
    work_dir: str | os.PathLike[str] | None,
    *,
    records: bool = True,
) -> Iterator[OpenedPublication]:
    """Yield a publication with a store for its data (`OpenedPublication.placed`), in a directory below `work_dir` or
    in memory. An open publication is yielded unchanged.

    Raises
    ------
    InputError
        See `open_publication`; also if the work directory overlaps a directory of the publication.
    """
    if isinstance(published, OpenedPublication):
        yield published
        return
    require_apart(work_dir, published, private_of(published, private))
    place = MEMORY if work_dir is None else Files.temporary(Path(work_dir)).acquire()
    with open_publication(published, private) as opened, place, opened.placed(place, records=records) as placed:
        yield placed


def built_model(name: str, parameters: StatedSettings) -> PrivacyModel:
    """Create a model from a known name.

    Raises
    ------
    InputError
        If a parameter does not apply or is missing.
    """
    model: PrivacyModel = build(MODELS[name].model, f"model {name}", parameters, ParsingContext(given=Job(parameters)))
    return model


def _require_attested(published: Path, attested: Attestation) -> None:
    data = attested.data
    named = data.named_files
    if named != data.files or set(data.sha256) != set(data.files):
        must = f"must name {_listed(data.files, ' and ')}, with the SHA-256 of each"
        got = f"{_listed(named, ' and ')}, and the SHA-256 of {_listed(data.sha256) or 'none'}"
        raise InputError(f"the attestation of {str(published)!r} {must}, got {got}")
    expected = {*data.files, ATTESTATION}
    for path in _entries(published, expected):
        if path.relative_to(published).as_posix() not in expected:
            raise InputError(
                f"{str(path)!r} is not attested; a publication contains {_listed(sorted(expected))} and nothing else: "
                "remove it, or restore the original publication"
            )
    for name in data.files:
        if digest(own_file(published / name)) != data.sha256[name]:
            raise InputError(
                f"{str(published / name)!r} is not the attested file: the SHA-256 differs "
                "(to check the data anyway, pass the data file)"
            )


def _listed(names: Iterable[str], between: str = ", ") -> str:
    listed = list(names)
    return between.join(listed if len(listed) <= _MANY else [*listed[:2], "…", *listed[-2:]])


def _entries(published: Path, attested_names: set[str]) -> Iterator[Path]:
    """Yield the files below a publication, and its folders that contain no attested file."""
    folders = {parent.as_posix() for name in attested_names for parent in Path(name).parents}
    for path in sorted(published.iterdir()):
        yield from _below(path, published, folders)


def _below(path: Path, published: Path, folders: set[str]) -> Iterator[Path]:
    if path.relative_to(published).as_posix() not in folders or not path.is_dir() or path.is_symlink():
        yield path
        return
    for inner in sorted(path.iterdir()):
        yield from _below(inner, published, folders)
