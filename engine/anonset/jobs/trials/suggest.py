"""Suggestion of the algorithm and parameters with the most useful result for given data and a privacy model."""

import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from anonset.algorithms.base import Algorithm, traits_of
from anonset.algorithms.registry import ALGORITHMS
from anonset.algorithms.rt.joint.pruning import shown_frontier
from anonset.analysis.base import analysis_of
from anonset.analysis.summary import ItemDetail, column_lines, lost_columns
from anonset.data import Hierarchy, Table
from anonset.data.hierarchies.hierarchy_rules import OF_LABELS, PROPOSED
from anonset.data.progress import Progress
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.storage.workers import Threads
from anonset.errors import DisclosureError, Fix, InputError, plain_text
from anonset.generalization import PerCluster
from anonset.jobs.runs.persons import require_persons
from anonset.jobs.runs.run import Run
from anonset.jobs.trials.candidate import Candidate
from anonset.jobs.trials.candidates import candidates_for
from anonset.jobs.trials.ranking import (
    algorithm_text,
    best_of,
    best_of_other_models,
    counts_usably,
    explain_failure,
    limit,
    ranked,
    reason,
    warning,
)
from anonset.measures.countable import FrequentItems, accuracy_of, commonest
from anonset.measures.retention import by_level, of_nodes, rare_in_clusters
from anonset.privacy import PrivacyModel
from anonset.release.formats import Layout, UnverifiedPublication, kind_of
from anonset.release.statements import parameters_of
from anonset.release.stopwatch import COMPILING
from anonset.release.tables import html_table
from anonset.settings.binding import HierarchySpec, bind, require_table, with_as_is
from anonset.settings.commands import SECONDS
from anonset.settings.job import Job
from anonset.settings.parameters import make_algorithm
from anonset.settings.readers import ParsingContext
from anonset.spelling import StatedSettings
from anonset.verification import verify
from anonset_kernels._compiling import COMPILATION

LARGE = 20_000
"""Number of records above which a sample is tried first."""
FINALISTS = 3
"""Number of candidates that are tried on all records after the sample."""
MORE = 4
"""Factor of the time limit that is proposed if all candidates ran out of time."""


@dataclass(frozen=True)
class Suggestion(RedactedRepr):
    """Tried candidates and the recommendation."""

    model: PrivacyModel
    """Requested privacy model."""
    candidates: tuple[Candidate, ...]
    """Tried candidates by descending usefulness."""
    recommended: Candidate | None
    """Best candidate. None if no candidate is useful."""
    reason: str = field(repr=False)
    """Reason for the recommendation. Without a recommendation, the obstacle and the remedy."""
    limit: str = field(repr=False)
    """Whether the hierarchy or the algorithm limits the utility. Empty if this is unknown."""
    sample: int | None = None
    """Size of the sample on which candidates were tried first, in records."""
    with_own_hierarchy: Candidate | None = None
    """Best candidate with nodes of the given item hierarchy. None if no hierarchy is given."""
    warning: str = field(default="", repr=False)
    """Problem of the best candidate. Empty if there is no problem."""
    beside: Candidate | None = None
    """Most useful candidate for another model, shown for comparison. None if no candidate for another model was
    tried.
    """
    fixes: Sequence[Fix] = field(default=(), repr=False)
    """Settings that the reason or the warning recommends."""
    items: int = 0
    """Number of items of the data."""

    @property
    def obstacles(self) -> tuple[str, ...]:
        """Findings of the disclosure scan if it stops every candidate, each without the settings in `fixes`."""
        stopped = next((candidate for candidate in self.candidates if candidate.fixes), None)
        return stopped.obstacles if stopped is not None and self.recommended is None else ()

    @property
    def finest(self) -> Candidate | None:
        """Candidate with a `frontier` that starts at the smallest relational loss. None if there is none."""
        candidates = [candidate for candidate in self.candidates if candidate.frontier and candidate.outcome == "holds"]
        return min(candidates, key=lambda candidate: candidate.frontier[0].relational_ncp, default=None)

    def _repr_html_(self) -> str:
        fates = ("kept", "generalized", "suppressed")
        head = ("", "algorithm", *fates, "item error", "pair error", "ranges kept", "useful", "time", "outcome")
        reasons = [text for text in (self.reason, self.warning) if text]
        return html_table(head, [self._row(candidate) for candidate in self.candidates]) + html_table(
            ("why",), [(x,) for x in reasons]
        )

    def _row(self, candidate: Candidate) -> tuple[str, ...]:
        marks = {id(self.with_own_hierarchy): "best with your hierarchy", id(self.recommended): "best"}
        return (
            marks.get(id(candidate), ""),
            algorithm_text(candidate),
            *cells(candidate),
            f"{candidate.seconds:.2f} s",
            candidate.outcome,
        )


