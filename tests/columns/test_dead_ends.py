"""Commands that `inspect` prints: dead ends, rejected commands and decisions."""

import shlex

import pytest
from tests.columns.dead_ends import Walk, _printed, few_rows, figures, summary, walk
from tests.columns.layouts import parse_layout

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
