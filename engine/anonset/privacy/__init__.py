"""Privacy models: what must hold, in parameters and in words."""

from anonset.lazy_names import lazy_names

__getattr__, __dir__ = lazy_names(globals())
