"""Run jobs out of core, kill each of them after each of its stages, and resume it until it ends.

Read a line ``[NAME, ARGUMENT, ...]`` for each job. Run the job without an interruption into ``NAME.expected``, then
with interruptions into ``NAME``. Print a line with the exit code of the first run, the stages, and the exit code of
the last attempt. Stages are the begins of some phases, the stored results of steps, such as the read table, and the
renaming of the publication. Each attempt is a process of its own, forked from this program, which is killed after the
first stage that no attempt before has reached. This program runs no job. It imports the modules of the runs without an
interruption, because their import takes longer than a stage.
"""

import importlib
import json
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

from tests.tiny_limits import LIMIT, tiny_limits

from anonset.algorithms.base import traits_of
from anonset.algorithms.registry import ALGORITHMS
from anonset.cli.main import main
from anonset.data.resumption import ledger
from anonset.data.resumption.ledger import Ledger
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


def forked(work: Callable[[], int]) -> tuple[int, list[str]]:
    """Call a function in a process of its own. Return its exit code and the lines that it prints."""
    reader, writer = os.pipe()
    if not (child := os.fork()):
        os.dup2(writer, 1)
        os._exit(work())
    os.close(writer)
    with os.fdopen(reader) as file:
        printed = file.read().splitlines()
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), printed


def uninterrupted(job: list[str]) -> int:
    """Run the job, and print the modules that it imports."""
    with tiny_limits():
        code = main(job)
    os.write(1, "\n".join(sys.modules).encode())
    return code


def attempt(job: list[str], stages: list[str]) -> int:
    """Run the job until it reaches a new stage."""
    hook(stages)
    with tiny_limits():
        return main(job)


def hook(stages: list[str]) -> None:
    """Kill this process after the first stage that is not in `stages`."""
    kill_after(stages, Stopwatch, "phase", lambda _, phase: f"begin of {phase}" if phase in PHASES else "")
    kill_after(stages, Ledger, "finish", lambda _, step, __: f"step {step}")
    kill_after(stages, Staging, "rename", lambda _: "renaming")


def run_in_stages(job: list[str]) -> tuple[list[str], int]:
    """Return the stages in which the job was killed, and the exit code of the last attempt."""
    stages = list[str]()
    while True:
        code, printed = forked(lambda: attempt(job, stages))
        if code != 9:
            return stages, code
        stages.append(printed[-1])


def run_job(name: str, *job: str) -> tuple[int, list[str], int]:
    """Run a job without interruptions, then with interruptions."""

    def into(out: str) -> list[str]:
        places = ["-o", out, "--work-dir", f"{out}.work", "--if-exists", "resume"]
        return [*job, *places, "--memory-limit", LIMIT, "--quiet"]

    expected, modules = forked(lambda: uninterrupted(into(f"{name}.expected")))
    for module in modules:
        with suppress(ImportError):
            importlib.import_module(module)
    return expected, *run_in_stages(into(name))


if __name__ == "__main__":
    ledger._IN_MEMORY = 0
    for cls in ALGORITHMS.values():
        if (traits := traits_of(cls)).split_records is not None:
            cls.traits = replace(traits, split_records=40)
    for line in sys.stdin:
        print(json.dumps(run_job(*json.loads(line))), flush=True)  # noqa: T201
