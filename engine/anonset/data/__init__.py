"""Vocabularies, columns, tables and hierarchies of encoded data. They are immutable, and in memory or mapped from
files.
"""

from anonset.lazy_names import lazy_names

__getattr__, __dir__ = lazy_names(globals())
