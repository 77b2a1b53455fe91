"""Models and algorithms by name, and their parameters as options, which come from the fields of the dataclasses."""

from collections.abc import Iterable, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass, replace
from dataclasses import field as make_field
from functools import cache
from pkgutil import resolve_name
from types import MappingProxyType
from typing import Any, get_type_hints

from docstring_parser.attrdoc import AttributeDocstrings

from anonset import plugins
from anonset.algorithms.base import Algorithm, traits_of
from anonset.algorithms.registry import ALGORITHMS, DIVERSE, with_traits
from anonset.errors import InputError
from anonset.plugins import load_offered
from anonset.privacy.model import PrivacyModel
from anonset.settings.readers import FORMS, Context, Form
from anonset.spelling import listed, require_known

ON_BY_DEFAULT = "x-on-by-default"


@dataclass(frozen=True)
class ModelEntry:
    """How one privacy model is asked for."""

    home: str | type[PrivacyModel]
    """Its class, or its module and its name there: it is imported on first use, since a run needs one or two."""
    algorithm: str
    """Name of its default algorithm."""
    alone: str | None = None
    """Its default algorithm where there are no relational columns, if it is another."""
    preset: Mapping[str, Any] = make_field(default_factory=dict)
    """Settings that an algorithm gets for this model unless others are given."""
    in_reach: Mapping[str, Any] = make_field(default_factory=dict)
    """Settings under which any data can be anonymized."""
    of_many_tuples: Mapping[str, Any] = make_field(default_factory=dict)
    """Those that differ where very many combinations of quasi-identifiers occur."""
    equals: str | None = None
    """Name of a model that says the same where there are no relational columns."""

    @property
    def model(self) -> type[PrivacyModel]:
        """Its class."""
        return self.home if isinstance(self.home, type) else resolve_name(self.home)

    def is_met_by(self, model: PrivacyModel) -> bool:
        """Tell whether an algorithm that guarantees a model may serve this one."""
        return isinstance(model, self.model) or (
            self.equals is not None and isinstance(model, MODELS[self.equals].model)
        )


