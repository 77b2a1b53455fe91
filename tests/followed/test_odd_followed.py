"""Raw files with misleading values are published at the first attempt, and no person is singled out."""

import json
import re
from pathlib import Path

import pytest

from followed.follow import follow, judge, run
from followed.odd_raw_files import ODD_RAW_FILES, bookings, groups_above_columns, shared_policies

pytestmark = [pytest.mark.compiled, pytest.mark.long]


@pytest.mark.parametrize("name", ODD_RAW_FILES)
def test_the_proposal_is_published_at_the_first_try(tmp_path: Path, name: str) -> None:
    raw = ODD_RAW_FILES[name](150, 7)
    way = follow(tmp_path, raw)
    assert way.published is not None, way.printed[-1]
    assert set(way.codes) == {0}
    judgement = judge(raw, way.published)
    assert (judgement.smallest_class >= 5, judgement.persons_below_k, judgement.secrets, judgement.clear) == (
        True,
        0,
        (),
        (),
    )
    shown = set(re.split(r"[\s,;()'\"]+", "\n".join(way.printed)))
    assert raw.secrets & shown == set()


def test_no_full_date_is_published_if_rows_are_persons(tmp_path: Path) -> None:
    raw = bookings(150, 7)
    way = follow(tmp_path, raw, unit="row")
    assert way.published is not None, way.printed[-1]
    text = "".join(path.read_text() for path in way.published.glob("*.csv"))
    assert re.search(r"\d\d/\d\d/\d{4}", text) is None


def test_the_answers_contain_the_person(tmp_path: Path) -> None:
    for name, make in ODD_RAW_FILES.items():
        raw = make(150, 7)
        (tmp_path / raw.name).write_bytes(raw.content)
        code, printed = run(tmp_path, f"anonset inspect {raw.name}")
        assert code == 0, printed
        asks_for_unit = "Which rows belong to a person?" in printed
        assert (f"unit = {json.dumps(raw.unit)}" in printed) == asks_for_unit, name


@pytest.mark.parametrize("last", ["", "Costs"])
def test_a_line_of_groups_is_no_record_and_hides_none(tmp_path: Path, last: str) -> None:
    raw = groups_above_columns(150, 7, last)
    (tmp_path / raw.name).write_bytes(raw.content)
    code, printed = run(tmp_path, f"anonset inspect {raw.name}")
    assert code == 0, printed
    assert re.search(r"^rows +300 *$", printed, re.MULTILINE), printed
    assert "--header-line 2 (detected)" in printed


@pytest.mark.parametrize(
    "command",
    [
        "suggest visits.csv",
        "anonymize visits.csv --k 5 -o out",
        "suggest visits.txt",
        "compare visits.txt --k 5 --model k",
    ],
)
def test_a_file_that_needs_other_settings_leads_to_inspect(tmp_path: Path, command: str) -> None:
    text = "sócio;coisa;entrada\n" + "".join(f"S{i % 90};coisa {i % 3};{i}\n" for i in range(1_200))
    for name in ("visits.csv", "visits.txt"):
        (tmp_path / name).write_bytes(text.encode("cp1252"))
    code, printed = run(tmp_path, f"anonset {command}")
    assert code == 2
    inspect = rf"complete command, to propose roles.*: anonset inspect {command.split()[1]} .*-o job\.toml"
    assert re.search(inspect, printed), printed


@pytest.mark.parametrize("command", ["suggest plans.csv", "anonymize plans.csv --k 5 -o out"])
def test_columns_that_are_not_recognized_are_published_by_the_printed_commands(tmp_path: Path, command: str) -> None:
    rows = "".join(f"{'abcdefgh'[i % 8]},{'xyz'[i % 3]},{i % 9}\n" for i in range(400))
    (tmp_path / "plans.csv").write_text(f"zork,quix,blap\n{rows}")
    code, printed = run(tmp_path, f"anonset {command}")
    assert code == 2
    inspect = re.findall(
        r"^anonset: complete command, to propose roles.*: (anonset inspect .*)$", printed, re.MULTILINE
    )
    assert len(inspect) == 1, printed
    code, printed = run(tmp_path, inspect[0])
    assert code == 2, printed
    code, printed = run(tmp_path, printed[printed.index("anonset inspect") :].splitlines()[0])
    assert code == 0, printed
    job = (tmp_path / "job.toml").read_text()
    (tmp_path / "job.toml").write_text(job.replace('unit = "?"', 'unit = "row"'))
    code, printed = run(tmp_path, "anonset anonymize job.toml")
    assert code == 0, printed


def test_a_shared_policy_does_not_hide_the_insured(tmp_path: Path) -> None:
    raw = shared_policies(400, 7)
    (tmp_path / raw.name).write_bytes(raw.content)
    code, printed = run(tmp_path, f"anonset anonymize {raw.name} --k 5 -o out")
    assert code == 2
    code, printed = run(tmp_path, printed[printed.index("anonset inspect") :].splitlines()[0])
    assert code == 0, printed
    for unit in ("policy_no", "insured_first_name,birth"):
        assert f'[unit_is."{unit}"]' in (tmp_path / "job.toml").read_text()


def test_values_with_commas_can_be_dropped_by_the_printed_option(tmp_path: Path) -> None:
    rows = "".join(f'{20 + i % 40},{"fm"[i % 2]},"yes, {i % 3}"\n' for i in range(300))
    (tmp_path / "form.csv").write_text(f"age,sex,answer\n{rows}")
    command = "anonset anonymize form.csv --relational age,sex,answer --numeric age --unit row --k 5 --model k -o out"
    code, printed = run(tmp_path, command)
    assert code == 2
    assert "drop the column: --drop answer" in printed
    code, printed = run(tmp_path, f"{command} --drop answer")
    assert code == 0, printed
