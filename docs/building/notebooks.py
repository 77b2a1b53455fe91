"""Convert notebooks to pages: their cells in order, with the recorded outputs."""

import json
from typing import Any


def page(text: str, name: str) -> str:
    """Return a notebook as Markdown, with a link to the file itself.

    >>> cell = {"cell_type": "code", "source": ["1 + 1"], "outputs": [{"data": {"text/plain": "2"}}]}
    >>> title = {"cell_type": "markdown", "source": ["# Adding"]}
    >>> print(page(json.dumps({"cells": [title, cell]}), "adding.ipynb"))
    # Adding
    <BLANKLINE>
    ```python
    1 + 1
    ```
    <BLANKLINE>
    ```output
    2
    ```
    <BLANKLINE>
    [This notebook as a file](adding.ipynb)
    """
    parts = [part for cell in json.loads(text)["cells"] for part in _parts(cell)]
    return "\n\n".join([*parts, f"[This notebook as a file]({name})"])


def _parts(cell: dict[str, Any]) -> list[str]:
    source = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        return [source]
    return [f"```python\n{source}\n```", *map(_shown, cell["outputs"])]


def _shown(output: dict[str, Any]) -> str:
    """Return the output of a cell, as HTML if available."""
    data = output.get("data", {"text/plain": "".join(output.get("text", ""))})
    if "text/html" in data:
        return f'<div class="output">{data["text/html"]}</div>'
    return f"```output\n{data['text/plain'].rstrip()}\n```"
