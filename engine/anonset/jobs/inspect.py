"""What is in data and at risk before anything is published: columns, roles that are proposed, and who is unique."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from anonset.data import Table
from anonset.data.discreet import Discreet
from anonset.errors import InputError
from anonset.io.dialect import Dialect
from anonset.io.profiles import Profile, profile, same_values
from anonset.io.read import read
from anonset.io.roles import names_in
from anonset.io.sources import Reading, Source, open_source
from anonset.jobs.profiled import profiles_of
from anonset.measures.equivalence_classes import class_sizes
from anonset.measures.known_items import KnownItems, known_items, number_of_sets
from anonset.measures.shares import Share, share_of
from anonset.privacy.model import require_size
from anonset.release.costs import memory_for
from anonset.release.tables import html_table
from anonset.settings.binding import HierarchySpec, bind_columns
from anonset.settings.proposal import Proposed, of_sets, propose, settings_of
from anonset.spelling import counted, setting

_READING = (
    "separator",
    "delimiter",
    "encoding",
    "no_header",
    "input_format",
    "labels",
    "normalize",
    "unknown",
    "inner_items",
)
_ROLES = ("items", "one_hot", "one_code", "relational", "sensitive", "id", "keep", "drop")


@dataclass(frozen=True)
class ColumnFindings(Discreet):
    """A column, and the role that it has or that is proposed for it."""

    profile: Profile
    """What it looks like."""
    role: str
    """The role, as a setting."""
    reason: str
    """Why it is proposed; ``given`` where the role was given."""
    hierarchy: str | None = None
    """What it may be generalized by."""


@dataclass(frozen=True)
class ClassFindings(Discreet):
    """How records agree in their quasi-identifiers."""

    columns: tuple[str, ...]
    """The quasi-identifiers."""
    classes: int
    """Number of different combinations of values."""
    smallest: int
    """Records in the smallest equivalence class."""
    unique: Share
    """Share of the records that are alone in theirs."""
    below_k: Share
    """Share of the records in classes smaller than k."""


@dataclass(frozen=True)
class Findings(Discreet):
    """What is in data, and at risk before anything is published. Holds no value of the data."""

    source: str
    """What was looked at."""
    columns: tuple[ColumnFindings, ...]
    """The columns, in their order."""
    rows: int
    """Rows of the data."""
    records: int
    """Records that they make: rows of the same person are one where they are grouped."""
    persons: int | None
    """Persons, where an identifier tells them apart."""
    k: int
    """Below so many records, a group is small."""
    m: int
    """Known items of which the guarantee would speak."""
    quasi_identifiers: ClassFindings | None
    """How records agree in their quasi-identifiers."""
    known_items: tuple[KnownItems, ...]
    """What 1, …, m + 1 known items leave."""
    problems: tuple[str, ...] = field(repr=False)
    """What would be refused, or should be looked at."""
    memory: int | None
    """Bytes that a run is estimated to take."""
    seconds: float | None
    """Seconds that a run may take, roughly."""
    settings: Mapping[str, Any]
    """The settings that were found to work, as those of a job."""

    def _repr_html_(self) -> str:
        """Return the findings as tables, for notebooks."""
        rows = [(c.profile.name, c.profile.kind, f"{c.profile.distinct:,}", c.role, c.reason) for c in self.columns]
        known = [
            (str(one.size), str(one.worst(2)), str(one.worst(self.k)), str(one.average_unique))
            for one in self.known_items
        ]
        return "".join(
            [
                html_table(("column", "kind", "distinct", "role", "because"), rows),
                html_table(("known items", "unique at worst", f"fewer than {self.k}", "unique on average"), known),
                html_table(("problems",), [(f"{len(self.problems)}, told by .problems",)] if self.problems else []),
            ]
        )


def inspect(
    source: Any,
    *,
    k: int = 5,
    m: int = 2,
    hierarchies: Mapping[str, HierarchySpec] | None = None,
    seed: int = 0,
    **given: Any,
) -> Findings:
    """Look at data before they are anonymized: columns, proposed roles, persons, who is unique, and what is wrong.

    Nothing is published, and no value of the data is shown.

    Parameters
    ----------
    source
        What `anonset.read` takes, or a table that it returned.
    k
        Groups of fewer records are small.
    m
        Known items that the guarantee shall speak of; up to one more are looked at.
    hierarchies
        Of columns for which there are any; they are held against the data.
    seed
        Seed of the samples by which shares are estimated that cannot be counted in seconds.
    given
        Roles of columns and ways of reading, as for `anonset.read`; other columns get the roles that are proposed.

    Raises
    ------
    InputError
        If the data cannot be read at all. All else that is wrong is told in `Findings.problems`.

    Examples
    --------
    >>> found = inspect({"name": ["Ann", "Bo", "Cid", "Di"], "codes": ["a b", "a b c", "a", "b c"]}, items="codes")
    >>> [(column.profile.name, column.role) for column in found.columns]
    [('name', 'drop'), ('codes', 'items')]
    >>> [str(known.worst(2)) for known in found.known_items]
    ['0.0%', '25.0%', '25.0%']
    """
    require_size("k", k)
    require_size("m", m)
    start = time.perf_counter()
    if isinstance(source, Table):
        found = profiles_of(source)
        columns = tuple(ColumnFindings(one, role, "given", None) for role, one in found)
        work = _Work("the given table", columns, {}, [], source, source.n)
    else:
        work = _read(source, given, hierarchies or {})
    table = work.table
    if table is None:
        return _unread(work, k, m)
    known = () if table.transactions is None else known_items(table.transactions, m + 1, k, seed=seed)
    return Findings(
        work.where, work.columns, work.rows, table.n, table.n if table.ids else None, k, m,
        _classes(table, k), known, (*work.problems, *_warnings(table, k)),
        _memory(source), _seconds(table, m, time.perf_counter() - start), work.settings,
    )  # fmt: skip


@dataclass
class _Work:
    """What was found so far."""

    where: str
    columns: tuple[ColumnFindings, ...]
    settings: dict[str, Any]
    problems: list[str]
    table: Table | None
    rows: int


def _read(source: Any, given: Mapping[str, Any], hierarchies: Mapping[str, HierarchySpec]) -> _Work:
    """Profile the columns, propose roles for those that have none, and try to read the data by them."""
    roles = {role: given.get(role) for role in _ROLES if given.get(role)}
    dialect = Dialect.of(given.get("delimiter"), given.get("encoding"), bool(given.get("no_header")))
    named = [name for names in roles.values() for name in names_in((), names)]

    def lacking(names: Sequence[str]) -> list[str]:
        return [name for name in named if name not in names and not name.endswith("*")]

    how = Reading(given.get("input_format"), dialect, given.get("separator"), lacking, given.get("labels"))
    opened = open_source(source, how)
    loaded = opened.load(opened.names)
    profiles = [profile(name, loaded[name], given.get("separator")) for name in opened.names]
    proposed = propose(profiles, lambda one, other: same_values(loaded[one], loaded[other]))
    proposed = _with_given(opened, proposed, given)
    work = _Work(opened.where, (), {}, _null_problems(profiles), None, profiles[0].records if profiles else 0)
    trial = _Trial(source, given, dict(proposed), profiles)
    work.table, proposed, more = trial.run(work.problems)
    work.settings = more
    work.columns = tuple(
        ColumnFindings(one, proposed[one.name].role, proposed[one.name].reason, proposed[one.name].hierarchy)
        for one in profiles
    )
    _try_hierarchies(work, hierarchies)
    return work


def _with_given(opened: Source, proposed: dict[str, Proposed], given: Mapping[str, Any]) -> dict[str, Proposed]:
    """Put the roles that were given in the place of those that were proposed."""
    found = dict(proposed)
    for role in _ROLES:
        for name in names_in(opened.names, given.get(role)):
            matching = [n for n in opened.names if name.endswith("*") and n.startswith(name[:-1])] or [name]
            for one in matching:
                spec = proposed[one].hierarchy if one in proposed else None
                numeric = one in names_in(opened.names, given.get("numeric"))
                spec = "range" if numeric else "balanced:5" if role == "items" else spec or "values"
                found[one] = Proposed(role, "given", spec if role in ("items", "relational") else None)
    if any(given.get(role) for role in ("items", "one_hot", "one_code")):  # one shape of sets is enough
        for name, own in found.items():
            if own.role in ("items", "one_hot", "one_code") and own.reason != "given":
                found[name] = Proposed("relational", "may be known of a person", "values")
    return found


@dataclass
class _Trial:
    """Reads the data by proposed roles; where that is refused, notes why and goes another way."""

    source: Any
    given: Mapping[str, Any]
    proposed: dict[str, Proposed]
    profiles: list[Profile]

    def run(self, problems: list[str]) -> tuple[Table | None, dict[str, Proposed], dict[str, Any]]:
        """Return the table, the roles by which it was read, and the settings."""
        by_name = {one.name: one for one in self.profiles}
        options = {name: self.given[name] for name in (*_READING, "missing", "group") if self.given.get(name)}
        options |= self._separator(by_name)
        if any(one.nulls for one in self.profiles) and "missing" not in options:
            options["missing"] = "empty,value"
        ids = [name for name, one in self.proposed.items() if one.role == "id"]
        repeated = len(ids) == 1 and by_name[ids[0]].uniqueness < 1 and "sensitive" not in self.given
        for proposed, more in self._ways(ids, by_name, repeated=repeated):
            try:
                settings = {**settings_of(proposed), **options, **more}
                return read(self.source, **settings), proposed, settings
            except InputError as error:
                problems.append(str(error))
        return None, self.proposed, options

    def _separator(self, by_name: Mapping[str, Profile]) -> dict[str, str]:
        sets = (one for name, one in by_name.items() if self.proposed[name].role == "items")
        marks = {one.separator for one in sets if one.separator is not None}
        chosen = len(marks) == 1 and marks != {" "} and "separator" not in self.given
        return {"separator": marks.pop()} if chosen else {}

    def _ways(
        self, ids: list[str], by_name: Mapping[str, Profile], *, repeated: bool
    ) -> list[tuple[dict[str, Proposed], dict[str, Any]]]:
        """Return in which ways the data may be read: rows of a person as one record, where they repeat, or apart."""
        ways: list[tuple[dict[str, Proposed], dict[str, Any]]] = []
        sets = any(one.role in ("items", "one_hot", "one_code") for one in self.proposed.values())
        if repeated and not self.given.get("group"):
            if sets:
                ways.append((self.proposed, {"group": True}))
            ways += [(of_sets(self.proposed, name), {"group": True}) for name in self._coded(by_name) if not sets]
            apart = replace(self.proposed[ids[0]], role="drop", reason="repeats, and its rows differ otherwise")
            ways.append(({**self.proposed, ids[0]: apart}, {}))
        else:
            ways.append((self.proposed, {}))
        plain = {
            name: replace(one, hierarchy="values") if one.hierarchy == "range" else one
            for name, one in ways[-1][0].items()
        }
        return [*ways, (plain, ways[-1][1])]

    def _coded(self, by_name: Mapping[str, Profile]) -> list[str]:
        """Return the columns that may hold one code a row, the one of the most values first."""
        free = [n for n, one in self.proposed.items() if one.role in ("relational", "keep") and one.reason != "given"]
        free = [n for n in free if by_name[n].kind in ("text", "integers") or "codes" in by_name[n].kind]
        return sorted((n for n in free if by_name[n].distinct > 2), key=lambda n: -by_name[n].distinct)[:1]


def _try_hierarchies(work: _Work, given: Mapping[str, HierarchySpec]) -> None:
    """Hold the hierarchies against the data: those that were given, and those that are proposed."""
    fitting: dict[str, Any] = {}
    if work.table is None:
        return
    sets = work.table.joined or (() if work.table.transactions is None else (work.table.transactions.name,))
    relational = [column.name for column in work.table.relational]
    proposed = {one.profile.name: one.hierarchy for one in work.columns if one.hierarchy}
    wanted: dict[str, Any] = {name: given.get(name, proposed.get(name, "balanced:5")) for name in sets}
    wanted |= {name: given.get(name, proposed.get(name, "values")) for name in relational}
    wanted |= {name: spec for name, spec in given.items() if name not in wanted}
    for name, spec in wanted.items():
        others: dict[str, Any] = {other: "balanced:5" for other in sets if name in sets and other != name}
        try:
            bind_columns(work.table, {**others, name: spec})
            fitting[name] = spec
        except InputError as error:
            work.problems.append(str(error))
            if name in sets or name in relational:
                fitting[name] = "balanced:5" if name in sets else "values"
    work.settings = {**work.settings, "hierarchy": fitting}
    work.columns = tuple(replace(c, hierarchy=_spelled(fitting.get(c.profile.name))) for c in work.columns)


def _spelled(spec: Any) -> str | None:
    return spec if spec is None or isinstance(spec, str) else str(spec) if isinstance(spec, Path) else "given"


def _null_problems(profiles: Sequence[Profile]) -> list[str]:
    """Say where values are missing."""
    found = []
    for one in profiles:
        if one.nulls:
            way = setting("missing", "empty,value")
            found.append(f"column {one.name!r}: {counted(one.nulls, 'null')}, refused unless {way}")
        if one.missing and one.kind in ("integers", "numbers"):
            what = counted(one.missing, "row")
            found.append(f"column {one.name!r}: no number in {what}: it can be read as text alone, or filled in")
    return found


def _warnings(table: Table, k: int) -> list[str]:
    """Say what the owner should look at, although nothing refuses it."""
    found = []
    if not table.ids:
        found.append(
            "no identifier: each row is taken for a person; somebody with several rows is not protected as one"
        )
    if table.n < k:
        found.append(f"{counted(table.n, 'record')}: fewer than k={k}, nothing can be published")
    if table.transactions is not None and (empty := table.n - table.transactions.n_nonempty):
        found.append(f"{counted(empty, 'record')} without any item")
    return found


def _unread(work: _Work, k: int, m: int) -> Findings:
    return Findings(
        work.where, work.columns, work.rows, 0, None, k, m, None, (), tuple(work.problems), None, None, work.settings
    )


def _classes(table: Table, k: int) -> ClassFindings | None:
    if not table.relational or not table.n:
        return None
    sizes = class_sizes(table.relational, table.n)
    names = tuple(column.name for column in table.relational)
    classes = round(float((1.0 / sizes).sum()))
    return ClassFindings(names, classes, int(sizes.min()), share_of(sizes == 1), share_of(sizes < k))


def _memory(source: Any) -> int | None:
    from anonset.io.files import estimate_bytes

    return memory_for(estimate_bytes(source)) if isinstance(source, (str, Path)) else None


def _seconds(table: Table, m: int, spent: float) -> float:
    """Estimate the seconds of a run: reading and writing, and a few steps for each set of up to m items."""
    sets = 0.0 if table.transactions is None else number_of_sets(table.transactions.lengths, m)
    return 2.0 + 2 * spent + table.n / 100_000 + sets / 2e7