def cells(candidate: Candidate) -> tuple[str, ...]:
    """Return table cells as text for the occurrences by outcome, the errors of items and pairs, the remaining ranges,
    and the usefulness.
    """
    items = candidate.fates
    counted = candidate.countable
    figures = [
        items.get("kept", items.get("in_chunks")),
        *(items.get(name) for name in ("generalized", "suppressed")),
        *((None, None) if counted is None else (counted.items_error, counted.pairs_error)),
        candidate.ranges_kept,
    ]
    useful = f"{candidate.usefulness:.4f}" if candidate.outcome == "holds" else ""
    return (*("" if figure is None else f"{figure:.1%}" for figure in figures), useful)


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
    round_ends: bool = True,
    publish_as_is: str | Collection[str] | None = None,
) -> Suggestion:
    """Try the algorithms for a privacy model and recommend the most useful result. Writes no publication.

    A candidate is not recommended if the scan for values of few persons would stop its publication.

    Candidates are ranked by usefulness. The usefulness of items is the mean of three figures. The first is 1 minus the
    median error of the 200 largest item counts. The second is 1 minus the median error of the 200 largest pair counts
    among these items. The third is the unchanged share minus the suppressed share. The usefulness of relational columns
    is the share of the range that remains. If there are items and relational columns, usefulness is the smaller of the
    two values. If the counts of frequent items have a median error above 25% for the best candidate, a nearly as useful
    candidate with a smaller error is preferred.

    Parameters
    ----------
    table
        Data to anonymize.
    model
        `KmAnonymity`, `KAnonymity`, `KLDiversity`, `KTCloseness`, `KKmAnonymity`, `KLmDiversity`, `LmDiversity`,
        `RhoUncertainty`, `Coherence`, `TransactionKAnonymity`, `SafetyConstraint` or `AnatomyDiversity`.
    hierarchies
        Hierarchies by column. Items without a hierarchy get ``halves:frequency``.
    workers, progress
        As for `anonset.anonymize`.
    seed
        Seed of the sample.
    seconds
        Approximate time limit in seconds for all candidates together. Slow candidates are stopped. Compilation does not
        count.
    large
        Number of records above which all candidates are tried on a sample of this size, and the best on all data.
    round_ends, publish_as_is
        As for `anonset.anonymize`.

    Raises
    ------
    InputError
        If the model is not supported, or the data are invalid.

    Examples
    --------
    >>> from anonset.privacy import KmAnonymity
    >>> table = Table.from_sets([{"a1", "b1"}, {"a2", "b1"}, {"a1", "b2"}, {"a2", "b2"}] * 5)
    >>> found = suggest(table, KmAnonymity(k=5, m=2), hierarchies={"items": "balanced:2"})
    >>> found.recommended.algorithm, found.recommended.outcome
    ('exact', 'holds')
    """
    require_table(table)
    table = table if workers is None else table.with_workers(Threads(workers))
    require_persons(table, model, hierarchies or {})
    table = with_as_is(table, publish_as_is)
    names = set(table.item_columns) if table.transactions is None else {*table.item_columns, table.transactions.name}
    specs = dict(hierarchies or {})
    if not names & specs.keys():
        specs |= dict.fromkeys(table.item_columns, PROPOSED)
    of_items = [spec for name, spec in specs.items() if name in names]
    with_own = not all(isinstance(spec, str) and spec.startswith(OF_LABELS) for spec in of_items)
    tried = [one for one in candidates_for(table, model) if one.settings.get("hierarchy") not in of_items]
    trial = _CandidateTrial(model, specs, progress, seconds, round_ends)
    sample = table
    if table.n <= large:
        candidates = trial.of_all(table, tried, share=0.5)
    else:
        sample = table.take(np.sort(np.random.default_rng(seed).choice(table.n, large, replace=False)))
        candidates = trial.of_sample_and_all(sample, table, tried, with_own=with_own)
    order = ranked(candidates)
    best = best_of(order)
    warned = warning(best, *trial.with_fewer_columns(sample, best), trial.with_weaker_guarantees(sample, best))
    of_candidates = next((candidate.fixes for candidate in order if candidate.fixes), ())
    return Suggestion(
        model,
        tuple(order),
        best,
        explain_failure(order, model, max(MORE * seconds, SECONDS)) if best is None else reason(best, order),
        limit(best, order),
        None if sample is table else large,
        best_of([candidate for candidate in order if candidate.nodes]) if with_own else None,
        str(warned),
        best_of_other_models(order),
        of_candidates if best is None else warned.fixes,
        0 if table.transactions is None else len(table.transactions.vocabulary),
    )


