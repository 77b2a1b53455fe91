"""A flag changes the columns that it names, and a column that moves takes its rules along."""

import tomllib
from pathlib import Path
from typing import Any, get_args, get_origin

import pytest
import tomlkit

from anonset.cli.main import main
from anonset.settings.column_rules import ENTRY_ROLES, TABLES
from anonset.settings.edits import edited
from anonset.settings.job import Job
from anonset.settings.job_changes import changed_job
from anonset.settings.job_files import read_toml
from anonset.settings.settings import settings_model


def over(job: dict[str, Any], flags: dict[str, Any]) -> dict[str, Any]:
    return dict(edited(Job(job), Job(flags)).settings)


ENTRIES: dict[str, tuple[Any, Any, Any]] = {
    "hierarchy": ({"age": "range"}, {"zip": "prefix:1"}, {"age": "range", "zip": "prefix:1"}),
    "ceiling": ({"age": "1"}, {"zip": "2"}, {"age": "1", "zip": "2"}),
    "relational_weights": ({"age": "0.5"}, {"zip": "2"}, {"age": "0.5", "zip": "2"}),
    "normalize": (["age=upper", "age=nfc"], ["zip=lower"], ["age=upper", "age=nfc", "zip=lower"]),
    "null": (["age=0"], ["zip=-"], ["age=0", "zip=-"]),
    "separator": ("age=,", "zip=|", "age=, zip=|"),
    "publish_as_is": (["age"], ["zip"], ["age", "zip"]),
}
"""An entry of the column `age`, an entry of `zip`, and both, for each setting with entries by column."""


def test_each_setting_with_entries_by_column_has_an_example():
    assert ENTRIES.keys() == ENTRY_ROLES.keys()
    kinds = {name: field.annotation for name, field in settings_model().model_fields.items()}
    tables = {name for name, kind in kinds.items() if dict in (get_origin(part) for part in (kind, *get_args(kind)))}
    assert tables == TABLES.keys()
    described = {name for name, field in settings_model().model_fields.items() if "COL" in str(field.description)}
    assert described <= ENTRY_ROLES.keys() | {"private"}, "a setting with entries by column must be in `ENTRY_ROLES`"


@pytest.mark.parametrize("name", sorted(ENTRY_ROLES.keys() - {"publish_as_is"}))
def test_a_flag_changes_only_the_columns_that_it_names(name):
    age, zip_code, both = ENTRIES[name]
    assert over({name: age}, {name: zip_code})[name] == both
    assert over({name: both}, {name: age})[name] == both


@pytest.mark.parametrize("name", ENTRY_ROLES)
def test_a_dropped_column_has_no_rules(name):
    age, zip_code, both = ENTRIES[name]
    job: dict[str, Any] = {"relational": ["age"], "items": ["zip"]}
    assert over({**job, name: both}, {"drop": "age"})[name] == zip_code
    assert name not in over({**job, name: age}, {"drop": ["age"]})
    assert over(job, {name: both, "drop": "age"})[name] == zip_code
    stays = {"items": "age"} if "relational" not in ENTRY_ROLES[name] else {"relational": "age"}
    assert over({**job, name: both}, stays)[name] == both


@pytest.mark.parametrize("name", TABLES)
def test_a_dropped_column_whose_name_contains_a_comma_has_no_rules(name):
    job = {"relational": ["age", "note,x"], name: {"age": "1", "note,x": "2"}}
    for flags in ({"drop": "id,note,x"}, {"drop": ["id", "note", "x"]}):  # the parts are joined in the header
        assert over(job, flags) == {"relational": ["age"], name: {"age": "1"}, **flags}
    text = {"relational": "age,note,x", "drop": "note,x"}
    assert over({}, {**text, name: job[name]}) == {**text, "relational": ["age"], name: {"age": "1"}}


