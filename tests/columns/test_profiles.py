"""Short columns are profiled without Arrow, with the same result as long columns."""

import random
from collections import Counter

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonset.columns import profiles
from anonset.columns.profiles import pattern, profile
from anonset.columns.roles import rule_of
from anonset.data.hierarchies.hierarchy_rules import coarser, odd_labels

TEXTS = st.sampled_from(["", "?", "-", "NA", "k.A.", "a", "b", "1", "2", "1,5", "250.01", "E11", "2020-01-31", None])
COLUMNS = st.lists(TEXTS, min_size=1, max_size=16)


@given(COLUMNS)
def test_short_columns_have_the_profile_of_long_columns(values: list[str | None]) -> None:
    column = pa.chunked_array([values], pa.string())
    few, many = profiles._few_values(column), profiles._values(column)
    assert dict(zip(few.given, few.counts, strict=True)) == dict(zip(many.given, many.counts.tolist(), strict=True))
    assert Counter(few.words) == Counter(many.words)


@given(COLUMNS, st.integers(2, 9))
def test_rows_that_are_there_several_times_change_no_values(values: list[str | None], times: int) -> None:
    few, many = (profile("c", pa.chunked_array([values * n], pa.string())) for n in (1, times * 16))
    assert (few.distinct, few.null_words, few.form) == (many.distinct, many.null_words, many.form)
    assert many.nulls == few.nulls * times * 16
    assert many.missing == few.missing * times * 16
    assert many.entropy == pytest.approx(few.entropy, abs=1e-9)


@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=40))
def test_patterns_are_equal_for_one_to_one_columns(pairs: list[tuple[str | None, str | None]]) -> None:
    first, other = (pa.chunked_array([list(side)], pa.string()) for side in zip(*pairs, strict=True))
    both = set(pairs)
    alike = len(both) == len({a for a, _ in both}) == len({b for _, b in both})
    assert (pattern(first) == pattern(other)) is alike
    assert (pattern(first.dictionary_encode()) == pattern(other)) is alike


def test_dictionary_encoded_bytes_are_not_text() -> None:
    for n in (2, 40):
        column = pa.chunked_array([pa.array([b"\xff", b"\xfe"] * n, pa.binary()).dictionary_encode()])
        assert profile("photo", column).kind == "bytes"


@pytest.mark.parametrize("word", ["n/a", "-", "k.A.", "NULL"])
def test_words_that_mean_null_are_no_items(word: str) -> None:
    column = pa.chunked_array([["E10 I10", "I10 J45", word, "E10 J45"]], pa.string())
    found = profile("codes", column)
    assert (found.kind, found.null_words, found.items_kind) == ("sets", (word,), "ICD-10 codes")
    assert profile("codes", pa.chunked_array([["a b", "b -", "a"]], pa.string())).null_words == ()


def test_items_that_are_names_of_persons_are_recognized() -> None:
    guests = [["Maria", "Peter", "Julia"], ["Peter", "Julia"], ["Maria"]]
    assert profile("guests", pa.chunked_array([guests], pa.list_(pa.string()))).reaches == "name"


