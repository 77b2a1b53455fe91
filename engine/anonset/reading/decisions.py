"""Declarations of what an option decides. Comparisons of runs, studies and releases are derived from them."""

from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any, get_type_hints


class Decides(Enum):
    """What changes if an option has another value. The first description that applies is declared."""

    PERSONS = "persons"
    """Which rows are persons, and which rows belong to the same person. Items may change, too."""
    ITEMS = "items"
    """Which items a person has in the data, before any hierarchy."""
    FILE = "file"
    """How the bytes of the input become rows and cells. Another file may need another value for the same content."""
    PUBLICATION = "publication"
    """What is published of these persons and items, or measured."""
    ACCEPTANCE = "acceptance"
    """Whether a result is published. The data that are read and the search are the same."""
    MACHINE = "machine"
    """Where and how something is computed, and which data or runs. Results are the same. The content of an input is
    compared instead of its path.
    """


PERSONS, ITEMS, FILE, PUBLICATION, ACCEPTANCE, MACHINE = Decides


def decisions(options: Any) -> dict[str, Decides]:
    """Return what each field of a dataclass or of a settings model decides, as its annotation declares.

    >>> from anonset.reading.file_options import FileOptions
    >>> decisions(FileOptions)["unit"]
    <Decides.PERSONS: 'persons'>

    Raises
    ------
    TypeError
        If a field declares nothing. The message names the field.
    """
    if is_dataclass(options):
        types = get_type_hints(options, include_extras=True)
        notes = {field.name: getattr(types[field.name], "__metadata__", ()) for field in fields(options)}
    else:
        notes = {name: field.metadata for name, field in options.model_fields.items()}
    declared = {name: [note for note in more if isinstance(note, Decides)] for name, more in notes.items()}
    if missing := [name for name, found in declared.items() if len(found) != 1]:
        raise TypeError(f"{options.__name__}.{missing[0]} must declare what it decides")
    return {name: decided for name, (decided,) in declared.items()}
