"""The original of a publication, as commands that compare both read it."""

from typing import TYPE_CHECKING

from anonset.data import Table
from anonset.data.store import MEMORY, Store
from anonset.data.table import Int64
from anonset.settings.publication import OriginalSettings

if TYPE_CHECKING:
    from anonset.io.source import Source
    from anonset.release.opened import Opened


def original_and_persons(
    opened: "Opened", source: "Source | None", settings: OriginalSettings, store: Store = MEMORY
) -> tuple[Table | None, Int64 | None]:
    """Read the original of a publication, if it is given, and whose each of its records is, where those are no persons.

    The columns that are named as ids then tell whose a record is: they were not published.

    Raises
    ------
    InputError
        If the original cannot be read.
    """
    from anonset.jobs.original import persons_of_original, read_original, read_original_of_buckets
    from anonset.release.documents import BucketFiles

    if source is None:
        return None, None
    if isinstance(data := opened.attested.data, BucketFiles):
        return read_original_of_buckets(source, data, settings, store), None
    if opened.attested.declarations.unit == "person" or settings.group:
        return read_original(source, opened.publication, settings, opened.attested, store), None
    settings = settings.model_copy(update={"drop": list(dict.fromkeys([*settings.drop, *settings.id]))})
    of_rows = settings.model_copy(update={"id": []})
    table = read_original(source, opened.publication, of_rows, opened.attested, store)
    return table, persons_of_original(source, settings, opened.attested, table)
