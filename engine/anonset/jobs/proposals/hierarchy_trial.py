"""Try the given and the proposed hierarchies of a proposal on the data."""

from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from anonset.columns.kinds import look_at
from anonset.columns.personal_values import are_rare_texts
from anonset.columns.roles import SETS, coarse_rule, tree_of
from anonset.data import CategoricalColumn, Table
from anonset.data.domains import lists_persons
from anonset.data.hierarchies.hierarchy_rules import PROPOSED, VALUES, is_rule
from anonset.data.table import Column
from anonset.errors import Fix, InputError, Problem
from anonset.jobs.proposals.proposal import Proposal, read_with_settings
from anonset.reading.batches import OpenedSource, with_null_words
from anonset.settings.binding import HierarchySpec, bind_columns
from anonset.settings.edits import edited
from anonset.settings.fitting import SUPPRESSED, part_of
from anonset.settings.job import Job
from anonset.spelling import counted

_RULES = frozenset({"normalize", "inner_items", "unknown", "null", "missing"})
"""Settings that change labels of the data to leaves."""
_MOST_LEFT_OUT = 0.25
"""Maximum share of code occurrences that may be dropped because a hierarchy does not contain their codes."""


def try_hierarchies(proposal: Proposal, given: Mapping[str, HierarchySpec], opened: OpenedSource, k: int) -> Proposal:
    """Return the proposal with the given and the proposed hierarchies that fit the data, and with a problem for each
    other hierarchy. If rules turn the codes into leaves of a hierarchy, the data are read again with these rules.
    """
    if (table := proposal.table) is None:
        return proposal
    wanted, fitting = _wanted(proposal, table, given), dict[str, HierarchySpec]()
    with suppress(InputError):  # this check is faster than comparing all pairs of columns
        bind_columns(table, wanted)
        fitting = dict(wanted)
    for name, spec in () if fitting else wanted.items():
        items = dict.fromkeys(table.item_columns if name in table.item_columns else (), PROPOSED)
        others = {other: spec for other, spec in {**items, **fitting}.items() if other != name}
        try:
            bind_columns(table, {**others, name: spec})
            fitting[name] = spec
        except InputError as error:
            if (remedied := _with_remedy(proposal, table, opened, {**others, name: spec}, error)) is not None:
                proposal, table = remedied
                fitting[name] = spec
                continue
            proposal = replace(proposal, problems=(*proposal.problems, error.problem))
            if name in table.item_columns:
                fitting[name] = PROPOSED
            elif any(column.name == name for column in table.relational):
                fitting[name] = VALUES
    fitting = _coarse_enough(table, fitting, given, k)
    spelled = {name: _spelled(spec) for name, spec in fitting.items()}
    columns = [
        replace(column, proposed=replace(column.proposed, hierarchy=spelled.get(column.profile.name)))
        for column in proposal.columns
    ]
    return replace(proposal, columns=tuple(columns), settings=Job({**proposal.settings, "hierarchy": fitting}))


def _wanted(proposal: Proposal, table: Table, given: Mapping[str, HierarchySpec]) -> dict[str, HierarchySpec]:
    """Return the given and the proposed hierarchies of the published columns, and the given ones of other columns,
    without columns that may still become the items.
    """
    proposed = {column.profile.name: column.hierarchy for column in proposal.columns if column.hierarchy}
    items = [] if table.transactions is None else table.transactions.vocabulary.labels
    sets = {name: proposed.get(name) or tree_of(look_at(name, items).kind) for name in table.item_columns}
    published = {**sets, **{column.name: proposed.get(column.name, VALUES) for column in table.relational}}
    asked = {name for answer in proposal.item_answers for name in Job(answer.settings).names(*SETS)}
    return {**published, **{name: spec for name, spec in given.items() if name in published or name not in asked}}


def _coarse_enough(
    table: Table, fitting: Mapping[str, HierarchySpec], given: Collection[str], k: int
) -> dict[str, HierarchySpec]:
    """Replace each proposed rule by a coarser rule if its published sets of leaves would list persons."""
    coarse = dict(fitting)
    for column in () if table.transactions is None else table.relational:
        rule = fitting.get(column.name)
        if is_rule(rule) and column.name not in given and isinstance(column, CategoricalColumn):
            labels, counts = column.vocabulary.labels, column.occurrences.tolist()
            if sets_list_persons(column, k) and (better := coarse_rule(column.name, labels, counts, k, str(rule))):
                coarse[column.name] = better
    return coarse


def _with_remedy(
    proposal: Proposal, table: Table, opened: OpenedSource, specs: Mapping[str, HierarchySpec], error: InputError
) -> tuple[Proposal, Table] | None:
    """Read the data again with the fixes of an error about labels that are no leaves of their hierarchy. Return None
    unless the fixes keep most codes.
    """
    changes = Job()
    for fix in error.fixes:
        changes = Job({**fix.settings, **changes}) if _RULES.issuperset(fix.settings) else changes
    part = part_of(table, str(error.place.get("column")))
    if part is None or not changes:
        return None
    before = proposal.settings
    settings = edited(before, changes)
    if "null" in changes:
        opened = with_null_words(opened, changes["null"])
        ways = ",".join(dict.fromkeys([*before.names("missing"), "value"]))
        settings = settings.with_(missing=ways)
    try:
        table = read_with_settings(opened, settings)
        bound, _ = bind_columns(table, specs)
    except InputError:
        return None
    removed = [change for change in bound.changes if (change.column, change.rule) == (part.name, SUPPRESSED)]
    labels, lost = sum(change.labels for change in removed), sum(change.occurrences for change in removed)
    share = lost / max(1, sum(part.occurrences))
    if share > _MOST_LEFT_OUT:
        return None
    wrong = int(error.place.get("count", labels))
    problem = f"hierarchy of {part.name!r}: {wrong:,} of {counted(len(part.labels), 'label')} "
    loss = f"with {counted(labels, 'value')} suppressed ({share:.1%} of the occurrences)" if labels else ""
    found = Problem(f"{problem}{'is not a leaf' if wrong == 1 else 'are not leaves'}", [Fix(changes, loss)])
    return replace(proposal, table=table, settings=settings, problems=(*proposal.problems, found)), table


def sets_list_persons(column: Column, k: int) -> bool:
    """Return True if published sets of the values of a column would list persons."""
    if not isinstance(column, CategoricalColumn) or column.vocabulary.filed is not None:
        return False
    counts = column.occurrences
    return lists_persons(counts, k, column.n) or are_rare_texts(column.vocabulary.labels, counts.tolist(), k)


def _spelled(spec: Any) -> str | None:
    return spec if spec is None or isinstance(spec, str) else str(spec) if isinstance(spec, Path) else "given"
