"""Settings of `anonset compare`."""

from dataclasses import replace
from functools import cache
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import Field

from anonset.reading.decisions import ACCEPTANCE, MACHINE, PUBLICATION
from anonset.settings.commands import QuerySettings
from anonset.settings.job import Job
from anonset.settings.model_choices import tuned
from anonset.settings.parameters import parameters
from anonset.settings.readers import Names, NumberText, WrittenFloat
from anonset.settings.settings import AS_IS, CEILING, MAX_WORK, ROUND_ENDS, with_decisions, with_parameters


class CompareSettings(QuerySettings):
    """Settings of `anonset compare`. `compare_settings_model` adds the parameters of the algorithms."""

    model: Annotated[str | None, PUBLICATION] = Field(None, description="Privacy model. Not needed with --algorithms.")
    algorithms: Annotated[Names, MACHINE] = Field(
        [], description="Algorithms to compare. Default: the default algorithm of the model."
    )
    ceiling: Annotated[dict[str, str], PUBLICATION] = CEILING
    round_ends: Annotated[bool, PUBLICATION] = ROUND_ENDS
    vary: Annotated[dict[str, str], MACHINE] = Field(
        {}, description="NAME=VALUE,VALUE,...: values of a parameter to compare. Repeatable."
    )
    seeds: Annotated[str | None, MACHINE] = Field(
        None, description="Random seeds, such as 1..5. Each run is repeated with each seed."
    )
    seed: Annotated[int | None, PUBLICATION] = Field(None, ge=0, description="Random seed.")
    workers: Annotated[NumberText | None, MACHINE] = Field(
        None, description="Number of threads, or several numbers to compare, such as 1,2,4. Default: one per core."
    )
    records: Annotated[str | None, MACHINE] = Field(
        None,
        description="Sizes of random samples, to show how time and loss grow with the data, such as "
        "1%,10%,100% or row counts. Each sample contains all smaller samples.",
    )
    n_items: Annotated[NumberText | None, MACHINE] = Field(
        None,
        description="Numbers of items, to show how time and loss grow with them. 100,1000 runs on the 100, "
        "then on the 1000 most frequent items.",
    )
    publish_as_is: Annotated[Names, ACCEPTANCE] = Field([], description=AS_IS)
    max_work: Annotated[float | None, PUBLICATION] = MAX_WORK
    memory_limit: Annotated[str | None, MACHINE] = Field(
        None, description="Memory limit, such as 8G. Runs that need more memory fail."
    )

    @classmethod
    def of_job(cls, job: Job, flags: Job) -> Job:
        """Return the settings of a job. The parameters of its algorithm are omitted if a flag names other
        algorithms. A flag for the weight of `joint-split` replaces the point of the job, and the reverse.
        """
        if "algorithms" in flags and flags["algorithms"] != [job.get("algorithm")]:
            former = tuned(job)
        else:
            former = [name for name, other in (("w", "point"), ("point", "w")) if other in flags]
        return super().of_job(job.without(*former), flags)


@cache
def compare_settings_model() -> type[CompareSettings]:
    """Return the settings with a field for every parameter of a registered algorithm."""
    return with_decisions(with_parameters(CompareSettings, parameters()))


@cache
def compare_options_model() -> type[CompareSettings]:
    """Return the settings with number parameters as texts, because a parameter may have several values or a range."""
    text_parameters = {
        name: replace(parameter, type=str) if _is_number(parameter.type) else parameter
        for name, parameter in parameters().items()
    }
    return with_parameters(CompareSettings, text_parameters)


def with_ranges(options: Job) -> tuple[Job, dict[str, str]]:
    """Split settings into two mappings. The first contains settings with one value, and the second contains the texts
    with several values of a number.

    >>> fixed, varied = with_ranges(Job({"k": "2,5", "m": "2", "algorithms": ["apriori"]}))
    >>> fixed.settings, varied
    ({'m': 2, 'algorithms': ['apriori']}, {'k': '2,5'})
    """
    own = parameters()
    texts = {n: x for n, x in options.items() if isinstance(x, str) and n in own and _is_number(own[n].type)}
    varied = {name: text for name, text in texts.items() if "," in text or ".." in text}
    fixed = {name: read_value(texts[name]) if name in texts else x for name, x in options.without(*varied).items()}
    return Job(fixed), varied


def read_value(text: str) -> Any:
    """Parse a parameter value as a number if possible, or else as text."""
    for kind in (int, WrittenFloat):
        try:
            return kind(text)
        except ValueError:
            continue
    return {"true": True, "false": False}.get(text, text)


def _is_number(kind: Any) -> bool:
    """Return True if the type of a parameter is a number, or the text of an exact number."""
    if get_origin(kind) in (Union, UnionType):
        return any(_is_number(part) for part in get_args(kind))
    if get_origin(kind) is Annotated:
        return get_args(kind)[0] is str
    return kind in (int, float)
