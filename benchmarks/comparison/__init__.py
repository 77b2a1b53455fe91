"""Comparison with other tools: the same data, guarantee, hierarchies and machine for each tool.

``python -m benchmarks.comparison run DATA FOLDER`` measures all installed tools, and ``python -m benchmarks.comparison
page`` writes the results into docs/comparison.md. DATA is the folder of data sets. FOLDER is for all other files, and
contains ``tools.json``: for each tool its ``version`` and a ``path``. Tools without an entry are not run.

=================  =====================================================  =============================================
tool               what to download                                       ``path``
=================  =====================================================  =============================================
``arx``            libarx, or the sources without ``gui``                 class path
``arx_sets``       the sources of the branch ``transactions``, compiled   class path
``amnesia``        the sources of the back end, compiled                  class path, with Spring, Jackson, Guava, …
``anjana``         ``pip install anjana``                                 its Python
``sdcmicro``       the R package                                          R library folder
=================  =====================================================  =============================================
"""
