"""Privacy models that fit the column roles of a job, and the settings of a chosen model."""

from collections.abc import Mapping
from typing import Any

from anonset.columns.roles import SETS
from anonset.errors import Fix, InputError
from anonset.privacy.model import PrivacyModel
from anonset.reading.roles import name_list
from anonset.settings.job_changes import ROLES, role_names, with_role
from anonset.settings.overriding import over
from anonset.settings.parameters import MODELS, SIZES, algorithm_name, make_algorithm, parameters, settings_of
from anonset.settings.settings import Settings

BY_ROLES = ("km", "k", "kl", "kkm")
"""Models for combinations of column roles. At most one of the models fits a job."""
_MANY_TUPLES = 20_000
"""Number of combinations of quasi-identifiers from which another algorithm is proposed."""


def sizes_of(model: str) -> list[str]:
    """Return the size parameters that a model requires.

    >>> sizes_of("km"), sizes_of("kl")
    (['k', 'm'], ['k', 'l'])
    """
    own = settings_of(MODELS[model].model)
    return [name for name in SIZES if name in own]


def model_by_roles(roles: Mapping[str, Any]) -> str:
    """Return the model that protects the sets and quasi-identifiers of data, or the sensitive column of data without
    sets. No model protects a sensitive column next to sets, so the model of the sets will reject it.

    `roles` contains settings: column roles, `sensitive_items` and `t`. A person may have several rows with the same
    `id`.

    >>> model_by_roles({"items": ["codes"], "relational": ["age"]}), model_by_roles({"sensitive": ["disease"]})
    ('kkm', 'anatomy')
    """
    relational = bool(roles.get("relational"))
    if roles.get("sensitive_items"):
        return "klm"
    if any(roles.get(role) for role in SETS):
        return "kkm" if relational else "km"
    if not roles.get("sensitive"):
        return "k"
    if relational:
        return "kl" if roles.get("t") is None else "kt"
    return "safe-grouping" if roles.get("id") else "anatomy"


def guarantee_for(settings: Mapping[str, Any], k: int, m: int, *, tuples: int) -> dict[str, Any]:
    """Return the privacy model for the column roles, with parameters that any data can satisfy.

    Parameters
    ----------
    tuples
        Number of distinct combinations of quasi-identifiers. If there are many, another algorithm is named.

    >>> guarantee_for({"relational": ["age", "zip"], "sensitive": "disease"}, 5, 2, tuples=90)
    {'model': 'kl', 'k': 5, 'l': 2}
    """
    model = model_by_roles(settings)
    algorithm = {"algorithm": "mondrian"} if model == "k" and tuples > _MANY_TUPLES else {}
    sizes = {**SIZES, "k": k, "m": m}
    return {"model": model, **algorithm, **{name: sizes[name] for name in sizes_of(model)}}


def obstacle(model: str, job: Mapping[str, Any]) -> str:
    """Return why a model does not fit the column roles of a job, or an empty text if it fits.

    >>> obstacle("kkm", {"items": ["codes"]})
    'needs a column that an attacker may know'
    >>> obstacle("km", {"items": ["codes"], "relational": ["age", "sex"]})
    'does not protect age and sex'
    """
    entry = MODELS[model].model
    sets = any(job.get(role) for role in SETS)
    lacking = [
        what
        for needed, there, what in (
            ("items" in entry.protects, sets, "a column of items"),
            ("relational" in entry.protects, bool(job.get("relational")), "a column that an attacker may know"),
            (takes_sensitive(model), bool(job.get("sensitive")), "a sensitive column"),
        )
        if needed and not there
    ]
    if lacking:
        return f"needs {' and '.join(lacking)}"
    names = [role_names(job, role) for role in _open_roles(model) if job.get(role)]
    return f"does not protect {' and '.join(names)}" if names else ""


def remedies(model: str, job: Mapping[str, Any]) -> list[Fix]:
    """Return the setting that drops the unprotected columns. Empty if the model protects all columns.

    >>> [fix.settings for fix in remedies("kkm", {"items": ["codes"], "relational": ["age"], "sensitive": ["hiv"]})]
    [{'drop': ['hiv']}]
    """
    names = [name for role in _open_roles(model) for name in name_list(job.get(role, ()))]
    return [Fix({"drop": names})] if names else []


def _open_roles(model: str) -> list[str]:
    """Return the roles of columns that a model does not protect."""
    entry = MODELS[model].model
    return [
        *(() if "items" in entry.protects else SETS),
        *(() if "relational" in entry.protects else ("relational",)),
        *(() if takes_sensitive(model) else ("sensitive",)),
    ]


def takes_sensitive(model: str) -> bool:
    """Return True if a model has a parameter for the sensitive column."""
    return "sensitive" in settings_of(MODELS[model].model)


