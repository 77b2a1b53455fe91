"""Publications of buckets: two tables with identities and with sensitive values. Rows are linked only by groups."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from anonset.algorithms.base import Algorithm, Result
from anonset.data import Table
from anonset.data.storage.store import MEMORY, Store
from anonset.errors import InputError
from anonset.generalization import Bucketized
from anonset.generalization.bucketizing import bucketize
from anonset.measures.retention import of_tuples
from anonset.privacy import PrivacyModel, SafetyConstraint, Witness
from anonset.publications import Buckets, Records, Symbol
from anonset.reading.publications.buckets import read_buckets
from anonset.release.documents import BucketFiles
from anonset.release.formats import (
    Hierarchies,
    Layout,
    PublicationKind,
    UnverifiedPublication,
    require_few_parts,
    sizes_of_parts,
)
from anonset.release.kinds.formulas import formula_warnings
from anonset.release.losses import distinct_values
from anonset.release.scan.disclosure_scan import Scanner
from anonset.release.scan.findings import ScanResult
from anonset.release.statements import digests
from anonset.settings.publication import CheckSettings
from anonset.verification.bucket_truth import check_buckets_truthful, check_undivided
from anonset.writing.codebook import write_records
from anonset.writing.publications.buckets import buckets_to_arrow, write_buckets

_SEVERAL = 2


class BucketsKind(PublicationKind[Buckets]):
    """Publication in the files ``qit.csv`` and ``snt.csv``. The private directory contains the records."""

    no_stream = "buckets are two tables, not a single stream; use to_arrow(): .qit and .snt"
    several_tables = True

    def require_publishable(self, table: Table, hierarchies: Hierarchies, algorithm: Algorithm, layout: Layout) -> None:
        """Reject row orders other than ``sorted``, and formats other than CSV."""
        if layout.order != "sorted":
            msg = "buckets are published in the order of their content; input order would link rows to values"
            raise InputError(msg)
        if layout.format not in ("csv", None):
            raise InputError(f"buckets are published as csv (qit.csv and snt.csv), got format {layout.format!r}")
        require_few_parts(table.n, layout)

    def apply(self, table: Table, hierarchies: Hierarchies, result: Result, layout: Layout) -> Buckets:
        """Apply a grouping."""
        return bucketize(table, _grouping(result))

    to_arrow = staticmethod(buckets_to_arrow)

    def write(self, unverified: UnverifiedPublication[Buckets], folder: Path, layout: Layout) -> BucketFiles:
        """Write both tables."""
        publication = unverified.publication
        qit, snt = write_buckets(publication, folder, part_rows=layout.part_rows)
        return BucketFiles(
            qit=qit.name,
            snt=snt.name,
            id=[column.name for column in publication.ids],
            keep=[column.name for column in publication.kept],
            sensitive=publication.snt_value.name,
            sha256=digests(folder, unverified.table.store.workers),
            parts=None if layout.part_rows is None else len(list(qit.iterdir())),
        )

    def write_private(self, unverified: UnverifiedPublication[Buckets], folder: Path) -> None:
        """Write the input record and the group of each row of the QIT."""
        publication = unverified.publication
        rows = Records(None, (), (), (), publication.record, publication.group.codes)
        write_records(rows, folder)

    def read(
        self,
        folder: Path,
        files: BucketFiles,
        store: Store = MEMORY,
        meant: Buckets | None = None,
        book: Iterable[Symbol] | None = None,
    ) -> Buckets:
        """Read both tables. Columns with labels on disk are compared with the expected columns during reading."""
        place = store.nested()
        columns = () if meant is None else (*meant.ids, *meant.kept)
        filed = [column for column in columns if column.vocabulary.filed is not None]
        return read_buckets(
            folder, id=files.id, keep=files.keep, store=place, files=files.files_by_table, expected=tuple(filed)
        )

    def read_foreign(self, published: Path, settings: CheckSettings, model: PrivacyModel) -> Buckets:
        """Read both tables."""
        return read_buckets(published, id=settings.id, keep=settings.keep, reading=settings.foreign_reading())

    def stated(self, publication: Buckets, files: BucketFiles) -> dict[str, tuple[Any, Any]]:
        """Return the name of the sensitive column."""
        return {"data.sensitive": (files.sensitive, publication.snt_value.name)}

    def find_contradiction(
        self, table: Table, publication: Buckets, hierarchies: Hierarchies, model: PrivacyModel
    ) -> Witness | None:
        """Compare every row and group with the original. With safe grouping, each person may be in one group only."""
        witness = check_buckets_truthful(table, publication)
        if witness is None and isinstance(model, SafetyConstraint):
            return check_undivided(table, publication)
        return witness

    def sizes(self, unverified: UnverifiedPublication[Buckets]) -> dict[str, int]:
        """Return the number of groups and the number of hidden identities."""
        publication = unverified.publication
        sizes = {"groups": publication.n_groups, "starred": int(publication.starred.sum())}
        return {**sizes_of_parts(unverified.result), **sizes}

    def retention(self, table: Table, result: Result, publication: Buckets) -> Mapping[str, Mapping[str, int]]:
        """Return the number of unchanged tuples, tuples with a hidden identity, and removed tuples."""
        return {"tuples": of_tuples(_grouping(result))}

    def measures(
        self, table: Table, hierarchies: Hierarchies, algorithm: Algorithm, result: Result, publication: Buckets
    ) -> Mapping[str, float]:
        """Return three shares of the tuples: those with a hidden identity, those that are removed, and those with a
        value that is too frequent in the group.
        """
        counts, n = result.figures, max(1, table.n)
        lost = {"removed_for_diversity": "removed_for_diversity", "diversity_loss": "too_frequent"}
        shares = {name: counts[counted] / n for name, counted in lost.items() if counted in counts}
        return {"grouping_loss": publication.share_lost(table.n), **shares}

    def why_worthless(self, model: PrivacyModel, table: Table, publication: Buckets) -> str:
        """Return why a publication is worthless: all tuples are removed, all are in one group, or all identities are
        hidden. Return an empty text if the publication is useful.
        """
        if table.sensitive is None or distinct_values(table.sensitive) < _SEVERAL:
            return ""
        if not publication.n:
            return "every tuple is removed"
        if publication.starred.all():
            return "every identity is hidden"
        return "all tuples are in one group" if publication.n_groups == 1 else ""

    def scan(self, publication: Buckets, scanner: Scanner) -> ScanResult:
        """Scan kept and sensitive values with patterns."""
        with scanner.table.store.nested() as scratch:
            findings = scanner.kept(publication.kept, (), scratch, publication.ids)
        findings += scanner.patterns((publication.snt_value,), set())
        original = [column for column in (*scanner.table.kept, scanner.table.sensitive) if column is not None]
        return ScanResult(tuple(findings), scanner.promised(original))

    def formula_warnings(self, publication: Buckets) -> tuple[str, ...]:
        """Return warnings about the labels of both tables."""
        return formula_warnings([*publication.qit, publication.snt_value])


def _grouping(result: Result) -> Bucketized:
    if not isinstance(result.recoding, Bucketized):
        raise InputError(f"a bucketizing algorithm must return buckets, got {type(result.recoding).__name__}")
    return result.recoding
