"""Compare anonset with other tools. Each tool gets the same data, guarantee, hierarchies and machine.

``python -m benchmarks.comparison run DATA FOLDER`` measures all installed tools, and ``python -m benchmarks.comparison
page`` writes the results into docs/comparison.md. DATA is the folder of data sets. FOLDER contains ``tools.json``, and
receives all other files. ``tools.json`` contains a ``version`` and a ``path`` for each tool. Tools without an entry are
not run.

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
