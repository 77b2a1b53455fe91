"""Settings of the commands on a publication: `anonset verify`, `risk` and `report`."""

from functools import cache
from typing import cast

from pydantic import Field

from anonset.attacks.registry import ATTACKS
from anonset.columns.missing import words_for_no_item
from anonset.data import SetColumn
from anonset.reading.options import ReadKeywords
from anonset.reading.sources.place import may_have_data
from anonset.reading.sources.source import Source
from anonset.settings.job import Job
from anonset.settings.parameters import MODELS, collect
from anonset.settings.readers import Names, NumberText
from anonset.settings.settings import MAX_WORK, ComparedSettings, ReadingSettings, with_parameters

THRESHOLD = 0.09
"""Risk above which a record counts as at risk (European Medicines Agency, 2014). Records in an equivalence class of 11
or fewer records are at risk.
"""
_OF_JOB = ("private", "memory_limit")
_ORIGINAL_SETTINGS = ("drop", "numeric", "hierarchy", "max_suppressed", *ReadingSettings.model_fields)
"""Settings of a job that describe how to read its input as the original. The column roles and the guarantee of the
publication are read from its attestation.
"""


class OriginalSettings(ComparedSettings):
    """Original of a publication, and settings for comparing both."""

    original: str | None = Field(
        None, description="Original data. They are needed for the risk before anonymization and for simulated attacks."
    )
    items: Names = Field(
        [],
        description="Column of the original that contains the items. Only needed if the publication is a FIMI file, "
        "which has no column names.",
    )
    drop: Names = Field([], description="Columns of the original that were not published.")
    numeric: Names = Field(
        [], description="Columns of the original that are read as numbers. Only needed if no range is published."
    )
    hierarchy: dict[str, str] = Field(
        {}, description="COL=SPEC: hierarchy of a column, as for anonset anonymize. Repeatable."
    )

    def original_source(self) -> Source | None:
        """Resolve the original, if given.

        Raises
        ------
        InputError
            If it does not exist.
        """
        return None if self.original is None else self.source(self.original)

    @classmethod
    def of_job(cls, job: Job, flags: Job) -> Job:
        """Return the settings of a job for reading its input as the original. The original is omitted if its file does
        not exist.
        """
        original, names = flags.get("original", job.get("input")), {*_OF_JOB}
        if isinstance(original, str) and may_have_data(original):
            job, names = job.with_(original=original), {*names, *_ORIGINAL_SETTINGS, "original"}
            if job.get("format") == "dat":  # has no column names
                names.add("items")
            if may_have_data(str(job.get("after", ""))):
                names |= {"after"} & cls.model_fields.keys()
        return super().of_job(job.only(names), flags)


class ReportSettings(OriginalSettings):
    """Settings of `anonset report`. The texts are statements of the owner, which the report prints unchanged."""

    title: str = Field("Report on a publication", description="Title of the report.")
    owner: str = Field("", title="Owner", description="Who is responsible for the data?")
    purpose: str = Field("", title="Purpose", description="What is the purpose of the data?")
    recipient: str = Field("", title="Recipient", description="Who receives the data?")
    legal_basis: str = Field("", title="Legal basis", description="What is the legal basis of the release?")
    retention: str = Field("", title="Retention", description="How long may recipients keep the data?")
    access: str = Field(
        "",
        title="Release to the public or under contract",
        description="Is the release public, or under a contract (which one)?",
    )

    confirmation: str = Field(
        "",
        title="Confirmation of the declared person",
        description="How was it confirmed who is a person in the data?",
    )
    date: str = Field("", title="Date", description="When is the release made?")
    not_published: str = Field(
        "", title="Columns not published", description="Which columns, or how many, are not published?"
    )
    left_out: str = Field(
        "",
        title="Share of rows or persons left out",
        description="Which share of the rows or persons was left out?",
    )
    other_releases: str = Field(
        "",
        title="Other releases of these persons",
        description="Which other releases of these persons exist?",
    )

    def states_none(self, name: str) -> bool:
        """Return True if the owner states that there is none.

        >>> ReportSettings(left_out="0 %").states_none("left_out")
        True
        >>> ReportSettings(other_releases="one in 2019").states_none("other_releases")
        False
        """
        stated = getattr(self, name).rstrip(".% ").strip().casefold()
        return stated == "0" or bool(words_for_no_item([stated]))

    def statements(self, *, is_shareable: bool) -> dict[str, str]:
        """Return the statements of the owner about the release, by name. They are empty if they are not given.

        Facts that only the internal report shows are statements of a shareable one.
        """
        fields = type(self).model_fields
        names = [name for name in STATEMENTS if is_shareable or name not in NOT_SHOWN or getattr(self, name)]
        return {str(fields[name].title): getattr(self, name) for name in names}


