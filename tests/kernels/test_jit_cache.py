"""The versioned kernel cache: machine code of changed sources is never found again."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import anonset_kernels
from anonset_kernels._jit import cache_directory, source_hash

pytestmark = pytest.mark.compiled

CALLEE = "from anonset_kernels._jit import kernel\n\n@kernel()\ndef factor():\n    return {}\n"
CALLER = """
from anonset_kernels._jit import kernel
from anonset_kernels.callee import factor

@kernel()
def ten_times():
    return 10 * factor()
"""
RUN = """
from anonset_kernels.caller import ten_times
print(ten_times(), sum(ten_times.stats.cache_hits.values()))
"""


def run_in(folder: Path, script: str, **variables: str) -> list[str]:
    environment = {k: v for k, v in os.environ.items() if k not in ("NUMBA_DISABLE_JIT", "PYTHONPATH")}
    environment |= {"PYTHONPATH": str(folder), "NUMBA_CACHE_DIR": str(folder / "cache"), **variables}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
    return done.stdout.split()


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """Return a package of two kernels, one of which calls the other."""
    folder = tmp_path / "anonset_kernels"
    folder.mkdir()
    for name in ("__init__.py", "_compiling.py", "_jit.py"):
        shutil.copy(Path(anonset_kernels.__file__).with_name(name), folder / name)
    (folder / "caller.py").write_text(CALLER)
    (folder / "callee.py").write_text(CALLEE.format(2))
    return folder


def test_a_changed_callee_in_another_file_is_seen(package, tmp_path):
    assert run_in(tmp_path, RUN) == ["20", "0"]
    assert run_in(tmp_path, RUN) == ["20", "1"], "the second process must find the machine code of the first"
    (package / "callee.py").write_text(CALLEE.format(3))
    assert run_in(tmp_path, RUN) == ["30", "0"], "the caller's file did not change, but its callee did"


@pytest.mark.usefixtures("package")
def test_kernels_work_where_no_cache_can_be_written(tmp_path):
    no_folder = tmp_path / "a_file"
    no_folder.write_text("")
    script = RUN + "\nfrom anonset_kernels._jit import cache_directory\nprint(cache_directory())"
    assert run_in(tmp_path, script, NUMBA_CACHE_DIR=str(no_folder)) == ["20", "0", "None"]


READ_ONLY = """
import os, tempfile
def refuse(*_, **__):
    raise PermissionError("read-only")
os.mkdir = tempfile.TemporaryFile = refuse
os.access = lambda *_: False
from anonset_kernels._jit import cache_directory
"""


@pytest.mark.usefixtures("package")
def test_a_cache_that_can_only_be_read_is_read(tmp_path):
    """As in the image of a container; what it lacks is compiled in every run, and kept nowhere."""
    nothing_there = READ_ONLY + "print(cache_directory())"
    assert run_in(tmp_path, nothing_there) == ["None"]
    alone = "from anonset_kernels.callee import factor\nprint(factor(), sum(factor.stats.cache_hits.values()))"
    assert run_in(tmp_path, alone) == ["2", "0"]
    kept = {path.name for path in (tmp_path / "cache").rglob("*.nb?")}
    assert run_in(tmp_path, READ_ONLY + alone) == ["2", "1"]
    assert run_in(tmp_path, READ_ONLY + RUN) == ["20", "0"]
    assert {path.name for path in (tmp_path / "cache").rglob("*.nb?")} == kept


def test_the_directory_names_the_sources():
    folder = cache_directory()
    assert folder is not None
    assert folder.name.endswith(source_hash(Path(anonset_kernels.__file__).parent))


def test_the_setting_is_restored():
    from numba.core import config

    before = config.CACHE_DIR
    import anonset_kernels.rows  # noqa: F401

    assert before == config.CACHE_DIR
