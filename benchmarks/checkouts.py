"""Processes that run the code of different checkouts, so that two checkouts are measured alternately."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

_PACKAGES = ("engine", "kernels", "datasets")
_HERE = Path(__file__).parent.parent


class Checkout:
    """Process that runs a script of this checkout with the packages of another checkout.

    Questions and answers are lines of JSON.
    """

    def __init__(self, root: Path, script: str, *arguments: str) -> None:
        path = os.pathsep.join(map(str, [*(root / name for name in _PACKAGES), _HERE]))
        self.process = subprocess.Popen(
            [sys.executable, script, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": path},
            cwd=root,
        )

    def ask(self, question: Any) -> dict[str, Any]:
        """Return the answer to one question.

        Raises
        ------
        RuntimeError
            If the process exits.
        """
        if self.process.stdin is None or self.process.stdout is None:
            msg = "a process that answers must have pipes"
            raise RuntimeError(msg)
        self.process.stdin.write(json.dumps(question) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            msg = f"{self.process.args!r} ended"
            raise RuntimeError(msg)
        found: dict[str, Any] = json.loads(line)
        return found

    def close(self) -> None:
        """End the process."""
        self.process.communicate()
