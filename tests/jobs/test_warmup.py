"""The warm-up compiles every kernel that jobs call."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.facts import names, refused

import anonset
from anonset.cli.main import main
from anonset.errors import InputError
from anonset.jobs import warmup
from anonset.jobs.annotated_kernels import all_files, argument_types
from anonset.jobs.runs import file_run as module
from anonset.jobs.runs.file_run import memory_of
from anonset.jobs.warmup import is_warm
from anonset.reading.sources.source import source_of
from anonset.release.memory import AT_LEAST, COMPILING_TAKES
from anonset.release.stopwatch import Stopwatch
from anonset.settings.edits import make_settings
from anonset_kernels import _jit
from anonset_kernels._compiling import COMPILATION
from jobs.cold_cache import cache_without
from kernels.signatures import allows, hints_of, kernels

pytestmark = pytest.mark.long

ROOT = Path(__file__).resolve().parents[1]
APRIORI = anonset.Apriori(k=2, m=2)
compiled = pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled")

WARM = """
import json, sys
from anonset_kernels import _jit
from anonset_kernels._compiling import COMPILATION
called = []
load = _jit._KernelCache.load_overload
def noted(self, sig, context):
    if COMPILATION.depth == 0:
        called.append(f"{self._name}{sig}")
    return load(self, sig, context)
_jit._KernelCache.load_overload = noted
from anonset.jobs.warmup import warm_up
kernels = warm_up().kernels
n_warm, scipy = len(called), "scipy.linalg" in sys.modules
import os, same_bytes
from pathlib import Path
same_bytes.write_inputs(Path.cwd())
wanted = [*list(same_bytes.jobs())[::3], *same_bytes.comparisons()]
codes = []
for number, job in enumerate(wanted):
    out = Path(f"out{number}")
    more = ("-o", str(out)) if job[0] == "anonymize" else ()
    codes.append(same_bytes.run((*job, *more))["code"])
    if out.exists() and number % 9 == 0:
        codes += [same_bytes.run(asked)["code"] for asked in same_bytes.after(job, out) if asked[0] != "report"]
done = codes.count(0)
print(json.dumps({"compiled": kernels, "scipy": scipy, "warm": n_warm, "done": done, "late": called[n_warm:]}))
"""


@pytest.fixture(scope="module")
def warm(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Run the jobs after a warm-up, and record what they compile."""

    def run() -> dict[str, Any]:
        where = {"cwd": tmp_path_factory.mktemp("warm"), "env": os.environ | {"PYTHONPATH": path}}
        done = subprocess.run([sys.executable, "-c", WARM], capture_output=True, text=True, check=True, **where)
        data: dict[str, Any] = json.loads(done.stdout)
        return data

    path = os.pathsep.join([str(ROOT), *sys.path])
    result = run()
    return result if result["compiled"] == 0 else run()


@compiled
def test_jobs_call_only_kernels_compiled_by_the_warm_up(warm: dict[str, Any]) -> None:
    assert warm["late"] == []
    assert warm["warm"] > 50
    assert warm["done"] > 80


@compiled
def test_loading_kernels_does_not_import_scipy(warm: dict[str, Any]) -> None:
    """NumPy's reductions, searches and selections import scipy in Numba. A loop is as fast, and loads 0.1 s earlier."""
    assert (warm["compiled"], warm["scipy"]) == (0, False)


@compiled
def test_a_first_run_compiles_and_the_next_does_not(tmp_path: Path) -> None:
    rows = [f"p{n % 4},d{n % 6}" for n in range(12)]
    (tmp_path / "drugs.csv").write_text("\n".join(["who,drug", *rows, ""]))
    roles = ("--id", "who", "--sensitive", "drug")
    job = ("anonymize", "drugs.csv", *roles, "--model", "anatomy", "--l", "3", "--json", "-o")
    environment = os.environ | cache_without("buckets.buckets", tmp_path / "cache")

    def seconds(out: str) -> dict[str, float]:
        command = [sys.executable, "-m", "anonset", *job, out]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
        result: dict[str, float] = json.loads(done.stdout)["seconds"]
        return result

    first, second = seconds("one"), seconds("two")
    assert list(first).count("compiling") == 1
    assert first["search"] < first["compiling"], "the time of the search excludes compilation"
    assert "compiling" not in second
    assert {*first} - {"compiling"} == {*second}


