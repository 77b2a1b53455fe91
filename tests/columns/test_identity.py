"""Spellings of ids that are the same person."""

import unicodedata
from itertools import product

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reference import identity

from anonset import arrow
from anonset.columns.id_findings import person_signs
from anonset.columns.identity import are_given, folded
from anonset.data.storage.store import MEMORY, Files
from anonset.data.table_facts import SPELLINGS
from anonset.errors import InputError
from anonset.jobs.proposals.inspect import inspect
from anonset.jobs.runs.persons import require_persons
from anonset.reading.batches import FIRST_ROWS
from anonset.reading.options import ReadOptions
from anonset.reading.read import read
from anonset.reading.scan import scan
from anonset.reading.table_builder import gather_files
from effort import examples

_ALPHABET = "09aAbZ .-/@:'`()+,_\u00df\u1e9e\u03c2\u03a3\u0130\u0131\u00e9\u0301"
_ALPHABET += "\u200b\u2019\u2013\u00a0\u0663\uff11\u00b4\ufe0f"
_PARTS = [
    "Patient/", "person/", "https://h.org/", "/_history/", "+49", "0049", "(0)", "00:00", ".0", ",00", ".000",
    "1975", "-03-", "03.04.", "10", "1", "T",
]  # fmt: skip
_IDS = st.lists(st.sampled_from(_PARTS) | st.text(_ALPHABET, max_size=3), max_size=5).map("".join) | st.text(
    st.characters(exclude_categories=["Cn", "Cs"]), max_size=8
)


def _folded(*ids: str) -> list[str]:
    return folded(arrow.text_array(ids)).to_pylist()


@given(st.lists(_IDS, max_size=5))
@settings(max_examples=examples(2000), deadline=None)
def test_uniform_spellings_equal_those_of_the_naive_twin(ids):
    assert _folded(*ids) == list(map(identity.folded, ids))
    assert [bool(uniform) for uniform in _folded(*ids)] == are_given(arrow.text_array(ids)).tolist()


@pytest.mark.parametrize(
    "spellings",
    [
        ["Strau\u00df", "STRAUSS", "strau\u1e9e"],
        ["\u039f\u0394\u039f\u03a3", "\u03bf\u03b4\u03bf\u03c2", "\u03bf\u03b4\u03bf\u03c3"],
        ["\u0130brahim", "ibrahim", "IBRAHIM"],
        ["P\u0661\u0662", "P12", "p\uff11\u0968"],
        ["Ann  Lee", "Ann Lee", "Ann\u00a0Lee", "ann\tlee"],
        ["O\u2019Hara", "O'Hara", "O`Hara", "O\u00b4Hara"],
        ["Ann\u2013Lee", "Ann-Lee"],
        ["+49 170 123", "0049170123", "+49 (0)170/123"],
        ["17850.0", "17850", "17850,0", "017850"],
        ["3/4/1980", "03/04/1980", "3/04/1980"],
        ["Patient/1", "https://h.org/fhir/Patient/1", "patient/1/_history/2"],
    ],
    ids=lambda spellings: spellings[0],
)
def test_spellings_of_an_id_are_one_person(spellings):
    assert len({*_folded(*spellings)}) == 1


@pytest.mark.parametrize(
    "others",
    [["1.000", "1"], ["-5", "5"], ["03/04/1980", "4/3/1980"], ["Ann-Lee", "AnnLee"], ["a.b@c", "ab@c"]],
    ids=str,
)
def test_other_ids_stay_apart(others):
    assert len({*_folded(*others)}) == len(others)


@given(st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8))
@settings(max_examples=examples(200), deadline=None)
def test_forms_of_the_same_letters_are_the_same_id(text):
    composed, apart = unicodedata.normalize("NFC", text), unicodedata.normalize("NFD", text)
    with_hyphen = "\u00ad".join(composed)
    ids = folded(arrow.text_array([composed, apart, with_hyphen])).to_pylist()
    assert ids == [folded(arrow.text_array([one])).to_pylist()[0] for one in (composed, apart, with_hyphen)]
    assert len({*ids}) == 1


def test_rows_of_a_person_whose_id_has_two_unicode_forms_are_merged():
    names = [unicodedata.normalize(form, "Zo\u00eb") for form in ("NFC", "NFD")] + ["Zo\u200b\u00eb", "Ann"]
    table = read(pa.table({"name": names, "item": list("abcd")}), items="item", unit="name")
    assert list(map(sorted, table.transactions.rows())) == [["a", "b", "c"], ["d"]]
    assert [str(change) for change in table.changes] == ["ids in several spellings: name of 1 person"]


