"""Which algorithm, with which parameters, keeps the most of given data under an asked guarantee."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from anonset.algorithms.base import Algorithm, Progress
from anonset.data import Table
from anonset.data.discreet import Discreet, figures_shown
from anonset.errors import InfeasibleError, InputError
from anonset.generalization import Cut, ItemGroups, PerCluster
from anonset.jobs.anonymize import Job
from anonset.jobs.candidates import candidates_for, serves
from anonset.jobs.rehearsal import make_ready
from anonset.jobs.workloads import WorkloadSpec, answers
from anonset.measures.levels import by_level, of_nodes
from anonset.measures.retention import shares
from anonset.privacy import PrivacyModel
from anonset.release.costs import COMPILING
from anonset.release.documents import parameters_of
from anonset.release.formats import Layout, Unverified
from anonset.release.losses import why_worthless
from anonset.release.tables import html_table
from anonset.settings.binding import HierarchySpec, bind
from anonset.settings.parameters import make_algorithm
from anonset.settings.readers import Context
from anonset.spelling import counted
from anonset.verification import verify
from anonset_kernels._compiling import COMPILATION

LARGE = 20_000
"""Records above which a sample is tried first."""
FINALISTS = 3
SECONDS = 50.0
"""For all candidates together; what takes longer is given up."""


@dataclass(frozen=True)
class Candidate(Discreet):
    """An algorithm with its parameters, and what it left of the data."""

    algorithm: str
    """Its name."""
    settings: Mapping[str, Any]
    """Its parameters but those of the guarantee, as settings."""
    outcome: str
    """``holds``, ``worthless``, ``infeasible``, ``refused`` or ``too long``."""
    shares: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """Share of item occurrences, and of relational values, by what became of them."""
    levels: Mapping[str, float] = field(default_factory=dict)
    """Share of item occurrences kept, generalized by so many levels, suppressed."""
    measures: Mapping[str, float] = field(default_factory=dict)
    """Losses by name, and ``are``, the error of queries for what is frequent."""
    seconds: float = 0.0
    """Seconds of the search, and of applying what it found."""
    sampled: bool = False
    """Whether it was tried on a sample alone."""
    note: str = field(default="", repr=False)
    """Why it is no choice."""

    @property
    def loss(self) -> float:
        """The scale by which candidates are ranked: the mean of NCP of items and of values, or the main loss."""
        found = [self.measures[name] for name in ("ncp", "rum") if name in self.measures]
        found = found or list(self.measures.values())[:1]  # of buckets, and of what is only suppressed
        return sum(found) / len(found) if found and self.outcome == "holds" else float("inf")

    @property
    def kept(self) -> float:
        """Share of item occurrences, or without items of values, that are published as they are."""
        found = self.shares.get("items") or self.shares.get("values") or self.shares.get("tuples") or {}
        return found.get("kept", 0.0)

    def __repr__(self) -> str:
        return f"Candidate({self.algorithm} {self.outcome}; kept {self.kept:.1%}; {figures_shown(self.measures)})"


@dataclass(frozen=True)
class Suggestion(Discreet):
    """What was tried, and what is best."""

    model: PrivacyModel
    """The guarantee that was asked for."""
    candidates: tuple[Candidate, ...]
    """All that were tried, the best first."""
    recommended: Candidate | None
    """The best of them; None where none is of use."""
    reason: str = field(repr=False)
    """Why it is the best."""
    limit: str = field(repr=False)
    """Whether the hierarchy or the algorithm is what limits how much is kept; empty where that is not known."""
    sample: int | None = None
    """Records of the sample on which all were tried first."""

    def _repr_html_(self) -> str:
        """Return the candidates as a table, for notebooks."""
        head = ("", "algorithm", "kept", "generalized", "suppressed", "error of queries", "time", "outcome")
        return html_table(head, [self._row(one) for one in self.candidates]) + html_table(("why",), [(self.reason,)])

    def _row(self, one: Candidate) -> tuple[str, ...]:
        items = one.shares.get("items") or one.shares.get("values") or one.shares.get("tuples") or {}
        fates = tuple(f"{items[name]:.1%}" if name in items else "" for name in ("kept", "generalized", "suppressed"))
        error = f"{one.measures['are']:.3g}" if "are" in one.measures else ""
        mark = "best" if one is self.recommended else ""
        return (mark, _named(one), *fates, error, f"{one.seconds:.2f} s", one.outcome)


def suggest(
    table: Table,
    model: PrivacyModel,
    *,
    hierarchies: Mapping[str, HierarchySpec] | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
    seed: int = 0,
    seconds: float = SECONDS,
    large: int = LARGE,
) -> Suggestion:
    """Try the algorithms that can give a guarantee, and say which keeps the most. Nothing is published.

    Parameters
    ----------
    table
        The data.
    model
        `KmAnonymity`, `KAnonymity`, `KKmAnonymity`, `KLmDiversity`, `LmDiversity`, `Coherence`,
        `TransactionKAnonymity`, `SafetyConstraint` or `AnatomyDiversity`.
    hierarchies
        Of the columns; items without one get ``balanced:5``.
    workers, progress
        As for `anonset.anonymize`.
    seed
        Seed of the sample and of the queries.
    seconds
        For all candidates together, roughly; what takes too long is given up.
    large
        Number of records above which all are tried on a sample of so many, and the best on all data.

    Raises
    ------
    InputError
        If the model is none of these, or the data are not what they must be.

    Examples
    --------
    >>> from anonset.privacy import KmAnonymity
    >>> table = Table.from_sets([{"a1", "b1"}, {"a2", "b1"}, {"a1", "b2"}, {"a2", "b2"}] * 5)
    >>> found = suggest(table, KmAnonymity(k=5, m=2), hierarchies={"items": "balanced:2"})
    >>> found.recommended.algorithm, found.recommended.outcome
    ('exact', 'holds')
    """
    wanted = candidates_for(table, model)
    given = dict(hierarchies or {})
    sets = table.joined or (() if table.transactions is None else (table.transactions.name,))
    if table.transactions is not None and not {*sets, table.transactions.name} & set(given):
        given |= dict.fromkeys(sets, "balanced:5")
    trial = _Trial(model, given, workers, progress, seed, _now() + seconds)
    sample = large if table.n > large else None
    if sample is None:
        found = trial.of_all(table, wanted, share=0.5)
    else:
        chosen = np.sort(np.random.default_rng(seed).choice(table.n, sample, replace=False))
        trial.until -= seconds / 2
        found = [replace(one, sampled=True) for one in trial.of_all(_taken(table, chosen), wanted, share=0.4)]
        trial.until += seconds / 2
        best = [one for one in _ranked(found) if one.loss < float("inf")][:FINALISTS] or found[:1]
        finals = trial.of_all(table, [one.settings for one in best], share=0.6)
        found = finals + [one for one in found if one.settings not in [final.settings for final in finals]]
    ranked = _ranked(found)
    useful = [one for one in ranked if one.outcome == "holds" and not one.sampled]
    useful = useful or [one for one in ranked if one.outcome == "holds"]
    best_of = useful[0] if useful else None
    return Suggestion(model, tuple(ranked), best_of, _reason(best_of, ranked), _limit(best_of, ranked), sample)


def _now() -> float:
    """Return seconds of a clock that stands while kernels are compiled."""
    return time.monotonic() - COMPILATION.seconds


class _OutOfTime(Exception):  # noqa: N818
    """A candidate took too long."""


@dataclass
class _Trial:
    """Tries candidates on a table, as long as there is time."""

    model: PrivacyModel
    hierarchies: Mapping[str, HierarchySpec]
    workers: int | None
    progress: Progress | None
    seed: int
    until: float

    def of_all(self, table: Table, wanted: Sequence[Mapping[str, Any]], *, share: float) -> list[Candidate]:
        """Try all; each may take that share of the time that is left."""
        bound, trees = bind(table, self.hierarchies, self.model)
        found = []
        for settings in wanted:
            found.append(self._one(bound, trees, settings, _now() + (self.until - _now()) * share))
        return found

    def _one(self, table: Table, trees: Mapping[str, Any], settings: Mapping[str, Any], until: float) -> Candidate:
        name = str(settings["algorithm"])
        candidate = Candidate(name, dict(settings), "too long", note="there was no time left")
        if _now() > until:
            return candidate

        def heeded(phase: str, done: float, total: float) -> None:
            if phase != COMPILING and _now() > until:
                raise _OutOfTime
            if self.progress is not None:
                self.progress(f"try {name}", 0, 0)

        make_ready(name)
        job = Job(Layout(symbols="members"), self.workers, heeded, allow_worthless=True)
        try:
            algorithm = self._algorithm(table, trees, settings)
            unverified = job.search(table, trees, algorithm)
        except _OutOfTime:
            return replace(candidate, note="given up: it took too long")
        except InfeasibleError as error:
            return replace(candidate, outcome="infeasible", note=str(error))
        except InputError as error:
            return replace(candidate, outcome="refused", note=str(error))
        spent = sum(phase.seconds for phase in job.watch.phases if phase.name in ("search", "apply"))
        return self._measured(replace(candidate, seconds=spent, note=""), table, trees, unverified)

    def _algorithm(self, table: Table, trees: Mapping[str, Any], settings: Mapping[str, Any]) -> Algorithm:
        name = str(settings["algorithm"])
        given = {**parameters_of(self.model), **{n: value for n, value in settings.items() if n != "algorithm"}}
        asked = self.model.name if serves(name, self.model) else None
        return make_algorithm(asked, name, given, Context.of(table, trees, given))

    def _measured(
        self, candidate: Candidate, table: Table, trees: Mapping[str, Any], unverified: Unverified[Any]
    ) -> Candidate:
        """Return a candidate with what it left, and whether it holds."""
        measures, levels = dict(unverified.measures), {}
        if table.transactions is not None and isinstance(unverified.result.recoding, (Cut, ItemGroups, PerCluster)):
            tree = trees.get(table.transactions.name)
            tree = tree if of_nodes(unverified.result.recoding) else None
            counts = by_level(table.transactions, unverified.result.recoding, tree)
            levels = {name: count / max(1, sum(counts.values())) for name, count in counts.items()}
            spec = WorkloadSpec(random="record:100x1", seed=self.seed)
            if (asked := answers(table, unverified.publication, spec, trees)) is not None:
                measures["are"] = asked.are
        found = replace(candidate, shares=shares(unverified.retention), levels=levels, measures=measures)
        figures = unverified.result.figures
        if "gap" in figures:
            found.measures["gap"] = figures["gap"]  # type: ignore[index]
        if what := why_worthless(self.model, table, unverified.publication):
            return replace(found, outcome="worthless", note=what)
        verdict = verify(unverified.publication, self.model)
        return replace(found, outcome=verdict.outcome, note="" if verdict.holds else str(verdict))


def _taken(table: Table, records: Any) -> Table:
    """Return the given records of a table."""
    return replace(
        table,
        transactions=None if table.transactions is None else table.transactions.take(records),
        relational=tuple(column.take(records) for column in table.relational),
        sensitive=None if table.sensitive is None else table.sensitive.take(records),
        ids=tuple(column.take(records) for column in table.ids),
        kept=tuple(column.take(records) for column in table.kept),
    )


def _ranked(found: Sequence[Candidate]) -> list[Candidate]:
    """Return candidates by their loss; of equal ones, that which keeps more, then the first."""
    return sorted(found, key=lambda one: (one.sampled, round(one.loss, 9), -one.kept))


def _named(one: Candidate) -> str:
    given = ", ".join(f"{name}={value}" for name, value in one.settings.items() if name != "algorithm")
    return f"{one.algorithm} ({given})" if given else one.algorithm


def _reason(best: Candidate | None, ranked: Sequence[Candidate]) -> str:
    if best is None:
        return "none of them leaves anything of use: try a smaller k or m, or hierarchies with fewer children per node"
    said = f"of {counted(len(ranked), 'candidate')} {_named(best)} loses the least: "
    losses = [name for name in ("ncp", "rum") if name in best.measures] or list(best.measures)[:1]
    said += ", ".join(f"{name.replace('_', ' ').upper()} {best.measures[name]:.4f}" for name in losses)
    items = best.shares.get("items")
    if items:
        generalized, suppressed = items.get("generalized", 0.0), items.get("suppressed", 0.0)
        said += f"; {best.kept:.1%} of the occurrences stay as they are, {generalized:.1%} are generalized, "
        said += f"{suppressed:.1%} suppressed"
    return said


def _limit(best: Candidate | None, ranked: Sequence[Candidate]) -> str:
    """Say what limits how much is kept, by the cut that is proven to lose the least."""
    tried = [one for one in ranked if one.algorithm == "exact" and "gap" in one.measures]
    proven = [one for one in tried if one.measures["gap"] == 0.0]
    if best is None or not tried or best.sampled != tried[0].sampled:
        return ""
    if not proven:
        gap = min(one.measures["gap"] for one in tried)
        return f"not proven: exact came within {gap:.1%} of the least that a cut of the hierarchy can lose"
    least = min(one.measures["ncp"] for one in proven)
    lost = best.measures["ncp"]
    if lost < least:
        return (
            f"the hierarchy is the limit: no cut of it loses less than {least:.4f}, which is proven; {best.algorithm}, "
            f"whose symbols are sets of its own, which need not belong together, loses {lost:.4f}"
        )
    if lost > least + _EQUAL:
        return f"the algorithm is the limit: a cut of the hierarchy loses {least:.4f}, which is proven to be the least"
    return f"the hierarchy is the limit, not the algorithm: that no cut of it loses less than {least:.4f} is proven"


_EQUAL = 1e-9
