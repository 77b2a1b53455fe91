"""The original of a publication: how it is read and compared, by the kind of the publication."""

from collections.abc import Mapping
from functools import singledispatch

import numpy as np

from anonset.data import CategoricalColumn, Hierarchy, Table
from anonset.data.store import MEMORY, Store
from anonset.data.table import Int64
from anonset.publications import Published
from anonset.publications.base import unknown_kind
from anonset.reading.batches import Reading, open_source
from anonset.reading.dialect import Dialect
from anonset.reading.source import Source
from anonset.release.documents import Attestation
from anonset.settings.publication import OriginalSettings

OTHER = "so it is not of the data that were published"
"""End of the messages that refuse an original."""


@singledispatch
def read_original(
    publication: Published,
    source: Source,
    settings: OriginalSettings,
    attested: Attestation | None,
    store: Store = MEMORY,
) -> Table:
    """Read the original of a publication, into files below a store that is in files.

    What the settings do not say of it is taken from the publication: the names of the columns, which of them hold
    numbers, and, as attested, what separates the items within a field. A publication in FIMI names no column: the
    original's is then its only one without another role.

    Raises
    ------
    InputError
        If the original cannot be read, or has not the columns of the publication.
    """
    raise unknown_kind(publication)


@singledispatch
def require_possible(publication: Published, original: Table, hierarchies: Mapping[str, Hierarchy]) -> None:
    """Refuse an original that a publication cannot have been made from, where nothing private tells.

    Rows stand in another order than those of the original: what is compared is how often they occur.

    Raises
    ------
    InputError
        With the first difference.
    """
    raise unknown_kind(publication)


def recoded(column: CategoricalColumn, before: CategoricalColumn) -> Int64:
    """Return int64 (n,): published labels as codes of the original column, -1 for others."""
    index = before.vocabulary.index
    image = np.array([index.get(label, -1) for label in column.vocabulary.labels], np.int64)
    return image[column.codes] if column.n else np.zeros(0, np.int64)


def has_one_column(source: Source) -> bool:
    """Tell whether the original is of a format that names no column: all of it are items."""
    return source.format in ("dat", "baskets", "spmf")


def items_of_original(
    published: tuple[str, ...], settings: OriginalSettings, source: Source, *, nameless: bool
) -> list[str] | None:
    """Return the set-valued columns of the original, of which these are published; None where it names none."""
    if not published or settings.file.one_hot or settings.file.one_code or has_one_column(source):
        return None
    if not nameless:
        return list(published)
    others = {*settings.id, *settings.drop}
    dialect = Dialect.of(settings.file.delimiter, settings.file.encoding, settings.file.no_header)
    opened = open_source(source, Reading(dialect=dialect, absent=lambda names: others - set(names)))
    free = [name for name in opened.names if name not in others]
    return settings.items or (free if len(free) == 1 else list(published))
