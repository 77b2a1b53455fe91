"""Write the table of the fields of all built-in algorithms: ``python -m tests.settings.algorithm_fields``."""

import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from types import NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from anonset.algorithms.registry import ALGORITHMS, OFFERED
from anonset.algorithms.relational.base import Formation
from anonset.settings import algorithm_fields
from anonset.settings.parameters import form_of, type_and_text

FORMATIONS = " ".join(name for name, cls in ALGORITHMS.items() if name not in OFFERED and issubclass(cls, Formation))
HEAD = f'''"""Fields of the built-in algorithms. The options of commands are listed without importing an algorithm.

{__doc__.partition(": ")[2].rstrip(".")} writes this file; a test compares it with the algorithms.
"""
# ruff: noqa: E501

from typing import Any, Literal, NamedTuple

_FORMATIONS = "{FORMATIONS}"


class FieldRow(NamedTuple):
    """Field of algorithms. Type and text are empty if the setting of the field has its own (see `SettingForm`)."""

    field: str
    users: str
    """Names of the algorithms that have the field."""
    type: Any = None
    text: str = ""
    on_by_default: bool = False


BUILT_IN: tuple[FieldRow, ...] = (
'''


def table() -> str:
    """Return the text of the module before formatting."""
    facts, users = dict[str, str](), dict[str, list[str]]()
    for name, cls in ((name, cls) for name, cls in ALGORITHMS.items() if name not in OFFERED):
        types = get_type_hints(cls, include_extras=True)
        for field in fields(cls):  # type: ignore[arg-type]
            form = form_of(field.name)
            kind, text = type_and_text(types[field.name])
            stated = {
                "type": "" if form.type else shown_type(kind),
                "text": "" if form.text or not text else repr(text),
                "on_by_default": "True" if field.default is True else "",
            }
            shown = "".join(f", {fact}={value}" for fact, value in stated.items() if value)
            facts.setdefault(field.name, re.sub(r"^, type=(.*?), text=", r", \1, ", shown))
            users.setdefault(field.name, []).append(name)
    lines = [f"FieldRow({name!r}, {shown_names(users[name])}{more})," for name, more in facts.items()]
    return f"{HEAD}{''.join(lines)})\n"


def shown_names(names: Sequence[str]) -> str:
    """Return names of algorithms as code, with the constant for all formations."""
    text = repr(" ".join(names))
    if FORMATIONS not in text:
        return text
    return f"f{text.replace(FORMATIONS, '{_FORMATIONS}')}" if text[1:-1] != FORMATIONS else "_FORMATIONS"


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
