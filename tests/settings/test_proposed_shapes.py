"""Proposals for dates, numbers, codes and sets, based on the form of the values."""

from datetime import date, timedelta

import pytest
from tests.facts import names

import anonset
from anonset.columns.kinds import look_at
from anonset.errors import InputError

N = 120
DAYS = [date(1930, 1, 1) + timedelta(days=211 * n) for n in range(N)]


def proposed(column, name="Jahr", **others):
    inspection = anonset.inspect(
        {"sex": [str(n % 7) for n in range(len(column))], name: list(column), **others}, k=2, m=1
    )
    return next(column for column in inspection.columns if column.profile.name == name), inspection


@pytest.mark.parametrize(
    ("form", "spec"),
    [
        ("%Y-%m-%d", "date:month,year,decade"),
        ("%d.%m.%Y", "date:%d.%m.%Y:month,year,decade"),
        ("%d/%m/%Y", "date:%d/%m/%Y:month,year,decade"),
        ("%m/%d/%Y", "date:%m/%d/%Y:month,year,decade"),
        ("%Y%m%d", "date:%Y%m%d:month,year,decade"),
        ("%d-%b-%Y", "date:%d-%b-%Y:month,year,decade"),
        ("%Y-%m-%d %H:%M:%S", "date:%Y-%m-%d %H:%M:%S:month,year,decade"),
        ("%a %d. %b %Y", "date:%a %d. %b %Y:month,year,decade"),
        ("%A, %d %B %Y", "date:%A, %d %B %Y:month,year,decade"),
        ("%a %d/%m/%Y", "date:%a %d/%m/%Y:month,year,decade"),
        ("%m/%Y", "date:%m/%Y:year,decade"),
        ("%Y-%m", "date:%Y-%m:year,decade"),
    ],
)
@pytest.mark.parametrize(("empty", "births"), [(False, False), (True, True)])
def test_dates_are_proposed_by_their_format_without_their_days(form, spec, empty, births):
    days = DAYS if births else [date(2020, 1, 1) + timedelta(days=7 * n) for n in range(N)]
    expected = spec.replace(":month", ":from-month") if "%d" in form else spec
    column, actual = proposed([*(day.strftime(form) for day in days), *([""] if empty else [])])
    assert (column.role, column.hierarchy) == ("relational", expected)
    assert actual.settings["hierarchy"]["Jahr"] == expected
    assert actual.records == N + empty


@pytest.mark.parametrize("header", ["dob", "Geburtsdatum"])
def test_dates_of_birth_are_proposed_without_their_days_by_their_header(header):
    days = [(date(1980, 1, 1) + timedelta(days=7 * n)).isoformat() for n in range(N)]
    inspection = anonset.inspect({"sex": [str(n % 7) for n in range(N)], header: days}, k=2, m=1)
    assert inspection.settings["hierarchy"][header] == "date:from-month,year,decade"


def test_ambiguous_days_and_months_are_reported_and_years_used():
    column, inspection = proposed([f"{1 + n % 12:02d}/{1 + n % 11:02d}/{1980 + n % 40}" for n in range(N)])
    assert column.hierarchy == "date:%d/%m/%Y:from-year,decade"
    assert any(
        names(p, "date:%d/%m/%Y:from-month,year,decade date:%m/%d/%Y:from-month,year,decade")
        for p in inspection.problems
    )


@pytest.mark.parametrize(
    ("values", "kind", "said"),
    [
        (["24.12.50", "1.2.60", "3.4.20"], "dates", "years"),
        (["30/31/2020", "12/12/2020"], "dates", "formats"),
        (["1,23479E+11", "4,5E+11"], "cut numbers", "rounded"),
        (["1.23479E+11", "123456789012"], "cut numbers", "rounded"),
        (["€ 1.234", "€ 999"], "grouped numbers", "thousands"),
    ],
)
def test_values_that_are_spoilt_are_a_problem_and_are_dropped(values, kind, said):
    column, inspection = proposed([value for value in values for _ in range(4)])
    assert (column.profile.kind, column.role) == (kind, "drop")
    assert any(names(problem, f"Jahr {said}") for problem in inspection.problems)
    assert not any(value in str(inspection) for value in values if len(value) > 4)


