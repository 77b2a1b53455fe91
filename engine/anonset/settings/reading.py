"""How a file is read: the settings that every command shares which reads data."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from anonset.settings.readers import Names

if TYPE_CHECKING:
    from anonset.io.source import Source


class ReadingSettings(BaseModel):
    """How a file is read, whatever its columns are."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, defer_build=True)

    separator: str | None = Field(None, description="Character between the items of a field; default: blanks.")
    delimiter: str | None = Field(
        None, description="Character between the fields of a line, such as ';' or tab; default: detected."
    )
    encoding: str | None = Field(
        None, description="Text encoding, such as latin-1; default: UTF-8, or by its byte order mark."
    )
    no_header: bool = Field(False, description="The file has no header: its columns are called 1, 2, ...")
    header_line: int = Field(1, ge=1, description="Line number of the header, if a title stands above it.")
    decimal: Literal[",", "."] | None = Field(None, description="Decimal sign of --numeric columns; default: detected.")
    null: Names = Field([], description='Texts that mean "no value", such as k.A.,NULL.')
    input_format: str | None = Field(
        None, description="csv, tsv, fimi, baskets, spmf or parquet; default: by the file name."
    )
    one_hot: Names = Field([], description="0/1 columns, one column per item.")
    one_code: Names = Field(
        [], description="Columns of one code each, which together are the items; dx* names all that begin so."
    )
    normalize: Names = Field(
        [],
        description="Clean up items in this order: upper, lower, strip-dots, strip-hyphens, strip-blanks, strip-zeros, "
        "nfc; COL=upper cleans up a column.",
    )
    unknown: Literal["error", "suppress", "prefix"] = Field(
        "error", description="Codes that the hierarchy lacks; prefix takes the longest that it has."
    )
    inner_items: Literal["error", "leaf"] = Field(
        "error", description="Codes that are inner nodes of the hierarchy; leaf adds a leaf below each."
    )
    missing: str = Field(
        "refuse", description="How to treat null: refuse, empty (no items), value (a value of its own), or empty,value."
    )
    group: bool = Field(False, description="Combine all rows of an --id into one record; each field is then one item.")

    def source(self, named: str) -> "Source":
        """Resolve data that are read as these settings say.

        Raises
        ------
        InputError
            If there are none.
        """
        from anonset.io.source import source_of

        return source_of(named, self.input_format, no_header=self.no_header)

    def reading_options(self) -> dict[str, Any]:
        """Return the arguments of `anonset.io.read.read` but the roles of columns."""
        return self.model_dump(include=set(ReadingSettings.model_fields))

    @classmethod
    def of_job(cls, job: Mapping[str, Any], flags: Mapping[str, Any]) -> dict[str, Any]:
        """Return the settings that a command takes from a job file under its flags: by default all that it has."""
        return {name: value for name, value in job.items() if name in cls.model_fields}


class ComparedSettings(ReadingSettings):
    """A publication that is compared with its original, and where both lie: in memory, or in blocks."""

    private: str | None = Field(None, description="Private directory; default: OUT.private.")
    memory_limit: str | None = Field(
        None, description="Maximum memory, such as 8G; larger data are read in blocks. Default: all that is free."
    )
    work_dir: str | None = Field(
        None, description="New or empty directory for blocks; emptied afterwards. Default: a temporary one."
    )
