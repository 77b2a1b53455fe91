"""Compiling before data are read, in a process of its own, where the memory limit has no room for it beside them."""

import ast
import json
import os
import signal
import subprocess
import sys
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import anonset
from anonset.algorithms.base import traits_of
from anonset.algorithms.registry import ALGORITHMS
from anonset.cli.main import main
from anonset.errors import InputError
from anonset.io.source import source_of
from anonset.jobs import compiling
from anonset.jobs import input as job_input
from anonset.jobs.annotated_kernels import all_files, argument_types, files_of
from anonset.jobs.compiling import compile_before, compiling_near_limit, is_ready
from anonset.jobs.input import memory_of
from anonset.release.memory import AT_LEAST, COMPILING_TAKES, Compiling
from anonset.settings.settings import make_settings
from anonset_kernels import _jit
from jobs.cold_cache import cache_without
from kernels.signatures import allows, hints_of, kernels

ROOT = Path(__file__).resolve().parents[1]
APRIORI = anonset.Apriori(k=2, m=2)

LATE = """
import contextlib, gc, importlib, json, os, sys
import anonset.cli.anonymize, anonset.io.read, anonset.release.records, anonset.settings.job_files  # once for all jobs
from anonset_kernels import _jit
from anonset_kernels._compiling import COMPILATION
from anonset.cli.main import main
from anonset.jobs import anonymize, compiling
from anonset.jobs.annotated_kernels import all_files, compile_file

called = []
load = _jit._KernelCache.load_overload
def noted(self, sig, context):
    if COMPILATION.depth == 0:
        called.append(f"{self._py_func.__module__}.{self._py_func.__name__}{sig}")
    return load(self, sig, context)
_jit._KernelCache.load_overload = noted
kernels = []
for name in all_files():
    compile_file(name)
    module = importlib.import_module(f"anonset_kernels.{name}")
    own = [kernel for kernel in vars(module).values() if getattr(kernel, "__module__", None) == module.__name__]
    kernels += [(name, kernel) for kernel in own if hasattr(kernel, "overloads")]

ready = []
def before(algorithm, progress):
    files = compiling.files_of(algorithm)
    ready.extend(kernel for name, kernel in kernels if name in files and kernel.overloads)
    for name, kernel in kernels:
        if name not in files:
            kernel._reset_overloads()
    called.clear()
    return 0.0
compiling.is_ready = lambda algorithm: False
compiling.compile_before = before

gc.freeze()
for job in json.loads(sys.argv[1]):
    if child := os.fork():
        os.waitpid(child, 0)
    else:
        called.append("before the data were read")
        with contextlib.redirect_stdout(sys.stderr):
            code = main(job)
        print(json.dumps({"code": code, "before": len(ready), "late": called}), flush=True)
        os._exit(0)
"""
"""Runs each job in a process of its own, forked once all kernels are there; it has those of its algorithm's files."""

OF_ITEMS = ("baskets.dat", "--hierarchy", "items=balanced:5", "--k", "5")
BY_BLOCKS = ("--memory-limit", "700M", "--work-dir", "work")
OF_PEOPLE = ("people.csv", "--relational", "age,origin", "--hierarchy", "age=range", "--hierarchy", "origin=values")
OF_BUCKETS = ("people.csv", "--id", "who", "--sensitive", "origin", "--drop", "age,items")
JOBS = {
    "apriori": (*OF_ITEMS, "--algorithm", "apriori", "--m", "2", *BY_BLOCKS),
    "apriori m=3": (*OF_ITEMS, "--algorithm", "apriori", "--m", "3", *BY_BLOCKS),
    "exact": (*OF_ITEMS, "--algorithm", "exact", "--m", "3", *BY_BLOCKS),
    "mhghs": (*OF_ITEMS, "--algorithm", "mhghs", "--m", "2", "--memory-limit", "700M"),
    "coat": (*OF_ITEMS[:1], "--k", "5", "--m", "2", "--algorithm", "coat", "--privacy-constraints", "km",
             "--memory-limit", "700M"),
    "set-search": (*OF_ITEMS[:1], "--k", "5", "--m", "2", "--algorithm", "set-search", "--memory-limit", "700M"),
    "set-search m=3": (*OF_ITEMS[:1], "--k", "5", "--m", "3", "--algorithm", "set-search", "--memory-limit", "700M"),
    "rum-bound": (*OF_PEOPLE, "--items", "items", "--hierarchy", "items=balanced:5", "--drop", "who", "--k", "5",
                  "--m", "2", "--delta", "0.5", "--algorithm", "rum-bound", *BY_BLOCKS),
    "safe-grouping": (*OF_BUCKETS, "--model", "safe-grouping", "--k", "2", "--l", "2", *BY_BLOCKS),
}  # fmt: skip


