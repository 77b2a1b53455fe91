"""Experiments of the papers.

Each figure is a table of cases. All papers share the code that runs, judges and renders cases.

``make reproduce`` measures all cases that have no valid result, and writes every page;
``python -m benchmarks.experiments run terrovitis2008 --figure fig8`` measures one figure;
``python -m benchmarks.experiments status`` shows how many cases are due;
``python -m benchmarks.experiments render`` writes tables, plots, ``verdicts.json`` and the generated pages.
"""
