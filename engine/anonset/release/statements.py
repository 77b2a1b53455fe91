"""Statements about a publication: limits of the guarantee, attestation, and private report of the run.

The limits follow from the model, the publication and its declarations, so that `anonset verify` can compute them.
"""

import dataclasses
import json
import platform
from collections.abc import Mapping
from functools import cache, partial, singledispatch
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from anonset.algorithms.base import traits_of
from anonset.algorithms.rt.joint.pruning import shown_frontier
from anonset.data.fingerprints import fingerprint
from anonset.data.lease import is_lease
from anonset.privacy import PrivacyModel, Verdict
from anonset.publications import Buckets, Chunks, Published, Records
from anonset.publications.base import unknown_kind
from anonset.publications.symbols import members_of, range_ends
from anonset.reading.files import digest
from anonset.release.documents import (
    SCHEMA_VERSION,
    Attestation,
    BucketFiles,
    ChunkFiles,
    Declarations,
    PhaseRecord,
    PublishedFile,
    Report,
)
from anonset.release.formats import Unverified
from anonset.release.stopwatch import Phase
from anonset.spelling import counted

_PACKAGES = ("anonset", "highspy", "numba", "numpy", "pyarrow", "pydantic", "scipy")
AS_THEY_ARE = (
    "It protects the records as they are in the data: whoever knows an item of a person that the data lack may find "
    "that no record matches, and learn that it is missing."
)
"""Limit of every publication of items."""
UNPUBLISHED = (
    "A missing item was either never there or suppressed; readers cannot tell which. Whoever knows that some record "
    "has it knows that it was suppressed."
)
"""Limit of every publication of items."""
MEMBERS = "Group members all occur in your data, unless your hierarchy adds others."
"""Limit if a symbol has several members."""
RANGES = "The ends of a range may be values of some of its records, unless a hierarchy names the range."
"""Limit if a number is published as a range."""
FINEST = "The result is as detailed as is safe; that itself can hint at what was hidden (minimality)."
"""Limit of every publication of records."""
REGIONS = (
    "Records may be divided by relational values where their items differ: a boundary says that the items on its sides "
    "are distributed differently, a wide region that finer ones would lose more of the items (minimality)."
)
"""Limit if relational values and items are published together."""
LOCAL = (
    "Equal values may be published in different ways (local recoding): whoever knows how the search works may learn "
    "more from the way that was chosen for a record (refinement and downcoding attacks: Cohen, Attacks on "
    "Deidentification's Defenses, USENIX Security 2022)."
)
"""Limit if clusters or partitions have their own recodings."""
ALONE = (
    "It protects this publication alone: together with another one about the same persons, by anyone, it may reveal "
    "what each of them hides (composition)."
)
"""Limit of every publication."""
ROWS = "Each row was taken for a person: somebody with several rows is not protected as one person."
"""Limit if no id assigns rows to persons."""
BY_WORD = "That no two rows are of one person is the owner's word."
"""Limit if the owner declares that rows are persons."""
NAMED = "Columns may name or reach persons: the owner declares that they are published on purpose."
"""Limit if the owner declares identifying columns."""
AS_IS = (
    "Some columns, named in the declarations, may show exact values of few persons, make records unique, or name "
    "persons: the owner publishes them as is."
)
"""Limit if the owner declares columns to publish as is."""
FROM_DATA = (
    "A hierarchy was made from how often labels occur in the data: what is published together occurs about equally "
    "often, among all labels or among those below a node of the owner's tree. So each group tells a band of "
    "frequencies, and at times which pairs are rare."
)
"""Limit if a hierarchy was built from frequencies."""
SETS_FROM_DATA = (
    "Sets of items were made from how often, and with which others, items occur in the data: items of a set tend "
    "to occur about equally often, and a set is as large as was found to be needed to hide what is rare. So each set "
    "tells a band of frequencies, and at times which pairs are rare or never occur."
)
"""Limit if a partition was built from frequencies and pairs."""
GOES_ON = (
    "It continues an earlier release, whose names keep their meaning: whoever has both sees what became coarser, so "
    "what became rare, and may learn more about somebody who is in both than either says. No guarantee holds for the "
    "two together. A group may stand for labels of the earlier data alone."
)
"""Limit if the release coarsens the recoding of an earlier release."""
CONTINUES = (
    "It continues an earlier release, whose names keep their meaning: whoever has both sees what became coarser, so "
    "what became rare. A group may stand for labels of the earlier data alone."
)
"""Limit if the release continues an earlier release, and both together keep the guarantee."""
TOGETHER_LINKED = (
    "Together with one earlier release, named by its attestation, it keeps the guarantee for persons in both, even "
    "against whoever can tell which rows are of one person. Of persons in one of the two alone, and of further "
    "releases, it says nothing together."
)
"""Limit with an earlier release, if the guarantee also covers attackers who can link the rows of a person."""
TOGETHER = (
    "Together with one earlier release, named by its attestation, it keeps the guarantee for persons in both whose "
    "record is the same: k rows of each are left that go with a row of the other. Whoever can link rows otherwise, or "
    "knows all who are in both, may find fewer. Of others, and of further releases, it says nothing together."
)
"""Limit with an earlier release, if the guarantee does not cover attackers who can link rows."""
UNDECIDED = "The check could not finish, which was accepted: that the guarantee holds is not proven."
"""Limit if an unfinished check was accepted."""

