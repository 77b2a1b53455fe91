"""Page that lists all panels and tables of the papers, with status, differences and verdicts."""

from collections import Counter
from collections.abc import Mapping, Sequence

from benchmarks.experiments.cases import OF_PAPERS
from benchmarks.experiments.criteria import REPETITIONS
from benchmarks.experiments.findings import names
from benchmarks.experiments.judging import Judged
from benchmarks.experiments.methods import PAPERS, of_paper
from benchmarks.experiments.panels import NOT_JUDGED, Band, Panel
from benchmarks.experiments.panels import of_paper as panels_of
from benchmarks.experiments.render import records_used, rows, superscripts
from benchmarks.experiments.runner import paper, papers
from benchmarks.experiments.workers import ROOT

PAGE = ROOT / "docs" / "panels.md"
_STATUSES = "paper's setting", "with differences", "not testable"


def text(judged: Mapping[str, Sequence[Judged]]) -> str:
    """Return the page with the number of panels by status, and a table per paper."""
    counted = {key: Counter[str](panel.status for panel in panels_of(key)) for key in papers(studies=False)}
    total = sum(counted.values(), Counter[str]())
    cells = [
        (name, *(str(counts[status]) for status in _STATUSES), str(counts.total()))
        for name, counts in [*((names(key), counts) for key, counts in counted.items()), ("all", total)]
    ]
    parts = [_INTRODUCTION, rows(("paper", *_STATUSES, "panels"), cells), _METHODS]
    parts += [rows((name, "state", "difference or reason"), of_paper(name)) for name in PAPERS]
    for key in counted:
        without = "; ".join(NOT_JUDGED.get(key, ())) or "we know none"
        parts += [f"## {names(key)}", _table(key, judged[key])]
        parts.append(superscripts(f"Sentences without a figure that are not judged: {without}."))
    return "\n\n".join(parts) + "\n"


_INTRODUCTION = f"""\
# Every panel and table

Is a certain figure or table of the five papers reproduced here, and with which differences? The first table shows the
number of panels (parts of a figure), tables and result sections by status. The other tables are for researchers who
check a paper. They list each panel.

*`python -m benchmarks.experiments render` generates this page; do not edit it.*

| column | meaning |
|---|---|
| printed | numbers from the text and tables of the paper. The plots of the papers contain no numbers |
| records | number of records used, for each data set. The page of the paper states why a figure uses a part |
| reproduced: paper's setting | measured on the data of the paper, with all parameters that the paper states. The \
verdicts say whether the results agree. A choice that no paper states, such as the order of the leaves, is drawn \
{REPETITIONS} times or more, and is no difference |
| reproduced: with differences | measured on other data or with other parameters. The differences are listed |
| verdicts | the paper's claims about the panel, with their verdicts |

[Which claims of the papers hold](findings.md) lists the claims."""


_METHODS = """\
## Methods of the papers

Each table lists the algorithms of this project that implement a paper, then the numbered algorithms and variants of the
paper with their code and test, and missing parts. A part "differs" if its code declares a difference, and "works"
otherwise. The numbered algorithms and the missing parts are listed by hand from the papers."""


def _table(key: str, judged: Sequence[Judged]) -> str:
    cells, chosen = [], paper(key)
    figures = {figure.key: figure for figure in chosen.figures}
    for panel in panels_of(key):
        used = records_used(chosen, figures[panel.figure].cases) if panel.figure else ""
        link = f"[{panel.figure}](../benchmarks/results/{key}/README.md)" if panel.figure else ""
        status = panel.status + (f": {panel.differences}" if panel.differences else "")
        cells.append((panel.label, panel.shows, _printed(panel), link, used, status, _verdicts(panel, judged)))
    return rows(("panel", "shows", "printed", "here", "records", "reproduced", "verdicts"), cells)


def _printed(panel: Panel) -> str:
    return "; ".join(f"{name}: {', '.join(map(_band, bands))}" for name, bands in panel.printed.items())


def _band(band: Band) -> str:
    value = f"{band.low:,g}" if band.low == band.high else f"{band.low:,g} to {band.high:,g}"
    scope = ", ".join(part for part in (band.series, band.where) if part)
    return " ".join(part for part in (value, band.unit, f"({scope})" if scope else "") if part)


def _verdicts(panel: Panel, judged: Sequence[Judged]) -> str:
    return "; ".join(
        f"{one.claim.text}: **{one.verdict}**{f' ({one.basis})' if one.claim.kind == 'derived' else ''}"
        for one in judged
        if one.key == panel.figure and one.claim.kind in OF_PAPERS and panel.is_about(one.claim)
    )
