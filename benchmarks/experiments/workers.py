"""Processes that run cases in sequence. A process loads data only once, and each case has a time limit."""

import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from benchmarks.experiments import sources
from benchmarks.experiments.cases import Case, Paper

ROOT = Path(__file__).resolve().parents[2]
_THREADS = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")


class Worker:
    """Process that runs cases of a paper. The process starts when the first case runs, and restarts after a crash."""

    def __init__(self, key: str) -> None:
        self._key = key
        self._process: subprocess.Popen[bytes] | None = None
        self._errors: Any = None
        self._pending = b""

    def run(self, case: Case, timeout: float) -> dict[str, Any]:
        """Run a case. Return ``measured`` or ``error``, ``modules``, CPU and elapsed time, start time, and load."""
        measured_at, began, load = datetime.now(UTC), time.perf_counter(), os.getloadavg()[0]
        answer = self._ask(case.slug, timeout)
        return {
            **answer,
            "measured_at": measured_at.isoformat(timespec="seconds"),
            "seconds_of_case": round(time.perf_counter() - began, 3),
            "load_before": round(load, 2),
        }

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            for pipe in (self._process.stdin, self._process.stdout):
                if pipe is not None:
                    pipe.close()
            self._errors.close()
            self._process = None

    def _ask(self, slug: str, timeout: float) -> dict[str, Any]:
        if self._process is None:
            self._start()
        process = self._process
        if process is None or process.stdin is None or process.stdout is None:
            msg = "the worker process has no pipes"
            raise RuntimeError(msg)
        try:
            process.stdin.write(f"{slug}\n".encode())
            process.stdin.flush()
            line = self._line(process.stdout, timeout)
        except BrokenPipeError:
            line = b""
        if line is None:
            self.close()
            return {"error": f"did not finish within {timeout:g} s"}
        if not line:
            return {"error": self._last_words(process)}
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _start(self) -> None:
        self._errors, self._pending = TemporaryFile(), b""  # noqa: SIM115
        self._process = subprocess.Popen(
            [sys.executable, "-m", str(__package__), "serve", self._key],
            cwd=ROOT,
            env={**os.environ, **_THREADS},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
        )

    def _line(self, pipe: Any, timeout: float) -> bytes | None:
        """Return the next line of a pipe. Empty if the process has ended, None after the time limit."""
        ends = time.monotonic() + timeout
        while b"\n" not in self._pending:
            remaining = ends - time.monotonic()
            if remaining <= 0 or not select.select([pipe], [], [], remaining)[0]:
                return None
            read = os.read(pipe.fileno(), 1 << 16)
            if not read:
                return b""
            self._pending += read
        line, self._pending = self._pending.split(b"\n", 1)
        return line

    def _last_words(self, process: "subprocess.Popen[bytes]") -> str:
        status = process.wait()
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        self.close()
        return f"ended with status {status}" + (f": {lines[-1]}" if lines else "")


def serve(chosen: Paper) -> None:
    """Read slugs of cases from standard input, one per line. Run each case, and print the result as a line of JSON."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # output that a case prints must not mix with answers
    by_slug = {case.slug: case for case in chosen.cases}
    before = 0.0  # the first case includes the start of the process
    for line in sys.stdin:
        answer = measured_or_error(chosen, by_slug[line.strip()].parameters)
        spent = sum(os.times()[:4])
        answers.write(json.dumps({**answer, "cpu_seconds_of_case": round(spent - before, 3)}) + "\n")
        answers.flush()
        before = spent


def measured_or_error(chosen: Paper, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Measure a case in this process. Return ``measured`` or ``error``, and the modules imported so far."""
    try:
        outcome: dict[str, Any] = {"measured": dict(chosen.measure(parameters))}
    except Exception as error:  # record any failure of the case; the next run tries it again
        outcome = {"error": f"{type(error).__name__}: {error}"}
    return {**outcome, "modules": sources.imported()}


def grouped(chosen: Paper, cases: Sequence[Case]) -> list[list[Case]]:
    """Group cases by process.

    Cases with the same data share a process. A case with claims about memory has a separate process.
    """
    groups: dict[tuple[Any, ...], list[Case]] = {}
    for i, case in enumerate(cases):
        name = (i,) if case.cost == "memory" else (case.cost, *chosen.reads(case.parameters))
        groups.setdefault(name, []).append(case)
    return list(groups.values())
