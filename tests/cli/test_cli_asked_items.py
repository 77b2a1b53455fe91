"""A job stops until the owner declares which columns contain the items, if several may, and each answer publishes."""

import json
import shlex
import tomllib
from pathlib import Path

import pytest
from tests.facts import names

from anonset.settings.job_changes import changed_job
from cli.place import Place

VACCINES, CODES = ("Gardasil", "Influvac", "Havrix", "Typhim"), ("E11.9", "I10", "J45.0", "K21.0", "M54.5")


@pytest.fixture
def job(place: Place) -> Path:
    """Propose a job for persons with several codes, vaccines and regions."""
    lines = [
        f"P{n // 3:03},{'fm'[n // 3 % 2]},{CODES[n % 5]},{VACCINES[n % 4]},{('North', 'South')[n % 2]}"
        for n in range(240)
    ]
    data = place.write("data.csv", "\n".join(["pid,sex,icd,vaccine,region", *lines, ""]))
    job = place.folder / "job.toml"
    ran = place.run("inspect", data, "-o", str(job))
    assert names(ran.out, "Next declare person items 'anonset anonymize'"), ran.err
    return job


def published(place: Place, job: Path, *flags: str) -> tuple[dict[str, object], str]:
    """Run a job, and return the settings of the run and the published header."""
    out = place.folder / "out"
    ran = place.run("anonymize", str(job), *flags, "-o", str(out), "--quiet")
    assert ran.code == 0, ran.err
    report = json.loads((place.folder / "out.private" / "report.json").read_text())
    return report["settings"], (out / "published.csv").read_text().splitlines()[0]


ANSWERS = {"icd": ("kkm", "sex,icd"), "vaccine": ("kkm", "sex,vaccine"), "none": ("k", "sex")}


def test_a_job_with_open_items_does_not_run_and_lists_the_answers(place: Place, job: Path) -> None:
    lines = [line for line in job.read_text().splitlines() if line.startswith("# items = ")]
    assert names(lines[0], "icd '5 items' '3.0 per person' 'one item a row' proposed")
    assert names(lines[1], "vaccine '4 items' '3.0 per person'")
    assert names(lines[-1], "none")
    assert "as the items" not in job.read_text()  # no check that remains after the answer
    for command in ("anonymize", "suggest"):
        ran = place.run(command, str(job), "--unit", "pid")
        assert ran.code == 2
        assert names(ran.errors[0], "'--items icd' '--items vaccine' '--items none'")
    assert not (place.folder / "data-safe").exists()


@pytest.mark.parametrize("answer", ANSWERS)
@pytest.mark.parametrize("way", ["flag", "file", "page"])
def test_each_answer_publishes_its_items(place: Place, job: Path, answer: str, way: str) -> None:
    flags = ["--unit", "pid"]
    if way == "flag":
        flags += ["--items", answer]
    elif way == "file":
        job.write_text(job.read_text().replace('items = "?"', f'items = "{answer}"'))
    else:
        text = changed_job(changed_job(job.read_text(), {"unit": ["pid"]}), {"items": [answer]})
        assert "What are the items" not in text
        assert "items_is" not in tomllib.loads(text)["unit_is"]["pid"]
        job.write_text(text)
    settings, header = published(place, job, *flags)
    assert (settings["model"], header) == ANSWERS[answer]


def test_the_printed_command_proposes_columns_that_are_not_listed(place: Place, job: Path) -> None:
    ran = place.run("anonymize", str(job), "--unit", "pid", "--items", "icd,region")
    assert ran.code == 2
    command = shlex.split(ran.errors[0].rpartition("anonset ")[2])
    assert place.run(*command).code == 0
    assert published(place, job.with_stem("job-2"))[1] == "sex,icd,region"


def test_items_that_the_owner_names_are_not_asked(place: Place, job: Path) -> None:
    other = place.folder / "other.toml"
    data = str(place.folder / "data.csv")
    assert place.run("inspect", data, "--unit", "pid", "--items", "vaccine", "-o", str(other)).code == 0
    assert published(place, other)[1] == "sex,vaccine"
    assert place.run("inspect", data, "--unit", "pid", "-o", str(place.folder / "open.toml")).code == 0
    ran = place.run("anonymize", str(place.folder / "open.toml"))
    assert (ran.code, names(ran.errors[0], "'--items icd'")) == (2, True)