@pytest.mark.parametrize("n", [6, 60])
def test_null_in_a_dictionary_is_null(n: int) -> None:
    codes = pa.array([0, 1] * (n // 2), pa.int32())
    column = pa.chunked_array([pa.DictionaryArray.from_arrays(codes, pa.array(["a", None]))])
    profiled = profile("c", column)
    assert (profiled.distinct, profiled.nulls) == (1, n // 2)


def test_blanks_after_commas_separate_no_items() -> None:
    cells = ["E11, I10", "I10,J45", "E11", "e11 , I10,I10", "J45, Z00", "J45", "I10", "I10, E11, J45"]
    profiled = profile("diagnoses", pa.chunked_array([cells]))
    assert (profiled.kind, profiled.separator, profiled.distinct) == ("sets", ",", 5)
    words = ["a, b", "b a", "a", "b", "c, a", "b c", "c"] * 40
    assert profile("x", pa.chunked_array([words])).separator is None
    assert profile("x", pa.chunked_array([[word.replace(",", "") for word in words]])).separator == " "


HEADS = ("Whole", "Skimmed", "Oat", "Soy", "Goat")
KINDS = ("Milk", "Cream", "Yoghurt", "Butter")
TITLES = [f"{a} of the {b}" for a in ("House", "City", "Garden") for b in ("Night", "Sea", "House", "Sun", "City")]


@pytest.mark.parametrize("name", ["title", "products", "x"])
@pytest.mark.parametrize(
    "cells",
    [TITLES, [f"{a} {b}" for a in HEADS for b in KINDS], [f"{b}, {a}" for a in HEADS for b in KINDS] + ["Salt"]],
    ids=["titles", "products", "products with commas"],
)
def test_titles_and_product_names_are_not_sets(name: str, cells: list[str]) -> None:
    profiled = profile(name, pa.chunked_array([cells * 4], pa.string()))
    assert (profiled.kind, profiled.separator) == ("text", None)


GOODS = [
    "whole milk", "butter milk", "soft cheese", "white wine", "brown bread", "canned beer", "pip fruit", "meat", "soda",
    "other vegetables", "root vegetables", "hamburger meat", "butter", "curd",
]  # fmt: skip


@pytest.mark.parametrize("times", [1, 40])
def test_words_of_product_names_are_no_items(times: int) -> None:
    profiled = profile("Product Name", pa.chunked_array([GOODS * times], pa.string()))
    assert (profiled.kind, profiled.separator, profiled.words) == ("text", None, True)
    declared = profile("Product Name", pa.chunked_array([GOODS * times], pa.string()), " ")
    assert (declared.kind, declared.separator, declared.words) == ("sets", " ", False)


def test_words_in_many_combinations_are_items() -> None:
    rng = random.Random(5)
    hobbies = ["golf", "chess", "tennis", "music", "books", "cooking"]
    cells = [" ".join(rng.sample(hobbies, rng.randint(1, 4))) for _ in range(40)]
    for repeated in (cells, cells * 50, sorted(" ".join(sorted(cell.split())) for cell in cells) * 50):
        profiled = profile("hobbies", pa.chunked_array([repeated], pa.string()))
        assert (profiled.separator, profiled.words, profiled.distinct) == (" ", False, 6)


def test_titles_are_no_names_of_persons() -> None:
    assert not profile("x", pa.chunked_array([TITLES], pa.string())).capitalised
    assert profile("x", pa.chunked_array([["Ann Lee", "Vincent van Gogh", "Bo"]], pa.string())).capitalised


def test_sets_of_words_and_of_codes_are_sets() -> None:
    words = ["milk rice", "rice", "rice milk tea", "tea milk", "milk", "tea", "rice tea", "soap"]
    assert profile("products", pa.chunked_array([words], pa.string())).separator == " "
    pairs = [f"E1{n % 7} I1{n % 5}" for n in range(40)]
    assert profile("x", pa.chunked_array([pairs], pa.string())).items_kind == "ICD-10 codes"


@pytest.mark.parametrize(
    ("codes", "odd", "kind"),
    [
        (9, 1, "ICD-10 codes"),
        (8, 1, "text"),
        (96, 5, "ICD-10 codes"),
        (96, 6, "text"),
        (30, 2, "text"),
        (9, 0, "ICD-10 codes"),
    ],
)
def test_a_kind_survives_few_odd_values(codes: int, odd: int, kind: str) -> None:
    values = [
        *(f"U{n // 90}{n % 10}.{n // 10 % 10}" for n in range(codes)),
        *(f"odd-{chr(97 + n)}" for n in range(odd)),
    ]
    profiled = profile("dx", pa.chunked_array([values * 3], pa.string()))
    assert (profiled.kind, profiled.odd) == (kind, odd if kind != "text" else 0)


@pytest.mark.parametrize(("others", "form", "odd"), [(1, "", 1), (2, "%Y-%m-%d|%m/%d/%Y", 0)])
def test_a_format_of_dates_survives_few_dates_in_another_format(others: int, form: str, odd: int) -> None:
    dates = [*(f"{3 + n}/25/2020" for n in range(others)), *(f"2020-01-{n:02}" for n in range(1, 20))]
    look = profile("visit", pa.chunked_array([dates]))
    assert (look.kind, look.usable, look.form, look.odd) == ("dates", True, form, odd)


@pytest.mark.parametrize(
    ("dates", "form"),
    [
        (["1950-12-24", "24.12.1950", "01.02.1960", "unknown"], "%Y-%m-%d|%d.%m.%Y"),
        (["24/12/1950", "12/24/1950", "13/01/1950"], "%d/%m/%Y|%m/%d/%Y"),
        (["24/12/1950", "12/24/1950", "03/04/1950"], None),
        (["1950-12-24", "03/04/1950", "05/06/1950"], None),
        (["1950-12-24", "24.12.50", "25.12.50"], None),
    ],
)
def test_dates_in_several_formats_are_read_if_no_date_is_ambiguous(dates: list[str], form: str | None) -> None:
    values = dates[:3] * 5 + [f"1950-12-{n}" for n in range(10, 24) if "1950-12-24" in dates] + dates[3:]
    look = profile("born", pa.chunked_array([values]))
    assert (look.kind, look.usable, look.form) == ("dates", form is not None, form or "")
    if form is not None:
        rule = f"date:{form}:month,year"
        assert odd_labels(rule, values, "born") == dates[3:]
        assert coarser(f"date:{form}:from-month,year", dates[:2], "born") == dict.fromkeys(dates[:2], "1950-12")


@pytest.mark.parametrize(
    ("name", "values", "rule"),
    [
        ("Postcode", ["SW1A 1AA", "M1 1AE", "LS2 9JT"], "mask:3,1"),
        ("plz", ["D-04109", "A-1010", "CH-8001"], "mask:3,1"),
        ("postal_code", ["K1A0B1", "M5V3L9"], "mask:3,1"),
        ("postcode", ["1011 AB", "3511 CE"], "mask:3,1"),
        ("postcode", ["Leeds", "York"], ""),
        ("icd", ["E11.9", "J45.0", "E10.1"], "prefix:1,3"),
        ("product", ["SW1A 1AA", "M1 1AE", "LS2 9JT"], ""),
    ],
)
def test_codes_with_a_shared_prefix_get_a_hierarchy_of_prefixes(name: str, values: list[str], rule: str) -> None:
    assert rule_of(profile(name, pa.chunked_array([values * 3], pa.string()))) == rule


@pytest.mark.parametrize(
    ("value", "form"),
    [
        ("01/31/2021 02:15:00 PM", "%m/%d/%Y %I:%M:%S %p"),
        ("31-Jan-2021 14:15", "%d-%b-%Y %H:%M"),
        ("Jan 31, 2021", "%b %d, %Y"),
        ("2021-01-31T14:15:00Z", "%Y-%m-%dT%H:%M:%S%z"),
        ("2021-01-31 14:15:00.250+01:00", "%Y-%m-%d %H:%M:%S.%f%z"),
        ("31.01.2021, 14:15", "%d.%m.%Y, %H:%M"),
        ("31 January 2021", "%d %B %Y"),
    ],
)
def test_usual_forms_of_dates_are_read(value: str, form: str) -> None:
    profiled = profile("when", pa.chunked_array([[value] * 3], pa.string()))
    assert (profiled.kind, profiled.form) == ("dates", form)
    assert odd_labels(f"date:{form}:month,year", [value], "when") == []


@pytest.mark.parametrize("mark", ["/", "+"])
def test_slash_and_plus_separate_codes_of_cells_that_differ_in_length(mark: str) -> None:
    draw = random.Random(4)
    skills = ["python", "law", "sap", "french", "aws", "design"]
    cells = pa.array([mark.join(draw.sample(skills, draw.randrange(1, 5))) for _ in range(200)])
    assert profile("skills", cells).separator == mark
    assert profile("skills", cells).distinct == len(skills)


@pytest.mark.parametrize(
    "cells",
    [
        [f"{110 + i % 9}/{70 + i % 7}" for i in range(100)],  # blood pressure
        [f"{i % 28 + 1}/{i % 12 + 1}/2021" for i in range(100)],
        [["m", "f", "n/a"][i % 3] for i in range(100)],
        [["Berlin/Mitte", "Berlin/Wedding", "Bonn/Nord"][i % 3] for i in range(100)],
        [["A+", "A-", "B+", "0+"][i % 4] for i in range(100)],
    ],
)
def test_slash_and_plus_within_values_are_not_separators(cells: list[str]) -> None:
    assert profile("value", pa.array(cells)).separator is None


RESULTS = ["neg", "<0,3", "143,52 ", *(f"1,{n} (korr.)" for n in range(10, 20))]
ARTICLES = ["Bread", "Butter", "Vodka", "Baby formula", "Milk 1l", "Eggs 10", "Beer 6x", "Red Wine", "Olive Oil"]


@pytest.mark.parametrize("n", [60, 400, 4_000])
@pytest.mark.parametrize(
    ("header", "values"),
    [
        ("Ergebnis", [*RESULTS, *(f"{n % 61},{n * 37 % 90 + 10}" for n in range(300))]),
        ("article", [*ARTICLES, *(f"Article {n}" for n in range(11, 70))]),
    ],
)
def test_decimal_commas_and_numbers_in_names_separate_no_items_in_any_number_of_rows(header, values, n):
    cells = [values[i * 31 % len(values)] for i in range(n)]
    assert profile(header, pa.chunked_array([cells])).kind != "sets"


def test_codes_with_points_are_no_dates_and_ids_contain_no_telephone_numbers():
    codes = [
        f"EC_{a}.{b}.{c}.{10 + d}" for a in range(1, 6) for b in range(1, 5) for c in range(1, 3) for d in range(9)
    ]
    ids = [f"W00{4190336 + 7 * n}" for n in range(90)]
    assert [profile("x", pa.chunked_array([values])).prose for values in (codes, ids)] == ["", ""]
