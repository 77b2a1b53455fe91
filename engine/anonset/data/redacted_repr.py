"""Object representations without labels of the data. Notebooks, tracebacks and logs show them, so they contain only
parameters and sizes.
"""

from collections.abc import Callable, Iterable, Mapping, Sized
from dataclasses import MISSING, Field, fields
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

_PLAIN = (bool, int, float, str, Fraction, type(None), Path)
_FEW = 5


class RedactedRepr:
    """Base of dataclasses that may contain labels. The repr shows their count and omits fields with default values.

    Text fields are shown. Declare fields with text from the data as ``field(repr=False)``.

    >>> from dataclasses import dataclass, field
    >>> @dataclass
    ... class Ward(RedactedRepr):
    ...     beds: int
    ...     patients: tuple[str, ...]
    ...     doctor: str = field(default="", repr=False)
    >>> Ward(3, ("Ann", "Bob"), "Cid")
    Ward(beds=3, patients=<2>)
    """

    def __init_subclass__(cls, **more: Any) -> None:
        """Set `__repr__` on each subclass, so that the dataclass decorator does not replace it."""
        super().__init_subclass__(**more)
        if "__repr__" not in cls.__dict__:
            cls.__repr__ = cls.__repr__  # type: ignore[method-assign]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(shown_fields(self))})"


def shown_fields(instance: Any) -> list[str]:
    """Return ``name=value`` for the fields of a dataclass that may be shown and differ from their defaults."""
    shown_values = ((field, getattr(instance, field.name)) for field in fields(instance) if field.repr)
    return [f"{field.name}={redacted(value)}" for field, value in shown_values if not _is_default(field, value)]


def redacted(value: Any) -> str:
    """Return a value as text. Numbers, names and objects without labels are shown completely. For other values, only
    the size is shown.

    >>> import numpy as np
    >>> redacted(0.5), redacted(("a", "b")), redacted({"a": 1}), redacted(np.zeros((2, 3), np.int32))
    ('0.5', '<2>', '<1>', '<int32 2x3>')
    >>> from anonset.privacy import LmDiversity
    >>> redacted(partial(LmDiversity, l=2, sensitive_items=("hiv",)))
    'LmDiversity(l=2, sensitive_items=<1>)'
    """
    if isinstance(value, (*_PLAIN, RedactedRepr)):
        return str(value) if isinstance(value, (Fraction, Path)) else repr(value)
    import numpy as np  # slow, and most modules import `RedactedRepr`

    if isinstance(value, np.generic):
        return repr(value.item())
    if isinstance(value, np.ndarray):
        return f"<{value.dtype} {'x'.join(map(str, value.shape))}>"
    if isinstance(value, partial):
        arguments = [*map(redacted, value.args), *(f"{name}={redacted(part)}" for name, part in value.keywords.items())]
        return f"{_name(value.func)}({', '.join(arguments)})"
    if isinstance(value, Sized):
        return f"<{len(value)}>"
    return _name(value) if callable(value) else f"<{type(value).__name__}>"


def names_shown(names: Iterable[str]) -> str:
    """Return column names as text. Only the first names of a long list are shown.

    >>> names_shown(["age", "sex"]), names_shown("abcdefgh")
    ("'age', 'sex'", "'a', 'b', 'c', 'd', 'e', … (8)")
    """
    listed = list(names)
    named = ", ".join(map(repr, listed[:_FEW]))
    return named if len(listed) <= _FEW else f"{named}, … ({len(listed):,})"


def figures_shown(figures: Mapping[str, float]) -> str:
    """Return figures with names defined by anonset, such as losses, as text.

    >>> figures_shown({"ncp": 0.25882, "records": 8})
    'ncp 0.2588, records 8'
    """
    return ", ".join(
        f"{name} {value:,}" if isinstance(value, int) else f"{name} {value:.4g}" for name, value in figures.items()
    )


def _is_default(field: Field[Any], value: Any) -> bool:
    if field.default_factory is not MISSING:
        return bool(value == field.default_factory())
    return isinstance(value, _PLAIN) and isinstance(field.default, _PLAIN) and value == field.default


def _name(value: Callable[..., Any]) -> str:
    return getattr(value, "__name__", type(value).__name__)
