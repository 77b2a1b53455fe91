"""Settings of commands that publish nothing: `inspect`, `hierarchy`, `suggest`, `policy`, `workload`, `evaluate`."""

from dataclasses import replace
from functools import cache
from typing import Annotated

from pydantic import Field

from anonset.reading.decisions import PUBLICATION
from anonset.settings.job import Job
from anonset.settings.parameters import MODELS, SIZES, collect
from anonset.settings.readers import FORMS, Names, NumberText
from anonset.settings.settings import (
    AS_IS,
    CEILING,
    ROUND_ENDS,
    WORKERS,
    ComparedSettings,
    InputSettings,
    RoleSettings,
    with_parameters,
)

SECONDS = 50.0
"""Seconds for all candidates of `suggest` together. Candidates that are still running are then cancelled."""
SUGGESTED = ("km", "k", "kl", "kt", "kkm", "klm", "lm", "rho", "coherence", "transaction-k", "safe-grouping", "anatomy")
"""Models that `suggest` supports."""
SUGGESTED_VALUES = {**SIZES, "p": 2, "h": 1}
"""Default values of the parameters of these models."""


class InspectSettings(InputSettings):
    """Settings of `anonset inspect`."""

    k: int = Field(SIZES["k"], description=f"{FORMS['k'].text} Default: {SIZES['k']}.")
    m: int = Field(SIZES["m"], description=f"{FORMS['m'].text} Default: {SIZES['m']}.")
    publish_as_is: Names = Field([], description=AS_IS)
    seed: int = Field(0, description="Random seed for samples.")


class TreeSettings(InputSettings):
    """Settings of `anonset hierarchy print` for a column of a job."""

    ceiling: dict[str, str] = CEILING


class SuggestSettings(InputSettings):
    """Settings of `anonset suggest`. `suggest_settings_model` adds the parameters of the models."""

    publish_as_is: Names = Field([], description=AS_IS)
    model: str | None = Field(None, description="Privacy model. Default: chosen by the column roles.")
    round_ends: bool = ROUND_ENDS
    seconds: float = Field(
        SECONDS,
        ge=0,
        description=f"Approximate seconds for all candidates together, without compilation. Default: {SECONDS:g}.",
    )
    seed: int = Field(0, description="Random seed for the sample.")
    workers: int | None = WORKERS
    memory_limit: str | None = Field(
        None, description="Memory limit, such as 8G. The command fails if the data need more memory."
    )


@cache
def suggest_settings_model() -> type[SuggestSettings]:
    """Return the settings with a field for every parameter of the models that `suggest` supports, except the hierarchy
    of a sensitive column.
    """
    of_models = collect({name: MODELS[name].model for name in SUGGESTED})
    del of_models["t_tree"]  # printed commands cannot contain a hierarchy
    for name, value in SUGGESTED_VALUES.items():
        of_models[name] = replace(of_models[name], text=f"{of_models[name].text} Default: {value}.")
    return with_parameters(SuggestSettings, of_models)


class PolicySettings(RoleSettings):
    """Settings of `anonset policy generate`."""

    k: int | None = Field(
        None, description="For pgen: the itemsets that fewer than k records contain become constraints."
    )
    itemsets: int = Field(1000, description="For PP6 to PP9: number of itemsets. Default: 1000.")
    seed: int = Field(0, description="Random seed for PP1 to PP9.")


class QuerySettings(InputSettings):
    """Settings for measuring the query error, and the distance of a loss from the minimum."""

    queries: Annotated[str | None, PUBLICATION] = Field(
        None,
        description="File of queries whose relative error is measured: a workload (.json), or the items of a query per "
        "line.",
    )
    workload: Annotated[str | None, PUBLICATION] = Field(
        None,
        description="Random queries whose relative error is measured. record:100x2+1: 100 queries of 2 items and 1 "
        "relational value.",
    )
    width: Annotated[float, PUBLICATION] = Field(
        0.0,
        ge=0,
        le=1,
        description="Size of the ranges of numbers in random queries: distance from the "
        "middle to each end, as a share of the range of the column.",
    )
    reading: Annotated[str, PUBLICATION] = Field(
        "one-member",
        description="How to interpret a published symbol that represents several items: "
        "one-member, subsets or subsets-apart.",
    )
    bound: Annotated[bool, PUBLICATION] = Field(
        False,
        description="Compute the minimum NCP of all cuts of the hierarchy, and show the distance of each "
        "result from it. For the models km and partition-km.",
    )


class WorkloadSettings(QuerySettings):
    """Settings of `anonset workload`."""

    seed: int = Field(0, description="Random seed for the queries.")


class EvaluateSettings(WorkloadSettings, ComparedSettings):
    """Settings of `anonset evaluate`. INPUT is the original."""

    out: str | None = Field(None, description="Directory of the publication. Not needed with a job file.")
    item_weights: str | None = Field(None, description=FORMS["item_weights"].text)
    relational_weights: dict[str, NumberText] | None = Field(None, description=FORMS["relational_weights"].text)
    top: int | None = Field(
        None,
        ge=1,
        description="Compare the most frequent sets of 2 to 4 items in the original with the publication. The "
        "value is the number of sets, such as 1000.",
    )

    @classmethod
    def of_job(cls, job: Job, flags: Job) -> Job:
        """Return the settings of a job, except its work directory and cluster.

        The private directory of the job is also omitted if a flag names another OUT.
        """
        left_out = ("work_dir", "cluster", "cluster_tls", *(("private",) if "out" in flags else ()))
        return super().of_job(job.without(*left_out), flags)
