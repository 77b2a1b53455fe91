"""Algorithms and models of third parties: what installed packages offer under an entry point.

A package names a class under the group ``anonset.algorithms`` or ``anonset.models`` of its metadata; from then on it is
known by the class's `name`, as if it were part of this library.
"""

from collections.abc import Iterable
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from anonset.errors import InputError

ALGORITHMS, MODELS = "anonset.algorithms", "anonset.models"
"""The groups of entry points."""


def load_offered(group: str, known: Iterable[str]) -> dict[str, type[Any]]:
    """Return the classes that installed packages offer in a group, by their names.

    Parameters
    ----------
    known
        The names that are taken.

    Raises
    ------
    InputError
        If one cannot be imported, has no name, or has the name of another: it must be repaired or uninstalled, since
        skipping it silently could change what an unattended run publishes.
    """
    classes: dict[str, type[Any]] = {}
    taken = set(known)
    for entry in sorted(entry_points(group=group), key=lambda entry: (entry.name, entry.value)):
        made = _load(entry)
        name = getattr(made, "name", None)
        if not isinstance(made, type) or not isinstance(name, str) or not name:
            msg = f"{_described(entry)} must be a class with a name, got {made!r}; mend it or uninstall it"
            raise InputError(msg)
        if name in taken:
            msg = f"{_described(entry)} has the name {name!r}, which is taken; rename it or uninstall it"
            raise InputError(msg)
        taken.add(name)
        classes[name] = made
    return classes


def _load(entry: EntryPoint) -> Any:
    try:
        return entry.load()
    except Exception as error:
        msg = f"{_described(entry)} cannot be imported ({type(error).__name__}: {error}); mend it or uninstall it"
        raise InputError(msg) from error


def _described(entry: EntryPoint) -> str:
    package = "an unknown package" if entry.dist is None else f"package {entry.dist.name!r}"
    return f"plug-in {entry.value!r} of {package}"
