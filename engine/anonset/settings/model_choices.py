"""Privacy models that fit the column roles of a job, and the settings of a chosen model."""

from collections.abc import Mapping, Sequence

from anonset.columns.roles import SETS
from anonset.errors import Fix, InputError
from anonset.privacy.model import PrivacyModel
from anonset.settings.edits import edited
from anonset.settings.job import Job
from anonset.settings.parameters import MODELS, SIZES, algorithm_name, make_algorithm, parameters, settings_of
from anonset.settings.settings import Settings
from anonset.spelling import listed

BY_ROLES = ("km", "k", "kl", "kkm")
"""Models for combinations of column roles. At most one of the models fits a job."""
BY_SENSITIVE_ITEMS = {"km": "lm", "kkm": "klm"}
"""Models that also protect sensitive items, by the model for the same columns."""
_MANY_TUPLES = 20_000
"""Number of combinations of quasi-identifiers from which another algorithm is proposed."""


def sizes_of(model: str) -> list[str]:
    """Return the size parameters that a model requires.

    >>> sizes_of("km"), sizes_of("kl")
    (['k', 'm'], ['k', 'l'])
    """
    own = settings_of(MODELS[model].model)
    return [name for name in SIZES if name in own]


def model_by_roles(job: Job) -> str:
    """Return the model that protects the sets and quasi-identifiers of data, or the sensitive column of data without
    sets. No model protects a sensitive column next to sets, so the model of the sets will reject it.

    The model depends on column roles, `sensitive_items` and `t`. A person may have several rows with the same `id`.

    >>> model_by_roles(Job({"items": ["codes"], "relational": ["age"]})), model_by_roles(Job({"sensitive": "disease"}))
    ('kkm', 'anatomy')
    """
    if job.names("sensitive_items"):
        return "klm"
    if job.sets:
        return "kkm" if job.names("relational") else "km"
    if not job.names("sensitive"):
        return "k"
    if job.names("relational"):
        return "kl" if job.get("t") is None else "kt"
    return "safe-grouping" if job.names("id") else "anatomy"


def guarantee_for(job: Job, k: int, m: int, *, tuples: int) -> dict[str, str | int]:
    """Return the privacy model for the column roles, with parameters that any data can satisfy.

    Parameters
    ----------
    tuples
        Number of distinct combinations of quasi-identifiers. If there are many, another algorithm is named.

    >>> guarantee_for(Job({"relational": ["age", "zip"], "sensitive": "disease"}), 5, 2, tuples=90)
    {'model': 'kl', 'k': 5, 'l': 2}
    """
    model = model_by_roles(job)
    algorithm = {"algorithm": "mondrian"} if model == "k" and tuples > _MANY_TUPLES else {}
    sizes = {**SIZES, "k": k, "m": m}
    return {"model": model, **algorithm, **{name: sizes[name] for name in sizes_of(model)}}


def obstacle(model: str, job: Job) -> str:
    """Return why a model does not fit the column roles of a job, or an empty text if it fits.

    >>> obstacle("kkm", Job({"items": ["codes"]}))
    'needs a column that an attacker may know'
    >>> obstacle("km", Job({"items": ["codes"], "relational": ["age", "sex"]}))
    'does not protect age and sex'
    """
    entry = MODELS[model].model
    lacking = [
        what
        for needed, there, what in (
            ("items" in entry.protects, job.sets, "a column of items"),
            ("relational" in entry.protects, job.names("relational"), "a column that an attacker may know"),
            (takes_sensitive(model), job.names("sensitive"), "a sensitive column"),
        )
        if needed and not there
    ]
    if lacking:
        return f"needs {' and '.join(lacking)}"
    names = [listed(columns) for role in _open_roles(model) if (columns := job.names(role))]
    return f"does not protect {' and '.join(names)}" if names else ""


