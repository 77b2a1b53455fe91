"""Check of a publication on disk, including publications of other tools."""

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from anonset.algorithms.base import Progress
from anonset.data.store import Store
from anonset.errors import InputError
from anonset.jobs.check import PublicationCheck, check_publication
from anonset.jobs.check.base import kind_check
from anonset.jobs.check.records import names_items
from anonset.jobs.reading import compared_data, place_of_data
from anonset.privacy import PrivacyModel
from anonset.privacy.model import PublishedKind
from anonset.publications import Buckets, Chunks, Published, Records
from anonset.reading.publications.buckets import read_buckets
from anonset.reading.publications.chunks import read_chunks
from anonset.reading.publications.codebook import read_codebook, read_records, records_file
from anonset.reading.publications.records import read_published
from anonset.reading.source import Source
from anonset.release.attested import (
    attested_parameters,
    is_promised,
    require_policy,
    require_statements,
    require_verified,
)
from anonset.release.documents import Attestation
from anonset.release.opened import OpenedPublication, built_model
from anonset.release.publish import evidence
from anonset.release.records import with_codebook
from anonset.release.staging import private_of, require_apart
from anonset.release.symbols import require_sound
from anonset.settings.parameters import MODELS, option
from anonset.settings.publication import CheckSettings, check_settings_model
from anonset.settings.settings import validate
from anonset.spelling import require_known
from anonset.verification import DEFAULT_BUDGET


def check(
    published: Path, options: Mapping[str, Any], *, private: Path | None = None, progress: Progress | None = None
) -> PublicationCheck:
    """Check a published file, or a directory made by `anonset anonymize`, against a privacy model.

    Parameters
    ----------
    published
        A data file; a directory whose attestation names the column roles and, if no model is given, the model; or, for
        buckets, any directory with ``qit.csv`` and ``snt.csv``.
    options
        Fields of `CheckSettings` and parameters of the model.
    private
        Private directory; by default that next to the publication.

    Raises
    ------
    InputError
        If the settings or the data are invalid.
    """
    settings = validate(check_settings_model(), options)
    if not published.exists():
        msg = f"{published}: no such file or directory"
        raise InputError(msg)
    require_apart(settings.work_dir, published, private_of(published), settings.original)
    return check_opened(published, OpenedPublication.find(published, private), settings, progress=progress)


def check_opened(
    published: Path, attested: OpenedPublication | None, settings: CheckSettings, *, progress: Progress | None
) -> PublicationCheck:
    """Check an opened publication, or a publication of another tool if `attested` is None.

    Raises
    ------
    InputError
        See `check`.
    """
    if attested is None and settings.model is None:
        models = ", ".join(sorted(MODELS))
        msg = f"{published}: no attestation.json; name the privacy model with --model ({models}) and its parameters"
        raise InputError(msg)
    original = settings.original_source()
    data = compared_data(attested, original)
    with ExitStack() as stack:
        place = stack.enter_context(place_of_data(data, settings.memory_limit, settings.work_dir))
        if attested is not None:
            return _check(stack.enter_context(attested.placed(place)), original, settings, place, progress)
        model = make_model(settings, None)
        if progress is not None:
            progress("read", 0, 0)
        foreign = _with_records(_FOREIGN[model.kind](published, settings, model), settings, place)
        return check_publication(foreign, model, settings, place, original=original, progress=progress)


def _check(
    opened: OpenedPublication, original: Source | None, settings: CheckSettings, place: Store, progress: Progress | None
) -> PublicationCheck:
    attested, promised = opened.attested, opened.model
    settings = _with_kept_records(settings, opened)
    model = make_model(settings, attested)
    if progress is not None:
        progress("read", 0, 0)
    publication = _require_readable(opened, settings, model)
    require_statements(opened)
    publication = _with_records(publication, settings, opened.store)
    checked = check_publication(
        publication, model, settings, place, original=original, attested=attested, progress=progress
    )
    is_promise = is_promised(attested, model) or model == promised.visible
    budget = DEFAULT_BUDGET if settings.budget is None else settings.budget
    verdict = evidence(publication, checked.verdict, budget=budget, progress=progress) if is_promise else None
    require_verified(opened, verdict, budget)
    declared = attested.declarations
    return replace(
        checked,
        unit=declared.unit_in_words,
        unit_declared=declared.unit_declared,
        as_is=tuple(declared.published_as_is or ()),
    )


