"""The experiment harness on a small invented paper, and the tables of the real papers."""

import json
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace
from typing import ClassVar

import numpy as np
import pytest
from benchmarks.experiments import __main__ as command_line
from benchmarks.experiments import (
    agreement,
    cases,
    claim_counts,
    criteria,
    findings,
    inventory,
    judging,
    negatives,
    panels_of,
    plots,
    render,
    results_page,
    runner,
    sources,
    store,
    verdicts,
)
from benchmarks.experiments.cases import Case, Figure, Paper, Results
from benchmarks.experiments.checks import exponent, grows_linearly, rise, rises, spread
from benchmarks.experiments.terrovitis2008.tree_size import tree_nodes
from benchmarks.experiments.workers import measured_or_error

from anonset.data import Hierarchy, SetColumn
from anonset.errors import InputError
from anonset_datasets.entries import ENTRIES

pytestmark = pytest.mark.compiled

MODULE = """
import os
from pathlib import Path
from benchmarks.experiments.cases import Case, Claim, Figure, Paper

def measure(parameters):
    with Path(os.environ["CALLS"]).open("a") as calls:
        calls.write(f"{parameters['n']} ")
    if parameters["n"] == 3 and not Path(os.environ["CALLS"]).with_name("mended").exists():
        raise RuntimeError("three cannot be had")
    return {"seconds": parameters["n"] ** 2}

def prepare():
    with Path(os.environ["CALLS"]).open("a") as calls:
        calls.write("prepared ")

PAPER = Paper("made.up", "A paper", [
    Figure("squares", "Fig. 1: squares", "|n|", {"seconds": "seconds"},
           [Case("squares", "a", n, {"n": n}) for n in (1, 2)] + [Case("squares", "again", 1, {"n": 1})],
           [Claim("it grows", "last above first", lambda r: (r.values("a", "seconds")[-1] > 1, "1 | 4")),
            Claim("it falls", "last below first", lambda r: (r.values("a", "seconds")[-1] < 1, "1, 4"))]),
    Figure("third", "Fig. 2: three", "n", {"seconds": "seconds"}, [Case("third", "a", 3, {"n": 3})],
           [Claim("it is nine", "9", lambda r: (r.at("a", 3, "seconds") == 9, "9"))]),
], measure, "A note.", prepare)
"""


NO_LISTS = {"modules": [], "lists": {"": ""}}


@pytest.fixture
def place(tmp_path, monkeypatch) -> Path:
    """Create the invented paper as a module `made.up`, and a folder for results."""
    package = tmp_path / "made"
    package.mkdir()
    (package / "up.py").write_text(MODULE)
    (tmp_path / "calls").touch()
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("CALLS", str(tmp_path / "calls"))
    return tmp_path


def calls(place) -> list[str]:
    result = (place / "calls").read_text().split()
    (place / "calls").write_text("")
    return result


def result(place, *key) -> dict:
    return store.load(place / "results" / "made.up")[key]


@pytest.mark.long
def test_cases_run_once_failures_are_repeated_and_claims_judged(place):
    results = place / "results"
    assert runner.run("made.up", results=results) == (4, 1)
    assert calls(place) == ["prepared", "1", "2", "3"], "equal parameters are measured once"
    assert result(place, "squares", "a", 2, "")["measured"] == {"seconds": 4}
    assert result(place, "third", "a", 3, "")["error"] == "RuntimeError: three cannot be had"
    assert {"cpu", "commit", "versions", "python"} <= result(place, "squares", "again", 1, "")["machine"].keys()

    page = render.render("made.up", results).read_text()
    assert "| Fig. 1 | it grows | last above first | **holds** | 1 \\| 4 |" in page
    assert "| Fig. 1 | it falls | last below first | **fails** | 1, 4 |" in page
    assert "| Fig. 2 | it is nine | 9 | **not measured** | 0 of 1 cases are measured |" in page
    assert "failed (a 3): RuntimeError: three cannot be had" in page
    assert "| 2 | 4 |  |" in page
    assert "![Fig. 1: squares](squares.svg)" in page
    files = {path.name for path in (results / "made.up").iterdir()}
    assert files == {"README.md", "cases.jsonl", "costs.jsonl", "environment.json", "squares.svg"}

    (place / "mended").touch()
    assert runner.run("made.up", results=results) == (1, 0)
    assert calls(place) == ["prepared", "3"], "only the failed case runs again"
    assert runner.run("made.up", results=results) == (0, 0)
    assert calls(place) == []
    assert "| it is nine | 9 | **holds** | 9 |" in render.render("made.up", results).read_text()


@pytest.mark.studies
def test_figures_and_changed_parameters(place):
    results = place / "results"
    (place / "mended").touch()
    assert runner.run("made.up", figures=("third",), results=results) == (1, 0)
    assert runner.run("made.up", figures=("third",), results=results) == (0, 0)
    assert calls(place) == ["prepared", "3"]
    took = result(place, "third", "a", 3, "")["seconds_of_case"]
    pieces = [runner.Piece("squares", 3, 3, 0.0), runner.Piece("third", 1, 0, took)]
    assert runner.pieces(runner.paper("made.up"), results) == pieces
    store.write(results / "made.up", [result(place, "third", "a", 3, "") | {"parameters": {"n": 4}}])
    assert runner.results_of(runner.paper("made.up"), results) == {}
    assert runner.run("made.up", figures=("third",), results=results) == (1, 0)


@pytest.mark.long
def test_results_are_compared_without_times(place, capsys):
    (place / "mended").touch()
    for name in ("results", "again"):
        runner.run("made.up", results=place / name)
    assert agreement.compared("made.up", place / "again", place / "results") == (4, [])
    folder = place / "again" / "made.up"
    changed = result(place, "squares", "a", 2, "")
    measured = {"seconds": 9.0, "ncp": 0.3}
    store.save(folder, [changed | {"measured": measured}], {case.key for case in runner.paper("made.up").cases})
    _, (difference,) = agreement.compared("made.up", place / "again", place / "results")
    assert str(difference) == "squares a 2: ncp 0.3, expected None"
    store.save(
        place / "results" / "made.up", [changed | {"measured": {"ncp": 0.3 * (1 + 1e-13)}}], {changed_key(changed)}
    )
    assert agreement.compared("made.up", place / "again", place / "results")[1] == []
    for now, differing in (
        ("single items of 3", 0),
        ("single items of 2", 1),
        ("nothing was verified", 1),
    ):
        for name, text in (("results", "single items of 3"), ("again", now)):
            store.save(place / name / "made.up", [changed | {"measured": {"checked": text}}], {changed_key(changed)})
        assert len(agreement.compared("made.up", place / "again", place / "results")[1]) == differing
    (difference,) = agreement.differences(
        changed_key(changed), {"measured": {}}, {"measured": {"checked": "all groups"}}
    )
    assert str(difference) == "squares a 2: checked None, expected 'all groups'"