def _write(folder: Path) -> None:
    assert main(["datasets", "make", "pos_like", "--records", "500", "-o", str(folder / "baskets.dat")]) == 0
    rows = (folder / "baskets.dat").read_text().splitlines()
    origins = ("France", "Spain", "Italy", "Algeria", "Nigeria")
    people = [f"p{n},{18 + 7 * n % 61},{origins[3 * n % 5]},{row}" for n, row in enumerate(rows)]
    (folder / "people.csv").write_text("\n".join(["who,age,origin,items", *people, ""]))


@pytest.mark.compiled
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
def test_a_job_calls_for_no_kernel_but_those_compiled_before(tmp_path: Path) -> None:
    _write(tmp_path)
    more = ("--allow-worthless", "--quiet", "-o")
    jobs = json.dumps([["anonymize", *job, *more, f"out{at}"] for at, job in enumerate(JOBS.values())])
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
    done = subprocess.run(
        [sys.executable, "-c", LATE, jobs], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    found = dict(zip(JOBS, map(json.loads, done.stdout.splitlines()), strict=True))
    assert {name: (one["code"], one["late"]) for name, one in found.items()} == dict.fromkeys(JOBS, (0, [])), (
        done.stderr
    )
    assert all(one["before"] > 10 for one in found.values())


@pytest.mark.compiled
def test_a_cold_run_near_its_limit_compiles_before_it_reads_and_the_next_does_not(tmp_path: Path) -> None:
    rows = [f"p{n % 4},d{n}" for n in range(12)]
    (tmp_path / "drugs.csv").write_text("\n".join(["who,drug", *rows, ""]))
    job = ("drugs.csv", "--id", "who", "--sensitive", "drug", "--model", "anatomy", "--l", "3", "--json")
    environment = os.environ | cache_without("text", tmp_path / "cache")

    def run(out: str, *more: str) -> tuple[dict[str, float], list[str]]:
        command = [sys.executable, "-m", "anonset", "--log-format", "json", "anonymize", *job, "-o", out, *more]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
        stages = [line.get("stage") for line in map(json.loads, done.stderr.splitlines())]
        return json.loads(done.stdout)["seconds"], [stage for stage in stages if stage]

    def kept() -> set[Path]:
        return set((tmp_path / "cache").rglob("*.nb[ci]"))

    before = kept()
    seconds, stages = run("one", "--memory-limit", "600M")
    compiled = kept()
    assert next(iter(seconds)) == "compiling"
    assert stages[0] == "compiling"
    assert "read" in stages[stages.index("compiling") :]
    assert {path.parent.name.partition("-")[0] for path in compiled - before} >= {"text"}
    assert "compiling" not in run("two", "--memory-limit", "600M")[0]
    assert "compiling" not in run("three")[0]
    assert kept() == compiled


def test_kernels_are_compiled_by_the_types_of_their_signatures() -> None:
    public = {name: kernel for name, kernel in kernels() if "._" not in name and not name.startswith("_")}
    for name, kernel in public.items():
        types = argument_types(getattr(kernel, "py_func", kernel))
        hints = [hint for parameter, hint in hints_of(kernel).items() if parameter != "return"]
        assert all(map(allows, hints, types)), name
    assert len(public) > 100


def imported_by(module: str) -> set[str]:
    """Return the modules that one imports when it runs, wherever that stands; names of theirs are among them."""
    found: set[str] = set()

    def visit(node: ast.AST) -> None:
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            return
        if isinstance(node, ast.ImportFrom):
            found.update([str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names)])
        for child in ast.iter_child_nodes(node):
            visit(child)

    spec = find_spec(module)
    visit(ast.parse(Path(str(spec.origin)).read_text(encoding="utf-8") if spec is not None else ""))
    return {name for name in found if not name.startswith("anonset.") or is_module(name)}


