"""Command line of the experiments."""

import os
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.experiments import (
    agreement,
    claim_counts,
    findings,
    inventory,
    negatives,
    results_page,
    runner,
    store,
    verdicts,
    workers,
)
from benchmarks.experiments import render as rendering
from benchmarks.experiments.judging import Judged
from cyclopts import App

from anonset.errors import InputError

app = App(name="experiments", help="Measure the experiments of the papers, and render their results.")


@app.command
def run(
    *papers: str,
    figure: tuple[str, ...] = (),
    again: bool = False,
    quick: bool = False,
    untimed: bool = False,
    timeout: float = 600.0,
) -> None:
    """Measure all cases that have no result for the current parameters, code and data.

    If all changes are committed, the new results are signed: `agree` notices if they are changed later. A figure whose
    declared cases are all measured counts as checked.

    Parameters
    ----------
    papers
        Paper keys, such as terrovitis2008; by default the five papers, without our own studies.
    figure
        Measure only these figures.
    again
        Measure all cases, including cases with results.
    quick
        Measure only the quick subset; results go to build/quick.
    untimed
        Skip cases with claims on time or memory. Other programs on the same machine influence only these cases.
    timeout
        Time limit of a case in seconds.
    """
    failed = 0
    for key in papers or runner.papers(studies=False):
        results = runner.QUICK_RESULTS if quick else runner.RESULTS
        asked: dict[str, Any] = {"figures": figure, "quick": quick, "untimed": untimed, "again": again}
        before, commit = runner.checks_of(runner.paper(key), results), runner.machine()["commit"]
        ran, wrong = runner.run(key, **asked, timeout=timeout, results=results)
        if not (quick or commit.endswith(runner.CHANGED)):
            agreement.sign(before, commit, results)
        sys.stdout.write(f"{key}: {ran} case(s) run, {wrong} failed\n")
        failed += wrong
    sys.exit(1 if failed else 0)


@app.command
def status(*papers: str, quick: bool = False, figures: bool = False) -> None:
    """Show for each paper how many cases have a current result, a result of earlier code or data, or none.

    A result is current if parameters, code and data are unchanged, or if `check` has confirmed its figure with the
    current code. Cases whose time or memory is claimed are not confirmed by `check`.

    Parameters
    ----------
    papers
        Paper keys; all by default.
    quick
        Show the quick subset.
    figures
        Also show each figure, with the time of the last measurement.
    """
    results = runner.QUICK_RESULTS if quick else runner.RESULTS
    for key in papers or runner.papers():
        planned = runner.plan(runner.paper(key), quick=quick, results=results)
        skipped = f", {planned.cases_without_data} without data" if planned.cases_without_data else ""
        measured = runner.results_of(runner.paper(key), results)
        states = Counter(runner.state(measured.get(case.key)) for case in planned.due)
        due = ", ".join(f"{n} {state}" for state, n in sorted(states.items())) or "0 due"
        sys.stdout.write(f"{key}: {planned.there} current, {due}{skipped}\n")
        for piece in runner.pieces(runner.paper(key), results) if figures else ():
            took = f"; last measured in {piece.seconds:.0f} s" if piece.seconds else ""
            sys.stdout.write(f"  --figure {piece.figure}: {piece.cases} cases, {piece.due} due{took}\n")


