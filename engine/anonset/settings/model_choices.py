"""Privacy models that fit the column roles of a job, and the settings of a chosen model."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from anonset.privacy.model import PrivacyModel
from anonset.settings.job_changes import role_names
from anonset.settings.overriding import over
from anonset.settings.parameters import MODELS, form_of, make_algorithm
from anonset.settings.settings import Settings

_SETS = ("items", "one_hot", "one_code")
SIZES = {"k": 5, "m": 2, "l": 2}
"""Sizes of models, with defaults."""


def sizes_of(model: str) -> list[str]:
    """Return the sizes that a model requires.

    >>> sizes_of("km"), sizes_of("kl")
    (['k', 'm'], ['k', 'l'])
    """
    cls: Any = MODELS[model].model
    own = {form_of(field.name).setting for field in fields(cls)}
    return [name for name in SIZES if name in own]


def obstacle(model: str, job: Mapping[str, Any]) -> str:
    """Return why a model does not fit the column roles of a job; empty if it does.

    >>> obstacle("kkm", {"items": ["codes"]})
    'needs a column that an attacker may know'
    >>> obstacle("km", {"items": ["codes"], "relational": ["age", "sex"]})
    'does not protect age and sex'
    """
    entry = MODELS[model].model
    takes_sensitive = any(field.name == "sensitive" for field in fields(entry))  # type: ignore[arg-type]
    sets = any(job.get(role) for role in _SETS)
    lacking = [
        what
        for needed, there, what in (
            ("items" in entry.protects, sets, "a column of items"),
            ("relational" in entry.protects, bool(job.get("relational")), "a column that an attacker may know"),
            (takes_sensitive, bool(job.get("sensitive")), "a sensitive column"),
        )
        if needed and not there
    ]
    if lacking:
        return f"needs {' and '.join(lacking)}"
    open_roles = [
        *(() if "items" in entry.protects else _SETS),
        *(() if "relational" in entry.protects else ("relational",)),
        *(() if takes_sensitive else ("sensitive",)),
    ]
    names = [role_names(job, role) for role in open_roles if job.get(role)]
    return f"does not protect {' and '.join(names)}" if names else ""


def with_model(job: Mapping[str, Any], model: str) -> dict[str, Any]:
    """Return the settings that change if a job gets another model.

    The sizes of the job remain if the model has them. Settings that do not apply to the model are removed.

    >>> with_model({"model": "kkm", "algorithm": "joint-split", "k": 9, "m": 2}, "k")
    {'algorithm': 'cluster', 'm': None, 'model': 'k'}
    """
    chosen = {"model": model, **MODELS[model].in_reach}
    sizes = {name: job.get(name, SIZES[name]) for name in sizes_of(model)}
    made = over(job, chosen) | sizes
    made = {name: value for name, value in made.items() if name not in SIZES or name in sizes}
    return {name: made.get(name) for name in sorted({*job, *made}) if made.get(name) != job.get(name)}


def model_of(settings: Settings) -> PrivacyModel:
    """Return the model of a job.

    Raises
    ------
    InputError
        If the model and its parameters are invalid.
    """
    return make_algorithm(settings.model, settings.algorithm, settings.algorithm_parameters()).model
