"""Algorithms and models of installed packages, which are declared as entry points.

A package declares a class in the entry-point group ``anonset.algorithms`` or ``anonset.models``. The class is then
available by the attribute `name`, like the built-in classes.
"""

from collections.abc import Iterable
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from anonset.errors import InputError

ALGORITHMS, MODELS = "anonset.algorithms", "anonset.models"
"""Entry-point groups."""


@cache
def installed_entry_points() -> Any:
    """Return the entry points of all installed packages. They are read once, because reading the metadata is slow."""
    return entry_points()


def load_offered(group: str, known: Iterable[str]) -> dict[str, type[Any]]:
    """Return the classes that installed packages provide in a group, by name.

    Parameters
    ----------
    known
        Names of the built-in classes.

    Raises
    ------
    InputError
        If a class cannot be imported, has no name, or has the name of another class. Skipping the class silently could
        change the result of an unattended run.
    """
    classes: dict[str, type[Any]] = {}
    taken = set(known)
    for entry in sorted(installed_entry_points().select(group=group), key=lambda entry: (entry.name, entry.value)):
        loaded = _load(entry)
        name = getattr(loaded, "name", None)
        if not isinstance(loaded, type) or not isinstance(name, str) or not name:
            raise InputError(f"{_described(entry)} must be a class with a name, got {loaded!r}; fix or uninstall it")
        if name in taken:
            raise InputError(f"{_described(entry)} has the name {name!r} of another class; rename or uninstall it")
        taken.add(name)
        classes[name] = loaded
    return classes


def _load(entry: EntryPoint) -> Any:
    try:
        return entry.load()
    except Exception as error:
        msg = f"{_described(entry)} cannot be imported ({type(error).__name__}: {error}); fix or uninstall it"
        raise InputError(msg) from error


def _described(entry: EntryPoint) -> str:
    package = "an unknown package" if entry.dist is None else f"package {entry.dist.name!r}"
    return f"plug-in {entry.value!r} of {package}"
