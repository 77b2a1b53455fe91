"""Reading and comparison of a publication's original, by kind of publication."""

from collections.abc import Mapping
from functools import singledispatch

import numpy as np

from anonset.data import CategoricalColumn, Hierarchy, Table
from anonset.data.store import MEMORY, Store
from anonset.data.table import Int64
from anonset.publications import Published
from anonset.publications.base import unknown_kind
from anonset.reading.batches import FileProperties, open_source
from anonset.reading.dialect import Dialect
from anonset.reading.source import Source
from anonset.release.documents import Attestation
from anonset.settings.publication import OriginalSettings

OTHER = "so the publication was not made from this original"
"""End of messages that reject an original."""


@singledispatch
def read_original(
    publication: Published,
    source: Source,
    settings: OriginalSettings,
    attested: Attestation | None,
    store: Store = MEMORY,
) -> Table:
    """Read the original of a publication. Its arrays are stored in `store`, which may be on disk.

    The publication supplies what the settings omit: column names, numeric columns, and the attested item separator. A
    FIMI publication has no column names. It is compared with the only column of the original that has no other role.

    Raises
    ------
    InputError
        If the original cannot be read, or lacks the columns of the publication.
    """
    raise unknown_kind(publication)


@singledispatch
def require_possible(publication: Published, original: Table, hierarchies: Mapping[str, Hierarchy]) -> None:
    """Reject an original that cannot be the original of the publication. Used without a private directory. The rows of
    the publication are in another order, so frequencies are compared.

    Raises
    ------
    InputError
        The message names the first difference.
    """
    raise unknown_kind(publication)


def recoded(column: CategoricalColumn, before: CategoricalColumn) -> Int64:
    """Return published labels as codes of the original column, int64 (n,). -1 for unknown labels."""
    index = before.vocabulary.index
    image = np.array([index.get(label, -1) for label in column.vocabulary.labels], np.int64)
    return image[column.codes] if column.n else np.zeros(0, np.int64)


def has_one_column(source: Source) -> bool:
    """Return True if the format of the original has no column names, so that all its content is items."""
    return source.format in ("dat", "baskets", "spmf")


def items_of_original(
    published: tuple[str, ...], settings: OriginalSettings, source: Source, *, nameless: bool
) -> list[str] | None:
    """Return the published set-valued columns of the original. None if the original has no named set-valued column."""
    if not published or settings.file.one_hot or settings.file.one_code or has_one_column(source):
        return None
    if not nameless:
        return list(published)
    others = {*settings.file.person, *settings.drop}
    dialect = Dialect.of(settings.file.delimiter, settings.file.encoding, settings.file.no_header)
    opened = open_source(source, FileProperties(dialect=dialect, absent=lambda names: others - set(names)))
    free = [name for name in opened.names if name not in others]
    return settings.items or (free if len(free) == 1 else list(published))
