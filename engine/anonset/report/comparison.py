"""Table of the results of ``anonset compare``."""

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import fmean, stdev

from rich.table import Table as RichTable

from anonset.release.losses import LOSSES
from anonset.report.account import loss_label
from anonset.report.sections import table
from anonset.spelling import short_value

Cell = str | float | None
Row = Mapping[str, Cell]
"""Parameters, outcome and figures of a run, by name. None if a figure was not measured."""
_REPEATED = ("seed", "run")
_NAMES = {
    "peak_mib": "peak MiB",
    "seconds_verify": "verify",
    "least_ncp": "least NCP",
    "above_least": "above",
    "average_class_size": "class size",
}


def comparison_table(results: Sequence[Row]) -> RichTable:
    """Return the results of a comparison as a table, one row for each run.

    Runs that differ only in their seed are merged into one row. The table omits notes.
    """
    results = over_seeds(results)
    names = [name for name in results[0] if name != "note"]
    head = [loss_label(name) if name in {*LOSSES, "are"} else _NAMES.get(name, name) for name in names]
    rows = ([_text(name, row[name]) for name in names] for row in results)
    return table(head, rows, left=("algorithm", "model", "outcome"))


def shared_losses(results: Sequence[Row]) -> dict[str, str]:
    """Return the names and labels of the losses that all results contain.

    The result has at most one loss of the items and one loss of the attributes.

    >>> shared_losses([{"rum": 0.1, "ncp": 0.2, "ul": 0.3}, {"rum": 0.1, "ncp": None, "ul": 0.3}])
    {'ul': 'utility loss (UL) of the items', 'rum': 'NCP of the relational values (Rum)'}
    """
    found = [name for name in ("ncp", "ul", "lm", "tum", *LOSSES) if all(row.get(name) is not None for row in results)]
    chosen = [name for name in found if name != "rum"][:1] + [name for name in found if name == "rum"]
    return {name: LOSSES[name] for name in chosen if results}


def unequal_guarantees(results: Sequence[Row]) -> str:
    """Return a sentence that warns of different guarantees of the algorithms, or an empty text if all guarantees are
    equal.

    >>> unequal_guarantees([{"algorithm": "lra", "model": "partition-km"}, {"algorithm": "apriori", "model": "km"}])
    'The guarantees differ: lra gives partition-km, apriori gives km. A smaller loss may come from a weaker guarantee.'
    """
    guarantees = dict.fromkeys((row["algorithm"], row["model"]) for row in results)
    if len({model for _, model in guarantees}) < 2:
        return ""
    gives = ", ".join(f"{algorithm} gives {model}" for algorithm, model in guarantees)
    return f"The guarantees differ: {gives}. A smaller loss may come from a weaker guarantee."


def over_seeds(results: Sequence[Row]) -> Sequence[Row]:
    """Merge results that differ only in their seed. Each figure becomes a text with its mean and standard deviation.

    >>> row = {"algorithm": "lra", "k": 2, "outcome": "holds", "note": ""}
    >>> over_seeds([{**row, "seed": 1, "ncp": 0.1}, {**row, "seed": 2, "ncp": 0.3}])
    [{'algorithm': 'lra', 'k': 2, 'outcome': 'holds', 'note': '', 'ncp': '0.2 ± 0.14', 'runs': 2}]
    """
    groups: dict[str, list[Row]] = {}
    for row in results:
        names = list(row)[: list(row).index("outcome")]
        groups.setdefault(repr([row[name] for name in names if name not in _REPEATED]), []).append(row)
    if all(len(group) == 1 for group in groups.values()):
        return results
    return [_as_one(group) for group in groups.values()]


def _as_one(group: Sequence[Row]) -> Row:
    merged = {name: value for name, value in group[0].items() if name not in _REPEATED}
    for name in [name for name in merged if any(isinstance(row[name], float) for row in group)]:
        values = [value for row in group if isinstance(value := row[name], int | float)]
        spread = f" ± {stdev(values):.2g}" if len(values) > 1 and max(values) > min(values) else ""
        merged[name] = f"{fmean(values):.5g}{spread}"
    outcomes = Counter(row["outcome"] for row in group)
    merged["outcome"] = (
        next(iter(outcomes)) if len(outcomes) == 1 else ", ".join(f"{o} {n}" for o, n in outcomes.items())
    )
    return {
        **merged,
        "note": "; ".join(dict.fromkeys(str(note) for row in group if (note := row["note"]))),
        "runs": len(group),
    }


def _text(name: str, value: Cell) -> str:
    if value is None:
        return ""
    if name.startswith("seconds") and not isinstance(value, str):
        return f"{value:.2f} s"
    if name == "above_least":
        return f"{value:+.2%}"
    return f"{value:.5g}" if isinstance(value, float) else short_value(value)