def with_model(job: Mapping[str, Any], model: str) -> dict[str, Any]:
    """Return the settings that change if a job gets another model.

    A size parameter of the job remains if the new model has it. Settings that do not apply to the new model are
    removed.

    >>> with_model({"model": "kkm", "algorithm": "joint-split", "k": 9, "m": 2}, "k")
    {'algorithm': None, 'm': None, 'model': 'k'}
    """
    sizes = {name: job.get(name, SIZES[name]) for name in sizes_of(model)}
    made = over(job, {"model": model}) | sizes
    made = {name: value for name, value in made.items() if name not in SIZES or name in sizes}
    return {name: made.get(name) for name in sorted({*job, *made}) if made.get(name) != job.get(name)}


def with_fix(job: Mapping[str, Any], settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that change if recommended settings are added to a job.

    >>> with_fix({"null": ["-9"], "drop": ["age"]}, {"null": ["-99"], "relational": ["age"]})
    {'null': ['-9', '-99'], 'drop': None, 'relational': ['age']}
    >>> with_fix({"drop": ["pid"]}, {"unit": ["pid"]})
    {'unit': 'pid'}
    >>> with_fix({"keep": ["age"]}, {"relational": ["age"], "hierarchy": {"age": "bins:0,18"}})
    {'keep': None, 'relational': ['age'], 'hierarchy': {'age': 'bins:0,18'}}
    """
    changes: dict[str, Any] = {}
    for name, value in settings.items():
        changed = {**job, **changes}
        if name == "unit":
            changes["unit"] = value if len(value) > 1 else value[0]
        elif name == "model":
            changes |= with_model(changed, value)
        elif name == "hierarchy":
            changes[name] = {**changes.get(name, {}), **value}
        elif name in ROLES:
            for column in value:
                changes |= with_role({**job, **changes}, column, name)
        else:
            changes[name] = [*name_list(job.get(name, ())), *value] if isinstance(value, list) else value
    return changes


def is_applied(settings: Mapping[str, Any], job: Mapping[str, Any]) -> bool:
    """Return True if a job contains all recommended settings.

    >>> is_applied({"null": ["-9"]}, {"null": ["-9", "-99"]}), is_applied({"null": ["-9"]}, {"drop": ["-9"]})
    (True, False)
    """
    return all(
        {*value} <= {*name_list(job.get(name, ()))} if isinstance(value, list)
        else value.items() <= job.get(name, {}).items() if isinstance(value, Mapping)
        else job.get(name) == value
        for name, value in settings.items()
    )  # fmt: skip


def fitting_model(job: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that change if the job gets the model in `BY_ROLES` that fits its column roles. Nothing
    changes if its own model fits, or if no model fits.

    >>> fitting_model({"model": "k", "algorithm": "cluster", "k": 9, "items": ["codes"]})
    {'algorithm': None, 'm': 2, 'model': 'km'}
    """
    if job["model"] not in BY_ROLES or not obstacle(job["model"], job):
        return {}
    return next((with_model(job, model) for model in BY_ROLES if not obstacle(model, job)), {})


def with_constraints(job: Mapping[str, Any], kind: str, file: str) -> dict[str, Any]:
    """Return the settings that change if a job gets a file of privacy or utility constraints. An empty name removes the
    file. With privacy constraints, the job protects only these itemsets instead of all sets of m items.

    Raises
    ------
    InputError
        If constraints do not protect the columns of the job.

    >>> with_constraints({"model": "km", "k": 5, "m": 2, "items": ["codes"]}, "privacy", "protect.txt")
    {'model': 'constraints', 'm': None, 'privacy_constraints': 'protect.txt'}
    """
    model = "constraints"
    if why := obstacle(model, job):
        msg = f"model {model}: it {why}"
        raise InputError(msg)
    changes = {} if job.get("model") == model else with_model(job, model)
    if kind == "privacy":
        changes["m"] = None if file else SIZES["m"]
    return {**changes, f"{kind}_constraints": file or None}


def with_candidate(job: Mapping[str, Any], chosen: Mapping[str, Any], trees: Mapping[str, str]) -> dict[str, Any]:
    """Return the settings that change if a job gets the algorithm of a candidate of `suggest`.

    Parameters of the former algorithm are removed.

    Parameters
    ----------
    chosen
        Algorithm and parameters. The setting `hierarchy` replaces the hierarchies of the items.
    trees
        Hierarchies of the items that the candidates used, by column.

    >>> job = {"model": "km", "algorithm": "coat", "k": 5, "m": 2, "suppress": True, "items": ["codes"]}
    >>> with_candidate(job, {"algorithm": "exact", "hierarchy": "halves:frequency"}, {"codes": "codes.csv"})
    {'algorithm': 'exact', 'hierarchy': {'codes': 'halves:frequency'}, 'suppress': None}
    """
    made = {column: chosen.get("hierarchy", trees.get(column)) for column in _sets(job)}
    changes = {**dict.fromkeys(tuned(job)), **chosen, "hierarchy": made}
    if made == item_trees(job):
        del changes["hierarchy"]
    return {name: changes[name] for name in sorted(changes) if changes[name] != job.get(name)}


def tuned(job: Mapping[str, Any]) -> list[str]:
    """Return the settings of a job that are parameters of its algorithm and not of its model.

    >>> tuned({"model": "kkm", "algorithm": "rum-bound", "k": 5, "m": 2, "delta": 0.5, "transaction": "coat"})
    ['delta', 'transaction']
    """
    entry = MODELS.get(job.get("model", ""))
    of_model = [] if entry is None else settings_of(entry.model)
    remain = {*SIZES, *of_model, *Settings.model_fields}
    return [name for name in job if name in parameters() and name not in remain]


def item_trees(job: Mapping[str, Any]) -> dict[str, str]:
    """Return the hierarchies of the items of a job.

    >>> item_trees({"one_code": ["dx1", "dx2"], "hierarchy": {"items": "prefix:1,3", "age": "range"}})
    {'items': 'prefix:1,3'}
    """
    return {column: job["hierarchy"][column] for column in _sets(job) if column in job.get("hierarchy", {})}


def queried_columns(job: Mapping[str, Any]) -> dict[str, str]:
    """Return the columns that a query may name, which are items and quasi-identifiers, with their hierarchies.

    >>> queried_columns({"items": ["codes"], "relational": ["age"], "hierarchy": {"codes": "prefix:1", "age": "range"}})
    {'codes': 'prefix:1', 'age': 'range'}
    """
    trees = job.get("hierarchy", {})
    return item_trees(job) | {name: trees[name] for name in name_list(job.get("relational", ())) if name in trees}


def _sets(job: Mapping[str, Any]) -> list[str]:
    joined = ["items"] if job.get("one_hot") or job.get("one_code") else []
    return [*name_list(job.get("items", ())), *joined]


def comparison_flags(job: Mapping[str, Any], chosen: Mapping[str, Any], trees: Mapping[str, str]) -> dict[str, Any]:
    """Return the flags with which `compare` runs a candidate of `suggest` with several k, on the data of a job.

    Parameters as in `with_candidate`.

    >>> comparison_flags({"k": 5, "items": ["codes"]}, {"algorithm": "exact", "hierarchy": "halves:frequency"}, {})
    {'algorithms': 'exact', 'k': '2,5,10,25', 'hierarchy': {'codes': 'halves:frequency'}}
    """
    k = int(job.get("k", SIZES["k"]))
    sizes = sorted({max(2, k // 2), k, 2 * k, 5 * k})
    own = {name: value for name, value in chosen.items() if name not in ("algorithm", "hierarchy")}
    made = dict.fromkeys(_sets(job), chosen["hierarchy"]) if "hierarchy" in chosen else trees
    flags = {"algorithms": chosen["algorithm"], **own, "k": ",".join(map(str, sizes)), "hierarchy": made}
    return {name: value for name, value in flags.items() if value != {}}


def candidate_of(job: Mapping[str, Any], trees: Mapping[str, str]) -> dict[str, Any]:
    """Return the algorithm of a job in the form of a candidate of `suggest`. Parameters as in `with_candidate`.

    Raises
    ------
    InputError
        If the model or the algorithm of the job is unknown, or both are missing.

    >>> candidate_of({"model": "kkm", "k": 5, "m": 2}, {})
    {'algorithm': 'joint-split'}
    >>> job = {"algorithm": "exact", "k": 5, "items": ["codes"], "hierarchy": {"codes": "halves:frequency"}}
    >>> candidate_of(job, {"codes": "codes.csv"})
    {'algorithm': 'exact', 'hierarchy': 'halves:frequency'}
    """
    made = {name: spec for name, spec in item_trees(job).items() if spec != trees.get(name)}
    relational = bool(job.get("relational"))
    own = {"algorithm": algorithm_name(job.get("model"), job.get("algorithm"), relational=relational)}
    own |= {name: job[name] for name in tuned(job)}
    return {**own, "hierarchy": next(iter(made.values()))} if made else own


def model_of(settings: Settings) -> PrivacyModel:
    """Return the model of a job.

    Raises
    ------
    InputError
        If the model and its parameters are invalid.
    """
    name = algorithm_name(settings.model, settings.algorithm, relational=bool(settings.relational))
    return make_algorithm(settings.model, name, settings.algorithm_parameters()).model
