"""Experiments of the papers: each figure is a table of cases; all papers share the runner, the judge and the renderer.

``make reproduce`` measures all cases without a fresh result and writes every page;
``python -m benchmarks.experiments run terrovitis2008 --figure fig8`` measures one figure;
``python -m benchmarks.experiments status`` shows how many cases are due;
``python -m benchmarks.experiments render`` writes tables, plots, ``verdicts.json`` and the generated pages.
"""
