"""Random cases, each drawn from an integer: a table, column roles, hierarchies and parameters."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from anonset.algorithms.registry import ALGORITHMS
from anonset.verification.check import BUDGET
from fuzz.parameters import Drawn, parameters_of
from reference.hierarchy_model import Tree

NAMES = tuple(name for name, cls in ALGORITHMS.items() if cls.__module__.startswith("anonset."))
RELATIONAL = (
    *("cluster", "mondrian", "k-member", "xu-bottom-up", "xu-top-down"),
    *("full-domain", "local-recoding", "bottom-up", "top-down"),
)
RT = ("joint-split", "rum-bound", "tum-bound", "rfirst", "tfirst")
BUCKETS = ("anatomy", "safe-grouping")
IN_CHUNKS = ("disassociation", "cahd")
"""Algorithms that publish chunks instead of records or buckets."""
SET_BASED = ("coat", "pcta")
OF_ITEMS = frozenset(NAMES).difference(RELATIONAL, BUCKETS)
_TREELESS = (*SET_BASED, *IN_CHUNKS, "set-search", "coherence-suppression", "suppress-control")
_ODD = (
    *("ä", "日本", "=1+1", "+7", "-5", "@x", 'say"', "it's", "%", "08", "8", "a:b", "*", "[1:2]", "a;b", "G1", "V1"),
    *("N1_0", "items", "items-N1", "ALL", "codes:a", "\\", "null", "NaN", "1e3", "#", "'", "’"),
)
_UNPLAIN = ("(a", "a,b", "(a,b)", "a)", ",")
_VALUES = ("(f,m)", "[1:2]", "V1", "a,b", "f", "m", "*", "?", "origin-N1", "=1", "ä ö", '"')
_NUMBERS = ("0.1", "0.30000000000000004", "-0.5", "1e3", "1e-9", "12.50", "3", "123456789012", "-7.25", "0")


@dataclass(frozen=True)
class Case:
    """An anonymization job: input data and settings."""

    seed: int
    algorithm: str
    columns: Mapping[str, Sequence[Any]]
    """Cells of each column, a row per person; each cell of a set-valued column is a list of items."""
    roles: Mapping[str, Any]
    """Column names by role."""
    trees: Mapping[str, Tree]
    """Hierarchies by column."""
    specs: Mapping[str, str]
    """Hierarchy setting of each column; `file` if the hierarchy is written to a file."""
    parameters: Mapping[str, Any]
    """Algorithm parameters by setting name."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """Contents of additional files that parameters refer to, by file name."""
    layout: Mapping[str, Any] = field(default_factory=dict)
    """Input and output formats."""

    @property
    def sets(self) -> list[str]:
        """Names of the set-valued columns."""
        return list(self.roles.get("items", ()))

    @property
    def joined(self) -> bool:
        """True if several set-valued columns are joined into one."""
        return len(self.sets) > 1

    @property
    def has_zeros(self) -> bool:
        """True if the input has items with leading zeros, which normalization strips."""
        items = {item for name in self.sets for row in self.columns[name] for item in row}
        return bool(items and self.layout.get("zeros")) and all(item == (item.lstrip("0") or "0") for item in items)

    @property
    def has_unknown(self) -> bool:
        """True if the input has items missing from the hierarchy, which are suppressed."""
        return bool(self.layout.get("unknown")) and [self.specs.get(name) for name in self.sets] == ["file"]

    @property
    def secrets(self) -> list[str]:
        """Sensitive items."""
        return list(self.parameters.get("sensitive_items", ()))

    @property
    def persons(self) -> list[str]:
        """Columns that identify the person. Empty for buckets, which publish them."""
        return [name for name in self.roles.get("unit", ()) if name in self.columns]

    @property
    def attested_unit(self) -> str:
        """Unit of privacy in the attestation."""
        if self.persons or self.algorithm in BUCKETS:
            return "person"
        words = {"row": "row, declared a person", "unknown": "row, person unknown", "": "row, not asked"}
        return words["".join(self.roles.get("unit", ()))]

    @property
    def private_texts(self) -> set[str]:
        """Texts of id and dropped columns, which must not appear in the publication or in messages."""
        hidden = [*self.persons, *self.roles.get("drop", ())]
        return {text for name in hidden for text in self.columns[name]}


def case_of(seed: int) -> Case:
    """Return the case of a seed. Consecutive seeds cycle through all algorithms."""
    rng = random.Random(f"case {seed}")
    name = NAMES[seed % len(NAMES)]
    if name in BUCKETS:
        return _buckets(seed, name, rng)
    return _records(seed, name, rng)


def _records(seed: int, name: str, rng: random.Random) -> Case:
    n = rng.choice((rng.randint(1, 8), rng.randint(8, 40), rng.randint(20, 60)))
    n = rng.randint(100, 400) if rng.random() < 0.04 else n
    columns: dict[str, list[Any]] = {}
    roles: dict[str, Any] = {}
    layout = _layout(rng, dat=name in OF_ITEMS and name not in RT)
    if name in IN_CHUNKS:
        layout |= {
            "format": rng.choice((None, "csv", "parquet")),
            "order": "sorted",
            "part_rows": rng.choice((None, 3)),
        }
    if name in OF_ITEMS:
        alone = layout["suffix"].startswith("dat") or _speaks_of_secrets(name)
        many = 2 if rng.random() < 0.12 and not alone else 1
        for i in range(many):
            columns["items" if layout["suffix"].startswith("dat") else ("codes", "drugs")[i]] = _sets(
                rng, n, _labels(rng, layout)
            )
        roles["items"] = list(columns)
    if name in RELATIONAL or name in RT:
        roles["relational"] = _relational(rng, n, columns)
    if not layout["suffix"].startswith("dat"):
        _others(seed, rng, n, columns, roles, parted=name in IN_CHUNKS)
    drawn = parameters_of(name, rng, _drawn_from(name, columns, roles, layout))
    if layout["by"] != "algorithm":
        drawn.parameters.pop("suppress", None)  # only some models accept --suppress
    for column, cells in drawn.sets.items():
        columns[column] = cells
    if name in RELATIONAL:
        _sensitive(random.Random(f"sensitive {seed}"), n, columns, roles, drawn.parameters)
    trees, specs = _hierarchies(name, rng, columns, roles, drawn.parameters)
    order = rng.sample(list(columns), len(columns))
    return Case(
        *(seed, name, {column: columns[column] for column in order}, roles, trees, specs),
        *(drawn.parameters, drawn.texts, layout),
    )


def _drawn_from(name: str, columns: Mapping[str, Any], roles: Mapping[str, Any], layout: Mapping[str, Any]) -> Drawn:
    """Return the items (as named in a policy) and columns from which parameters are drawn."""
    sets = {column: columns[column] for column in roles.get("items", ())}
    return Drawn(sets=sets, relational=list(roles.get("relational", ())), separator=layout["separator"])


def _speaks_of_secrets(name: str) -> bool:
    return name in ("lm-apriori", "coherence-suppression", "suppress-control", *IN_CHUNKS)


def _layout(rng: random.Random, *, dat: bool) -> dict[str, Any]:
    """Draw the input and output formats."""
    suffix = rng.choice(
        ("csv", "csv", "csv", "tsv", "csv.gz", "csv.zst", "parquet", *(("dat", "dat.gz") if dat else ()))
    )
    suffix = "dat" if suffix.startswith("dat") and rng.random() < 0.5 else suffix
    wanted = [None, "csv", "parquet", *(["dat"] if suffix.startswith("dat") else [])]
    drawn = {
        "suffix": suffix,
        "format": rng.choice(wanted),
        "separator": rng.choice((" ", " ", ";", "|", ";;")),
        "order": rng.choice(("sorted", "sorted", "input")),
        "symbols": rng.choice(("auto", "members", "short")),
        "bom": rng.random() < 0.1,
        "line_end": rng.choice(("\n", "\n", "\r\n")),
        "lists": rng.random() < 0.6,
        "by": rng.choice(("algorithm", "algorithm", "model", "both")),
        "accept": ["worthless"] * (rng.random() < 0.6),
        "max_loss": rng.choice((0.2, 0.5, 0.8)) if rng.random() < 0.1 else None,
        "zeros": rng.random() < 0.1,
        "unknown": rng.random() < 0.1,
    }
    if rng.random() < 0.05:
        drawn["max_work"] = rng.choice((0, 20 / BUDGET))
        drawn["accept"] += ["undecided"] * (rng.random() < 0.8)
    return drawn


def _labels(rng: random.Random, layout: Mapping[str, Any]) -> list[str]:
    """Draw the item labels of a column."""
    n = rng.randint(2, 12) if rng.random() < 0.95 else rng.randint(13, 20)
    kind = rng.random()
    if kind < 0.4:
        return [f"i{i}" for i in range(n)]
    if kind < 0.7:
        return [str(i) for i in rng.sample(range(200), n)]
    odd = [*_ODD, *(_UNPLAIN if kind > 0.95 else ())]
    plain = [label for label in odd if layout["separator"] not in label and label.split() == [label]]
    return rng.sample(plain, min(n, len(plain)))


def _sets(rng: random.Random, n: int, labels: Sequence[str]) -> list[list[str]]:
    """Draw the item sets of a column. Usually some items are frequent."""
    steep, longest = rng.choice((1, 2, 3)), rng.randint(1, 5)
    empty = rng.random() < 0.4
    pick = lambda: labels[int(len(labels) * rng.random() ** steep)]  # noqa: E731
    return [list(dict.fromkeys(pick() for _ in range(rng.randint(0 if empty else 1, longest)))) for _ in range(n)]


def _relational(rng: random.Random, n: int, columns: dict[str, list[Any]]) -> list[str]:
    wide = rng.choice((3, 10, 60))
    kinds: dict[str, Any] = {
        "age": lambda: str(rng.randint(-2, wide)),
        "income": lambda: rng.choice(("0.5", "1", "1.25", "2.75", "10", "-3.5")),
        "origin": lambda: rng.choice(("France", "Greece", "Spain", "Algeria", "Nigeria", "Île")),
        "zip": lambda: f"0{rng.randint(1, 4)}{rng.randint(0, 3)}",
        "sex": lambda: rng.choice("fm"),
    }
    if rng.random() < 0.15:
        kinds |= {"origin": lambda: rng.choice(_VALUES), "income": lambda: rng.choice(_NUMBERS)}
    chosen = rng.sample(list(kinds), rng.randint(1, 4))
    for name in chosen:
        columns[name] = [kinds[name]() for _ in range(n)]
    return chosen


def _others(
    seed: int, rng: random.Random, n: int, columns: dict[str, list[Any]], roles: dict[str, Any], *, parted: bool
) -> None:
    """Draw the unit of privacy, and dropped and kept columns. Algorithms that publish chunks get no kept columns. A
    single set-valued column needs no unit.
    """
    if rng.random() < 0.4:
        columns["who"] = [f"Qi{seed}x{i}" for i in rng.sample(range(10 * n), n)]
        roles["unit"] = ["who"]
        roles["divided"] = rng.random() < 0.4
    if rng.random() < 0.3 and not parted:
        name = rng.choice(("ward", "ward", "symbol", "cluster", "=x", "a,b", "published_row"))
        columns[name] = [rng.choice(("w1", "w 2", "w,3", "", "=w")) for _ in range(n)]
        roles["keep"] = [name]
    if rng.random() < 0.4:
        columns["note"] = [f"Qd{seed}x{i}" for i in range(n)]
        roles["drop"] = ["note"]
    words = ("row", "unknown", *([""] if list(columns) == roles.get("items") else []))
    if word := random.Random(f"unit {seed}").choice(words):
        roles.setdefault("unit", [word])


def _sensitive(
    rng: random.Random, n: int, columns: dict[str, list[Any]], roles: dict[str, Any], parameters: dict[str, Any]
) -> None:
    """Sometimes draw a sensitive column and diversity parameters."""
    if rng.random() < 0.5:
        return
    steep, values = rng.choice((1, 1, 3)), ("flu", "ulcer", "asthma", "none", "flu ä")[: rng.randint(1, 5)]
    columns["illness"] = [values[int(len(values) * rng.random() ** steep)] for _ in range(n)]
    roles["sensitive"] = "illness"
    if rng.random() < 0.4:
        parameters["t"] = rng.choice(("0", "0.15", "1/3", "0.5", "1"))
        return
    parameters |= {"l": rng.randint(1, 3), "l_kind": rng.choice(("distinct", "distinct", "entropy", "recursive"))}
    if parameters["l_kind"] == "recursive":
        parameters["c"] = rng.choice(("1", "5/2", "0.7"))


def _hierarchies(
    name: str, rng: random.Random, columns: Mapping[str, Any], roles: Mapping[str, Any], parameters: Mapping[str, Any]
) -> tuple[dict[str, Tree], dict[str, str]]:
    """Draw a hierarchy for each column that may have a hierarchy."""
    trees: dict[str, Tree] = {}
    specs: dict[str, str] = {}
    for column in roles.get("relational", ()):
        if column in ("age", "income") and rng.random() < 0.7:
            specs[column] = "range"
        elif column == "age" and rng.random() < 0.6:
            specs[column] = rng.choice(("bins:width=10", "bins:width=2,6,30", "bins:-2,0,18,50"))
        elif rng.random() < 0.6:
            trees[column], specs[column] = tree_over(rng, sorted(set(columns[column])), column), "file"
        elif rng.random() < 0.5:
            specs[column] = "values"
    sets, secrets = list(roles.get("items", ())), set(parameters.get("sensitive_items", ()))
    optional = (name in _TREELESS and not parameters.get("generalize")) or (
        name in RT[:4] and parameters.get("transaction") in (None, *SET_BASED, "set-search")
    )
    groups = str(parameters.get("utility_constraints", ""))
    if not sets or groups == "utility.txt" or (optional and groups != "level:1" and rng.random() < 0.6):
        return trees, specs
    beside = secrets if name not in ("coherence-suppression", *IN_CHUNKS) else set()
    if len(sets) > 1 and rng.random() < 0.5:
        universe = [f"{column}:{item}" for column in sets for item in _universe(rng, columns[column])]
        trees["items"], specs["items"] = tree_over(rng, universe, "items"), "file"
        return trees, specs
    for column in sets:
        items = sorted({item for row in columns[column] for item in row} - beside)
        if rng.random() < 0.3 and items:
            specs[column] = f"balanced:{rng.randint(2, 4)}"
            continue
        universe = [item for item in _universe(rng, columns[column]) if item not in beside] or ["x"]
        trees[column], specs[column] = tree_over(rng, universe, column), "file"
    return trees, specs


def _universe(rng: random.Random, rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the items that occur, and often some that do not, in random order."""
    occurring = sorted({item for row in rows for item in row})
    more = [f"x{i}" for i in range(rng.choice((0, 0, 1, 4)) + 2 * (len(occurring) < 2))]
    universe = [*occurring, *more]
    return rng.sample(universe, len(universe)) if rng.random() < 0.5 else universe