@pytest.mark.long
def test_agree_fails_for_failed_and_missing_cases_by_name(place, monkeypatch, capsys):
    """A comparison of the common cases alone reported success while all other cases had failed."""
    results, again = place / "results", place / "again"
    monkeypatch.setattr(agreement.unmeasured, "__defaults__", (results, None))
    monkeypatch.setattr(agreement.compared, "__defaults__", (results,))
    monkeypatch.setattr(agreement, "without_outcome", lambda key: [])
    runner.run("made.up", results=again)  # one of four cases fails
    (place / "mended").touch()
    runner.run("made.up", results=results)

    def agree():
        with pytest.raises(SystemExit) as ended:
            command_line.agree("made.up", folder=again)
        return ended.value.code, capsys.readouterr().out

    failed = "made.up third-a-3: failed: RuntimeError: three cannot be had (new results)\n"
    assert agree() == (1, f"{failed}3 case(s) compared, 0 differ, 1 failed or not measured\n")
    runner.run("made.up", results=again)
    assert agree() == (0, "4 case(s) compared, 0 differ, 0 failed or not measured\n")
    with monkeypatch.context() as changed:  # the code changes, and `run` stops before the first case
        changed.setattr(runner.sources, "code_of", lambda module: f"changed {module}")
        code, text = agree()
        assert (code, text.count(": measured with earlier code or data (new results)\n")) == (1, 4)
        assert text.endswith("0 case(s) compared, 0 differ, 4 failed or not measured\n")
    store.write(results / "made.up", [result(place, "third", "a", 3, "")])
    code, text = agree()
    assert (code, text.count(": not measured (tracked results)\n")) == (1, 3)


@pytest.mark.skipif(not shutil.which("make"), reason="needs make")
@pytest.mark.parametrize(
    ("failing", "commands"),
    [("", 3), ("run", 3), ("render", 2), ("agree", 3)],
)
def test_make_reproduce_fails_if_one_of_its_steps_fails(tmp_path, failing, commands):
    """The quick subset is compared also if a case failed, which `run` reports by its exit status."""
    log, python = tmp_path / "log", tmp_path / "python"
    python.write_text(f'#!/bin/sh\necho "$3" >> {log}\ntest "$3" != "{failing}"\n')
    python.chmod(0o755)
    asked = ["make", "--silent", "reproduce", "QUICK=1", f"BIN={tmp_path}", "READY="]
    ran = subprocess.run(asked, cwd=runner.ROOT, capture_output=True, text=True)
    assert (ran.returncode != 0) == bool(failing), ran.stderr
    assert log.read_text().split() == ["run", "render", "agree"][:commands]


@pytest.mark.skipif(not shutil.which("make"), reason="needs make")
def test_all_checks_include_the_declared_cases_of_our_own_studies():
    asked = ["make", "--dry-run", "check-all", "READY="]
    planned = subprocess.run(asked, cwd=runner.ROOT, capture_output=True, text=True).stdout
    (at,) = [line for line in planned.splitlines() if line.split()[1:4] == ["-m", "benchmarks.experiments", "check"]]
    assert not at.split()[4:], "without names, it checks the papers and the studies"
    assert planned.index(" run --quick") < planned.index(at), "it does not measure again what the quick run measured"


def test_agree_and_pages_name_stored_results_that_the_code_does_not_give(tmp_path, monkeypatch, capsys):
    check = {"cases": 24, "commit": "c1", "differing": 20, "drawn": 1, "modules": "", "outcomes": "", "sources": ""}
    (tmp_path / runner.REPEATED).write_text(json.dumps({"checks": {"rt_frontier": {"vermont2013": check}}, **NO_LISTS}))
    monkeypatch.setattr(agreement.disagreeing, "__defaults__", (tmp_path,))
    monkeypatch.setattr(agreement, "without_outcome", lambda key: [])
    monkeypatch.setattr(agreement, "changed", lambda key: [])
    line = "vermont2013: 20 of 24 cases measured again with the code of commit c1 differ from the tracked results"
    assert results_page.claims_table("rt_frontier", tmp_path).startswith(line)
    assert results_page.overview(tmp_path).endswith(f"\n* `rt_frontier`, {line}.")
    with pytest.raises(SystemExit) as ended:
        command_line.agree(folder=tmp_path)
    assert ended.value.code == 1
    assert f"rt_frontier {line}\n" in capsys.readouterr().out


@pytest.mark.parametrize("key", runner.papers())
def test_stored_results_are_those_of_the_code_that_measured_them_again(key):
    assert agreement.disagreeing(key) == []
    assert agreement.without_outcome(key) == []
    assert agreement.changed(key) == []


def test_a_stored_result_that_no_command_has_written_differs_from_its_digest(tmp_path):
    assert store.unsealed(runner.RESULTS) == []
    (tmp_path / store.SUMS).touch()
    (tmp_path / "p").mkdir()
    for name in ("p/costs.jsonl", "smartnoise.jsonl", "repeated.json"):
        store.replace_file(tmp_path / name, '{"seconds": 1}\n')
    assert store.unsealed(tmp_path) == []
    for name, text in {"p/costs.jsonl": '{"seconds": 2}\n', "new.jsonl": "{}\n"}.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "repeated.json").unlink()
    names = ("new.jsonl", "p/costs.jsonl", "repeated.json")
    assert store.unsealed(tmp_path) == [f"{name}: differs from its digest in SHA256SUMS" for name in names]


@pytest.mark.parametrize("key", runner.papers(studies=False))
def test_other_cases_of_each_figure_are_drawn_by_the_commit(key):
    chosen = runner.paper(key)
    known = {case.key for case in runner.declared(chosen)}
    first, second = (runner.drawn(chosen, seed) for seed in ("c1", "c2"))
    assert first == runner.drawn(chosen, "c1") != second
    assert not known.intersection(case.key for case in first + second)
    assert not any(case.cost for case in first)
    figures = [case.figure for case in first]
    assert figures
    assert all(figures.count(figure) <= runner.DRAWN for figure in figures)
    unsigned = {key for key in runner.results_of(chosen) if key[0] == figures[0]}
    every = [case.key for case in runner.drawn(chosen, "c1", unsigned=unsigned) if case.figure == figures[0]]
    assert set(every) == unsigned - known, "also long cases, and those whose cost is claimed"
    assert len(every) == len(set(every))


