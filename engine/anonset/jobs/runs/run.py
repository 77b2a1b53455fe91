"""A run from a table to a release. Its steps are to check, bind, search, apply, measure, verify and publish."""

from collections.abc import Callable, Collection, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import Any, cast

from anonset.algorithms.base import Algorithm, Result, traits_of
from anonset.algorithms.record_order import recode_in_order
from anonset.algorithms.transaction.base import bind_items
from anonset.data import Hierarchy, Table
from anonset.data.decimals import require_between_0_and_1
from anonset.data.domains import with_grid
from anonset.data.progress import Progress
from anonset.data.resumption.ledger import Ledger
from anonset.data.resumption.seals import Seal
from anonset.errors import Problem, WorthlessError
from anonset.generalization import Cut
from anonset.generalization.earlier_release import EarlierRelease
from anonset.generalization.other_release import OtherRelease
from anonset.jobs.runs.persons import further_findings, likely_persons, require_persons, unit_findings
from anonset.jobs.spellings import spelling_problems
from anonset.release.formats import Layout, UnverifiedPublication, kind_of
from anonset.release.losses import refuse_worthless, require_loss, require_under_ceilings
from anonset.release.publishing.destination import Destination
from anonset.release.publishing.publish import CheckOptions, publish, verify_release
from anonset.release.release import Release
from anonset.release.scan.disclosure_scan import require_originals_declared
from anonset.release.stopwatch import Stopwatch
from anonset.settings.binding import CeilingSpec, HierarchySpec, bind, cap, require_roles, with_as_is

_SEARCH = "search"


