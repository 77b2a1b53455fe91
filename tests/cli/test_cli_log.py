"""`--log-format json` logs lines for programs without labels of the data. Exit codes match the last line."""

import hashlib
import re
import threading
from pathlib import Path
from typing import Any

import pytest
from tests.facts import names

from anonset.cli import log
from anonset.cli.log import JsonLog
from anonset.cli.main import exit_code
from anonset.errors import AnonsetError, InfeasibleError, InputError, UndecidedError, VerificationError
from anonset.release.stopwatch import COMPILING
from anonset.strict_json import loads
from cli.place import Place, Ran

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "pipelines.md").read_text("utf-8")
FIELDS = {
    "start": {"schema", "version", "command", "run_id"},
    "progress": {"stage", "done", "total"},
    "message": {"level", "message"},
    "end": {"exit_code", "seconds", "run_id"},
}
RESULTS = {"verdict", "records", "losses", "peak_memory", "phases", "out", "sha256"}
MARK = "X-4711"


def lines_of(err: str) -> list[dict[str, Any]]:
    """Return the events of a log, each validated against the documented schema."""
    result = [loads(line) for line in err.splitlines()]
    for one in result:
        required = {"code", "exit_code"} if one.get("level") == "error" else set()
        more = set(one) & {"column", "line", "row", "count"} if required else set()
        more |= set(one) & RESULTS if "exit_code" in one else set()
        more |= set(one) & {"tasks"} if one["event"] == "progress" else set()
        assert set(one) == {"time", "event", *FIELDS[one["event"]], *required, *more}
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", one["time"])
    assert [i for i, one in enumerate(result) if one["event"] == "start"] == [0]
    assert [i for i, one in enumerate(result) if one["event"] == "end"] == [len(result) - 1]
    return result


def logged(ran: Ran) -> list[dict[str, Any]]:
    result = lines_of(ran.err)
    assert result[-1]["exit_code"] == ran.code
    return result


def test_a_finished_job_logs_its_stages(place: Place) -> None:
    ran = place.run(*place.job("--log-format", "json", "--order", "input"))
    result = logged(ran)
    assert result[0]["command"] == "anonymize"
    for event, stage in zip(result[1:3], ("prepare", "read"), strict=True):  # the former is repeated if it takes long
        assert {"stage": stage, "done": 0, "total": None}.items() <= event.items()
    assert [event["level"] for event in result if event["event"] == "message"] == ["warning"]
    assert "verdict" in ran.out
    stages = [event for event in result if event["event"] == "progress" and event["stage"] != COMPILING]
    assert any({"stage": "itemsets of size 2", "done": 5, "total": 5}.items() <= event.items() for event in stages)
    phases = [
        "read",
        "hierarchies",
        "search",
        "apply",
        "measure",
        "write",
        "read back",
        "verify",
        "scan",
        "fingerprint",
        "complete",
    ]
    assert [stage for stage in dict.fromkeys(event["stage"] for event in stages) if stage in phases] == phases
    assert not any(label in event["stage"] for event in stages for label in ("a1", "a2", "b1", "b2"))


def test_the_last_line_describes_the_publication(place: Place) -> None:
    ran = place.run(*place.job("--log-format", "json", "--json"))
    end = logged(ran)[-1]
    assert (end["verdict"], end["records"], end["out"]) == ("holds", ran.json["records"], str(place.out))
    assert end["losses"] == ran.json["measures"]
    assert end["peak_memory"] > 1 << 20
    files = {path.relative_to(place.out).as_posix(): path for path in place.out.rglob("*") if path.is_file()}
    assert end["sha256"] == {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in files.items()}
    resumed = logged(place.run(*place.job("--log-format", "json", "--if-exists", "resume")))[-1]
    outcome = {name: end[name] for name in ("verdict", "out", "sha256")}
    assert {name: resumed[name] for name in RESULTS & set(resumed)} == outcome


def test_the_last_line_of_a_failed_job_has_no_result(place: Place) -> None:
    end = logged(place.run(*place.job("--log-format", "json", "--items", "none")))[-1]
    assert not RESULTS & set(end)


def test_the_last_line_has_the_times_of_the_phases(place: Place) -> None:
    ran = place.run(*place.job("--log-format", "json", "--json"))
    events = logged(ran)
    phases = [phase for phase in events[-1]["phases"] if phase["phase"] != COMPILING]
    assert [phase["phase"] for phase in phases] == [phase for phase in ran.json["seconds"] if phase != COMPILING]
    assert sum(phase["seconds"] for phase in phases) <= events[-1]["seconds"]
    assert all(phase["cpu_seconds"] >= 0 for phase in phases)
    assert sum(phase["cpu_seconds"] for phase in phases) > 0


