"""Statements about a publication: declarations, attestation, and private report of the run."""

import dataclasses
import json
import platform
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache, partial
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anonset.algorithms.base import Result, traits_of
from anonset.data.storage.lease import is_lease
from anonset.data.storage.workers import Workers
from anonset.generalization import PerCluster
from anonset.privacy import PrivacyModel, Verdict
from anonset.publications import Published
from anonset.reading.sources.files import digest
from anonset.release.documents import (
    DECLARED_UNITS,
    SCHEMA_VERSION,
    Attestation,
    BucketFiles,
    ChunkFiles,
    Declarations,
    PhaseRecord,
    PublishedFile,
    Report,
)
from anonset.release.formats import UnverifiedPublication
from anonset.release.guarantee_limits import declared_limits
from anonset.release.stopwatch import Phase
from anonset.spelling import counted

if TYPE_CHECKING:
    from anonset.algorithms.rt.joint.pruning import Pruning

_PACKAGES = ("anonset", "highspy", "numba", "numpy", "pyarrow", "pydantic", "scipy")


def declarations(
    unverified: UnverifiedPublication[Any], *, undecided: bool, files: PublishedFile | BucketFiles | ChunkFiles | None
) -> Declarations:
    """Return the declarations about a publication and its verification. Columns have their names in `files`, if
    given.
    """
    table, earlier, other_release = unverified.table, unverified.earlier, unverified.other_release
    as_is = table.statements.publish_as_is
    from_data = any(hierarchy.from_data for hierarchy in unverified.hierarchies.values())
    return Declarations(
        unit=DECLARED_UNITS["person" if table.by_person else table.statements.unit],
        published_as_is=(files.columns if files and files.nameless else sorted(as_is)) if as_is else None,
        hierarchy_built_from_data=from_data or None,
        partition_made_from_data=traits_of(unverified.algorithm).sets_from_data or None,
        accepted_undecided=True if undecided else None,
        earlier_attestation=None if earlier is None else earlier.attestation_sha256,
        together_with=None if other_release is None else other_release.attestation_sha256 or None,
        together_if_linked=(
            other_release is not None and other_release.linked and bool(other_release.attestation_sha256)
        )
        or None,
    )


def public_checks(verdict: Verdict) -> dict[str, Any]:
    """Return the facts of a check that anyone can repeat with the publication. An unfinished check has no such facts.
    The number of suppressed protected items is omitted, because it would disclose empty records.
    """
    if verdict.holds is None:  # the facts of an unfinished check depend on the budget
        return {}
    checks: dict[str, Any] = json.loads(json.dumps(plain(verdict.checked)))
    return {name: value for name, value in checks.items() if name not in ("protected_items", "unpublished_items")}


def attestation(
    model: PrivacyModel,
    verdict: Verdict,
    publication: Published,
    data: PublishedFile | BucketFiles | ChunkFiles,
    declared: Declarations,
) -> Attestation:
    """Return the attestation of a verified publication.

    Parameters
    ----------
    verdict
        Verdict that depends only on the publication (see `anonset.release.publishing.publish.evidence`).
    """
    return Attestation(
        schema_version=SCHEMA_VERSION,
        model=model.name,
        parameters=parameters_of(model),
        in_plain_words=model.statement,
        statement=model.statement,
        limits=" ".join(declared_limits(model, publication, declared)),
        declarations=declared,
        verified=public_checks(verdict),
        counts=publication.counts(),
        data=data,
    )


def digests(folder: Path, workers: Workers) -> dict[str, str]:
    """Return the SHA-256 of every file in a folder tree except leases, by name.

    If workers cannot access the folder, this process computes the digests.
    """
    files = {path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob("*")) if path.is_file()}
    files = {name: path.absolute() for name, path in files.items() if not is_lease(name)}
    chosen = workers if workers.see({str(path) for path in files.values()}) else workers.local
    return dict(zip(files, chosen.map_short(digest, list(files.values())), strict=True))


def report(
    unverified: UnverifiedPublication[Any],
    verdict: Verdict,
    phases: list[Phase],
    context: Mapping[str, Any],
    table_facts: Mapping[str, Any],
    written: tuple[str, dict[str, str]],
    *,
    trace: bool,
    exact_values: Mapping[str, int],
) -> Report:
    """Return the private report of a run.

    Parameters
    ----------
    context
        ``settings``, ``seed`` and facts about the ``input``, as far as the caller knows them.
    table_facts
        Size and fingerprint of the table (`anonset.data.fingerprints.fingerprint`).
    written
        Digest of the attestation, and digests of the other private files by name.
    exact_values
        Number of rare values that the model publishes unchanged, by column.
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
        input={**plain(context.get("input", {})), **table_facts},
        attestation_sha256=written[0],
        files=written[1],
        measures=plain(unverified.measures),
        retention=plain(unverified.retention),
        figures=plain(result.figures),
        warnings=list(unverified.warnings),
        contradictions=list(unverified.contradictions),
        likely_persons=list(unverified.likely_persons),
        on_persons=list(unverified.on_persons),
        date=datetime.now(UTC).date().isoformat(),
        hierarchy_from_data=any(tree.from_data for tree in unverified.hierarchies.values()),
        exact_values=dict(exact_values),
        unnamed_nodes=sorted(node for tree in unverified.hierarchies.values() for node in tree.unnamed),
        earlier={} if unverified.since is None else plain(unverified.since),
        changes=list(unverified.table.changes),
        coarsened=plain(unverified.table.coarsened),
        phases=[PhaseRecord(phase=p.name, seconds=p.seconds, peak_memory=p.peak_memory) for p in phases],
        trace=plain(result.trace) if trace else None,
        frontier=plain(frontier_of(result)),
    )


def parameters_of(instance: Any) -> dict[str, Any]:
    """Return the fields of a model or an algorithm by name, without fields that are None."""
    values = {field.name: getattr(instance, field.name) for field in dataclasses.fields(instance)}
    parameters: dict[str, Any] = plain({name: value for name, value in values.items() if value is not None})
    return parameters


def versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that affect the result."""
    version_of = {"python": platform.python_version()}
    for name in _PACKAGES:
        try:
            version_of[name] = _version_of(name)
        except PackageNotFoundError:  # running from source
            version_of[name] = "unknown"
    return version_of


@cache
def _version_of(package: str) -> str:
    """Return the version in the metadata header of a package, without parsing its README."""
    metadata = distribution(package)
    head, _, _ = (metadata.read_text("METADATA") or "").partition("\n\n")
    lines = (line.partition(": ") for line in head.splitlines())
    stated = (version for name, _, version in lines if name == "Version")
    return next(stated, None) or metadata.version


def plain(value: Any) -> Any:
    """Convert dataclasses, mappings, tuples and NumPy values to JSON types."""
    if (noun := getattr(type(value), "counted_as", None)) is not None:  # a policy is stored in its own file
        return counted(len(value), noun)
    if isinstance(value, partial):
        return {"name": plain(value.func), **plain(value.keywords)}
    if isinstance(value, type):
        return getattr(value, "name", value.__name__)
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if dataclasses.is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(entry) for entry in value]
    if hasattr(value, "tolist"):  # NumPy scalars and arrays
        return value.tolist()
    return value if isinstance(value, (str, int, float, bool)) or value is None else str(value)


def frontier_of(result: Result) -> "tuple[Pruning, ...]":
    """Return the prunings between which `joint-split` chose. Empty if another algorithm ran."""
    if not isinstance(result.recoding, PerCluster):
        return ()
    from anonset.algorithms.rt.joint.pruning import shown_frontier

    return shown_frontier(result.trace)
