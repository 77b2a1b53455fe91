"""Command line of the experiments."""

import json
import sys

from benchmarks.experiments import readme as readme_page
from benchmarks.experiments import render as rendering
from benchmarks.experiments import runner
from cyclopts import App

app = App(name="experiments", help="Run and render the experiments of the papers.")


@app.command
def run(*papers: str, figure: tuple[str, ...] = (), force: bool = False, timeout: float = 1800.0) -> None:
    """Measure the cases of papers that have no result yet.

    Parameters
    ----------
    papers
        Keys of papers, such as terrovitis2008; all by default.
    figure
        Only these figures.
    force
        Measure again what has a result.
    timeout
        Seconds after which a case is given up.
    """
    failed = 0
    for key in papers or runner.papers():
        ran, wrong = runner.run(key, figures=figure, force=force, timeout=timeout)
        sys.stdout.write(f"{key}: {ran} case(s) run, {wrong} failed\n")
        failed += wrong
    sys.exit(1 if failed else 0)


@app.command
def case(paper: str, slug: str) -> None:
    """Run one case in this process and print what it measured as JSON."""
    sys.stdout.write(json.dumps(runner.run_case(paper, slug)) + "\n")


@app.command
def prepare(paper: str) -> None:
    """Do once, in this process, what the cases of a paper are not to pay for."""
    if (preparation := runner.paper(paper).prepare) is not None:
        preparation()


@app.command
def render(*papers: str) -> None:
    """Write tables, plots and verdicts from the results: a page for each paper, all by default."""
    for key in papers or runner.papers():
        sys.stdout.write(f"{rendering.render(key)}\n")


@app.command
def readme(*keys: str) -> None:
    """Write the results into docs/results.md, between the markers `<!-- results:KEY -->` and `<!-- /results:KEY -->`.

    Parameters
    ----------
    keys
        Keys of papers, and `benchmarks` for the results of `make bench`; all by default.
    """
    for key in keys or (*runner.papers(), readme_page.BENCHMARKS):
        sys.stdout.write(f"{readme_page.write_block(key)}\n")


if __name__ == "__main__":
    app()
