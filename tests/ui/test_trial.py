"""A trial belongs to the settings of the data and the model that it used."""

from pathlib import Path
from typing import Any

import pytest

from anonset.settings.job import Job
from anonset.settings.settings import InputSettings
from anonset.ui.state.folder import Folder
from anonset.ui.state.trial import Trial

JOB: dict[str, Any] = {"items": ["codes"], "relational": ["age"], "hierarchy": {"codes": "prefix:1", "age": "range"}}


@pytest.mark.parametrize(
    "name", sorted({*InputSettings.model_fields} - {"input", "hierarchy"} | {"k", "model", "round_ends"})
)
def test_a_trial_of_other_settings_does_not_suit(name):
    trial = Trial("v.toml", Job(JOB), Folder(Path()))
    assert trial.suits(Job(JOB))
    assert not trial.suits(Job({**JOB, name: ["other"]}))


def test_a_candidate_may_change_the_hierarchy_of_the_items():
    trial = Trial("v.toml", Job(JOB), Folder(Path()))
    assert trial.suits(Job({**JOB, "algorithm": "exact", "hierarchy": {"codes": "balanced:5", "age": "range"}}))
    assert not trial.suits(Job({**JOB, "hierarchy": {"codes": "prefix:1", "age": "values"}}))