@app.command
def agree(*papers: str, folder: Path = runner.QUICK_RESULTS, strict: bool = False) -> None:
    """Compare results with the tracked results. Losses and counts must agree to 1e-12. Times are not compared.

    Texts of what was checked must be equal.

    Each case of the quick subset must have a result in both folders, unless its data are not available. The new result
    must belong to the current code and data. Exits with status 1 if a value differs, a case failed or has no such
    result, there is nothing to compare, the last `check` of a figure found differences or measured only some cases, or
    tracked results have changed since, a stored result differs from its digest, or a page or verdict does not follow
    from the stored results (unless papers are named). Names the figures whose last `check`
    belongs to earlier code or data.

    Parameters
    ----------
    papers
        Paper keys; the five papers by default. For our own studies, the default only reads the outcome of `check`.
    folder
        Folder of the new results. By default, the folder of the quick subset.
    strict
        Also exit with status 1 if the last `check` of a figure whose data are available belongs to earlier code or
        data.
    """
    total, differing, lacking = 0, 0, 0
    for key in papers or runner.papers(studies=False):
        common, differences = agreement.compared(key, folder)
        unmeasured, skipped = agreement.unmeasured(key, folder)
        total, differing = total + common, differing + len({difference.key for difference in differences})
        lacking += len(unmeasured)
        for line in [*map(str, differences), *unmeasured, *skipped]:
            sys.stdout.write(f"{key} {line}\n")
    outdated = [
        f"{key} {line}\n"
        for key in papers or runner.papers()
        for line in (*agreement.disagreeing(key), *agreement.without_outcome(key), *agreement.changed(key))
    ]
    outdated += [f"{line}\n" for line in store.unsealed(runner.RESULTS)]
    outdated += [] if papers else _changed_pages()
    sys.stdout.write("".join(outdated))
    confirmed, checked, known = 0, 0, 0
    for key in papers or runner.papers():
        checks = runner.checks_of(runner.paper(key))
        confirmed, checked = confirmed + len(checks.confirmed), checked + len(checks.available)
        known += len(checks.outcomes)
        if earlier := sorted(checks.available - checks.confirmed):
            sys.stdout.write(f"{key}: checked with earlier code or data: {', '.join(earlier)}\n")
    if checked:
        without = f"; {known - checked} figure(s) without data" if known > checked else ""
        sys.stdout.write(f"{confirmed} of {checked} figure(s) checked with the current code and data{without}\n")
    sys.stdout.write(f"{total} case(s) compared, {differing} differ, {lacking} failed or not measured\n")
    sys.exit(1 if differing or lacking or outdated or not total or (strict and confirmed < checked) else 0)


@app.command
def check(*papers: str, figure: tuple[str, ...] = (), draw: str = "", timeout: float = 600.0) -> None:
    """Measure cases of figures with the current code. If losses and counts agree, a figure is current.

    The declared cases are the quick subset. In papers, they exclude cases whose time or memory is claimed. Other cases
    of each figure are drawn at random. If tracked results of a figure have changed since its last check, all its cases
    are measured, and so are cases that are new since then. Cases that `run --quick` has measured with this code and
    these data are not measured again. The outcome is stored with the tracked results.
    `status` and `run` use it, and `render` shows it on each page. Exits with status 1 if a value differs, a case fails
    or has no tracked result, or a figure with data is not current.

    Parameters
    ----------
    papers
        Paper keys; all by default, with our own studies.
    figure
        Check only these figures.
    draw
        Text that draws the cases, by default the commit. With a text of your own, only you have chosen the cases.
    timeout
        Time limit of a case in seconds.
    """
    if (commit := runner.machine()["commit"]).endswith(runner.CHANGED):
        msg = f"check names the commit of the code: commit your changes first, got {commit}"
        raise InputError(msg)
    wrong = 0
    for key in papers or runner.papers():
        chosen = runner.paper(key)
        figures = figure or tuple(sorted({case.figure for case in runner.declared(chosen)}))
        drawn = runner.drawn(chosen, draw or commit, figures, unsigned=runner.checks_of(chosen).unsigned)
        wanted = [*runner.declared(chosen, figures), *drawn]
        ran, failed = runner.run(key, only=wanted, timeout=timeout, results=runner.QUICK_RESULTS)
        differences = agreement.store_figures(key, commit, runner.QUICK_RESULTS, figures)
        lacking, _ = agreement.unmeasured(key, runner.QUICK_RESULTS, wanted=wanted)
        for line in [*map(str, differences[:5]), *lacking]:
            sys.stdout.write(f"{key} {line}\n")
        current = len(runner.checks_of(chosen).confirmed.intersection(figures))
        without = [name for name in figures if runner.missing_data(runner.reads(chosen, name))]
        skipped = f"; no data for {', '.join(without)}" if without else ""
        n = len(figures) - len(without)
        sys.stdout.write(f"{key}: {ran} case(s) run, {failed} failed; {current} of {n} figure(s) current{skipped}\n")
        wrong += failed + len(differences) + len(lacking) + (current < n)
    sys.exit(1 if wrong else 0)