@pytest.fixture
def asked(monkeypatch):
    """The cases that each call of `check` measures. Nothing is measured."""
    found = []

    def run(key, *, only, **_):
        found.append(list(only))
        return 0, 0

    monkeypatch.setattr(runner, "machine", lambda: {"commit": "c2"})
    monkeypatch.setattr(runner, "run", run)
    monkeypatch.setattr(agreement, "store_figures", lambda *_: [])
    monkeypatch.setattr(agreement, "unmeasured", lambda *_, **__: ([], []))
    return found


def test_a_reader_can_draw_the_cases_that_check_measures(asked):
    chosen = runner.paper("albouna2013")
    for draw in ("", "my own text"):
        with pytest.raises(SystemExit):
            command_line.check("albouna2013", figure=("fig4abc",), draw=draw)
    declared = runner.declared(chosen, ("fig4abc",))
    assert asked == [[*declared, *runner.drawn(chosen, seed, ("fig4abc",))] for seed in ("c2", "my own text")]
    assert asked[0] != asked[1]


def test_check_measures_all_cases_of_a_figure_whose_results_have_changed(asked, monkeypatch):
    chosen = runner.paper("albouna2013")
    for altered in (set(), {"fig4abc"}):
        monkeypatch.setattr(runner.Checks, "altered", altered)
        with pytest.raises(SystemExit):
            command_line.check("albouna2013", figure=("fig4abc",))
    declared = len(runner.declared(chosen, ("fig4abc",)))
    every = [case for case in runner.results_of(chosen) if case[0] == "fig4abc"]
    assert [len(cases) for cases in asked] == [declared + runner.DRAWN, len(every)]


@pytest.mark.long
def test_check_fails_for_a_missing_case_and_keeps_the_earlier_outcome(place, monkeypatch, capsys):
    (place / "mended").touch()
    chosen, results, again = runner.paper("made.up"), place / "results", place / "again"
    tracked = runner.RESULTS
    monkeypatch.setattr(runner, "QUICK_RESULTS", again)
    monkeypatch.setattr(runner, "machine", lambda: {"commit": "c2", "versions": {}})
    for function in (agreement.without_outcome, agreement.store_figures, agreement.unmeasured, runner.checks_of):
        defaults = tuple(results if default == tracked else default for default in function.__defaults__)
        monkeypatch.setattr(function, "__defaults__", defaults)

    def check():
        with pytest.raises(SystemExit) as ended:
            command_line.check("made.up", figure=("squares",))
        return ended.value.code, capsys.readouterr().out.splitlines()

    runner.run("made.up", results=results)
    assert agreement.without_outcome("made.up") == [
        "squares: 3 of 3 declared cases have a tracked result, and 0 were measured again",
        "third: 1 of 1 declared cases have a tracked result, and 0 were measured again",
    ]
    assert check() == (0, ["made.up: 3 case(s) run, 0 failed; 1 of 1 figure(s) current"])
    outcome = runner.stored_checks(results)
    store.save(results / "made.up", [], {case.key for case in chosen.cases[1:]})
    code, lines = check()
    assert (code, len(lines), "not measured (tracked results)" in lines[0]) == (1, 2, True)
    assert runner.stored_checks(results) == outcome
    assert agreement.without_outcome("made.up")[0].startswith("squares: 2 of 3 declared cases have a tracked result")
    monkeypatch.setattr(runner.Checks, "confirmed", set())
    runner.run("made.up", results=results)
    assert check()[0] == 1, "the figure is not current"


def test_the_page_states_the_times_of_all_cases():
    """The table was once written from a folder with 16 of 1,142 cases."""
    page = results_page.PAGES[results_page.QUICK].read_text(encoding="utf-8")
    assert results_page._complete_run() in page
    for key in runner.papers(studies=False):
        chosen, tracked = runner.paper(key), runner.results_of(runner.paper(key))
        cases = chosen.quick_cases()
        n = sum(case.key in tracked for case in cases)
        assert f"| {findings.names(key)} | {n} of {len(cases)} | " in page


@pytest.mark.parametrize("key", runner.papers(studies=False))
@pytest.mark.long
def test_cases_without_data_files_give_the_tracked_results(key):
    """Each paper has such cases, so that each paper runs wherever the tests run."""
    paper = runner.paper(key)
    cases = [case for case in runner.declared(paper) if not ENTRIES.keys() & set(paper.reads(case.parameters))]
    assert cases
    tracked = runner.results_of(paper)
    for case in cases:
        answer = measured_or_error(paper, case.parameters)
        assert "measured" in answer, (case.slug, answer)
        assert list(agreement.differences(case.key, answer, tracked[case.key])) == []


def test_a_tracked_outcome_that_changes_after_the_check_is_noticed_and_a_new_case_is_no_change(monkeypatch):
    def one(x: int, ncp: float, at: str) -> dict:
        key = {"figure": "f", "series": "a", "x": x, "repetition": ""}
        return key | {"parameters": {"x": x}, "measured": {"ncp": ncp}, "measured_at": at}

    first, second = one(1, 0.5, "2026-01-01"), one(2, 0.6, "2026-01-02")
    check = {"outcomes": store.digest_of_outcomes([first, second]), "until": "2026-01-02", "commit": "c1"}
    paper = SimpleNamespace(key="made.up")
    monkeypatch.setattr(runner, "stored_checks", lambda _: {"made.up": {"f": check}})

    def is_changed(*tracked: dict) -> bool:
        monkeypatch.setattr(runner, "results_of", lambda *_: {("f", one["x"]): one for one in tracked})
        return bool(runner.checks_of(paper).altered)

    assert not is_changed(second, first)
    assert not is_changed(first, second, one(3, 0.7, "2026-02-01"))
    assert not is_changed(first, one(2, 0.6, "2026-02-01")), "measured again, with the same outcome"
    assert is_changed(first, one(2, 0.61, "2026-01-02"))
    assert is_changed(first, one(2, 0.61, "2026-02-01")), "a later date does not hide a change"
    assert is_changed(first)
    assert is_changed(first, second, one(3, 0.7, "2026-01-01"))
    assert runner.checks_of(paper).unsigned == {("f", 1), ("f", 2), ("f", 3)}, "all cases of a changed figure"
    is_changed(first, second, one(3, 0.7, "2026-02-01"))
    assert runner.checks_of(paper).unsigned == {("f", 3)}, "a new case"