IN_SHORT = {
    UNDECIDED: UNDECIDED,
    NAMED: "Columns that may name persons are published on purpose.",
    AS_IS: "Columns that you publish as is may identify persons.",
    BY_WORD: "That no two rows are of one person is your word.",
    ROWS: "Somebody with several rows is not protected as one person.",
    TOGETHER: "With the earlier release, whoever can tell which rows are of one person may find fewer than k.",
    GOES_ON: "No guarantee holds for this and the earlier release together.",
    ALONE: "Together with another publication about the same persons, it may reveal more.",
    FINEST: "The result is as detailed as is safe; that itself can hint at what was hidden.",
}
"""Short forms of the most important limits, in the order shown to the owner."""


def limits_of(
    model: PrivacyModel,
    publication: Published,
    *,
    by_person: bool,
    undecided: bool,
    from_data: bool = False,
    sets_from_data: bool = False,
    earlier: bool = False,
    together: str = "",
    by_word: bool = False,
    named: bool = False,
    as_is: bool = False,
) -> list[str]:
    """Return the limits of the guarantee: the limits of the model, and a sentence for each further limit.

    Parameters
    ----------
    by_person
        Whether an id identifies the person of each row.
    undecided
        Whether an unfinished check was accepted.
    from_data
        Whether a hierarchy was built from frequencies.
    sets_from_data
        Whether a partition of the items was built from frequencies.
    earlier
        Whether the release continues an earlier release.
    together
        Statement of the joint guarantee with an earlier release; empty if there is none.
    by_word
        Whether the owner declares that rows are persons.
    named
        Whether the owner declares that identifying values are published on purpose.
    as_is
        Whether the owner declares columns to publish as is.
    """
    sentences = [model.limits]
    sentences += limits_of_kind(publication, model)
    sentences.append(ALONE)
    if earlier:
        sentences.append(CONTINUES if together else GOES_ON)
    if together:
        sentences.append(together)
    if not by_person:
        sentences.append(ROWS)
    if by_word:
        sentences.append(BY_WORD)
    if named:
        sentences.append(NAMED)
    if as_is:
        sentences.append(AS_IS)
    if from_data:
        sentences.append(FROM_DATA)
    if sets_from_data:
        sentences.append(SETS_FROM_DATA)
    if undecided:
        sentences.append(UNDECIDED)
    return sentences


@singledispatch
def limits_of_kind(publication: Published, model: PrivacyModel) -> list[str]:
    """Return the limits of a kind of publication, for any model."""
    raise unknown_kind(publication)


@limits_of_kind.register
def _(publication: Buckets | Chunks, model: PrivacyModel) -> list[str]:
    return []


@limits_of_kind.register
def _(publication: Records, model: PrivacyModel) -> list[str]:
    """Return the limits that follow from the symbols of published records."""
    texts = [label for column in publication.relational for label in column.vocabulary.labels]
    several = any(len(symbol.members) > 1 for symbol in publication.symbols) or bool(publication.value_sets)
    applies = {
        AS_THEY_ARE: publication.transactions is not None,
        UNPUBLISHED: publication.transactions is not None,
        MEMBERS: several or any(len(members_of(text)) > 1 for text in texts),
        RANGES: any(len(set(range_ends(text))) > 1 for text in texts),
        FINEST: True,
        REGIONS: publication.transactions is not None and bool(publication.relational),
        LOCAL: bool(publication.relational) or _has_local_items(model, publication),
    }
    return [text for text, holds in applies.items() if holds]


def _has_local_items(model: PrivacyModel, publication: Records) -> bool:
    """Return True if an item may be published as several symbols, because of the model or the symbols."""
    if model.recodes_locally:
        return True
    seen: set[Any] = set()
    for symbol in publication.symbols:
        if not seen.isdisjoint(symbol.members):
            return True
        seen.update(symbol.members)
    return False


