import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from effort import statements

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("engine", "kernels", "datasets", "benchmarks")
HOMES = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def stray_strings(source: str) -> Iterator[int]:
    """Yield the lines of texts that neither begin a body nor follow an assignment other than of a message."""
    for node in statements(source):
        body = getattr(node, "body", None)
        for before, statement in zip([None, *body], body, strict=False) if isinstance(body, list) else ():
            if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Constant | ast.JoinedStr):
                continue
            is_string = isinstance(statement.value, ast.JoinedStr) or isinstance(statement.value.value, str)
            begins = before is None and isinstance(node, HOMES)
            documents = isinstance(before, ast.Assign | ast.AnnAssign) and statement.lineno == before.end_lineno + 1
            is_message = isinstance(before, ast.Assign) and ast.unparse(before.targets[0]) == "msg"
            if is_string and (is_message or not (begins or documents)):
                yield statement.lineno


@pytest.mark.long
@pytest.mark.parametrize("folder", FOLDERS)
def test_each_string_documents_a_name(folder: str) -> None:
    stray = {path.relative_to(ROOT): [*stray_strings(path.read_text())] for path in (ROOT / folder).rglob("*.py")}
    assert {path: lines for path, lines in stray.items() if lines} == {}


def test_a_second_string_is_detected() -> None:
    assert [*stray_strings('"""Module."""\na = 1\n"""Doc of a."""\n"""Whose?"""\n')] == [4]


@pytest.mark.parametrize("text", ['"b"', 'f"b{k}"'])
def test_a_message_that_ends_too_early_is_detected(text: str) -> None:
    assert [*stray_strings(f'if a:\n    msg = "a"\n    {text}\n')] == [3]
