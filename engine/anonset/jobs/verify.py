"""Checking a publication that lies on disk, also one made elsewhere."""

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from anonset.algorithms.base import Progress
from anonset.data import SetColumn, Table
from anonset.data.store import Store
from anonset.errors import InputError
from anonset.generalization import Publication
from anonset.generalization.buckets import AnyPublication
from anonset.io.maps import read_codebook
from anonset.jobs.inspection import Inspection, inspect
from anonset.jobs.original import is_nameless
from anonset.jobs.reading import compared_data, place_of_data
from anonset.privacy import PrivacyModel
from anonset.privacy.policies import PrivacyPolicy
from anonset.release.attested import (
    attested_parameters,
    is_promised,
    place_of_parts,
    read_attestation,
    require_attested,
    require_policy,
    require_statements,
    require_verified,
)
from anonset.release.documents import CODEBOOK, Attestation, BucketFiles
from anonset.release.publish import evidence, kind_of
from anonset.release.staging import require_apart
from anonset.release.symbols import require_complete, require_sound
from anonset.settings.parameters import MODELS, build, option
from anonset.settings.readers import Context
from anonset.settings.settings import validate
from anonset.settings.verify import CheckSettings, check_settings_model
from anonset.spelling import require_known


def check(published: Path, given: Mapping[str, Any], *, progress: Progress | None = None) -> Inspection:
    """Check a published file, or a directory made by `anonset anonymize`, against a privacy model.

    Parameters
    ----------
    published
        A data file; a directory whose attestation names the columns' roles and, if no model is given, the model;
        for buckets any directory with ``qit.csv`` and ``snt.csv``.
    given
        Fields of `CheckSettings` and parameters of the model.

    Raises
    ------
    InputError
        If the settings or the data are not what they must be.
    """
    settings = validate(check_settings_model(), given)
    if not published.exists():
        msg = f"{published}: no such file or directory"
        raise InputError(msg)
    require_apart(settings.work_dir, published, f"{published}.private", settings.original)
    attested = read_attestation(published)
    data = compared_data(published, attested, settings.original, settings.reading_options())
    with ExitStack() as stack:
        place = stack.enter_context(place_of_data(data, settings.memory_limit, settings.work_dir))
        if place is not None:
            settings = settings.model_copy(update={"work_dir": place})  # where the original lies, too
        store = stack.enter_context(place_of_parts(attested, place))
        return _check(published, settings, attested, store, progress)


def _check(
    published: Path,
    settings: CheckSettings,
    attested: Attestation | None,
    store: Store,
    progress: Progress | None,
) -> Inspection:
    promised = None if attested is None else promised_by(attested)
    model = make_model(settings, attested)
    if progress is not None:
        progress("read", 0, 0)
    if attested is None or promised is None:
        foreign = _read_foreign(published, settings, model)
        return inspect(_with_records(foreign, settings, store), model, settings, progress=progress)
    publication = _read_attested(published, settings, attested, model, store)
    require_statements(published, attested, promised, publication)
    found = inspect(_with_records(publication, settings, store), model, settings, attested=attested, progress=progress)
    asked = is_promised(attested, model) or model == promised.visible
    budget = settings.budget
    seen = evidence(publication, found.verdict, budget=budget, progress=progress) if asked else None
    require_verified(published, attested, publication, seen)
    return replace(found, unit=attested.declarations.unit_in_words)