@pytest.mark.parametrize("series", ["Impfung", "Meal"])
def test_each_numbered_series_is_an_answer(place: Place, series: str) -> None:
    vaccines, meals = ("E11.9", "I10.0", "J45.0", "K21.0"), ("Soup", "Salad", "Pasta")
    lines = [
        f"P{n // 3:03},{'fm'[n // 3 % 2]},{vaccines[n % 4]},{vaccines[n // 2 % 4]},{meals[n % 3]},{meals[n // 3 % 3]}"
        for n in range(360)
    ]
    data = place.write("data.csv", "\n".join(["pid,sex,Impfung 1,Impfung 2,Meal 1,Meal 2", *lines, ""]))
    job = place.folder / "job.toml"
    place.run("inspect", data, "--unit", "pid", "-o", str(job))
    ran = place.run("anonymize", str(job))
    assert ran.code == 2
    assert f"--one-code '{series} 1,{series} 2'" in ran.errors[0]
    settings, _ = published(place, job, "--one-code", f"{series} 1,{series} 2")
    assert settings["one_code"] == [f"{series} 1", f"{series} 2"]


def test_other_changes_on_the_page_leave_the_question_open_and_its_columns_dropped(job: Path) -> None:
    stated = {"unit": ["pid"]}
    own = tomllib.loads(changed_job(changed_job(job.read_text(), stated), {"drop": ["sex"]}))["unit_is"]["pid"]
    assert own["items"] == "?"
    assert {"sex", "icd", "vaccine"} <= {*own["drop"]}
    own = tomllib.loads(changed_job(changed_job(job.read_text(), stated), {"relational": ["sex", "icd"]}))
    assert "icd" not in own["unit_is"]["pid"]["drop"]


def test_a_sensitive_column_on_the_page_says_that_no_column_contains_items(job: Path) -> None:
    text = changed_job(changed_job(job.read_text(), {"unit": ["pid"]}), {"sensitive": "vaccine"})
    own = tomllib.loads(text)["unit_is"]["pid"]
    assert not own.keys() & {"items", "items_is"}
    assert (own["sensitive"], "vaccine" in own["drop"], "icd" in own["drop"]) == ("vaccine", False, True)


@pytest.mark.parametrize("header", ["pid,sex,none,vaccine,region", "pid,sex,icd,none,region"])
def test_a_column_named_like_an_answer_is_no_answer(place: Place, job: Path, header: str) -> None:
    data = place.folder / "data.csv"
    data.write_text("\n".join([header, *data.read_text().splitlines()[1:], ""]))
    other = place.folder / "other.toml"
    ran = place.run("inspect", str(data), "--unit", "pid", "-o", str(other))
    assert names(ran.out, "none rename")
    assert "items" not in tomllib.loads(other.read_text())["items_is"]["none"]
    assert published(place, other, "--items", "none")[1] == "sex"


@pytest.mark.parametrize("table", ["items_is = 3", "[items_is]\na = 3", "unit_is = 3", "items_is = [1]"])
def test_a_table_of_answers_of_another_type_is_one_clear_line(place: Place, job: Path, table: str) -> None:
    job.write_text(f'input = "data.csv"\nout = "out"\nunit = "pid"\nitems = "?"\n{table}\n')
    for command in ("anonymize", "inspect"):
        ran = place.run(command, str(job))
        assert (ran.code, names(ran.errors[0], "table settings value")) == (2, True)


def test_open_items_without_answers_stop_the_run_until_flags_name_them(place: Place, job: Path) -> None:
    job.write_text('input = "data.csv"\nunit = "pid"\nitems = "?"\nmodel = "km"\nk = 5\nm = 2\n')
    ran = place.run("anonymize", str(job), "-o", str(place.folder / "out"))
    assert (ran.code, names(ran.errors[0], "items")) == (2, True)
    assert "which columns" in ran.errors[0]
    hierarchy = ("--hierarchy", "icd=prefix:1,3", "--drop", "sex,vaccine,region")
    assert published(place, job, "--items", "icd", *hierarchy)[1] == "icd"


