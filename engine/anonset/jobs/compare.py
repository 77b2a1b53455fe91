"""Several algorithms or parameters on one table: losses and times side by side."""

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
    """One algorithm with its parameters, and how it did."""

    algorithm: str
    parameters: Mapping[str, Any]
    """The parameters that were given."""
    outcome: str
    """``holds``, ``fails`` or ``undecided`` as verified, or ``infeasible``."""
    measures: Mapping[str, float]
    """Losses, and ``are`` where a workload was asked for."""
    seconds: Mapping[str, float]
    """Seconds of each phase, without those in which kernels were compiled."""
    note: str = field(default="", repr=False)
    """Why it is infeasible, or what is wrong with its publication."""
    reading: str | None = None
    """What symbols of several items stand for in the queries behind ``are``; None where there are none."""
    model: str = ""
    """The model of the guarantee, by name: losses under different ones are not alike."""
    peak_mib: float | None = None
    """Largest resident memory of the process, in MiB, where growth is studied."""

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={shown(value)}" for name, value in self.parameters.items())
        losses = f"; {figures_shown(self.measures)}" if self.measures else ""
        return f"Contestant({self.algorithm}({given}) {self.outcome}{losses})"


class Comparison(list[Contestant]):
    """Contestants in the order in which they were asked for, as a table in notebooks."""

    def __repr__(self) -> str:
        return f"Comparison({counted(len(self), 'contestant')})"

    def _repr_html_(self) -> str:
        """Return the contestants as a table, for notebooks."""
        if not self:
            return ""
        listed = rows(self)
        names = [name for name in listed[0] if name != "note"]
        return html_table(names, [tuple(_cell(name, row[name]) for name in names) for row in listed])

    def to_pandas(self) -> Any:
        """Return the contestants as a ``pandas.DataFrame``, a row each."""
        return import_module("pandas").DataFrame(rows(self) if self else [])

    def to_polars(self) -> Any:
        """Return the contestants as a ``polars.DataFrame``, a row each."""
        return import_module("polars").DataFrame(rows(self) if self else [], infer_schema_length=None)


def _cell(name: str, value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.2f} s" if name.startswith("seconds") else f"{value:.5g}"
    return value if isinstance(value, str) else shown(value)  # of lists and mappings their size: they may hold labels


@dataclass(frozen=True)
class Contest:
    """What is the same for every contestant."""

    progress: Progress | None = None
    """Called with (phase, amount done, total amount)."""
    budget: int | None = None
    """Largest number of itemset occurrences to count in verifying; None: the verification's default."""
    workload: WorkloadSpec = field(default_factory=WorkloadSpec)
    """Queries whose average relative error is measured; none by default."""
    bound: bool = False
    """Whether to hold NCP against the least that a cut of the hierarchy can have, where the model is k^m-anonymity."""
    round_ends: bool = True
    """Round the ends of published ranges outward."""
    known: Known = field(default_factory=dict, repr=False)
    """The bounds that were proven so far; all contestants have the same table."""

    def run(
        self, table: Table, hierarchies: Mapping[str, Hierarchy], algorithm: Algorithm, given: Mapping[str, Any]
    ) -> Contestant:
        """Run one contestant on a table that is bound to its hierarchies, and verify what it found."""
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
        """Return the least NCP of a cut, with suppression if items were suppressed, and how far above it this is."""
        model, counts = unverified.algorithm.model, unverified.retention.get("items", {})
        column = unverified.table.transactions
        if not isinstance(model, BOUNDED) or column is None or column.name not in unverified.hierarchies:
            return {}
        figures, suppression = unverified.result.figures, counts.get("suppressed", 0) > 0
        if figures.get("gap") == 0:  # it was proven in the search
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
    """Run several algorithms on one table, and verify what each of them found. Nothing is published.

    The kernels of each algorithm are compiled, or loaded, before its time is taken.

    Parameters
    ----------
    algorithms
        The algorithms with their parameters; the same one may come several times.
    workload
        Queries whose average relative error is measured too.
    bound
        Whether to prove how small the NCP of a cut of the hierarchy can be under the same k and m (`least_ncp`), and
        tell how far above it each one is (`above_least`: 0.05 is 5%). Local recodings can lie below.
    round_ends
        As for `anonset.anonymize`.

    Raises
    ------
    InputError
        If the table, a hierarchy or a parameter is not what it must be. What is infeasible is reported, and no error.

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
    """Return the parameters that are not what they are by default."""
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
        If there are none.
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
