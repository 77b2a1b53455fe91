"""Comparison of several algorithms or parameters on one table, with losses and run times."""

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from anonset.algorithms.base import Algorithm, Progress
from anonset.data import Hierarchy, Table
from anonset.data.redacted_repr import Discreet, figures_shown, shown
from anonset.data.workers import Threads
from anonset.errors import AnonsetError, InfeasibleError
from anonset.jobs.bounds import BOUNDED, Bound, Bounds, Known
from anonset.jobs.job import Job
from anonset.jobs.persons import require_persons
from anonset.jobs.workloads import WorkloadSpec, answers
from anonset.release.formats import Layout, Unverified
from anonset.release.statements import plain
from anonset.release.stopwatch import COMPILING, Stopwatch, tell_compiling
from anonset.release.tables import html_table
from anonset.settings.binding import HierarchySpec, bind, require_table
from anonset.spelling import counted
from anonset.verification import DEFAULT_BUDGET, verify


@dataclass(frozen=True)
class Contestant(Discreet):
    """Algorithm, parameters and run result."""

    algorithm: str
    parameters: Mapping[str, Any]
    """Given parameters."""
    outcome: str
    """Verification result: ``holds``, ``fails`` or ``undecided``; or ``infeasible``."""
    measures: Mapping[str, float]
    """Losses, and ``are`` if a workload was given."""
    seconds: Mapping[str, float]
    """Seconds of each phase, excluding kernel compilation."""
    note: str = field(default="", repr=False)
    """Reason why the run is infeasible, or the warnings about its publication."""
    reading: str | None = None
    """Reading of symbols with several items in the queries behind ``are``; None if there are no such queries."""
    model: str = ""
    """Name of the model. Losses under different models are not comparable."""
    peak_mib: float | None = None
    """Largest resident memory of the process, in MiB, if growth is measured."""

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={shown(value)}" for name, value in self.parameters.items())
        losses = f"; {figures_shown(self.measures)}" if self.measures else ""
        return f"Contestant({self.algorithm}({given}) {self.outcome}{losses})"


class Comparison(list[Contestant]):
    """Contestants in the requested order, shown as a table in notebooks."""

    def __repr__(self) -> str:
        return f"Comparison({counted(len(self), 'contestant')})"

    def _repr_html_(self) -> str:
        """Return the contestants as an HTML table."""
        if not self:
            return ""
        listed = rows(self)
        names = [name for name in listed[0] if name != "note"]
        return html_table(names, [tuple(_cell(name, row[name]) for name in names) for row in listed])

    def to_pandas(self) -> Any:
        """Return a ``pandas.DataFrame`` with one row per contestant."""
        return import_module("pandas").DataFrame(rows(self) if self else [])

    def to_polars(self) -> Any:
        """Return a ``polars.DataFrame`` with one row per contestant."""
        return import_module("polars").DataFrame(rows(self) if self else [], infer_schema_length=None)


def _cell(name: str, value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.2f} s" if name.startswith("seconds") else f"{value:.5g}"
    # lists and mappings: their size only, since they may contain labels
    return value if isinstance(value, str) else shown(value)


