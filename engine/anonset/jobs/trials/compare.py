"""Comparison of several algorithms or parameters on one table, with losses and run times."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from importlib import import_module
from typing import Any

from anonset.algorithms.base import Algorithm
from anonset.analysis.base import analysis_of
from anonset.analysis.evaluation import Bound
from anonset.analysis.workloads import WorkloadSpec
from anonset.data import Hierarchy, Table
from anonset.data.progress import Progress
from anonset.data.redacted_repr import redacted
from anonset.data.storage.workers import Threads
from anonset.errors import AnonsetError
from anonset.jobs.bounds import BOUNDED, Bounds, Known
from anonset.jobs.runs.persons import require_persons
from anonset.jobs.runs.run import Run
from anonset.jobs.trials.candidate import Candidate, phases_of
from anonset.measures.retention import coarsened_text
from anonset.release.formats import Layout, UnverifiedPublication
from anonset.release.statements import plain
from anonset.release.stopwatch import report_compilation
from anonset.release.tables import html_table
from anonset.settings.binding import HierarchySpec, bind, require_table, with_as_is
from anonset.spelling import counted
from anonset.verification import verify


class Comparison(list[Candidate]):
    """Candidates in the requested order, shown as a table in notebooks."""

    def __repr__(self) -> str:
        return f"Comparison({counted(len(self), 'candidate')})"

    def _repr_html_(self) -> str:
        if not self:
            return ""
        listed = rows(self)
        names = [name for name in listed[0] if name != "note"]
        return html_table(names, [tuple(_cell(name, row[name]) for name in names) for row in listed])

    def to_pandas(self) -> Any:
        """Return a ``pandas.DataFrame`` with one row per candidate."""
        return import_module("pandas").DataFrame(rows(self) if self else [])

    def to_polars(self) -> Any:
        """Return a ``polars.DataFrame`` with one row per candidate."""
        return import_module("polars").DataFrame(rows(self) if self else [], infer_schema_length=None)


def _cell(name: str, value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.2f} s" if name.startswith("seconds") else f"{value:.5g}"
    # only the size of lists and mappings is shown, because they may contain labels
    return value if isinstance(value, str) else redacted(value)


@dataclass(frozen=True)
class TrialSettings:
    """Settings that all candidates share."""

    progress: Progress | None = None
    """Progress callback with the arguments (phase, amount done, total amount)."""
    budget: int | None = None
    """Largest number of itemset occurrences to count during verification. If None, the default of `verify` applies."""
    workload: WorkloadSpec = field(default_factory=WorkloadSpec)
    """Queries for the average relative error. There are none by default."""
    bound: bool = False
    """Whether to compare NCP with the minimum over all cuts of the hierarchy, for k^m-anonymity."""
    round_ends: bool = True
    """Whether the ends of published ranges are rounded outward."""
    known: Known = field(default_factory=dict, repr=False)
    """Bounds that are already proven. They hold for all candidates because the candidates share the table."""

    def run(
        self, table: Table, hierarchies: Mapping[str, Hierarchy], algorithm: Algorithm, candidate: Candidate
    ) -> Candidate:
        """Run a candidate with its algorithm on a table bound to its hierarchies, and verify its publication."""
        run = Run(Layout(symbols="members"), self.progress, accept=["worthless"], round_ends=self.round_ends)
        require_persons(table, algorithm.model, hierarchies)
        candidate, unverified = candidate.run(run, table, hierarchies, algorithm)
        if unverified is None:
            return candidate
        with run.watch.phase("verify"), unverified.sealed.kept():
            verdict = verify(unverified.publication, algorithm.model, budget=self.budget, progress=self.progress)
        of = coarsened_text(candidate.coarsened)
        analysis = analysis_of(unverified.publication)
        answered, classes = analysis.answers(table, self.workload, hierarchies), analysis.class_sizes()
        return replace(
            candidate,
            outcome=verdict.outcome,
            measures={
                **candidate.measures,
                **({} if classes is None else classes.measures()),
                **({} if answered is None else {"are": answered.are}),
                **(self._distance(unverified) if self.bound else {}),
            },
            phases=phases_of(run),
            note="; ".join([*unverified.warnings, *([f"losses are relative to {of}"] if of else [])]),
            reading=None if answered is None else answered.reading,
        )

    def _distance(self, unverified: UnverifiedPublication[Any]) -> dict[str, float]:
        """Return the minimum NCP over all cuts, and the share by which the NCP of the candidate exceeds it.

        If the publication suppresses items, the minimum includes cuts with suppression.
        """
        model, counts = unverified.algorithm.model, unverified.retention.get("items", {})
        column = unverified.table.transactions
        if not isinstance(model, BOUNDED) or column is None or column.name not in unverified.hierarchies:
            return {}
        figures, suppression = unverified.result.figures, counts.get("suppressed", 0) > 0
        if figures.get("gap") == 0:  # the search has already proven that the loss is minimal
            proven = Bound(figures["lower_bound"], bool(figures["suppression"]))
            self.known.setdefault((model.k, model.m, proven.suppression), proven)
        bounds = Bounds(unverified.table, unverified.hierarchies, self.progress, self.known)
        least = bounds.of(model.k, model.m, suppression=suppression).lower_bound
        return {"least_ncp": least} | ({"above_least": unverified.measures["ncp"] / least - 1} if least else {})


def compare(
    table: Table,
    algorithms: Iterable[Algorithm],
    *,
    hierarchies: Mapping[str, HierarchySpec] | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
    budget: int | None = None,
    workload: WorkloadSpec | None = None,
    bound: bool = False,
    round_ends: bool = True,
    publish_as_is: str | Collection[str] | None = None,
) -> Comparison:
    """Run several algorithms on a table and verify each result. Writes no publication.

    The kernels of each algorithm are compiled or loaded before timing starts.

    Parameters
    ----------
    algorithms
        Algorithms with their parameters. Duplicates are allowed.
    workload
        Queries for the average relative error.
    bound
        Whether to prove the minimum NCP of a cut of the hierarchy under the same k and m (`least_ncp`), and report the
        relative excess of each result (`above_least`: 0.05 is 5%). Local recodings can be below the minimum.
    round_ends, publish_as_is
        As for `anonset.anonymize`.

    Raises
    ------
    InputError
        If the table, a hierarchy or a parameter is invalid. An infeasible run is reported and is no error.

    Examples
    --------
    >>> from anonset.algorithms.transaction.cuts.apriori import Apriori
    >>> table = Table.from_sets([{"a1", "b1", "b2"}, {"a2", "b1"}, {"a2", "b1", "b2"}, {"a1", "a2", "b2"}])
    >>> for found in compare(table, [Apriori(k=k, m=2) for k in (2, 5)], hierarchies={"items": "balanced:2"}):
    ...     print(found.algorithm, found.settings, found.outcome)
    apriori {'k': 2, 'm': 2} holds
    apriori {'k': 5, 'm': 2} infeasible
    """
    require_table(table)
    table = with_as_is(table, publish_as_is)
    table = table if workers is None else table.with_workers(Threads(workers))
    trials = TrialSettings(progress, budget, workload or WorkloadSpec(), bound, round_ends)
    candidates = Comparison()
    with report_compilation(progress):
        for algorithm in algorithms:
            encoded, trees = bind(table, hierarchies or {}, algorithm.model)
            candidates.append(trials.run(encoded, trees, algorithm, _candidate_of(algorithm)))
    return candidates


def _candidate_of(algorithm: Algorithm) -> Candidate:
    parameters = fields(algorithm)  # type: ignore[arg-type]
    values = {
        parameter.name: getattr(algorithm, parameter.name)
        for parameter in parameters
        if getattr(algorithm, parameter.name) != parameter.default
    }
    return Candidate(algorithm.name, {name: plain(value) for name, value in values.items()})


def rows(candidates: Sequence[Candidate]) -> list[dict[str, Any]]:
    """Return a row for each candidate. The columns are the given parameters, outcome, losses and seconds.

    Raises
    ------
    AnonsetError
        If there are no candidates.
    """
    if not candidates:
        raise AnonsetError("no algorithms to compare")

    def names(of: str) -> list[str]:
        return list(dict.fromkeys(name for candidate in candidates for name in getattr(candidate, of)))

    return [
        {
            "algorithm": candidate.algorithm,
            "model": candidate.model,
            **{name: candidate.settings.get(name) for name in names("settings")},
            "outcome": candidate.outcome,
            **{name: candidate.measures.get(name) for name in names("measures")},
            **({"reading": candidate.reading} if any(candidate.reading for candidate in candidates) else {}),
            "seconds": candidate.seconds,
            "seconds_verify": candidate.phases.get("verify"),
            **({"peak_mib": candidate.peak_mib} if any(other.peak_mib is not None for other in candidates) else {}),
            "note": candidate.note,
        }
        for candidate in candidates
    ]
