"""Detecting that several rows belong to a person, without false alarms."""

import csv
import os
from datetime import date
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reading.persons import repeated_in, stays

import anonset
from anonset.data.store import MEMORY
from anonset.data.table_facts import RepeatedIdentifiers
from anonset.reading.persons.agreement import DIFFER, UNKNOWN, agrees, evidence_of
from anonset.reading.persons.coded_columns import coded_column
from anonset.reading.persons.duplicate_ids import WatchedCandidates, _has_equal, _Keys
from anonset.reading.persons.missing_values import counted_in
from anonset.reading.persons.unit_candidate import UnitCandidate

pytestmark = pytest.mark.compiled

ENTITIES = ("zip", "town", "d1", "p1", "specialty", "admitted", "code")


def columns(data):
    return {name: pa.chunked_array([pa.array(values)]) for name, values in data.items()}


def write(path, data):
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([data, *zip(*data.values(), strict=True)])
    return path


def roles(data, key, role="drop"):
    others = [name for name in data if name not in ("birth_date", "sex", "zip", "code", key)]
    options = {"items": "code", "relational": ["birth_date", "sex", "zip"], "drop": others}
    return options | ({role: [*options.get(role, ()), key]})


@pytest.mark.parametrize("seed", range(5))
def test_persons_are_recognized_by_birth_and_sex_under_any_column_name(seed):
    candidates = repeated_in(columns(stays(seed=seed)), list(stays()))
    assert candidates[0] == RepeatedIdentifiers("key7", ("birth_date", "sex", "zip"))
    assert not {candidate.column for candidate in candidates} & set(ENTITIES)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("n", [40, 400, 4_000])
