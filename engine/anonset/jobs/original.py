"""The original of a publication, read with the roles that its columns had."""

from pathlib import Path
from typing import Any

from anonset.data import Table
from anonset.generalization.buckets import BucketPublication
from anonset.release.documents import Attestation, BucketFiles
from anonset.settings.binding import numeric_columns
from anonset.settings.verify import CheckSettings


def read_original(publication: Any, settings: CheckSettings, attested: Attestation | None) -> Table:
    """Read the original that the settings name.

    What they do not say of it is taken from the publication: the names of the columns, and, as attested, what
    separates the items within a field. A publication in FIMI names no column: the original's is then its only one
    without another role.

    Raises
    ------
    InputError
        If the original cannot be read, or has not the columns of the publication.
    """
    from anonset.io.read import read

    source = Path(str(settings.original))
    buckets = isinstance(publication, BucketPublication)
    relational = [] if buckets else [column.name for column in publication.relational]
    return read(
        source,
        items=_items(publication, settings, attested, source),
        relational=relational,
        numeric=[name for name in numeric_columns(settings.hierarchy) if name in relational],
        sensitive=publication.snt_value.name if buckets else None,
        id=[column.name for column in publication.ids] if buckets else settings.id,
        keep=[column.name for column in publication.kept],
        drop=settings.drop,
        separator=settings.separator or _attested_separator(attested) or " ",
        missing=settings.missing,
        group=settings.group,
    )


def is_nameless(attested: Attestation | None) -> bool:
    """Tell whether the publication is of a format that names no column."""
    return attested is not None and not isinstance(attested.data, BucketFiles) and attested.data.format == "dat"


def _items(publication: Any, settings: CheckSettings, attested: Attestation | None, source: Path) -> list[str] | None:
    """Return the set-valued columns of the original; None where it is a FIMI file, which has one."""
    from anonset.io.sources import open_source

    if publication.transactions is None:
        return None
    opened = open_source(source)
    if opened.sets_only:
        return None
    if not is_nameless(attested):
        return list(publication.joined or (publication.transactions.name,))
    free = [name for name in opened.names if name not in {*settings.id, *settings.drop}]
    return settings.items or (free if len(free) == 1 else [publication.transactions.name])


def _attested_separator(attested: Attestation | None) -> str | None:
    """Return what separates the symbols within a field, where there is a field that holds two."""
    return None if attested is None or isinstance(attested.data, BucketFiles) else attested.data.separator
