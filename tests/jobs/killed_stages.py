"""Run a job out of core, kill it after each stage, and resume it until it ends.

Print the stages and the exit code. With ``uninterrupted``, run the job once. Stages are the begins of some phases, the
stored results of steps, the saved table and the renaming of the publication. Each attempt is a process of its own,
forked from this program, which is killed after the first stage that no attempt before has reached.
"""

import json
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tests.tiny_limits import tiny_limits

from anonset.algorithms.base import traits_of
from anonset.algorithms.registry import ALGORITHMS
from anonset.cli.main import main
from anonset.data.resumption import ledger
from anonset.data.resumption.ledger import Ledger
from anonset.jobs.runs import run
from anonset.release.publishing.staging import Staging
from anonset.release.stopwatch import Stopwatch

PHASES = ("search", "write", "verify")
"""Phases of a run. Each start of a phase is a stage."""


def kill_after(stages: list[str], where: Any, name: str, label: Callable[..., str]) -> None:
    """Kill this process after the call of a function, unless the stage with this label is known or empty. Print the
    stage.
    """
    real = getattr(where, name)

    def hooked(*given: Any, **more: Any) -> Any:
        result, stage = real(*given, **more), label(*given)
        if stage and stage not in stages:
            os.write(1, f"{stage}\n".encode())
            os._exit(9)
        return result

    setattr(where, name, hooked)


def attempt(job: list[str], stages: list[str] | None) -> None:
    """Run the job until it reaches a new stage. If `stages` is None, run it to the end."""
    if stages is not None:
        hook(stages)
    with tiny_limits():
        os._exit(main(job))


def hook(stages: list[str]) -> None:
    """Kill this process after the first stage that is not in `stages`."""
    kill_after(stages, Stopwatch, "phase", lambda _, phase: f"begin of {phase}" if phase in PHASES else "")
    kill_after(stages, Ledger, "finish", lambda _, step, __: f"step {step}")
    kill_after(stages, run, "save_table", lambda *_: "table")
    kill_after(stages, Staging, "rename", lambda _: "renaming")


def run_in_stages(job: list[str]) -> tuple[list[str], int]:
    """Return the stages in which the job was killed, and the exit code of the last attempt."""
    stages = list[str]()
    while True:
        reader, writer = os.pipe()
        if not (child := os.fork()):
            os.dup2(writer, 1)
            attempt(job, stages)
        os.close(writer)
        with os.fdopen(reader) as file:
            printed = file.read()
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if code != 9:
            return stages, code
        stages.append(printed.splitlines()[-1])


if __name__ == "__main__":
    ledger._IN_MEMORY = 0
    for cls in ALGORITHMS.values():
        if (traits := traits_of(cls)).split_records is not None:
            cls.traits = replace(traits, split_records=40)
    if sys.argv[1] == "uninterrupted":
        attempt(sys.argv[2:], None)
    sys.stdout.write(json.dumps(run_in_stages(sys.argv[2:])))