@dataclass(frozen=True)
class Contest:
    """Settings shared by all contestants."""

    progress: Progress | None = None
    """Called with (phase, amount done, total amount)."""
    budget: int | None = None
    """Largest number of itemset occurrences to count during verification; None: the default of `verify`."""
    workload: WorkloadSpec = field(default_factory=WorkloadSpec)
    """Queries whose average relative error is measured; none by default."""
    bound: bool = False
    """Whether to compare NCP with the minimum over all cuts of the hierarchy, for k^m-anonymity."""
    round_ends: bool = True
    """Whether the ends of published ranges are rounded outward."""
    known: Known = field(default_factory=dict, repr=False)
    """Bounds proven so far; all contestants share the table."""

    def run(
        self, table: Table, hierarchies: Mapping[str, Hierarchy], algorithm: Algorithm, given: Mapping[str, Any]
    ) -> Contestant:
        """Run one contestant on a table bound to its hierarchies, and verify its publication."""
        name, layout, ends = algorithm.name, Layout(symbols="members"), self.round_ends
        job = Job(layout, self.progress, allow_worthless=True, round_ends=ends)
        require_persons(table, algorithm.model, hierarchies)
        try:
            unverified = job.search(table, hierarchies, algorithm)
        except InfeasibleError as error:
            seconds = _seconds(job.watch)
            return Contestant(name, given, "infeasible", {}, seconds, str(error), model=algorithm.model.name)
        with job.watch.phase("verify"):
            budget = DEFAULT_BUDGET if self.budget is None else self.budget
            verdict = verify(unverified.publication, algorithm.model, budget=budget, progress=self.progress)
        measures = dict(unverified.measures)
        answered = answers(table, unverified.publication, self.workload, hierarchies)
        measures |= {} if answered is None else {"are": answered.are}
        measures |= self._distance(unverified) if self.bound else {}
        note, reading = "; ".join(unverified.warnings), None if answered is None else answered.reading
        seconds, model = _seconds(job.watch), algorithm.model.name
        return Contestant(name, given, verdict.outcome, measures, seconds, note, reading, model)

    def _distance(self, unverified: Unverified[Any]) -> dict[str, float]:
        """Return the minimum NCP of all cuts and the relative excess of this NCP.

        The minimum includes cuts with suppression if the publication suppresses items.
        """
        model, counts = unverified.algorithm.model, unverified.retention.get("items", {})
        column = unverified.table.transactions
        if not isinstance(model, BOUNDED) or column is None or column.name not in unverified.hierarchies:
            return {}
        figures, suppression = unverified.result.figures, counts.get("suppressed", 0) > 0
        if figures.get("gap") == 0:  # already proven by the search
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
) -> Comparison:
    """Run several algorithms on one table, and verify each result. Publishes nothing.

    The kernels of each algorithm are compiled or loaded before timing starts.

    Parameters
    ----------
    algorithms
        Algorithms with their parameters; duplicates are allowed.
    workload
        Queries whose average relative error is also measured.
    bound
        Whether to prove the minimum NCP of a cut of the hierarchy under the same k and m (`least_ncp`), and report the
        relative excess of each result (`above_least`: 0.05 is 5%). Local recodings can be below the minimum.
    round_ends
        As for `anonset.anonymize`.

    Raises
    ------
    InputError
        If the table, a hierarchy or a parameter is invalid. An infeasible run is reported and is no error.

    Examples
    --------
    >>> from anonset.algorithms.transaction.apriori import Apriori
    >>> table = Table.from_sets([{"a1", "b1", "b2"}, {"a2", "b1"}, {"a2", "b1", "b2"}, {"a1", "a2", "b2"}])
    >>> for found in compare(table, [Apriori(k=k, m=2) for k in (2, 5)], hierarchies={"items": "balanced:2"}):
    ...     print(found.algorithm, found.parameters, found.outcome)
    apriori {'k': 2, 'm': 2} holds
    apriori {'k': 5, 'm': 2} infeasible
    """
    require_table(table)
    table = table if workers is None else table.on(Threads(workers))
    contest = Contest(progress, budget, workload or WorkloadSpec(), bound, round_ends)
    contestants = Comparison()
    with tell_compiling(progress):
        for algorithm in algorithms:
            encoded, trees = bind(table, hierarchies or {}, algorithm.model)
            contestants.append(contest.run(encoded, trees, algorithm, _given(algorithm)))
    return contestants


def _given(algorithm: Algorithm) -> dict[str, Any]:
    """Return the parameters that differ from their defaults."""
    fields = dataclasses.fields(algorithm)  # type: ignore[arg-type]
    values = {own.name: getattr(algorithm, own.name) for own in fields if getattr(algorithm, own.name) != own.default}
    return {name: plain(value) for name, value in values.items()}


def _seconds(watch: Stopwatch) -> dict[str, float]:
    return {phase.name: phase.seconds for phase in watch.phases if phase.name != COMPILING}


def rows(contestants: Sequence[Contestant]) -> list[dict[str, Any]]:
    """Return contestants as rows with the same columns: given parameters, outcome, losses, seconds.

    Raises
    ------
    AnonsetError
        If there are no contestants.
    """
    if not contestants:
        msg = "there is nothing to compare"
        raise AnonsetError(msg)

    def names(of: str) -> list[str]:
        return list(dict.fromkeys(name for contestant in contestants for name in getattr(contestant, of)))

    return [
        {
            "algorithm": contestant.algorithm,
            "model": contestant.model,
            **{name: contestant.parameters.get(name) for name in names("parameters")},
            "outcome": contestant.outcome,
            **{name: contestant.measures.get(name) for name in names("measures")},
            **({"reading": contestant.reading} if any(contestant.reading for contestant in contestants) else {}),
            "seconds": sum(contestant.seconds.get(name, 0.0) for name in ("search", "apply")),
            "seconds_verify": contestant.seconds.get("verify"),
            **({"peak_mib": contestant.peak_mib} if any(one.peak_mib is not None for one in contestants) else {}),
            "note": contestant.note,
        }
        for contestant in contestants
    ]
