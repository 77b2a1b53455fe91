"""Release: the result of `anonymize`, a verified publication with all facts about it."""

import os
import warnings as python_warnings
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any

from anonset.algorithms.base import Algorithm
from anonset.data.redacted_repr import RedactedRepr, figures_shown, redacted
from anonset.errors import InputError
from anonset.generalization import Recoding
from anonset.privacy import Verdict
from anonset.publications.presentation import Format
from anonset.reading.sources.place import Place
from anonset.release.documents import Attestation, Report
from anonset.release.formats import Layout, UnverifiedPublication, kind_of
from anonset.release.publishing.destination import Destination, destination
from anonset.release.publishing.publish import CheckOptions, publish
from anonset.release.stopwatch import Phase, Stopwatch
from anonset.settings.binding import with_as_is


@dataclass(frozen=True, eq=False)
class Release(RedactedRepr):
    """Publication with verification result. Created only by `anonset.anonymize`."""

    unverified: UnverifiedPublication[Any]
    """Result before verification, with its input. Private."""
    verdict: Verdict
    """Verification result. The model holds, or the owner accepted an undecided check."""
    layout: Layout
    phases: tuple[Phase, ...]
    """Seconds and peak memory of each phase."""
    published: Destination | None = None
    """Paths or addresses of the publication. None if not yet written."""
    documents: tuple[Attestation, Report] | None = field(default=None, repr=False)
    """Attestation and private report. None if not yet written."""

    def __repr__(self) -> str:
        return f"Release({', '.join(f'{name}: {text}' for name, text in self._summary().items())})"

    def _repr_html_(self) -> str:
        rows = (f"<tr><th>{escape(name)}</th><td>{escape(text)}</td></tr>" for name, text in self._summary().items())
        return f"<table>{''.join(rows)}</table>"

    def _summary(self) -> dict[str, str]:
        """Return the verdict, the losses and the sizes. They contain no label of the data."""
        return {
            "verdict": str(self.verdict),
            "algorithm": redacted(self.algorithm),
            "published": repr(self.publication),
            "losses": figures_shown(self.measures),
            **{name: figures_shown(counts) for name, counts in self.retention.items()},
        }

    @property
    def publication(self) -> Any:
        """Published records, buckets or chunks, with the input record of each row. Private as a whole."""
        return self.unverified.publication

    @property
    def algorithm(self) -> Algorithm:
        """Algorithm with parameters."""
        return self.unverified.algorithm

    @property
    def recoding(self) -> Recoding:
        """Recoding that the algorithm found."""
        return self.unverified.result.recoding

    @property
    def trace(self) -> tuple[Any, ...]:
        """Decisions of the search, in order."""
        return self.unverified.result.trace

    @property
    def figures(self) -> Mapping[str, float]:
        """Counts of the search."""
        return self.unverified.result.figures

    @property
    def measures(self) -> Mapping[str, float]:
        """Losses by name, such as ``ncp``. They do not include the coarsening of values during reading."""
        return self.unverified.measures

    @property
    def retention(self) -> Mapping[str, Mapping[str, int]]:
        """Number of item occurrences, relational values and tuples with each outcome, such as kept, generalized or
        suppressed. A value that is only coarsened during reading counts as kept.
        """
        return self.unverified.retention

    @property
    def exact_values(self) -> Mapping[str, int]:
        """Number of rare values that the model publishes unchanged, by column. Empty before the publication is
        written.
        """
        return {} if self.documents is None else self.documents[1].exact_values

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings about the publication. A publication with warnings still satisfies the model."""
        return self.unverified.warnings

    @property
    def seconds(self) -> dict[str, float]:
        """Seconds of each phase. Kernel compilation is the phase ``compiling`` and excluded from the other phases."""
        return {phase.name: phase.seconds for phase in self.phases}

    def to_arrow(self) -> Any:
        """Return the published data as a ``pyarrow.Table``. Buckets and chunks are returned as a tuple of tables.

        Raises
        ------
        DisclosureError
            If a column shows values that identify persons, and is not declared (``publish_as_is`` of `anonymize`).
        """
        _ = self._scanned
        return kind_of(self.algorithm.model).to_arrow(self.unverified.publication)

    @cached_property
    def _scanned(self) -> bool:
        """Scan the publication, unless it was scanned when it was written."""
        if self.published is None:
            model = self.algorithm.model
            kind_of(model).require_declared(self.unverified.table, self.publication, model)
        return True

    def to_pandas(self) -> Any:
        """Return the published data as a pandas ``DataFrame``. Buckets and chunks are returned as a tuple of
        DataFrames.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        tables = self.to_arrow()
        return tuple(part.to_pandas() for part in tables) if isinstance(tables, tuple) else tables.to_pandas()

    def to_polars(self) -> Any:
        """Return the published data as a polars ``DataFrame``. Buckets and chunks are returned as a tuple of
        DataFrames.

        Raises
        ------
        ImportError
            If polars is not installed.
        """
        import polars  # type: ignore[import-not-found, unused-ignore]

        tables = self.to_arrow()
        return tuple(map(polars.from_arrow, tables)) if isinstance(tables, tuple) else polars.from_arrow(tables)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Export the published data through the Arrow stream interface (pandas, polars, DuckDB).

        Raises
        ------
        InputError
            If the data are buckets or chunks, which consist of several tables.
        """
        if msg := kind_of(self.algorithm.model).no_stream:
            raise InputError(msg)
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def save(
        self,
        out: str | os.PathLike[str],
        private: str | os.PathLike[str] | None = None,
        format: Format | None = None,  # noqa: A002
        *,
        separator: str | None = None,
        part_rows: int | None = None,
        trace: bool = False,
        publish_as_is: str | Collection[str] | None = None,
    ) -> Path | Place:
        """Write the publication into a new directory, read it back, verify and scan it, and return the directory.

        Parameters
        ----------
        out
            New directory for the public files, or an address such as ``s3://bucket/safe``.
        private
            New directory or address for the private files. The default is `out` with the suffix ``.private``.
        format
            ``csv`` (the default), ``parquet`` or ``dat``.
        separator
            Separator of the symbols within a field. The default is a space, or ``;``, ``|`` or tab if labels contain
            spaces.
        part_rows
            Number of rows per part file (``published/part-00000.csv`` and so on). None writes one file.
        trace
            Whether to put the decisions of the search into the private report.
        publish_as_is
            Columns that you declare to publish unchanged, in addition to those named in `anonymize`.

        Raises
        ------
        InputError
            If a directory exists already, or the format does not support the labels. The error is a `DisclosureError`
            if a column shows values that identify persons, and is not declared.
        VerificationError
            If the written data do not satisfy the model. All files are then removed.
        """
        layout = replace(self.layout, format=format or "csv", separator=separator, part_rows=part_rows)
        kind = kind_of(self.algorithm.model)
        dangers = kind.formula_warnings(self.publication) if layout.format == "csv" else ()
        for warning in dangers:
            python_warnings.warn(warning, UserWarning, stacklevel=2)
        unverified = replace(
            self.unverified,
            table=with_as_is(self.unverified.table, publish_as_is),
            warnings=self.unverified.warnings + dangers,
        )
        kind.require_publishable(unverified.table, unverified.hierarchies, unverified.algorithm, layout)
        place = destination(out, private)
        publish(
            unverified, place, layout, CheckOptions(accept_undecided=self.verdict.holds is None),
            watch=Stopwatch(list(self.phases)), trace=trace,
        )  # fmt: skip
        return place.out
