"""Commands of anonset in separate processes, with progress and cancellation."""

import asyncio
import shlex
import subprocess
import sys
from collections.abc import Awaitable, Callable, Sequence
from contextlib import ExitStack
from functools import lru_cache, partial
from pathlib import Path
from typing import IO, Any

from anonset.errors import Fix
from anonset.strict_json import loads
from anonset.ui.state.folder import Folder

_LONGEST_LINE = 64 * 1024 * 1024
_PATIENCE = 10.0
"""Maximum number of seconds in which a cancelled command must end and remove its files."""
_INTERVAL = 0.02
"""Seconds between two checks whether a process has ended."""
CANCELLED = 130


class CommandRun:
    """Command that runs in a separate process. Its exit code is None until it ends."""

    def __init__(self, arguments: Sequence[str], folder: Path) -> None:
        self.arguments = list(arguments)
        self.folder = folder
        self.stage = "start"
        """Name of the current phase."""
        self.share: float | None = None
        """Finished share of the current phase, or None if it is unknown."""
        self.warnings: list[str] = []
        self.errors: list[str] = []
        self.fixes: list[Fix] = []
        """Settings that the errors recommend."""
        self.code: int | None = None
        self.output = ""
        self._process: subprocess.Popen[bytes] | None = None
        self._is_cancelled = False

    @property
    def command(self) -> str:
        """Command as typed in a terminal, without ``--json``."""
        return shlex.join(["anonset", *(one for one in self.arguments if one != "--json")])

    async def finish(self) -> int:
        """Run the command, and return the exit code.

        The process is started without asyncio, because asyncio would block if the event loop closed during the start.
        """
        self._process = process = subprocess.Popen(
            [sys.executable, "-m", "anonset.ui.child", *self.arguments], cwd=self.folder,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        if self._is_cancelled:
            process.terminate()
        with ExitStack() as closing:
            try:
                stdout, stderr = await _readers([process.stdout, process.stderr], closing)
                output, _ = await asyncio.gather(stdout.read(), self._follow(stderr))
                code = await _end_of(process)
            except asyncio.CancelledError:
                await self.cancel()
                self.code = CANCELLED
                raise
        self.output = output.decode()
        self.code = CANCELLED if self._is_cancelled and code else code
        return self.code

    @property
    def result(self) -> Any:
        """JSON output of the command, or None if the command has not written valid JSON."""
        return _parsed(self.output)

    async def cancel(self) -> None:
        """Terminate the command, and wait until it has removed the files."""
        self._is_cancelled = True
        process = self._process
        if process is None:
            return
        process.terminate()
        try:
            await asyncio.wait_for(_end_of(process), _PATIENCE)
        except TimeoutError:
            process.kill()
        finally:
            try:
                process.wait(_PATIENCE)  # blocks only if the sequence is cancelled a second time
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    async def _follow(self, stream: asyncio.StreamReader) -> None:
        """Read the messages of the command."""
        while not stream.at_eof():
            try:
                event = loads((await stream.readline()).decode(errors="replace"))
            except ValueError:  # the line is too long, or text of a library, and no message
                continue
            if not isinstance(event, dict):
                continue
            if event.get("event") == "progress":
                self.stage, total = event["stage"], event["total"]
                self.share = event["done"] / total if total else None
            elif event.get("level") in ("error", "warning"):
                (self.errors if event["level"] == "error" else self.warnings).append(event["message"])
                self.fixes += [Fix(**fix) for fix in event["fixes"] if event["level"] == "error"]
            elif event.get("level") == "note" and self.errors:
                self.errors.append(event["message"])  # the line is a command that avoids the error


class Commands:
    """Sequence of commands for one purpose. A new sequence cancels the former one, which then stores no result."""

    def __init__(self, folder: Folder) -> None:
        self.folder = folder
        self.runs: list[CommandRun] = []
        """Commands of the last sequence that have started, in order."""
        self._task: asyncio.Task[None] | None = None

    @property
    def busy(self) -> bool:
        """True while the sequence runs."""
        return self._task is not None and not self._task.done()

    @property
    def last(self) -> CommandRun | None:
        """Last command that has started, or None."""
        return self.runs[-1] if self.runs else None

    @property
    def code(self) -> int | None:
        """Exit code of the last command, or None while the sequence runs."""
        return self.last.code if self.last is not None and not self.busy else None

    def start(self, sequence: Callable[[], Awaitable[object]]) -> None:
        """Run a sequence in place of the former one. It ends early if the folder cancels its tasks."""
        former, self.runs = self._task, []
        self._task = task = asyncio.create_task(self._replace(former, sequence))
        if former is not None:
            former.cancel()
        self.folder.tasks.add(task)
        task.add_done_callback(self.folder.tasks.discard)

    async def execute(self, *arguments: str) -> CommandRun:
        """Run the next command of the sequence to its end."""
        self.runs.append(run := CommandRun(arguments, self.folder.path))
        await run.finish()
        return run

    async def cancel(self) -> None:
        """Cancel the running command, for example on a click. Its sequence decides what follows."""
        for run in self.runs:
            await run.cancel()

    async def _replace(self, former: asyncio.Task[None] | None, sequence: Callable[[], Awaitable[object]]) -> None:
        if former is not None:
            await asyncio.wait([former])
        await sequence()


@lru_cache(maxsize=32)  # screens read the results many times
def _parsed(output: str) -> Any:
    try:
        return loads(output) if output else None
    except ValueError:
        return None


async def _readers(pipes: list[IO[bytes] | None], closing: ExitStack) -> list[asyncio.StreamReader]:
    """Return a reader of each pipe. `closing` closes the transports of the event loop, which close the pipes."""
    readers = []
    for number, pipe in enumerate(pipes):
        reader = asyncio.StreamReader(_LONGEST_LINE)
        protocol = partial(asyncio.StreamReaderProtocol, reader)
        try:
            transport, _ = await asyncio.get_running_loop().connect_read_pipe(protocol, pipe)
        except asyncio.CancelledError:
            for other in filter(None, pipes[number + 1 :]):
                other.close()
            raise
        closing.callback(transport.close)
        readers.append(reader)
    return readers


async def _end_of(process: subprocess.Popen[bytes]) -> int:
    """Wait for the end of a process, and return its exit code."""
    while (code := process.poll()) is None:
        await asyncio.sleep(_INTERVAL)
    return code
