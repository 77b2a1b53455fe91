"""Show the examples of a docstring as code, even without a heading; mkdocstrings calls it."""

import re
from typing import Any

from griffe import Extension, Object

_HEADING = "Examples\n--------\n"


class Doctests(Extension):
    """Add the heading "Examples" to docstrings without it."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Change the docstring of an object that was loaded."""
        if obj.docstring and _HEADING not in obj.docstring.value:
            obj.docstring.value = re.sub(r"^>>> ", f"{_HEADING}>>> ", obj.docstring.value, count=1, flags=re.MULTILINE)
