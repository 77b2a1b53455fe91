"""Number of random examples of a test, the files of a store, and the statements of a source.

``ANONSET_EXAMPLES=all`` runs all random examples. Without it, tests run a quarter of them, because `make test` should
be fast, and kernels as plain Python are a few hundred times slower.
"""

import ast
import gc
import os
from collections.abc import Iterator
from pathlib import Path


def examples(number: int) -> int:
    """Return the number of examples of this run: all, or a quarter of them."""
    return number if os.environ.get("ANONSET_EXAMPLES") == "all" else number // 4


def file_names(folder: Path, expected: set[str]) -> set[str]:
    """Return the names of the files in a folder. Collect garbage first if they differ from `expected`."""
    if {path.name for path in folder.iterdir()} != expected:
        gc.collect()
    return {path.name for path in folder.iterdir()}


def statements(source: str) -> Iterator[ast.AST]:
    """Yield a module and its statements, without expressions: most nodes of a syntax tree are expressions."""
    remaining: list[ast.AST] = [ast.parse(source)]
    while remaining:
        node = remaining.pop()
        yield node
        inner = ast.stmt | ast.ExceptHandler | ast.match_case
        remaining += [child for child in ast.iter_child_nodes(node) if isinstance(child, inner)]