@pytest.mark.long
@pytest.mark.compiled
def test_the_last_line_has_the_resources_of_workers(place: Place) -> None:
    job = place.job("--algorithm", "apriori", "--log-format", "json", "--work-dir", str(place.out) + ".work")
    events = logged(place.run(*job, "--cluster", "local:1"))
    phases = {phase["phase"]: phase for phase in events[-1]["phases"]}
    on_workers = {name: phase["tasks"] for name, phase in phases.items() if "tasks" in phase}
    assert {"search", "verify", "complete"} <= set(on_workers)
    assert "cluster" not in on_workers  # no task yet
    assert any(usage["bytes_sent"] for usage in on_workers.values())
    for usage in on_workers.values():
        assert usage["count"] > 0
        assert 0 < usage["cpu_seconds"] < 100
        assert 1 << 20 < usage["peak_memory"] < 1 << 34
        assert 0 <= usage["bytes_sent"] < 1 << 20  # 0 if all messages of the phase exceed 1 KiB, and are files
    assert all(name in PAGE for usage in on_workers.values() for name in usage)
    assert sum(usage["bytes_read"] for usage in on_workers.values()) > 0
    lines = [event for event in events if event["event"] == "progress"]
    so_far = [event["tasks"]["count"] for event in lines if "tasks" in event]
    assert "tasks" not in lines[0]
    assert so_far == sorted(so_far)
    complete = sum(usage["count"] for usage in on_workers.values()) - on_workers["complete"]["count"]
    assert next(event["tasks"]["count"] for event in lines if event["stage"] == "complete") == complete


def test_each_run_has_an_id(place: Place) -> None:
    ids = []
    for more in ((), ("--if-exists", "resume")):
        events = logged(place.run(*place.job("--log-format", "json", *more)))
        assert events[0]["run_id"] == events[-1]["run_id"]
        ids.append(events[0]["run_id"])
    assert len({*ids}) == 2


def test_a_long_stage_is_repeated_until_the_end(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(log, "_EVERY", 0.001)
    monkeypatch.setattr(log, "_LONGEST_SILENCE", 0.002)
    written, repeated = [], threading.Event()

    def write(self: JsonLog, stage: str, done: float, total: float) -> None:
        written.append((stage, done, total))
        if len(written) == 3:
            repeated.set()

    monkeypatch.setattr(JsonLog, "_write_progress", write)
    made = JsonLog("anonymize", "1")
    made.start()
    made.progress("search", 1, 2)
    assert repeated.wait(60)
    made.end(0)
    assert {*written} == {("search", 1, 2)}
    assert [loads(line)["event"] for line in capsys.readouterr().err.splitlines()] == ["start", "end"]


def test_the_option_may_have_any_position_and_quiet_hides_progress(place: Place) -> None:
    ran = place.run("--log-format=json", *place.job("--quiet"))
    assert [event["event"] for event in logged(ran)] == ["start", "end"]
    assert ran.out == ""
    repeated = place.run("verify", str(place.out), "--json", "--log-format", "json")
    assert logged(repeated)[0]["command"] == "verify"
    assert repeated.json["verdict"] == "holds"
    assert place.run("verify", str(place.out), "--log-format", "text").err == ""


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("anonymise",), "anonymise anonymize"),
        (("anonymize", "--itms", "x"), "--itms --items"),
        (("anonymize", "none.dat", "--k", "x"), "--k integer x"),
        (("hierarchy", "print", "none.csv"), "none.csv"),
    ],
)
def test_invalid_options_are_log_lines(place: Place, given: tuple[str, ...], said: str) -> None:
    ran = place.run(*given, "--log-format", "json")
    _, error, end = logged(ran)
    assert (error["level"], error["exit_code"], end["exit_code"]) == ("error", 2, 2)
    assert names(error["message"], said)


@pytest.mark.parametrize("given", [("--log-format", "xml"), ("--log-format",), ("--log-format=",)])
def test_other_formats_are_refused(place: Place, given: tuple[str, ...]) -> None:
    ran = place.run(*place.job(*given))
    assert (ran.code, place.nothing_left()) == (2, True)
    assert names(ran.err, "--log-format text json")


def test_a_misspelt_option_is_recognised(place: Place) -> None:
    assert names(place.run(*place.job("--log-fromat", "json")).err, "--log-fromat --log-format")


