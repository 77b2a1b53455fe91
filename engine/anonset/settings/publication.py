"""Settings of the commands on a publication: `anonset verify`, `risk` and `report`."""

from collections.abc import Mapping
from functools import cache
from glob import iglob
from pathlib import Path
from typing import Any

from pydantic import Field

from anonset.attacks.registry import ATTACKS
from anonset.data import SetColumn
from anonset.reading.source import Source
from anonset.settings.parameters import MODELS, collect
from anonset.settings.readers import Names, Share
from anonset.settings.settings import ComparedSettings, ReadingSettings, with_parameters

THRESHOLD = 0.09
"""Risk above which a record counts as at risk: the risk in an equivalence class of 11 records or fewer (European
Medicines Agency, 2014).
"""
_OF_JOB = ("private", "memory_limit")
_OF_ITS_ORIGINAL = ("id", "drop", "hierarchy", "max_suppressed", *ReadingSettings.model_fields)
"""Settings of a job that are used together with INPUT. Roles and guarantee are read from the attestation in OUT."""


class OriginalSettings(ComparedSettings):
    """Original of a publication, and the memory limit for comparing both."""

    original: str | None = Field(
        None, description="The original data, to compute the risk before anonymization and to try attacks."
    )
    items: Names = Field([], description="FIMI publications: column of the original that contains the items.")
    id: Names = Field([], description="Columns of the original that identify the person.")
    drop: Names = Field([], description="Columns of the original that were not published.")
    hierarchy: dict[str, str] = Field({}, description="COL=SPEC, as in anonset anonymize. Repeatable.")

    def original_source(self) -> Source | None:
        """Resolve the original, if given.

        Raises
        ------
        InputError
            If it does not exist.
        """
        return None if self.original is None else self.source(self.original)

    @classmethod
    def of_job(cls, job: Mapping[str, Any], flags: Mapping[str, Any]) -> dict[str, Any]:
        """Return the settings of a job for reading its INPUT as the original. The original is omitted if the file does
        not exist.
        """
        original, names = flags.get("original", job.get("input")), {*_OF_JOB}
        if isinstance(original, str) and _is_there(original):
            job, names = {**job, "original": original}, {*names, *_OF_ITS_ORIGINAL, "original"}
        job = {name: value for name, value in job.items() if name in names}
        return super().of_job(job, flags)


class RiskSettings(OriginalSettings):
    """Settings of `anonset risk`."""

    population: str | None = Field(None, description="File with the quasi-identifiers of the population.")
    m: int | None = Field(
        None,
        description="Number of items that an attacker knows, as in the guarantee. Attacks with up to 2 more items are "
        "also tried. Default: as attested.",
    )
    threshold: float = Field(
        THRESHOLD, description=f"Risk above which a person counts as at risk; default: {THRESHOLD}."
    )
    sensitive: Names | None = Field(None, description="Kept columns that the attack tries to infer; default: all.")
    attempts: int = Field(1000, description="Number of persons that the attack targets; default: 1000.")
    attack: Names = Field([], description=f"Attacks to try, each with a control: {', '.join(ATTACKS)}, or all.")
    beside: str | None = Field(
        None, description="Directory of another release of the same persons, for the composition attack."
    )
    seed: int = Field(0, description="Random seed.")


class CheckSettings(OriginalSettings):
    """Settings of a check. `check_settings_model` adds the parameters of the models.

    Reading options apply to the original, and to a publication of another program.
    """

    model: str | None = Field(None, description=f"Privacy model; default: as attested. One of {', '.join(MODELS)}.")
    items: Names = Field(
        [],
        description="Column that contains sets of items; several columns are joined. For FIMI: column of the original.",
    )
    relational: Names = Field([], description="Generalized columns, such as age,zip.")
    id: Names = Field([], description="Columns that identify the person, in qit.csv or in the original.")
    keep: Names = Field([], description="Columns published unchanged.")
    codebook: str | None = Field(
        None, description="Codebook file (codebook.csv), if another program made the publication."
    )
    budget: int | None = Field(None, ge=0, description="Maximum number of itemset occurrences to count.")
    original: str | None = Field(
        None, description="The original data, to check that the publication is consistent with them."
    )
    records: str | None = Field(
        None,
        description="File, or folder of part files, with the original record number of each row; default: from the "
        "private directory.",
    )
    hierarchy: dict[str, str] = Field(
        {},
        description="COL=SPEC: hierarchy of the items, which must match the codebook; with --original also of "
        "relational "
        "columns. Repeatable.",
    )
    utility_constraints: str | None = Field(
        None,
        description="With --original: file with one item group per line; the items of a symbol must be in the "
        "same group.",
    )
    max_suppressed: Share | None = Field(
        None, description="With --original: maximum share of suppressed items, from 0 to 1."
    )

    def model_parameters(self) -> dict[str, Any]:
        """Return the given parameters of the privacy model."""
        return self.model_dump(exclude=set(CheckSettings.model_fields), exclude_none=True)

    def foreign_reading(self) -> dict[str, Any]:
        """Return reading options for a publication of another program, which has grouped rows and replaced nulls."""
        missing = "value" if self.file.missing == "value" else "refuse"
        return {**self.reading_options(), "missing": missing, "group": False}

    def names_tree_of(self, items: SetColumn | None, joined: tuple[str, ...]) -> bool:
        """Return True if a hierarchy is given for a set-valued column, or for one of the columns joined in it."""
        return items is not None and not {items.name, *joined}.isdisjoint(self.hierarchy)


@cache
def check_settings_model() -> type[CheckSettings]:
    """Return the settings with a field for every parameter of a privacy model."""
    return with_parameters(CheckSettings, collect({name: entry.model for name, entry in MODELS.items()}))


def _is_there(source: str) -> bool:
    """Return True if data exist. Addresses count as existing until they are read."""
    return "://" in source or Path(source).exists() or any(iglob(source, recursive=True))  # noqa: PTH207