_OWN: dict[str, ModelEntry] = {
    "km": ModelEntry("anonset.privacy.km:KmAnonymity", "exact", preset=MappingProxyType({"suppress": None})),
    "k": ModelEntry(
        "anonset.privacy.k:KAnonymity",
        "cluster",
        in_reach=MappingProxyType({"algorithm": "cluster"}),
        of_many_tuples=MappingProxyType({"algorithm": "mondrian"}),
    ),
    "kl": ModelEntry("anonset.privacy.classes:KLDiversity", "cluster"),
    "kt": ModelEntry("anonset.privacy.classes:KTCloseness", "cluster"),
    "kkm": ModelEntry(
        "anonset.privacy.kkm:KKmAnonymity",
        "joint-split",
        in_reach=MappingProxyType({"algorithm": "joint-split"}),
    ),
    "klm": ModelEntry(
        "anonset.privacy.lm:KLmDiversity",
        "rum-bound",
        alone=DIVERSE,
        equals="lm",
        preset=MappingProxyType({"transaction": DIVERSE}),
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
"""All privacy models by their names on the command line: our own, then those that installed packages offer."""


GENERAL = frozenset({"seed", "sensitive"})
"""Settings of every run that an algorithm may take or leave."""


_NAMED = 6
"""Algorithms that the text of a parameter names."""


@dataclass(frozen=True)
class Parameter:
    """One parameter of one or several algorithms or models."""

    name: str
    """Name of the setting; the option is the same with hyphens."""
    field: str
    """Name of the field."""
    type: Any
    """Type of the setting."""
    first: Any
    """The first class that has it, whose documentation is its own."""
    users: tuple[str, ...]
    """Names of the algorithms or models that have it."""

    @property
    def text(self) -> str:
        """A line of documentation, read from the source of the class where no form has one."""
        return form_of(self.field).text or field_texts(self.first).get(self.field, "")

    @property
    def marks(self) -> dict[str, Any]:
        """What the schema of its setting says besides: whether it holds by default, and an option turns it off."""
        return {ON_BY_DEFAULT: getattr(self.first, self.field, None) is True}

    @property
    def description(self) -> str:
        """The line with the names of the algorithms or models that have it; without those that nearly all have."""
        if self.name in ("k", "m"):
            return self.text
        many = len(self.users) > _NAMED
        return f"{self.text} [{len(self.users)} algorithms]" if many else f"{self.text} [{', '.join(self.users)}]"


@cache
def parameters(*algorithms: str) -> dict[str, Parameter]:
    """Return the parameters of some algorithms, or all, by setting, in order of first appearance."""
    return collect({name: ALGORITHMS[name] for name in algorithms or ALGORITHMS})


def collect(classes: Mapping[str, type[Any]]) -> dict[str, Parameter]:
    """Return the parameters of dataclasses by setting, in order of first appearance."""
    parameters_of: dict[str, Parameter] = {}
    for name, cls in classes.items():
        types = get_type_hints(cls)
        for field in fields(cls):
            form = form_of(field.name)
            kind = types[field.name] if form.type is None else form.type
            if form.setting in parameters_of:
                known = parameters_of[form.setting]
                parameters_of[form.setting] = replace(known, users=(*known.users, name))
            else:
                parameters_of[form.setting] = Parameter(form.setting, field.name, kind, cls, (name,))
    return parameters_of


def form_of(field: str) -> Form:
    """Return how a field is written as a setting: as it is, unless it has a form of its own."""
    return FORMS.get(field) or Form(field)


def companions_of(form: Form, value: Any) -> frozenset[str]:
    """Return the settings that a value takes beside its own."""
    return frozenset() if form.companions is None else form.companions(value)


def field_texts(cls: type) -> dict[str, str]:
    """Return the line of documentation under each field of a dataclass and of its bases."""
    texts: dict[str, str] = {}
    for base in reversed(cls.__mro__):
        if is_dataclass(base):
            texts |= _own_texts(base)
    return texts


@cache
def _own_texts(cls: type) -> dict[str, str]:
    found = AttributeDocstrings().get_attr_docs(cls)  # none if there is no source, as in a frozen installation
    return {name: " ".join(text.split()) for name, (text, _, _) in found.items()}


def option(name: str) -> str:
    """Return the command-line option of a setting.

    >>> option("max_cuts")
    '--max-cuts'
    """
    return "--" + name.replace("_", "-")


def make_algorithm(
    model: str | None, algorithm: str | None, given: Mapping[str, Any], context: Context | None = None
) -> Algorithm:
    """Make the algorithm that a model's or an algorithm's name and parameters ask for.

    Parameters
    ----------
    model, algorithm
        Their names; one suffices.
    given
        The parameters by setting.
    context
        The data; where they are not there yet, a parameter that is made from them is left out, and the algorithm
        serves to check the others.

    Raises
    ------
    InputError
        If a name is unknown, a parameter does not apply or is missing, or the algorithm guarantees another model.
    """
    name = algorithm_name(model, algorithm)
    cls: type[Any] = ALGORITHMS[name]
    if model is not None and MODELS[model].equals is None:
        _require_answers(model, name)
    own = {form_of(field.name).setting for field in fields(cls)}
    given = {setting: value for setting, value in given.items() if setting in own or setting not in GENERAL}
    preset = {} if model is None else MODELS[model].preset
    given = {**{setting: value for setting, value in preset.items() if setting in own}, **given}
    context = replace(context or Context(early=True), given=given)
    made: Algorithm = build(cls, f"algorithm {name}", given, context, model)
    if model is not None and not MODELS[model].is_met_by(made.model):
        if lacking := [n for n in _needed(MODELS[model].model) if n in own and n not in given]:
            msg = f"model {model} requires {' and '.join(map(option, lacking))}"
            raise InputError(msg)
        msg = f"--algorithm {name} guarantees the model {made.model.name}, not {model}"
        raise InputError(msg)
    return made


def _require_answers(model: str, algorithm: str) -> None:
    """Refuse an algorithm that declares other models than the one that is asked for."""
    answers = traits_of(ALGORITHMS[algorithm])
    if model in answers.models:
        return
    given = [MODELS[name].model for name in answers.models if name in MODELS]
    if given and not any(issubclass(one, MODELS[model].model) for one in given):
        others = with_traits(lambda traits: model in traits.models)
        msg = f"--algorithm {algorithm} guarantees the model {' or '.join(answers.answers)}, not {model}"
        raise InputError(f"{msg}, which {', '.join(others)} guarantee{'s' * (len(others) == 1)}" if others else msg)


def default_algorithm(model: str | None, *, relational: bool) -> str | None:
    """Return the name of the algorithm that serves a model, given whether there are relational columns."""
    entry = MODELS.get(model or "")
    if entry is None:
        return None
    return entry.algorithm if relational else entry.alone or entry.algorithm


def algorithm_name(model: str | None, algorithm: str | None) -> str:
    """Return the name of the algorithm that serves a request.

    Raises
    ------
    InputError
        If a name is unknown, or there are none.
    """
    if algorithm is None and model is None:
        msg = "one of --model and --algorithm is required"
        raise InputError(msg)
    if model is not None:
        require_known("--model", model, MODELS, {"--algorithm": ALGORITHMS})
    name = algorithm or MODELS[str(model)].algorithm
    return require_known("--algorithm", name, sorted(ALGORITHMS), {"--model": MODELS})


def build(cls: type[Any], what: str, given: Mapping[str, Any], context: Context, model: str | None = None) -> Any:
    """Make an algorithm or a model from settings.

    Parameters
    ----------
    model
        The model that is asked for by name: if settings do not apply, the message names its algorithms that take them.

    Raises
    ------
    InputError
        If a setting does not apply, is missing, or is not what it must be.
    """
    own = {form_of(field.name).setting: field for field in fields(cls)}
    needed = _needed(cls)
    taken = {n for name, value in given.items() if name in own for n in companions_of(form_of(own[name].name), value)}
    strange = [name for name in given if name not in own and name not in taken]
    problems = [*misfits(what, strange, own), *_that_take(strange, model)]
    if missing := [option(n) for n in needed if n not in given]:
        why = "".join(form_of(own[n].name).missing for n in needed if n not in given)
        problems.append(f"{what} requires {' and '.join(missing)}{why}")
    if problems:
        raise InputError("; ".join(problems))
    values = {}
    for setting, value in ((name, value) for name, value in given.items() if name in own):
        form = form_of(own[setting].name)
        values[own[setting].name] = value if form.read is None else form.read(value, context)
    return cls(**values)


def _needed(cls: type[Any]) -> list[str]:
    """Return the settings without which an algorithm or a model cannot be made."""
    lacks = (f for f in fields(cls) if f.default is MISSING and f.default_factory is MISSING)
    return [form_of(field.name).setting for field in lacks]


def misfits(what: str, given: Iterable[str], own: Iterable[str]) -> list[str]:
    """Say which of the given settings do not apply."""
    known = list(own)
    names = ", ".join(map(option, known)) or "none"
    return [f"{option(n)} does not apply to {what} (its parameters: {names})" for n in given if n not in known]


def _that_take(strange: list[str], model: str | None) -> list[str]:
    """Return the remedy for settings that do not apply: the algorithms of the model that take all of them, if any."""
    of_model = [] if model is None or not strange else with_traits(lambda traits: model in traits.models)
    able = [name for name in of_model if parameters(name).keys() >= {*strange}]
    return [f"for {listed([*map(option, strange)])}, give --algorithm {listed(able, 'or')}"] if able else []


def needs_data(given: Mapping[str, Any]) -> bool:
    """Tell whether a parameter is made from the data."""
    forms = {form.setting: form for form in FORMS.values()}
    read_with = {name: form.needs_data for name, form in forms.items() if form.needs_data is not None}
    return any(name in read_with and read_with[name](value) for name, value in given.items())
