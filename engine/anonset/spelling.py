"""How a message spells a setting: as Python does, or on the command line as an option."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_as_options: ContextVar[bool] = ContextVar("as_options", default=False)


def setting(name: str, value: object = None) -> str:
    """Return a setting as those to whom a message speaks would write it.

    >>> setting("keep"), setting("group", True), setting("missing", "value")
    ('keep', 'group=True', "missing='value'")
    >>> with options_spelled():
    ...     setting("keep"), setting("group", True), setting("missing", "value")
    ('--keep', '--group', '--missing value')
    """
    if not _as_options.get():
        return name if value is None else f"{name}={value!r}"
    option = "--" + name.replace("_", "-")
    return option if value is None or value is True else f"{option} {value}"


@contextmanager
def options_spelled() -> Iterator[None]:
    """Spell settings as options of the command line within the block."""
    token = _as_options.set(True)
    try:
        yield
    finally:
        _as_options.reset(token)
