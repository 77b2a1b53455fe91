"""Publishing: write, read back from the bytes, verify, and only then rename into place."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from anonset.algorithms.base import Progress
from anonset.data import CategoricalColumn, NumericColumn, SetColumn, Table
from anonset.errors import AnonsetError
from anonset.generalization import Publication
from anonset.privacy import Verdict
from anonset.runner.candidate import Candidate
from anonset.runner.phases import Stopwatch
from anonset.runner.run import checked
from anonset.runner.staging import Staging


@dataclass(frozen=True)
class Request:
    """Where and how to publish."""

    out: Path
    """New directory for what may be handed on."""
    private: Path | None = None
    """New directory for what must not be; None: `out` with ``.private`` after its name."""
    format: str = "csv"
    """``csv``, ``parquet`` or ``dat``."""
    separator: str = " "
    """Separates the symbols within a field."""
    accept_undecided: bool = False
    """Publish although the check could not be finished."""
    budget: int | None = None
    """Largest number of itemset occurrences to count in verifying; None: the verification's default."""
    trace: bool = False
    """Put the decisions of the search into the private report."""

    @property
    def private_folder(self) -> Path:
        """The private directory, given or by default."""
        return self.private or self.out.parent / f"{self.out.name}.private"


def publish(
    candidate: Candidate,
    request: Request,
    *,
    watch: Stopwatch,
    progress: Progress | None = None,
    context: Mapping[str, Any] | None = None,
) -> Verdict:
    """Publish a candidate, if what is read back from the written bytes satisfies its model.

    Whatever goes wrong, an interruption included, nothing is left behind.

    Parameters
    ----------
    context
        ``settings``, ``seed`` and facts about the ``input`` for the private report.

    Raises
    ------
    InputError
        If a directory exists already, or the format cannot carry the labels.
    VerificationError
        If the model does not hold, or (`UndecidedError`) the check could not be finished.
    """
    from anonset.io.files import digest
    from anonset.io.publish import write_codebook, write_mapping, write_published, write_records
    from anonset.runner.documents import attestation, report

    publication = candidate.publication
    with Staging(request.out, request.private_folder) as staging:
        with watch.phase("write"):
            data = write_published(publication, staging.folder, request.format, request.separator)
            write_codebook(publication, staging.folder / "codebook.csv")
        with watch.phase("read back"):
            written = read_back(data, publication, request.separator)
        with watch.phase("verify"):
            verdict = checked(
                written,
                candidate.algorithm,
                accept_undecided=request.accept_undecided,
                budget=request.budget,
                progress=progress,
            )
        with watch.phase("complete"):
            layout = (request.format, request.separator)
            attestation(candidate, verdict, data.name, layout, digest(data)).write(staging.folder / "attestation.json")
            write_mapping(candidate.result.recoding, staging.private / "mapping.csv", publication.symbols)
            write_records(publication, staging.private / "records.csv")
            staging.rename()
        found = report(candidate, verdict, watch.phases, context or {}, trace=request.trace)
        found.write(staging.private / "report.json")
        staging.finish()
    return verdict


def read_back(data: Path, meant: Publication, separator: str) -> Table:
    """Read written data and compare them with what was meant.

    Raises
    ------
    AnonsetError
        If they differ.
    """
    from anonset.io.publish import read_published

    written = read_published(
        data,
        items=None if meant.transactions is None else meant.transactions.name,
        relational=[column.name for column in meant.relational],
        keep=[column.name for column in meant.kept],
        separator=separator,
    )
    by_name = {column.name: column for column in written.columns}
    for column in meant.columns:
        if not _same(column, by_name.get(column.name)):
            msg = f"column {column.name!r}: what was read back from {data.name} differs from what was to be written"
            raise AnonsetError(msg)
    return written


def _same(meant: SetColumn | CategoricalColumn, written: SetColumn | CategoricalColumn | NumericColumn | None) -> bool:
    """Tell whether two columns hold the same labels in every row, however they are coded."""
    if type(meant) is not type(written) or isinstance(written, NumericColumn) or written is None:
        return False
    if meant.n != written.n:
        return False
    codes = _codes(written.vocabulary.labels, meant.vocabulary.index)
    if codes is None:
        return False
    if isinstance(written, SetColumn) and isinstance(meant, SetColumn):
        moved = written.recode(codes, meant.vocabulary)
        return np.array_equal(moved.indptr, meant.indptr) and np.array_equal(moved.items, meant.items)
    if isinstance(written, CategoricalColumn) and isinstance(meant, CategoricalColumn):
        return np.array_equal(codes[written.codes], meant.codes)
    return False


def _codes(labels: Iterable[str], index: Mapping[str, int]) -> Any:
    """Return int32: the code of each label, or None where one is unknown."""
    try:
        return np.array([index[label] for label in labels], np.int32)
    except KeyError:
        return None