LABELS: dict[str, dict[str, str]] = {
    "missing in the hierarchy": {"data.dat": f"a1 {MARK}\n{MARK}2\n"},
    "two parents": {"hierarchy.csv": f"a1,{MARK},ALL\na2,A,ALL\nb1,{MARK},ALL\na1,B,ALL\n"},
    "a cycle": {"hierarchy.csv": f"a1,{MARK},B,{MARK},ALL\na2,A,B,A,ALL\n"},
    "two roots": {"hierarchy.csv": f"a1,A,ALL\na2,A,ALL\nb1,B,{MARK}\nb2,B,ALL\n"},
    "a leaf that is a node": {"hierarchy.csv": f"{MARK},A,ALL\na2,{MARK},ALL\n"},
    "a label that the format cannot carry": {
        "hierarchy.csv": f"a1,A {MARK},ALL\na2,A {MARK},ALL\nb1,B,ALL\nb2,B,ALL\n"
    },
    "an apostrophe": {"data.dat": f"a1 it's{MARK}\n"},
    "both quotes": {"data.dat": f"a1 it's\"{MARK}\n"},
}


@pytest.mark.parametrize("case", LABELS)
def test_the_log_contains_no_label_of_the_data(place: Place, case: str) -> None:
    for name, text in LABELS[case].items():
        place.write(name, text)
    ran = place.run(*place.job())
    assert (ran.code, MARK in ran.err) == (2, True)
    ran = place.run(*place.job("--log-format", "json"))
    assert MARK not in ran.err
    assert "…" in logged(ran)[-2]["message"]


NUMBER = "3017"  # as part of `5.3017` it is too short to resemble an id, which messages hide
RUN_ID = re.compile(r'"run_id": "[0-9a-f]+"')
SMUGGLED = [f"{begin}{NUMBER}" for begin in ("--k.", "k.", "5.", "km/", "codes.", "--items/", "safe.", "--k=")]
"""Labels that equal or begin like command arguments."""
FAULTS: dict[str, tuple[str, str, str]] = {
    "missing in the hierarchy": ("codes\n{0}\na1\n", "km --m 2 --hierarchy codes=FILE", "a1,A,ALL\na2,A,ALL\n"),
    "two parents": ("codes\n{0}\n", "km --m 2 --hierarchy codes=FILE", "{0},A,ALL\na2,A,ALL\n{0},B,ALL\n"),
    "above itself": ("codes\n{0}\n", "km --m 2 --hierarchy codes=FILE", "a1,{0},B,{0},ALL\n"),
    "a second root": ("codes\na1\n", "km --m 2 --hierarchy codes=FILE", "a1,ALL\na2,ALL\na3,{0}\na4,ALL\n"),
    "no number": (
        "codes,age\na1,5\na1,{0}\n",
        "kkm --m 2 --algorithm rfirst --transaction coat --relational age --numeric age",
        "",
    ),
    "no date": (
        "codes,age\na1,2020-02-02\na1,{0}\n",
        "kkm --m 2 --algorithm rfirst --transaction coat --relational age --hierarchy age=date:year",
        "",
    ),
    "in no group": ("codes\na1 {0}\n", "constraints --m 2 --algorithm coat --utility-constraints FILE", "a1\n"),
    "twice in a line": ("codes\na1\n", "constraints --algorithm coat --privacy-constraints FILE", "{0} {0}\n"),
    "of no item": ("codes\na1\n", "constraints --algorithm coat --privacy-constraints FILE", "{0}\n"),
    "too few records": ("codes\na1 {0}\n{0}\n", "constraints --m 2 --algorithm pcta", ""),
    "a comma": ('codes\n"a1 {0},x"\n', "constraints --m 2 --algorithm pcta", ""),
    "an open quote": ('codes\n{0}\n"{0}\n', "constraints --m 2 --algorithm pcta", ""),
    "a field too many": ("codes\n{0}\n{0},{0}\n", "constraints --m 2 --algorithm pcta", ""),
    "too frequent": ("codes\n" + "a1 {0}\n" * 6, "lm --m 1 --l 2 --sensitive-items={0}", ""),
    "not in the data": ("codes\na1\n", "lm --m 1 --l 2 --sensitive-items={0}", ""),
}


@pytest.mark.long
@pytest.mark.parametrize("label", SMUGGLED)
def test_labels_that_look_like_arguments_are_withheld(place: Place, label: str) -> None:
    """The log never contains the label. Messages for people may name it."""
    shown_to_people = 0
    for i, (data, arguments, tree) in enumerate(FAULTS.values()):
        source = place.write(f"data{i}.csv", data.replace("{0}", label))
        beside = place.write(f"file{i}.csv", tree.replace("{0}", label))
        model, *more = (word.replace("FILE", beside).replace("{0}", label) for word in arguments.split())
        fixed = ["--model", model, "--items", "codes", "-o", str(place.folder / f"safe{i}"), "--k", "5"]
        ran = place.run("anonymize", source, *fixed, *more, "--log-format", "json")
        assert ran.code in (1, 2), (data, ran.err)
        assert NUMBER not in RUN_ID.sub("", ran.err), data
        refused = "requires --|--model or --algorithm|does not apply|unknown option|guarantees the model"
        assert not re.search(refused, logged(ran)[-2]["message"])
        shown_to_people += NUMBER in place.run("anonymize", source, *fixed, *more).err
    assert shown_to_people >= 10


