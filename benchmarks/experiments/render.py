"""Render results as a page per paper, with tables, plots and verdicts."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from benchmarks.experiments import agreement
from benchmarks.experiments.cases import Case, Figure, Key, Paper, Repeated
from benchmarks.experiments.factors import factor_of
from benchmarks.experiments.judging import Judged, judge, results_of_figure
from benchmarks.experiments.panels_of import Panel, panels_of
from benchmarks.experiments.plots import file_name, plot
from benchmarks.experiments.runner import RESULTS, paper, results_of
from benchmarks.experiments.store import CASES, COSTS, ENVIRONMENT, Result, replace_file

from anonset_datasets.cards import GENERATED
from anonset_datasets.entries import ENTRIES

README = "README.md"
Found = Mapping[Key, Result]
"""Available results of a paper."""


def render(key: str, results: Path = RESULTS) -> Path:
    """Write ``README.md`` and the plots of a paper into its results folder, from the available results."""
    chosen = paper(key)
    results_by_case, folder = results_of(chosen, results), results / key
    folder.mkdir(parents=True, exist_ok=True)
    judged, plots = judge(chosen, results_by_case), set()
    for figure in chosen.figures:
        verdicts = [judgement for judgement in judged if judgement.key == figure.key]
        plots.add(plot(folder, figure, results_of_figure(figure, results_by_case), verdicts))
    for path in folder.glob("*.svg"):
        if path.name not in plots:
            path.unlink()
    written = folder / README
    replace_file(written, page_of(key, judged, results))
    return written


def page_of(key: str, judged: Sequence[Judged], results: Path = RESULTS) -> str:
    """Return the text of ``README.md`` of a paper."""
    chosen = paper(key)
    return page(chosen, results_of(chosen, results), judged, agreement.sentences(key, results))


def page(chosen: Paper, results_by_case: Found, judged: Sequence[Judged], repeated: str = "") -> str:
    """Return the page of a paper, with the origin of the results, the verdicts on the claims, and a table for each
    figure.
    """
    origin = "\n".join(filter(None, (_provenance(results_by_case), repeated)))
    parts = [f"# {chosen.title}", chosen.note, origin, _claims(judged)]
    for figure in chosen.figures:
        verdicts = [judgement for judgement in judged if judgement.key == figure.key]
        used = "" if chosen.study else f"Records: {records_used(chosen, figure.cases)}."
        parts += _figure(
            figure, results_of_figure(figure, results_by_case), verdicts, _missing(figure, results_by_case), used
        )
    return "\n\n".join(part for part in parts if part) + "\n"


def _missing(figure: Figure, results_by_case: Found) -> list[str]:
    """List the failed cases, and the unmeasured cases of partly measured figures."""
    failed: dict[str, list[str]] = {}
    for case in figure.cases:
        if (error := results_by_case.get(case.key, {}).get("error")) is not None:
            failed.setdefault(error, []).append(" ".join(str(part) for part in case.key[1:] if part != ""))
    notes = [f"- failed ({', '.join(cases)}): {error}" for error, cases in failed.items()]
    due: dict[str, list[str]] = {}
    for case in figure.cases:
        if case.key not in results_by_case:
            due.setdefault(case.series, []).append(" ".join(str(part) for part in case.key[2:] if part != ""))
    n = sum(map(len, due.values()))
    if 0 < n < len(figure.cases):
        cases = "; ".join(f"{series}: {', '.join(positions)}" for series, positions in due.items())
        notes.append(f"- **incomplete**: {n} of {len(figure.cases)} cases are due ({cases})")
    return notes


def _provenance(results_by_case: Found) -> str:
    machines: Counter[str] = Counter()
    for result in results_by_case.values():
        m = result["machine"]
        versions = ", ".join(f"{name} {version}" for name, version in m["versions"].items())
        hardware = f"{m['cpu']}, {m['cores']} cores, {m['memory_gib']} GiB"
        machines[f"{hardware}, Python {m['python']}, {versions}, commit {m['commit']}"] += 1
    lines = [f"- {count} case(s): {text}" for text, count in machines.items()]
    files = f"`{CASES}`, `{COSTS}` and `{ENVIRONMENT}`"
    return "\n".join([f"Generated from {files}; do not edit.", "", *lines])


_HEADS = {
    "paper": "The paper's claims",
    "derived": "The paper's claims that follow from the data, from the kind of algorithm, or from other claims",
    "own": "Our own claims",
    "enforced": "Properties that the algorithm enforces",
}


def _claims(judged: Sequence[Judged]) -> str:
    parts = []
    for kind, head in _HEADS.items():
        chosen = [judgement for judgement in judged if judgement.claim.kind == kind]
        if chosen:
            parts += [f"## {head}", claims_table(chosen)]
    return "\n\n".join(parts)


def claims_table(judged: Sequence[Judged]) -> str:
    """Return claims with their verdicts as a Markdown table, without empty columns."""
    head = ("figure", "claim", "printed in the paper", "data", "criterion", "verdict", "repetitions", "measured", "p")
    cells = [
        (
            judgement.figure,
            judgement.claim.text,
            judgement.claim.printed,
            judgement.basis,
            judgement.claim.criterion,
            f"**{judgement.sentence}**",
            f"{judgement.claim.factor.name}: {judgement.share}" if judgement.claim.factor and judgement.share else "",
            judgement.measured,
            "" if judgement.p is None else f"{judgement.p:.1g}",
        )
        for judgement in judged
    ]
    columns = [i for i in range(len(head)) if any(row[i] for row in cells)]
    return rows([head[i] for i in columns], [[row[i] for i in columns] for row in cells])


def rows(head: Sequence[str], cells: Iterable[Sequence[str]]) -> str:
    r"""Return a Markdown table. Vertical bars in cells are escaped.

    >>> print(rows(("a", "b"), [("|D|", "k^m")]))
    | a | b |
    |---|---|
    | \|D\| | k<sup>m</sup> |
    """
    lines = [[superscripts(cell.replace("|", "\\|")) for cell in row] for row in (head, *cells)]
    written = [f"| {' | '.join(line)} |" for line in lines]
    return "\n".join([written[0], "|---" * len(head) + "|", *written[1:]])


def superscripts(text: str) -> str:
    """Return a text with k^m and l^m as in the pages written by hand.

    >>> superscripts("(k, l^m)-diversity")
    '(k, l<sup>m</sup>)-diversity'
    """
    return re.sub(r"\b([kl])\^m\b", r"\1<sup>m</sup>", text)


def _figure(figure: Figure, results: Repeated, judged: Sequence[Judged], missing: list[str], used: str) -> list[str]:
    drawn = panels_of(figure, results)
    if not results.levels and not missing:
        return []
    parts = [f"## {superscripts(figure.title)}", figure.note, used, "\n".join(missing)]
    parts.append("\n".join(f"- {judgement.claim.text}: **{judgement.sentence}**" for judgement in judged))
    parts.append("\n".join(dict.fromkeys(f"- The paper: {printed.says}" for printed in figure.printed)))
    if any(panel.is_drawn for panel in drawn):
        parts.append(f"![{figure.title}]({file_name(figure)})")
    for panel in drawn:
        parts += [f"**{panel.label}**{_repeated(panel)}", table(figure.x_label, panel)]
    return parts


def records_used(chosen: Paper, cases: Iterable[Case]) -> str:
    """Return the number of records that cases use, for each data set."""
    sizes: dict[str, set[int]] = {}
    for case in cases:
        for name in chosen.reads(case.parameters) or ["generated data"]:
            asked, available = case.parameters, _available(name)
            part = (
                round(available * asked.get("share", 1.0)) if "records" not in asked else asked["records"] or available
            )
            sizes.setdefault(name, set()).add(part)
    inside = {name: f" ({n:,} in the paper)" for name, n in chosen.records_in_paper.items()}
    used = (f"{name}: {_of(found, _available(name))}{inside.get(name, '')}" for name, found in sorted(sizes.items()))
    return "; ".join(used)


def _available(name: str) -> int:
    """Return the number of records of a data set, or of a generator with default parameters. 0 if unknown."""
    if name in ENTRIES:
        return ENTRIES[name].n
    measured = GENERATED[name].measured if name in GENERATED else None
    return measured.n if measured else 0


def _of(sizes: set[int], available: int) -> str:
    if sizes == {available}:
        return f"all {available:,}"
    low, high = min(sizes), max(sizes)
    used = f"{low:,}" if low == high else f"{low:,} to {high:,}"
    return f"{used} of {available:,}" if available >= high else used


def _repeated(panel: Panel) -> str:
    factor = factor_of(panel.levels[0])
    if factor is None:
        return ""
    named = f"; also {', '.join(panel.singles)}" if panel.singles else ""
    return f" (median over {len(panel.levels)} repetitions of the {factor.name}, range in brackets{named})"


def show(value: float) -> str:
    """Format a measured value with four significant digits, and commas between thousands."""
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.4g}"


def table(x_label: str, panel: Panel) -> str:
    """Return a quantity of a figure as a Markdown table, with a column per curve. The last rows are named levels."""
    cells = []
    for x in panel.positions:
        values = [_value(panel, name, x) for name in panel.series]
        cells.append([x if isinstance(x, str) else f"{x:,}", *values])
    for level in panel.singles:
        for x in panel.positions:
            named_values = [panel.single(level, name, x) for name in panel.series]
            shown = [show(value) if value is not None else "" for value in named_values]
            if any(shown):
                cells.append([f"{x if isinstance(x, str) else f'{x:,}'}, {level}", *shown])
    return rows((x_label, *panel.series), cells)


def _value(panel: Panel, series: str, x: float | str) -> str:
    """Format the median of a point. The range follows in brackets if the values differ."""
    point = panel.point(series, x)
    if point is None:
        return ""
    middle, low, high = point
    return show(middle) if low == high else f"{show(middle)} ({show(low)} – {show(high)})"
