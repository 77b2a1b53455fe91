"""Commands of anonset in separate processes, with progress and cancellation."""

import asyncio
import shlex
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from anonset.strict_json import loads

_LONGEST_LINE = 64 * 1024 * 1024
_PATIENCE = 10.0
"""Seconds that a cancelled command has to remove its files."""
CANCELLED = 130


class CommandRun:
    """Command in a separate process. The exit code is None during the run."""

    def __init__(self, arguments: Sequence[str], folder: Path) -> None:
        self.arguments = list(arguments)
        self.folder = folder
        self.stage = "start"
        """Current phase."""
        self.share: float | None = None
        """Finished share of the phase, if known."""
        self.warnings: list[str] = []
        self.errors: list[str] = []
        self.code: int | None = None
        self.output = ""
        self._process: asyncio.subprocess.Process | None = None
        self._is_cancelled = False

    @property
    def command(self) -> str:
        """Command as typed in a terminal, without ``--json``."""
        return shlex.join(["anonset", *(one for one in self.arguments if one != "--json")])

    async def finish(self) -> int:
        """Run the command, and return the exit code."""
        self._process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "anonset.ui.child", *self.arguments, cwd=self.folder, limit=_LONGEST_LINE,
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        if self._is_cancelled:
            self._process.terminate()
        stdout, stderr = self._process.stdout, self._process.stderr
        if stdout is None or stderr is None:
            msg = "the process has no pipes"
            raise OSError(msg)
        try:
            output, _ = await asyncio.gather(stdout.read(), self._follow(stderr))
            code = await self._process.wait()
        except asyncio.CancelledError:
            await self.cancel()
            raise
        self.output = output.decode()
        self.code = CANCELLED if self._is_cancelled and code else code
        return self.code

    @property
    def result(self) -> Any:
        """JSON output of the command; None if there is none."""
        try:
            return loads(self.output) if self.output else None
        except ValueError:
            return None

    async def cancel(self) -> None:
        """Terminate the command, and wait until it has removed the files."""
        self._is_cancelled = True
        process = self._process
        if process is None or process.returncode is not None:
            return
        with suppress(ProcessLookupError):
            process.terminate()
        try:
            await asyncio.wait_for(process.wait(), _PATIENCE)
        except TimeoutError:
            with suppress(ProcessLookupError):
                process.kill()

    async def _follow(self, stream: asyncio.StreamReader) -> None:
        """Read the messages of the command."""
        async for line in stream:
            try:
                event = loads(line.decode(errors="replace"))
            except ValueError:  # text of a library
                continue
            if event.get("event") == "progress":
                self.stage, total = event["stage"], event["total"]
                self.share = event["done"] / total if total else None
            elif event.get("level") in ("error", "warning"):
                (self.errors if event["level"] == "error" else self.warnings).append(event["message"])
            elif event.get("level") == "note" and self.errors:
                self.errors.append(event["message"])  # commands that avoid the error