def test_no_witness_is_shown(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    from anonset.algorithms.base import Result
    from anonset.algorithms.transaction.cuts.apriori import Apriori
    from anonset.generalization import Cut

    monkeypatch.setattr(Apriori, "recode", lambda _, __, trees, **___: Result(Cut.identity(trees["items"])))
    ran = place.run(*place.job("--algorithm", "apriori", "--log-format", "json"))
    error_event = logged(ran)[-2]
    assert (ran.code, error_event["exit_code"]) == (1, 1)
    assert "fails: {…} matches 1 record, 2 required" in error_event["message"]


def test_the_witness_of_an_infeasible_search_is_not_logged(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    name, reason = "lm-apriori", "the set is always sensitive"

    def fail(*_: Any, **__: Any) -> None:
        raise InfeasibleError(name, reason, f"{MARK}, b")

    monkeypatch.setattr("anonset.algorithms.transaction.cuts.apriori.Apriori.recode", fail)
    job = place.job("--algorithm", "apriori")
    assert f"({MARK}, b)" in place.run(*job).err
    ran = place.run(*job, "--log-format", "json")
    assert logged(ran)[-2]["message"] == "lm-apriori: the set is always sensitive (…)"


def test_progress_is_logged_about_once_a_second(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]
    monkeypatch.setattr("anonset.cli.log.time.monotonic", lambda: now[0])
    log = JsonLog(None, "1")
    log.start()
    for done in range(1000):
        now[0] = done / 100
        log.progress("search", done, float("inf") if done < 500 else 999.0)
    log.progress("loss proven to be least", 1, 2)
    log.end(0)
    result = [event for event in lines_of(capsys.readouterr().err) if event["event"] == "progress"]
    assert [event["done"] for event in result] == [*range(0, 1000, 100), 999, 1]
    assert [event["total"] for event in result] == [None] * 5 + [999] * 6 + [2]
    assert result[-1]["stage"] == "loss proven to be least"


@pytest.mark.long
@pytest.mark.compiled
def test_a_defect_and_an_interruption_are_lines(place: Place) -> None:
    from cli.test_cli_process import RUN, USUAL, python

    trap = "from anonset.cli import app, main\ndef fail(_): raise KeyError('X-' + '4711')\napp.run_command = fail\n"
    ran = python(trap + RUN, "verify", "out", "--log-format", "json")
    *_, error, end = [loads(line) for line in ran.stderr.splitlines()]
    assert (ran.returncode, error["exit_code"], end["exit_code"]) == (70, 70, 70)
    assert error["defect"] == "KeyError"
    assert MARK not in ran.stderr
    trap = (
        "import signal\nfrom anonset.cli import app\napp.run_command = lambda _: signal.raise_signal(signal.SIGINT)\n"
    )
    ran = python(USUAL + trap + RUN, "verify", "out", "--log-format", "json")
    assert lines_of(ran.stderr)[-1]["exit_code"] == ran.returncode == 130


class Holds:
    def __str__(self) -> str:
        return "holds"


CODES: dict[BaseException, int] = {
    InputError("x"): 2,
    OSError(28, "No space left on device"): 2,
    MemoryError(): 2,
    AnonsetError("x"): 2,
    InfeasibleError("exact", "x"): 1,
    VerificationError(Holds()): 1,
    UndecidedError(Holds()): 3,
    KeyboardInterrupt(): 130,
    KeyboardInterrupt(15): 143,
}


def test_the_page_names_every_exit_code() -> None:
    from anonset.cli import exit_codes, main

    named = {int(code) for code in re.findall(r"^\| (\d+) \|", PAGE, re.MULTILINE)}
    codes = {code for name, code in vars(exit_codes).items() if name.isupper()}
    assert named == codes | {main._DEFECT, main._BY_SIGNAL + main._SIGINT}
    assert {error: exit_code(error) for error in CODES} == CODES
    assert {code for code in CODES.values() if code != 143} <= named


def test_the_page_shows_lines_as_they_are_written() -> None:
    shown = re.search(r"```json\n(.*?)```", PAGE, re.DOTALL)
    assert shown is not None
    assert {event["event"] for event in lines_of(shown[1])} == set(FIELDS)
    rows = dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", PAGE, re.MULTILINE))
    assert {event: set(re.findall(r"`(\w+)`", rows[event])) & fields for event, fields in FIELDS.items()} == FIELDS