def remedies(model: str, job: Job) -> list[Fix]:
    """Return the setting that drops the unprotected columns. Empty if the model protects all columns.

    >>> job = Job({"items": ["codes"], "relational": ["age"], "sensitive": "hiv"})
    >>> [fix.settings for fix in remedies("kkm", job)]
    [{'drop': ['hiv']}]
    """
    names = job.names(*_open_roles(model))
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


def with_model(job: Job, model: str) -> Job:
    """Return a job with another model.

    A size parameter of the job remains if the new model has it. Settings that do not apply to the new model are
    removed.

    >>> with_model(Job({"model": "kkm", "algorithm": "joint-split", "k": 9, "m": 2}), "k").settings
    {'model': 'k', 'k': 9}
    """
    return edited(job, Job({"model": model, **{name: job.get(name, SIZES[name]) for name in sizes_of(model)}}))


def fitting_model(job: Job) -> Job:
    """Return a job with the model in `BY_ROLES` that fits its column roles, or with the model that also protects its
    sensitive items. Nothing changes if its own model fits, or if no model fits.

    >>> fitting_model(Job({"model": "k", "algorithm": "cluster", "k": 9, "items": ["codes"]})).settings
    {'model': 'km', 'k': 9, 'items': ['codes'], 'm': 2}
    >>> fitting_model(Job({"model": "km", "k": 9, "m": 2, "items": ["a"], "sensitive_items": ["HIV"]})).text("model")
    'lm'
    """
    if job.text("model") in BY_ROLES and obstacle(job.text("model"), job):
        job = next((with_model(job, model) for model in BY_ROLES if not obstacle(model, job)), job)
    secret = job.names("sensitive_items")
    return with_sensitive_items(job, secret) if secret and job.text("model") in BY_SENSITIVE_ITEMS else job


def with_sensitive_items(job: Job, items: Sequence[str]) -> Job:
    """Return a job with other items that must not be inferred, and with the model that fits its columns and them.

    >>> job = Job({"model": "km", "k": 5, "m": 2, "items": ["codes"]})
    >>> (secret := with_sensitive_items(job, ["HIV"])).settings
    {'model': 'lm', 'k': 5, 'm': 2, 'items': ['codes'], 'l': 2, 'sensitive_items': ['HIV']}
    >>> with_sensitive_items(secret, []) == job
    True
    """
    model = "kkm" if job.names("relational") else "km"
    after = with_model(job.without("sensitive_items"), BY_SENSITIVE_ITEMS[model] if items else model)
    return after.with_(sensitive_items=list(items)) if items else after


def with_constraints(job: Job, kind: str, file: str) -> Job:
    """Return a job with a file of privacy or utility constraints. An empty name removes the file. With privacy
    constraints, the job protects only these itemsets instead of all sets of m items.

    Raises
    ------
    InputError
        If constraints do not protect the columns of the job.

    >>> job = Job({"model": "km", "k": 5, "m": 2, "items": ["codes"]})
    >>> with_constraints(job, "privacy", "protect.txt").settings
    {'model': 'constraints', 'k': 5, 'items': ['codes'], 'privacy_constraints': 'protect.txt'}
    """
    model = "constraints"
    if why := obstacle(model, job):
        raise InputError(f"model {model}: it {why}")
    made = job if job.text("model") == model else with_model(job, model)
    if kind == "privacy":
        made = made.with_(m=None if file else SIZES["m"])
    return made.with_(**{f"{kind}_constraints": file})


def with_candidate(job: Job, chosen: Job, trees: Mapping[str, str]) -> Job:
    """Return a job with the algorithm of a candidate of `suggest`.

    Parameters of the former algorithm are removed.

    Parameters
    ----------
    chosen
        Algorithm and parameters. The setting `hierarchy` replaces the hierarchies of the items.
    trees
        Hierarchies of the items that the candidates used, by column.

    >>> job = Job({"model": "km", "algorithm": "coat", "k": 5, "suppress": True, "items": ["codes"]})
    >>> chosen = Job({"algorithm": "exact", "hierarchy": "halves:frequency"})
    >>> with_candidate(job, chosen, {"codes": "codes.csv"}).settings
    {'model': 'km', 'algorithm': 'exact', 'k': 5, 'items': ['codes'], 'hierarchy': {'codes': 'halves:frequency'}}
    """
    made = job.with_(**{**dict.fromkeys(tuned(job)), **chosen, "hierarchy": job.entries("hierarchy")})
    for column in job.sets:
        made = made.with_entry("hierarchy", column, chosen.text("hierarchy") or trees.get(column))
    return made


