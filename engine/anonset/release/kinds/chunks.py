"""Disassociated publications: clusters of records, the chunks and terms of each cluster, and chunks that clusters
share.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np

from anonset.algorithms.base import Algorithm, Result
from anonset.data import Table
from anonset.data.storage.store import MEMORY, Store
from anonset.errors import Fix, InputError
from anonset.generalization import Disassociated
from anonset.generalization.chunk_cutting import disassociate
from anonset.measures.retention import of_chunks
from anonset.privacy import PrivacyModel, Witness
from anonset.publications import Chunks, Records, Symbol
from anonset.reading.publications.chunks import read_chunks, require_plain
from anonset.release.documents import ChunkFiles
from anonset.release.formats import Hierarchies, Layout, PublicationKind, UnverifiedPublication, require_few_parts
from anonset.release.kinds.formulas import item_warnings
from anonset.release.scan.disclosure_scan import Scanner
from anonset.release.scan.findings import ScanResult
from anonset.release.statements import digests
from anonset.settings.publication import CheckSettings
from anonset.verification.chunk_truth import check_chunks_true
from anonset.writing.codebook import write_records
from anonset.writing.publications.chunks import chunks_to_arrow, write_chunks


class ChunksKind(PublicationKind[Chunks]):
    """Publication in the tables ``clusters``, ``chunks``, ``shared`` and optionally ``counts``. The private directory
    contains the cluster of each record.
    """

    no_stream = "chunks are three tables, not a single stream; use to_arrow(): .clusters, .chunks, …"
    several_tables = True

    def require_publishable(self, table: Table, hierarchies: Hierarchies, algorithm: Algorithm, layout: Layout) -> None:
        """Reject layouts that would link the parts of a record, and labels that the format does not support."""
        if layout.order != "sorted":
            msg = "chunks are published in the order of their content; input order would link the parts of records"
            raise InputError(msg)
        if layout.format not in ("csv", "parquet", None):
            raise InputError(f"a disassociated publication must have the format csv or parquet, got {layout.format!r}")
        sets = table.transactions
        require_few_parts(table.n if sets is None else table.n + len(sets.codes), layout)
        if more := [column.name for column in (*table.relational, *table.kept)]:
            problem = "a disassociated publication contains no records, so it cannot contain this column"
            raise InputError(f"column {more[0]!r}: {problem}", fixes=[Fix({"drop": more})])
        if table.joined:
            names = ", ".join(map(repr, table.joined))
            msg = f"a disassociated publication contains a single set-valued column, got {names}; drop the others"
            raise InputError(msg)
        if sets is not None:
            labels, occurring = sets.vocabulary.labels, np.flatnonzero(sets.occurrences)
            require_plain(labels[item] for item in occurring.tolist())

    def apply(self, table: Table, hierarchies: Hierarchies, result: Result, layout: Layout) -> Chunks:
        """Split the records into chunks."""
        if not isinstance(result.recoding, Disassociated):
            msg = f"an algorithm of model disassociation must return chunks, got {type(result.recoding).__name__}"
            raise InputError(msg)
        return disassociate(table, result.recoding)

    to_arrow = staticmethod(chunks_to_arrow)

    def write(self, unverified: UnverifiedPublication[Chunks], folder: Path, layout: Layout) -> ChunkFiles:
        """Write the tables."""
        publication, form = unverified.publication, layout.format or "csv"
        parts = write_chunks(publication, folder, form, layout.part_rows)
        end = f".{form}" if parts is None else ""
        return ChunkFiles(
            clusters=f"clusters{end}",
            chunks=f"chunks{end}",
            shared=f"shared{end}",
            counts=None if publication.totals is None else f"counts{end}",
            format=form,  # type: ignore[arg-type]
            items=[publication.name],
            sha256=digests(folder, unverified.table.store.workers),
            parts=parts,
        )

    def write_private(self, unverified: UnverifiedPublication[Chunks], folder: Path) -> None:
        """Write the input records, cluster by cluster."""
        publication = unverified.publication
        if publication.record is not None:
            write_records(Records(None, (), (), (), publication.record, publication.cluster), folder)

    def read(
        self,
        folder: Path,
        files: ChunkFiles,
        store: Store = MEMORY,
        meant: Chunks | None = None,
        book: Iterable[Symbol] | None = None,
    ) -> Chunks:
        """Read the tables."""
        return read_chunks(folder, files.items[0], files.files_by_table, store)

    def read_foreign(self, published: Path, settings: CheckSettings, model: PrivacyModel) -> Chunks:
        """Read the tables."""
        return read_chunks(published, settings.items[0] if settings.items else "items")

    def find_contradiction(
        self, table: Table, publication: Chunks, hierarchies: Hierarchies, model: PrivacyModel
    ) -> Witness | None:
        """Compare every chunk and term with the records of its clusters."""
        return check_chunks_true(table, publication)

    def sizes(self, unverified: UnverifiedPublication[Chunks]) -> dict[str, int]:
        """Return the number of published items, clusters and shared chunks, and the cluster sizes."""
        publication = unverified.publication
        clusters, shared = publication.columns
        n = clusters.n
        bounds = {"smallest_cluster": int(n.min()), "largest_cluster": int(n.max())} if len(n) else {}
        sizes = {"published_items": len(publication.vocabulary), "clusters": len(n)}
        return {**sizes, **bounds, "shared_chunks": len(shared)}

    def retention(self, table: Table, result: Result, publication: Chunks) -> Mapping[str, Mapping[str, int]]:
        """Return the number of item occurrences that are in chunks, published as terms, and suppressed."""
        return {} if table.transactions is None else {"items": of_chunks(table.transactions, publication)}

    def measures(
        self, table: Table, hierarchies: Hierarchies, algorithm: Algorithm, result: Result, publication: Chunks
    ) -> Mapping[str, float]:
        """Return the share of item occurrences that are not in chunks."""
        total = 0 if table.transactions is None else len(table.transactions.codes)
        return {"not_in_chunks": publication.share_outside(total)}

    def why_worthless(self, model: PrivacyModel, table: Table, publication: Chunks) -> str:
        """Return why a publication is worthless: the records contain items, but the chunks contain none. Return an
        empty text if the publication is useful.
        """
        items = table.transactions
        if items is None or not len(items.codes) or publication.shared:
            return ""
        return "" if len(publication.columns[0].rows) else "no chunk contains an item"

    def scan(self, publication: Chunks, scanner: Scanner) -> ScanResult:
        """Scan the items."""
        findings = tuple(scanner.items.shown((publication.name,), publication.vocabulary.labels))
        sets, threshold = scanner.table.transactions, scanner.few
        if sets is None:
            return ScanResult(findings)
        shown, counts = set(publication.vocabulary.labels), sets.occurrences
        codes = np.flatnonzero((counts > 0) & (counts < threshold)).tolist()
        rare = sum(sets.vocabulary.labels[code] in shown for code in codes)
        return ScanResult(findings, {publication.name: rare} if rare else {})

    def formula_warnings(self, publication: Chunks) -> tuple[str, ...]:
        """Return warnings about the items."""
        return item_warnings(publication.vocabulary.labels)
