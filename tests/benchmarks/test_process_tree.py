"""Memory of a command over all processes, and a memory limit enforced by the kernel."""

import sys

import pytest
from benchmarks.process_tree import group, run

from benchmarks import process_tree

pytestmark = [pytest.mark.compiled, pytest.mark.studies]

MIB = 1 << 20
HOLD = "held = b'x' * (60 << 20); import time; time.sleep(0.2)"


@pytest.fixture
def a_group():
    with group() as made:
        if made is None:
            pytest.skip("no control group of memory can be made here")
        yield made


def test_output_and_exit_code_of_a_command_are_returned():
    took = run([sys.executable, "-c", "import sys; print('a'); sys.exit('b')"])
    assert (took.code, took.output, took.errors) == (1, "a\n", "b\n")
    assert took.cpu_seconds > 0
    assert took.seconds > 0


@pytest.mark.parametrize("script", [HOLD, f"import subprocess, sys; subprocess.run([sys.executable, '-c', {HOLD!r}])"])
def test_memory_is_that_of_all_processes(monkeypatch, script):
    in_group = run([sys.executable, "-c", script]).peak
    monkeypatch.setattr(process_tree, "_own_group", lambda: None)
    by_proc = run([sys.executable, "-c", script]).peak
    assert 60 * MIB < by_proc < 110 * MIB
    assert 60 * MIB < in_group < 110 * MIB


def test_bytes_written_to_the_disk_are_counted(tmp_path):
    script = (
        f"import os; f = open({str(tmp_path / 'f')!r}, 'wb'); f.write(bytes(5 << 20)); f.flush(); os.fsync(f.fileno())"
    )
    assert 5 * MIB <= run([sys.executable, "-c", script]).written < 6 * MIB


def test_the_kernel_kills_a_process_above_the_limit(a_group):
    command = [sys.executable, "-c", HOLD]
    assert run(command, limit=100 * MIB).code == 0
    assert run(command, limit=40 * MIB).code == -9


def test_without_a_group_no_limit_is_promised(monkeypatch):
    monkeypatch.setattr(process_tree, "_own_group", lambda: None)
    with pytest.raises(RuntimeError, match="control groups are not available"):
        run([sys.executable, "-c", ""], limit=1)
