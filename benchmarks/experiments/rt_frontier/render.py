"""Table of the errors of `joint-split` and Rum-bound, for the page of measurements."""

from pathlib import Path

from benchmarks.experiments.agreement import disagreeing
from benchmarks.experiments.render import rows
from benchmarks.experiments.rt_frontier import DATA, PAPER, POINTS
from benchmarks.experiments.rt_frontier.claims import JOINT
from benchmarks.experiments.runner import results_of

_ERRORS = {"items": "items_error", "pairs": "pairs_error"}


def errors(results: Path) -> str:
    """Return a table with the errors of both algorithms at each bound, and sentences about the lower ones.

    For Rum-bound, each error is the lowest of all variants. Names the figures that the current code does not reproduce.
    """
    measured = {key: result["measured"] for key, result in results_of(PAPER, results).items() if "measured" in result}
    cells, lower = [], dict[str, dict[str, list[str]]]()
    for data in DATA:
        row = [data]
        for bound in POINTS.values():
            ours = measured[data, JOINT, bound, ""]
            variants = [
                one for (of, name, x, _), one in measured.items() if (of, x) == (data, bound) and name[:2] == "RM"
            ]
            theirs = {
                name: min(one[error] for one in variants if error in one)
                for name, error in _ERRORS.items()
                if any(error in one for one in variants)
            }
            row += [_shown({name: ours[error] for name, error in _ERRORS.items()}), _shown(theirs)]
            for name, value in theirs.items():
                if value < ours[_ERRORS[name]]:
                    lower.setdefault(name, {}).setdefault(data, []).append(str(bound))
        cells.append(row)
    head = [name for bound in POINTS.values() for name in (f"`{JOINT}`, {bound}", "`rum-bound`")]
    places = {
        name: ", ".join(f"{data} at {' and '.join(bounds)}" for data, bounds in where.items())
        for name, where in sorted(lower.items())
    }
    sentences = [
        f"* **{name.capitalize()}**: a variant of `rum-bound` has smaller errors on {where}."
        for name, where in places.items()
    ]
    outdated = "\n".join(f"* {line}." for line in disagreeing(PAPER.key, results))
    return "\n\n".join(filter(None, (rows(["data", *head], cells), outdated, "\n".join(sentences))))


def _shown(errors: dict[str, float]) -> str:
    return f"{' / '.join(f'{100 * value:.0f}' for value in errors.values())} %" if errors else "infeasible"