@app.command
def beside(way: str, *, figure: str = "k5m2", data: tuple[str, ...] = ()) -> None:
    """Measure an algorithm, and print the tables of the study of trees with a column for this algorithm.

    Plug-ins are allowed.

    Parameters
    ----------
    way
        Algorithm name, optionally followed by a tree: 'apriori balanced:5'.
    figure
        Figure of the study that defines k, m and the data sets.
    data
        Measure only these data sets.
    """
    from benchmarks.experiments.trees.beside import tables

    sys.stdout.write(tables(way, figure, data))


@app.command
def serve(paper: str) -> None:
    """Read names of cases from standard input, one per line. Run each case, and print the result as a line of JSON."""
    workers.serve(runner.paper(paper))


@app.command
def prepare(paper: str) -> None:
    """Run the preparation of a paper, such as compilation. A measured case then excludes the preparation time."""
    if (preparation := runner.paper(paper).prepare) is not None:
        preparation()


@app.command
def render(*papers: str, quick: bool = False) -> None:
    """Write a page with tables, plots and verdicts for each paper.

    Parameters
    ----------
    papers
        Paper keys. By default all papers, and also the verdicts and the generated pages in docs.
    quick
        Render the results of the quick subset into build/quick only.
    """
    results = runner.QUICK_RESULTS if quick else runner.RESULTS
    for key in papers or runner.papers(studies=not quick):
        sys.stdout.write(f"{rendering.render(key, results)}\n")
    if papers:
        return
    judged = verdicts.judged_papers(results)
    for path, text in ({results / verdicts.FILE: verdicts.text(judged)} | ({} if quick else _pages(judged))).items():
        store.replace_file(path, text)
        sys.stdout.write(f"{path}\n")


def _pages(judged: Mapping[str, Sequence[Judged]]) -> dict[Path, str]:
    """Return the generated pages about claims, by file."""
    return {page.PAGE: page.text(judged) for page in (findings, inventory, negatives)}


def _changed_pages() -> list[str]:
    """Return a line for each file of verdicts that is not the one that follows from the stored results."""
    judged = verdicts.judged_papers()
    derived = {runner.RESULTS / key / rendering.README: rendering.page_of(key, of) for key, of in judged.items()}
    derived |= {runner.RESULTS / verdicts.FILE: verdicts.text(judged)} | _pages(judged)
    return [
        f"{os.path.relpath(path, runner.RESULTS.parents[1])}: differs from the stored results and the criteria\n"
        for path, text in derived.items()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    ]


@app.command
def counts() -> None:
    """Count the papers' claims that hold, by reading, in both directions, and without information."""
    judged = verdicts.judged_papers()
    found = claim_counts.counts(one for key in runner.papers(studies=False) for one in judged[key])
    sys.stdout.write("".join(f"{n:4} {name}\n" for name, n in found.items()))


@app.command
def blocks(*keys: str) -> None:
    """Write the results into docs/results.md between the markers `<!-- results:KEY -->` and `<!-- /results:KEY -->`.

    Parameters
    ----------
    keys
        Keys of our own studies, `benchmarks` for the results of `make bench`, `overview`, `quick`,
        `baselines-in-short`, or `rt_frontier-errors`; all by default.
    """
    studies = sorted(set(runner.papers()) - set(runner.papers(studies=False)))
    pages = results_page
    others = pages.BENCHMARKS, pages.OVERVIEW, pages.QUICK, pages.IN_SHORT, pages.RT_ERRORS
    for key in keys or (*studies, *others):
        sys.stdout.write(f"{results_page.write_block(key)}\n")


if __name__ == "__main__":
    try:
        app()
    except InputError as error:
        sys.exit(f"experiments: error: {error}")
