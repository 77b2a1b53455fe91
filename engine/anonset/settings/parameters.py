"""Registry of models and algorithms by name. Options are derived from the fields of their dataclasses."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import MISSING, dataclass, fields, replace
from dataclasses import field as make_field
from functools import cache
from pkgutil import resolve_name
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_origin, get_type_hints

from anonset import plugins
from anonset.algorithms.base import Algorithm, traits_of
from anonset.algorithms.registry import ALGORITHMS, DIVERSE, OFFERED, with_traits
from anonset.errors import Fix, InputError, require_known
from anonset.plugins import load_offered
from anonset.settings.algorithm_fields import BUILT_IN, FieldRow
from anonset.settings.job import Job
from anonset.settings.readers import FORMS, ParsingContext, SettingForm, scaled
from anonset.spelling import StatedSettings, listed, setting

if TYPE_CHECKING:
    from anonset.privacy.model import PrivacyModel


@dataclass(frozen=True)
class ModelEntry:
    """Settings and default algorithms of a privacy model."""

    home: "str | type[PrivacyModel]"
    """Class, or the module and name of a class that is imported on first use."""
    algorithm: str
    """Name of the default algorithm."""
    alone: str | None = None
    """Default algorithm for data without relational columns, or None if this is `algorithm`."""
    preset: StatedSettings = make_field(default_factory=dict)
    """Settings of the default algorithm for this model."""
    equals: str | None = None
    """Name of the model that is equivalent if the data have no relational columns. Algorithms of both models are
    accepted.
    """

    @property
    def model(self) -> "type[PrivacyModel]":
        """Class of the model."""
        return self.home if isinstance(self.home, type) else resolve_name(self.home)

    def is_met_by(self, algorithm: Algorithm) -> bool:
        """Return True if the algorithm, with its parameters, guarantees this model."""
        met = [self.model] if self.equals is None else [self.model, MODELS[self.equals].model]
        return isinstance(algorithm.model, tuple(met)) or self.model.name in traits_of(algorithm).also_answers


_OWN: dict[str, ModelEntry] = {
    "km": ModelEntry("anonset.privacy.km:KmAnonymity", "exact", preset=MappingProxyType({"suppress": None})),
    "k": ModelEntry("anonset.privacy.k:KAnonymity", "cluster"),
    "kl": ModelEntry("anonset.privacy.classes:KLDiversity", "cluster"),
    "kt": ModelEntry("anonset.privacy.classes:KTCloseness", "cluster"),
    "kkm": ModelEntry("anonset.privacy.kkm:KKmAnonymity", "joint-split"),
    "klm": ModelEntry(
        "anonset.privacy.lm:KLmDiversity",
        "rum-bound",
        alone=DIVERSE,
        equals="lm",
        preset=MappingProxyType({"transaction": DIVERSE, "delta": 0.65}),
    ),
    "lm": ModelEntry("anonset.privacy.lm:LmDiversity", DIVERSE),
    "constraints": ModelEntry("anonset.privacy.constraints:ConstraintSet", "coat"),
    "coherence": ModelEntry("anonset.privacy.coherence:Coherence", "coherence-suppression"),
    "rho": ModelEntry("anonset.privacy.rho:RhoUncertainty", "suppress-control"),
    "transaction-k": ModelEntry("anonset.privacy.transaction_k:TransactionKAnonymity", "local-generalization"),
    "partition-km": ModelEntry("anonset.privacy.partitions:PartitionKmAnonymity", "lra"),
    "disassociation": ModelEntry("anonset.privacy.disassociation:DisassociationModel", "disassociation"),
    "safe-grouping": ModelEntry("anonset.privacy.safe_grouping:SafetyConstraint", "safe-grouping"),
    "anatomy": ModelEntry("anonset.privacy.anatomy:AnatomyDiversity", "anatomy"),
}
MODELS: dict[str, ModelEntry] = _OWN | {
    name: ModelEntry(model, model.served_by) for name, model in load_offered(plugins.MODELS, _OWN).items()
}
"""All privacy models by command-line name: built-in models, then models of installed packages."""


SIZES = {"k": 5, "m": 2, "l": 2}
"""Size parameters of models, with defaults."""
GENERAL = frozenset({"seed", "sensitive", "max_work"})
"""Settings of runs that are not parameters of one algorithm. An algorithm may ignore them."""


_NAMED = 6
"""Maximum number of algorithms that the description of a parameter names."""


@dataclass(frozen=True)
class Parameter:
    """Parameter of algorithms or models."""

    name: str
    """Name of the setting. The option has hyphens instead of underscores."""
    type: Any
    text: str
    """Description of the parameter: the text of its `SettingForm`, or else of the field in the first class that has it.
    """
    on_by_default: bool
    users: tuple[str, ...]
    """Names of the algorithms or models that have the parameter."""

    @property
    def description(self) -> str:
        """Description of the parameter. Except for k and m, it names the algorithms or models that have the
        parameter.
        """
        if self.name in ("k", "m"):
            return self.text
        many = len(self.users) > _NAMED
        return f"{self.text} [{len(self.users)} algorithms]" if many else f"{self.text} [{', '.join(self.users)}]"


@cache
def parameters(*algorithms: str) -> dict[str, Parameter]:
    """Return the parameters of the named algorithms by setting name, in order of first appearance. Without names,
    return the parameters of all algorithms, and import only the algorithms of installed packages.
    """
    if algorithms:
        return collect({name: ALGORITHMS[name] for name in algorithms})
    return _of_fields([*BUILT_IN, *_fields_of(OFFERED)])


def collect(classes: Mapping[str, type[Any]]) -> dict[str, Parameter]:
    """Return the parameters of dataclasses by setting name, in order of first appearance."""
    return _of_fields(_fields_of(classes))


def _fields_of(classes: Mapping[str, type[Any]]) -> Iterator[FieldRow]:
    for name, cls in classes.items():
        types = get_type_hints(cls, include_extras=True)
        for field in fields(cls):
            yield FieldRow(field.name, name, *type_and_text(types[field.name]), field.default is True)


def _of_fields(rows: Iterable[FieldRow]) -> dict[str, Parameter]:
    parameters_of: dict[str, Parameter] = {}
    for field, users, kind, text, on_by_default in rows:
        form = form_of(field)
        if parameter := parameters_of.get(form.setting):
            parameters_of[form.setting] = replace(parameter, users=(*parameter.users, *users.split()))
        else:
            parameters_of[form.setting] = Parameter(
                form.setting, form.type or kind, form.text or text, on_by_default, tuple(users.split())
            )
    return parameters_of


def type_and_text(annotation: Any) -> tuple[Any, str]:
    """Split the annotation ``Annotated[type, text]`` of an option. The text of any other annotation is empty."""
    if get_origin(annotation) is not Annotated:
        return annotation, ""
    kind, *notes = get_args(annotation)
    return kind, next((note for note in notes if isinstance(note, str)), "")


def form_of(field: str) -> SettingForm:
    """Return the setting of a field. By default, it has the name, type and documentation of the field."""
    return FORMS.get(field) or SettingForm(field)


def settings_of(cls: type[Any]) -> list[str]:
    """Return the names of the settings of an algorithm or a model, in the order of its fields."""
    return [form_of(field.name).setting for field in fields(cls)]


def accepted_settings(algorithm: str, values: StatedSettings) -> set[str]:
    """Return the names of the settings of an algorithm, and of those that the values of its settings require."""
    return _accepted(ALGORITHMS[algorithm], values)


def _accepted(cls: Any, values: StatedSettings) -> set[str]:
    forms = [form_of(field.name) for field in fields(cls)]
    more = [form.companions(values[form.setting]) for form in forms if form.companions and form.setting in values]
    return {form.setting for form in forms}.union(*more)


def make_algorithm(
    model: str | None, algorithm: str, values: StatedSettings, context: ParsingContext | None = None
) -> Algorithm:
    """Create an algorithm from its name and parameters.

    Parameters
    ----------
    model
        Name of a model. None for the model that the algorithm guarantees.
    algorithm
        Name of an algorithm.
    values
        The parameters by setting.
    context
        The data. If they are not read yet, parameters that depend on the data are omitted, and the algorithm only
        serves to validate all other parameters.

    Raises
    ------
    InputError
        If a name is unknown, a parameter does not apply or is missing, or the algorithm guarantees another model.
    """
    name = known_algorithm(model, algorithm)
    cls: type[Any] = ALGORITHMS[name]
    if model is not None and MODELS[model].equals is None:
        _require_answers(model, name)
    settings = settings_of(cls)
    values = {setting: value for setting, value in values.items() if setting in settings or setting not in GENERAL}
    preset = {} if model is None else MODELS[model].preset
    values = {**{setting: value for setting, value in preset.items() if setting in settings}, **values}
    context = replace(context or ParsingContext(early=True), given=Job(values))
    made: Algorithm = build(cls, f"algorithm {name}", values, context, model)
    if model is not None and not MODELS[model].is_met_by(made):
        if lacking := [n for n in _required_settings(MODELS[model].model) if n in settings and n not in values]:
            raise InputError(f"model {model} requires {' and '.join(map(setting, lacking))}")
        raise InputError(f"{setting('algorithm', name)} guarantees the model {made.model.name}, not {model}")
    return made


def _require_answers(model: str, algorithm: str) -> None:
    """Reject an algorithm that does not guarantee the requested model."""
    answers = traits_of(ALGORITHMS[algorithm])
    if model in answers.models:
        return
    declared = [MODELS[name].model for name in answers.models if name in MODELS]
    if declared and not any(issubclass(cls, MODELS[model].model) for cls in declared):
        others = with_traits(lambda traits: model in traits.models)
        msg = f"{setting('algorithm', algorithm)} guarantees the model {' or '.join(answers.answers)}, not {model}"
        raise InputError(f"{msg}; algorithms for {model}: {', '.join(others)}" if others else msg)


def default_algorithm(model: str | None, *, relational: bool) -> str | None:
    """Return the name of the default algorithm of a model, for data with or without relational columns."""
    entry = MODELS.get(model or "")
    if entry is None:
        return None
    return entry.algorithm if relational else entry.alone or entry.algorithm


def algorithm_name(model: str | None, algorithm: str | None, *, relational: bool) -> str:
    """Return the name of the requested algorithm, or of the model's default algorithm for data with or without
    relational columns.

    Raises
    ------
    InputError
        If a name is unknown, or both are missing.
    """
    if algorithm is None and model is None:
        raise InputError(f"{setting('model')} or {setting('algorithm')} is required")
    name = algorithm or default_algorithm(model, relational=relational)
    return known_algorithm(model, str(name))  # an unknown model has no default and is rejected


def known_algorithm(model: str | None, algorithm: str) -> str:
    """Return the name of an algorithm.

    Raises
    ------
    InputError
        If the name of the model or of the algorithm is unknown.
    """
    if model is not None:
        require_known(setting("model"), model, MODELS, {setting("algorithm"): ALGORITHMS})
    return require_known(setting("algorithm"), algorithm, sorted(ALGORITHMS), {setting("model"): MODELS})


def build(
    cls: type[Any], target: str, settings: StatedSettings, context: ParsingContext, model: str | None = None
) -> Any:
    """Create an algorithm or a model from settings.

    Parameters
    ----------
    model
        Name of the requested model. If settings do not apply, the message names algorithms of this model that accept
        the settings.

    Raises
    ------
    InputError
        If a setting does not apply, is missing, or is invalid.
    """
    field_of = {form_of(field.name).setting: field for field in fields(cls)}
    needed = _required_settings(cls)
    accepted = _accepted(cls, settings)
    strange = [name for name in settings if name not in accepted]
    own = ", ".join(map(setting, field_of)) or "none"
    problems = [f"{setting(name)} does not apply to {target} (parameters: {own})" for name in strange]
    problems += _accepting_algorithms(strange, model)
    if missing := [setting(n) for n in needed if n not in settings]:
        hint = "".join(form_of(field_of[n].name).missing for n in needed if n not in settings)
        problems.append(f"{target} requires {' and '.join(missing)}{hint}")
    if problems:
        usual = {n: SIZES[n] for n in needed if n not in settings and n in SIZES}
        fixes = [Fix(usual, "for example")] if usual and len(usual) == len(missing) and len(problems) == 1 else []
        raise InputError("; ".join(problems), fixes=fixes)
    values, job = {}, Job(settings)
    for field, form in ((field, form_of(field.name)) for field in fields(cls)):
        if form.setting in settings:
            value = job[form.setting]
            if form.is_factor:
                from anonset.algorithms.relational.refinement import (
                    MOST_EVALUATIONS,
                )  # the limit of a field without one

                limit: Any = field.default or MOST_EVALUATIONS
                values[field.name] = max(1, scaled(limit, value))
            else:
                values[field.name] = value if form.read is None else form.read(value, context)
    return cls(**values)


def _required_settings(cls: type[Any]) -> list[str]:
    lacks = (f for f in fields(cls) if f.default is MISSING and f.default_factory is MISSING)
    return [form_of(field.name).setting for field in lacks]


def _accepting_algorithms(strange: list[str], model: str | None) -> list[str]:
    """Recommend algorithms of the model that accept all the given settings, if there are any."""
    of_model = [] if model is None or not strange else with_traits(lambda traits: model in traits.models)
    able = [name for name in of_model if parameters(name).keys() >= {*strange}]
    return [f"use {listed([*map(setting, strange)])} with {setting('algorithm')} {listed(able, 'or')}"] if able else []


def needs_data(settings: StatedSettings) -> bool:
    """Return True if a parameter is derived from the data."""
    forms = {form.setting: form for form in FORMS.values()}
    read_with = {name: form.needs_data for name, form in forms.items() if form.needs_data is not None}
    return any(name in read_with and read_with[name](value) for name, value in settings.items())
