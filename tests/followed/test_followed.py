"""Following the printed advice literally never publishes classes of fewer than k persons, or names."""

import json
from pathlib import Path

import pytest
from tests.facts import names

from followed.follow import follow, judge, run
from followed.raw_files import RAW_FILES

pytestmark = [pytest.mark.compiled, pytest.mark.long]


SAFE = [
    "german_diagnoses",
    "crosses",
    "prescriptions",
    "cases_of_named",
    "visits_without_ids",
    "absences",
    "shop_orders",
    "orders_by_name",
    "claims_by_combination",
    "survey_with_one_secret",
    "survey_with_secrets",
    "long_claims",
    "disagreeing",
]


@pytest.mark.parametrize("name", SAFE)
def test_a_publication_protects_persons(tmp_path: Path, name: str) -> None:
    raw = RAW_FILES[name](120, 7)
    way = follow(tmp_path, raw)
    assert way.published is not None, way.printed[-1]
    not_offered = name == "visits_without_ids"  # a combination of columns: the job asks for a job with its roles
    assert sum(code != 0 for code in way.codes) == not_offered
    assert not any(secret in text for text in way.printed for secret in raw.secrets if len(secret) > 5)
    judgement = judge(raw, way.published)
    assert (judgement.smallest_class >= 5, judgement.persons_below_k, judgement.secrets, judgement.clear) == (
        True,
        0,
        (),
        (),
    )


@pytest.mark.parametrize("name", ["absences", "shop_orders", "orders_by_name", "long_claims", "disagreeing"])
def test_a_job_does_not_run_until_the_unit_of_privacy_is_set(tmp_path: Path, name: str) -> None:
    raw = RAW_FILES[name](120, 7)
    (tmp_path / raw.name).write_bytes(raw.content)
    assert run(tmp_path, f"anonset inspect {raw.name} -o job.toml")[0] == 0
    code, printed = run(tmp_path, "anonset anonymize job.toml")
    assert (code, printed.count("\n")) == (2, 1)
    assert names(printed, f"unit {raw.unit} {len(raw.persons):,} rows {len(set(raw.persons))} persons")
    assert 'unit = "row"' in printed


@pytest.mark.parametrize("name", ["absences", "shop_orders", "disagreeing"])
def test_rows_that_are_stated_to_be_persons_are_declared(tmp_path: Path, name: str) -> None:
    """The owner is responsible for the wrong answer: the run succeeds, and the attestation states the unit."""
    way = follow(tmp_path, RAW_FILES[name](120, 7), unit="row")
    assert way.published is not None, way.printed[-1]
    attested = json.loads((way.published / "attestation.json").read_text())
    assert attested["declarations"]["unit"] == "row, declared a person"
    assert names(way.printed[-1], f"warning '--unit {RAW_FILES[name](120, 7).unit}'")


@pytest.mark.parametrize("name", ["absences", "shop_orders", "disagreeing"])
def test_rows_of_unknown_persons_are_not_called_persons(tmp_path: Path, name: str) -> None:
    way = follow(tmp_path, RAW_FILES[name](120, 7), unit="unknown")
    assert way.published is not None, way.printed[-1]
    attested = json.loads((way.published / "attestation.json").read_text())
    assert attested["declarations"]["unit"] == "row, person unknown"
    assert "a different person" not in way.printed[-1]
    assert names(way.printed[-1], f"warning '--unit {RAW_FILES[name](120, 7).unit}'")


def test_a_wrong_id_is_declared_as_the_owners_word(tmp_path: Path) -> None:
    way = follow(tmp_path, RAW_FILES["shop_orders"](120, 7), unit="order_no")
    assert way.published is not None, way.printed[-1]
    assert json.loads((way.published / "attestation.json").read_text())["declarations"]["unit"] == "person"
    assert names(way.printed[-1], "warning '--unit kontakt'")


def test_ids_that_a_spreadsheet_rounded_identify_nobody(tmp_path: Path) -> None:
    way = follow(tmp_path, RAW_FILES["spoilt_numbers"](250, 7), unit="Fallnummer")
    assert way.published is None
    assert names(way.printed[-1], "Fallnummer text")
