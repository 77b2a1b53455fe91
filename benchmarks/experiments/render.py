"""Rendering results: for each paper a page of tables, plots and verdicts on its claims."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from benchmarks.experiments.cases import Figure, Key, Paper, Repeated
from benchmarks.experiments.factors import factor_of
from benchmarks.experiments.judging import Judged, judge, results_of_figure
from benchmarks.experiments.panels_of import Panel, panels_of
from benchmarks.experiments.plots import file_name, plot
from benchmarks.experiments.runner import RESULTS, paper, results_of
from benchmarks.experiments.store import CASES, COSTS, ENVIRONMENT, Result

Found = Mapping[Key, Result]
"""The results of a paper that are there."""


def render(key: str, results: Path = RESULTS) -> Path:
    """Write ``README.md`` and the plots of a paper into its folder of the results, from the results that are there."""
    chosen = paper(key)
    found, folder = results_of(chosen, results), results / key
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.svg"):
        old.unlink()
    judged = judge(chosen, found)
    for figure in chosen.figures:
        verdicts = [one for one in judged if one.key == figure.key]
        plot(folder, figure, results_of_figure(figure, found), verdicts)
    written = folder / "README.md"
    written.write_text(page(chosen, found, judged), encoding="utf-8")
    return written


def page(chosen: Paper, found: Found, judged: Sequence[Judged]) -> str:
    """Return the page of a paper: where its results are from, the verdicts on its claims, its figures in numbers."""
    parts = [f"# {chosen.title}", chosen.note, _provenance(found), _claims(judged)]
    for figure in chosen.figures:
        verdicts = [one for one in judged if one.key == figure.key]
        parts += _figure(figure, results_of_figure(figure, found), verdicts, _missing(figure, found))
    return "\n\n".join(part for part in parts if part) + "\n"


def _missing(figure: Figure, found: Found) -> list[str]:
    """Say which cases failed, and which are due where others are there."""
    failed: dict[str, list[str]] = {}
    for case in figure.cases:
        if (error := found.get(case.key, {}).get("error")) is not None:
            failed.setdefault(error, []).append(" ".join(str(part) for part in case.key[1:] if part != ""))
    told = [f"- failed ({', '.join(cases)}): {error}" for error, cases in failed.items()]
    due: dict[str, list[str]] = {}
    for case in figure.cases:
        if case.key not in found:
            due.setdefault(case.series, []).append(" ".join(str(part) for part in case.key[2:] if part != ""))
    n = sum(map(len, due.values()))
    if 0 < n < len(figure.cases):
        cases = "; ".join(f"{series}: {', '.join(positions)}" for series, positions in due.items())
        told.append(f"- **not whole**: {n} of {len(figure.cases)} cases are due ({cases})")
    return told


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


_HEADS = {"paper": "The paper's claims", "own": "Our own claims", "enforced": "What the algorithm enforces"}


def _claims(judged: Sequence[Judged]) -> str:
    parts = []
    for kind, head in _HEADS.items():
        chosen = [one for one in judged if one.claim.kind == kind]
        if chosen:
            parts += [f"## {head}", claims_table(chosen)]
    return "\n\n".join(parts)


def claims_table(judged: Sequence[Judged]) -> str:
    """Return claims with their verdicts as a Markdown table; columns that would be empty are left out."""
    head = ("figure", "claim", "the paper's figures", "required here", "verdict", "repetitions", "measured", "p")
    cells = [
        (
            one.figure,
            one.claim.text,
            one.claim.printed,
            one.claim.criterion,
            f"**{one.verdict}**",
            f"{one.claim.factor.name}: {one.share}" if one.claim.factor and one.share else "",
            one.measured,
            "" if one.p is None else f"{one.p:.1g}",
        )
        for one in judged
    ]
    kept = [i for i in range(len(head)) if any(row[i] for row in cells)]
    return rows([head[i] for i in kept], [[row[i] for i in kept] for row in cells])


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


def _figure(figure: Figure, results: Repeated, judged: Sequence[Judged], missing: list[str]) -> list[str]:
    drawn = panels_of(figure, results)
    if not results.levels and not missing:
        return []
    parts = [f"## {figure.title}", figure.note, "\n".join(missing)]
    parts.append("\n".join(f"- {one.claim.text}: **{one.verdict}**" for one in judged))
    parts.append("\n".join(dict.fromkeys(f"- The paper: {one.says}" for one in figure.printed)))
    if any(panel.is_drawn for panel in drawn):
        parts.append(f"![{figure.title}]({file_name(figure)})")
    for panel in drawn:
        parts += [f"**{panel.label}**{_repeated(panel)}", table(figure.x_label, panel)]
    return parts


def _repeated(panel: Panel) -> str:
    """Say over what a panel's values are medians."""
    factor = factor_of(panel.levels[0])
    if factor is None:
        return ""
    apart = f"; apart: {', '.join(panel.singles)}" if panel.singles else ""
    return f" (median over {len(panel.levels)} of the {factor.name}, least and largest in brackets{apart})"


def show(value: float) -> str:
    """Write a measured value for people: four significant digits, thousands with commas."""
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.4g}"


def table(x_label: str, panel: Panel) -> str:
    """Return one quantity of a figure as a Markdown table: a column a curve, and below it the named levels."""
    cells = []
    for x in panel.positions:
        values = [_value(panel, name, x) for name in panel.series]
        cells.append([x if isinstance(x, str) else f"{x:,}", *values])
    for level in panel.singles:
        for x in panel.positions:
            found = [panel.single(level, name, x) for name in panel.series]
            shown = [show(value) if value is not None else "" for value in found]
            if any(shown):
                cells.append([f"{x if isinstance(x, str) else f'{x:,}'}, {level}", *shown])
    return rows((x_label, *panel.series), cells)


def _value(panel: Panel, series: str, x: float | str) -> str:
    """Write the median of a point, and its range in brackets where there is one."""
    point = panel.point(series, x)
    if point is None:
        return ""
    middle, low, high = point
    return show(middle) if low == high else f"{show(middle)} ({show(low)} – {show(high)})"