def is_module(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:  # what should hold it is no package
        return False


def test_the_files_of_an_algorithm_are_its_own_and_those_of_its_parameters() -> None:
    assert set(files_of(APRIORI)) - set(files_of(anonset.Anatomy(l=2))) >= {"count_tree", "fimi"}
    framework = anonset.RumBound(k=2, m=2, delta=1.0, transaction=partial(anonset.Vpa))
    assert {*anonset.Vpa.traits.kernels, *anonset.RumBound.traits.kernels} <= set(files_of(framework))
    assert "coat" not in files_of(framework)


@pytest.mark.parametrize("name", ALGORITHMS)
def test_an_algorithm_declares_the_kernels_that_its_modules_call(name: str) -> None:
    """But for those of an algorithm that it has as a parameter, and files that begin with _, which kernels call."""
    cls = ALGORITHMS[name]
    apart = "anonset.algorithms.transaction." if cls.__module__.startswith("anonset.algorithms.rt.") else "-"
    seen, waiting, called = {cls.__module__}, [cls.__module__], set()
    while waiting:
        for imported in imported_by(waiting.pop()):
            if imported.startswith("anonset_kernels."):
                called.add(imported.split(".")[1])
            elif imported.startswith("anonset.algorithms.") and not imported.startswith(apart) and imported not in seen:
                seen.add(imported)
                waiting.append(imported)
    assert {file for file in called if not file.startswith("_")} <= set(traits_of(cls).kernels) <= set(all_files())


def test_only_a_near_limit_and_a_cold_cache_ask_for_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "a.dat").write_text("a b\n" * 20)
    given = {"input": str(tmp_path / "a.dat"), "out": str(tmp_path / "out"), "k": 2, "m": 2, "algorithm": "apriori"}
    need = memory_of(source_of(str(tmp_path / "a.dat"), None).size, APRIORI)

    def chosen(limit: int) -> job_input.Input:
        settings = make_settings({**given, "memory_limit": str(limit)})
        return job_input.input_of(settings.source(settings.input), settings, APRIORI)

    monkeypatch.setattr(compiling, "is_ready", lambda algorithm: False)
    monkeypatch.setattr(_jit, "cache_writable", lambda: True)
    assert chosen(need + COMPILING_TAKES).compiling == Compiling()
    assert chosen(need + COMPILING_TAKES - 1).compiling == Compiling(before=True)
    monkeypatch.setattr(_jit, "cache_writable", lambda: False)
    found = chosen(AT_LEAST + COMPILING_TAKES)
    assert (found.compiling, found.limit_on_data) == (Compiling(), AT_LEAST + COMPILING_TAKES)
    assert compiling_near_limit(APRIORI) == Compiling(beside=COMPILING_TAKES)
    monkeypatch.setattr(compiling, "is_ready", lambda algorithm: True)
    assert chosen(need + COMPILING_TAKES - 1).compiling == compiling_near_limit(APRIORI) == Compiling()


