"""Check the given and the proposed hierarchies of a proposal against the data."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from anonset.columns.coarse_rules import coarse_rule
from anonset.columns.kinds import kind_of_values
from anonset.columns.rare_texts import are_rare_texts
from anonset.columns.roles import tree_of
from anonset.data import CategoricalColumn, Table
from anonset.data.domains import lists_persons
from anonset.data.hierarchies.hierarchy_rules import PROPOSED, VALUES, is_rule
from anonset.data.table import Column
from anonset.errors import InputError, Problem
from anonset.jobs.proposals.proposal import Proposal, read_with_settings
from anonset.reading.batches import OpenedSource, with_null_words
from anonset.reading.roles import names_in
from anonset.settings.binding import HierarchySpec, bind_columns
from anonset.settings.remedies import remedy_for

_MOST_LEFT_OUT = 0.25
"""Maximum share of code occurrences that may be dropped because a hierarchy does not contain their codes."""


def try_hierarchies(work: Proposal, given: Mapping[str, HierarchySpec], opened: OpenedSource, k: int) -> None:
    """Check the given and the proposed hierarchies against the data."""
    if work.table is None:
        return
    fitting, proposed = (
        dict[str, Any](),
        {column.profile.name: column.hierarchy for column in work.columns if column.hierarchy},
    )
    sets, relational = work.table.item_columns, [column.name for column in work.table.relational]
    wanted: dict[str, Any] = {name: given.get(name, proposed.get(name, _tree_of_wide(work.table))) for name in sets}
    wanted |= {name: given.get(name, proposed.get(name, VALUES)) for name in relational}
    wanted |= {name: spec for name, spec in given.items() if name not in wanted}
    with suppress(InputError):  # this check is faster than comparing all pairs of columns
        bind_columns(work.table, wanted)
        fitting = dict(wanted)
    for name, spec in () if fitting else wanted.items():
        others: dict[str, Any] = {other: PROPOSED for other in sets if name in sets and other != name} | fitting
        try:
            bind_columns(work.table, {**others, name: spec})
            fitting[name] = spec
        except InputError as error:
            if (problem := _read_with_remedy(work, opened, name, spec, others)) is not None:
                work.problems.append(problem)
                fitting[name] = spec
                continue
            work.problems.append(error.problem)
            if name in sets or name in relational:
                fitting[name] = PROPOSED if name in sets else VALUES
    fitting = _coarse_enough(work.table, fitting, given, k)
    work.settings = {**work.settings, "hierarchy": fitting}
    spelled = {name: _spelled(spec) for name, spec in fitting.items()}
    work.columns = tuple(
        column
        if column.hierarchy == spelled.get(column.profile.name)
        else replace(column, proposed=replace(column.proposed, hierarchy=spelled.get(column.profile.name)))
        for column in work.columns
    )


def _coarse_enough(table: Table, fitting: Mapping[str, Any], given: Mapping[str, Any], k: int) -> dict[str, Any]:
    """Replace each proposed rule by a coarser rule if its published sets of leaves would list persons."""
    coarse = dict(fitting)
    for column in () if table.transactions is None else table.relational:
        rule = fitting.get(column.name)
        if is_rule(rule) and column.name not in given and isinstance(column, CategoricalColumn):
            labels, counts = column.vocabulary.labels, column.occurrences.tolist()
            if sets_list_persons(column, k) and (better := coarse_rule(column.name, labels, counts, k, str(rule))):
                coarse[column.name] = better
    return coarse


def _tree_of_wide(table: Table) -> str:
    return PROPOSED if table.transactions is None else tree_of(kind_of_values(table.transactions.vocabulary.labels))


def _read_with_remedy(
    work: Proposal, opened: OpenedSource, name: str, spec: Any, others: Mapping[str, Any]
) -> Problem | None:
    """Read the data again with normalization rules that turn codes into leaves of a hierarchy. Return None unless the
    rules keep most codes.
    """
    if work.table is None:
        return None
    try:
        problem, lost = remedy_for(work.table, name, spec) or (None, 1.0)
        if problem is None or lost > _MOST_LEFT_OUT:
            return None
        changes = problem.fixes[0].settings
        rules = [*names_in((), work.settings.get("normalize")), *changes.get("normalize", ())]
        settings = {**work.settings, **changes, **({"normalize": rules} if rules else {})}
        if "null" in changes:
            opened = with_null_words(opened, changes["null"])
            settings["null"] = [*names_in((), work.settings.get("null")), *changes["null"]]
            settings["missing"] = ",".join({**dict.fromkeys(names_in((), work.settings.get("missing"))), "value": None})
        table = read_with_settings(opened, settings)
        bind_columns(table, {**others, name: spec})
    except InputError:
        return None
    work.table, work.settings = table, settings
    return problem


def sets_list_persons(column: Column, k: int) -> bool:
    """Return True if published sets of the values of a column would list persons."""
    if not isinstance(column, CategoricalColumn) or column.vocabulary.filed is not None:
        return False
    counts = column.occurrences
    return lists_persons(counts, k, column.n) or are_rare_texts(column.vocabulary.labels, counts.tolist(), k)


def _spelled(spec: Any) -> str | None:
    return spec if spec is None or isinstance(spec, str) else str(spec) if isinstance(spec, Path) else "given"
