"""Run a command of anonset for the page: ``python -m anonset.ui.child COMMAND …``.

The messages are JSON lines on standard error, as with ``--log-format json``. Unlike there, they may contain data
values, because only the data owner sees the page.
"""

import sys
import threading
import time
from collections.abc import Sequence
from typing import Any

from anonset.cli.main import run
from anonset.cli.output import log_to
from anonset.errors import Fix, plain_text
from anonset.spelling import LateSpelling, Spelling, as_options, shown
from anonset.strict_json import dumps
from anonset.ui.state.setting_words import in_words

_EVERY = 0.2


class PageLog:
    """Writes progress and messages of a command as lines of JSON."""

    def __init__(self) -> None:
        self._lock = threading.Lock()  # worker threads also report progress
        self._stage, self._when = "", 0.0

    def progress(self, stage: str, done: float, total: float) -> None:
        """Write the progress of a stage, at most five times a second."""
        with self._lock:
            now = time.monotonic()
            if stage == self._stage and now - self._when < _EVERY:
                return
            self._stage, self._when = stage, now
            self._write(event="progress", stage=stage, done=float(done), total=float(total))

    def message(self, level: str, text: str, fixes: Sequence[Fix] = (), **_: Any) -> None:
        """Write a note, a warning or an error, with the settings that it recommends."""
        made = [{**fix.as_json(), "effect": shown(plain_text(fix.effect))} for fix in fixes]
        self._write(event="message", level=level, message=shown(plain_text(text)), fixes=made)

    def result(self, **_: Any) -> None:
        """Ignore the results, because the command also writes them to standard output."""

    def end(self, _: int) -> None:
        """Ignore the exit code, because the page gets it from the process."""

    def _write(self, **values: Any) -> None:
        sys.stderr.write(f"{dumps(values)}\n")
        sys.stderr.flush()


def spelling_of(arguments: Sequence[str]) -> Spelling:
    """Return the spelling of settings for a command. The command ``inspect`` writes job files, whose comments name
    options as those of the command line do.
    """
    return LateSpelling(in_words, as_options) if arguments[:1] == ["inspect"] else in_words


if __name__ == "__main__":
    log_to(PageLog())
    run(spelling_of(sys.argv[1:]))
