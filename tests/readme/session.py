"""Run blocks of Python in one session and report the output of each, as a notebook does.

The session is a separate process in a separate folder. With a folder of commands it uses another environment. It needs
only the standard library, and anonset for anonset commands.
"""

import ast
import contextlib
import io
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Any, Self

_COMMAND = re.compile(r"^!(?P<command>.*)$", re.MULTILINE)
"""Notebook line that is a shell command."""
_ALONE = re.compile(r"anonset( [\w=.,:/'\"@-]+)+")
"""An anonset command without shell syntax."""


class Session:
    """Process that runs blocks of code. Each block sees the names of earlier blocks."""

    def __init__(self, folder: Path, binaries: Path) -> None:
        path = os.pathsep.join([str(binaries), os.environ["PATH"]])
        self._process = subprocess.Popen(
            [binaries / "python", Path(__file__).resolve()], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            text=True, encoding="utf-8",
            env={**os.environ, "PATH": path, "COLUMNS": "120", "PYTHONIOENCODING": "utf-8"},
        )  # fmt: skip

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.communicate()

    def run(self, code: str) -> dict[str, Any]:
        """Run a block. Return its output as ``printed``, its last expression as ``text`` and ``html``, and its
        ``error``.
        """
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(json.dumps(code) + "\n")
        stdin.flush()
        data: dict[str, Any] = json.loads(stdout.readline())
        return data


def shown(code: str, names: dict[str, Any]) -> dict[str, Any]:
    """Run a block in a namespace and return the output."""
    printed, shown = io.StringIO(), dict[str, Any]()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        try:
            value = _last_value(_COMMAND.sub(lambda line: f"_command({line['command']!r})", code), names)
        except Exception as error:  # a page also shows error messages
            shown["error"] = f"{type(error).__name__}: {error}"
        else:
            if value is not None:
                shown["text"] = repr(value)
                shown["html"] = value._repr_html_() if hasattr(value, "_repr_html_") else None
    lines = (line.rstrip() for line in printed.getvalue().splitlines() if not line.startswith("compiling"))
    return {"printed": "".join(f"{line}\n" for line in lines), **shown}


def _last_value(code: str, names: dict[str, Any]) -> Any:
    """Run a block. Return the value of the last line if it is an expression."""
    tree = ast.parse(code)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<block>", "exec"), names)
    return None if last is None else eval(compile(ast.Expression(last.value), "<block>", "eval"), names)


def _command(line: str) -> None:
    sys.stdout.write(command_output(line))


def command_output(line: str) -> str:
    """Return the output of a shell command. Anonset commands run in this process, with all modules already loaded."""
    command, bar, rest = line.partition(" | ")
    if not _ALONE.fullmatch(command):
        return shell_output(line)
    from anonset.cli.main import main

    printed, piped = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(piped if bar else printed), contextlib.redirect_stderr(printed):
        main(shlex.split(command)[1:])
    return printed.getvalue() + (shell_output(rest, piped.getvalue()) if bar else "")


def shell_output(line: str, given: str | None = None) -> str:
    done = subprocess.run(line, shell=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, input=given)
    return done.stdout


def main() -> None:
    """Read blocks as lines of JSON, and write their results as lines of JSON."""
    sys.path[0] = ""  # import modules from the working folder, not from this file's folder
    names: dict[str, Any] = {"__name__": "__main__", "_command": _command}
    answers = sys.stdout
    for line in sys.stdin:
        print(json.dumps(shown(json.loads(line), names)), file=answers, flush=True)


if __name__ == "__main__":
    main()
