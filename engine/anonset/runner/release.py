"""What `anonymize` returns: a verified publication with everything known about it."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anonset.algorithms.base import Algorithm
from anonset.generalization import Publication, Recoding
from anonset.privacy import Verdict
from anonset.runner.candidate import Candidate
from anonset.runner.phases import Phase, Stopwatch


@dataclass(frozen=True, eq=False)
class Release:
    """A publication and the verdict of verifying it. Made by `anonset.anonymize` alone."""

    candidate: Candidate
    """What was found, with the input that it was made from. Private."""
    verdict: Verdict
    """Outcome of the verification: holds, or undecided where that was accepted."""
    phases: tuple[Phase, ...]
    """Seconds and peak memory of each phase."""

    @property
    def publication(self) -> Publication:
        """The published records, with the way back to the input. Private as a whole."""
        return self.candidate.publication

    @property
    def algorithm(self) -> Algorithm:
        """The algorithm with its parameters."""
        return self.candidate.algorithm

    @property
    def recoding(self) -> Recoding:
        """What the algorithm decided."""
        return self.candidate.result.recoding

    @property
    def trace(self) -> tuple[Any, ...]:
        """The decisions of the search, in order."""
        return self.candidate.result.trace

    @property
    def figures(self) -> Mapping[str, float]:
        """Counts of the search."""
        return self.candidate.result.figures

    @property
    def measures(self) -> Mapping[str, float]:
        """Losses by name, such as ``ncp``."""
        return self.candidate.measures

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is wrong with a publication that is safe all the same."""
        return self.candidate.warnings

    @property
    def seconds(self) -> dict[str, float]:
        """Seconds of each phase."""
        return {phase.name: phase.seconds for phase in self.phases}

    def to_arrow(self) -> Any:
        """Return the published data as a ``pyarrow.Table``."""
        from anonset.io.publish import to_arrow

        return to_arrow(self.publication)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Hand the published data to any consumer of the Arrow stream interface (pandas, polars, DuckDB)."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def save(
        self,
        out: str | os.PathLike[str],
        private: str | os.PathLike[str] | None = None,
        format: str | None = None,  # noqa: A002
        *,
        separator: str = " ",
        trace: bool = False,
    ) -> Path:
        """Write the publication into a new directory, read it back, verify it, and return the directory.

        Parameters
        ----------
        out
            New directory for what may be handed on.
        private
            New directory for what must not be; by default `out` with ``.private`` after its name.
        format
            ``csv`` (the default), ``parquet`` or ``dat``.
        separator
            Separates the symbols within a field.
        trace
            Put the decisions of the search into the private report.

        Raises
        ------
        InputError
            If a directory exists already, or the format cannot carry the labels.
        VerificationError
            If what was written does not satisfy the model; nothing is left behind then.
        """
        from anonset.runner.publish import Request, publish

        request = Request(
            Path(out),
            None if private is None else Path(private),
            format or "csv",
            separator,
            accept_undecided=self.verdict.holds is None,
            trace=trace,
        )
        publish(self.candidate, request, watch=Stopwatch(list(self.phases)))
        return Path(out)