@pytest.mark.parametrize("name", ENTRY_ROLES)
def test_a_column_dropped_on_the_page_has_no_rules(name):
    _, zip_code, both = ENTRIES[name]
    job: dict[str, Any] = {"relational": ["age"], "items": ["zip"], name: both}
    changed = tomllib.loads(changed_job(tomlkit.dumps(job), Job(job).changes(edited(Job(job), Job({"drop": ["age"]})))))
    assert (changed["drop"], changed[name]) == (["age"], zip_code)


@pytest.mark.parametrize(
    ("job", "flags", "expected"),
    [
        ({"null": ["-9", "age=0"]}, {"null": ["k.A."]}, ["-9", "age=0", "k.A."]),
        ({"normalize": ["upper", "age=nfc"]}, {"normalize": "lower"}, ["upper", "age=nfc", "lower"]),
        ({"separator": "a b=, c=|"}, {"separator": "a b=;"}, "a b=; c=|"),
        ({"separator": ";"}, {"separator": "c=|"}, "c=|"),
        ({"separator": "c=|"}, {"separator": ";"}, ";"),
    ],
)
def test_an_entry_for_all_columns_adds_to_a_list_and_replaces_a_separator(job, flags, expected):
    (name,) = job
    assert over(job, flags)[name] == expected


@pytest.mark.parametrize(("role", "value"), [("sensitive", "flu"), ("id", ["flu"])])
def test_the_former_column_of_a_role_for_one_column_is_dropped(role: str, value: Any):
    former = "hiv" if role == "sensitive" else ["hiv"]
    assert over({role: former, "drop": ["old"]}, {role: value}) == {role: value, "drop": ["old", "hiv"]}
    assert over({role: former}, {role: former}) == {role: former}
    assert over({role: former}, {role: value, "keep": ["hiv"]}) == {role: value, "keep": ["hiv"]}


@pytest.mark.parametrize("name", ENTRY_ROLES)
@pytest.mark.parametrize("value", [[0], 5, "", {}, None, [None]])
def test_values_of_another_type_are_left_to_the_validation(name, value):
    _, zip_code, both = ENTRIES[name]
    over({"relational": ["age"], name: value}, {"drop": "age", name: zip_code})
    over({"relational": ["age"], name: both}, {"drop": "age", name: value})


def test_a_named_algorithm_keeps_the_settings_that_it_requires():
    job = {"model": "lm", "k": 2, "m": 2, "l": 2, "sensitive_items": ["hiv"], "relational": ["age"]}
    flags = {"model": "kkm", "algorithm": "rum-bound", "transaction": "lm-apriori"}
    assert over(job, flags).keys() >= {"l", "sensitive_items"}
    assert over({"transaction": "lm-apriori", **job}, {"model": "klm"}).keys() >= {"l", "sensitive_items"}
    assert "l" not in over(job, {"model": "kkm", "algorithm": "rum-bound"})


def test_a_ceiling_of_the_job_holds_beside_that_of_a_flag(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    Path("v.csv").write_text("zip,age,note\n" + "".join(f"{n % 3}{n % 2},{20 + n % 4},x{n % 2}\n" for n in range(24)))
    Path("zip.csv").write_text("".join(f"{a}{b};{a}*;**\n" for a in range(3) for b in range(2)))
    Path("job.toml").write_text(
        'input = "v.csv"\nunit = "row"\nrelational = ["zip", "age"]\nkeep = ["note"]\nout = "out"\nmodel = "k"\nk = 2\n'
        'normalize = ["note=upper"]\n[hierarchy]\nzip = "zip.csv"\nage = "values"\n[ceiling]\nzip = "1"\n'
    )
    job, _ = read_toml("job.toml")
    assert over(job, {"ceiling": {"age": "0"}})["ceiling"] == {"zip": "1", "age": "0"}
    assert main(["anonymize", "job.toml", "--drop", "note,zip", "--quiet"]) == 0
    assert Path("out/published.csv").read_text().startswith("age\n")