_LEAST_K, _CLEARLY = 3, 0.75
"""Smallest k that is recommended, and the largest ratio of errors with which a weaker guarantee is recommended."""


def _finalists(order: Sequence[Candidate], *, with_own: bool) -> list[Candidate]:
    """Return the candidates that are tried on all data.

    They are the best candidates that satisfy the model, the best candidate with the owner's hierarchy, and the best
    candidate of another model.
    """
    other = best_of_other_models(order)
    order = [candidate for candidate in order if not candidate.beside]
    safe = [candidate for candidate in order if candidate.outcome == "holds"]
    chosen = safe[:FINALISTS] or list(order[:1])
    return [
        *chosen,
        *([] if other is None else [other]),
        *[
            candidate
            for candidate in safe[FINALISTS:]
            if with_own and candidate.nodes and not any(c.nodes for c in chosen)
        ][:1],
    ]


def _now() -> float:
    """Return the seconds of a clock that pauses while kernels are compiled or loaded."""
    return time.monotonic() - COMPILATION.aside


class _TimeLimitReached(Exception):  # noqa: N818
    """The time limit of a candidate is reached."""


@dataclass
class _CandidateTrial:
    model: PrivacyModel
    hierarchies: Mapping[str, HierarchySpec]
    progress: Progress | None
    left: float
    """Remaining seconds for all candidates. Loading and compiling kernels does not count."""
    round_ends: bool
    whole: bool = True
    """True if the table contains all data. In a sample, frequent values may seem rare."""

    def of_all(self, table: Table, chosen: Sequence[Candidate], *, share: float) -> list[Candidate]:
        """Try all candidates. Each candidate may use this share of the remaining time."""
        sets = table.item_columns
        frequent = None if table.transactions is None else FrequentItems.of(table.transactions)
        candidates = []
        for one in chosen:
            candidate = Candidate(one.algorithm, one.settings, "too long")
            if self.left <= 0:
                candidates.append(replace(candidate, note="not tried: out of time"))
                continue
            tree = Job(one.settings).text("hierarchy")
            own_specs = dict.fromkeys(sets, tree) if tree else {}
            bound, trees = bind(table, {**self.hierarchies, **own_specs}, self.model)
            began = _now()
            candidates.append(self._one(bound, trees, candidate, began + self.left * share, frequent))
            self.left -= _now() - began
        return candidates

    def of_sample_and_all(
        self, sample: Table, table: Table, chosen: Sequence[Candidate], *, with_own: bool
    ) -> list[Candidate]:
        """Try all candidates on a sample in half of the time, and the best of them on all data."""
        half = self.left / 2
        of_sample = replace(self, left=half, whole=False)
        tried = [replace(candidate, sampled=True) for candidate in of_sample.of_all(sample, chosen, share=0.4)]
        self.left = of_sample.left + half
        finals = self.of_all(table, _finalists(ranked(tried), with_own=with_own), share=0.6)
        asked = [candidate.asked for candidate in finals]
        return finals + [candidate for candidate in tried if candidate.asked not in asked]

    def with_fewer_columns(self, table: Table, best: Candidate | None) -> tuple[list[str], Candidate | None]:
        """Omit relational columns one by one until the publication of the best candidate has accurate counts of
        frequent items, or until the time limit. Each step omits the column that improves the counts most. Return the
        omitted columns, and the candidate without these columns.
        """
        dropped: list[str] = []
        while best is not None and counts_usably(best) is False and len(table.relational) > 1 and self.left > 0:
            attempts = []
            for column in table.relational:
                fewer = replace(table, relational=tuple(one for one in table.relational if one is not column))
                specs = {name: spec for name, spec in self.hierarchies.items() if name not in (*dropped, column.name)}
                trial = replace(self, hierarchies=specs)
                (candidate,) = trial.of_all(fewer, [best], share=1.0)
                self.left = trial.left
                if candidate.outcome == "holds" and candidate.countable is not None:
                    attempts.append((candidate.countable.items_error or 0.0, column.name, candidate, fewer))
            if not attempts:
                break
            _, name, best, table = min(attempts, key=lambda attempt: attempt[0])
            dropped.append(name)
        return dropped, best

    def with_weaker_guarantees(self, table: Table, best: Candidate | None) -> list[tuple[StatedSettings, Candidate]]:
        """Try the best candidate with one known item less, and with half of k, if its counts of frequent items are
        inaccurate. Return the parameters with which the error is clearly smaller.
        """
        found = list[tuple[StatedSettings, Candidate]]()
        if best is None or best.countable is None or counts_usably(best) is not False:
            return found
        model: Any = self.model
        given, worst = parameters_of(model), best.countable.items_error or 0.0
        smaller = {"m": int(given.get("m") or 0) - 1, "k": (int(given.get("k") or 0) + 1) // 2}
        least = {"m": 1, "k": _LEAST_K}
        for name, size in smaller.items():
            if size < least[name] or self.left <= 0:
                continue
            trial = replace(self, model=replace(model, **{name: size}))
            (candidate,) = trial.of_all(table, [best], share=0.5)
            self.left = trial.left
            error = None if candidate.countable is None else candidate.countable.items_error
            if candidate.outcome == "holds" and error is not None and error <= _CLEARLY * worst:
                found.append(({name: size}, candidate))
        return found

    def _one(
        self,
        table: Table,
        trees: Mapping[str, Hierarchy],
        candidate: Candidate,
        until: float,
        frequent: FrequentItems | None,
    ) -> Candidate:
        def heeded(phase: str, done: float, total: float) -> None:
            if phase != COMPILING and _now() > until:
                raise _TimeLimitReached
            if self.progress is not None:
                self.progress(f"try {candidate.algorithm}", 0, 0)

        run = Run(Layout(symbols="members"), heeded, accept=["worthless"], round_ends=self.round_ends)
        try:
            algorithm = self._algorithm(table, trees, candidate)
            if self.model.name in traits_of(algorithm).set_beside:
                candidate = replace(candidate, beside=algorithm.model.name)
                kind_of(algorithm.model).require_publishable(table, dict(trees), algorithm, run.layout)
            result, unverified = candidate.run(run, table, trees, algorithm)
        except _TimeLimitReached:
            return replace(candidate, note="stopped: out of time")
        except InputError as error:
            return replace(candidate, outcome="refused", note=str(error), fixes=error.fixes)
        if unverified is None:
            return result
        model = algorithm.model if candidate.beside else self.model
        return self._measured(result, model, table, trees, unverified, frequent)

    def _algorithm(self, table: Table, trees: Mapping[str, Hierarchy], candidate: Candidate) -> Algorithm:
        name, settings = candidate.algorithm, candidate.settings
        parameters = {**parameters_of(self.model), **{n: value for n, value in settings.items() if n != "hierarchy"}}
        model = None if self.model.name in traits_of(ALGORITHMS[name]).set_beside else self.model.name
        return make_algorithm(model, name, parameters, ParsingContext.of(table, trees, parameters))

    def _measured(
        self,
        candidate: Candidate,
        model: PrivacyModel,
        table: Table,
        trees: Mapping[str, Hierarchy],
        unverified: UnverifiedPublication[Any],
        frequent: FrequentItems | None,
    ) -> Candidate:
        figures = unverified.result.figures
        recoding: Any = unverified.result.recoding
        measures = {**candidate.measures, **({"gap": figures["gap"]} if "gap" in figures else {})}
        if table.transactions is not None and isinstance(recoding, PerCluster):
            k = model.k or 1
            measures["rare_in_clusters"] = rare_in_clusters(table.transactions, recoding.cluster, k)
        points, kind_analysis = shown_frontier(unverified.result.trace), analysis_of(unverified.publication)
        details = [one for one in kind_analysis.details(table) if one.fate == "lost" or not isinstance(one, ItemDetail)]
        lost = tuple(lost_columns(details) or kind_of(model).nothing_left(model, table, unverified.publication))
        candidate = replace(candidate, lost=lost, columns=tuple(column_lines(details)))
        measured = replace(candidate, measures=measures, frontier=points)
        if frequent is not None:
            expected = kind_analysis.expected_counts(frequent)
            counted = accuracy_of(frequent, *expected)
            measured = replace(measured, countable=counted, commonest=commonest(frequent, expected[0]))
        if table.transactions is not None and "generalized" in unverified.retention.get("items", {}):
            nodes, made = of_nodes(recoding), "hierarchy" in candidate.settings
            tree = trees.get(table.transactions.name) if nodes and not made else None
            counts = by_level(table.transactions, recoding, tree)
            levels = {name: count / max(1, sum(counts.values())) for name, count in counts.items()}
            measured = replace(measured, levels=levels, nodes=nodes and not made)
        kind = kind_of(model)
        if problem := kind.why_worthless(model, table, unverified.publication):
            return replace(measured, outcome="worthless", note=problem)
        verdict = verify(unverified.publication, model)
        if verdict.holds and self.whole:
            try:
                kind.require_declared(unverified.table, unverified.publication, unverified.algorithm.model)
            except DisclosureError as error:
                note = "; ".join(str(error).splitlines())
                obstacles = tuple(plain_text(finding.problem.sentence) for finding in error.findings)
                return replace(measured, outcome="disclosing", note=note, fixes=error.fixes, obstacles=obstacles)
        return replace(measured, outcome=verdict.outcome, note="" if verdict.holds else str(verdict))
