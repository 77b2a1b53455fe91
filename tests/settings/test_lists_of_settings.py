"""Lists of settings in the code name settings that exist."""

import re
import tomllib
from collections.abc import Iterable
from dataclasses import fields
from inspect import signature
from pathlib import Path

import pandas as pd
import pyreadstat
import pytest

import anonset
from anonset import spelling
from anonset.algorithms.registry import ALGORITHMS
from anonset.algorithms.relational.base import OF_CLASSES
from anonset.cli import fixed_commands, flags
from anonset.cli.commands import suggest
from anonset.columns.roles import ROLES
from anonset.jobs import findings
from anonset.jobs.runs import matched_releases
from anonset.jobs.trials import candidates
from anonset.reading import linked
from anonset.reading.decisions import FILE, ITEMS, decisions
from anonset.reading.file_options import COLUMN_OPTIONS, FileOptions
from anonset.reading.options import SKIPPED
from anonset.release import losses, statements
from anonset.settings import (
    column_rules,
    commands,
    edits,
    model_choices,
    parameters,
    paths,
    publication,
    readers,
    table_lines,
)  # fmt: skip
from anonset.settings.commands import EvaluateSettings, InspectSettings, suggest_settings_model
from anonset.settings.compare import compare_settings_model
from anonset.settings.job import Job
from anonset.settings.publication import ReportSettings, RiskSettings, check_settings_model
from anonset.settings.settings import InputSettings, RoleSettings, Settings, settings_model
from anonset.ui.screens import fix_buttons, promise_screen
from anonset.ui.state import setting_words, trial

MODELS = (
    settings_model(), compare_settings_model(), suggest_settings_model(), check_settings_model(), InspectSettings,
    EvaluateSettings, ReportSettings, RiskSettings,
)  # fmt: skip
KNOWN = {"labels", "cluster_tls", *(name for model in MODELS for name in model.model_fields)}


FILES_BY_COLUMN = {"hierarchy", "ceiling", "sensitive_items"}
"""Settings that contain paths of files among other texts. `with_paths` treats each in its own way."""
NO_PATHS = {
    "no_header", "header_line", "decimal", "input_format", "value_codes", "missing", "part_rows", "cluster", "items",
}  # fmt: skip
"""Settings whose description mentions files, and whose value is not a path."""
UNCHANGED_BY = {"charset_normalizer", "cyclopts", "pyroaring", "rich"}
"""Required packages that do not change a result: proposals of an encoding, parsing, sets and printing."""
ONLY_IN_FILES = {
    "input", "out", "private", "if_exists", "work_dir", "memory_limit", "cluster", "cluster_tls", "trace",
    "model", "algorithm", "seed", "hierarchy", "ceiling", "max_work",
    *RoleSettings.model_fields,
}  # fmt: skip
"""Settings of a run that `anonset.anonymize` lacks, because a table, an algorithm or another argument contains them."""


def test_settings_that_name_files_are_paths() -> None:
    """The content of files is compared if a run is repeated, and relative paths belong to the folder of a job."""
    texts = [(name, str(field.description)) for model in MODELS for name, field in model.model_fields.items()]
    mention = {name for name, text in texts if re.search(r"\b([Ff]iles?|FILE|[Dd]irectory|address)\b", text)}
    assert mention - paths._WORDS.keys() == FILES_BY_COLUMN | NO_PATHS
    values = {"hierarchy": {"age": "x.csv"}, "ceiling": {"age": "x.csv"}, "sensitive_items": ["@x.csv"]}
    for name in KNOWN - NO_PATHS & mention:
        replaced = dict(paths.with_paths(Job({name: values.get(name, "x.csv")}), lambda *_: "replaced"))
        assert ("replaced" in str(replaced)) == (name in mention | paths._WORDS.keys()), name


def test_the_versions_of_packages_that_change_results_are_compared() -> None:
    project = tomllib.loads(Path("pyproject.toml").read_text("utf-8"))["project"]
    required = {re.split(r"[<>=]", entry)[0] for entry in project["dependencies"]}
    assert {"anonset", *required} == {*statements._PACKAGES, *UNCHANGED_BY}


