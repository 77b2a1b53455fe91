"""Values of the generators: syntax, check digits, distinct texts, shares of frequent and rare values."""

import datetime
import re
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from stdnum import ean, isbn, luhn, numdb, verhoeff
from stdnum import iban as stdnum_iban
from tests.columns import language
from tests.columns.generators import LayoutError, parse_values
from tests.columns.patterns import CLASSES, Pattern

SEEDS = st.integers(0, 2**32)
CODES = {
    "icd10": r"[A-TV-Z]\d\d(\.\d{1,3}A?)?",
    "icd10who": r"[A-TV-Z]\d\d(\.\d)?",
    "icd9": r"\d{3}(\.\d{1,2})?|V\d\d\.\d|E\d{3}\.\d",
    "atc": r"[A-V](0[1-9]|1[0-6])[A-Z]{2}\d\d",
    "ndc": r"\d{5}-\d{4}-\d\d",
    "loinc": r"\d{3,5}-\d",
    "snomed": r"\d{6,18}",
    "cpt": r"\d{5}",
    "hcpcs": r"[A-V]\d{4}",
    "opcs": r"[A-Z]\d\d(\.\d)?",
    "ops": r"[1-9]-\d\d[\da-z](\.[\da-z]{1,2})?",
    "concept": r"[1-9]\d{4,7}",
    "rxnorm": r"[1-9]\d{2,6}",
    "ean13": r"\d{13}",
    "isbn13": r"97[89]\d{10}",
    "url": r"https://www\.example\.org/[a-z]+.*",
    "pattern:AA-9": r"[A-Z]{2}-\d",
}
CHECKED = {
    "loinc": lambda code: luhn.is_valid(code.replace("-", "")),
    "snomed": lambda code: verhoeff.is_valid(code) and code[-3:-1] in ("00", "10"),
    "ean13": ean.is_valid,
    "isbn13": isbn.is_valid,
}
SCRIPTS = {
    "ru": "[а-яё]",
    "el": "[α-ωά-ώ]",
    "ar": "[\u0600-\u06ff]",
    "he": "[\u0590-\u05ff]",
    "hi": "[\u0900-\u097f]",
    "ja": "[\u3040-\u30ff\u4e00-\u9fff]",
    "zh": "[\u4e00-\u9fff]",
    "ko": "[\uac00-\ud7af]",
}
"""A letter of each script that is not Latin."""


def draw(spec, n=200, seed=0):
    """Return n values of a generator."""
    return parse_values(spec).draw(np.random.default_rng(seed), n).tolist()


@pytest.mark.parametrize("kind", CODES)
def test_codes_have_the_syntax_of_their_system(kind):
    values = draw(f"codes|{kind}|150", 3000)
    assert [x for x in values if not re.fullmatch(CODES[kind], x)] == []
    assert 75 < len(set(values)) <= 150


@pytest.mark.parametrize("kind", CHECKED)
def test_codes_have_right_check_digits(kind):
    codes = set(draw(f"codes|{kind}|500", 5000))
    assert [code for code in codes if not CHECKED[kind](code)] == []


def test_codes_are_frequent_and_rare():
    counts = sorted(Counter(draw("codes|icd10|300", 20_000)).values(), reverse=True)
    assert counts[0] > 10 * counts[150] > 0


@pytest.mark.parametrize("country", ["DE", "FR", "GB", "ES", "BE", "NO", "NL", "PL", "TR", "MT"])
def test_account_numbers_are_valid_and_distinct(country):
    numbers = draw(f"iban|{country}", 100)
    assert [x for x in numbers if not stdnum_iban.is_valid(x) or x[:2] != country] == []
    assert len(set(numbers)) == 100
    assert numdb.get("iban").info(country)[0][1]


