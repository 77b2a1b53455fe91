"""The state of the page: files of the chosen folder only, and changes of the job file."""

import asyncio
import itertools
import json
import subprocess
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from anonset.errors import Fix, InputError, datum

pytest.importorskip("tomlkit", reason="of the group test")

from anonset.privacy.disassociation import DisassociationModel
from anonset.settings.edits import edited
from anonset.settings.job import Job
from anonset.settings.job_changes import changed_job
from anonset.settings.job_files import read_job
from anonset.settings.model_choices import obstacle, with_model
from anonset.ui.child import PageLog
from anonset.ui.state import choices, steps
from anonset.ui.state.command_runs import CANCELLED, CommandRun
from anonset.ui.state.examination import Examination
from anonset.ui.state.folder import Folder, replacement
from anonset.ui.state.page_state import PageState

JOB = """# written by hand
input = "visits.csv"
out = "safe"
unit = "?"
model = "km"  # my choice
k = 2
m = 2

[unit_is."row"]
items = ["codes"]
drop = ["who"]
[unit_is."row".hierarchy]
"codes" = "halves:frequency"

[unit_is."who"]
items = ["codes"]
keep = ["ward"]
group = true
hierarchy = {codes = "halves:frequency"}
"""


def test_a_screen_reads_the_job_file_once_unless_the_page_changes_it(tmp_path: Path) -> None:
    state, job = PageState(Folder(tmp_path)), tmp_path / "job.toml"
    state.job = job
    job.write_text(JOB)
    with state.reader.once():
        assert state.stated.settings["k"] == state.raw["k"] == 2
        job.write_text(JOB.replace("k = 2", "k = 3"))  # another program
        assert state.stated.settings["k"] == state.raw["k"] == 2
        state.write(Job({"m": 1}))
        assert (state.stated.settings["k"], state.raw["m"]) == (3, 1)
    job.write_text(JOB.replace("k = 2", "k = 4"))
    assert state.stated.settings["k"] == 4


def opened(folder: Path, text: str, name: str = "job.toml") -> None:
    (folder / name).write_text(text)

    async def open_job() -> None:
        state = PageState(Folder(folder))
        try:
            state.open(name)
        finally:
            await state.end()

    asyncio.run(open_job())


@pytest.mark.parametrize(
    "line",
    [
        'input = "../outside.csv"',
        'input = "{parent}/outside.csv"',
        'input = "link.csv"',
        'input = "s3://bucket/visits.csv"',
        'input = "visits.csv"\nout = "../safe"',
        'input = "visits.csv"\nprivate = "/tmp/safe.private"',
        'input = "visits.csv"\n[hierarchy]\ncodes = "../codes.csv"',
        'input = "visits.csv"\n[hierarchy]\ncodes = "refine:../codes.csv"',
        'input = "visits.csv"\nsensitive_items = ["@../list.txt"]',
    ],
)
def test_a_job_with_a_path_outside_of_the_folder_is_rejected(tmp_path: Path, line: str) -> None:
    folder = tmp_path / "chosen"
    folder.mkdir()
    (tmp_path / "outside.csv").write_text("codes\nE10\n")
    (folder / "visits.csv").write_text("codes\nE10\n")
    (folder / "link.csv").symlink_to(tmp_path / "outside.csv")
    with pytest.raises(InputError, match="outside of"):
        opened(folder, line.replace("{parent}", str(tmp_path)))


def test_data_outside_of_the_folder_are_not_opened(tmp_path: Path) -> None:
    (tmp_path / "outside.csv").write_text("codes\nE10\n")
    (tmp_path / "chosen").mkdir()
    with pytest.raises(InputError, match="outside of"):
        PageState(Folder(tmp_path / "chosen")).open("../outside.csv")


def test_a_job_file_of_other_data_is_not_used(tmp_path: Path) -> None:
    (tmp_path / "visits.toml").write_text('input = "other.csv"\n')
    (tmp_path / "visits.csv").write_text("codes\nE10\n")
    with pytest.raises(InputError, match="other data"):
        PageState(Folder(tmp_path)).open("visits.csv")


