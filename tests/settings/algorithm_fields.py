"""Write the table of the fields of all built-in algorithms: ``python -m tests.settings.algorithm_fields``."""

import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from types import NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from anonset.algorithms.registry import ALGORITHMS, OFFERED
from anonset.settings import algorithm_fields
from anonset.settings.parameters import form_of, type_and_text

HEAD = f'''"""Fields of the built-in algorithms. The options of commands are listed without importing an algorithm.

{__doc__.partition(": ")[2].rstrip(".")} writes this file; a test compares it with the algorithms.
"""
# ruff: noqa: E501

from typing import Any, Literal

FieldRow = tuple[str, Any, str, bool, str]
"""Field name, type, documentation, True if the default is True, and names of the algorithms that have the field.

The type is None, and the documentation is empty, if the setting of the field has its own (see `SettingForm`).
"""
BUILT_IN: tuple[FieldRow, ...] = (
'''


def table() -> str:
    """Return the text of the module before formatting."""
    rows: dict[str, tuple[str, list[str]]] = {}
    for name, cls in ((name, cls) for name, cls in ALGORITHMS.items() if name not in OFFERED):
        types = get_type_hints(cls, include_extras=True)
        for field in fields(cls):  # type: ignore[arg-type]
            form = form_of(field.name)
            kind, text = type_and_text(types[field.name])
            shown = f"{field.name!r}, {None if form.type else shown_type(kind)}, {'' if form.text else text!r}, "
            rows.setdefault(field.name, (f"{shown}{field.default is True}", []))[1].append(name)
    lines = [f"({row}, {' '.join(users)!r})," for row, users in rows.values()]
    return f"{HEAD}{''.join(lines)})\n"


def shown_type(kind: Any) -> str:
    """Return a type as code."""
    if get_origin(kind) is Literal:
        return f"Literal[{', '.join(map(repr, get_args(kind)))}]"
    if parts := get_args(kind):
        return " | ".join(map(shown_type, parts))
    return "None" if kind is NoneType else str(kind.__name__)


if __name__ == "__main__":
    path = Path(algorithm_fields.__file__)
    path.write_text(table())
    subprocess.run([sys.executable, "-m", "ruff", "format", "--quiet", path], check=True)
