"""Ctrl-C at a terminal, which sends it to every process, while the processes of a cluster are at work."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

AT_WORK = """
    import os, signal, time
    signal.signal(signal.SIGINT, signal.default_int_handler)
    from anonset.algorithms.transaction.cut_search import CutSearch
    from anonset.cli import main

    def rare_sets(self, size):
        executor = self.nodes.executor
        print(*executor.client.run(os.getpid).values(), flush=True)
        return executor.submit(time.sleep, 100).result()

    CutSearch.rare_sets = rare_sets
    main.run()
"""


def is_alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.compiled
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_an_interruption_is_one_line_and_ends_the_processes(tmp_path):
    (tmp_path / "v.dat").write_text("a b\na b\na\n")
    job = ["v.dat", "-o", "out", "--hierarchy", "items=balanced:2", "--k", "2", "--m", "2", "--algorithm", "apriori"]
    command = [sys.executable, "-c", dedent(AT_WORK), "anonymize", *job, "--model", "km", "--cluster", "local:2"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "start_new_session": True}
    with subprocess.Popen([*command, "--work-dir", "work"], cwd=tmp_path, **pipes) as process:
        workers = process.stdout.readline().split()
        os.killpg(process.pid, signal.SIGINT)
        _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert said.splitlines()[1:] == ["anonset: error: interrupted; nothing was published"]
    assert [is_alive(worker) for worker in workers] == [False, False]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["v.dat", "work"]
