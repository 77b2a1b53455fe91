"""Interrupting a command, by Ctrl-C or SIGKILL, also stops the cluster processes."""

import os
import select
import signal
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest
from tests.facts import names
from tests.jobs.test_by_blocks import BASKETS, files_of

from anonset.cli.main import main

pytestmark = pytest.mark.long

AT_WORK = """
    import os, signal, time
    signal.signal(signal.SIGINT, signal.default_int_handler)
    from anonset.algorithms.transaction.cuts.cut_search import CutSearch
    from anonset.cli import main

    def rare_sets(self, size):
        store = self.nodes.blocks.store
        print(*store.workers.client.run(os.getpid).values(), flush=True)
        return list(store.map(time.sleep, [100]))

    CutSearch.rare_sets = rare_sets
    main.run()
"""

BY_FORCE = """
    import os, signal
    from anonset.algorithms.transaction.cuts.cut_search import CutSearch
    from anonset.cli import main
    found = CutSearch.rare_sets

    def rare_sets(self, size):
        if size == 2:
            print(*self.nodes.blocks.store.workers.client.run(os.getpid).values(), flush=True)
            os.kill(os.getpid(), signal.SIGKILL)
        return found(self, size)

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
def test_an_interruption_prints_one_line_and_stops_the_processes(tmp_path):
    (tmp_path / "v.dat").write_text("a b\na b\na\n")
    job = ["v.dat", "-o", "out", "--hierarchy", "items=balanced:2", "--k", "2", "--m", "2", "--algorithm", "apriori"]
    command = [sys.executable, "-c", dedent(AT_WORK), "anonymize", *job, "--model", "km", "--cluster", "local:2"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "start_new_session": True}
    with subprocess.Popen([*command, "--work-dir", "work"], cwd=tmp_path, **pipes) as process:
        workers = process.stdout.readline().split()
        os.killpg(process.pid, signal.SIGINT)
        _, message = process.communicate(timeout=60)
    assert process.returncode == 130
    stays, interrupted = message.splitlines()[1:]
    assert names(stays, "work '--if-exists resume'")
    assert names(interrupted, "error interrupted")
    assert [is_alive(worker) for worker in workers] == [False, False]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["v.dat", "work"]


@pytest.mark.compiled
@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="needs file descriptors of processes")
def test_a_killed_command_leaves_no_worker_and_resumes(tmp_path):
    (tmp_path / "v.dat").write_text(BASKETS)
    of_items = ["--hierarchy", "items=balanced:2", "--k", "2", "--m", "2", "--algorithm", "apriori", "--model", "km"]
    job = ["anonymize", str(tmp_path / "v.dat"), *of_items]
    places = ["-o", str(tmp_path / "out"), "--cluster", "local:2", "--work-dir", str(tmp_path / "work")]
    assert main([*job, "-o", str(tmp_path / "memory")]) == 0
    command = [sys.executable, "-c", dedent(BY_FORCE), *job, *places]
    ended = subprocess.run(command, check=False, capture_output=True, text=True)
    workers = [int(pid) for pid in ended.stdout.split()]
    assert (ended.returncode, len(workers)) == (-signal.SIGKILL, 2)
    assert [has_ended(pid) for pid in workers] == [True, True]
    assert main([*job, *places, "--if-exists", "resume"]) == 0
    assert files_of(tmp_path / "out") == files_of(tmp_path / "memory")
    assert not (tmp_path / "work").exists()


def has_ended(pid):
    """Wait for the exit of a process that is not our child."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([descriptor], [], [], 60)[0])
    finally:
        os.close(descriptor)
