"""The settings of `anonset compare`."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from pydantic import Field

from anonset.settings.parameters import parameters
from anonset.settings.readers import Names
from anonset.settings.settings import InputSettings, validate, with_parameters


class CompareSettings(InputSettings):
    """The settings of `anonset compare`; the parameters of the algorithms are added by `compare_settings_model`."""

    model: str | None = Field(None, description="What must hold; not needed with --algorithms.")
    algorithms: Names = Field([], description="Algorithms to compare; default: that of the model.")
    vary: dict[str, str] = Field({}, description="NAME=VALUE,VALUE,...: a parameter to vary; repeatable.")
    queries: str | None = Field(None, description="File with the items of a query a line, for the ARE.")
    workload: str | None = Field(None, description="Random queries for the ARE: record:100x2, or +1.")
    width: float = Field(0.0, ge=0, le=1, description="Reach of conditions on numbers, as a share of the width.")
    bound: bool = Field(
        False,
        description="Prove how small the NCP of a cut can be, and how far above it each one is (km, partition-km).",
    )
    seed: int | None = Field(None, ge=0, description="Seed of whatever is random.")
    workers: int | None = Field(None, ge=1, description="Number of threads; default: one a core.")
    budget: int | None = Field(None, ge=0, description="Largest number of itemset occurrences to count in verifying.")
    memory_limit: str | None = Field(None, description="Refuse work that needs more, such as 8G.")


@cache
def compare_settings_model() -> type[CompareSettings]:
    """Return the settings with a field for every parameter of a registered algorithm."""
    return with_parameters(CompareSettings, parameters())


def make_compare_settings(given: Mapping[str, Any]) -> CompareSettings:
    """Validate settings.

    Raises
    ------
    InputError
        With every error, separated by semicolons.
    """
    return validate(compare_settings_model(), {name: value for name, value in given.items() if value is not None})