@pytest.mark.long
def test_the_page_names_the_commit_and_the_cases_that_were_measured_again(place):
    (place / "mended").touch()
    results, again = place / "results", place / "again"
    runner.run("made.up", results=results)
    assert agreement.sentences("made.up", results) == ""
    for commit, figure in (("c2", "squares"), ("c3", "third")):
        runner.run("made.up", figures=(figure,), results=again)
        agreement.store_figures("made.up", commit, again, (figure,), there=results)
    page = render.render("made.up", results).read_text()
    assert (
        "- Measured again with the code of commit c2: all losses and counts agree. Cases: squares 3 of 3\n"
        "- Measured again with the code of commit c3: all losses and counts agree. Cases: third 1 of 1\n"
    ) in page
    changed = result(place, "squares", "a", 2, "") | {"measured": {"ncp": 0.3}}
    store.save(results / "made.up", [changed], {case.key for case in runner.paper("made.up").cases})
    line = "squares: the tracked results have changed since `check` compared them, at commit c2"
    assert agreement.changed("made.up", results) == [line]
    some = runner.results_of(runner.paper("made.up"), again)
    del some["squares", "again", 1, ""]
    store.save(place / "some" / "made.up", list(some.values()), set(some))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(agreement, "declared", lambda paper, _: paper.cases[:1])
        agreement.store_figures("made.up", "c4", place / "some", ("squares",), there=results)
    assert runner.stored_checks(results)["made.up"]["squares"]["commit"] == "c4"
    line = line.replace("c2", "c4")
    assert agreement.changed("made.up", results) == [line], "a case that was not measured is not signed"
    agreement.store_figures("made.up", "c2", again, ("squares",), there=results)
    assert agreement.changed("made.up", results) == []
    page = render.render("made.up", results).read_text()
    assert "with the code of commit c2: some cases differ (squares 1). Cases: squares 3 of 3\n" in page


@pytest.mark.long
def test_a_verdict_that_does_not_follow_from_the_stored_results_is_noticed(monkeypatch, tmp_path):
    assert command_line._changed_pages() == []
    page = tmp_path / "findings.md"
    page.write_text(findings.PAGE.read_text(encoding="utf-8").replace(" hold**", " and 40 hold**"))
    monkeypatch.setattr(findings, "PAGE", page)
    monkeypatch.setattr(criteria, "HOLDS", 0.5)
    changed = command_line._changed_pages()
    assert any(line.startswith("benchmarks/results/verdicts.json: differs") for line in changed)
    assert len(changed) > 1


def test_check_requires_committed_code(monkeypatch):
    described = runner.machine()
    monkeypatch.setattr(runner, "machine", lambda: described | {"commit": "c2+changes"})
    with pytest.raises(InputError, match=r"commit your changes first, got c2\+changes"):
        command_line.check("albouna2013")


