"""The columns that are offered as the person, and their order."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reading.persons import offered, stays

from anonset import inspect
from anonset.columns.ids import DIFFER, UNKNOWN, agrees, evidence_of
from anonset.columns.persons import all_persons, are_cut, possible_persons

pytestmark = pytest.mark.compiled


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("key", ["key7", "patient_id", "UHID"])
def test_the_person_is_offered_first_under_any_header(seed, key):
    assert offered(stays(seed=seed, key=key))[0] == key


@pytest.mark.parametrize("column", ["birth_date", "admitted", "costs", "price"])
def test_dates_and_amounts_are_never_offered(column):
    assert column not in offered(stays())


@pytest.mark.parametrize("day", ["{m:02}{d:02}2022", "{d:02}{m:02}2022", "{d:02}/Nov/2023:21:{m:02}:14 +0000"])
def test_days_without_marks_are_never_offered(day):
    days = [day.format(m=1 + n % 12, d=1 + n % 28) for n in range(400)]
    assert offered({"IDATE": days, "state": [str(n % 5) for n in range(400)]}) == []


def test_addresses_of_devices_are_offered_and_sizes_are_not():
    data = {
        "remote_addr": [f"172.50.{n % 20}.{n % 7}" for n in range(400)],
        "body_bytes_sent": [str(1000 + n * 7 % 997) for n in range(400)],
    }
    assert offered(data) == ["remote_addr"]


def test_names_under_a_header_of_ids_are_names():
    people = [(f"Maier, {first}", f"{1 + n % 12:02}/{10 + k}/19{50 + n % 40}") for k in range(3) for n, first in
              enumerate(["Anna", "Peter", "Paul", "Karin", "Hans", "Julia", "Laura", "Thomas"] * 5)]  # fmt: skip
    rows = [people[n * 7 % len(people)] for n in range(480)]
    assert "Defendant,DOB" in offered(dict(zip(("Defendant", "DOB"), zip(*rows, strict=True), strict=True)))


def test_free_text_is_never_offered():
    words = ["pain", "since", "monday", "and", "fever", "but", "a", "cough", "that", "started", "after", "the", "trip"]
    rng = np.random.default_rng(2)
    texts = [" ".join(rng.choice(words, 9)) for _ in range(60)]
    data = {"Q5_8_TEXT": [texts[n % 57] for n in range(120)], "sex": ["f", "m"] * 60}
    assert offered(data) == []


def test_a_unique_contact_does_not_hide_the_person():
    rows = [(f"XYZ{1000 + n}", f"+64 21 555 {n:04d}", str(20 + n % 50), "fm"[n % 2]) for n in range(60)]
    rows += [("XYZ9999", f"+64 27 555 {n:04d}", "67", "U") for n in range(6)]
    assert offered(dict(zip(("nhi", "caller_phone", "age", "sex"), zip(*rows, strict=True), strict=True)))[0] == "nhi"


@pytest.mark.parametrize("owner", ["author_id", "owner_id", "card", "kdnr", "device", "session", "household"])
def test_a_unique_row_key_does_not_hide_the_person(owner):
    data = {"id": [str(100 + n) for n in range(90)], owner: [f"u{4000 + n * 7 // 3}" for n in range(90)]}
    data[owner][60:] = data[owner][:30]
    assert offered(data) == [owner]


def test_customers_precede_their_receipts():
    data = {
        "receipt_no": [f"R{5000 + n // 2}" for n in range(400)],
        "card_no": [f"LC{700 + n // 8}" for n in range(400)],
        "product": [f"p{n % 30}" for n in range(400)],
    }
    order = offered(data)
    assert order.index("card_no") < order.index("receipt_no")
    possible = possible_persons({name: pa.chunked_array([v]) for name, v in data.items()}, list(data))
    assert {one.columns[0]: one.part_of for one in possible}["receipt_no"] == "card_no"


def test_contacts_follow_keys_and_names_come_last():
    names = [f"{first} {last}" for first in ("Ann", "Bo", "Cid", "Dora") for last in ("Lee", "Berg", "Moss", "Stone")]
    data = {
        "name": [names[n % 16] for n in range(320)],
        "e-mail": [f"p{n % 40}@example.org" for n in range(320)],
        "customer_id": [f"K{300 + n % 40}" for n in range(320)],
    }
    assert offered(data) == ["customer_id", "e-mail", "name"]


def test_names_with_births_are_offered_together():
    data = stays(n_persons=100, n=400)
    who = {key: f"Person{chr(65 + i % 26)}{chr(97 + i // 26)}" for i, key in enumerate(dict.fromkeys(data["key7"]))}
    columns = {"surname": [who[key] for key in data["key7"]], "birth_date": data["birth_date"], "sex": data["sex"]}
    assert "surname,birth_date" in offered(columns)


def test_members_of_households_are_offered_together():
    rng = np.random.default_rng(5)
    rows = [
        (f"H{1000 + house}", str(1 + person), str(rng.integers(1930, 2010)), "fm"[rng.integers(2)])
        for house in range(80)
        for person in range(1 + house % 4)
    ]
    rows = [row for row in rows for _ in range(3)]
    columns = dict(zip(("household_id", "person_id", "birth_year", "sex"), zip(*rows, strict=True), strict=True))
    assert "household_id,person_id" in offered(columns)


def test_ids_in_other_spellings_and_missing_ids_are_counted_as_persons():
    ids = ["A-1001", "a1001", "A 1002", "", "NULL", "A1003", "A1003"]
    data = {"patient_id": pa.chunked_array([ids])}
    (one,) = possible_persons(data, ["patient_id"])
    assert (one.given, one.persons) == (5, 3)


def test_a_person_with_several_declared_ids_is_offered():
    data = {"case_no": [f"F{n // 2}" for n in range(200)], "patient_id": [f"P{n // 10}" for n in range(200)]}
    columns = {name: pa.chunked_array([values]) for name, values in data.items()}
    possible = possible_persons(columns, ["patient_id"], ["case_no"])
    assert [(one.columns, one.given, one.persons) for one in possible] == [(("patient_id",), 100, 20)]


def test_cut_numbers_are_recognized():
    assert are_cut(pa.chunked_array([["1,23479E+11", "1,23480E+11", "9,1E+11"]]))
    assert not are_cut(pa.chunked_array([["123479000001", "E+11"]]))


def test_evidence_differs_for_physicians_and_is_unknown_without_attributes():
    data = stays()
    codes = {name: np.unique(values, return_inverse=True)[1] for name, values in data.items()}
    attributes = [("sex", "sex", codes["sex"]), ("birth", "birth_date", codes["birth_date"])]
    assert evidence_of(codes["d1"], attributes) == DIFFER
    assert evidence_of(codes["d1"], []) == UNKNOWN


@given(st.lists(st.integers(0, 3), min_size=2, max_size=60))
def test_agreement_by_chance_is_no_evidence(values):
    codes = np.array(values)
    first, second = np.arange(len(codes) - 1), np.arange(1, len(codes))
    if agrees(codes, first, second):
        assert (codes[first] == codes[second]).mean() >= 0.95
        counts = np.bincount(codes).astype(float)
        assert (counts * (counts - 1)).sum() <= 0.9 * len(codes) * (len(codes) - 1)


def members(header: str, member: str, first: int = 1) -> dict[str, list[str]]:
    """Rows of persons within households, with sex and birth of each person."""
    rng = np.random.default_rng(4)
    rows = [
        (str(7000 + 3 * house), str(first + person), "fm"[rng.integers(2)], str(rng.integers(1930, 2010)))
        for house in range(60)
        for person in range(rng.integers(1, 5))
    ]
    rows = [row for row in rows for _ in range(3)]
    columns = zip(*rows, strict=True)
    return dict(zip((header, member, "sex", "birth_year"), map(list, columns), strict=True))


@pytest.mark.parametrize(("header", "member"), [("SERIAL", "PERNUM"), ("policy_no", "dep"), ("hid", "pnr")])
def test_a_column_numbers_the_members_of_a_household_if_their_rows_agree(header, member):
    assert offered(members(header, member))[0] == f"{header},{member}"


def test_a_household_without_agreeing_members_is_offered_alone():
    data = members("policy_no", "week")
    rng = np.random.default_rng(1)
    data["week"] = [str(number) for number in rng.integers(1, 50, len(data["week"]))]
    assert "policy_no,week" not in offered(data)


def possible(data: dict[str, list[str]]) -> dict[str, bool]:
    """Return whether each offered column precedes the answer that each row is a person."""
    found = possible_persons({name: pa.chunked_array([values]) for name, values in data.items()}, list(data))
    return {",".join(one.columns): one.is_likely for one in found if one.repeats}


@pytest.mark.parametrize("header", ["Q3", "HW1 (123)", "How many years of service?"])
def test_small_numbers_without_a_telling_header_are_only_named(header):
    data = {"id": [str(n) for n in range(400)], header: [str(18 + n % 40) for n in range(400)]}
    assert not possible(data)
    assert named(data) == {header}


def test_first_names_and_surnames_are_offered_only_together():
    rows = [(f"F{chr(97 + n % 9)}", f"S{chr(97 + n // 9 % 11)}") for n in range(99)] * 4
    data = dict(zip(("first_name", "last_name"), map(list, zip(*rows, strict=True)), strict=True))
    assert list(possible(data)) == ["first_name,last_name"]


def test_names_that_recur_beside_distinct_person_keys_follow_the_answer_row():
    names = [f"{first} {last}" for first in ("Ann", "Bo", "Cid", "Dora") for last in ("Lee", "Berg", "Moss", "Stone")]
    data = {"name": [names[n % 16] for n in range(320)], "patient_id": [f"P{1000 + n}" for n in range(320)]}
    assert possible(data) == {"name": False}
    assert possible({"name": data["name"]}) == {"name": True}


@pytest.mark.parametrize("key", ["id", "uuid", "visit_id"])
def test_a_unique_row_key_does_not_place_the_rows_before_names(key):
    names = [f"{first} {last}" for first in ("Ann", "Bo", "Cid", "Dora") for last in ("Lee", "Berg", "Moss", "Stone")]
    data = {key: [f"V{1000 + n}" for n in range(320)], "patient_name": [names[n % 16] for n in range(320)]}
    assert possible(data) == {"patient_name": True}


def test_numbers_of_equal_length_precede_the_rows_and_years_are_only_named():
    data = {"Badge": [str(4010 + n % 90 * 7) for n in range(900)], "wave": [str(1990 + n % 30) for n in range(900)]}
    assert possible(data) == {"Badge": True}
    assert named(data) == {"wave"}


def test_namesakes_in_different_places_are_not_offered():
    rng = np.random.default_rng(3)
    names = [f"{first} {last}" for first in ("Ann", "Bo", "Cid", "Dora") for last in ("Lee", "Berg", "Moss", "Stone")]
    data = {"name": [names[n % 16] for n in range(320)], "postcode": [str(c) for c in rng.integers(10000, 10060, 320)]}
    assert "name" not in possible(data)


def named(data: dict[str, list[str]]) -> set[str]:
    """Return the columns that repeat and are only named as further possible persons."""
    found = all_persons({name: pa.chunked_array([values]) for name, values in data.items()}, list(data))
    return {",".join(one.columns) for one in found if one.repeats and not one.is_offered}


def test_columns_with_little_evidence_are_named_but_not_offered():
    data = {
        "colour_name": ["red", "green", "blue", "black"] * 100,
        "wave": [str(n % 40) for n in range(400)],
        "amount": [f"{n % 7}.25" for n in range(400)],
    }
    assert not possible(data)
    assert named(data) == {"wave"}


def test_ids_that_a_program_writes_as_floats_are_offered_first():
    data = {
        "Receipt": [f"R{5000 + n // 2}" for n in range(400)],
        "Member": [f"{13000 + 7 * (n // 8)}.0" for n in range(400)],
        "Price": [f"{n % 90}.5" for n in range(400)],
    }
    assert offered(data) == ["Member", "Receipt"]


def test_a_case_and_a_small_number_beside_it_are_named_together():
    data = {"caseid": [str(7000 + n // 4) for n in range(400)], "hvidx": [str(n % 4 // 2 + 1) for n in range(400)]}
    assert "caseid,hvidx" in named(data)


def test_names_that_rarely_repeat_are_only_named():
    data = {"name": ["Ann Lee", "Ann Lee", "Bo Berg", "Cid Moss"], "age": ["30", "30", "31", "41"]}
    assert not possible(data)
    assert named(data) == {"name"}


def test_names_at_addresses_that_rarely_recur_are_only_named():
    names = [f"F{n % 390} S{n % 390}" for n in range(400)]
    data = {"name": names, "street_address": [f"{1 + n % 390} Main Street" for n in range(400)]}
    assert "name,street_address" in named(data)


def test_kinds_of_events_are_no_households() -> None:
    data = {
        "cost_domain_id": [("Drug", "Visit", "Procedure", "Device")[n % 4] for n in range(30)],
        "paid_patient_copay": [str(n % 3 * 5) for n in range(30)],
    }
    assert not any("," in name for name in {*possible(data), *named(data)})
    data["cost_domain_id"] = [f"D{17 * (n % 4) + 300}" for n in range(30)]
    assert any("," in name for name in {*possible(data), *named(data)})


@pytest.mark.parametrize(
    ("header", "values"),
    [
        ("fare", [str(700 + n % 90 * 37) for n in range(400)]),
        ("started", [f"2024-03-{1 + n % 28:02d} 10:{n % 60:02d}" for n in range(400)]),
        ("What should change?", [f"more light in room {n % 90} of the house" for n in range(400)]),
        ("I feel safe", [("Agree", "Disagree", "Neutral")[n % 3] for n in range(400)]),
        ("tools", [("SAS;R", "R;Stata", "SAS")[n % 3] for n in range(400)]),
    ],
)
def test_amounts_moments_texts_and_answers_are_not_listed(header, values):
    data = {"id": [str(n) for n in range(400)], header: values}
    assert not possible(data) | dict.fromkeys(named(data))


def test_ids_in_few_rows_are_only_named():
    data = {"prev_card_no": [f"{26100000 + n}" if n % 5 == 0 else "" for n in range(200)] * 2}
    assert not any(possible(data).values())


def test_sensitive_words_above_keys_do_not_hide_the_person():
    data = {
        "Chromosome": [f"chr{1 + n * 7 % 22}" for n in range(600)],
        "Tumor_Sample_Barcode": [f"TCGA-AA-{1000 + n // 9}-01A" for n in range(600)],
        "Hugo_Symbol": [("TP53", "KRAS", "EGFR", "PTEN")[n * 5 % 4] for n in range(600)],
    }
    assert offered(data)[0] == "Tumor_Sample_Barcode"


@pytest.mark.parametrize("header", ["record_id", "user_id"])
def test_running_numbers_below_a_header_that_names_an_id_precede_rows(header):
    data = {
        header: [str(1 + n // 3) for n in range(240)],
        "event": [("fall", "pain", "cough")[n % 3] for n in range(240)],
    }
    assert inspect(data).question.answers[0].unit == (header,)


FIRST_NAMES = ["Anna", "Peter", "Paul", "Karin", "Hans", "Julia", "Laura", "Thomas"]


@pytest.mark.parametrize(
    ("header", "form"), [("Konto", "K-{}"), ("email", "family{}@mail.example"), ("Telefon", "+49 89 {}")]
)
def test_an_account_of_a_family_is_offered_with_the_first_name(header, form):
    data = members(header, "Vorname")
    data[header] = [form.format(int(house) * 37 + 400_000) for house in data[header]]
    data["Vorname"] = [FIRST_NAMES[int(one)] for one in data["Vorname"]]
    assert offered(data)[0] == f"{header},Vorname"


@pytest.mark.parametrize("n", [100, 1_000, 5_000])
def test_keys_of_groups_of_digits_precede_weeks_places_and_rows(n):
    rng = np.random.default_rng(7)
    persons = rng.integers(1, n // 6, n)
    columns = {
        "Tessera": [f"IT-178.{one:03}" for one in persons],
        "PRODUCT_ID": [str(number) for number in rng.integers(1, 90_000, n)],
        "STORE_ID": [str(number) for number in rng.integers(1, 30, n)],
        "WEEK_NO": [str(number) for number in rng.integers(1, 100, n)],
    }
    found = possible_persons({name: pa.chunked_array([values]) for name, values in columns.items()}, list(columns))
    assert found[0].columns == ("Tessera",)
    assert found[0].precedes_rows(found)
    assert not any({"WEEK_NO", "STORE_ID", "PRODUCT_ID"}.intersection(one.columns) for one in found)


def _watches(n: int) -> dict[str, list[str]]:
    return {"Id": [f"{8253242879 + 17 * (row // 15)}" for row in range(n)], "Calories": _figures(n, 1500, 2900)}


def _taps(n: int) -> dict[str, list[str]]:
    cards = [f"3085 29{n % 97:02} 8763 {1000 + n:04}" for n in range(n)]
    return {
        "tap_no": [str(row) for row in range(n)],
        "stop_id": _figures(n, 1, 16),
        "card_id": [cards[row // 15] for row in range(n)],
    }


def _figures(n: int, low: int, high: int) -> list[str]:
    return [str(one) for one in np.random.default_rng(3).integers(low, high, n)]


@pytest.mark.parametrize(("person", "layout"), [("Id", _watches), ("card_id", _taps)])
def test_the_first_person_is_the_same_for_few_and_many_rows(person, layout):
    assert [offered(layout(n))[0] for n in (60, 300, 5_000)] == [person] * 3


@pytest.mark.parametrize(("guests", "first"), [(0, "customer_id"), (2, "email")])
def test_an_id_that_many_rows_lack_follows_an_id_of_all_rows(guests, first):
    persons = [n // 5 for n in range(400)]
    data = {
        "customer_id": ["" if n % 5 < guests else str(7 * n // 2 % 1000) for n in persons],
        "email": [f"p{n}@mail.example" for n in persons],
    }
    assert offered(data)[0] == first


def test_a_full_name_with_the_birth_is_offered_without_the_name_of_another_person():
    rng, parts = np.random.default_rng(5), ["Ada", "Bea", "Celia", "Della", "Elsa", "Fay", "Gus", "Hanna", "Ivo", "Jon"]
    names = [f"{first} {last}son" for first in parts for last in parts]
    data = {
        "defendant_name": [names[n // 4] for n in range(400)],
        "attorney_name": [names[one] for one in rng.integers(0, 100, 400)],
        "dob": [f"{1950 + n // 4 % 50}-03-{1 + n // 4 % 28:02}" for n in range(400)],
    }
    columns = [one.columns for one in possible_persons({k: pa.chunked_array([v]) for k, v in data.items()}, [*data])]
    assert ("defendant_name", "dob") in columns
    assert not [one for one in columns if "attorney_name" in one]


def test_surnames_of_two_words_belong_to_the_first_names_beside_them():
    first, last = ["Ana", "Blas", "Celia", "Diego", "Elena"], ["Vidal Cano", "Ortiz Gil", "Peña Soto", "Rubio Sanz"]
    who = [n // 4 for n in range(400)]
    data = {
        "Nombre": [first[n % 5] for n in who],
        "Apellidos": [last[n // 5 % 4] for n in who],
        "Nacimiento": [f"{1 + n % 28:02}/03/{1950 + n % 50}" for n in who],
    }
    assert offered(data) == ["Nombre,Apellidos,Nacimiento"]
    complete = data | {"Apellidos": [f"{first[n % 5]} {last[n // 5 % 4]}" for n in who]}
    assert "Nombre,Apellidos,Nacimiento" not in offered(complete)
    surnames = data | {"Nombre": [["Mora", "Cruz", "Nieto", "Ramos", "Soler"][n % 5] for n in who]}
    assert "Nombre,Apellidos,Nacimiento" not in offered(surnames)


@pytest.mark.parametrize("time", ["{:02}h{:02}", "{}:{:02}", "{} h {:02}"])
def test_cards_are_offered_in_each_language_and_times_of_the_day_are_not(time):
    cards = [n // 4 for n in range(400)]
    data = {
        "N° carte": [f"2970 {n * 53 % 1000:04} {n:04} {n % 10}" for n in cards],
        "Heure": [time.format(8 + n * 7 % 12, n * 11 % 60) for n in range(400)],
    }
    assert offered(data) == ["N° carte"]


@pytest.mark.parametrize("own", [True, False])
def test_addresses_of_networks_follow_the_names_of_persons(own):
    people = [f"{a} {b}" for a in ("Ada", "Bea", "Celia", "Della", "Elsa") for b in ("Alder", "Brook", "Croft", "Dale")]
    data = {
        "IP address": [f"10.0.{n % 20}.{n % 60}" if own else f"10.0.{n % 7}.{n % 35}" for n in range(400)],
        "User full name": [people[n % 20] for n in range(400)],
    }
    assert offered(data) == ["User full name", "IP address"]