@pytest.mark.parametrize(
    ("roles", "persons", "labels"),
    [
        ({"items": "item", "unit": ["id", "no"]}, 1, ["b", "P1", "c", "d"]),
        ({"sensitive": "item", "id": ["id", "no"]}, 3, ["b", "P1", "P1", "c", "P1", "d"]),
    ],
    ids=["unit", "id"],
)
def test_spellings_are_counted_and_replaced_by_the_first_in_memory_and_in_files(roles, persons, labels, tmp_path):
    data = {"id": ["b", "P1", "p1 ", "c", "p1", "d"], "no": ["2", "1", "1", "03", "01", "3"], "item": list("abcabc")}
    for store in (MEMORY, Files(tmp_path)):
        table = gather_files(pa.table(data), ReadOptions(**roles), store)
        assert sum(change.occurrences for change in table.changes if change.rule == SPELLINGS) == persons
        assert table.n == len(labels)
        assert all(list(column.labels()) == labels for column in table.ids[:1])


def test_ids_of_ascii_letters_are_folded_as_beside_other_letters():
    ids = ["".join(part) for part in product(["", "0", "A", "b "], [chr(code) for code in range(128)], ["", "1", "C"])]
    alone, beside = folded(arrow.text_array(ids)), folded(arrow.text_array([*ids, "é"]))
    assert alone.to_pylist() == beside.to_pylist()[:-1]


_PHONES = ["0170 1234567", "+49 170 1234567", "0049171/7654321", "(0171) 7654321", "+43 1701234567", "0172 1111111"]


_WITHOUT_ZERO = ["+34 612 345 678", "612345678", "34612345678", "712 345 678", "0034 712345678", "934 567 890"]


def test_numbers_of_persons_agree_if_later_rows_have_telephone_numbers_of_another_length(tmp_path):
    first = ["+34612345678", "612345678", "+34712345678", "712345678", *["812345678"] * FIRST_ROWS]
    path = tmp_path / "calls.csv"
    path.write_text("phone,item\n" + "".join(f"{phone},{'a' * 80}\n" for phone in [*first, "+3481234567", "81234567"]))
    roles = {"items": "item", "unit": "phone"}
    with pytest.raises(InputError, match="3 telephone numbers") as error:
        require_persons(read(path, **roles))
    assert [fix.effect.endswith(f"({n} persons)") for fix, n in zip(error.value.fixes, (4, 7), strict=True)] == [
        True,
        True,
    ]
    for reading in (read, scan):
        assert reading(path, **roles, normalize="phone=+34").n == 4
    phones = pa.chunked_array([[*first, "+3481234567", "81234567"]])
    assert [one.persons for one in person_signs({"phone": phones}, ["phone"])] == [4]


def test_rows_with_the_id_above_are_no_answer_to_the_country_code():
    data = pa.table({"phone": _PHONES, "item": list("abcdef")})
    with pytest.raises(InputError, match=r"\+49 in some rows"):
        require_persons(read(data, items="item", unit="phone", normalize="phone=fill-down"))


@pytest.mark.parametrize("answer", ["the same", "others"])
@pytest.mark.parametrize(
    ("phones", "country", "persons"),
    [(_PHONES, "+49", {"the same": 4, "others": 6}), (_WITHOUT_ZERO, "+34", {"the same": 3, "others": 5})],
    ids=["0 in the country", "no 0 in the country"],
)
def test_telephones_with_and_without_country_code_are_a_question(phones, country, persons, answer):
    rules, persons = {"the same": [f"phone={country}"], "others": ["phone=nfc"]}[answer], persons[answer]
    data = pa.table({"phone": phones, "item": list("abcdef")})
    roles = {"items": "item", "unit": "phone"}
    asked = (
        rf"column 'phone': 2 telephone numbers begin with \{country} in some rows and have no country code in others"
    )
    with pytest.raises(InputError, match=asked) as error:
        require_persons(read(data, **roles))
    assert [fix.settings["normalize"] for fix in error.value.fixes] == [[f"phone={country}"], ["phone=nfc"]]
    [effect] = [fix.effect for fix in error.value.fixes if fix.settings["normalize"] == rules]
    assert effect.endswith(f"({persons} persons)")
    answered = read(data, **roles, normalize=rules)
    require_persons(answered)
    assert answered.n == persons
    assert inspect(data, **roles, normalize=rules).persons == persons
    assert inspect(data, **roles).rejected


@pytest.mark.parametrize(
    "others",
    ["0170 1234567,+43 171 1234567", "000123456789,0123456789", "612345678,34612345678,712345678,34712345678"],
    ids=str,
)
def test_ids_without_a_shared_number_are_no_question(others):
    data = pa.table({"phone": others.split(","), "item": [*others.split(",")]})
    require_persons(read(data, items="item", unit="phone"))
