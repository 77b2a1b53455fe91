"""Checking a publication that lies on disk, also one made elsewhere."""

from collections.abc import Mapping
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from anonset.algorithms.base import Progress
from anonset.data import Table
from anonset.errors import InputError
from anonset.privacy import KmAnonymity, PrivacyModel, Verdict
from anonset.runner.documents import Attestation
from anonset.runner.parameters import field_texts, option
from anonset.runner.settings import Names, all_errors

MODELS: dict[str, type[Any]] = {model.name: model for model in (KmAnonymity,)}
"""Class of each privacy model by its name on the command line."""


class CheckSettings(BaseModel):
    """What is to be checked; the parameters of the models are added by `check_settings_model`."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    model: str | None = Field(None, description="Privacy model: km. Default: what the attestation says.")
    items: str | None = Field(None, description="Set-valued column.")
    relational: Names = Field([], description="Generalized columns, separated by commas.")
    keep: Names = Field([], description="Columns published as they were.")
    separator: str | None = Field(None, description="Separates the symbols within a field.")
    budget: int | None = Field(None, ge=0, description="Largest number of itemset occurrences to count.")

    def model_parameters(self) -> dict[str, Any]:
        """Return the given parameters of the privacy model."""
        return self.model_dump(exclude=set(CheckSettings.model_fields), exclude_none=True)


def check_settings_model() -> type[CheckSettings]:
    """Return the settings with a field for every parameter of a privacy model."""
    added: dict[str, Any] = {}
    for model in MODELS.values():
        types, texts = get_type_hints(model), field_texts(model)
        for found in fields(model):
            added[found.name] = (types[found.name] | None, Field(None, description=texts.get(found.name, "")))
    return create_model("CheckSettings", __base__=CheckSettings, **added)


def check(published: Path, given: Mapping[str, Any], *, progress: Progress | None = None) -> Verdict:
    """Check a published file, or a directory made by `anonset anonymize`, against a privacy model.

    Parameters
    ----------
    published
        A data file, or a directory whose attestation names the columns' roles and, if no model is given, the model.
    given
        Fields of `CheckSettings` and parameters of the model.

    Raises
    ------
    InputError
        If the settings or the data are not what they must be.
    """
    from anonset.verification import DEFAULT_BUDGET, verify

    try:
        settings = check_settings_model().model_validate(dict(given))
    except ValidationError as error:
        raise all_errors(error) from None
    attested = read_attestation(published)
    model = make_model(settings, attested)
    if progress is not None:
        progress("read", 0, 0)
    table = _read(published, settings, attested)
    budget = DEFAULT_BUDGET if settings.budget is None else settings.budget
    return verify(table, model, budget=budget, progress=progress)


def read_attestation(published: Path) -> Attestation | None:
    """Return the attestation of a publication directory, or None for a plain file or folder of data.

    Raises
    ------
    InputError
        If there is one and it is not what it must be.
    """
    path = published / "attestation.json"
    if not (published.is_dir() and path.is_file()):
        return None
    try:
        return Attestation.model_validate_json(path.read_bytes())
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the document"
        msg = f"{str(path)!r} is no attestation of a publication: {where}: {first['msg']}"
        raise InputError(msg) from None


def make_model(settings: CheckSettings, attested: Attestation | None) -> PrivacyModel:
    """Make the model that is asked for, or else the one that is attested.

    Raises
    ------
    InputError
        If the name is unknown or missing, or a parameter does not apply or is missing.
    """
    parameters = settings.model_parameters()
    name = settings.model
    if name is None and attested is not None:
        name, parameters = attested.model, {**attested.parameters, **parameters}
    if name is None or name not in MODELS:
        got = "none" if name is None else repr(name)
        msg = f"--model must be one of {', '.join(sorted(MODELS))}, got {got}"
        raise InputError(msg)
    own = {field.name: field.default for field in fields(MODELS[name])}
    problems = [f"{option(n)} does not apply to model {name}" for n in parameters if n not in own]
    if missing := [option(n) for n, default in own.items() if default is MISSING and n not in parameters]:
        problems.append(f"model {name} requires {' and '.join(missing)}")
    if problems:
        raise InputError("; ".join(problems))
    made: PrivacyModel = MODELS[name](**parameters)
    return made


def _read(published: Path, settings: CheckSettings, attested: Attestation | None) -> Table:
    from anonset.io.files import digest
    from anonset.io.publish import read_published

    if attested is None:
        return read_published(
            published,
            items=settings.items,
            relational=settings.relational,
            keep=settings.keep,
            separator=" " if settings.separator is None else settings.separator,
        )
    if roles := [option(n) for n in ("items", "relational", "keep", "separator") if getattr(settings, n)]:
        msg = f"{' and '.join(roles)}: the roles of the columns come from the attestation in {str(published)!r}"
        raise InputError(msg)
    data = attested.data
    file = published / data.file
    if Path(data.file).name != data.file:
        msg = f"the attestation of {str(published)!r} must name a file beside it, got {data.file!r}"
        raise InputError(msg)
    if digest(file) != data.sha256:
        msg = (
            f"{str(file)!r} is not the file that was attested: its SHA-256 differs (to check it anyway, name the file)"
        )
        raise InputError(msg)
    return read_published(file, items=data.items, relational=data.relational, keep=data.keep, separator=data.separator)
