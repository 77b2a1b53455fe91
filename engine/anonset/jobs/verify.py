"""Check of a publication on disk, including publications of other tools."""

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

from anonset.analysis.base import analysis_of
from anonset.data.progress import Progress
from anonset.data.storage.store import Store
from anonset.errors import InputError, require_known
from anonset.jobs.check import PublicationCheck, check_publication
from anonset.jobs.reading import opened_to_compare, place_of_data
from anonset.privacy import PrivacyModel
from anonset.publications import Published
from anonset.reading.publications.codebook import read_records, records_file
from anonset.reading.sources.source import Source
from anonset.release.attested import (
    is_promised,
    model_to_check,
    require_statements,
    require_verified,
)
from anonset.release.documents import Attestation
from anonset.release.formats import kind_of
from anonset.release.opened import OpenedPublication, built_model, is_publication
from anonset.release.publishing.publish import evidence
from anonset.release.publishing.staging import require_apart
from anonset.settings.parameters import MODELS
from anonset.settings.publication import CheckSettings, check_settings_model
from anonset.settings.readers import work_budget
from anonset.settings.settings import validate
from anonset.spelling import StatedSettings, setting


def check(
    published: OpenedPublication | str | os.PathLike[str],
    options: StatedSettings,
    *,
    progress: Progress | None = None,
) -> PublicationCheck:
    """Check a published file, or a directory made by `anonset anonymize`, against a privacy model.

    Parameters
    ----------
    published
        An open publication, a data file, or a directory whose attestation names the column roles, and the model if no
        model is given. Buckets may be in any directory with ``qit.csv`` and ``snt.csv``.
    options
        Fields of `CheckSettings` and parameters of the model.

    Raises
    ------
    InputError
        If the settings or the data are invalid.
    """
    settings = check_settings(options)
    folder = published.out if isinstance(published, OpenedPublication) else Path(published)
    if not folder.exists():
        raise InputError(f"{folder}: no such file or directory")
    if not isinstance(published, OpenedPublication) and not is_publication(folder):
        require_apart(settings.work_dir, folder, settings.original)
        return _check_foreign(folder, settings, progress)
    original = settings.original_source()
    with opened_to_compare(published, original, settings, "check") as (opened, place):
        return _check(opened, original, settings, place, progress)


def check_settings(options: StatedSettings) -> CheckSettings:
    """Validate the options of `check`, without a look at the data.

    Raises
    ------
    InputError
        If the settings are invalid, or no model has the given parameters.
    """
    settings = validate(check_settings_model(), options)
    if settings.model is not None:
        _requested_model(settings)
    return settings


def _check_foreign(published: Path, settings: CheckSettings, progress: Progress | None) -> PublicationCheck:
    """Check the publication of another tool."""
    if settings.model is None:
        models = ", ".join(sorted(MODELS))
        msg = f"{published}: no attestation.json; name the privacy model with --model ({models}) and its parameters"
        raise InputError(msg)
    if settings.after is not None:
        raise InputError(f"{published}: no attestation.json, so {setting('after')} has no joint guarantee to check")
    original = settings.original_source()
    with place_of_data([] if original is None else [original], settings) as place:
        model = _requested_model(settings)
        if progress is not None:
            progress("read", 0, 0)
        foreign = _with_records(kind_of(model).read_foreign(published, settings, model), settings, place)
        return check_publication(foreign, model, settings, place, original=original, progress=progress)


def _check(
    opened: OpenedPublication, original: Source | None, settings: CheckSettings, place: Store, progress: Progress | None
) -> PublicationCheck:
    attested, promised = opened.attested, opened.model
    settings = _with_kept_records(settings, opened)
    model = _model_of(opened, settings)
    if progress is not None:
        progress("read", 0, 0)
    publication = _require_readable(opened, settings, model)
    require_statements(opened)
    publication = _with_records(publication, settings, opened.store)
    checked = check_publication(
        publication, model, settings, place, original=original, attested=attested, progress=progress
    )
    is_promise = is_promised(attested, model) or model == promised.visible
    budget = work_budget(settings.max_work)
    verdict = evidence(publication, checked.verdict, budget=budget, progress=progress) if is_promise else None
    require_verified(opened, verdict, budget)
    declared = attested.declarations
    return replace(
        checked, unit=declared.unit, as_is=tuple(declared.published_as_is or ()), **_joint(opened, settings, is_promise)
    )


def _joint(opened: OpenedPublication, settings: CheckSettings, is_promise: bool) -> dict[str, Any]:
    """Check the attested joint guarantee if an earlier release is given, and return the fields of the result. Without
    one, the guarantee is unchecked. It belongs to the attested model, so a check of another model may omit it.
    """
    claims = opened.attested.declarations.together_with is not None
    if settings.after is None:
        return {"joint_checked": False} if claims and is_promise else {}
    if not claims:
        msg = f"remove {setting('after')}: {str(opened.out)!r} has no guarantee together with an earlier release"
        raise InputError(msg)
    from anonset.jobs.joint_check import few_with_earlier

    return {"joint_checked": True, "few_in_both": few_with_earlier(opened, settings.after)}


def _requested_model(settings: CheckSettings) -> PrivacyModel:
    return built_model(require_known("--model", settings.model, MODELS), settings.model_parameters())


def _model_of(opened: OpenedPublication, settings: CheckSettings) -> PrivacyModel:
    """Return the requested model, or the attested model if none is requested.

    If the attested model depends on private data that are missing, such as partitions, return only the public part of
    the model.
    """
    if settings.model is not None:
        return _requested_model(settings)
    model = model_to_check(opened, settings.model_parameters())
    return model if settings.records is not None else model.visible


def _require_readable(opened: OpenedPublication, settings: CheckSettings, model: PrivacyModel) -> Published:
    """Return the data of a publication. Reject column roles in the settings, a model for other data, and an incomplete
    codebook.
    """
    attested = opened.attested
    options = [n for n in ("items", "relational", "keep", "separator", "codebook") if getattr(settings, n)]
    if roles := [setting(n) for n in options if n not in _of_original(settings, attested)]:
        raise InputError(f"remove {' and '.join(roles)}: {str(opened.out)!r} has an attestation with the column roles")
    opened.require_about(model)
    publication = opened.publication
    analysis_of(publication).require_codebook(opened, settings)
    return publication


def _of_original(settings: CheckSettings, attested: Attestation) -> tuple[str, ...]:
    """Return the settings that are needed to read the original. For the publication, the attestation contains these
    settings.
    """
    if settings.original is None:
        return ()
    return ("separator", "items") if attested.data.nameless else ("separator",)


def _with_kept_records(settings: CheckSettings, opened: OpenedPublication) -> CheckSettings:
    """Add the records file of the private directory to the settings, unless they name a records file."""
    if settings.original is None or settings.records is not None or opened.report is None or opened.private is None:
        return settings
    records = records_file(opened.private)
    return settings if records is None else settings.model_copy(update={"records": str(records)})


def _with_records(publication: Published, settings: CheckSettings, store: Store) -> Published:
    """Add the original record of each row to a publication. Return the publication unchanged if the records are
    unknown.
    """
    if settings.records is None:
        return publication
    record, cluster = read_records(Path(settings.records), store)
    if len(record) != publication.n:
        raise InputError(f"{settings.records!r} maps {len(record)} rows, but the publication has {publication.n}")
    return publication.with_way_back(record, cluster)
