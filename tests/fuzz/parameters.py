"""Random parameters of every algorithm, and the files that they refer to."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

FUNCTIONS = ("coat", "pcta", "set-search", "exact", "apriori", "direct", "optimal", "vpa", "lra", "lm-apriori")
FORMATIONS = (
    *("cluster", "mondrian", "k-member", "xu-bottom-up", "xu-top-down"),
    *("full-domain", "local-recoding", "bottom-up", "top-down"),
)
SECRETS = ("hiv", "pills")


@dataclass
class Drawn:
    """Items and columns to draw parameters from, and the parameters drawn so far."""

    sets: dict[str, list[list[str]]] = field(default_factory=dict)
    """Set-valued columns; sensitive items are added to them."""
    relational: list[str] = field(default_factory=list)
    separator: str = " "
    parameters: dict[str, Any] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)

    @property
    def items(self) -> list[str]:
        """Items that occur, as named in a policy."""
        mark = (lambda column, item: f"{column}:{item}") if len(self.sets) > 1 else (lambda _, item: item)
        result = {mark(column, item): None for column, rows in self.sets.items() for row in rows for item in row}
        return sorted(result)


def parameters_of(name: str, rng: random.Random, drawn: Drawn) -> Drawn:
    family: Mapping[str, Callable[[str, random.Random, Drawn], None]] = {
        **dict.fromkeys(("anatomy", "safe-grouping"), _of_buckets),
        **dict.fromkeys(("coat", "pcta"), _set_based),
        **dict.fromkeys(FORMATIONS, _relational),
        **dict.fromkeys(("rum-bound", "tum-bound", "rfirst", "tfirst"), _rt),
        "joint-split": _joint,
        "lm-apriori": _diverse,
        "coherence-suppression": _coherent,
        "suppress-control": _uncertain,
        "cahd": _grouped,
    }
    drawn.parameters["k"] = rng.choice((1, 2, 2, 3, 3, 4, 5))
    family.get(name, _of_cut)(name, rng, drawn)
    return drawn


def _size(rng: random.Random) -> int:
    return rng.choice((1, 1, 2, 2, 3, 4))


def _of_cut(name: str, rng: random.Random, drawn: Drawn) -> None:
    parameters = drawn.parameters
    if name == "local-reallocation":
        parameters["node_cost"] = rng.choice(("ncp", "entropy"))
    elif name != "local-generalization":
        parameters["m"] = _size(rng)
    if name == "disassociation":
        _of_chunks(rng, drawn)
    if name == "lra":
        parameters["partitions"] = rng.randint(1, 4)
    if name == "vpa":
        parameters["depth"] = rng.randint(1, 2)
    if name == "mhghs":
        parameters["cost"] = rng.choice(("original", "reduced"))
    if name == "set-search":
        parameters["mu"] = rng.choice((0, 1, 4, 100))
    if name == "exact":
        parameters["suppress"] = rng.random() < 0.6
        if rng.random() < 0.3:
            parameters["gap"] = rng.choice((0.01, 0.2))


def _of_chunks(rng: random.Random, drawn: Drawn) -> None:
    parameters = drawn.parameters
    if rng.random() < 0.8:
        parameters["cluster_size"] = rng.choice((1, 2, 4, 8, 16))
    parameters["counts"] = rng.random() < 0.3
    if rng.random() < 0.5:
        parameters["clustering"] = rng.choice(("gray", "horpart"))
    if rng.random() < 0.3:
        _add_secrets(rng, drawn)
        if rng.random() < 0.7:
            parameters["cap"] = rng.choice(("0.1", "1/3", "0.5", "1"))


def _grouped(_: str, rng: random.Random, drawn: Drawn) -> None:
    del drawn.parameters["k"]
    _add_secrets(rng, drawn)
    if rng.random() < 0.8:
        drawn.parameters["cap"] = rng.choice(("0.1", "1/3", "0.5", "1", "1"))
    if rng.random() < 0.5:
        drawn.parameters["alpha"] = rng.randint(1, 4)


def _set_based(name: str, rng: random.Random, drawn: Drawn) -> None:
    parameters, items = drawn.parameters, drawn.items
    kind = rng.choice(("km", "km", "pgen", "private.txt", "private.txt"))
    if kind == "private.txt" and items:
        chosen = [rng.sample(items, rng.randint(1, min(3, len(items)))) for _ in range(rng.randint(1, 5))]
        drawn.texts[kind] = _lines(dict.fromkeys(map(tuple, map(sorted, chosen))))
    elif kind == "private.txt":
        kind = "km"
    parameters["privacy_constraints"] = kind
    if kind == "km":
        parameters["m"] = _size(rng)
    if rng.random() < 0.5 and items:
        parameters["utility_constraints"] = rng.choice(("utility.txt", f"siblings:{rng.randint(2, 5)}", "level:1"))
    if parameters.get("utility_constraints") == "utility.txt":
        mixed, groups = rng.sample(items, len(items)), list[Sequence[str]]()
        while mixed:
            size = rng.randint(1, 5)
            groups, mixed = [*groups, mixed[:size]], mixed[size:]
        drawn.texts["utility.txt"] = _lines(groups)
    if rng.random() < 0.3:
        parameters["item_weights"] = rng.choice(("uniform", "ones"))
    if name == "coat":
        parameters["max_suppressed"] = rng.choice(("0", "0.15", "1/3", "0.5", "1", "1"))
        parameters["single"] = rng.choice(("generalize", "suppress"))


def _coherent(_: str, rng: random.Random, drawn: Drawn) -> None:
    parameters = drawn.parameters
    parameters |= {"p": _size(rng), "h": rng.choice(("1", "0.5", "2/3", "0.8", "0.3333"))}
    if rng.random() < 0.7:
        _add_secrets(rng, drawn)
    public = [item for item in drawn.items if item not in SECRETS]
    if rng.random() < 0.3 and public:
        drawn.texts["loss.txt"] = "".join(f"{rng.choice(('0.5', '0.25', '1'))} {item}\n" for item in public[::2])
        parameters["item_loss"] = "loss.txt"


def _uncertain(_: str, rng: random.Random, drawn: Drawn) -> None:
    del drawn.parameters["k"]
    drawn.parameters |= {"m": _size(rng), "rho": rng.choice(("1", "0.5", "2/3", "0.8", "0.3333"))}
    drawn.parameters |= {"strict": rng.random() < 0.6, "from_nothing": rng.random() < 0.6}
    drawn.parameters["generalize"] = rng.random() < 0.5
    _add_secrets(rng, drawn)


def _diverse(_: str, rng: random.Random, drawn: Drawn) -> None:
    drawn.parameters |= {"m": _size(rng), "l": rng.choice((1, 2, 2, 3))}
    _add_secrets(rng, drawn)


def _relational(name: str, rng: random.Random, drawn: Drawn) -> None:
    parameters = drawn.parameters
    if rng.random() < 0.3:
        parameters["relational_weights"] = {column: rng.choice((0.1, 0.2, 0.25)) for column in drawn.relational}
    if name == "cluster" and rng.random() < 0.4:
        parameters["seed"] = rng.randint(0, 9)
    if name == "full-domain" and rng.random() < 0.5:
        parameters["max_suppressed_records"] = rng.choice((0.1, 0.5, 1.0))
    _refined(rng, parameters)


def _refined(rng: random.Random, given: dict[str, Any]) -> None:
    if rng.random() < 0.3:
        given |= {"refine": True, "effort": rng.choice((100, 5000)) / 300_000_000}


def _rt(name: str, rng: random.Random, drawn: Drawn) -> None:
    parameters = drawn.parameters
    parameters["m"] = rng.choice((1, 2, 2, 3))
    if rng.random() < 0.2:
        parameters["relational_weights"] = {column: rng.choice((0.1, 0.2, 0.25)) for column in drawn.relational}
    if name == "tfirst":
        parameters["partitions"] = rng.randint(1, 4)
        return
    _add_function(FUNCTIONS, rng, drawn)
    parameters["formation"] = rng.choice(FORMATIONS)
    if parameters["formation"] == "cluster" and rng.random() < 0.3:
        parameters["seed"] = rng.randint(0, 9)
    _refined(rng, parameters)
    parameters["on_infeasible"] = rng.choice(("error", "merge", "merge"))
    if name == "rfirst":
        return
    parameters["delta"] = rng.choice((0.4, 0.65, 0.8, 0.9, 1.0, 1.0))
    parameters["merge"] = rng.choice(("r", "t", "rt"))
    parameters["item_order"] = rng.choice(("btd", "btd", "ul"))
    parameters["btd"] = rng.choice(("xor", "or"))
    if name == "tum-bound":
        parameters["scan"] = rng.random() < 0.4


def _joint(_: str, rng: random.Random, drawn: Drawn) -> None:
    parameters = drawn.parameters
    parameters["m"] = rng.choice((1, 2, 2, 3))
    _add_function([name for name in FUNCTIONS if name != "lra"], rng, drawn)
    if rng.random() < 0.4:
        parameters["w"] = rng.choice(("0", "0.000001", "0.03", "0.5", "1"))
    elif rng.random() < 0.6:
        parameters["point"] = rng.choice(("items", "balanced", "attributes"))


def _add_function(functions: Sequence[str], rng: random.Random, drawn: Drawn) -> None:
    """Draw a transaction function. `lm-apriori`, the last function, needs a single set-valued column."""
    parameters = drawn.parameters
    if rng.random() < 0.85:
        parameters["transaction"] = rng.choice(functions if len(drawn.sets) == 1 else functions[:-1])
    if parameters.get("transaction") == "lm-apriori":
        parameters["l"] = rng.choice((1, 2, 2, 3))
        _add_secrets(rng, drawn)


def _of_buckets(name: str, rng: random.Random, drawn: Drawn) -> None:
    parameters = drawn.parameters
    parameters["l"] = rng.choice((1, 2, 2, 3))
    parameters["k"] = max(parameters["k"], parameters["l"])
    if name == "anatomy":
        del parameters["k"]
    if rng.random() < 0.5:
        parameters["seed"] = rng.randint(0, 99)


def _add_secrets(rng: random.Random, drawn: Drawn) -> None:
    """Add sensitive items to some records."""
    chosen = SECRETS[: rng.randint(1, 2)]
    (column,) = drawn.sets
    share = rng.choice((0.05, 0.15, 0.3))
    rows = drawn.sets[column]
    drawn.sets[column] = [[*row, *(s for s in chosen if rng.random() < share)] for row in rows]
    first = rng.randrange(len(rows))
    present = {s for row in drawn.sets[column] for s in row}
    drawn.sets[column][first] = [*drawn.sets[column][first], *(s for s in chosen if s not in present)]
    drawn.parameters["sensitive_items"] = list(chosen)


def _lines(rows: Any) -> str:
    return "".join(f"{' '.join(row)}\n" for row in rows)