def test_the_commit_of_a_result_skips_commits_of_claims_and_results():
    if not (runner.ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    listed = subprocess.run(
        ["git", "ls-files", "--", *sources.paths()], cwd=runner.ROOT, capture_output=True, text=True, check=True
    ).stdout.split()
    experiments = "benchmarks/experiments"
    assert {"engine/anonset/errors.py", f"{experiments}/poulis2013/jobs.py", f"{experiments}/draws.py"} <= set(listed)
    others = {f"{experiments}/poulis2013/{name}.py" for name in ("cases", "claims", "__init__")}
    assert not {f"{experiments}/runner.py", f"{experiments}/__init__.py", *others}.intersection(listed)
    assert all(path.endswith(".py") for path in listed)


def test_modules_that_measure_follow_from_imports():
    own = "benchmarks.experiments"
    measuring = {f"{own}.{name}" for name in ("baselines.generators", "scaling.by_blocks", "draws", "factors")}
    describing = {f"{own}.{name}" for name in ("findings", "judging", "baselines.render", "baselines.larger", "runner")}
    assert measuring <= sources.measuring()
    assert not describing & sources.measuring()
    assert not [name for name in describing if sources._measures(name)]
    packages = {name.split(".")[2] for name in sources.measuring()}
    assert packages >= set(runner.papers())


@pytest.mark.long
@pytest.mark.parametrize("key", runner.papers(studies=False))
def test_changes_of_modules_that_only_propose_or_show_leave_results_current(key, monkeypatch):
    """Modules are those that a case imports, so other modules cannot make its result due."""
    chosen = runner.paper(key)
    (case, *_) = [case for case in runner.declared(chosen) if not ENTRIES.keys() & set(chosen.reads(case.parameters))]
    code = (
        "import json; from benchmarks.experiments import runner; from benchmarks.experiments.workers import "
        f"measured_or_error; p = runner.paper({key!r}); (c,) = [c for c in p.cases if c.slug == {case.slug!r}]; "
        "print(json.dumps(measured_or_error(p, c.parameters)['modules']))"
    )
    ran = subprocess.run([sys.executable, "-c", code], cwd=runner.ROOT, capture_output=True, text=True, check=True)
    modules = json.loads(ran.stdout.splitlines()[-1])
    before, read = sources.digest(modules, []), sources.code_of
    assert len(modules) > 50
    others = ("anonset.jobs.proposals", "anonset.ui", "anonset.cli", "anonset.report")
    monkeypatch.setattr(sources, "code_of", lambda name: "changed" if name.startswith(others) else read(name))
    assert sources.digest(modules, []) == before
    monkeypatch.setattr(sources, "code_of", lambda name: "changed" if name == "anonset.data.table" else read(name))
    assert sources.digest(modules, []) != before


def changed_key(one) -> tuple:
    return one["figure"], one["series"], one["x"], one["repetition"]


@pytest.mark.studies
def test_a_case_beyond_its_time_limit_is_stopped(place):
    slow = (
        (place / "made" / "up.py")
        .read_text()
        .replace("def measure(parameters):", "def measure(parameters):\n    import time; time.sleep(60)")
    )
    (place / "made" / "up.py").write_text(slow.replace(', "A note.", prepare)', ")"))
    assert runner.run("made.up", figures=("third",), timeout=1, results=place / "results") == (1, 1)
    assert result(place, "third", "a", 3, "")["error"] == "did not finish within 1 s"


@pytest.mark.studies
def test_the_block_of_the_page_is_replaced(place):
    (place / "mended").touch()
    runner.run("made.up", figures=("third",), results=place / "results")
    page = place / "README.md"
    page.write_text("before\n<!-- results:made.up -->\nold\n<!-- /results:made.up -->\nafter\n")
    for _ in range(2):
        assert results_page.write_block("made.up", page, place / "results") == "README.md: wrote the results of made.up"
    text = page.read_text()
    assert text.startswith("before\n<!-- results:made.up -->\n| figure | claim | criterion | verdict | measured |\n")
    assert "\n| Fig. 2 | it is nine | 9 | **holds** | 9 |\n" in text
    assert text.endswith(" |\n<!-- /results:made.up -->\nafter\n")
    (fails, holds) = (
        "| Cluster size | the cluster size matters little for counts |",
        "| k | few frequent items are lost |",
    )
    table = results_page.claims_table("terrovitis2012")
    assert table.index(fails) < table.index(holds), "claims that do not hold come first"
    assert "\nold\n" not in text


def test_a_page_without_markers_is_unchanged(place):
    page = place / "README.md"
    page.write_text("nothing here\n")
    assert "unchanged, it has no markers" in results_page.write_block("made.up", page, place / "results")
    assert page.read_text() == "nothing here\n"


def test_the_benchmarks_are_tabulated(tmp_path):
    assert results_page.benchmarks_table(tmp_path) == "Not measured yet."
    benchmark = {
        "group": "rows",
        "name": "test_bench_sort",
        "fullname": "benchmarks/algorithms/f",
        "stats": {"min": 0.0125},
        "extra_info": {"ncp": 0.5, "data": "x"},
    }
    kernel = benchmark | {"fullname": "benchmarks/kernels/f"}
    here = {"commit": "c1", "cpu": "a processor", "cores": 2}
    (tmp_path / "benchmarks.json").write_text(json.dumps({"machine_info": here, "benchmarks": [kernel, benchmark]}))
    first, *_, last = results_page.benchmarks_table(tmp_path).splitlines()
    assert first == "Measured at commit c1, a processor, 2 cores."
    assert last == "| rows | sort | 12.5 ms | ncp 0.5, data x |"


def test_the_table_of_the_quick_subset_needs_all_tracked_cases_and_counts_equal_cases_once(tmp_path, monkeypatch):
    points = [("a", 1, "generated"), ("b", 1, "generated"), ("a", 2, "adult"), ("a", 3, "adult")]
    cases = [Case("f", series, n, {"n": n, "data": data}) for series, n, data in points]
    chosen = Paper("p", "A paper", [Figure("f", "Fig. 1", "n", {}, cases)], dict)
    quick, tracked = tmp_path / "quick", tmp_path / "tracked"
    monkeypatch.setattr(results_page, "papers", lambda **_: ["albouna2013"])
    for module in (results_page, agreement):
        monkeypatch.setattr(module, "paper", lambda _: chosen)
    monkeypatch.setattr(results_page, "RESULTS", tracked)
    monkeypatch.setattr(sources, "data_of", lambda name: f"files of {name}")
    results = [
        {name: getattr(case, name) for name in ("figure", "series", "x", "repetition", "parameters")}
        | {
            "modules": [], "measured": {}, "measured_at": "", "seconds_of_case": 900.0, "cpu_seconds_of_case": 2.0,
            "load_before": 9.0, "sources": sources.digest([], chosen.reads(case.parameters)),
            "machine": {"commit": "c1", "cpu": "a processor", "cores": 2},
        }
        for case in cases[:3]
    ]  # fmt: skip
    for folder in (quick, tracked):
        (folder / "p").mkdir(parents=True)
    store.write(tracked / "p", results)
    page = tmp_path / "page.md"
    refused = f"page.md: unchanged, {quick} lacks current results of quick"
    assert results_page.write_block(results_page.QUICK, page, quick) == refused
    for partial in (results[:2], [*results[:2], results[2] | {"sources": "of earlier code"}]):
        store.write(quick / "p", partial)
        assert results_page.write_block(results_page.QUICK, page, quick) == refused
    store.write(quick / "p", results)
    first, _, _, _, row, _, complete, *_, last = results_page.quick_table(quick).splitlines()
    assert first == (
        "Measured at commit c1, a processor, 2 cores. Without data files, 2 cases are measured, which needs 2 s of CPU."
    )
    assert row.split(" | ")[1:] == ["3 of 4", "4 s", "2 of 2", "2 s |"]
    assert complete.endswith("So the complete run of the five papers takes at least 0.2 hours.")
    assert last.endswith("| 2 | 30 min | 0 min |")


def test_the_page_of_measurements_has_the_errors_of_the_tracked_results():
    page = results_page.PAGES[results_page.RT_ERRORS].read_text(encoding="utf-8")
    assert results_page.of_rt_datasets.errors(runner.RESULTS) in page


def test_the_page_states_the_elapsed_time_of_a_complete_run():
    assert results_page._complete_run() in results_page.PAGES[results_page.QUICK].read_text(encoding="utf-8")


def test_status_reads_the_results_of_a_paper_a_fixed_number_of_times(monkeypatch, capsys):
    read = []
    monkeypatch.setattr(runner.store, "load", lambda folder: read.append(folder) or {})
    command_line.status("albouna2013", quick=True)
    assert re.fullmatch(r"albouna2013: 0 current, \d+ not measured.*\n", capsys.readouterr().out)
    assert len(read) == 2


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: runner.paper("nobody2099"), "paper must be one of "),
        (
            lambda: runner.run("scaling", figures=("z",)),
            "figure of scaling must be one of records, m, blocks-",
        ),
    ],
)
def test_unknown_papers_figures_and_cases_are_rejected(call, message):
    with pytest.raises(ValueError, match=r"must be one of") as refused:
        call()
    assert str(refused.value).startswith(message)


@pytest.mark.parametrize("key", runner.papers())
def test_papers_are_well_formed(key):
    paper = runner.paper(key)
    assert paper.key == key
    slugs = [case.slug for case in paper.cases]
    assert len(set(slugs)) == len(slugs)
    for figure in paper.figures:
        assert {case.figure for case in figure.cases} == {figure.key}
        assert all(json.loads(json.dumps(case.parameters)) == case.parameters for case in figure.cases)


@pytest.mark.parametrize("key", runner.papers(studies=False))
def test_headlines_and_negatives_are_claims_of_their_figures(key):
    claims = {(figure.key, claim.text) for figure in runner.paper(key).figures for claim in figure.claims}
    assert 3 <= sum(claim.main for figure in runner.paper(key).figures for claim in figure.claims) <= 10
    assert {
        (figure, text) for entry in negatives.NEGATIVES for paper, figure, text in entry.claims if paper == key
    } <= claims


@pytest.fixture(scope="module")
def judged():
    return verdicts.judged_papers()