def test_a_run_in_python_has_the_settings_of_a_run() -> None:
    arguments = {*signature(anonset.anonymize).parameters} - {"table", "algorithm"}
    renamed = {"hierarchies": "hierarchy", "ceilings": "ceiling", "client": "cluster", "budget": "max_work"}
    other_names = {renamed.get(name, name) for name in arguments} - {"progress"}
    assert other_names | ONLY_IN_FILES == {*Settings.model_fields}


@pytest.mark.parametrize(
    "listed",
    [
        findings._OF_ANSWERS, fixed_commands._DECLARING, edits._GROWING, edits._SINGLE,
        table_lines.TABLE_ROLES, linked.TABLE_OPTIONS, linked.ATTRIBUTES, spelling.JOB_KEYS, parameters.GENERAL,
        [name for names in flags._HELP_GROUPS.values() for name in names], findings._SETTING_COMMENTS,
        publication._ORIGINAL_SETTINGS, suggest._ASKED, trial._BASIS, fix_buttons._OF_EACH_COLUMN,
        setting_words._ACTIONS, setting_words._VALUES, column_rules.ENTRY_ROLES, column_rules.OPTIONS_OF_ROLES,
    ],
)  # fmt: skip
def test_lists_name_settings_that_exist(listed: Iterable[str]) -> None:
    assert {*listed} <= KNOWN


def test_each_form_of_a_parameter_belongs_to_a_parameter() -> None:
    classes = [*ALGORITHMS.values(), *(entry.model for entry in parameters.MODELS.values())]
    assert readers.FORMS.keys() <= {field.name for kind in classes for field in fields(kind)}


@pytest.mark.parametrize(
    "listed",
    [
        losses._WITH_HIERARCHIES, model_choices.BY_ROLES, candidates._CANDIDATES, OF_CLASSES, commands.SUGGESTED,
        promise_screen._MODELS,
    ],
)  # fmt: skip
def test_lists_name_models_that_exist(listed: Iterable[str]) -> None:
    assert {*listed} <= parameters.MODELS.keys()


def test_suggest_supports_each_model_with_further_candidates() -> None:
    assert candidates._CANDIDATES.keys() | candidates._ALONE.keys() <= {*commands.SUGGESTED}


def test_each_kind_of_skipped_rows_has_words_for_the_page() -> None:
    assert {*setting_words._VALUES["skip_rows"]} == {*SKIPPED}


def test_the_roles_of_columns_are_those_of_the_options() -> None:
    assert {*ROLES} == {*COLUMN_OPTIONS, "unit"} - {"numeric"}
    assert {*setting_words.ROLE_WORDS} == {*ROLES}
    assert frozenset().union(*column_rules.ENTRY_ROLES.values(), column_rules.OPTIONS_OF_ROLES.values()) <= {*ROLES}


def test_each_option_belongs_to_linked_tables_or_to_the_job() -> None:
    """Columns of numbers in any table have the decimal sign of the job."""
    of_tables = {name for name, decides in decisions(FileOptions).items() if decides is FILE} - {"decimal"}
    assert {*linked.TABLE_OPTIONS} == of_tables | {"skip_rows", "value_codes", "null", "separator"}


OTHER_ITEMS = {
    "value_codes": True, "present": "x", "with_header": True, "normalize": ["upper"], "one_code": ["dx"],
    "one_hot": ["dx*"],
}  # fmt: skip
"""Another value of each option that decides the items of a source."""


def test_each_option_that_decides_items_must_agree_in_two_releases(tmp_path: Path) -> None:
    """The releases are compared by what `null`, `unknown`, `inner_items` and `missing` remove or rename."""
    pyreadstat.write_sav(pd.DataFrame({"dx": ["E10"]}), tmp_path / "v.sav")
    of_items = {name for name, decides in decisions(FileOptions).items() if decides is ITEMS}
    assert of_items - matched_releases._OF_ITEMS == {"unknown", "inner_items", "missing"}
    assert OTHER_ITEMS.keys() | {"separator"} == matched_releases._OF_ITEMS
    read = []
    for changed in ({}, *({name: value} for name, value in OTHER_ITEMS.items())):
        settings = InputSettings(input=str(tmp_path / "v.sav"), **changed)
        data = matched_releases._Data(settings, {}, settings.source(settings.input), {})
        read.append(data.reading_of("dx"))
    assert all(one != read[0] for one in read[1:])