def test_changes_keep_comments_and_other_answers(tmp_path: Path) -> None:
    text = changed_job(JOB, {"unit": "row"})
    job = Job({"items": ["codes"], "drop": ["who"]})
    changes = job.changes(edited(job, Job({"relational": ["who"]})))
    text = changed_job(text, {"k": 7, **changes})
    text = changed_job(text, {"hierarchy": {"who": "values"}, "numeric": ["who"], "seed": 1})
    assert "# written by hand" in text
    assert 'model = "km"  # my choice' in text
    (tmp_path / "job.toml").write_text(text)
    job = read_job(str(tmp_path / "job.toml"))
    assert (job["k"], job["seed"], job["items"], job["relational"]) == (7, 1, ["codes"], ["who"])
    assert ("drop" in job, job["numeric"]) == (False, ["who"])
    assert job["hierarchy"] == {"codes": "halves:frequency", "who": "values"}
    (tmp_path / "job.toml").write_text(changed_job(text, {"unit": "who"}))
    assert read_job(str(tmp_path / "job.toml"))["keep"] == ["ward"]


def test_a_role_replaces_the_sensitive_column_and_its_hierarchy() -> None:
    job = {"relational": ["age"], "sensitive": "hiv", "numeric": ["age"], "hierarchy": {"age": "range"}}
    changes = Job(job).changes(edited(Job(job), Job({"sensitive": ["age"]})))
    assert changes == {
        "drop": ["hiv"], "relational": None, "sensitive": "age", "hierarchy": {"age": None}, "numeric": None,
    }  # fmt: skip


def test_a_column_of_a_pattern_can_have_another_role() -> None:
    job = Job({"one_hot": ["dx_*"], "present": "yes"})
    assert edited(job, Job({"drop": ["dx_1"]})).settings == {**job.settings, "drop": ["dx_1"]}


def test_models_are_offered_only_if_they_fit_the_roles() -> None:
    job = Job({"items": ["codes"], "relational": ["age"], "model": "kkm", "algorithm": "joint-split", "k": 9, "m": 1})
    assert [model for model in ("km", "k", "kl", "kkm") if not obstacle(model, job)] == ["kkm"]
    assert [model for model in ("km", "k", "kl", "kkm") if not obstacle(model, Job({"items": "codes"}))] == ["km"]
    assert not obstacle("kl", Job({"relational": ["age"], "sensitive": "hiv"}))
    assert "sensitive" not in obstacle("kl", Job({"sensitive": "hiv"}))
    assert job.changes(with_model(job, "km")) == {"algorithm": None, "model": "km"}
    assert job.changes(with_model(job, "kl")) == {"algorithm": None, "l": 2, "m": None, "model": "kl"}


@pytest.mark.parametrize("ends_of_the_server", [0, 1, 2])
@pytest.mark.long
def test_a_cancelled_run_leaves_nothing(tmp_path: Path, ends_of_the_server: int) -> None:
    rows = "\n".join(f"a{n % 97} b{n % 89} c{n % 83} d{n % 79}" for n in range(60_000))
    (tmp_path / "baskets.dat").write_text(rows)
    run = CommandRun(
        ["anonymize", "baskets.dat", "--hierarchy", "items=balanced:2", "--model", "km", "--k", "5", "--m", "3",
         "--algorithm", "exact", "--out", "safe"],
        tmp_path,
    )  # fmt: skip

    async def cancel_in_the_middle() -> int:
        task = asyncio.create_task(run.finish())
        while run.stage == "start" and not task.done():
            await asyncio.sleep(0.02)
        if not ends_of_the_server:
            await run.cancel()
            return await task
        for _ in range(ends_of_the_server):
            task.cancel()
            await asyncio.sleep(0.01)  # the command is ending
        with suppress(asyncio.CancelledError):
            await task
        return CANCELLED

    assert asyncio.run(cancel_in_the_middle()) == CANCELLED
    assert run._process is not None
    assert run._process.returncode is not None
    assert {path.name for path in tmp_path.iterdir()} == {"baskets.dat"}
    assert run.output == ""


@pytest.mark.parametrize("steps", [1, 3])
def test_a_command_that_begins_while_the_event_loop_closes_does_not_block(tmp_path: Path, steps: int) -> None:
    code = f"""
import asyncio, pathlib
from anonset.ui.state.command_runs import CommandRun

async def begin():
    run = CommandRun(["inspect", "visits.csv"], pathlib.Path())
    task = asyncio.create_task(run.finish())
    for _ in range({steps}):
        await asyncio.sleep(0)
    assert run.code is None

asyncio.run(begin())
"""
    subprocess.run([sys.executable, "-W", "error", "-c", code], cwd=tmp_path, check=True, timeout=60)