def test_the_criteria_match_their_version():
    """Changed criteria, or rules in the code, need a new version before results are judged by them."""
    assert verdicts.criteria_digest() == verdicts.DIGEST
    stored = json.loads((runner.RESULTS / verdicts.FILE).read_text(encoding="utf-8"))["criteria"]
    assert (stored["version"], stored["digest"]) == (criteria.VERSION, verdicts.DIGEST)


def test_the_digest_of_the_criteria_covers_the_code_of_the_rules(monkeypatch):
    checks = [claim.check for key in runner.papers() for figure in runner.paper(key).figures for claim in figure.claims]
    assert {check.__module__ for check in checks if check} <= set(verdicts.rules())
    rules = ("verdict_rules", "judging", "criteria", "checks", "terrovitis2008.claims", "loukides2010.claims")
    code_of = sources.code_of
    for changed in ["anonset.jobs.trials.growth", *(f"benchmarks.experiments.{rule}" for rule in rules)]:
        monkeypatch.setattr(sources, "code_of", lambda name, changed=changed: code_of(name) + " " * (name == changed))
        assert verdicts.criteria_digest() != verdicts.DIGEST, changed


@pytest.mark.parametrize("key", runner.papers())
@pytest.mark.long
def test_the_pages_depend_only_on_the_results(key, judged):
    """Render without plots: text and plot names depend only on the result files."""
    paper, folder = runner.paper(key), runner.RESULTS / key
    result = runner.results_of(paper)
    page = render.page(paper, result, judged[key], agreement.sentences(key))
    assert (folder / "README.md").read_text(encoding="utf-8") == page
    drawn = {
        plots.file_name(figure)
        for figure in paper.figures
        if any(panel.is_drawn for panel in panels_of.panels_of(figure, judging.results_of_figure(figure, result)))
    }
    assert {path.name for path in folder.iterdir()} == {*drawn, "README.md", *store.FILES}
    assert all(f"({name})" in page for name in drawn)


@pytest.mark.long
def test_the_results_page_counts_the_claims_as_the_page_of_findings_does(judged):
    counts = verdicts.totals({key: judged[key] for key in runner.papers(studies=False)})["paper"]
    lines, judged_on = results_page.overview().splitlines()[2:], set(judging.BASES) - {judging.DERIVED}
    claims = [line.split(" | ") for line in lines if line.startswith("|")]
    cells = [[int(cell) for cell in line[2:9]] for line in claims if line[1] in judged_on]
    assert [sum(column) for column in zip(*cells, strict=True)] == [
        counts.get(verdict, 0)
        for verdict in ("contradicted", "fails", "mixed", "depends on", "no consistent order", "equal", "holds")
    ]
    assert "\n".join(lines) in results_page.PAGE.read_text(encoding="utf-8")


def test_every_commit_on_a_page_is_in_the_history():
    """Results name the commit of their code. A rebase renames commits, so the name must be the final one."""

    def git(*command):
        ran = subprocess.run(["git", *command], cwd=runner.ROOT, capture_output=True, text=True)
        return ran.stdout.split()

    pages = [*runner.ROOT.glob("docs/**/*.md"), *runner.RESULTS.rglob("*.md"), *runner.RESULTS.rglob("*.json")]
    listed = re.compile(r'\bcommits?"?:? (?:(?:, | and )?"?[0-9a-f]{7,40}\b"?)+')
    named = {
        (name, path.relative_to(runner.ROOT).as_posix())
        for path in pages
        for words in listed.findall(" ".join(path.read_text(encoding="utf-8").split()))
        for name in re.findall(r"\b[0-9a-f]{7,40}\b", words)
    }
    assert len({name for name, _ in named}) > 50
    history = git("rev-list", "HEAD")
    known = {one for one in named if any(commit.startswith(one[0]) for commit in history)}
    if git("rev-parse", "--is-shallow-repository") != ["false"] or not known:
        pytest.skip("the history is not here: a shallow clone, or files without their repository")
    assert sorted(named - known) == []


@pytest.mark.long
def test_no_verdict_holds_in_both_directions_or_without_information(judged):
    claims = [one for key in runner.papers(studies=False) for one in judged[key]]
    assert [one.claim.text for one in claims if one.verdict == one.reverse == criteria.HOLDS_IN_WORDS] == []
    judged_ones = [one for one in claims if one.verdict not in (criteria.NOT_TESTABLE, *criteria.AGAINST)]
    assert {one.claim.text for one in judged_ones if one.null} == {
        "AA satisfies none of the utility policies",
        "AA satisfies the 20 utility constraints for no k",
    }
    counts = claim_counts.counts(claims)
    assert counts["orderings"] > 90
    assert counts["about the size of losses or errors, or about violated constraints"] > 60
    assert counts["hold, and also reversed"] == counts["hold, and also without information"] == 0
    for name, n in counts.items():
        assert f"| {name} | {n} |\n" in findings.PAGE.read_text(encoding="utf-8")


class Read(dict):
    """Measured quantities, with the names of those that were read."""

    names: ClassVar[set[str]] = set()

    def __getitem__(self, name):
        self.names.add(name)
        return super().__getitem__(name)


@pytest.mark.long
def test_each_claim_that_reads_losses_or_errors_is_judged_without_information(judged):
    about = cases.LOST, cases.ERRORS, (cases.SUPPRESSED, "utility_violated")
    for key in runner.papers(studies=False):
        chosen = runner.paper(key)
        figures = {
            figure.key: judging.results_of_figure(figure, runner.results_of(chosen)) for figure in chosen.figures
        }
        for one in judged[key]:
            if (one.claim.kind, one.null) == ("paper", None) and one.of:
                drawn = figures[one.key].median(one.claim.factor.draws if one.claim.factor else [""])
                Read.names.clear()
                one.claim.check(Results({point: Read(found) for point, found in drawn.measured.items()}))
                assert Read.names, one.claim.text
                assert not [name for name in Read.names if name.startswith(sum(about, ()))], one.claim.text


@pytest.mark.parametrize("key", runner.papers(studies=False))
def test_the_cases_measured_again_have_a_denominator(key):
    n = sum(check["cases"] + check["drawn"] for check in runner.stored_checks()[key].values())
    assert f" and {n} of {len(runner.results_of(runner.paper(key))):,} cases again " in findings.measured_at(key)


