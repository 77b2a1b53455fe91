"""The papers' experiments on one harness: a table of cases a figure, one runner, one renderer.

``python -m benchmarks.experiments run terrovitis2008`` measures the cases that have no result yet;
``python -m benchmarks.experiments render terrovitis2008`` writes tables, plots and the verdict on each claim;
``python -m benchmarks.experiments readme`` writes the verdicts into the page docs/results.md.
"""