def test_a_hierarchy_file_of_an_answer_is_found_from_the_folder_of_the_job(
    place: Place, job: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.write("tree.csv", "".join(f"{name},vaccines\n" for name in VACCINES))
    (place.folder / "jobs").mkdir()
    other = place.folder / "jobs" / "other.toml"
    monkeypatch.chdir(place.folder)
    assert (
        place.run("inspect", "data.csv", "--unit", "pid", "--hierarchy", "vaccine=tree.csv", "-o", str(other)).code == 0
    )
    assert published(place, other, "--items", "vaccine")[0]["hierarchy"]["vaccine"].endswith("tree.csv")


@pytest.mark.parametrize("by_flag", [False, True])
def test_answers_whose_names_contain_commas_are_found_as_printed(place: Place, job: Path, by_flag: bool) -> None:
    data, other = place.folder / "data.csv", place.folder / "other.toml"
    rows = data.read_text().splitlines()
    data.write_text("\n".join(['"pid, own",sex,icd,"vaccine, 1st",region', *rows[1:], ""]))
    assert place.run("inspect", str(data), "-o", str(other)).code == 0
    text = other.read_text()
    assert '[unit_is."pid, own".items_is."vaccine, 1st"]' in text
    if by_flag:
        flags = ("--unit", "pid, own", "--items", "vaccine, 1st")
    else:
        flags = ()
        other.write_text(
            text.replace('unit = "?"', 'unit = "pid, own"').replace('items = "?"', 'items = "vaccine, 1st"')
        )
    settings, _ = published(place, other, *flags)
    assert settings["items"] == ["vaccine, 1st"]


def test_a_declaration_and_a_hierarchy_of_a_dropped_column_are_kept_for_its_answer(place: Place, job: Path) -> None:
    data, tree = place.folder / "data.csv", place.folder / "tree.csv"
    tree.write_text("".join(f"{name},{name[0]},*\n" for name in VACCINES))
    given = ["--publish-as-is", "vaccine,icd", "--hierarchy", f"vaccine={tree}"]
    for unit in ([], ["--unit", "pid"]):
        job.unlink(missing_ok=True)
        ran = place.run("inspect", str(data), *given, *unit, "-o", str(job))
        assert "is not a column of items" not in ran.out + ran.err
        settings = tomllib.loads(job.read_text())
        answers = settings["items_is"] if unit else settings["unit_is"]["pid"]["items_is"]
        assert "publish_as_is" not in settings
        assert {key: answers[key]["publish_as_is"] for key in ("icd", "vaccine")} == {
            "icd": ["icd"],
            "vaccine": ["vaccine"],
        }
        assert Path(answers["vaccine"]["hierarchy"]["vaccine"]).name == "tree.csv"
    job.write_text(job.read_text().replace('items = "?"', 'items = "vaccine"'))
    assert published(place, job)[0]["publish_as_is"] == ["vaccine"]


@pytest.mark.parametrize("answer", ["one_hot", "Event Name", "none"])
def test_each_answer_beside_columns_of_choices_publishes(place: Place, answer: str) -> None:
    choices = ["Which? (choice=HIV)", "Which? (choice=Asthma)", "Which? (choice=Gout)"]
    marks = [",".join("Checked" if n // 2 % step else "Unchecked" for step in (2, 3, 4)) for n in range(240)]
    lines = [
        f"P{n // 2:03},{'fm'[n // 2 % 2]},{('Visit', 'Call', 'Base', 'Ward')[n % 4]},{',,' if n % 2 else marks[n]}"
        for n in range(240)
    ]
    data = place.write("labels.csv", "\n".join([",".join(["pid", "sex", "Event Name", *choices]), *lines, ""]))
    job = place.folder / "labels.toml"
    assert place.run("inspect", data, "--unit", "pid", "-o", str(job)).code == 0
    job.write_text(job.read_text().replace('items = "?"', f'items = "{answer}"'))
    settings, header = published(place, job)
    assert (settings["one_hot"], header) == (choices if answer == "one_hot" else [], _HEADERS[answer])


_HEADERS = {"one_hot": "sex,items", "Event Name": "sex,Event Name", "none": "sex"}


def test_columns_of_marks_publish_blanks_as_no_item(place: Place) -> None:
    lines = [
        f"{1950 + n % 50},{'fm'[n % 2]},{'X' * (n % 2)},{'X' * (n % 3 > 0)},{'X' * (n % 5 > 1)}" for n in range(240)
    ]
    data = place.write("data.csv", "\n".join(["birth year,sex,Corona,Impianto,Igiene", *lines, ""]))
    job = place.folder / "job.toml"
    assert place.run("inspect", data, "--unit", "row", "-o", str(job)).code == 0
    job.write_text(job.read_text().replace('items = "?"', 'items = "one_hot"'))
    settings, header = published(place, job)
    assert (settings["one_hot"], header) == (["Corona", "Impianto", "Igiene"], "birth year,sex,items")