def test_a_warm_up_that_would_be_lost_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_jit, "cache_writable", lambda: False)
    with pytest.raises(InputError, match="NUMBA_CACHE_DIR"):
        warmup.warm_up()
    monkeypatch.setattr(_jit, "cache_directory", lambda: None)
    with pytest.raises(InputError, match="NUMBA_CACHE_DIR"):
        warmup.warm_up()


def test_compiling_and_loading_do_not_count_as_search_time(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(1000))
    monkeypatch.setattr("time.perf_counter", lambda: float(next(clock)))
    watch = Stopwatch()
    with watch.phase("search"):
        COMPILATION.begin()
        COMPILATION.end()
        with COMPILATION.loading():
            pass
    assert {phase.name: phase.seconds for phase in watch.phases} == {"compiling": 1, "search": 3}


def test_a_warm_up_compiles_each_file_of_kernels(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    files: list[str] = []
    reported: list[tuple[str, float, float]] = []
    monkeypatch.setattr(warmup, "compile_file", files.append)
    monkeypatch.setattr(warmup, "_mark", lambda: None)
    assert warmup.warm_up(progress=lambda *what: reported.append(what)).folder == warmup.kernel_cache()
    assert files == all_files()
    assert reported[0] == ("warming up", 0, len(files))
    assert main(["warmup"]) == main(["warmup", "--json"]) == 0
    first, _, document = capsys.readouterr().out.partition("{")
    assert names(first, f"{warmup.kernel_cache()}")
    assert json.loads("{" + document).keys() == {"kernels", "seconds", "folder"}


def test_kernels_are_compiled_by_the_types_of_their_signatures() -> None:
    public = {name: kernel for name, kernel in kernels() if "._" not in name and not name.startswith("_")}
    for name, kernel in public.items():
        types = argument_types(getattr(kernel, "py_func", kernel))
        hints = [hint for parameter, hint in hints_of(kernel).items() if parameter != "return"]
        assert all(map(allows, hints, types)), name
    assert len(public) > 100


def test_a_warm_up_of_this_version_is_remembered(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("NUMBA_DISABLE_JIT", raising=False)
    monkeypatch.setattr(warmup, "kernel_cache", lambda: tmp_path)
    monkeypatch.setattr(warmup, "compile_file", lambda name: None)
    assert not is_warm()
    warmup.warm_up()
    assert is_warm()
    monkeypatch.setattr(_jit, "source_hash", lambda folder: "of another version")
    assert not is_warm()
    monkeypatch.setattr(warmup, "kernel_cache", lambda: None)
    assert not is_warm()
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    assert is_warm()


def test_memory_for_compiling_is_reserved_until_a_warm_up(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "a.dat").write_text("a b\n" * 20)
    options = {"input": str(tmp_path / "a.dat"), "out": str(tmp_path / "out"), "k": 2, "m": 2, "algorithm": "apriori"}
    need = memory_of(source_of(str(tmp_path / "a.dat"), None).size, APRIORI)

    def chosen(limit: int) -> module.MemoryPlan:
        return module.FileRun(make_settings({**options, "memory_limit": str(limit)})).chosen

    monkeypatch.setattr(warmup, "is_warm", lambda: False)
    assert (chosen(need + COMPILING_TAKES).need, chosen(need + COMPILING_TAKES).compiling) == (need, 0)
    with refused(InputError, "'1.0 GiB' '450.0 MiB' 'anonset warmup'"):
        chosen(need + COMPILING_TAKES - 1)
    monkeypatch.setattr(warmup, "is_warm", lambda: True)
    assert (chosen(need).need, chosen(need).compiling) == (need, 0)


def test_the_memory_limit_on_data_excludes_compilation() -> None:
    assert module.MemoryPlan(True, AT_LEAST, AT_LEAST + COMPILING_TAKES, COMPILING_TAKES).limit_on_data == AT_LEAST
    assert module.MemoryPlan(True, AT_LEAST, None).limit_on_data is None