@pytest.mark.parametrize(
    ("name", "values", "kind"),
    [
        ("Kosten", ["23456", "18000", "40001"], "zip codes"),
        ("PLZ", ["10115", "01067"], "postal codes"),
        ("weight", ["70,5", "82", "64,25"], "numbers"),
        ("when", ["20201224", "19501231"], "dates"),
        ("n", ["20201299", "19501231"], "integers"),
        ("atc", ["A10BA02", "C09AA05", "N02B"], "ATC codes"),
        ("icd", ["E11.90", "I10.-", "A00"], "ICD-10 codes"),
        ("x", ["x"], "crosses"),
        ("x", ["ja", "nein"], "crosses"),
        ("sex", ["f"], "text"),
    ],
)
def test_values_are_classified_by_their_form(name, values, kind):
    assert look_at(name, values).kind == kind


@pytest.mark.parametrize(
    ("values", "said"),
    [(["1,234", "999"], "commas"), (["1.234", "999"], "points"), (["1.234", "0.5"], ""), (["1,25", "2"], "")],
)
def test_ambiguous_thousands_separators_are_reported(values, said):
    doubt = look_at("x", values).doubt
    assert names(doubt, said) if said else not doubt


def test_postal_codes_without_leading_zeros_are_reported():
    assert names(look_at("PLZ", ["1067", "10115"]).doubt, "zeros")
    assert not look_at("PLZ", ["01067", "10115"]).doubt


@pytest.mark.parametrize(
    ("values", "spec"),
    [
        ([f"{10115 + 7 * (n % 40)}" for n in range(N)], "mask:3,1"),
        ([str(n % 50) if n % 9 else "" for n in range(N)], "bins:width=5,20"),
    ],
)
def test_postcodes_and_numbers_with_gaps_get_valid_rules(values, spec):
    column, inspection = proposed(values, "area")
    assert (column.role, column.hierarchy, inspection.settings["hierarchy"]["area"]) == ("relational", spec, spec)


@pytest.mark.parametrize(
    ("values", "role"),
    [
        ([f"{'EIJ'[n % 3]}{10 + n % 8}.{n % 2}" for n in range(N)], "sensitive"),
        ([f"{250 + n % 30}.{n % 9}" for n in range(N)], "drop"),  # some occur in a single row
        ([f"A{n % 9:02d}BA{n % 4:02d}" for n in range(N)], "sensitive"),
    ],
)
def test_a_single_code_of_a_diagnosis_or_drug_is_sensitive(values, role):
    column, inspection = proposed(values, "x")
    assert column.role == role
    assert inspection.settings.get("sensitive") == ("x" if role == "sensitive" else None)