@pytest.mark.parametrize("text", ["x" * 5000, "7", "[]"])
def test_text_of_libraries_among_the_messages_is_ignored(tmp_path: Path, text: str) -> None:
    run = CommandRun([], tmp_path)

    async def follow() -> None:
        stream = asyncio.StreamReader(1000)
        error = {"event": "message", "level": "error", "message": "k is too large", "fixes": []}
        stream.feed_data(f"{text}\n{json.dumps(error)}\n".encode())
        stream.feed_eof()
        await run._follow(stream)

    asyncio.run(follow())
    assert run.errors == ["k is too large"]


def test_the_log_of_the_page_shows_values_to_the_owner(capsys: pytest.CaptureFixture[str]) -> None:
    log = PageLog()
    for done in (1, 2, 3):
        log.progress("read", done, 3)
    log.message("error", f"code {datum('E10')}", [Fix({"null": ["-9"]}, f"if {datum('-9')} is missing")])
    log.result(verdict="holds")
    log.end(0)
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert lines == [
        {"event": "progress", "stage": "read", "done": 1.0, "total": 3.0},
        {
            "event": "message",
            "level": "error",
            "message": "code 'E10'",
            "fixes": [
                {"settings": {"null": ["-9"]}, "effect": "if '-9' is missing"},
            ],
        },
    ]


def test_texts_that_look_like_a_table_are_listed_as_data(tmp_path: Path) -> None:
    (tmp_path / "visits.csv").write_text("codes\nE10\n")
    (tmp_path / "export.TXT").write_text("id\tcode\n1\tE10\n2\tE11\n")
    (tmp_path / "visits-privacy.txt").write_text('E10 "F 10"\nE11\n')
    (tmp_path / "report.html").write_text("<p>1, 2, 3</p>\n<p>4, 5, 6</p>\n")
    assert Folder(tmp_path).data() == ["export.TXT", "visits.csv"]


@pytest.mark.parametrize(
    "line",
    [
        'input = "parts"',
        'input = "parts/*.csv"',
        'input = "*/*.csv"',
        'input = "linked/*.csv"',
        'input = "parts/**/*.csv"',
    ],
)
def test_a_job_whose_pattern_or_folder_contains_a_link_to_the_outside_is_rejected(tmp_path: Path, line: str) -> None:
    folder = tmp_path / "chosen"
    (folder / "parts").mkdir(parents=True)
    (tmp_path / "others").mkdir()
    (tmp_path / "others" / "secret.csv").write_text("codes\nE10\n")
    (folder / "parts" / "visits.csv").write_text("codes\nE10\n")
    (folder / "parts" / "planted.csv").symlink_to(tmp_path / "others" / "secret.csv")
    (folder / "linked").symlink_to(tmp_path / "others")
    with pytest.raises(InputError, match="outside of"):
        opened(folder, f"{line}\nitems = ['codes']\n")
    with pytest.raises(InputError, match="outside of"):
        PageState(Folder(folder)).open("parts")


def test_a_planted_link_is_not_used_as_the_new_job_file(tmp_path: Path) -> None:
    folder = tmp_path / "chosen"
    folder.mkdir()
    (folder / "visits.csv").write_text("codes\nE10\n")
    (folder / "visits.toml").symlink_to(tmp_path / "outside.toml")
    with pytest.raises(InputError, match="outside of"):
        PageState(Folder(folder)).open("visits.csv")


def test_the_page_connects_to_no_cluster(tmp_path: Path) -> None:
    (tmp_path / "visits.csv").write_text("codes\nE10\n")
    with pytest.raises(InputError, match="remove cluster from the job file"):
        opened(tmp_path, 'input = "visits.csv"\ncluster = "tcp://127.0.0.1:9"\n')


@pytest.mark.parametrize("name", ["job.toml", "visits-queries.json", "codes.csv"])
def test_a_new_file_does_not_follow_planted_links(tmp_path: Path, name: str) -> None:
    outside = tmp_path / "outside"
    outside.write_text("of another user")
    folder = tmp_path / "chosen"
    folder.mkdir()
    file = folder / name
    file.write_text("old")
    file.chmod(0o640)
    before = {*folder.iterdir()}
    for ending in (".new", ".new.json"):
        (folder / f".{name}{ending}").symlink_to(outside)
        (folder / f".{file.stem}{ending}").symlink_to(outside)
    with replacement(file) as new:
        new.write_text("new")
        assert file.read_text() == "old"
    assert (file.read_text(), file.stat().st_mode & 0o777) == ("new", 0o640)
    with suppress(ValueError), replacement(file) as new:
        new.write_text("newer")
        raise ValueError
    with replacement(file):
        pass
    assert file.read_text() == "new"
    assert outside.read_text() == "of another user"
    assert {path for path in folder.iterdir() if not path.is_symlink()} == before


