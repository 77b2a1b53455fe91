"""Lists of settings in the code name settings that exist."""

from collections.abc import Iterable

import pytest

from anonset.cli import flags
from anonset.jobs import complete_settings, findings
from anonset.jobs.proposals import proposal
from anonset.jobs.runs import matched_releases
from anonset.reading import linked
from anonset.settings import overriding, table_lines
from anonset.settings.commands import EvaluateSettings, InspectSettings, suggest_settings_model
from anonset.settings.compare import compare_settings_model
from anonset.settings.publication import ReportSettings, RiskSettings, check_settings_model
from anonset.settings.settings import settings_model

MODELS = (
    settings_model(), compare_settings_model(), suggest_settings_model(), check_settings_model(), InspectSettings,
    EvaluateSettings, ReportSettings, RiskSettings,
)  # fmt: skip
KNOWN = {"labels", "cluster_tls", *(name for model in MODELS for name in model.model_fields)}


@pytest.mark.parametrize(
    "listed",
    [
        findings._OF_ANSWERS, complete_settings._OF_UNITS, complete_settings._PROPOSED_ANEW, proposal._NOT_READ,
        matched_releases._NOT_OF_RECORDS, overriding._MOVES,
        table_lines.TABLE_ROLES, linked.TABLE_OPTIONS,
        [name for names in flags._HELP_GROUPS.values() for name in names],
    ],
)  # fmt: skip
def test_lists_name_settings_that_exist(listed: Iterable[str]) -> None:
    assert {*listed} <= KNOWN
