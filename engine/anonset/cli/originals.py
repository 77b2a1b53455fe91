"""The original of a publication, as commands that compare both read it."""

from os import PathLike
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from anonset.data import Table
from anonset.data.table import Int64
from anonset.errors import InputError

MemoryLimit = Annotated[
    str | None, Parameter(help="Maximum memory, such as 8G; larger data are read in blocks. Default: all that is free.")
]
WorkDir = Annotated[
    str | None, Parameter(help="New or empty directory for blocks; emptied afterwards. Default: a temporary one.")
]


def original_and_persons(
    out: str, original: str, given: dict[str, Any], work_dir: PathLike[str] | None = None
) -> tuple[Table, Int64 | None]:
    """Read the original of a publication, and whose each of its records is, where records are not the persons.

    The columns that are named as ids then tell whose a record is: they were not published.

    Raises
    ------
    InputError
        As for `original_of`.
    """
    from anonset.jobs.original import persons_of_original
    from anonset.release.attested import read_attestation
    from anonset.release.documents import BucketFiles
    from anonset.settings.settings import validate
    from anonset.settings.verify import CheckSettings

    attested = read_attestation(Path(out))
    ids = list(given.get("id", []))
    behind = attested is not None and not isinstance(attested.data, BucketFiles)
    if attested is None or not behind or attested.declarations.unit == "person" or given.get("group"):
        return original_of(out, original, given, work_dir), None
    dropped = [*given.get("drop", []), *(name for name in ids if name not in given.get("drop", []))]
    table = original_of(out, original, {**given, "id": [], "drop": dropped}, work_dir)
    settings = validate(CheckSettings, {**given, "drop": dropped, "original": original})
    return table, persons_of_original(settings, attested, table)


def original_of(out: str, original: str, given: dict[str, Any], work_dir: PathLike[str] | None = None) -> Table:
    """Read the original of a publication with the roles that its columns had, below a directory if one is given.

    Raises
    ------
    InputError
        If `out` is no publication, or the original cannot be read.
    """
    from anonset.jobs.evaluate import read_publication
    from anonset.jobs.original import read_original, read_original_of_buckets
    from anonset.release.attested import read_attestation
    from anonset.release.documents import BucketFiles
    from anonset.settings.settings import validate
    from anonset.settings.verify import CheckSettings

    attested = read_attestation(Path(out))
    if attested is None:
        msg = f"{out!r} must be a directory made by anonset anonymize, with its attestation.json"
        raise InputError(msg)
    settings = validate(CheckSettings, {**given, "original": original}).model_copy(update={"work_dir": work_dir})
    if isinstance(attested.data, BucketFiles):
        return read_original_of_buckets(attested.data, settings)
    return read_original(read_publication(Path(out), attested), settings, attested)
