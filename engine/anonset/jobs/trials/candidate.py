"""Candidates for `suggest` and `compare`. A candidate is an algorithm with parameters, and the result of its run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Literal

from anonset.algorithms.base import Algorithm
from anonset.algorithms.rt.joint.pruning import Pruning
from anonset.data import Hierarchy, Table
from anonset.data.redacted_repr import RedactedRepr, figures_shown, redacted
from anonset.errors import Fix, InfeasibleError
from anonset.jobs.runs.run import Run
from anonset.measures.countable import CountAccuracy
from anonset.measures.retention import shares
from anonset.release.formats import UnverifiedPublication
from anonset.release.stopwatch import COMPILING
from anonset.settings.job import Job
from anonset.spelling import StatedSettings

_PARTS = 10_000
Outcome = Literal["", "holds", "fails", "undecided", "infeasible", "worthless", "refused", "disclosing", "too long"]
"""Outcome of a candidate."""


@dataclass(frozen=True)
class Candidate(RedactedRepr):
    """Algorithm with parameters, and utility of the result."""

    algorithm: str
    """Algorithm name."""
    settings: StatedSettings = field(default_factory=dict)
    """Parameters as settings. In a suggestion, parameters of the model are omitted.

    The setting `hierarchy` replaces the user's item hierarchy.
    """
    outcome: Outcome = ""
    """Verdict on the result, or reason why there is none. Empty before the verdict."""
    shares: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """Shares of unchanged, generalized and suppressed item occurrences, and of relational values."""
    coarsened: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Columns that were coarsened during reading, by part of the data. Shares and losses do not include this."""
    levels: Mapping[str, float] = field(default_factory=dict)
    """Shares of item occurrences that are unchanged, generalized by 1, 2, … levels, and suppressed."""
    measures: Mapping[str, float] = field(default_factory=dict)
    """Losses by name. With a workload, also the average relative error ``are``."""
    phases: Mapping[str, float] = field(default_factory=dict)
    """Seconds of each phase, excluding kernel compilation."""
    sampled: bool = False
    """True if the candidate ran only on a sample."""
    note: str = field(default="", repr=False)
    """Reason for the rejection of the candidate, or warnings about the publication."""
    fixes: Sequence[Fix] = field(default=(), repr=False)
    """Settings that the reason recommends."""
    obstacles: tuple[str, ...] = field(default=(), repr=False)
    """Findings of the disclosure scan that stop the publication, without the recommended settings."""
    countable: CountAccuracy | None = None
    """Errors of counts of frequent items that a recipient can compute. None if the data have no items."""
    commonest: tuple[tuple[str, int, float], ...] = field(default=(), repr=False)
    """Label, count, and count expected by a recipient, for each of the most frequent items. Empty if the data have no
    items.
    """
    columns: tuple[str, ...] = field(default=(), repr=False)
    """Lines about the detail of columns (`column_lines`)."""
    lost: tuple[str, ...] = field(default=(), repr=False)
    """Sentences about columns and sets of items of which nothing is left."""
    nodes: bool = False
    """Whether published symbols are nodes of the item hierarchy that the user gives."""
    frontier: tuple[Pruning, ...] = field(default=(), repr=False)
    """Losses that the algorithm `joint-split` would have with other weights."""
    model: str = ""
    """Name of the algorithm's model. Losses under different models are not comparable."""
    beside: str = ""
    """Name of the candidate's model if it differs from the requested model. The candidate is then shown, but never
    recommended.
    """
    reading: str | None = None
    """How the queries that measure ``are`` interpret symbols with several items. None if there are no queries.
    """
    peak_mib: float | None = None
    """Largest resident memory of the process, in MiB, if growth is measured."""

    @property
    def asked(self) -> Job:
        """Settings that run the candidate again, with its algorithm."""
        return Job({"algorithm": self.algorithm, **self.settings})

    @property
    def seconds(self) -> float:
        """Seconds of the search and of the application of its result."""
        return sum(self.phases.get(name, 0.0) for name in ("search", "apply"))

    @property
    def usefulness(self) -> float:
        """Ranking figure from 0 to 1, as defined in `anonset.jobs.trials.ranking`. 0 if the model does not hold."""
        return float(self.exact_usefulness)

    @property
    def exact_usefulness(self) -> Fraction:
        """Usefulness as an exact fraction, for ranking.

        >>> kept = {"items": {"kept": 0.5, "generalized": 0.5}}
        >>> countable = CountAccuracy(0.1, 1.5, 29.0)
        >>> Candidate("exact", {}, "holds", kept, measures={"ncp": 0.1}, countable=countable).exact_usefulness
        Fraction(7, 15)
        """
        if self.outcome != "holds":
            return Fraction(0)
        sides = []
        if self.countable is not None:
            errors = [error for error in (self.countable.items_error, self.countable.pairs_error) if error is not None]
            suppressed = self.shares.get("items", {}).get("suppressed", 0.0)
            sides.append(_mean(*(1.0 - min(1.0, error) for error in errors), max(0.0, self.kept - suppressed)))
        if self.ranges_kept is not None:
            sides.append(_mean(self.ranges_kept))
        return min(sides) if sides else _mean(1.0 - min(1.0, self.loss))

    @property
    def loss(self) -> float:
        """Mean of the NCP of items and the NCP of relational values. If neither exists, the first measure of the
        result. Among equally useful candidates, the smallest loss comes first.
        """
        losses = [self.measures[name] for name in ("ncp", "rum") if name in self.measures]
        losses = losses or list(self.measures.values())[:1]  # buckets, and results that only suppress, have neither NCP
        return sum(losses) / len(losses) if losses and self.outcome == "holds" else float("inf")

    @property
    def fates(self) -> Mapping[str, float]:
        """Share of item occurrences for each outcome. If there are no items, share of relational values or tuples."""
        return self.shares.get("items") or self.shares.get("values") or self.shares.get("tuples") or {}

    @property
    def kept(self) -> float:
        """Share of item occurrences that are unchanged. If there are no items, share of relational values that are
        unchanged.
        """
        return self.fates.get("kept", self.fates.get("in_chunks", 0.0))

    @property
    def ranges_kept(self) -> float | None:
        """Mean share of the range that remains in relational columns, from 0 to 1. None if there are no relational
        columns.
        """
        return 1.0 - self.measures["rum"] if "rum" in self.measures else None

    def __repr__(self) -> str:
        parameters = ", ".join(f"{name}={redacted(value)}" for name, value in self.settings.items())
        name = f"{self.algorithm}({parameters})" if parameters else self.algorithm
        losses = f"; kept {self.kept:.1%}; {figures_shown(self.measures)}" if self.measures else ""
        return f"Candidate({name} {self.outcome}{losses})"

    def run(
        self, run: Run, table: Table, hierarchies: Mapping[str, Hierarchy], algorithm: Algorithm
    ) -> "tuple[Candidate, UnverifiedPublication[Any] | None]":
        """Run the algorithm on a table bound to its hierarchies.

        Returns
        -------
        The candidate with losses and seconds, still without a verdict, and its publication. The publication is None if
        the candidate is infeasible.
        """
        candidate = replace(self, model=algorithm.model.name)
        try:
            unverified = run.search(table, hierarchies, algorithm)
        except InfeasibleError as error:
            return replace(candidate, outcome="infeasible", phases=phases_of(run), note=str(error)), None
        return replace(
            candidate,
            shares=shares(unverified.retention),
            coarsened=table.coarsened,
            measures=dict(unverified.measures),
            phases=phases_of(run),
        ), unverified


def phases_of(run: Run) -> dict[str, float]:
    """Return the seconds of each phase of a run, excluding kernel compilation."""
    return {phase.name: phase.seconds for phase in run.watch.phases if phase.name != COMPILING}


def _mean(*figures: float) -> Fraction:
    return Fraction(sum(round(figure * _PARTS) for figure in figures), _PARTS * len(figures))
