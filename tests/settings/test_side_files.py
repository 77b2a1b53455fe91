"""Files named by settings are identified by their content, for every setting."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel
from tests.facts import refused

from anonset.errors import InputError
from anonset.reading.sources.place import Place
from anonset.settings.commands import EvaluateSettings, InspectSettings, PolicySettings, suggest_settings_model
from anonset.settings.compare import compare_settings_model
from anonset.settings.paths import (
    DATA,
    FILES,
    content_digest,
    placed_below,
    require_unchanged,
    side_digests,
    side_files,
)
from anonset.settings.publication import RiskSettings, check_settings_model
from anonset.settings.readers import FORMS
from anonset.settings.settings import settings_model

MODELS: tuple[type[BaseModel], ...] = (
    settings_model(), check_settings_model(), compare_settings_model(), RiskSettings, EvaluateSettings, InspectSettings,
    suggest_settings_model(), PolicySettings,
)  # fmt: skip
NO_PATHS = {
    "algorithm", "algorithms", "attack", "cluster", "cost", "delimiter", "drop", "encoding", "formation", "id",
    "input_format", "items", "keep", "memory_limit", "missing", "model", "n_items", "normalize", "null", "numeric",
    "one_code", "one_hot", "present", "publish_as_is", "reading", "relational", "relational_weights", "seeds",
    "sensitive", "separator", "skip_rows", "transaction", "unit", "vary", "workers", "workload", "c", "cap", "h",
    "max_suppressed", "rho", "t", "w",
}  # fmt: skip
"""Text settings that name no file. Add a new setting here, or to the paths of `anonset.settings.paths`."""


def naming(path: str) -> dict[str, Any]:
    """Return a value that names a file, for each setting that can name a file."""
    forms = [form.setting for form in FORMS.values() if form.words is not None]
    return {
        **dict.fromkeys((*FILES, *forms), path),
        "hierarchy": {"a": path, "b": f"refine:{path}", "c": f"halves:frequency@{path}"},
        "ceiling": {"a": path},
        "sensitive_items": [f"@{path}"],
    }


def test_every_text_setting_is_classified_as_file_or_not() -> None:
    texts = {n for model in MODELS for n, field in model.model_fields.items() if "str" in str(field.annotation)}
    assert texts == NO_PATHS | naming("x").keys() | set(DATA)


def test_the_content_of_each_file_counts(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("1")
    settings = naming(str(file))
    before = side_digests(settings)
    assert len(before) == len(settings) + 2  # two more hierarchies
    file.write_text("2")
    assert all(before[name] != now for name, now in side_digests(settings).items())
    require_unchanged(settings, side_digests(settings))
    with refused(InputError, "'hierarchy a' codebook"):
        require_unchanged(settings, before)
    assert set(side_files(placed_below(naming("file"), Place(str(tmp_path)))).values()) == {str(file)}


@pytest.mark.parametrize(
    "words",
    [
        {"hierarchy": {"a": "balanced:5", "b": "values", "c": "halves:frequency", "d": "prefix:1,3"}},
        {"ceiling": {"a": "2"}}, {"sensitive_items": ["a", "b"]}, {"sensitive_items": ["@a", "b"]},
        {"privacy_constraints": "pgen"}, {"utility_constraints": "level:2"}, {"utility_constraints": "siblings:3"},
        {"item_weights": "lca"}, {"t_tree": "a;*\nb;*\n"}, {"input": "a.csv", "out": "b", "recoding": "c"},
    ],
)  # fmt: skip
def test_keywords_and_data_are_not_side_files(words: dict[str, Any]) -> None:
    assert side_files(words) == {}


def test_unknown_keywords_are_side_files() -> None:
    assert side_files({"utility_constraints": "level:two"}) == {"utility_constraints": "level:two"}


def test_folders_and_globs_have_a_digest_and_a_missing_file_has_none(tmp_path: Path) -> None:
    (tmp_path / "a.dat").write_text("1")
    result = [content_digest(str(tmp_path)), content_digest(str(tmp_path / "*.dat"))]
    assert all(result)
    (tmp_path / "a.dat").write_text("2")
    assert not {content_digest(str(tmp_path)), content_digest(str(tmp_path / "*.dat"))} & set(result)
    assert content_digest(str(tmp_path / "b")) == ""