@pytest.mark.long
def test_the_headline_counts_claims_under_one_under_every_and_under_any_reading(judged):
    here, every, kindest = claim_counts.holding(one for key in runner.papers(studies=False) for one in judged[key])
    assert every <= here <= kindest
    counts = verdicts.totals({key: judged[key] for key in runner.papers(studies=False)})["paper"]
    assert here == counts["holds"]
    text = findings.text(judged)
    assert f"**{here} hold** under the reading that each paper's words fix." in text
    assert f"* {here} hold: {every} of them under every reading of the papers, and {kindest} claims" in text
    (since,) = re.findall(rf"Since version (\d+) it is {here}\.", text)
    assert int(since) <= criteria.VERSION
    against = sum(counts[verdict] for verdict in criteria.AGAINST)
    others = sum(counts.values()) - against - here
    limited = rf"\*\*{against} are contradicted or fail\*\*\n\((\d+) of them by a limit of ours; all are\n"
    limited += rf"\d+ different sentences\),\n{others} have"
    (by_our_limit,) = re.findall(limited, text)
    assert 0 < int(by_our_limit) < against
    places = [text.index(f"\n### {head}\n") for head in ("Contradicted", "Fails", "Holds")]
    assert text.index("are contradicted:") < text.index(f"* {here} hold:") < min(places)
    main = re.findall(r"^\| Poulis.*?\| \*\*(contradicted|mixed|equal|holds)", text.split("\n## ")[1], re.M)
    assert main == sorted(main, key=["contradicted", "mixed", "equal", "holds"].index)
    assert set(main) >= {"contradicted", "holds"}
    for of_paper in text.split("\n## ")[1:]:
        heads = re.findall(r"^### (Contradicted|Fails|Mixed|Holds)$", of_paper, re.M)
        assert heads == sorted(heads, key=["Contradicted", "Fails", "Mixed", "Holds"].index)
    mixed = [one for key in runner.papers(studies=False) for one in judged[key] if one.verdict == criteria.MIXED]
    assert f"* {sum(one.claim.kind == 'paper' for one in mixed)} are mixed: " in text
    assert all(one.claim.kind == "own" or f"{one.claim.text}" in text for one in mixed)
    claims = [one for key in runner.papers(studies=False) for one in judged[key] if judging.is_work(one.claim)]
    n = sum(one.verdict in criteria.AGAINST for one in claims)
    assert 0 < n < len(claims)
    assert f"For\n  {n} of these claims, the paper speaks of time or cost" in text
    assert not any(one.verdict != criteria.SHOWN for key in judged for one in judged[key] if judging.is_time(one.claim))


@pytest.mark.long
def test_a_claim_about_all_positions_names_those_that_were_measured(judged):
    """MM was not run up to the paper's m=7 on the bills, and the claim about all m holds there."""
    text = findings.text(judged)
    claim = "MM has the highest loss for all m from 2 on"
    for figure, positions in (("bills in place of POS", "1, 2, 3"), ("products in place of AOL", "1, 2, 3, 5, 7")):
        assert re.search(rf"\| Fig. 3., {figure} \| {claim} \(measured at m = {positions}\)", text)
    assert "| COAT's UL is below AA's for all k (measured at k = 2, 5, 10, 25, 50) **depends" in text
    assert "| RM_T and RM_RT have the same UL as their baselines **contradicted" in text, "every bound was measured"
    assert "| AA has the second highest loss in general **" in text, "other claims show no positions"


@pytest.mark.studies
def test_repeating_measures_all_requested_cases():
    chosen = runner.paper("scaling")
    figure = chosen.figures[0].key
    due, all_of_it = (runner.plan(chosen, figures=[figure], again=repeated) for repeated in (False, True))
    assert len(all_of_it.due) == len(due.due) + due.there
    assert {case.figure for case in all_of_it.due} == {figure}
    assert all_of_it.there == 0


@pytest.mark.long
def test_the_verdicts_and_the_findings_are_written_from_the_results(judged):
    assert (runner.RESULTS / verdicts.FILE).read_text(encoding="utf-8") == verdicts.text(judged)
    assert findings.PAGE.read_text(encoding="utf-8") == findings.text(judged)
    assert inventory.PAGE.read_text(encoding="utf-8") == inventory.text(judged)
    assert negatives.PAGE.read_text(encoding="utf-8") == negatives.text(judged)


@pytest.mark.long
def test_the_page_about_failed_claims_states_that_it_is_a_selection(judged):
    claims = [one for key in runner.papers(studies=False) for one in judged[key] if one.claim.kind == "paper"]
    failed = [one for one in claims if one.verdict in criteria.NOT_MET]
    chosen = {(figure, text) for negative in negatives.NEGATIVES for _, figure, text in negative.claims}
    explained = [one for one in failed if (one.key, one.claim.text) in chosen]
    assert 0 < len(explained) < len(failed)
    assert f"it explains {len(explained)} of the\n{len(failed)} claims that fail" in negatives.text(judged)
    contradicted = [one for one in failed if one.verdict == criteria.CONTRADICTED and one.basis == judging.SUBSTITUTE]
    assert f"no repetition meets them. {len(contradicted)} of\n  these are measured on" in findings.text(judged)


@pytest.mark.parametrize(
    ("values", "linear"),
    [
        ([7, 25, 205], True),  # 5 + 2 x
        ([7, 25 * 1.15, 205], True),
        ([7, 25 * 1.3, 205], False),  # far from the line
        ([7, 16, 106], True),  # 6 + x
        ([100.1, 101, 109], False),  # hardly grows
        ([1, 100, 10_000], False),  # quadratic
        ([9, 3, 1], False),  # falls
    ],
)
def test_linear_growth_is_a_line_with_fixed_costs(values, linear):
    assert grows_linearly(zip((1, 10, 100), values, strict=True))[0] is linear


def test_exponent_spread_and_rises_of_known_curves():
    assert exponent([(10, 5.0), (20, 10.0), (40, 20.0)]) == pytest.approx(1.0)
    assert spread([2.0, 1.0, 4.0]) == 4
    assert rise([4.0, 1.0, 2.0]) == 2, "a fall is no growth"
    assert rises([1.0, 0.95, 2.0], slack=0.1)
    assert not rises([1.0, 0.95, 2.0])
    assert not rises([1.0, 0.95, 0.87], slack=0.1), "slack does not add up"


