"""Misspelled sensitive items are reported when anonymizing and when verifying."""

from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.facts import names, refused

import anonset
from anonset.cli.main import main
from anonset.errors import InputError
from anonset.spelling import as_options, spelled_by

ROWS = [{"hiv", "a"}, {"flu", "a"}, {"a", "b"}, {"a", "b"}, {"b"}, {"b"}]
LM = partial(anonset.LmApriori, k=2, l=2, m=1)
MM = partial(anonset.CoherenceSuppression, h=0.5, k=2, p=1)


@pytest.mark.parametrize("algorithm", [LM, MM])
@pytest.mark.parametrize(
    ("named", "message"),
    [
        (("HIV",), "sensitive HIV items"),
        (("hiv", "hvi"), "sensitive hvi items hiv"),
        (("x", "y", "z"), "sensitive x items 2 sensitive_items"),
    ],
)
def test_misspelled_sensitive_items_are_rejected(algorithm: Any, named: tuple[str, ...], message: str) -> None:
    table = anonset.Table.from_sets(ROWS)
    with refused(InputError, message):
        anonset.anonymize(table, algorithm(sensitive_items=named), hierarchies={"items": "balanced:2"})


def test_the_command_line_names_the_option() -> None:
    table = anonset.Table.from_sets(ROWS)
    with spelled_by(as_options), refused(InputError, "1 --sensitive-items"):
        anonset.anonymize(table, MM(sensitive_items=("x", "y")))
    with spelled_by(as_options), refused(InputError, "lm --sensitive-items"):
        anonset.anonymize(table, LM(), hierarchies={"items": "balanced:2"})


def test_absent_sensitive_items_are_rejected() -> None:
    table = anonset.Table.from_sets(ROWS, universe=["a", "b", "flu", "hiv", "rare"])
    with refused(InputError, "sensitive rare items"):
        anonset.anonymize(table, MM(sensitive_items=("rare",)))


def test_diversity_without_sensitive_items_is_rejected() -> None:
    with refused(InputError, "lm sensitive_items"):
        anonset.anonymize(anonset.Table.from_sets(ROWS), LM(), hierarchies={"items": "balanced:2"})
    assert anonset.anonymize(anonset.Table.from_sets(ROWS), MM()).verdict.holds


@pytest.mark.parametrize("algorithm", [LM, MM])
def test_an_empty_table_is_not_checked_for_sensitive_items(algorithm: Any) -> None:
    release = anonset.anonymize(
        anonset.Table.from_sets([]), algorithm(sensitive_items=("hiv",)), hierarchies={"items": "balanced:2"}
    )
    assert release.publication.n == 0


def test_verification_rejects_misspelled_sensitive_items(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "made.csv"
    path.write_text("codes\nhiv a\nhiv a\na\nb\nb\n")
    settings = ["--items", "codes", "--model", "coherence", "--k", "2", "--p", "1", "--h", "0.5", "--sensitive-items"]
    assert main(["verify", str(path), *settings, "hiv"]) == 1
    assert main(["verify", str(path), *settings, "HIV"]) == 2
    assert names(capsys.readouterr().err, "sensitive HIV codes")