def test_the_hierarchy_of_the_owner_is_kept():
    days = [day.isoformat() for day in DAYS]
    inspection = anonset.inspect({"Datum": days, "sex": ["a", "b"] * (N // 2)}, hierarchies={"Datum": "date:year"})
    assert inspection.settings["hierarchy"]["Datum"] == "date:year"


def test_crosses_are_columns_of_items():
    columns = {f"dx_{name}": ["x" if n % i else "" for n in range(40)] for i, name in enumerate("abc", 2)}
    inspection = anonset.inspect({"age": [str(n) for n in range(40)], **columns})
    assert inspection.settings["one_hot"] == ["dx_*"]
    assert (inspection.settings["missing"], inspection.records) == ("empty", 40)


def test_numbered_code_columns_and_the_main_column_form_one_set():
    columns = {f"ND{i}": [f"I{10 + (i * n) % 9}" if n % i == 0 else "" for n in range(40)] for i in (1, 2, 3)}
    columns = {"HD": [f"E{10 + n % 9}" for n in range(40)], **columns, "ND4": [""] * 40}
    inspection = anonset.inspect(columns)
    assert inspection.settings["one_code"] == ["HD", "ND1", "ND2", "ND3", "ND4"]
    assert inspection.records == 40


def test_numbered_columns_of_values_are_no_codes():
    columns = {f"lab{i}": [str(50 + (i * n) % 90) for n in range(40)] for i in (1, 2, 3)}
    assert "one_code" not in anonset.inspect(columns).settings


def test_null_words_are_named_and_proposed(tmp_path):
    rows = [f"{n};{20 + n % 50 if n % 9 else 'k.A.'};{['m', 'w', 'n/a'][n % 3]};{'+-'[n % 2]}" for n in range(N)]
    path = tmp_path / "raw.csv"
    path.write_text("\n".join(["id;age;sex;rh", *rows]))
    inspection = anonset.inspect(path)
    assert (inspection.settings["null"], inspection.settings["missing"]) == (["k.A.", "n/a"], "empty,value")
    assert inspection.settings["hierarchy"]["age"] == "bins:width=5,20"
    assert any(names(problem, "k.A. age") for problem in inspection.problems)
    assert inspection.records == N


@pytest.mark.parametrize(
    ("values", "decimal"),
    [
        (["1.234,56", "12,5", "999"], ","),
        (["1,234.56", "12.5"], "."),
        (["1'234", "999"], "."),
        (["1 234 567", "999"], "."),
        (["1.234,50 €", "7 €"], ","),
    ],
)
def test_separators_of_thousands_and_currencies_are_numbers(values, decimal):
    column, _ = proposed([value for value in values for _ in range(4)])
    assert (column.profile.kind, column.profile.form, column.role) == ("numbers", decimal, "relational")


def test_diagnoses_and_procedures_are_separate_sets():
    columns = {f"diag_{n:02d}": [f"E{10 + (row + n) % 30}.{n}" for row in range(N)] for n in range(1, 5)}
    columns |= {f"oper_{n:02d}": [f"H{10 + (row * n) % 40}.{n}" for row in range(N)] for n in range(1, 4)}
    columns["age"] = [str(20 + n % 9) for n in range(N)]
    inspection = anonset.inspect(columns, k=2, m=1)
    roles = {column.profile.name: (column.role, column.reason) for column in inspection.columns}
    assert {roles[name][0] for name in columns if name.startswith("diag")} == {"one_code"}
    assert {roles[name][0] for name in columns if name.startswith("oper")} == {"drop"}
    assert names(roles["oper_01"][1], "one_code procedures oper_01,oper_02,oper_03")
    with_one_code = anonset.inspect(columns, k=2, m=1, one_code="oper_*")
    assert {column.role for column in with_one_code.columns if column.profile.name.startswith("oper")} == {"one_code"}


def test_decimal_commas_are_proposed(tmp_path):
    rows = [f"{n};{50 + n % 40},5;E1{n % 9} I1{n % 7}" for n in range(N)]
    path = tmp_path / "raw.csv"
    path.write_text("\n".join(["id;age;codes", *rows]))
    inspection = anonset.inspect(path)
    assert (inspection.settings["decimal"], inspection.settings["numeric"], inspection.problems) == (",", ["age"], ())


NAMES = [f"{a}{b}" for a in ("Fal", "Gru", "Hau", "Imm") for b in ("ke", "ber", "ser", "el", "mann")]


@pytest.mark.parametrize(
    ("header", "values"),
    [
        ("info", ["", "siehe Mail", *(f"Mutter {name} ruft zurück" for name in NAMES)]),
        ("info", [f"{name};ruft zurück" for name in NAMES]),
        ("info", ["x", "y", *(f"since {day}.5.2023 absent" for day in range(1, 9))]),
        ("info", ["2021-05-04;2021-06-07", "2021-05-04", "2021-06-07;2021-05-05", "2021-05-05"]),
        ("info", ["more buses", "thanks", "call me on 07700 900123", "fine"]),
        ("Bemerkung", ["lange Wartezeit", "neu", "ruft an", "Umzug"]),
        ("info", ["she came with the bus", "he was not at home today", "sent home with the mother"]),
    ],
)
def test_text_that_may_mention_persons_is_not_proposed_as_items(header, values):
    rows = 4 * N
    columns = {
        "Name": [NAMES[n // 2 % len(NAMES)] for n in range(rows)],
        "sex": ["fm"[n // 3 % 2] for n in range(rows)],
    }
    columns |= {header: [values[n % len(values)] for n in range(rows)], "drug": [f"w{n % 5}" for n in range(rows)]}
    inspection = anonset.inspect(columns, k=2, m=1, unit="Name")
    roles = {column.profile.name: (column.role, column.reason) for column in inspection.columns}
    assert roles[header][0] == "drop"
    assert names(roles[header][1], "describe person")
    assert roles["drug"][0] == "items"


@pytest.mark.parametrize(
    ("header", "values", "expected"),
    [
        ("marker", ["TB neg", "TB pos", "not tested"], True),
        ("x1", [*(f"{n}.5" for n in range(12)), "<0.5"], True),
        ("Förderbedarf", ["nein", "Sprache", "körperlich"], True),
        ("asylum_status", ["pending", "recognised", "rejected"], True),
        ("special needs", ["none", "pregnant", "wheelchair"], True),
        ("region", ["north", "south", "west"], False),
        ("age", [*map(str, range(20, 60)), ">60"], False),
    ],
)
def test_results_of_tests_and_special_needs_are_sensitive(header, values, expected):
    columns = {"ward": [f"w{n % 5}" for n in range(4 * N)], header: [values[n % len(values)] for n in range(4 * N)]}
    inspection = anonset.inspect(columns, k=2, m=1)
    role, reason = {column.profile.name: (column.role, column.reason) for column in inspection.columns}[header]
    assert (role == "sensitive" or "sensitive" in reason, role == "relational") == (expected, not expected)


@pytest.mark.parametrize("form", ["{} Dez. 2023", "le {} janvier 2024", "{} de marzo de 2021", "Fr. {}. Mai 2022"])
def test_dates_in_other_languages_are_no_text(form):
    column, _ = proposed([form.format(1 + n % 28) for n in range(N)])
    assert (column.profile.kind, column.role) == ("dates", "drop")


@pytest.mark.parametrize("odd", [("n.g.", "< 0,5"), (">200",), ("nicht messbar", "-0,1")])
def test_measured_values_with_limits_and_words_are_not_sets(odd):
    values = [f"{n % 4},{n % 10}" for n in range(40)] + list(odd)
    column, inspection = proposed([value for value in values for _ in range(4)])
    assert (column.profile.kind, column.role in ("sensitive", "drop")) == ("numbers", True)
    assert "separator" not in inspection.settings


def test_decimal_commas_with_missing_values_are_no_values_of_sets(tmp_path):
    path = tmp_path / "raw.csv"
    rows = [f"{n % 5};{['1,00 €', '3,90 €', ''][n % 3]};{'ab'[n % 2]};E1{n % 9} I1{n % 7}" for n in range(2 * N)]
    path.write_text("\n".join(["n;area;group;codes", *rows]))
    inspection = anonset.inspect(path, k=2, m=1)
    roles = {column.profile.name: (column.role, column.reason) for column in inspection.columns}
    assert (roles["area"][0], names(roles["area"][1], "comma")) == ("drop", True)


def test_sets_with_a_word_for_empty_are_read():
    sets = [["Vision;Hearing", "None", "Hearing", "Vision;Mobility", "Mobility"][n % 5] for n in range(2 * N)]
    inspection = anonset.inspect({"sex": ["fm"[n % 2] for n in range(2 * N)], "skills": sets}, k=2, m=1)
    assert (inspection.records, inspection.settings["items"]) == (2 * N, ["skills"])
    assert inspection.settings["missing"].startswith("empty")


def test_data_below_a_title_are_read_on_by_the_line_of_their_names(tmp_path):
    path = tmp_path / "raw.csv"
    path.write_text("Report\n\nid;age;code\n" + "\n".join(f"{n};{n % 5};E1{n % 9}" for n in range(N)))
    inspection = anonset.inspect(path)
    assert (inspection.records, inspection.settings["header_line"]) == (N, 3)
    assert names(inspection.problems[0], "header_line 3")
    assert anonset.inspect(path, header_line=3).problems == inspection.problems[1:]
    with pytest.raises(InputError):
        anonset.inspect(path, header_line=1)


def test_of_several_delimiters_the_line_of_names_is_that_of_most_columns(tmp_path):
    path = tmp_path / "raw.csv"
    rows = [f"{n};W{n % 5}, X;{n % 40},5;a;{'ab'[n % 2]}" for n in range(N)]
    path.write_text("Report\nOf May; internal\n\nid;ward;kg;class;sex\n" + "\n".join(rows) + "\nSumme;120 Zeilen\n")
    inspection = anonset.inspect(path)
    assert (inspection.records, inspection.settings["header_line"], inspection.settings["skip_rows"]) == (
        N,
        4,
        "footer",
    )
    assert "no_header" not in inspection.settings


@pytest.mark.parametrize(
    ("single", "stem"),
    [
        (["PRNCPAL_DGNS_CD", "ADMTG_DGNS_CD"], "ICD_DGNS_CD{}"),
        ([], "diag_4_{:02d}"),
        (["Hauptdiagnose"], "Nebendiagnose {}"),
        (["HD"], "ND{}"),
        (["ICD_PRIM"], "ICD_SEK_{}"),
        (["DP"], "DAS{}"),
    ],
)
def test_diagnoses_in_separate_columns_form_one_set(single, stem):
    names = [*single, *(stem.format(n) for n in (1, 2, 3))]
    rows = {name: [f"{'EIU'[n % 3]}{10 + (n * 7 + i) % 13}.{n % 3}" for n in range(60)] for i, name in enumerate(names)}
    inspection = anonset.inspect({"age": [str(20 + n % 50) for n in range(60)], **rows}, unit="row")
    assert {column.profile.name for column in inspection.columns if column.role == "one_code"} == set(names)
    assert inspection.settings["hierarchy"]["items"] == "prefix:1,3"


def test_values_that_a_rule_rejects_are_suppressed(tmp_path):
    dates = [f"{1 + n % 28:02d}.{1 + n % 12:02d}.2024" for n in range(200)]
    inspection = anonset.inspect({"Aufnahme": [*dates, "unbekannt"], "sex": ["m", "w", *["m"] * 199]}, unit="row")
    assert inspection.settings["unknown"] == "suppress"
    assert any("--unknown suppress" in line or "unknown='suppress'" in line for line in inspection.problems)
    assert all("unbekannt" not in line for line in inspection.problems)


def test_sets_with_different_separators_are_separate_sets(tmp_path):
    rows = [
        f"{n};{','.join(f'E{10 + (n + i) % 9}' for i in range(1 + n % 3))};"
        f"{'|'.join(f'A0{1 + (n + i) % 7}AB0{1 + i}' for i in range(1 + n % 4))}"
        for n in range(60)
    ]
    path = tmp_path / "two.csv"
    path.write_text("Pat_ID;Diagnosen;Medikamente\n" + "\n".join(rows) + "\n")
    inspection = anonset.inspect(path)
    assert inspection.settings["separator"] == "Diagnosen=, Medikamente=|"
    table = anonset.read(path, items="Diagnosen,Medikamente", unit="Pat_ID", separator=inspection.settings["separator"])
    assert table.joined == ("Diagnosen", "Medikamente")
    assert {label.partition(":")[2] for label in table.transactions.vocabulary.labels} == {
        *(f"E{n}" for n in range(10, 19)),
        *(f"A0{n}AB0{i}" for n in range(1, 8) for i in range(1, 5)),
    }


def test_commas_and_blanks_in_product_names_are_not_separators():
    goods = [
        "Whole Milk 1 l",
        "Chocolate, 70 %",
        "Sparkling Water 6 x 1 l",
        "Beer, Pilsner",
        "Ibuprofen 400 mg",
        "Tofu",
    ]
    inspection = anonset.inspect(
        {"Karte": [str(n // 3) for n in range(N)], "Artikel": [goods[n % 6] for n in range(N)]}, k=2, m=1
    )
    assert inspection.columns[1].profile.kind == "text"


def test_titles_between_semicolons_are_a_set():
    titles = [f"{a} {b}" for a in ("The", "A", "My") for b in ("House", "Garden, Lost", "River")]
    cells = ["; ".join(titles[(n // 3 + step) % 9] for step in range(1 + n % 3)) for n in range(N)]
    inspection = anonset.inspect({"titles": cells, "remarks": [f"came late; left at {n}" for n in range(N)]}, k=2, m=1)
    assert [column.profile.separator for column in inspection.columns] == [";", None]


def test_grades_are_sensitive_and_no_items():
    grades = {"Klasse": [f"{5 + n % 6}a" for n in range(N)], "Mathe": [1 + n % 6 for n in range(N)]}
    inspection = anonset.inspect({**grades, "Sport": [1 + n % 5 for n in range(N)]}, k=2, m=1)
    assert [column.role for column in inspection.columns] == ["relational", "drop", "drop"]
    assert "sensitive='Mathe'" in inspection.columns[1].reason


def test_persons_without_remaining_columns_are_not_proposed():
    inspection = anonset.inspect(
        {"iban": [f"k{n // 4}" for n in range(N)], "amount": [n * 1.5 for n in range(N)]}, k=2, m=1
    )
    assert inspection.records == 0
    assert names(inspection.problems[-1], "column")


@pytest.mark.parametrize("absent", [0, 1])
def test_a_sensitive_column_without_some_values_is_proposed(absent):
    religions = [*[""] * absent, *["none", "catholic"] * 30][:60]
    inspection = anonset.inspect({"age": [str(n % 7) for n in range(60)], "religion": religions}, k=2, m=1)
    assert next(column for column in inspection.columns if column.profile.name == "religion").role == "sensitive"


SUPPORT = {
    "age": [str(n % 7) for n in range(N)],
    "BuT": ["jn"[n % 2] for n in range(N)],
    "medical_equipment": [("none", "chair", "aid")[n % 3] for n in range(N)],
    "points": [str(n % 45) for n in range(N)],
}


def test_a_column_that_is_not_recognized_is_dropped_with_the_options_that_publish_it():
    inspection = anonset.inspect(SUPPORT, k=2, m=1)
    roles = {column.profile.name: (column.role, column.reason) for column in inspection.columns}
    assert [role for role, _ in roles.values()] == ["relational", "drop", "drop", "drop"]
    for name in ("BuT", "medical_equipment", "points"):
        assert f"relational='{name}'" in roles[name][1]
        assert f"sensitive='{name}'" in roles[name][1]
    assert (inspection.settings["relational"], inspection.settings["drop"]) == (
        ["age"],
        ["BuT", "medical_equipment", "points"],
    )


def test_numbers_that_may_be_ids_of_persons_are_not_proposed_as_sensitive():
    cards = [str(757 + 7_919 * (n % 60) * (1 + n % 3)) for n in range(N)]
    reasons = {
        column.profile.name: column.reason
        for column in anonset.inspect({**SUPPORT, "PRESTIGE": cards}, k=2, m=1, unit="row").columns
    }
    assert "relational='PRESTIGE'" in reasons["PRESTIGE"]
    assert "sensitive=" not in reasons["PRESTIGE"]


def test_a_column_that_the_owner_names_is_generalized_by_its_kind():
    inspection = anonset.inspect(SUPPORT, k=2, m=1, relational="points,BuT")
    assert inspection.settings["relational"] == ["age", "BuT", "points"]
    assert (inspection.settings["hierarchy"]["points"], inspection.settings["drop"]) == ("range", ["medical_equipment"])


def test_a_table_of_which_nothing_is_recognized_is_no_proposal():
    inspection = anonset.inspect({name: SUPPORT[name] for name in ("BuT", "medical_equipment")}, k=2, m=1)
    assert inspection.records == 0
    assert names(inspection.problems[-1], "relational sensitive items")


@pytest.mark.parametrize(("header", "role"), [("drug", "items"), ("pet", "items"), ("room", "drop"), ("ward", "drop")])
def test_words_of_grouped_rows_are_items_unless_they_are_places(header, role):
    rows = {
        "patient_id": [str(n // 3) for n in range(N)],
        "sex": ["fm"[n // 3 % 2] for n in range(N)],
        header: [f"word{chr(97 + n % 7)}" for n in range(N)],
    }
    inspection = anonset.inspect(rows, k=2, m=1)
    assert {column.profile.name: column.role for column in inspection.columns}[header] == role
    rows[header] = [word.capitalize() for word in rows[header]]  # possibly names of physicians
    inspection = anonset.inspect(rows, k=2, m=1)
    assert inspection.columns[2].role == (role if header == "drug" else "drop")


@pytest.mark.parametrize(("header", "role"), [("kWh", "drop"), ("icd9", "items")])
def test_numbers_of_grouped_rows_are_codes_by_their_header_only(header, role):
    rows = {
        "patient_id": [str(n // 3) for n in range(N)],
        "sex": ["fm"[n // 3 % 2] for n in range(N)],
        header: [f"{200 + n % 40}.{n % 4}" for n in range(N)],
    }
    inspection = anonset.inspect(rows, k=2, m=1)
    assert {column.profile.name: column.role for column in inspection.columns}[header] == role


def marks(n: int, step: int, signs: str = "01") -> list[str]:
    return [signs[n % step == 0] for n in range(n)]


@pytest.mark.parametrize("signs", ["01", " x", "NY"])
def test_columns_of_marks_are_items_only_if_their_headers_name_items(signs: str) -> None:
    headers = ["HIV", "pregnant", "depression", "flag", "BuT", "F1", "F2", "has_car", "test_hiv", "reason_a"]
    columns = {header: [mark.strip() for mark in marks(N, 2 + n, signs)] for n, header in enumerate(headers)}
    inspection = anonset.inspect({"age": [str(n % 7) for n in range(N)], **columns}, k=2, m=1)
    assert {column.role for column in inspection.columns[1:]} == {"drop"}
    assert all("sensitive" in column.reason for column in inspection.columns[1:4])
    fixes = [fix.settings for problem in inspection.checks for fix in problem.fixes]
    assert {"one_hot": headers} | ({"missing": "empty"} if signs == " x" else {}) in fixes


def test_one_sensitive_column_of_marks_is_sensitive() -> None:
    inspection = anonset.inspect({"age": [str(n % 7) for n in range(N)], "HIV": marks(N, 3)}, k=2, m=1)
    assert (inspection.columns[1].role, inspection.possible_items) == ("sensitive", {})


@pytest.mark.parametrize("headers", [["dx_a", "dx_b", "dx_c"], ["E11", "I10", "J45"], ["item1", "item2", "item3"]])
def test_a_family_of_marked_items_excludes_other_marks(headers: list[str]) -> None:
    columns = {header: marks(N, 2 + n) for n, header in enumerate([*headers, "HIV", "flag"])}
    inspection = anonset.inspect({"age": [str(n % 7) for n in range(N)], **columns}, k=2, m=1)
    assert [column.role for column in inspection.columns[1:]] == [*["one_hot"] * 3, "drop", "drop"]


def test_sets_of_names_are_neither_items_nor_persons() -> None:
    first = ["Anna", "Bert", "Clara", "Emil", "Frieda", "Otto", "Paul", "Julia"]
    friends = [", ".join(first[(n * 3 + step) % 8] for step in range(1 + n % 3)) for n in range(N)]
    inspection = anonset.inspect({"age": [str(n % 7) for n in range(N)], "friends": friends}, k=2, m=1)
    assert [column.role for column in inspection.columns] == ["relational", "drop"]
    assert "names of persons" in inspection.columns[1].reason


VISITS = {
    "patient_id": [str(n // 2) for n in range(2 * N)],
    "sex": ["fm"[n // 2 % 2] for n in range(2 * N)],
    "ward": ["ABC"[n // 2 % 3] for n in range(2 * N)],
    "test": ["xyz"[n % 3] for n in range(2 * N)],
}


@pytest.mark.parametrize("given", [{}, {"sensitive": "ward"}, {"relational": ["ward"]}, {"items": ["test"]}])
def test_the_question_about_the_person_does_not_depend_on_roles(given):
    question = anonset.inspect(VISITS, k=2, m=1, **given).question
    assert question is not None
    assert [str(answer.unit) for answer in question.answers] == ["patient_id", "row", "unknown"]
    assert question.answers[0].settings["unit"] == ["patient_id"]


@pytest.mark.parametrize("given", [{}, {"relational": ["ward"]}, {"drop": ["test"]}])
def test_the_header_line_does_not_depend_on_roles(tmp_path, given):
    path = tmp_path / "export.csv"
    rows = "".join(f"{n};{'fm'[n % 2]};{'ABC'[n % 3]};x{n % 3}\n" for n in range(N))
    path.write_text(f"Hospital - export;;;\nPeriod;;2024;\n\npatient_id;sex;ward;test\n{rows}")
    inspection = anonset.inspect(str(path), k=2, m=1, **given)
    assert (inspection.settings["header_line"], inspection.records) == (4, N)


@pytest.mark.parametrize("header", ["m/w", "m/w/d", "JG", "Staatsang."])
def test_abbreviated_headers_of_attributes_are_recognized(header):
    inspection = anonset.inspect({header: [str(n % 4) for n in range(N)], "sex": ["f", "m"] * (N // 2)}, k=2, m=1)
    assert inspection.columns[0].role == "relational"


def test_numbered_one_hot_columns_keep_their_names_as_items():
    flags = {f"dx_{n + 1}": [str((row >> n) % 2) for row in range(N)] for n in range(5)}
    inspection = anonset.inspect({"sex": ["f", "m"] * (N // 2), **flags}, k=2, m=1)
    assert inspection.settings["one_hot"] == list(flags)


def test_missing_numbers_of_a_dropped_column_are_no_problem():
    phones = ["" if n % 3 else str(491700000000 + n) for n in range(N)]
    inspection = anonset.inspect({"B-MSISDN": phones, "sex": ["f", "m"] * (N // 2)}, k=2, m=1)
    assert not [problem for problem in inspection.problems if "B-MSISDN" in problem]


def test_times_identify_nobody():
    rows = {
        "member_no": [str(n // 2) for n in range(20 * N)],
        "zip": [str(10000 + n // 2 % 40) for n in range(20 * N)],
        "yob": [str(1940 + n // 2 % 60) for n in range(20 * N)],
        "since": [
            f"20{n // 2 % 20:02d}-0{1 + n // 2 % 9}-{1 + n // 2 % 28:02d} 10:{n // 2 % 60:02d}:00"
            for n in range(20 * N)
        ],
    }
    question = anonset.inspect(rows, k=2, m=1).question
    assert [str(answer.unit) for answer in question.answers] == ["member_no", "row", "unknown"]


def test_a_sensitive_column_does_not_choose_the_id():
    rows = {
        "patient_id": [str(n // 2) for n in range(2 * N)],
        "result": ["xyz"[n // 2 % 3] for n in range(2 * N)],
    }
    question = anonset.inspect(rows, k=2, m=1, sensitive="result").question
    assert [str(answer.unit) for answer in question.answers] == ["patient_id", "row", "unknown"]
