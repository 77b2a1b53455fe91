"""Statements about a publication: limits of the guarantee, attestation, and private report of the run.

The limits follow from the model, the publication and its declarations, so that `anonset verify` can compute them.
"""

import dataclasses
import json
import platform
import re
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
from anonset.release.formats import UnverifiedPublication
from anonset.release.stopwatch import Phase
from anonset.spelling import counted

_PACKAGES = ("anonset", "highspy", "numba", "numpy", "pyarrow", "pydantic", "scipy")
AS_THEY_ARE = (
    "The guarantee applies to the records as they are in the data: someone who knows an item that the data lack may "
    "find no matching record, and learn that the item is missing."
)
"""Limit of every publication of items."""
UNPUBLISHED = (
    "A missing item was either absent from the data or suppressed; readers cannot distinguish the two cases. Someone "
    "who knows that some record contains a missing item knows that it was suppressed."
)
"""Limit of every publication of items."""
MEMBERS = "All members of a group occur in the data, unless the hierarchy contains further items."
"""Limit if a symbol has several members."""
RANGES = "The ends of a range may be values of some of its records, unless a hierarchy defines the range."
"""Limit if a number is published as a range."""
FINEST = "The result is as detailed as the guarantee allows, which may itself hint at hidden values (minimality)."
"""Limit of every publication of records."""
REGIONS = (
    "Records may be split by quasi-identifiers where their items differ: a split shows that the items on its sides "
    "have different distributions, and a wide region shows that a finer split would generalize the items more "
    "(minimality)."
)
"""Limit if relational values and items are published together."""
LOCAL = (
    "Equal values may be published in different ways (local recoding): someone who knows the search method may learn "
    "more from the choice for a record (refinement and downcoding attacks: Cohen, Attacks on Deidentification's "
    "Defenses, USENIX Security 2022)."
)
"""Limit if clusters or partitions have their own recodings."""
ALONE = "Other publications about the same persons, by any publisher, may reveal hidden values (composition)."
"""Limit of every publication."""
ROWS = "Each row counts as a person: a person with several rows is not protected as one person."
"""Limit if no id assigns rows to persons."""
BY_WORD = "The owner declares, and no check verifies, that each row is a different person."
"""Limit if the owner declares that rows are persons."""
NAMED = "Some columns may name persons or contain contact details: the owner publishes them intentionally."
"""Limit if the owner declares identifying columns."""
AS_IS = (
    "Some columns, listed in the declarations, may contain exact values of few persons, make records unique, or name "
    "persons: the owner publishes them as is."
)
"""Limit if the owner declares columns to publish as is."""
FROM_DATA = (
    "A hierarchy was built from label frequencies in the data: the labels of a group are about equally frequent among "
    "all labels, or among the labels below a node of the owner's tree, so that each group discloses a range of "
    "frequencies, and sometimes which pairs are rare."
)
"""Limit if a hierarchy was built from frequencies."""
SETS_FROM_DATA = (
    "Sets of items were built from frequencies of items and pairs in the data: items of a set tend to be about equally "
    "frequent, and a set is as large as necessary to hide rare combinations, so that each set discloses a range of "
    "frequencies, and sometimes which pairs are rare or never occur."
)
"""Limit if a partition was built from frequencies and pairs."""
CONTINUES = (
    "This release continues an earlier release with the same symbol names: someone who has both sees which symbols "
    "became coarser, and therefore which became rare. The labels of a group may occur only in the earlier data."
)
"""Limit if the release continues an earlier release."""
GOES_ON = (
    "No guarantee covers this release and the earlier release together: someone who has both may learn more about a "
    "person in both than from either release."
)
"""Limit if both releases together do not keep the guarantee."""
TOGETHER_LINKED = (
    "Together with one earlier release, named in the attestation, the guarantee covers persons in both releases, even "
    "if an attacker can link the rows of a person. No joint guarantee covers persons in only one of the two releases, "
    "or further releases."
)
"""Limit with an earlier release, if the guarantee also covers attackers who can link the rows of a person."""
TOGETHER = (
    "Together with the earlier release, someone who can link the rows of a person, or knows all persons in both, may "
    "find fewer than k records. The joint guarantee covers persons in both with an unchanged record: k rows of each "
    "match rows of the other. No joint guarantee covers other persons, or further releases."
)
"""Limit with an earlier release, if the guarantee does not cover attackers who can link rows."""
UNDECIDED = "The check did not finish, and the owner accepted this: the guarantee is not proven."
"""Limit if an unfinished check was accepted."""

_MOST_IMPORTANT = (UNDECIDED, NAMED, AS_IS, BY_WORD, ROWS, TOGETHER, GOES_ON, ALONE, FINEST)
"""Limits of which the owner sees the first sentence, in this order."""
_SHOWN = 2
"""Number of limits of the model, and of further limits, that the owner sees; the attestation contains all."""


def sentences(text: str) -> list[str]:
    """Return the sentences of a text.

    >>> sentences("Counts are exact. Pairs (of items) are not.")
    ['Counts are exact.', 'Pairs (of items) are not.']
    """
    return re.split(r"(?<=\.) (?=[A-Z])", text)


def limits_in_short(model: PrivacyModel, limits: list[str]) -> list[str]:
    """Return the most important limits of a publication, one sentence each."""
    further = [sentences(text)[0] for text in _MOST_IMPORTANT if text in limits]
    return [*sentences(model.limits)[:_SHOWN], *further[:_SHOWN]]


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
    """Return the limits of the guarantee: the limits of the model, and further limits.

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
    limits = [model.limits, *limits_of_kind(publication, model), ALONE]
    if earlier:
        limits.append(CONTINUES)
        if not together:
            limits.append(GOES_ON)
    if together:
        limits.append(together)
    if not by_person:
        limits.append(ROWS)
    if by_word:
        limits.append(BY_WORD)
    if named:
        limits.append(NAMED)
    if as_is:
        limits.append(AS_IS)
    if from_data:
        limits.append(FROM_DATA)
    if sets_from_data:
        limits.append(SETS_FROM_DATA)
    if undecided:
        limits.append(UNDECIDED)
    return limits


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
    listed: set[Any] = set()
    for symbol in publication.symbols:
        if not listed.isdisjoint(symbol.members):
            return True
        listed.update(symbol.members)
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


def declarations(unverified: UnverifiedPublication[Any], *, undecided: bool) -> Declarations:
    """Return the declarations about a publication and its verification."""
    table, earlier, other_release = unverified.table, unverified.earlier, unverified.beside
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
        together_with=None if other_release is None else other_release.attestation_sha256 or None,
        together_if_linked=(
            other_release is not None and other_release.linked and bool(other_release.attestation_sha256)
        )
        or None,
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
    verdict: Verdict,
    publication: Published,
    data: PublishedFile | BucketFiles | ChunkFiles,
    declared: Declarations,
) -> Attestation:
    """Return the attestation of a verified publication.

    Parameters
    ----------
    verdict
        Verdict on facts visible in the publication (see `anonset.release.publish.evidence`).
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


def digests(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of every file in a folder tree except leases, by name."""
    files = {path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob("*")) if path.is_file()}
    return {name: digest(path) for name, path in files.items() if not is_lease(name)}


def report(
    unverified: UnverifiedPublication[Any],
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
    if dataclasses.is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(entry) for entry in value]
    if hasattr(value, "tolist"):  # NumPy scalars and arrays
        return value.tolist()
    return value if isinstance(value, (str, int, float, bool)) or value is None else str(value)
