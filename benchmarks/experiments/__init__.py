"""The papers' experiments on one harness: a table of cases a figure, one runner, one judge, one renderer.

``make reproduce`` measures what has no result of the same parameters, code and data, and writes every page;
``python -m benchmarks.experiments run terrovitis2008 --figure fig8`` measures one figure;
``python -m benchmarks.experiments status`` says what is due;
``python -m benchmarks.experiments render`` writes tables, plots, ``verdicts.json`` and the pages made of it.
"""
