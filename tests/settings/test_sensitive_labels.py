"""Misspelled sensitive items are reported when anonymizing and when verifying."""

import warnings
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


OF_PERSONS = {
    "ni": list("abcdefghij"),
    "drug": ["HIV", "hiv", "HIV ", " hiv", "flu", "flu", "a", "a", "b", "b"],
    "sex": list("fm") * 5,
}
MERGED = ["drug=lower", "drug=strip-blanks"]


@pytest.mark.parametrize(
    ("algorithm", "roles"),
    [
        (anonset.SafeGrouping(k=2, l=2), {"id": "ni", "drop": "sex"}),
        (anonset.Anatomy(l=2), {"unit": "ni", "drop": "sex"}),
        (anonset.Mondrian(k=2, l=2, sensitive="drug"), {"unit": "ni", "relational": "sex"}),
    ],
)
def test_spellings_of_a_sensitive_value_are_a_warning(algorithm: Any, roles: dict[str, Any]) -> None:
    with pytest.warns(UserWarning, match="drug"):
        release = anonset.anonymize(anonset.read(OF_PERSONS, sensitive="drug", **roles), algorithm)
    (warning,) = release.warnings
    assert names(warning, f"'drug' case blanks \"{MERGED}\"")
    assert "hiv" not in warning.casefold()
    table = anonset.read(OF_PERSONS, sensitive="drug", normalize=MERGED, **roles)
    assert anonset.anonymize(table, algorithm).warnings == ()


SPELLED = [{"HIV", "a"}, {"hiv", "a"}, {"HIV", "b"}, {"hiv", "b"}, {"a", "b"}, {"A", "b"}, {"b"}, {"b"}]


@pytest.mark.parametrize("algorithm", [LM, MM, partial(anonset.Disassociation, k=2, m=2)])
@pytest.mark.parametrize("named", [("HIV",), ("HIV", "hiv"), ("b",)])
def test_spellings_of_a_sensitive_item_are_a_warning(algorithm: Any, named: tuple[str, ...]) -> None:
    rows = [*SPELLED, *({"c"} for _ in SPELLED)]  # at most half of the records contain b
    trees = {"items": "balanced:2"} if algorithm is LM else {}
    with warnings.catch_warnings(action="ignore"):
        found = anonset.anonymize(
            anonset.Table.from_sets(rows), algorithm(sensitive_items=named), hierarchies=trees
        ).warnings
    warned = any(names(warning, "'items' case blanks \"normalize='lower'\"") for warning in found)
    assert warned == ("HIV" in named)


def test_spellings_of_items_that_do_not_occur_are_no_warning() -> None:
    table = anonset.Table.from_sets(ROWS, universe=["a", "b", "flu", "hiv", "HIV"])
    assert anonset.anonymize(table, MM(sensitive_items=("hiv",))).warnings == ()


@pytest.mark.parametrize(
    ("column", "values", "rules"),
    [
        ("sex", ["f", "f", "m", "F", "M", "m"], ["sex=lower"]),
        ("sex", ["F", "F", "M", "f", "m", "m"], ["sex=upper"]),
        ("region", ["North End", "NorthEnd", "South"], ["region=strip-blanks"]),
        ("region", ["North End", "north End", "South"], ["region=upper"]),
        ("region", ["North", "South", ""], None),
        ("codes", ["I10 E11", "i10", "J45"], ["upper"]),
    ],
)
def test_inspect_counts_spellings_and_proposes_the_rules_that_merge_them(
    column: str, values: list[str], rules: list[str] | None
) -> None:
    role = "items" if column == "codes" else "relational"
    data = {column: values * 10, "age": list(range(len(values) * 10))}

    def found(**more: Any) -> list[anonset.errors.Problem]:
        findings = anonset.inspect(data, unit="row", drop="age", separator=" ", **{role: column}, **more)
        return [one for one in findings.checks if "in several spellings" in str(one)]

    problems = found()
    assert [one.fixes[0].settings for one in problems] == ([] if rules is None else [{"normalize": rules}])
    if rules is not None:
        assert found(normalize=",".join(rules)) == []
