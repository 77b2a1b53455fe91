"""Rendering results: for each paper a page of tables, plots and verdicts on its claims."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.experiments.cases import Claim, Figure, Paper, Results
from benchmarks.experiments.plots import file_name, panels, plot
from benchmarks.experiments.runner import RESULTS, paper, results_of
from benchmarks.experiments.store import CASES, COSTS, ENVIRONMENT, Key, Result


@dataclass(frozen=True)
class Judged:
    """A claim, and whether the results bear it out."""

    figure: str
    claim: str
    criterion: str
    verdict: str
    """``held``, ``did not hold`` or ``not measured``."""
    measured: str
    """The figures that the verdict rests on, or why there is none."""


Found = Mapping[Key, Result]
"""The results of a paper that are there."""


def render(key: str, results: Path = RESULTS) -> Path:
    """Write ``README.md`` and the plots of a paper into its folder of the results, from the results that are there."""
    chosen = paper(key)
    found, folder = results_of(chosen, results), results / key
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.svg"):
        old.unlink()
    for figure in chosen.figures:
        plot(folder, figure, measured_of(figure, found))
    written = folder / "README.md"
    written.write_text(page(chosen, found), encoding="utf-8")
    return written


def page(chosen: Paper, found: Found) -> str:
    """Return the page of a paper: where its results are from, the verdicts on its claims, its figures in numbers."""
    parts = [f"# {chosen.title}", chosen.note, _provenance(found), _claims(judge(chosen, found))]
    for figure in chosen.figures:
        parts += _figure(figure, measured_of(figure, found), _errors(figure, found))
    return "\n\n".join(part for part in parts if part) + "\n"


def measured_of(figure: Figure, found: Found) -> Results:
    """Return the results of one figure, without the cases that failed."""
    cases = [case for case in figure.cases if "measured" in found.get(case.key, {})]
    return Results({(case.series, case.x): found[case.key]["measured"] for case in cases})


def judge(chosen: Paper, found: Found) -> list[Judged]:
    """Judge each claim; one on a figure of which some case has no result is not judged."""
    judged = []
    for figure in chosen.figures:
        measured = measured_of(figure, found)
        for claim in figure.claims:
            verdict, figures = _verdict(figure, claim, measured)
            judged.append(Judged(figure.label, claim.text, claim.criterion, verdict, figures))
    return judged


def _verdict(figure: Figure, claim: Claim, measured: Results) -> tuple[str, str]:
    if len(measured.measured) < len(figure.cases):
        return "not measured", f"{len(measured.measured)} of {len(figure.cases)} cases have a result"
    try:
        held, figures = claim.check(measured)
    except KeyError as missing:
        return "not measured", f"some case has no {missing}"
    return "held" if held else "did not hold", figures


def _errors(figure: Figure, found: Found) -> list[str]:
    failed: dict[str, list[str]] = {}
    for case in figure.cases:
        if (error := found.get(case.key, {}).get("error")) is not None:
            failed.setdefault(error, []).append(f"{case.series} {case.x}")
    return [f"- failed ({', '.join(cases)}): {error}" for error, cases in failed.items()]


def _provenance(found: Found) -> str:
    machines: Counter[str] = Counter()
    for result in found.values():
        m = result["machine"]
        versions = ", ".join(f"{name} {version}" for name, version in m["versions"].items())
        hardware = f"{m['cpu']}, {m['cores']} cores, {m['memory_gib']} GiB"
        machines[f"{hardware}, Python {m['python']}, {versions}, commit {m['commit']}"] += 1
    lines = [f"- {count} case(s): {text}" for text, count in machines.items()]
    files = f"`{CASES}`, `{COSTS}` and `{ENVIRONMENT}`"
    return "\n".join([f"Generated from {files}; not edited by hand.", "", *lines])


def _claims(judged: Sequence[Judged]) -> str:
    if not judged:
        return ""
    cells = [(j.figure, j.claim, j.criterion, f"**{j.verdict}**", j.measured) for j in judged]
    return "## Claims\n\n" + rows(("figure", "claim", "required here", "verdict", "measured"), cells)


def rows(head: Sequence[str], cells: Iterable[Sequence[str]]) -> str:
    r"""Return a Markdown table; bars within cells are escaped.

    >>> print(rows(("a", "b"), [("|D|", "1")]))
    | a | b |
    |---|---|
    | \|D\| | 1 |
    """
    lines = [[cell.replace("|", "\\|") for cell in row] for row in (head, *cells)]
    written = [f"| {' | '.join(line)} |" for line in lines]
    return "\n".join([written[0], "|---" * len(head) + "|", *written[1:]])


def _figure(figure: Figure, measured: Results, errors: list[str]) -> list[str]:
    if not measured.measured and not errors:
        return []
    parts = [f"## {figure.title}", figure.note, "\n".join(errors)]
    if panels(figure, measured):
        parts.append(f"![{figure.title}]({file_name(figure)})")
    for quantity, label in figure.quantities.items():
        if measured.has(quantity):
            parts += [f"**{label}**", table(figure.x_label, measured, quantity)]
    return parts


def show(value: float) -> str:
    """Write a measured value for people: four significant digits, thousands with commas."""
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.4g}"


def table(x_label: str, measured: Results, quantity: str) -> str:
    """Return one quantity of a figure as a Markdown table, a column a curve."""
    cells = []
    for x in measured.positions:
        found = [measured.measured.get((name, x), {}) for name in measured.series]
        values = [show(float(one[quantity])) if quantity in one else "" for one in found]
        cells.append([x if isinstance(x, str) else f"{x:,}", *values])
    return rows((x_label, *measured.series), cells)
