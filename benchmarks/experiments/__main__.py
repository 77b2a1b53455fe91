"""Command line of the experiments."""

import sys
from pathlib import Path
from typing import Any

from benchmarks.experiments import agreement, findings, inventory, negatives, results_page, runner, verdicts, workers
from benchmarks.experiments import render as rendering
from cyclopts import App

from anonset.errors import InputError

app = App(name="experiments", help="Run and render the experiments of the papers.")


@app.command
def run(
    *papers: str,
    figure: tuple[str, ...] = (),
    again: bool = False,
    quick: bool = False,
    untimed: bool = False,
    timeout: float = 600.0,
) -> None:
    """Measure the cases of papers that have no result of the same parameters, code and data.

    Parameters
    ----------
    papers
        Keys of papers, such as terrovitis2008; the five papers by default, without our own studies.
    figure
        Only these figures.
    again
        Measure them anew, whatever results there are.
    quick
        Only the quick subset, into build/quick.
    untimed
        Leave out the cases whose time or memory is judged: the others come out the same on a busy machine.
    timeout
        Seconds after which a case is given up.
    """
    failed = 0
    for key in papers or runner.papers(studies=False):
        results = runner.QUICK_RESULTS if quick else runner.RESULTS
        asked: dict[str, Any] = {"figures": figure, "quick": quick, "untimed": untimed, "again": again}
        ran, wrong = runner.run(key, **asked, timeout=timeout, results=results)
        sys.stdout.write(f"{key}: {ran} case(s) run, {wrong} failed\n")
        failed += wrong
    sys.exit(1 if failed else 0)


@app.command
def status(*papers: str, quick: bool = False, figures: bool = False) -> None:
    """Say how many cases of each paper have a result of the same parameters, code and data, and how many are due.

    Parameters
    ----------
    papers
        Keys of papers; all by default.
    quick
        Of the quick subset alone.
    figures
        Of each figure by itself, with the seconds that its cases took when they were last measured.
    """
    results = runner.QUICK_RESULTS if quick else runner.RESULTS
    for key in papers or runner.papers():
        planned = runner.plan(runner.paper(key), quick=quick, results=results)
        left = f", {planned.cases_without_data} without data" if planned.cases_without_data else ""
        sys.stdout.write(f"{key}: {planned.there} measured, {len(planned.due)} due{left}\n")
        for one in runner.pieces(runner.paper(key), results) if figures else ():
            took = f"; all took {one.seconds:.0f} s when last measured" if one.seconds else ""
            sys.stdout.write(f"  --figure {one.figure}: {one.cases} cases, {one.due} due{took}\n")


@app.command
def agree(folder: Path = runner.QUICK_RESULTS, *papers: str) -> None:
    """Compare results with the tracked ones: losses and counts must agree to 1e-12; times are not compared.

    Nothing to compare is no agreement.

    Parameters
    ----------
    folder
        The folder of the results; by default those of the quick subset.
    papers
        Keys of papers; the five papers by default.
    """
    whole, differing = 0, 0
    for key in papers or runner.papers(studies=False):
        both, differences = agreement.compared(key, folder)
        whole, differing = whole + both, differing + len({one.key for one in differences})
        for one in differences[:5]:
            sys.stdout.write(f"{key} {one}\n")
    sys.stdout.write(f"{whole} case(s) compared, {differing} differ\n")
    sys.exit(1 if differing or not whole else 0)


@app.command
def beside(way: str, *, figure: str = "k5m2", data: tuple[str, ...] = ()) -> None:
    """Measure any algorithm, one of a plug-in too, and print the tables of the study of trees with it.

    Parameters
    ----------
    way
        Name of the algorithm; after a blank, the tree that it takes: 'apriori balanced:5'.
    figure
        A figure of the study, for k, m and the data sets.
    data
        Only these data sets.
    """
    from benchmarks.experiments.trees.beside import tables

    sys.stdout.write(tables(way, figure, data))


@app.command
def serve(paper: str) -> None:
    """Run the cases whose names come in, a line each; answer with a line of JSON each."""
    workers.serve(runner.paper(paper))


@app.command
def prepare(paper: str) -> None:
    """Do once, in this process, what the cases of a paper are not to pay for."""
    if (preparation := runner.paper(paper).prepare) is not None:
        preparation()


@app.command
def render(*papers: str, quick: bool = False) -> None:
    """Write tables, plots and verdicts from the results: a page for each paper, all by default.

    Parameters
    ----------
    papers
        Keys of papers; all by default, and then the verdicts and the pages made of them, too.
    quick
        From the results of the quick subset, in build/quick; no page outside is written.
    """
    results = runner.QUICK_RESULTS if quick else runner.RESULTS
    for key in papers or runner.papers(studies=not quick):
        sys.stdout.write(f"{rendering.render(key, results)}\n")
    if papers:
        return
    judged = verdicts.judged_papers(results)
    texts = {results / verdicts.FILE: verdicts.text(judged)}
    if not quick:
        texts |= {page.PAGE: page.text(judged) for page in (findings, inventory, negatives)}
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8")
        sys.stdout.write(f"{path}\n")


@app.command
def blocks(*keys: str) -> None:
    """Write the results into docs/results.md, between the markers `<!-- results:KEY -->` and `<!-- /results:KEY -->`.

    Parameters
    ----------
    keys
        Keys of our own studies, and `benchmarks` for the results of `make bench`; all by default.
    """
    studies = sorted(set(runner.papers()) - set(runner.papers(studies=False)))
    for key in keys or (*studies, results_page.BENCHMARKS):
        sys.stdout.write(f"{results_page.write_block(key)}\n")


if __name__ == "__main__":
    try:
        app()
    except InputError as error:
        sys.exit(f"experiments: error: {error}")