STATEMENTS = {name: str(field.description) for name, field in ReportSettings.model_fields.items() if field.title}
"""Questions that the statements of the owner answer, by setting."""
NEEDED = ("purpose", "recipient", "legal_basis")
"""Statements without which nobody can judge a release."""
NOT_SHOWN = ("not_published", "left_out", "other_releases")
"""Statements about facts that only the internal report shows."""


class RiskSettings(OriginalSettings):
    """Settings of `anonset risk`."""

    population: str | None = Field(
        None, description="File with the quasi-identifiers of all persons in the population from which the data come."
    )
    m: int | None = Field(
        None,
        ge=0,
        description="Number of items that an attacker knows. Attackers who know 1 or 2 more items are also examined. "
        "Default: m of the guarantee.",
    )
    threshold: float = Field(
        THRESHOLD, ge=0, le=1, description=f"Risk above which a person counts as at risk. Default: {THRESHOLD}."
    )
    sensitive: Names | None = Field(
        None, description="Kept columns whose values the attack tries to infer. Default: all kept columns."
    )
    attempts: int = Field(
        1000, ge=0, description="Number of random persons that the attack tries to find. Default: 1000."
    )
    attack: Names = Field(
        [],
        description=f"Further attacks to simulate: all, or some of {', '.join(ATTACKS)}. "
        "Each attack is compared with a control.",
    )
    beside: str | None = Field(
        None,
        description="Directory of another release of the same persons, which the composition attack "
        "combines with this one.",
    )
    seed: int = Field(0, ge=0, description="Random seed.")


class CheckSettings(OriginalSettings):
    """Settings of a check. `check_settings_model` adds the parameters of the models.

    Reading options apply to the original, and to a publication of another program.
    """

    model: str | None = Field(
        None, description=f"Privacy model to check, one of {', '.join(MODELS)}. Default: the model in the attestation."
    )
    items: Names = Field(
        [],
        description="Column that contains sets of items. Several columns are joined into one. If the "
        "publication is a FIMI file: column of the original.",
    )
    relational: Names = Field([], description="Generalized columns, such as age,zip.")
    id: Names = Field([], description="Columns of qit.csv that identify the person.")
    keep: Names = Field([], description="Columns that are published unchanged.")
    codebook: str | None = Field(
        None, description="Codebook file, such as codebook.csv. Only for publications of other programs."
    )
    max_work: float | None = MAX_WORK
    original: str | None = Field(
        None, description="Original data. The check then also compares the publication with the original."
    )
    records: str | None = Field(
        None,
        description="File with the original record number of each published row, or a folder of such files. Default: "
        "the file in the private directory.",
    )
    hierarchy: dict[str, str] = Field(
        {},
        description="COL=SPEC: hierarchy of a column. The hierarchy of the items must match the codebook. Hierarchies "
        "of relational columns require --original. Repeatable.",
    )
    after: str | None = Field(
        None,
        description="Private directory of the earlier release with which the publication has a joint guarantee. The "
        "check then includes this guarantee. Requires the private directory and the unchanged input of both releases.",
    )
    utility_constraints: str | None = Field(
        None,
        description="File with one item group per line. The check requires that all items of a symbol are in the same "
        "group. Requires --original.",
    )
    max_suppressed: NumberText | None = Field(
        None, description="Maximum share of suppressed items, from 0 to 1. Requires --original."
    )

    def model_parameters(self) -> Job:
        """Return the given parameters of the privacy model."""
        return Job(self.model_dump(exclude=set(CheckSettings.model_fields), exclude_none=True))

    def foreign_reading(self) -> ReadKeywords:
        """Return reading options for a publication of another program. Its rows are already persons, and its nulls are
        already replaced.
        """
        missing = "value" if self.file.missing == "value" else "refuse"
        return cast("ReadKeywords", {**self.reading_options(), "missing": missing, "unit": []})

    def names_tree_of(self, items: SetColumn | None, joined: tuple[str, ...]) -> bool:
        """Return True if a hierarchy is given for a set-valued column, or for one of the columns joined in it."""
        return items is not None and not {items.name, *joined}.isdisjoint(self.hierarchy)


@cache
def check_settings_model() -> type[CheckSettings]:
    """Return the settings with a field for every parameter of a privacy model."""
    return with_parameters(CheckSettings, collect({name: entry.model for name, entry in MODELS.items()}))
