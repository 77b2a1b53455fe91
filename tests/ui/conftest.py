"""Commands of the page, run in this process by tests that are not about processes."""

import asyncio
import io
from contextlib import chdir, redirect_stderr, redirect_stdout

import pytest

from anonset.cli.main import main
from anonset.cli.output import log_to


@pytest.fixture
def commands_in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the commands of the page in this process, because a new process first imports for about a second."""
    from anonset.ui.child import PageLog, spelling_of
    from anonset.ui.state.command_runs import CommandRun

    async def finish(run: CommandRun) -> int:
        output, messages, lines = io.StringIO(), io.StringIO(), asyncio.StreamReader()
        with chdir(run.folder), redirect_stdout(output), redirect_stderr(messages):
            log_to(PageLog())
            code = main(run.arguments, spelling=spelling_of(run.arguments))
        lines.feed_data(messages.getvalue().encode())
        lines.feed_eof()
        await run._follow(lines)
        run.output, run.code = output.getvalue(), code
        return code

    monkeypatch.setattr(CommandRun, "finish", finish)
