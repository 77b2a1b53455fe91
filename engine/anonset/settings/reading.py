"""How a file is read: the settings that every command shares which reads data."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from anonset.settings.readers import Names


class ReadingSettings(BaseModel):
    """How a file is read, whatever its columns are."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    separator: str | None = Field(None, description="Separates the items within a field; default: blanks.")
    delimiter: str | None = Field(
        None, description="Separates the fields of a line, such as ';' or tab; default: recognised."
    )
    encoding: str | None = Field(
        None, description="Encoding of a text, such as latin-1; default: UTF-8, or by its mark."
    )
    no_header: bool = Field(
        False, description="A CSV or TSV file without a line of names: its columns are called 1, 2, ..."
    )
    header_line: int = Field(1, ge=1, description="Line of the names in a CSV or TSV file, below a title, from 1 on.")
    decimal: Literal[",", "."] | None = Field(
        None, description="Decimal sign of --numeric columns; default: recognised by the first lines."
    )
    null: Names = Field([], description="Texts that say that there is no value, such as k.A.,NULL: they become null.")
    input_format: str | None = Field(
        None, description="csv, tsv, fimi, baskets, spmf or parquet, whatever the name of the file."
    )
    one_hot: Names = Field([], description="Columns of 0 and 1, one an item, or a prefix such as dx_*: the set items.")
    one_code: Names = Field([], description="Columns that hold one code each, or a prefix: the set items.")
    normalize: Names = Field(
        [],
        description="What is done to items, one after the other: upper, lower, strip-dots, strip-hyphens, "
        "strip-blanks, strip-zeros, nfc; COL=upper: to the values of a column.",
    )
    unknown: Literal["error", "suppress", "prefix"] = Field(
        "error", description="Codes that the hierarchy does not know; prefix: the longest one that is a node."
    )
    inner_items: Literal["error", "leaf"] = Field(
        "error", description="Codes that are inner nodes; leaf: each gets a leaf below its node."
    )
    missing: str = Field("refuse", description="What null becomes: refuse, empty, value or empty,value.")
    group: bool = Field(False, description="Unite the rows of the same --id into one record; a field is one item then.")

    def reading_options(self) -> dict[str, Any]:
        """Return the arguments of `anonset.io.read.read` but the roles of columns."""
        return self.model_dump(include=set(ReadingSettings.model_fields))
