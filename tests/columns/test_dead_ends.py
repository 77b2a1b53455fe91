"""Commands that `inspect` prints: dead ends, rejected commands and decisions."""

import contextlib
import shlex
import tempfile
from pathlib import Path

import pytest
from tests.columns.dead_ends import Walk, _printed, _run, few_rows, figures, summary, walk
from tests.columns.folders import read_folders, write_folder
from tests.columns.layouts import CORPUS, on_all_processors, parse_layout, read_layouts
from tests.columns.tables import write

KEYS = {"name": "visits", "language": "en", "domain": "hospital", "person": "patient_id", "rows": "geometric|2"}
PATIENT = ["patient_id", "person", "serial|1001"]
CODES = ["icd10_code", "items", "codes|icd10|30"]


def layout(*columns, **keys):
    return parse_layout({**KEYS, "columns": [PATIENT, *columns], **keys})


@pytest.mark.long
def test_the_job_file_publishes_the_data_after_one_decision():
    walked = walk(layout(CODES), 400)
    assert walked.published
    assert (walked.decisions, walked.commands, walked.rejected) == (1, 1, [])


@pytest.mark.long
def test_commands_for_all_persons_also_run():
    walked = walk(layout(CODES, ["sex", "attribute", "choice|F|M"]), 400, all_answers=True)
    assert walked.published
    assert walked.commands == 3  # the job file with each of three answers
    assert walked.rejected == []


def test_data_without_a_column_to_publish_are_a_dead_end():
    walked = walk(layout(["remark", "text", "text|en|8|20"]), 200)
    assert not walked.published
    assert "job.toml is not written" in walked.stops[0]


def test_a_small_table_has_thirty_persons():
    assert few_rows(layout(CODES)) == 60


@pytest.mark.parametrize(
    ("unit", "commands"),
    [
        ("pid", [("anonymize a.csv --unit pid", True)]),
        ("row", [("anonymize a.csv --unit row --drop pid", True)]),
        ("case", [("anonymize a.csv --unit case", False)]),
    ],
)
def test_the_command_for_the_true_person_is_followed(unit, commands):
    text = (
        "anonset: error: who is a person? --unit COLUMN\n"
        "anonset: complete command, if each 'pid' is a person: anonset anonymize a.csv --unit pid\n"
        "anonset: complete command, if each row is one: anonset anonymize a.csv --unit row --drop pid\n"
    )
    assert [(shlex.join(words), exact) for words, exact in _printed(text, unit)] == commands


def test_commands_end_where_the_sentence_continues():
    text = "Next: anonset inspect 'a b.csv' --drop x,'y, z' -o job.toml, to write these settings to a job file\n"
    assert [words for words, _ in _printed(text, "row")] == [
        ["inspect", "a b.csv", "--drop", "x,y, z", "-o", "job.toml"]
    ]


def test_figures_of_several_layouts():
    walks = [Walk("a", 9, 4, True, 2), Walk("b", 9, 1, False, 1, ["anonymize job.toml: error"])]
    assert summary(walks) == {
        "layouts": 2, "dead ends": 0.5, "commands": 3, "rejected": 1, "decisions": 2.5, "more than 3 decisions": 0.5,
    }  # fmt: skip
    assert figures({"9 rows": walks})[2] == "| 9 rows | 2 | 50.0% | 3 | 1 | 2.5 | 50.0% |"


def has_next(place):
    """Whether `inspect` prints the next command, or rejects the data in one line."""
    code, text = _run(["inspect", place], Walk("", 0))
    steps = [line for line in text.splitlines() if line.startswith("Next") and "anonset inspect " in line]
    return bool(steps) if code == 0 else code == 2 and text.count("anonset: error") == 1


def table_has_next(_, layout):
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        return has_next(write(layout, Path(folder), 40, 1).name)


@pytest.mark.long
@pytest.mark.parametrize("half", ["rules", "measure"])
def test_inspect_of_each_small_table_prints_the_next_command_or_rejects_it(half):
    assert all(on_all_processors(table_has_next, read_layouts(CORPUS / half)))


@pytest.mark.long
@pytest.mark.parametrize("half", ["rules", "measure"])
def test_inspect_of_each_folder_prints_the_next_command_or_rejects_it(half, tmp_path):
    folders = read_folders(half)
    for folder in folders:
        write_folder(folder, tmp_path / folder.name, 20, 1)
    assert folders
    assert all(has_next(str(tmp_path / folder.name)) for folder in folders)


def test_the_next_command_for_tables_without_a_common_key_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("data").mkdir()
    Path("data/visits.csv").write_text("pid,sex\n" + "".join(f"P{n},{'MF'[n % 2]}\n" for n in range(30)))
    Path("data/wards.csv").write_text("ward,beds\n" + "".join(f"W{n},{'xyz'[n % 3]}\n" for n in range(30)))
    (step,) = [line for line in _run(["inspect", "data"], Walk("", 0))[1].splitlines() if line.startswith("Next")]
    commands = [shlex.split(part)[1:] for part in step[step.index("anonset inspect") :].split("; ")]
    assert {words[1] for words in commands} == {"data/visits.csv", "data/wards.csv"}
    assert [_run(words, Walk("", 0))[0] for words in commands] == [0, 0]


def test_text_tables_are_linked_like_tables_of_other_endings(tmp_path):
    rows = {"persons": "pid$sex\n" + "".join(f"P{n}${'MF'[n % 2]}\n" for n in range(40))}
    rows["visits"] = "pid$icd10_code\n" + "".join(f"P{n % 40}${'ABC'[n % 3]}{10 + n % 4}\n" for n in range(120))
    found = {}
    for ending in (".csv", ".txt"):
        (folder := tmp_path / ending[1:]).mkdir()
        for name, text in rows.items():
            (folder / f"{name}{ending}").write_text(text)
        found[ending] = _run(["inspect", str(folder)], Walk("", 0))[1].replace(str(folder), "FOLDER")
    assert "2 tables, linked by pid" in found[".txt"]
    assert found[".txt"] == found[".csv"]
