"""The original of a publication, as commands that compare both read it."""

from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from anonset.data import Table
from anonset.data.store import MEMORY, Store
from anonset.data.table import Int64
from anonset.settings.settings import validate
from anonset.settings.verify import CheckSettings

if TYPE_CHECKING:
    from anonset.release.opened import Opened

MemoryLimit = Annotated[
    str | None, Parameter(help="Maximum memory, such as 8G; larger data are read in blocks. Default: all that is free.")
]
WorkDir = Annotated[
    str | None, Parameter(help="New or empty directory for blocks; emptied afterwards. Default: a temporary one.")
]


def original_and_persons(
    opened: "Opened", original: str, given: dict[str, Any], store: Store = MEMORY
) -> tuple[Table, Int64 | None]:
    """Read the original of a publication, and whose each of its records is, where records are not the persons.

    The columns that are named as ids then tell whose a record is: they were not published.

    Raises
    ------
    InputError
        If the original cannot be read.
    """
    from anonset.jobs.original import persons_of_original

    ids = list(given.get("id", []))
    if opened.has_buckets or opened.attested.declarations.unit == "person" or given.get("group"):
        return original_of(opened, original, given, store), None
    dropped = [*given.get("drop", []), *(name for name in ids if name not in given.get("drop", []))]
    table = original_of(opened, original, {**given, "id": [], "drop": dropped}, store)
    settings = validate(CheckSettings, {**given, "drop": dropped, "original": original})
    return table, persons_of_original(settings, opened.attested, table)


def original_of(opened: "Opened", original: str, given: dict[str, Any], store: Store = MEMORY) -> Table:
    """Read the original of a publication with the roles that its columns had, as `read_original` does.

    Raises
    ------
    InputError
        If the original cannot be read.
    """
    from anonset.jobs.original import read_original, read_original_of_buckets
    from anonset.release.documents import BucketFiles

    settings = validate(CheckSettings, {**given, "original": original})
    data = opened.attested.data
    if isinstance(data, BucketFiles):
        return read_original_of_buckets(data, settings, store)
    return read_original(opened.publication, settings, opened.attested, store)