def tree_over(rng: random.Random, leaves: Sequence[str], mark: str) -> Tree:
    """Draw a tree of random depth by repeatedly merging neighbouring nodes."""
    level: list[Tree] = list(leaves) if len(leaves) > 1 else [*leaves, f"{mark}-x"]
    widest, count = rng.randint(2, 4), 0
    while len(level) > 1 and rng.random() < 0.85:
        grouped: list[Tree] = []
        while level:
            size = min(len(level), rng.randint(1, widest))
            taken, level = level[:size], level[size:]
            if size == 1 and rng.random() < 0.7:
                grouped += taken
            else:
                count += 1
                grouped.append((f"{mark}-N{count}", taken))
        level = grouped
    return (f"{mark}-ALL", level)


def _buckets(seed: int, name: str, rng: random.Random) -> Case:
    n = rng.choice((rng.randint(2, 10), rng.randint(10, 60)))
    people = [f"P{i}" for i in range(max(1, int(n / rng.choice((1, 1.5, 3)))))]
    drugs = [f"d{i}" for i in range(rng.randint(2, 9))]
    steep = rng.choice((1, 1, 2))
    columns: dict[str, list[Any]] = {
        "person": [rng.choice(people) for _ in range(n)],
        "drug": [drugs[int(len(drugs) * rng.random() ** steep)] for _ in range(n)],
    }
    roles: dict[str, Any] = {"id": ["person"], "sensitive": "drug"}
    if rng.random() < 0.3:
        columns["birth"] = [rng.choice(("1", "2")) for _ in range(n)]
        roles["id"] = ["person", "birth"]
    if rng.random() < 0.5:
        kept_name = rng.choice(("age", "age", "count", "value", "=x", "a,b"))
        columns[kept_name] = [rng.choice(("20", "21", "", "*", "=2", "a,b")) for _ in range(n)]
        roles["keep"] = [kept_name]
    if rng.random() < 0.5:
        columns["note"] = [f"Qd{seed}x{i}" for i in range(n)]
        roles["drop"] = ["note"]
    layout = {**_layout(rng, dat=False), "format": rng.choice((None, "csv")), "order": "sorted"}
    drawn = parameters_of(name, rng, Drawn())
    order = rng.sample(list(columns), len(columns))
    return Case(
        *(seed, name, {column: columns[column] for column in order}, roles, {}, {}),
        *(drawn.parameters, drawn.texts, layout),
    )
