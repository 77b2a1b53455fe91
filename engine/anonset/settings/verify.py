"""The settings of `anonset verify`."""

from functools import cache
from typing import Any

from pydantic import Field

from anonset.settings.parameters import MODELS, collect
from anonset.settings.readers import Names, Share
from anonset.settings.reading import ReadingSettings
from anonset.settings.settings import with_parameters


class CheckSettings(ReadingSettings):
    """What is to be checked; the parameters of the models are added by `check_settings_model`.

    How a file is read is meant of a publication that was made elsewhere, and of the original.
    """

    model: str | None = Field(None, description=f"Privacy model: {', '.join(MODELS)}. Default: as attested.")
    items: Names = Field(
        [],
        description="Set-valued column (several are joined into one); of a publication in FIMI, that of the original.",
    )
    relational: Names = Field([], description="Generalized columns, separated by commas.")
    id: Names = Field([], description="Columns of qit.csv that identify the person; or of the original, not published.")
    keep: Names = Field([], description="Columns published as they were.")
    codebook: str | None = Field(None, description="codebook.csv of a publication made elsewhere.")
    budget: int | None = Field(None, ge=0, description="Largest number of itemset occurrences to count.")
    original: str | None = Field(None, description="The original data, to check that the publication is true of them.")
    records: str | None = Field(
        None,
        description="records.csv or .parquet: the record of each row; without it, rows are in the original order.",
    )
    hierarchy: dict[str, str] = Field(
        {},
        description="COL=SPEC: hierarchy of the set-valued column, which the codebook must agree with, or, with "
        "--original, of a relational column.",
    )
    drop: Names = Field([], description="With --original: its columns that were left out.")
    utility_constraints: str | None = Field(
        None, description="With --original: a file with a group a line, which no symbol may reach beyond."
    )
    max_suppressed: Share | None = Field(
        None, description="With --original: largest part of its items that may be suppressed."
    )

    memory_limit: str | None = Field(
        None, description="Read into files what needs more, such as 8G; default: what is available."
    )
    work_dir: str | None = Field(
        None,
        description="Read into files of this directory, new or empty; what it makes is removed. Default: temporary.",
    )

    def model_parameters(self) -> dict[str, Any]:
        """Return the given parameters of the privacy model."""
        return self.model_dump(exclude=set(CheckSettings.model_fields), exclude_none=True)


@cache
def check_settings_model() -> type[CheckSettings]:
    """Return the settings with a field for every parameter of a privacy model."""
    return with_parameters(CheckSettings, collect({name: entry.model for name, entry in MODELS.items()}))
