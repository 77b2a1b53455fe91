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

    model: str | None = Field(None, description=f"What must hold; default: as attested. {', '.join(MODELS)}.")
    items: Names = Field(
        [],
        description="Column that holds sets of items; several are joined into one. For FIMI: that of the original.",
    )
    relational: Names = Field([], description="Generalized columns; commas between.")
    id: Names = Field([], description="Columns that identify the person: of qit.csv, or of the original.")
    keep: Names = Field([], description="Columns published unchanged.")
    codebook: str | None = Field(None, description="Codebook of a publication made elsewhere (codebook.csv).")
    budget: int | None = Field(None, ge=0, description="Maximum itemset occurrences to count.")
    original: str | None = Field(None, description="The original data, to check that the publication is true.")
    records: str | None = Field(
        None,
        description="File with the original record of each row (records.csv or .parquet); default: original order.",
    )
    hierarchy: dict[str, str] = Field(
        {},
        description="COL=SPEC: hierarchy of the items, which the codebook must match; with --original also of a "
        "relational column. Repeatable.",
    )
    drop: Names = Field([], description="With --original: columns that were not published.")
    utility_constraints: str | None = Field(
        None, description="With --original: file of item groups, one per line; no symbol may cross them."
    )
    max_suppressed: Share | None = Field(
        None, description="With --original: maximum share of suppressed items, from 0 to 1."
    )

    memory_limit: str | None = Field(
        None, description="Maximum memory, such as 8G; larger data are read in blocks. Default: all that is free."
    )
    work_dir: str | None = Field(
        None,
        description="New or empty directory for blocks; emptied afterwards. Default: a temporary one.",
    )

    def model_parameters(self) -> dict[str, Any]:
        """Return the given parameters of the privacy model."""
        return self.model_dump(exclude=set(CheckSettings.model_fields), exclude_none=True)


@cache
def check_settings_model() -> type[CheckSettings]:
    """Return the settings with a field for every parameter of a privacy model."""
    return with_parameters(CheckSettings, collect({name: entry.model for name, entry in MODELS.items()}))