def test_a_report_is_not_written_through_a_link(tmp_path: Path) -> None:
    folder = tmp_path / "chosen"
    folder.mkdir()
    (folder / "safe-report.html").symlink_to(tmp_path / "outside.html")
    with pytest.raises(InputError, match="outside of"):
        Examination("safe", Folder(folder))


@pytest.mark.usefixtures("commands_in_this_process")
def test_names_that_look_like_options_are_names(tmp_path: Path) -> None:
    (tmp_path / "--help.csv").write_text("a --keep ssn,--keep\n" + "".join(f"x{n % 3},y{n % 2}\n" for n in range(40)))

    async def give_roles() -> None:
        state = PageState(Folder(tmp_path))
        try:
            state.open("--help.csv")
            await settled(state)
            assert state.inspection.findings is not None
            assert [column["name"] for column in state.inspection.findings["columns"]] == ["a --keep ssn", "--keep"]
            choices.give_role(state, ["--keep"], "relational")
            await settled(state)
            choices.answer(state, "row")
            await settled(state)
            for column, role in itertools.product(("a --keep ssn", "--keep"), ("relational", "drop")):
                choices.give_role(state, [column], role)
                await settled(state)
                assert {one["name"]: one["role"] for one in state.inspection.findings["columns"]}[column] == role
            assert set(state.stated.settings["drop"]) == {"--keep", "a --keep ssn"}
        finally:
            await state.end()

    asyncio.run(give_roles())


async def settled(state: PageState) -> None:
    """Wait for the inspection."""
    await asyncio.sleep(0)
    while state.inspection.busy:
        await asyncio.sleep(0.02)


@pytest.mark.parametrize(
    ("out", "others", "new"),
    [
        ("data-2024", ["data"], "data-2024-2"),
        ("data-2", [], "data-2-2"),
        ("data-2", ["data"], "data-3"),
        ("data-3", ["data", "data-2"], "data-4"),
        ("data-3", ["data"], "data-3-2"),
        ("data", ["data-2"], "data-3"),
        ("-5", [], "-5-2"),
    ],
)
def test_only_a_number_that_the_page_added_is_replaced_in_the_next_folder(
    tmp_path: Path, out: str, others: list[str], new: str
) -> None:
    (tmp_path / "visits.toml").write_text(JOB.replace('"safe"', f'"{out}"'))
    for name in (out, *others):
        (tmp_path / name).mkdir()
    state = PageState(Folder(tmp_path))
    state.job = tmp_path / "visits.toml"
    assert state.publications.new_out == new


def test_publishing_cancels_a_running_trial(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def finish(run: CommandRun) -> int:
        while run.arguments[0] == "suggest" and not run._is_cancelled:
            await asyncio.sleep(0.01)
        run.code = CANCELLED
        return run.code

    async def way() -> None:
        state = PageState(Folder(tmp_path))
        state.job = tmp_path / "visits.toml"
        state.try_candidates()
        await asyncio.sleep(0)
        assert state.trial is not None
        assert state.trial.busy
        state.publish()
        async with asyncio.timeout(5):
            while state.publishing or state.trial.busy:
                await asyncio.sleep(0.01)

    monkeypatch.setattr(CommandRun, "finish", finish)
    (tmp_path / "visits.csv").write_text("who,codes\nA,a b\nB,a b\n")
    (tmp_path / "visits.toml").write_text(JOB.replace('"?"', '"row"'))
    asyncio.run(way())


def test_a_changed_promise_names_the_sensitive_items(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    state = PageState(Folder(tmp_path))
    before, after = (DisassociationModel(k=k, m=2, cap=0.5, sensitive_items=items) for k, items in
                     ((5, ("hiv", "hepatitis")), (6, ("hiv",))))  # fmt: skip
    monkeypatch.setattr(type(state.publications), "model", before)
    for promised, said in (
        (before, ""),
        (after, "k=5 → k=6; sensitive items: hiv and hepatitis → hiv"),
        (replace(before, sensitive_items=("hiv",)), "sensitive items: hiv and hepatitis → hiv"),
        (DisassociationModel(k=5, m=2), "sensitive items: hiv and hepatitis → none"),
    ):
        monkeypatch.setattr(steps, "promise_of", lambda _, model=promised: (model,))
        assert steps.changed_promise(state).endswith(said)
        assert bool(steps.changed_promise(state)) == bool(said)
