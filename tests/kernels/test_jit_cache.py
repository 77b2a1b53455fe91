"""The versioned kernel cache never returns machine code of changed sources."""

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numba
import pytest
from tests.facts import refused

from anonset_kernels._jit import FOLDER, directory_of, name_of, path_of, sources_of

pytestmark = [pytest.mark.compiled, pytest.mark.long]

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
    """Create a package of two kernels, one calling the other."""
    folder = tmp_path / "anonset_kernels"
    folder.mkdir()
    for name in ("__init__.py", "_compiling.py", "_jit.py"):
        shutil.copy(FOLDER / name, folder / name)
    (folder / "caller.py").write_text(CALLER)
    (folder / "callee.py").write_text(CALLEE.format(2))
    return folder


def test_machine_code_is_reused_if_its_sources_are_unchanged(package, tmp_path):
    (package / "other.py").write_text(CALLEE.format(5))
    both = RUN + "from anonset_kernels.other import factor\nprint(factor(), sum(factor.stats.cache_hits.values()))"
    assert run_in(tmp_path, both) == ["20", "0", "5", "0"]
    elsewhere = tmp_path / "elsewhere"
    shutil.copytree(package, elsewhere / package.name, copy_function=shutil.copyfile)
    repeated = run_in(elsewhere, both, NUMBA_CACHE_DIR=str(tmp_path / "cache"))
    assert repeated == ["20", "1", "5", "1"], "a second process must find the machine code of the first, wherever it is"
    (package / "callee.py").write_text(CALLEE.format(3))
    assert run_in(tmp_path, both) == ["30", "0", "5", "1"], "of two other files, one imports what changed"


NUMBERS = """
from anonset_kernels._jit import kernel

@kernel()
def twice(number):
    return 2 * number

@kernel()
def sum_of_twice(narrow, wide):
    return twice(3) + twice(narrow[0]) + twice(len(narrow)) + int(twice(wide))
"""
CALLS = """
import numpy as np
from anonset_kernels.numbers import sum_of_twice, twice
print(sum_of_twice(np.array([5], np.int32), np.uint64(2**63)), twice(np.int16(7)), twice(7))
print(*sorted(str(types[0]) for types in twice.overloads))
"""


def test_numbers_of_all_widths_and_constants_take_the_same_machine_code(package, tmp_path):
    (package / "numbers.py").write_text(NUMBERS)
    assert run_in(tmp_path, CALLS) == ["18", "14", "14", "int64", "uint64"]


@pytest.mark.compiled
def test_no_kernel_formats_a_message():
    """Numba compiles an array slice assignment to a formatted message, which costs 2 s: assign in a loop."""
    folders = filter(None, (directory_of(path) for path in FOLDER.rglob("*.py")))
    code = [file for folder in folders for file in folder.rglob("*.nbc")]
    assert code, "no kernel is compiled: run anonset warmup"
    assert [file.name for file in code if b"cannot assign slice" in file.read_bytes()] == []


@pytest.mark.usefixtures("package")
def test_kernels_work_without_a_writable_cache(tmp_path):
    no_folder = tmp_path / "a_file"
    no_folder.write_text("")
    script = RUN + "\nfrom anonset_kernels._jit import cache_directory\nprint(cache_directory())"
    assert run_in(tmp_path, script, NUMBA_CACHE_DIR=str(no_folder)) == ["20", "0", "None"]


GENERIC = {"NUMBA_CPU_NAME": "generic"}


@pytest.fixture
def packaged(package: Path, tmp_path: Path) -> Path:
    """Compile the kernels of `package` for a generic processor into the package ``anonset_compiled``."""
    folder = package.parent / "anonset_compiled"
    assert run_in(tmp_path, RUN, **GENERIC, NUMBA_CACHE_DIR=str(folder)) == ["20", "0"]
    (folder / "__init__.py").write_text("")
    return folder


def test_machine_code_of_the_package_for_compiled_kernels_is_used(packaged, package, tmp_path):
    assert run_in(tmp_path, RUN) == ["20", "1"]
    assert not list((tmp_path / "cache").rglob("*.nbc")), "nothing is compiled"
    (package / "callee.py").write_text(CALLEE.format(3))
    assert run_in(tmp_path, RUN) == ["30", "0"], "changed sources are compiled"
    assert run_in(tmp_path, RUN) == ["30", "1"], "and stored in the cache of the user"


@pytest.mark.usefixtures("package")
def test_machine_code_of_the_package_is_used_without_a_writable_cache(packaged, tmp_path):
    no_folder = tmp_path / "a_file"
    no_folder.write_text("")
    assert run_in(tmp_path, RUN, NUMBA_CACHE_DIR=str(no_folder)) == ["20", "1"]
    (packaged / f"{numba.__version__}-py{sys.version_info[0]}{sys.version_info[1]}").rename(packaged / "0.1.0-py311")
    assert run_in(tmp_path, RUN, NUMBA_CACHE_DIR=str(no_folder)) == ["20", "0"], "another version of Numba"


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
    """As in a container image: missing kernels are compiled in every run and not stored."""
    nothing_there = READ_ONLY + "print(cache_directory())"
    assert run_in(tmp_path, nothing_there) == ["None"]
    alone = "from anonset_kernels.callee import factor\nprint(factor(), sum(factor.stats.cache_hits.values()))"
    assert run_in(tmp_path, alone) == ["2", "0"]
    cached = {path.name for path in (tmp_path / "cache").rglob("*.nb?")}
    assert run_in(tmp_path, READ_ONLY + alone + RUN) == ["2", "1", "20", "0"]
    assert {path.name for path in (tmp_path / "cache").rglob("*.nb?")} == cached


@pytest.mark.parametrize("path", sorted(FOLDER.rglob("*.py")), ids=name_of)
def test_the_cache_directory_depends_on_all_imports_of_a_file(path):
    """The hash covers the same imports as Python's parser finds, however they are written."""

    def imported(name: str) -> set[str]:
        names = set()
        for node in ast.walk(ast.parse(path_of(name).read_text())):
            if isinstance(node, ast.ImportFrom):
                assert node.level == 0
                assert not node.module.startswith("anonset_kernels") or path_of(node.module[16:]).is_file(), node.module
                names.add(node.module)
            elif isinstance(node, ast.Import):
                names |= {alias.name for alias in node.names}
        return {name.removeprefix("anonset_kernels.") for name in names if name.startswith("anonset_kernels.")}

    closure, waiting = set(), {name_of(path)}
    while waiting:
        closure |= waiting
        waiting = set().union(*(imported(name) for name in waiting)) - closure
    assert {name_of(file) for file in sources_of(path)} == closure


def test_the_setting_is_restored():
    from numba.core import config

    before = config.CACHE_DIR
    import anonset_kernels.records.rows  # noqa: F401

    assert before == config.CACHE_DIR


def test_calling_a_kernel_only_function_from_python_raises():
    """These functions have no machine code: calling them would crash the process."""
    from anonset_kernels.relational.mondrian import _widest

    with refused(TypeError, "_widest"):
        _widest()