def tuned(job: Job) -> list[str]:
    """Return the settings of a job that are parameters of its algorithm and not of its model.

    >>> tuned(Job({"model": "kkm", "algorithm": "rum-bound", "k": 5, "m": 2, "delta": 0.5, "transaction": "coat"}))
    ['delta', 'transaction']
    """
    entry = MODELS.get(job.text("model"))
    of_model = SIZES if entry is None else settings_of(entry.model)
    remain = {*of_model, *Settings.model_fields}
    return [name for name in job if name in parameters() and name not in remain]


def item_trees(job: Job, *others: str) -> dict[str, str]:
    """Return the hierarchies of the items of a job, and of the columns in other roles.

    >>> trees = {"items": "prefix:1", "age": "range"}
    >>> job = Job({"one_code": ["dx1", "dx2"], "relational": ["age"], "hierarchy": trees})
    >>> item_trees(job), item_trees(job, "relational")
    ({'items': 'prefix:1'}, {'items': 'prefix:1', 'age': 'range'})
    """
    trees = job.entries("hierarchy")
    return {column: trees[column] for column in (*job.sets, *job.names(*others)) if column in trees}


def comparison_flags(job: Job, chosen: Job, trees: Mapping[str, str]) -> Job:
    """Return the flags with which `compare` runs a candidate of `suggest` with several k, on the data of a job.

    Parameters as in `with_candidate`.

    >>> chosen = Job({"algorithm": "exact", "hierarchy": "halves:frequency"})
    >>> comparison_flags(Job({"k": 5, "items": ["codes"]}), chosen, {}).settings
    {'algorithms': 'exact', 'k': '2,5,10,25', 'hierarchy': {'codes': 'halves:frequency'}}
    """
    k = int(job.get("k", SIZES["k"]))
    sizes = sorted({max(2, k // 2), k, 2 * k, 5 * k})
    tree = chosen.text("hierarchy")
    made = dict.fromkeys(job.sets, tree) if tree else trees
    flags = Job({"algorithms": chosen.text("algorithm"), **chosen.without("algorithm", "hierarchy")})
    return flags.with_(k=",".join(map(str, sizes)), hierarchy=made)


def candidate_of(job: Job, trees: Mapping[str, str]) -> Job:
    """Return the algorithm of a job in the form of a candidate of `suggest`. Parameters as in `with_candidate`.

    Raises
    ------
    InputError
        If the model or the algorithm of the job is unknown, or both are missing.

    >>> candidate_of(Job({"model": "kkm", "k": 5, "m": 2}), {}).settings
    {'algorithm': 'joint-split'}
    >>> job = Job({"algorithm": "exact", "k": 5, "items": ["codes"], "hierarchy": {"codes": "halves:frequency"}})
    >>> candidate_of(job, {"codes": "codes.csv"}).settings
    {'algorithm': 'exact', 'hierarchy': 'halves:frequency'}
    """
    made = [spec for name, spec in item_trees(job).items() if spec != trees.get(name)]
    model, algorithm = (job.get(name) for name in ("model", "algorithm"))
    name = algorithm_name(model, algorithm, relational=bool(job.names("relational")))
    return Job({"algorithm": name, **job.only(tuned(job)), **({"hierarchy": made[0]} if made else {})})


def model_of(settings: Settings) -> PrivacyModel:
    """Return the model of a job.

    Raises
    ------
    InputError
        If the model and its parameters are invalid.
    """
    name = algorithm_name(settings.model, settings.algorithm, relational=bool(settings.relational))
    return make_algorithm(settings.model, name, settings.algorithm_parameters()).model