def make_model(settings: CheckSettings, attested: Attestation | None) -> PrivacyModel:
    """Return the requested model, or else the attested model.

    If the attested model depends on private data such as partitions, and these are missing, only its public part is
    checked.

    Raises
    ------
    InputError
        If the name is unknown or missing, or a parameter does not apply or is missing.
    """
    parameters = settings.model_parameters()
    name = settings.model
    if name is None and attested is not None:
        name = attested.model
        parameters = attested_parameters(attested, parameters)
    name = require_known("--model", name, MODELS)
    made = built_model(name, parameters)
    if settings.model is None and attested is not None:
        require_policy(attested, made)
        return made if settings.records is not None else made.visible
    return made


def _foreign_chunks(published: Path, settings: CheckSettings, model: PrivacyModel) -> Chunks:
    return read_chunks(published, settings.items[0] if settings.items else "items")


def _foreign_buckets(published: Path, settings: CheckSettings, model: PrivacyModel) -> Buckets:
    return read_buckets(published, id=settings.id, keep=settings.keep, reading=_of_texts(settings))


def _foreign_records(published: Path, settings: CheckSettings, model: PrivacyModel) -> Records:
    table = read_published(
        published,
        items=settings.items or None,
        relational=settings.relational,
        keep=list(dict.fromkeys([*settings.keep, *([model.sensitive_column] if model.sensitive_column else [])])),
        reading=_of_texts(settings),
    )
    if settings.codebook is None:
        return with_codebook(table, (), sets=model.reads_sets)
    book = read_codebook(Path(settings.codebook))
    require_sound(book, f"codebook {settings.codebook!r}", nodes_known=names_items(settings, table.transactions, table))
    return with_codebook(table, book, sets=model.reads_sets)


_FOREIGN: Mapping[PublishedKind, Callable[[Path, CheckSettings, PrivacyModel], Published]] = {
    "records": _foreign_records,
    "buckets": _foreign_buckets,
    "chunks": _foreign_chunks,
}
"""Readers of publications of other tools, by kind."""


def _of_texts(settings: CheckSettings) -> dict[str, Any]:
    """Return reading options for texts of other tools: rows are already grouped, and nulls already replaced."""
    return {
        **settings.reading_options(),
        "missing": "value" if settings.file.missing == "value" else "refuse",
        "group": False,
    }


def _require_readable(opened: OpenedPublication, settings: CheckSettings, model: PrivacyModel) -> Published:
    """Return the data of a publication, if the model applies to them and their codebook is complete."""
    attested = opened.attested
    options = [n for n in ("items", "relational", "keep", "separator", "codebook") if getattr(settings, n)]
    if roles := [option(n) for n in options if n not in _of_original(settings, attested)]:
        msg = f"remove {' and '.join(roles)}: {str(opened.out)!r} has an attestation with the column roles"
        raise InputError(msg)
    opened.require_about(model)
    publication = opened.publication
    kind_check(publication, model, settings).require_codebook(opened)
    return publication


def _of_original(settings: CheckSettings, attested: Attestation) -> tuple[str, ...]:
    """Return the settings that only the original needs; for the publication, the attestation contains them."""
    if settings.original is None:
        return ()
    return ("separator", "items") if attested.data.nameless else ("separator",)


def _with_kept_records(settings: CheckSettings, opened: OpenedPublication) -> CheckSettings:
    """Return settings with the records file of the private directory, unless they name one."""
    if settings.original is None or settings.records is not None or opened.report is None or opened.private is None:
        return settings
    records = records_file(opened.private)
    return settings if records is None else settings.model_copy(update={"records": str(records)})


def _with_records(publication: Published, settings: CheckSettings, store: Store) -> Published:
    """Return a publication with the original record of each row, if known."""
    if settings.records is None:
        return publication
    record, cluster = read_records(Path(settings.records), store)
    if len(record) != publication.n:
        msg = f"{settings.records!r} maps {len(record)} rows, but the publication has {publication.n}"
        raise InputError(msg)
    return publication.with_way_back(record, cluster)
