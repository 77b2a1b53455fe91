"""The scan finds contact data, ids, dates and addresses in each role, at any share, alone and beside other columns."""

from pathlib import Path

import pytest
from tests.columns.scan_figures import KINDS, SHARING, is_found, spread, table_of, values_of

import anonset
from anonset.columns.check_digits import count_checked
from anonset.columns.personal_values import personal_kind
from anonset.release.scan.disclosure_scan import Scanner

PAGE = Path(__file__).parents[2] / "docs/development/scan.md"
SURE = (
    "e-mail address", "telephone number", "IBAN", "national id with a check digit", "full date", "time stamp",
    "address with number and postcode",
)  # fmt: skip
PERSONS = 20


@pytest.mark.parametrize("beside", [False, True])
@pytest.mark.parametrize("role", ["items", "sensitive"])
@pytest.mark.parametrize("kind", SURE)
def test_patterns_are_found_at_any_share(kind: str, role: str, *, beside: bool) -> None:
    missed = [
        (spec, sharing)
        for spec in KINDS[kind]
        for values in [values_of(spec, PERSONS)]
        for sharing in SHARING
        if not is_found(table_of(spread(values, PERSONS, sharing), role, beside=beside), role)
    ]
    assert missed == []


UNKNOWN = ("number plate", "URL of a profile", "three words", "latitude", "ZIP+4", "handle", "tax number",
           "surname with initial", "name in another script", "unknown words")  # fmt: skip


@pytest.mark.parametrize("sharing", ["unique", "shared by two"])
@pytest.mark.parametrize("kind", UNKNOWN)
def test_texts_of_few_persons_must_be_declared_as_sensitive_column(kind: str, sharing: str) -> None:
    for spec in KINDS[kind]:
        column = spread(values_of(spec, PERSONS), PERSONS, sharing)
        assert is_found(table_of(column, "sensitive", beside=False), "sensitive"), spec


@pytest.mark.parametrize("sharing", ["unique", "shared by two"])
@pytest.mark.parametrize("kind", [*UNKNOWN, "coordinates", "personnel number", "short remark"])
def test_items_of_few_persons_must_be_declared_if_each_person_has_one(kind: str, sharing: str) -> None:
    for spec in KINDS[kind]:
        column = spread(values_of(spec, PERSONS), PERSONS, sharing)
        assert is_found(table_of(column, "items", beside=True), "items"), spec


@pytest.mark.parametrize("codes", [[f"E1{i}" for i in range(20)], [f"{250 + i}.{i % 10}" for i in range(20)]])
def test_codes_of_few_persons_are_no_keys(codes: list[str]) -> None:
    assert not is_found(table_of(codes, "items", beside=False), "items")


def test_items_of_persons_with_several_are_no_keys() -> None:
    baskets = [[f"good {i}", f"ware {i}"] for i in range(20)]
    table = anonset.read({"goods": baskets, "sex": ["f", "m"] * 10}, items="goods", drop="sex", unit="row")
    assert Scanner(table, anonset.KmAnonymity(k=5, m=2)).items.keys(table.item_columns, table.transactions) == []


def test_long_numbers_of_few_persons_are_ids_and_others_are_amounts() -> None:
    ids, amounts = [str(104_233 + 7_919 * i) for i in range(40)], [str(900 + 731 * i) for i in range(40)]
    assert is_found(table_of(ids, "sensitive", beside=False), "sensitive")
    assert not is_found(table_of(amounts, "sensitive", beside=False), "sensitive")


def test_names_of_few_signs_or_with_an_initial_are_names() -> None:
    initials = ["E. Brandt", "H. Olofsson", "K.-H. Lenz", "J. Quist", "A. Meier"]
    assert personal_kind(initials) == ("name", 5)
    assert personal_kind(["王明", "唐超", "李浩然", "刘洋", "陈静"]) == ("name", 5)
    assert personal_kind(["高血压", "糖尿病", "哮喘", "肺炎", "流感"]) is None
    assert personal_kind(["E. coli", "S. aureus", "C. difficile", "H. pylori", "K. oxytoca"]) is None


@pytest.mark.parametrize(
    "label", ["+49 170 5551200", "12 Elm Street, LS1 4AB", "GB82 WEST 1234 5698 7654 32", "ann bo@c.net", "@ann_b"]
)
def test_underscores_instead_of_blanks_hide_no_contact_data(label: str) -> None:
    found = personal_kind(["E10", label])
    assert found is not None
    assert personal_kind(["E10", label.replace(" ", "_")]) == found
    assert personal_kind(["whole_milk", "rye_bread", "A_10", "0_25", "2020_01"]) is None


def test_names_with_underscores_are_names() -> None:
    assert personal_kind(["Hans_Maier", "Julia_Weber", "KARIN_OTT"]) == ("name", 3)


@pytest.mark.parametrize("labels", [
    [f"{10**10 + 7 * n}" for n in range(60)], ["0-306-40615-2", "080442957X", "3161484100"] * 2,
    ["00378-1805-01", "50242-0040-62"], ["E11.9", "I10", "1.2.3.4", "2.7.11.1"], ["19-20", "2020-01", "4.5 + 2.3"],
])  # fmt: skip
def test_codes_and_product_numbers_are_no_ids_of_persons(labels: list[str]) -> None:
    assert count_checked(labels) == 0
    found = personal_kind(labels)
    assert found is None or found[0] == "opaque key"


def test_the_page_has_a_row_for_each_kind_and_role() -> None:
    rows = [
        line.split(" | ")[0].removeprefix("| ") for line in PAGE.read_text(encoding="utf-8").splitlines() if "%" in line
    ]
    assert rows == [*KINDS] * 4
