"""A run is continued only by a run of the same job: no option that changes the result may differ."""

import json
import shutil
from dataclasses import fields
from typing import Any, Literal, get_args, get_origin

import pytest
from tests.facts import names
from tests.jobs.test_linked_tables import bytes_in, write

from anonset.cli.main import main
from anonset.jobs.runs import work_places
from anonset.jobs.runs.run_identity import difference, identity
from anonset.reading import linked
from anonset.reading.decisions import MACHINE, Decides, decisions
from anonset.reading.file_options import FileOptions
from anonset.reading.linked import LinkedTable, LinkedTables
from anonset.settings.compare import compare_settings_model
from anonset.settings.settings import Settings, settings_model, with_decisions

SAME_RESULT = {"workers", "cluster", "cluster_tls", "if_exists", "memory_limit", "work_dir", "out", "private", "input"}
"""Options that may differ between runs of the same job. The content of `input` is compared."""
SAME_SEARCH = {"publish_as_is", "max_loss", "accept"}
"""Options that may differ if a run continues the search of another run. They decide whether the result is published."""
SELECT_RUNS = {"input", "memory_limit", "workers", "algorithms", "vary", "seeds", "records", "n_items"}
"""Options that may differ between runs of the same study."""


def other_value(kind: Any, value: Any) -> Any:
    """Return another value of the type of an option."""
    parts = [part for part in get_args(kind) if part is not type(None)]
    if get_origin(kind) is Literal:
        return next(part for part in parts if part != value)
    if get_origin(kind) in (list, dict):
        return {list: ["other"], dict: {"other": "other"}}[get_origin(kind)]
    if parts:
        return other_value(parts[0], value)
    return {str: "other", int: 7, float: 0.5, bool: not value}[kind]


def settings() -> Settings:
    return settings_model()(input="v.csv", out="out", items=["codes"], model="km", k=2, m=2)


@pytest.mark.parametrize("name", settings_model().model_fields)
def test_an_option_with_another_value_is_another_job(name):
    before, field = settings(), settings_model().model_fields[name]
    after = before.model_copy(update={name: other_value(field.annotation, getattr(before, name))})
    assert getattr(after, name) != getattr(before, name)
    searches = difference(*(work_places._identity(one) for one in (before, after)))
    finished = difference(*(identity(one.model_dump(exclude_none=True)) for one in (before, after)))
    assert ("settings" in finished) == (name not in SAME_RESULT)
    assert ("settings" in searches) == (name not in SAME_RESULT | SAME_SEARCH)
    assert (searches == "places") == (name in ("input", "out"))


def test_options_that_may_differ_in_a_study_are_known():
    decided = decisions(compare_settings_model())
    assert {name for name, decides in decided.items() if decides is MACHINE} == SELECT_RUNS


def test_an_option_that_declares_nothing_is_an_error():
    class Grown(Settings):
        depth: int = 1

    with pytest.raises(TypeError, match=r"Grown\.depth"):
        with_decisions(Grown)


CHANGED: dict[str, Any] = {
    "input": "conditions/0.csv", "key": "visit", "key_prefix": "P", "in": "drug", "items": "visit",
    "delimiter": ";", "encoding": "latin-1", "decimal": ",", "input_format": "csv", "null": "E10", "separator": "-",
    "header_line": 2, "no_header": True, "value_codes": True,
}  # fmt: skip
"""Another value of each setting of a linked table."""


@pytest.mark.parametrize("name", linked._SETTINGS)
def test_a_linked_table_with_another_setting_is_other_data(tmp_path, monkeypatch, name):
    write(tmp_path)
    monkeypatch.chdir(tmp_path)
    person = {"input": "person.csv", "relational": ["sex"]}
    drug = {"input": "drug.csv", "key": "PATIENT", "items": "code"}

    def digest(changed):
        described = person | (changed if name in linked.ATTRIBUTES else {})
        diagnoses = {"input": "conditions/*.csv", "items": "code"}
        diagnoses |= {} if name in linked.ATTRIBUTES else changed
        tables = {"person": described, "condition": diagnoses, "drug": drug}
        return LinkedTables.of(tables, "person_id").source.sha256

    assert digest({}) == digest({})
    assert digest({name: CHANGED.get(name, "born")}) != digest({})


def test_each_field_of_a_linked_table_declares_what_it_decides():
    decided = decisions(LinkedTable)
    assert {name for name, decides in decided.items() if decides is MACHINE} == {"source"}
    assert decisions(FileOptions).keys() == {field.name for field in fields(FileOptions)}
    assert all(isinstance(decides, Decides) for decides in decided.values())


@pytest.fixture
def place(tmp_path, monkeypatch):
    write(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def with_option(place, option):
    job = place / "job.toml"
    job.write_text(job.read_text().replace("[tables.drug]\n", f"[tables.drug]\n{option}\n"))


@pytest.mark.parametrize("option", ['null = "E10"', 'key_prefix = "1"'])
def test_a_publication_of_other_linked_tables_is_not_accepted(place, capsys, option):
    assert main(["anonymize", "job.toml", "--quiet"]) == 0
    assert main(["anonymize", "job.toml", "--quiet", "--if-exists", "resume"]) == 0
    with_option(place, option)
    capsys.readouterr()
    assert main(["anonymize", "job.toml", "--quiet", "--if-exists", "resume"]) == 2
    assert names(capsys.readouterr().err, "out data [tables]")


def test_a_flag_declares_the_unit_of_linked_tables(place, capsys):
    assert main(["anonymize", "job.toml", "--quiet", "-o", "declared"]) == 0
    text = (place / "job.toml").read_text()
    for unit in ("", 'unit = "?"\n', 'unit = "another"\n'):
        (place / "job.toml").write_text(text.replace('unit = "person_id"\n', unit))
        assert main(["anonymize", "job.toml", "--quiet", "--unit", "person_id"]) == 0
        assert bytes_in(place / "out") == bytes_in(place / "declared")
        assert main(["verify", "out.private/report.json"]) == 0
        assert main(["anonymize", "job.toml", "--quiet", "--unit", "person_id", "--if-exists", "resume"]) == 0
        for out in ("out", "out.private"):
            shutil.rmtree(out)
    assert main(["anonymize", "job.toml", "--quiet"]) == 2


def test_a_run_of_other_linked_tables_is_not_continued(place, capsys):
    run = ["anonymize", "job.toml", "--quiet", "--work-dir", "work", "--if-exists", "resume"]
    assert main([*run, "--max-loss", "0"]) == 1
    text = (place / "job.toml").read_text()
    with_option(place, 'null = "E10"')
    capsys.readouterr()
    assert main([*run, "--max-loss", "0"]) == 2
    assert names(capsys.readouterr().err, "data [tables]")
    (place / "job.toml").write_text(text)
    assert main(run) == 0
    settings = json.loads((place / "out.private" / "report.json").read_text())["settings"]
    assert "max_loss" not in settings
    shutil.rmtree("out")


def test_a_study_of_other_linked_tables_is_another_study(place, capsys):
    run = ["compare", "job.toml", "--algorithms", "joint-split", "-o", "study.jsonl", "--quiet"]
    assert main(run) == 0
    assert main(run) == 0
    with_option(place, 'null = "no code"')
    capsys.readouterr()
    assert main(run) == 2
    assert names(capsys.readouterr().err, "study.jsonl input")