def make_model(settings: CheckSettings, attested: Attestation | None) -> PrivacyModel:
    """Make the model that is asked for, or else the one that is attested.

    Of a model that speaks of what the owner alone knows, as partitions, the part that shows is left to check where
    that is not given.

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
    made: PrivacyModel = build(MODELS[name].model, f"model {name}", parameters, Context(given=parameters))
    if settings.model is None and attested is not None:
        require_policy(attested, made)
        return made if settings.records is not None else made.visible
    return made


def promised_by(attested: Attestation) -> PrivacyModel:
    """Make the model that is attested; its privacy constraints, which the attestation lacks, are none.

    Raises
    ------
    InputError
        If there is no such model, or its parameters are not what they must be.
    """
    own = {name: value for name, value in attested.parameters.items() if name != "policy"}
    settings = validate(check_settings_model(), {**own, "model": attested.model})
    empty = {"privacy_constraints": PrivacyPolicy(())} if "policy" in attested.parameters else {}
    parameters = {**settings.model_parameters(), **empty}
    if attested.model not in MODELS:
        msg = f"the attestation must be of a model out of {', '.join(MODELS)}, got {attested.model!r}"
        raise InputError(msg)
    made: PrivacyModel = build(
        MODELS[attested.model].model, f"model {attested.model}", parameters, Context(given=parameters)
    )
    return made


def _read_foreign(published: Path, settings: CheckSettings, model: PrivacyModel) -> AnyPublication:
    """Read what was made elsewhere."""
    from anonset.io.buckets import read_buckets
    from anonset.io.publish import read_published
    from anonset.release.records import with_codebook

    if "buckets" in model.protects:
        return read_buckets(published, id=settings.id, keep=settings.keep, reading=_of_texts(settings))
    table = read_published(
        published,
        items=settings.items or None,
        relational=settings.relational,
        keep=settings.keep,
        reading=_of_texts(settings),
    )
    if settings.codebook is None:
        return with_codebook(table, (), sets=model.reads_sets)
    book = read_codebook(Path(settings.codebook))
    require_sound(
        book, f"codebook {settings.codebook!r}", nodes_known=_names_items(settings, table.transactions, table)
    )
    return with_codebook(table, book, sets=model.reads_sets)


def _of_texts(settings: CheckSettings) -> dict[str, Any]:
    """Return how a text that was made elsewhere is read; rows were united, and null was replaced, before."""
    return {
        **settings.reading_options(),
        "missing": "value" if settings.missing == "value" else "refuse",
        "group": False,
    }


def _read_attested(
    published: Path,
    settings: CheckSettings,
    attested: Attestation,
    model: PrivacyModel,
    store: Store,
) -> AnyPublication:
    """Read the files of a publication, if they are those that were attested."""
    given = [n for n in ("items", "relational", "keep", "separator", "codebook") if getattr(settings, n)]
    if roles := [option(n) for n in given if n not in _of_original(settings, attested)]:
        msg = f"{' and '.join(roles)}: the roles of the columns come from the attestation in {str(published)!r}"
        raise InputError(msg)
    buckets = isinstance(attested.data, BucketFiles)
    if buckets != ("buckets" in model.protects):
        what = "a bucketized table" if buckets else "a table of records"
        msg = f"{str(published)!r} is {what}, of which model {model.name} says nothing"
        raise InputError(msg)
    require_attested(published, attested)
    found: AnyPublication = kind_of(model).read(published, attested.data, store)
    if isinstance(found, Publication):
        book, where = read_codebook(published / CODEBOOK), f"codebook {str(published / CODEBOOK)!r}"
        items = found.transactions
        only = is_nameless(attested) and settings.original is not None and bool(settings.hierarchy)
        require_sound(book, where, nodes_known=only or _names_items(settings, items, found))
        require_complete(book, found, where)
    return found


def _of_original(settings: CheckSettings, attested: Attestation) -> tuple[str, ...]:
    """Return the settings that speak of the original alone, since the attestation says them of the publication."""
    if settings.original is None:
        return ()
    return ("separator", "items") if is_nameless(attested) else ("separator",)


def _names_items(settings: CheckSettings, items: SetColumn | None, owner: Table | Publication) -> bool:
    """Tell whether a hierarchy of the set-valued column is given."""
    return items is not None and not {items.name, *owner.joined}.isdisjoint(settings.hierarchy)


def _with_records(publication: AnyPublication, settings: CheckSettings, store: Store) -> AnyPublication:
    """Return a publication with the way back to the original, where that is known."""
    if settings.records is None:
        return publication
    from anonset.io.records import read_records

    record, cluster = read_records(Path(settings.records), store)
    if len(record) != publication.n:
        msg = f"{settings.records!r} names the records of {len(record)} rows, the publication has {publication.n}"
        raise InputError(msg)
    if isinstance(publication, Publication):
        return replace(publication, record=record, cluster=cluster)
    return replace(publication, record=record)
