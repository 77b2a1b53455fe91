"""Privacy models, with their parameters, guarantees and limits."""

from anonset.lazy_names import lazy_names

__getattr__, __dir__ = lazy_names(globals())