def naive_tree(rows, hierarchy, size, image=None) -> int:
    """Count the nodes of the count-tree as prefixes of rank-ordered sets. With an image, only sets of `size`."""
    leaf_node = hierarchy.leaf_node
    entry = leaf_node if image is None else image
    generalized = {v for node in entry for v in range(node + 1, hierarchy.subtree_end[node])}
    above = {v: set(hierarchy.ancestors(v)) for v in range(hierarchy.n_nodes)}
    codes = [[hierarchy.leaves.index[x] for x in row] for row in rows]
    original = [set().union(*({leaf_node[c], *above[leaf_node[c]]} for c in row)) - {0} for row in codes]
    support = {v: sum(v in record for record in original) for v in above}
    prefixes = set()
    for record in original:
        order = sorted(record - generalized, key=lambda v: (-support[v], v))
        for length in range(1, size + 1) if image is None else (size,):
            for chosen in combinations(order, length):
                if not any(b in above[a] or a in above[b] for a, b in combinations(chosen, 2)):
                    prefixes |= {chosen[: i + 1] for i in range(length)}
    return len(prefixes)


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_count_tree_nodes_equal_a_naive_count(size):
    random = np.random.default_rng(size)
    domain = [str(i) for i in range(70)]
    hierarchy = Hierarchy.balanced(domain, 3)
    rows = [[domain[i] for i in random.choice(70, random.integers(0, 6), replace=False)] for _ in range(25)]
    rows.append(domain[:9])
    column = hierarchy.bind(SetColumn.of(rows, universe=domain))
    assert tree_nodes(column, hierarchy, size) == naive_tree(rows, hierarchy, size)
    image = hierarchy.leaf_node.copy()
    for node in (hierarchy.parent[image[4]], hierarchy.parent[hierarchy.parent[image[40]]]):
        image[hierarchy.leaf_lo[node] : hierarchy.leaf_hi[node]] = node
    assert tree_nodes(column, hierarchy, size, cut=image) == naive_tree(rows, hierarchy, size, image)
    assert tree_nodes(column, hierarchy, size, limit=1) is None


@pytest.mark.studies
def test_results_are_current_if_declared_cases_agree(place, monkeypatch):
    (place / "mended").touch()
    chosen, results, again = runner.paper("made.up"), place / "results", place / "again"
    runner.run("made.up", results=results)
    runner.run("made.up", figures=("squares",), results=again)
    monkeypatch.setattr(runner, "is_fresh", lambda *_: False)  # the code has changed since the tracked results
    due = {case.figure for case in runner.plan(chosen, results=results).due}
    assert (due, runner.checks_of(chosen, results).confirmed) == ({"squares", "third"}, set())
    assert agreement.store_figures("made.up", "c2", again, there=results) == []
    assert runner.checks_of(chosen, results).confirmed == {"squares"}, "the other figure was not measured again"
    assert {case.figure for case in runner.plan(chosen, results=results).due} == {"third"}

    with monkeypatch.context() as other:
        other.setattr(runner.sources, "code_of", lambda module: f"other code of {module}")
        assert runner.checks_of(chosen, results).confirmed == set()
    with monkeypatch.context() as other:  # code that no case of the figure loads
        loaded, code_of = runner.stored_checks(results)["made.up"]["squares"]["modules"], sources.code_of
        assert "anonset.errors" in loaded
        other.setattr(runner.sources, "code_of", lambda module: code_of(module) if module in loaded else "other code")
        assert runner.checks_of(chosen, results).confirmed == {"squares"}
    with monkeypatch.context() as other:
        other.setattr(runner.sources, "digest", lambda *_: "other data")
        assert runner.checks_of(chosen, results).confirmed == set()

    changed = result(place, "squares", "a", 2, "") | {"measured": {"ncp": 0.3}}
    store.save(results / "made.up", [changed], {case.key for case in chosen.cases})
    assert {str(difference) for difference in agreement.store_figures("made.up", "c2", again, there=results)} == {
        "squares a 2: ncp None, expected 0.3"
    }
    assert runner.checks_of(chosen, results).confirmed == set()


@pytest.mark.studies
def test_a_run_signs_what_it_has_measured_and_no_changed_result(place):
    (place / "mended").touch()
    chosen, results = runner.paper("made.up"), place / "results"
    every = {case.key for case in chosen.cases}

    def run() -> runner.Checks:
        before = runner.checks_of(chosen, results)
        runner.run("made.up", results=results)
        agreement.sign(before, "c1", results)
        return runner.checks_of(chosen, results)

    signed = run()
    assert (signed.confirmed, signed.altered, signed.unsigned) == ({"squares", "third"}, set(), set())
    key = ("squares", "a", 2, "")
    changed = result(place, *key) | {"measured": {"ncp": 0.3}}
    store.save(results / "made.up", [changed], every - {("squares", "a", 1, ""), ("third", "a", 3, "")})
    calls(place)
    found = run()
    assert calls(place) == ["prepared", "1", "3"], "the changed case is not measured again"
    assert (found.altered, found.confirmed) == ({"squares"}, {"third"})
    (results / runner.REPEATED).unlink()
    store.save(results / "made.up", [], every - {("squares", "a", 1, "")})
    assert run().outcomes == {}, "the changed case was neither checked nor measured"


def test_cases_with_claimed_costs_are_not_declared():
    cases = [Case("f", "a", x, {"x": x}, cost=cost) for x, cost in enumerate(("", "time", "memory"))]
    paper = Paper("p", "A paper", [Figure("f", "Fig. 1", "x", {}, [*cases, Case("g", "a", 4, {"x": 4})])], dict)
    assert [case.x for case in runner.declared(paper)] == [0, 4]
    assert [case.x for case in runner.declared(paper, ["f"])] == [0]
    assert [case.x for case in runner.declared(replace(paper, study=True), ["f"])] == [0, 1, 2]


def test_the_quick_subset_is_given_by_positions_and_curves():
    cases = [Case("f", series, x, {"x": x}) for series in "ab" for x in (1, 2)]
    paper = Paper("p", "A paper", [Figure("f", "Fig. 1", "x", {}, cases, quick=(2, "a"))], dict)
    assert [case.slug for case in paper.quick_cases()] == ["f-a-1", "f-a-2", "f-b-2"]


def test_claimed_costs_are_due_after_a_change_of_the_code(tmp_path, monkeypatch):
    cases = [Case("f", "a", x, {"x": x}, cost=cost) for x, cost in enumerate(("", "time", "memory"))]
    paper = Paper("p", "A paper", [Figure("f", "Fig. 1", "x", {}, cases)], dict)
    monkeypatch.setattr(runner, "results_of", lambda *_: {case.key: {"measured": {"n": 1}} for case in cases})
    monkeypatch.setattr(runner, "is_fresh", lambda *_: False)
    monkeypatch.setattr(runner.Checks, "confirmed", {"f"})
    assert [case.x for case in runner.plan(paper, results=tmp_path).due] == [1, 2]