def declared_limits(model: PrivacyModel, publication: Published, declared: Declarations) -> list[str]:
    """Return the limits of the guarantee, given the declarations."""
    kept_with = TOGETHER_LINKED if declared.together_if_linked else TOGETHER
    return limits_of(
        model,
        publication,
        by_person=declared.unit == "person",
        undecided=bool(declared.accepted_undecided),
        from_data=bool(declared.hierarchy_built_from_data),
        sets_from_data=bool(declared.partition_made_from_data),
        earlier=declared.earlier_attestation is not None,
        together="" if declared.together_with is None else kept_with,
        by_word=bool(declared.rows_are_persons),
        named=bool(declared.identifying_as_declared),
        as_is=bool(declared.published_as_is),
    )


def declarations(unverified: Unverified[Any], *, undecided: bool) -> Declarations:
    """Return the declarations about a publication and its verification."""
    table, earlier, beside = unverified.table, unverified.earlier, unverified.beside
    from_data = any(hierarchy.from_data for hierarchy in unverified.hierarchies.values())
    return Declarations(
        unit="person" if table.by_person else "row, taken for a person",
        rows_are_persons=table.word.rows_are_persons or (table.word.unit_is_stated and bool(table.repeated)) or None,
        identifying_as_declared=table.word.identifying_as_declared or None,
        published_as_is=sorted(table.word.publish_as_is) or None,
        hierarchy_built_from_data=from_data or None,
        partition_made_from_data=traits_of(unverified.algorithm).sets_from_data or None,
        accepted_undecided=True if undecided else None,
        earlier_attestation=None if earlier is None else earlier.attestation_sha256,
        together_with=None if beside is None else beside.attestation_sha256 or None,
        together_if_linked=(beside is not None and beside.linked and bool(beside.attestation_sha256)) or None,
    )


def public_checks(verdict: Verdict) -> dict[str, Any]:
    """Return the facts examined by a check that anyone can repeat; empty for an unfinished check.

    The number of suppressed protected items is omitted: it would disclose empty records.
    """
    if verdict.holds is None:  # the extent of an unfinished check depends on the budget
        return {}
    checks: dict[str, Any] = json.loads(json.dumps(plain(verdict.checked)))
    return {name: value for name, value in checks.items() if name not in ("protected_items", "unpublished_items")}


def attestation(
    model: PrivacyModel,
    seen: Verdict,
    publication: Published,
    data: PublishedFile | BucketFiles | ChunkFiles,
    declared: Declarations,
) -> Attestation:
    """Return the attestation of a verified publication.

    Parameters
    ----------
    seen
        Verdict on facts visible in the publication (see `anonset.release.publish.evidence`).
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
        counts=publication.counts(),
        data=data,
    )


def digests(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of every file in a folder tree except leases, by name."""
    files = {path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob("*")) if path.is_file()}
    return {name: digest(path) for name, path in files.items() if not is_lease(name)}


def report(
    unverified: Unverified[Any],
    verdict: Verdict,
    phases: list[Phase],
    context: Mapping[str, Any],
    written: tuple[str, dict[str, str]],
    *,
    trace: bool,
    exact_values: Mapping[str, int],
) -> Report:
    """Return the private report of a run.

    Parameters
    ----------
    context
        ``settings``, ``seed`` and facts about the ``input``, if the caller knows them.
    written
        Digest of the attestation, and digests of the other private files by name.
    exact_values
        Number of values of few persons that the model publishes unchanged, by column.
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
        exact_values=dict(exact_values),
        unnamed_nodes=sorted(node for tree in unverified.hierarchies.values() for node in tree.unnamed),
        earlier={} if unverified.since is None else plain(unverified.since),
        changes=plain(unverified.table.changes),
        phases=[PhaseRecord(phase=p.name, seconds=p.seconds, peak_memory=p.peak_memory) for p in phases],
        trace=plain(result.trace) if trace else None,
        frontier=plain(shown_frontier(result.trace)),
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
    found = distribution(package)
    head, _, _ = (found.read_text("METADATA") or "").partition("\n\n")
    lines = (line.partition(": ") for line in head.splitlines())
    stated = (version for name, _, version in lines if name == "Version")
    return next(stated, None) or found.version


def plain(value: Any) -> Any:
    """Convert dataclasses, mappings, tuples and NumPy values to JSON types."""
    if (what := getattr(type(value), "counted_as", None)) is not None:  # a policy is stored in its own file
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
