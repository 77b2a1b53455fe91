"""Independent checks of publications. They share no code with the algorithms."""

from anonset.lazy_names import lazy_names

__getattr__, __dir__ = lazy_names(globals())