@pytest.mark.parametrize(
    ("module", "pattern"),
    [
        ("stdnum.de.idnr", "99999999999"),
        ("gb.nhs", "999 999 9999"),
        ("es.dni", "99999999A"),
        ("br.cpf", "999.999.999-99"),
        ("fi.hetu", "999999-999A"),
        ("it.codicefiscale", "AAAAAA99A99A999A"),
        ("ru.inn", "999999999999"),
    ],
)
def test_numbers_are_accepted_and_distinct(module, pattern):
    name = module.removeprefix("stdnum.")
    accepts = __import__(f"stdnum.{name}", fromlist=["is_valid"]).is_valid
    numbers = draw(f"valid|{module}|{pattern}", 400)
    assert [x for x in numbers if not accepts(x)] == []
    assert len(set(numbers)) == 400
    shape = re.sub("[A-Z]", "A", re.sub("[0-9]", "9", pattern))
    assert {re.sub("[A-Z]", "A", re.sub("[0-9]", "9", x)) for x in numbers} == {shape}


def test_a_pattern_without_valid_numbers_fails():
    with pytest.raises(LayoutError, match=r"stdnum\.gb\.nhs accepts 0 of"):
        draw("valid|gb.nhs|AAA")


@given(pattern=st.text("Aa9x-", min_size=1, max_size=6), n=st.integers(0, 60), seed=SEEDS)
def test_texts_of_a_pattern_are_distinct(pattern, n, seed):
    drawn = Pattern.parse(pattern).distinct(np.random.default_rng(seed), n).tolist()
    assert len(drawn) == len(set(drawn)) == n
    if n <= Pattern.parse(pattern).size:
        expected = "".join(f"[{CLASSES.get(x, '-')}]" for x in pattern)
        assert [x for x in drawn if not re.fullmatch(expected, x)] == []


def test_a_pattern_with_too_few_texts_gets_more_digits():
    assert sorted(draw("pattern|R9", 30)) == sorted(set(draw("pattern|R9", 30)))
    assert all(re.fullmatch(r"R\d\d", x) for x in draw("pattern|R9", 30))
    assert all(re.fullmatch(r"R\d", x) for x in draw("pattern|R9", 10))


def test_a_backslash_makes_a_character_literal():
    assert {x[:3] for x in draw(r"pattern|\AP-99")} == {"AP-"}


@given(low=st.integers(-50, 50), size=st.integers(0, 20), seed=SEEDS)
def test_integers_are_within_bounds(low, size, seed):
    values = set(map(int, draw(f"int|{low}|{low + size}", 400, seed)))
    assert values <= set(range(low, low + size + 1))
    assert len(values) > size / 2


def test_numbers_have_their_distribution_and_decimals():
    normal = draw("normal|80|30|1", 5000)
    lognormal = draw("lognormal|220|1.1|2", 5000)
    assert all(re.fullmatch(r"-?\d+\.\d", x) for x in normal)
    assert all(re.fullmatch(r"\d+\.\d\d", x) for x in lognormal)
    assert np.mean(np.array(normal, float)) == pytest.approx(80, abs=2)
    assert np.std(np.array(normal, float)) == pytest.approx(30, abs=2)
    assert np.median(np.array(lognormal, float)) == pytest.approx(220, rel=0.1)


@pytest.mark.parametrize("form", ["%Y-%m-%d", "%d.%m.%Y", "%Y%m%d", "%Y-%m-%d %H:%M:%S", "%d/%m/%y %H:%M"])
def test_dates_are_in_their_format_and_period(form):
    first, last = datetime.datetime(2020, 1, 31), datetime.datetime(2020, 2, 2, 23, 59, 59)
    moments = [datetime.datetime.strptime(x, form) for x in draw(f"date|{form}|2020-01-31|2020-02-02")]
    assert first <= min(moments)
    assert max(moments) <= last
    assert {x.date() for x in moments} == {datetime.date(2020, 1, 31), datetime.date(2020, 2, 1), last.date()}


def test_unix_time_is_independent_of_the_time_zone():
    seconds = list(map(int, draw("date|%s|1970-01-02|1970-01-02")))
    assert 86_400 <= min(seconds) <= max(seconds) < 2 * 86_400