@pytest.mark.long
def test_postcodes_wards_physicians_and_products_are_no_persons(seed, n):
    data = stays(n_persons=n, n=n, seed=seed)  # a row per person
    assert repeated_in(columns(data), list(data)) == ()
    data = stays(n_persons=max(2, n // 5), n=n, seed=seed)
    mute = {name: data[name] for name in data if name not in ("key7", "birth_date")}
    assert repeated_in(columns(mute), list(mute)) == ()
    without_key = {name: data[name] for name in data if name != "key7"}
    if n > 40:  # a person in five rows with the same day of birth, sex and town
        assert repeated_in(columns(without_key), list(without_key)) == (
            RepeatedIdentifiers("birth_date,sex,zip", ("sex", "zip")),
        )


NAMES = ["Ada", "Bela", "Cleo", "Dora", "Egon", "Fina", "Gero", "Hilda"]


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("rows", ["persons", "cases"])
@pytest.mark.long
def test_names_and_dates_of_birth_together_identify_persons(seed, rows):
    """The case number never repeats, and there is no other id."""
    n_persons = 1_500
    rng = np.random.default_rng(seed)
    data = stays(n_persons=n_persons, n=n_persons if rows == "persons" else 4_500, key="key7", seed=seed)
    who = np.unique(data.pop("key7"), return_inverse=True)[1]
    data["Nachname"] = list(rng.choice(NAMES, n_persons)[who])
    data["Fallnummer"] = [f"F{n}" for n in range(len(who))]
    for ids, grouped in (((), False), (("Fallnummer",), False), (("Fallnummer",), True)):
        expected = () if rows == "persons" else (RepeatedIdentifiers("Nachname,birth_date", ("sex", "zip")),)
        assert repeated_in(columns(data), list(data), ids, grouped=grouped) == expected
    assert repeated_in(columns(data), list(data), ("Nachname", "birth_date"), grouped=True) == ()


def test_sex_and_birth_are_recognized_by_values():
    data = stays()
    mute = dict(zip((f"v{n}" for n in range(len(data))), data.values(), strict=True))
    assert [candidate.column for candidate in repeated_in(columns(mute), list(mute))] == ["v0"]


@given(
    codes=st.lists(st.tuples(st.integers(0, 3), st.integers(-1, 3)), min_size=2, max_size=60),
)
@settings(max_examples=200)
def test_the_share_that_agrees_by_chance_is_that_of_all_pairs(codes):
    values = np.array([value for _, value in codes], np.int64)
    first, second = np.triu_indices(len(values), 1)
    given_both = (values[first] >= 0) & (values[second] >= 0)
    if given_both.any():  # over all pairs of rows, the number of agreements equals the expected number
        assert not agrees(values, first.astype(np.int64), second.astype(np.int64))


@pytest.mark.parametrize("role", ["drop", "keep", "relational"])
@pytest.mark.parametrize("key", ["key7", "patient_id"])
@pytest.mark.parametrize("form", ["csv", "parquet", "frame"])
def test_repeated_persons_are_detected_in_all_formats(tmp_path, role, key, form):
    data = stays(key=key)
    options = roles(data, key, role)
    path = write(tmp_path / "stays.csv", data)
    if form == "parquet":
        from pyarrow import parquet

        path = tmp_path / "stays.parquet"
        parquet.write_table(pa.table(data), path)
    read = anonset.read(pa.table(data) if form == "frame" else path, **options)
    assert [repeat.column for repeat in read.repeated] == [key]
    if form != "frame":
        assert anonset.scan(path, **options).repeated == read.repeated


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_an_id_that_repeats_only_in_the_last_row_is_detected(tmp_path, form):
    n = 60_000  # beyond the first rows
    data = {"patient_id": [f"p{number}" for number in range(n - 1)] + ["p7"], "note": ["x" * 20] * n, "code": ["a"] * n}
    path = write(tmp_path / "rows.csv", data)
    if form == "parquet":
        from pyarrow import parquet

        path = tmp_path / "rows.parquet"
        parquet.write_table(pa.table(data), path)
    options = {"items": "code", "drop": ["patient_id", "note"]}
    assert (
        anonset.read(path, **options).repeated
        == anonset.scan(path, **options).repeated
        == (RepeatedIdentifiers("patient_id"),)
    )
    data["patient_id"][-1] = "new"
    write(tmp_path / "distinct.csv", data)
    distinct = tmp_path / "distinct.csv"
    assert anonset.read(distinct, **options).repeated == anonset.scan(distinct, **options).repeated == ()


def test_missing_ids_do_not_repeat(tmp_path):
    data = {"patient_id": ["p1", "", "", "NA", "NA", "p2"], "code": list("aabbcc")}
    path = write(tmp_path / "rows.csv", data)
    options = {"items": "code", "drop": "patient_id"}
    assert anonset.read(path, **options).repeated == anonset.scan(path, **options).repeated == ()


@pytest.mark.parametrize("key", ["doctor", "ward_id", "zip", "product_id", "Station", "admission_type_id", "month"])
def test_a_column_that_is_about_something_else_may_repeat(key):
    data = {key: [f"v{n // 3}" for n in range(90)], "code": ["a"] * 90}
    assert anonset.read(data, items="code", drop=key).repeated == ()


def test_rows_that_are_united_are_persons():
    data = stays(key="patient_id")
    options = roles(data, "patient_id")
    options |= {
        "drop": [*(name for name in options["drop"] if name != "patient_id")],
        "id": "patient_id",
        "group": True,
    }
    assert anonset.read(data, **options).repeated == ()


def test_grouping_by_case_leaves_persons_in_several_records():
    data = stays(key="patient_id") | {"case_id": [f"c{n // 2}" for n in range(1500)]}
    options = {"items": "code", "unit": "case_id"}
    drop = [name for name in data if name not in ("code", "case_id")]
    assert anonset.read(data, **options, drop=drop).repeated == (RepeatedIdentifiers("patient_id"),)


def test_invalid_text_in_a_dropped_column_is_ignored(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_bytes(b"note,code,key\n" + b"x,a,1\n" * 9_000 + b"\xff\xfe,a,1\n" * 30)
    assert anonset.read(path, items="code", drop="note,key").repeated == ()


def test_a_line_end_within_quotes_does_not_cut_the_first_rows(tmp_path):
    data = {"patient_id": [f"p{n // 2}" for n in range(30_000)], "note": ["two\nlines, of text " * 3] * 30_000}
    path = write(tmp_path / "rows.csv", data | {"code": ["a"] * 30_000})
    for read in (anonset.read, anonset.scan):
        assert read(path, items="code", drop="patient_id,note").repeated == (RepeatedIdentifiers("patient_id"),)


@pytest.mark.data
@pytest.mark.parametrize("key", ["patient_index", "k"])
@pytest.mark.long
def test_the_patients_of_realistic_encounters_are_detected(key):
    import gzip

    source = Path(os.environ["ANONSET_DATA"]) / "rt" / "diabetes130_encounters_rt.csv.gz"
    with gzip.open(source, "rt", newline="") as file:
        rows = list(csv.reader(file))[:20_001]
    data = dict(zip([key, *rows[0][1:]], zip(*rows[1:], strict=True), strict=True))
    drop = [name for name in data if name not in ("diagnosis_codes", "race", "gender", "age")]
    table = anonset.read(data, items="diagnosis_codes", relational="race,gender,age", drop=drop, missing="value")
    assert [repeat.column for repeat in table.repeated] == [key]


@pytest.mark.long
@given(
    texts=st.lists(
        st.one_of(st.integers(-3, 30).map(str), st.integers(0, 2**70).map(str), st.text(max_size=3)), max_size=40
    ),
    last=st.sampled_from(["7", "x", ""]),
)
def test_may_repeat_is_true_for_repeats_and_false_for_distinct_values(texts, last):
    column, keys = pa.array([*texts, last], pa.large_string()), _Keys(MEMORY)
    keys.add([pa.chunked_array([column])])
    filled = [text for text in column.to_pylist() if text]
    if len(set(filled)) < len(filled):
        assert keys.may_repeat()
    elif len({int(text) if text.isdecimal() else text for text in filled}) == len(filled):
        # two numbers as text ("7", "07") may count as one; hashes never collide by chance
        assert not keys.may_repeat()


def test_ids_that_differ_in_leading_zeros_are_the_same_person():
    data = {"patient_id": ["7", "007", "8"], "code": list("abc")}
    assert [one.column for one in anonset.read(data, items="code", drop="patient_id").repeated] == ["patient_id"]


IDS = st.one_of(
    st.integers(0, 30).map(str), st.integers(0, 9).map("{:02d}".format), st.sampled_from(["", "NA", "P1", "p1", "x"])
)


@given(st.lists(st.lists(IDS, max_size=6), min_size=1, max_size=4), st.booleans())
def test_dropped_ids_repeat_batch_by_batch_as_all_at_once(parts, plain):
    columns = [pa.chunked_array([pa.array(part, pa.large_string() if plain else pa.string())]) for part in parts]
    given_values = [value.lower().lstrip("0") for part in parts for value in part if value not in ("", "NA")]
    names_asked = []

    def again(names):
        names_asked.append(names)
        return ({"patient_id": column} for column in columns)

    with WatchedCandidates((UnitCandidate(("patient_id",), "person id", 0, 0),), MEMORY, again) as seen:
        for column in columns:
            seen.add({"patient_id": column})
        repeated = [repeat.column for repeat in seen.repeated()]
    assert repeated == (["patient_id"] if len(set(given_values)) < len(given_values) else [])
    assert names_asked or not repeated


@given(st.lists(st.integers(-(2**63), 2**63 - 1), max_size=40), st.integers(1, 8), st.booleans())
def test_equal_keys_are_found_for_any_batch_size(keys, at_once, twice):
    hashes = np.array([*keys, *(keys[-1:] if twice else [])], np.int64)
    assert _has_equal(hashes, at_once) == (len(set(hashes.tolist())) < len(hashes))


N_PERSONS, N_ROWS = 60, 240


def rows_of(values):
    """Return a column in which each value occurs in several rows, with a code column."""
    return {"x": [values[n % len(values)] for n in range(N_ROWS)], "code": ["a", "b"] * (N_ROWS // 2)}


FIRST = ["Anna", "Bruno", "Clara", "David", "Emma", "Felix", "Greta", "Hugo", "Ines", "Jonas"]
VALUES = {
    "e-mail": [f"a{n}@example.org" for n in range(N_PERSONS)],
    "phone": [f"+49 30 {1_000_000 + 37 * n}" for n in range(N_PERSONS)],
    "IBAN": [f"DE{98 - int(f'{10**17 + n}131400') % 97:02d}{10**17 + n}" for n in range(N_PERSONS)],
    "UUID": [f"{n:08x}-0000-4000-8000-{7 * n:012x}" for n in range(N_PERSONS)],
    "MAC address": [f"00:1b:44:11:3a:{n:02x}" for n in range(N_PERSONS)],
    "names": [f"{FIRST[n % 10]} {chr(65 + n // 10)}berg" for n in range(N_PERSONS)],
    "opaque keys": [f"q{7919 * n}" for n in range(N_PERSONS)],
}


@pytest.mark.parametrize("values", VALUES.values(), ids=VALUES)
def test_values_that_identify_people_are_seen_under_any_header(values):
    assert [repeat.column for repeat in anonset.read(rows_of(values), items="code", drop="x").repeated] == ["x"]
    once = {"x": values, "code": ["a", "b"] * (N_PERSONS // 2)}
    assert anonset.read(once, items="code", drop="x").repeated == ()


RARELY = [f"P{10_000 + 7 * n}" for n in range(300)]


@pytest.mark.parametrize("header", ["pcode", "x", "v_1"])
def test_opaque_keys_that_repeat_rarely_are_candidates(header):
    sex = [["f", "m"][n % 2] for n in range(300)]
    data = {header: [*RARELY, *RARELY[:8]], "code": ["a", "b"] * 154, "sex": [*sex, *sex[:8]]}
    read = anonset.read(data, items="code", relational="sex", drop=header)
    assert [repeat.column for repeat in read.repeated] == [header]
    assert [answer.unit for answer in anonset.inspect(data, k=2, m=1).question.answers] == [(header,), ()]


@pytest.mark.parametrize(
    "others",
    [
        {"patient_id": [f"p{n}" for n in range(340)]},
        {"sex": [*(["f"] * 300), *(["m"] * 40)]},
    ],
    ids=["each row has a person id", "the sex differs"],
)
def test_opaque_keys_that_repeat_rarely_are_no_candidates_against_evidence(others):
    data = {"lot": [*RARELY, *RARELY[:40]], "code": ["a", "b"] * 170, **others}
    read = anonset.read(data, items="code", drop=[name for name in data if name != "code"])
    assert read.repeated == ()


@pytest.mark.parametrize(
    "header",
    ["Schüler", "pupil_no", "Benutzername", "login", "device_id", "IMEI", "Versicherungsnummer", "policy_no",
     "Konto-Nr", "customer_email", "handynummer", "order_id", "Leser-Nr"],
)  # fmt: skip
def test_identifying_headers_are_recognized_for_any_values(header):
    data = rows_of([str(n) for n in range(N_PERSONS)])
    data = {header: data["x"], "code": data["code"]}
    assert [repeat.column for repeat in anonset.read(data, items="code", drop=header).repeated] == [header]


@pytest.mark.parametrize("header", ["doctor_email", "hospital phone", "teacher name", "shop_id", "price", "Klasse"])
def test_physicians_shops_and_attributes_are_no_persons(header):
    values = VALUES["e-mail"] if "email" in header else [str(n) for n in range(N_PERSONS)]
    data = rows_of(values)
    data = {header: data["x"], "code": data["code"]}
    assert anonset.read(data, items="code", drop=header).repeated == ()


def test_first_name_and_surname_are_one_candidate_despite_namesakes():
    data = {
        "Vorname": [FIRST[n % 10] for n in range(200)],
        "Nachname": [f"{'ABCDEF'[n % 6]}mann" for n in range(200)],
        "nr": [f"p{n}" for n in range(200)],
        "code": ["a", "b"] * 100,
    }
    others = {"items": "code", "drop": "Vorname,Nachname,nr"}
    assert [repeat.column for repeat in anonset.read(data, **others).repeated] == ["Vorname,Nachname"]
    assert anonset.read(data, items="code", drop="Vorname,Nachname", unit="nr").repeated == ()


def test_an_e_mail_address_that_repeats_only_in_the_last_row_is_detected(tmp_path):
    n = 60_000  # beyond the first rows
    data = {"contact": [f"a{number}@b.org" for number in range(n - 1)] + ["a7@b.org"], "code": ["a"] * n}
    path = write(tmp_path / "rows.csv", data)
    for read in (anonset.read, anonset.scan):
        assert [repeat.column for repeat in read(path, items="code", drop="contact").repeated] == ["contact"]


def test_cases_of_one_e_mail_address_are_not_persons():
    data = {
        "order_no": [f"o{n // 2}" for n in range(240)],
        "email": [f"a{n // 6}@b.org" for n in range(240)],
        "code": ["a", "b"] * 120,
    }
    result = anonset.read(data, items="code", unit="order_no", drop="email").repeated
    assert [repeat.column for repeat in result] == ["email"]


CELLS = st.sampled_from(["a", "b", "c", "", None])


@given(st.lists(st.tuples(CELLS, CELLS, CELLS), max_size=20), st.integers(1, 3))
def test_persons_are_counted_like_distinct_tuples(rows: list[tuple[str | None, ...]], columns: int) -> None:
    loaded = [pa.chunked_array([[row[i] for row in rows]], pa.string()) for i in range(columns)]
    complete = [row[:columns] for row in rows if all(row[:columns])]
    assert counted_in(loaded) == (len(complete), len(set(complete)))


def repeats_under(header, values, other="note"):
    n = len(values)
    data = {header: values, other: [f"r{number}" for number in range(n)], "code": ["a", "b"] * (n // 2)}
    return [repeat.column for repeat in anonset.read(data, items="code", drop=f"{header},{other}").repeated]


def test_columns_of_few_values_are_never_candidates():
    values = [f"{n % 4}T" for n in range(N_ROWS)]
    assert repeats_under("Tax code", values) == []
    assert repeats_under("Tax code", [f"{n % 60}T" for n in range(N_ROWS)]) == ["Tax code"]


def test_cells_of_a_network_are_no_telephone_numbers():
    assert repeats_under("Cell", [str(20_000 + n % 60) for n in range(N_ROWS)]) == []
    assert repeats_under("Cell", [str(5_551_234_000 + n % 60) for n in range(N_ROWS)]) == ["Cell"]


def test_street_addresses_are_candidates_without_other_candidates():
    values = [f"{n % 60 + 1} Elm Street, LS{n % 60 % 6} 4AB" for n in range(N_ROWS)]
    assert repeats_under("deliver_to", values) == ["deliver_to"]
    assert repeats_under("deliver_to", values, other="patient_id") == []
    assert repeats_under("product", [f"{n % 60 + 1} g Mehl" for n in range(N_ROWS)]) == []


def families(n=60, *, moves=True):
    """Return rows of families, some of which moved, with a clerk per row."""
    rows = [(case, member, move) for case in range(n) for member in range(1, 4) for move in range(1 + moves)]
    return {
        "case_no": [f"{5_000_000 + 31 * case}" for case, _, _ in rows],
        "person_no": [str(member) for _, member, _ in rows],
        "birth": [f"{1950 + (7 * case + 13 * member) % 60}-0{1 + member}-1{case % 9}" for case, member, _ in rows],
        "sex": ["fm"[(case + member) % 2] for case, member, _ in rows],
        "clerk": [f"Dr. {'ABCDEFGHIJKL'[n % 12]}bel" for n in range(len(rows))],
        "facility": [f"F{(case + move) % 5}" for case, _, move in rows],
    }


@pytest.mark.parametrize("moves", [False, True])
def test_numbered_persons_of_a_case_are_candidates_before_the_case(moves):
    inspection = anonset.inspect(families(moves=moves))
    units = [answer.unit for answer in inspection.question.answers]
    assert units[0] == ("case_no", "person_no")
    assert inspection.question.answers[0].persons == 180
    assert ("clerk",) not in units[:2]


def test_candidates_with_differing_births_rank_last():
    data = families()
    data["stay"] = [f"9{int(case)}{member}" for case, member in zip(data["case_no"], data["person_no"], strict=True)]
    del data["case_no"], data["person_no"]
    units = [answer.unit for answer in anonset.inspect(data).question.answers]
    assert units[0] == ("stay",)


def visits(form, *, sex):
    """Return 3 visits of 120 patients. In a third of the rows, the date of birth is written as `form`."""
    births = [date(1940 + n % 60, 1 + n % 12, 1 + n % 28) for n in range(120)]
    rows = [(n, visit) for visit in range(3) for n in range(120)]
    forms = [form if (n + visit) % 3 == 0 else "%Y-%m-%d" for n, visit in rows]
    data = {"name": [f"Ann{n % 97} Berg" for n, _ in rows]}
    data |= {"birth": [births[n].strftime(form) for (n, _), form in zip(rows, forms, strict=True)]}
    data |= {"patient_id": [f"P{1000 + n}" for n, _ in rows], "plz": [f"0410{n % 5}" for n, _ in rows]}
    data |= {"sex": ["fm"[n % 2] for n, _ in rows]} if sex else {}
    return data | {"diagnosis": [f"E1{(n + visit) % 5}.{visit}" for n, visit in rows]}


@pytest.mark.parametrize("sex", [False, True])
@pytest.mark.parametrize("form", ["%d.%m.%Y", "%Y/%m/%d", "%Y-%m-%d 00:00:00"])
def test_dates_of_birth_in_several_formats_are_one_person(form, sex):
    data = visits(form, sex=sex)
    answers = anonset.inspect(data).question.answers
    assert [(answer.key, answer.persons) for answer in answers[:2]] == [("patient_id", 120), ("name,birth", 120)]
    table = anonset.read(
        data, items="diagnosis", drop=[*data.keys() - {"diagnosis", "name", "birth"}], unit=["name", "birth"]
    )
    assert table.n == 120


@pytest.mark.parametrize("sex", [False, True])
def test_an_id_precedes_names_and_births_that_count_its_persons_several_times(sex):
    lines = anonset.inspect(visits("%d/%m/%Y", sex=sex)).question.lines()
    assert lines[:2] == [
        'unit = "patient_id" # 360 rows, 120 persons',
        'unit = "name,birth" # 360 rows, 240 persons, some with the same patient_id',
    ]


def test_births_that_differ_in_format_only_are_no_evidence():
    data = visits("%d/%m/%Y", sex=False)
    in_two_formats = coded_column("birth", columns(data)["birth"])
    assert (in_two_formats.comparable >= 0).tolist() == ["-" in birth for birth in data["birth"]]


def test_rows_whose_births_cannot_be_compared_are_no_evidence():
    persons, births = np.repeat(np.arange(50), 2), np.arange(100)
    assert evidence_of(persons, [("birth", "b", births)]) == DIFFER
    assert evidence_of(persons, [("birth", "b", np.where(births % 2, -1, births))]) == UNKNOWN


def test_names_of_others_are_no_part_of_names_and_birth():
    data = {"name": [f"Ann{n // 4 % 40} Berg" for n in range(400)], "visitor_name": [f"V{n} Mot" for n in range(400)]}
    data |= {"dob": [f"{1950 + n // 4 % 50}-03-04" for n in range(400)], "sex": ["fm"[n // 4 % 2] for n in range(400)]}
    units = [answer.unit for answer in anonset.inspect(data).question.answers]
    assert units[0] == ("name", "dob")


def test_ids_are_proposed_with_any_other_repeating_columns():
    data = {"IdNr": [f"{10**10 + 7_654_321 * (n // 2)}" for n in range(400)]}
    data |= {
        "Konto": [f"{10**9 + 54_321 * (n // 4)}" for n in range(400)],
        "ort": ["ab"[n // 4 % 2] for n in range(400)],
    }
    units = [answer.unit for answer in anonset.inspect(data).question.answers]
    assert ("IdNr",) in units


@pytest.mark.parametrize("header", ["Halternummer", "ref"])
def test_owner_keys_are_proposed_with_names_and_phones(header):
    draw = np.random.default_rng(4)
    owner = sorted(draw.integers(0, 120, 400).tolist())
    data = {header: [f"H-{2000 + 7 * n}" for n in owner], "Halter": [f"Maier{n % 97}, Anna" for n in owner]}
    data |= {"Telefon": [f"0171 {5_000_000 + 31 * n}" for n in owner], "region": [f"a{n % 5}" for n in owner]}
    units = [answer.unit for answer in anonset.inspect(data).question.answers]
    assert (header,) in units


def test_pseudonyms_of_which_few_repeat_are_offered():
    draw = np.random.default_rng(5)
    who = [n for n in range(300) for _ in range(2 if n % 3 == 0 else 1)]
    names = [f"{n:012X}" for n in draw.integers(0, 16**12, 300).tolist()]
    data = {"PSEUDO_HESID": [names[n] for n in who], "age": [str(n % 9) for n in who]}
    units = [answer.unit for answer in anonset.inspect(data).question.answers]
    assert ("PSEUDO_HESID",) in units


def test_names_in_remarks_are_no_part_of_a_name():
    data = {
        "Donor name": [f"Anna {n // 3 % 90}berg" for n in range(400)],
        "Town": ["ab"[n // 3 % 2] for n in range(400)],
    }
    data["Notes"] = ["Paula", "Peter", "Karin", *[""] * 7] * 40
    units = [answer.unit for answer in anonset.inspect(data).question.answers]
    assert ("Donor name",) in units


def test_rows_without_an_id_do_not_form_a_person():
    data = {
        "patient_id": [str(n // 2) for n in range(200)] + ["", "", None],
        "age": [20 + n // 2 % 9 for n in range(203)],
    }
    data["ward"] = [f"w{n % 3}" for n in range(203)]
    inspection = anonset.inspect(data, unit="patient_id", skip_rows="no-id")
    assert {column.profile.name: column.role for column in inspection.columns}["age"] == "relational"


HOMES = sorted((7 * n * n + n) % 90 for n in range(300))


def test_names_with_addresses_are_offered():
    data = {
        "Name": [f"{('Anna', 'Otto', 'Ines', 'Paul')[n % 4]} Berg{'abcdefghi'[n % 9]}" for n in HOMES],
        "Anschrift": [f"Hauptstr. {n}" for n in HOMES],
        "Artikel": [f"a{n * n % 9}" for n in range(300)],
    }
    units = [answer.unit for answer in anonset.inspect(data, k=2, m=1).question.answers]
    assert units[0] == ("Name", "Anschrift")


@pytest.mark.parametrize("headers", [("latitude", "longitude"), ("q1", "q2")])
def test_coordinates_are_no_candidates(headers):
    data = {"Alter": [str(20 + n % 50) for n in HOMES], "sex": ["fm"[n % 2] for n in HOMES]}
    data |= {name: [f"{i + n / 1000:.5f}" for n in HOMES] for name, i in zip(headers, (48, 11), strict=True)}
    inspection = anonset.inspect(data, k=2, m=1)
    assert [answer.unit for answer in inspection.question.answers] == [()]
    assert {column.role for column in inspection.columns if column.profile.name in headers} == {"drop"}


def test_keys_that_look_like_codes_are_offered_if_the_header_names_a_person():
    data = {"sex": ["fm"[n // 3 % 2] for n in range(300)]}
    for header, offered in (("patron_bc", True), ("bc", False)):
        inspection = anonset.inspect({**data, header: [f"B{7000 + 13 * (n // 3)}" for n in range(300)]}, k=2, m=1)
        assert ((header,) in [answer.unit for answer in inspection.question.answers]) == offered


def test_rows_are_not_proposed_if_nothing_is_recognized_of_repeated_names():
    data = {
        "name": [f"Anna Berg{'abcdefgh'[n % 8]}{'rst'[n % 3]}" for n in range(300)],
        "when": [f"2024-01-{1 + n % 28:02d}" for n in range(300)],
    }
    inspection = anonset.inspect(data, k=2, m=1)
    assert (inspection.records, inspection.question) == (0, None)
    assert "unit='row'" in inspection.problems[-1]
    assert anonset.inspect(data, k=2, m=1, unit="row").records == 300


@pytest.mark.parametrize(
    ("header", "values", "roles", "offered"),
    [
        ("module", ["algebra", "logic"], {"relational": "x"}, True),
        ("diagnosis", ["asthma", "gout"], {"relational": "x"}, True),
        ("code", ["E11.9", "J45.0"], {"relational": "x"}, True),
        ("religion", ["none", "other"], {"relational": "x"}, False),
        ("points", ["17", "23"], {"relational": "x"}, False),
        ("seen", ["2024-01-31", "2024-02-28"], {"relational": "x"}, False),
        ("module", ["algebra", "logic"], {"keep": "x"}, False),
    ],
)
def test_sets_are_offered_only_for_words_and_codes_that_others_may_know(header, values, roles, offered):
    data = {"who": ["a", "a", "b", "b"], header: values * 2}
    roles = dict.fromkeys(roles, header)
    with pytest.raises(anonset.errors.InputError, match="differ") as error:
        anonset.read(data, unit="who", **roles)
    assert (f"items={header!r}" in str(error.value)) == offered
