"""How a message spells a setting: as Python does, or on the command line as an option."""

from collections.abc import Iterator
from contextlib import contextmanager

_options = [False]  # whether this process is the command line, for all of its threads


def setting(name: str, value: object = None, *, option: str | None = None) -> str:
    """Return a setting as those to whom a message speaks would write it.

    Parameters
    ----------
    name, value
        Its name, and the value that it is to have, if one is meant.
    option
        Its name on the command line, where that is another.

    >>> setting("keep"), setting("group", True), setting("missing", "value"), setting("max_cuts", 1000)
    ('keep', 'group=True', "missing='value'", 'max_cuts=1000')
    >>> with options_spelled():
    ...     setting("keep"), setting("group", True), setting("missing", "value"), setting("max_cuts", 1000)
    ('--keep', '--group', '--missing value', '--max-cuts 1000')
    """
    if not _options[-1]:
        return name if value is None else f"{name}={value!r}" if isinstance(value, str) else f"{name}={value}"
    spelled = "--" + (option or name).replace("_", "-")
    return spelled if value is None or value is True else f"{spelled} {value}"


@contextmanager
def options_spelled() -> Iterator[None]:
    """Spell settings as options of the command line within the block."""
    _options.append(True)
    try:
        yield
    finally:
        _options.pop()
