"""The original of disassociated publications."""

from collections.abc import Mapping

from anonset.data import Hierarchy, Table
from anonset.data.store import MEMORY, Store
from anonset.errors import InputError, datum
from anonset.jobs.original.base import OTHER, items_of_original, read_original, require_possible
from anonset.jobs.reading import read_data
from anonset.measures.terms import in_chunks, in_terms
from anonset.publications import Chunks
from anonset.reading.source import Source
from anonset.release.documents import Attestation
from anonset.settings.publication import OriginalSettings


@read_original.register
def _read(
    publication: Chunks,
    source: Source,
    settings: OriginalSettings,
    attested: Attestation | None,
    store: Store = MEMORY,
) -> Table:
    items = items_of_original((publication.name,), settings, source, nameless=False)
    roles = {"drop": settings.drop, "items": items}
    return read_data(source, {**roles, **settings.reading_options()}, store=store)


@require_possible.register
def _require_possible(publication: Chunks, original: Table, hierarchies: Mapping[str, Hierarchy]) -> None:
    column = original.transactions
    often = {} if column is None else dict(zip(column.vocabulary.labels, column.occurrences.tolist(), strict=True))
    totals, labels = dict(publication.totals or ()), publication.vocabulary.labels
    for item, counts in enumerate(zip(in_chunks(publication), in_terms(publication), strict=True)):
        occurring, shown = often.get(labels[item], 0), sum(counts)
        unknown = counts[1] > 0 and item not in totals
        if shown > occurring or (shown < occurring and not unknown):
            counted = f"{occurring} records of the original contain the item, but {shown} are published"
            msg = f"item {datum(labels[item])}: {counted}, {OTHER}"
            raise InputError(msg)