def test_choices_have_their_weights():
    counts = Counter(draw("choice|a*6|b*3|c", 10_000))
    assert [counts[x] / 10_000 for x in "abc"] == pytest.approx([0.6, 0.3, 0.1], abs=0.02)


@pytest.mark.parametrize("spec", ["email", "uuid", "ip", "mac", "serial|7", "iban|DE"])
def test_contacts_and_keys_are_distinct(spec):
    assert len(set(draw(spec, 3000))) == 3000


def test_contacts_have_their_syntax():
    assert all(re.fullmatch(r"[a-z0-9._]+@[a-z.]+", x) for x in draw("email"))
    assert all(
        re.fullmatch(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", x) for x in draw("uuid")
    )
    assert all(max(map(int, x.split("."))) < 256 for x in draw("ip"))
    assert all(re.fullmatch(r"([0-9a-f]{2}:){5}[0-9a-f]{2}", x) for x in draw("mac"))
    assert draw("serial|0098", 4) == ["0098", "0099", "0100", "0101"]


@pytest.mark.parametrize("lang", language.LANGUAGES)
def test_each_language_has_enough_words(lang):
    least = {"first": 25, "last": 25, "cities": 15, "streets": 10, "words": 60}
    for kind, number in least.items():
        found = language.words(lang, kind).tolist()
        assert len(found) == len(set(found)) >= number, kind
        assert all(re.search(SCRIPTS.get(lang, "[^\\W\\d_]"), x.casefold()) for x in found), kind


@pytest.mark.parametrize("lang", language.LANGUAGES)
def test_sentences_are_punctuated_and_as_long_as_asked(lang):
    written = draw(f"text|{lang}|3|20")
    stop, question, blank = (language.form(lang, x) for x in ("stop", "question", "blank"))
    assert {x[-1] for x in written} == {stop, question}
    if blank:
        lengths = [len(x.split()) for x in written]
        assert 3 <= min(lengths) < 6 < 15 < max(lengths) <= 20
    else:
        assert not any(" " in x for x in written)
    assert len(set(written)) == len(written)


@pytest.mark.parametrize("lang", language.LANGUAGES)
@pytest.mark.parametrize("part", language.NAME_PARTS)
def test_names_differ(lang, part):
    names = draw(f"name|{lang}|{part}", 400)
    assert len(set(names)) > (20 if part in ("first", "last") else 200)
    assert all(", " in name for name in names) == (part == "last, first")


def test_a_vocabulary_has_words_and_then_terms_of_several():
    sizes = [len(set(draw(f"words|ja|{n}", 60 * n))) for n in (5, 90)]
    assert sizes == [5, 90]
    assert any(" " in x for x in draw("words|en|300", 2000))


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("integer|1|2", "unknown generator 'integer'"),
        ("int|1", "expected 2 arguments, got 1"),
        ("int|9|1", "9 is larger than 1"),
        ("serial|x", "expected a number, got 'x'"),
        ("pattern|99\\", "ends with a backslash"),
        ("valid|xx.none|99", "python-stdnum has no module 'xx.none'"),
        ("iban|XX", "unknown country 'XX'"),
        ("name|xx|full", "unknown language 'xx'"),
        ("name|en|middle", "unknown part of a name 'middle'"),
        ("text|en|5|2", "5 is larger than 2"),
        ("words|en|0", "expected a positive number, got '0'"),
        ("date|%Y|2020-01-02|2020-01-01", "expected FORMAT|FIRST|LAST"),
        ("date|%Y|2020|2021-01-01", "Invalid isoformat string"),
        ("choice|a|b|a", "a text occurs twice"),
        ("codes|icd11|5", "unknown kind of codes 'icd11'"),
        ("codes|icd10", "expected a positive number, got ''"),
        ("lognormal|0|1|1", "the median must be positive"),
        ("empty|x", "expected 0 arguments, got 1"),
    ],
)
def test_each_invalid_generator_is_reported(spec, message):
    with pytest.raises(LayoutError, match=re.escape(message)):
        parse_values(spec)
