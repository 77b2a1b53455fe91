"""Show examples without a heading as code, and the texts of parameters as documentation; mkdocstrings calls it."""

import ast
import re
from typing import Any

from griffe import Attribute, Docstring, ExprSubscript, ExprTuple, Extension, Object

_HEADING = "Examples\n--------\n"


class Doctests(Extension):
    """Add the heading "Examples" to docstrings without it."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Change the docstring of an object that was loaded."""
        if obj.docstring and _HEADING not in obj.docstring.value:
            obj.docstring.value = re.sub(r"^>>> ", f"{_HEADING}>>> ", obj.docstring.value, count=1, flags=re.MULTILINE)


class ParameterTexts(Extension):
    """Turn the annotation ``Annotated[type, "text"]`` of a field into its type and, if it has none, its docstring.

    Texts name options, such as ``--one-hot``. The docstring names the parameter, `one_hot`.
    """

    def on_attribute_instance(self, *, attr: Attribute, **_: Any) -> None:
        """Change a field that was just read."""
        subscript = attr.annotation
        if isinstance(subscript, ExprSubscript) and str(subscript.left) == "Annotated":
            kind, text, *_notes = subscript.slice.elements if isinstance(subscript.slice, ExprTuple) else (None, None)
            if isinstance(text, str):  # a literal; any other note is an expression
                attr.annotation = kind
                attr.docstring = attr.docstring or Docstring(in_python(ast.literal_eval(text)), parent=attr)


def in_python(text: str) -> str:
    """Replace options by the names of Python parameters.

    >>> in_python("Columns for --one-hot; all others use --unit.")
    'Columns for `one_hot`; all others use `unit`.'
    """
    return re.sub(r"(?<![\w-])--([a-z][a-z-]*[a-z])", lambda option: f"`{option[1].replace('-', '_')}`", text)