def test_a_mark_tells_that_a_file_was_compiled(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("NUMBA_DISABLE_JIT", raising=False)
    monkeypatch.setattr(_jit, "directory_of", lambda path: tmp_path / path.stem)
    monkeypatch.setattr(_jit, "cache_writable", lambda: True)
    monkeypatch.setattr(compiling, "compile_file", lambda name: None)
    mondrian = anonset.Mondrian(k=2)
    for name in files_of(mondrian):
        assert not is_ready(mondrian)
        compiling.compile_whole(name)
    assert is_ready(mondrian)
    assert not is_ready(APRIORI)
    monkeypatch.setattr(_jit, "directory_of", lambda path: None)
    assert not is_ready(mondrian)
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    assert is_ready(mondrian)


def test_the_process_is_told_of_and_its_failure_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[str, float, float]] = []
    monkeypatch.setattr(compiling, "_CHILD", "print(1); print('a warning'); print(2)")
    assert compile_before(APRIORI, lambda *what: told.append(what)) > 0
    assert told == [("compiling", 1, 0), ("compiling", 2, 0), ("compiling", 2, 2)]
    monkeypatch.setattr(compiling, "_CHILD", "raise SystemExit('no room')")
    with pytest.raises(InputError, match=r"apriori could not be compiled .*: exit code 1, no room; the memory limit"):
        compile_before(APRIORI)


def test_a_process_that_has_become_large_is_followed_by_another(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    told: list[tuple[str, float, float]] = []
    begun = f"from pathlib import Path; begun = Path({str(tmp_path / 'begun')!r})"
    child = (
        f"{begun}; print(1); code = 0 if begun.exists() else {compiling.GO_ON}; begun.touch(); raise SystemExit(code)"
    )
    monkeypatch.setattr(compiling, "_CHILD", child)
    compile_before(APRIORI, lambda *what: told.append(what))
    assert told == [("compiling", 1, 0), ("compiling", 2, 0), ("compiling", 2, 2)]


@pytest.mark.skipif(sys.platform == "win32", reason="no signals")
def test_a_process_that_was_ended_is_no_success(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiling, "_CHILD", f"import os; os.kill(os.getpid(), {int(signal.SIGKILL)})")
    with pytest.raises(InputError, match=r"ended by signal 9; .* anonset warmup"):
        compile_before(APRIORI)


def test_an_interruption_ends_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[subprocess.Popen[str]] = []

    class Noted(subprocess.Popen[str]):
        def __init__(self, *arguments: Any, **more: Any) -> None:
            super().__init__(*arguments, **more)
            begun.append(self)

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(compiling.subprocess, "Popen", Noted)
    monkeypatch.setattr(compiling, "_CHILD", "import time; print(1, flush=True); time.sleep(600)")
    with pytest.raises(KeyboardInterrupt):
        compile_before(APRIORI, interrupt)
    assert begun[0].returncode not in (None, 0)


def _refused(tmp_path: Path, capsys: pytest.CaptureFixture[str], *more: str) -> str:
    (tmp_path / "a.dat").write_text("a b\n" * 20)
    asked = ["anonymize", str(tmp_path / "a.dat"), "--hierarchy", "items=balanced:2", "--k", "2", "--m", "1"]
    code = main([*asked, "--algorithm", "apriori", *more, "-o", str(tmp_path / "out")])
    told = " ".join(capsys.readouterr().err.split())
    assert (code, (tmp_path / "out").exists()) == (2, False), told
    return told


def test_no_room_even_to_compile_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(compiling, "compiling_near_limit", lambda _: Compiling(before=True))
    told = _refused(tmp_path, capsys, "--memory-limit", "400M")
    assert "about 600.0 MiB of memory, above the limit of 400.0 MiB" in told
    assert "anonset warmup compiles them before" in told


def test_what_can_be_kept_nowhere_is_part_of_the_estimate(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(compiling, "compiling_near_limit", lambda _: Compiling(beside=COMPILING_TAKES))
    told = _refused(tmp_path, capsys, "--memory-limit", "700M")
    assert "about 1.0 GiB of memory" in told
    assert "450.0 MiB of it are for compiling kernels, which can be kept nowhere" in told
    chosen = job_input.Input("a", True, AT_LEAST, AT_LEAST + COMPILING_TAKES, Compiling(beside=COMPILING_TAKES))
    assert chosen.limit_on_data == AT_LEAST