@dataclass(frozen=True)
class Run:
    """Steps of a run from a table to a release, with their settings.

    `anonymize`, `anonymize_file` and the check of proposed settings call these methods.
    """

    layout: Layout
    progress: Progress | None = None
    max_loss: float | None = None
    accept: Collection[str] = ()
    earlier: EarlierRelease | None = None
    """Earlier release to continue from."""
    watch: Stopwatch = field(default_factory=Stopwatch)
    """Timer of the phases."""
    ceilings: Mapping[str, CeilingSpec] = field(default_factory=dict)
    other_release: OtherRelease | None = None
    """Earlier release of the same persons. The earlier and the new release together must satisfy the model."""
    round_ends: bool = True
    publish_as_is: str | Collection[str] | None = None
    check: CheckOptions = field(default_factory=CheckOptions)
    trace: bool = False
    """Whether the private report contains the decisions of the search."""

    def unverified(
        self,
        table: Table,
        hierarchies: Mapping[str, HierarchySpec],
        algorithm: Algorithm,
        made_from: Callable[[Table, Mapping[str, Hierarchy]], Algorithm] | None = None,
    ) -> UnverifiedPublication[Any]:
        """Call `prepare`, then `search`."""
        table, bound, algorithm = self.prepare(table, hierarchies, algorithm, made_from)
        unverified = self.search(table, bound, algorithm)
        kind_of(algorithm.model).require_readable(unverified.publication)
        return unverified

    def release(
        self,
        unverified: UnverifiedPublication[Any],
        destination: Destination | None,
        context: Mapping[str, Any] | None = None,
    ) -> Release:
        """Verify the result of `unverified`, and publish it with `context` (see `publish`). Without a destination, the
        result is only verified.
        """
        documents = None
        if destination is not None:
            verdict, documents = publish(
                unverified, destination, self.layout, self.check, watch=self.watch, trace=self.trace,
                progress=self.progress, context=context,
            )  # fmt: skip
        else:
            with self.watch.phase("verify"):
                verdict = verify_release(unverified, unverified.publication, self.check, self.progress)
        layout = replace(self.layout, format=self.layout.format or "csv")
        return Release(unverified, verdict, layout, tuple(self.watch.phases), destination, documents)

    def prepare(
        self,
        table: Table,
        hierarchies: Mapping[str, HierarchySpec],
        algorithm: Algorithm,
        made_from: Callable[[Table, Mapping[str, Hierarchy]], Algorithm] | None = None,
    ) -> tuple[Table, Mapping[str, Hierarchy], Algorithm]:
        """Bind the table to the hierarchies, and reject tables that cannot be published.

        Parameters
        ----------
        made_from
            Function that creates the algorithm again. It is given if some parameters of the algorithm depend on the
            data.
        """
        table = with_as_is(table, self.publish_as_is)
        require_persons(table, algorithm.model, hierarchies)
        if self.layout.format is not None:
            require_originals_declared(table, algorithm.model)
        if self.earlier is not None:
            from anonset.release.publishing.continuation import continue_from

            table, hierarchies = continue_from(self.earlier, table, hierarchies, algorithm)
        with self.watch.phase("hierarchies"):
            table, bound = bind(table, hierarchies, algorithm.model)
            bound = cap(table, bound, self.ceilings)
            algorithm = algorithm if made_from is None else made_from(table, bound)
            kind_of(algorithm.model).require_publishable(table, bound, algorithm, self.layout)
        return table, bound, algorithm

    def search(
        self, table: Table, hierarchies: Mapping[str, Hierarchy], algorithm: Algorithm
    ) -> UnverifiedPublication[Any]:
        """Find a recoding of a bound table, apply it, and measure the loss."""
        require_roles(table, algorithm.model)
        other_release = self.other_release
        if other_release is not None:
            other_release.require_records(table.n)
            other_release = other_release.compared_with(table)
        table = self._with_grids(table, algorithm)
        if self.max_loss is not None:
            require_between_0_and_1("max_loss", self.max_loss)
        with ExitStack() as damage:
            with self.watch.phase("search"):
                sealed = Seal.of(table)
                damage.enter_context(sealed.checked_on_failure())
                result = self._recode(algorithm, table, hierarchies)
                if other_release is not None:
                    column = bind_items(table, hierarchies)[0]
                    suppressed = set(getattr(result.recoding, "suppressed", ()))
                    certain = other_release.certain_absence(table, set(column.vocabulary.labels) - suppressed)
                    from anonset.algorithms.transaction.joint_anonymity import (
                        raise_to_joint_anonymity,  # imported here because it imports scipy
                    )

                    result, linked = raise_to_joint_anonymity(
                        algorithm, result, column, other_release, self.progress, certain=certain
                    )
                    other_release = replace(other_release, linked=linked)
                hierarchies = _with_used(table, hierarchies, result)
            with self.watch.phase("apply"):
                layout = self.layout
                if self.earlier is not None:
                    layout = replace(layout, codes=self.earlier.codes, used_labels=self.earlier.used_labels)
                kind = kind_of(algorithm.model)
                publication = kind.apply(table, hierarchies, result, layout)
                of_tables = bool(table.tables) and not self.ceilings
                require_under_ceilings(algorithm, result, publication, hierarchies, of_tables=of_tables)
                since, decided = None, cast("Any", result.recoding)
                if self.earlier is not None:
                    self.earlier.require_kept(publication.symbols)
                    since = self.earlier.changes(decided, publication.symbols)
            with self.watch.phase("measure"):
                retention = kind.retention(table, result, publication)
                measures = kind.measures(table, hierarchies, algorithm, result, publication)
                warnings = kind.nothing_left(algorithm.model, table, publication)
                if problem := kind.why_worthless(algorithm.model, table, publication):
                    warnings = (f"the publication is worthless: {problem}",)
            require_loss(algorithm, measures, self.max_loss)
            if problem and "worthless" not in self.accept:
                raise WorthlessError(algorithm.name, refuse_worthless(algorithm, result, problem))
            warnings += kind.formula_warnings(publication) if self.layout.format == "csv" else ()
            against, further = unit_findings(table, algorithm.model), further_findings(table)
            contradictions, on_persons = (
                tuple(str(Problem(one.sentence)) for one in problems) for problems in (against, further)
            )
            warnings = (
                *map(str, (*against, *further)), *self.layout.warnings, *result.notes,
                *map(str, spelling_problems(table, algorithm.model)), *warnings,
            )  # fmt: skip
            return UnverifiedPublication(
                table, hierarchies, algorithm, result, publication, measures, retention, warnings, sealed,
                contradictions, likely_persons(against), on_persons,
                earlier=self.earlier, since=since, other_release=other_release,
            )  # fmt: skip

    def _with_grids(self, table: Table, algorithm: Algorithm) -> Table:
        """Return the table with grids of the numbers at which published ranges may end. The grids depend on all records
        and on k.
        """
        if not self.round_ends:
            return table
        k = algorithm.model.k or 1
        return replace(table, relational=tuple(with_grid(column, k) for column in table.relational))

    def _recode(self, algorithm: Algorithm, table: Table, hierarchies: Mapping[str, Hierarchy]) -> Result:
        ledger = Ledger.of(table.store, table, hierarchies)
        result: Result | None = ledger.finished(_SEARCH)
        if result is None:
            result = self._found(algorithm, table, hierarchies)
            ledger.finish(_SEARCH, result)
        return result

    def _found(self, algorithm: Algorithm, table: Table, hierarchies: Mapping[str, Hierarchy]) -> Result:
        traits = traits_of(algorithm)
        most = traits.split_records if table.store.in_files or traits.splits_in_memory else None
        if self.earlier is None and most is not None:
            from anonset.algorithms.split.solving import split_and_solve

            return split_and_solve(algorithm, most, table, hierarchies, progress=self.progress)
        if self.earlier is None:
            return recode_in_order(algorithm, table, hierarchies, progress=self.progress)
        from anonset.algorithms.coarsening import coarsened

        column, tree = bind_items(table, hierarchies)
        in_sets = tree is None or traits_of(algorithm).forms_sets
        start = self.earlier.cut(tree) if tree is not None and not in_sets else self.earlier.groups(column.vocabulary)
        return coarsened(algorithm, table, hierarchies, start, progress=self.progress)


def _with_used(table: Table, hierarchies: Mapping[str, Hierarchy], result: Result) -> Mapping[str, Hierarchy]:
    """Replace the tree of the items by the alternative tree (`Hierarchy.rival`) if the cut belongs to that tree."""
    name = "" if table.transactions is None else table.transactions.name
    if name not in hierarchies or not isinstance(result.recoding, Cut):
        return hierarchies
    used = result.recoding.hierarchy
    return {**hierarchies, name: used} if used is hierarchies[name].rival else hierarchies
