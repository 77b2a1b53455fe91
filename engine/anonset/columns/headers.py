"""Derive the meaning of column headers from the words in `anonset.columns.words`.

A header is split into words at blanks, punctuation, digits and capitals (``PatientID``), without accents, and with
umlauts as two letters. Compound words (``Versichertennummer``) are split if each part is known. Chinese, Japanese and
Korean headers without blanks are split into known words and the text between them.
"""

import re
import unicodedata
from collections.abc import Collection, Mapping
from functools import cache
from itertools import groupby

from anonset.columns.words import compound_parts, spelled, vocabulary, word_meanings, words_about

_DIRECT = ("e-mail", "IBAN", "phone")
PERSON_IDS = ("person id", "id", "case id")
"""Meanings of headers that identify a person, the most reliable first. A case belongs to one person."""
NAMED, ADDRESS = "name", "address"
"""Meanings of headers that name or locate a person."""
ATTRIBUTES = ("birth", "sex", "origin", "family", "residence")
"""Meanings of headers that name a personal attribute."""
_KNOWN = frozenset({*ATTRIBUTES, "known"})
_KNOWN_DATES = frozenset({*_KNOWN, "event", "case", "born"})
_FURTHER_MEANINGS = frozenset({"around", "filler", "person", "number", "born", "event", "case"})
"""Meanings of further words in a header that names a known attribute."""
_MEANINGS_IN_NAMES = {"name", "of names", "person", "filler"}
_SHORT, _LONGEST_HEADER = 3, 300
CODES = ("code", "codigo", "codice", "n")
"""Words for a number that may also be a code."""
_CAPITALS = re.compile(r"(?<=[a-zа-яα-ω])(?=[A-ZА-ЯΑ-Ω])|(?<=[A-ZА-ЯΑ-Ω])(?=[A-ZА-ЯΑ-Ω][a-zа-яα-ω])")
_WORD = re.compile(r"[a-z]+|[^a-z ]+")
_WITHOUT_BLANKS = re.compile("[\u3005\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]{2,}")
"""Chinese, Japanese and Korean text."""
_HEBREW_ARTICLE = "ה"
_SCRIPTS = ("LATIN", "GREEK", "CYRILLIC", "HEBREW", "ARABIC", "DEVANAGARI", "HIRAGANA", "KATAKANA", "HANGUL", "CJK")
_END_OF_LETTERS = "\u0530"
"""Latin, Greek and Cyrillic letters are before this sign. Other signs may be words."""


@cache
def words_of(header: str) -> tuple[str, ...]:
    """Return the words of a header, in lower case without accents. A phrase of the word files is one word.

    >>> words_of("PatientID"), words_of("Patienten-Nr."), words_of("Straße_2")
    (('patient', 'id'), ('patienten', 'nr'), ('strasse',))
    >>> words_of("Versichertennummer"), words_of("GEBURTSNAME"), words_of("Prénom")
    (('versicherten', 'nummer'), ('geburtsname',), ('prenom',))
    >>> words_of("YoB"), words_of("How old are you?"), words_of("What is your gender?")
    (('yob',), ('age',), ('gender',))
    >>> words_of("ДатаРождения"), words_of("Τ.Κ."), words_of("患者区分"), words_of("加入者ID"), words_of("GIOI_TINH")
    (('дата рождения',), ('τ κ',), ('患者', '区分'), ('加入者', 'id'), ('gioi tinh',))
    """
    text = spelled(header[:_LONGEST_HEADER])
    if text.lower() in word_meanings():
        return (text.lower(),)
    found = _WORD.findall(_letters(_CAPITALS.sub(" ", text)))
    if "?" in text or "؟" in text:
        found = ["age" if word == "old" else word for word in found if word not in words_about("questions")] or found
    return _with_phrases(tuple(part for word in found for part in _cut(word)))


def _letters(text: str) -> str:
    """Return the letters of a text in lower case, with a blank for each other sign."""
    return "".join(sign if unicodedata.category(sign)[0] in "LM" else " " for sign in text.casefold())


def _cut(word: str) -> tuple[str, ...]:
    """Return the parts of a compound word if all parts are known. Return other words unchanged."""
    if word in word_meanings():
        return (word,)
    if not word.isascii():
        return _cut_other_scripts(word)
    for end in range(len(word) - 2, _SHORT - 1, -1):
        first, remainder = word[:end], word[end:]
        if first not in compound_parts():
            continue
        for rest_of in (remainder, remainder[1:] if remainder[0] in "sn" else ""):
            following = _cut(rest_of) if rest_of else ()
            if following and all(part in compound_parts() for part in following):
                return (first, *following)
    number = next(
        (end for end in words_about("number_ends") if word.endswith(end) and len(word) > len(end) + _SHORT), ""
    )
    return (word[: -len(number)], number) if number else (word,)


def _cut_other_scripts(word: str) -> tuple[str, ...]:
    if word in vocabulary():
        return (word,)
    if word.startswith(_HEBREW_ARTICLE) and word[1:] in vocabulary():
        return (word[1:],)
    return _known_words(word) if _WITHOUT_BLANKS.fullmatch(word) else (word,)


def _known_words(text: str) -> tuple[str, ...]:
    """Split a text without blanks into known words and the text between them, so that the known words cover most of the
    text. Among these, choose the fewest words.

    >>> _known_words("患者区分"), _known_words("市区町村"), _known_words("未知患者")
    (('患者', '区分'), ('市区町村',), ('未知', '患者'))
    """
    # for each length: (unknown signs, words), and the start of the last word
    best: list[tuple[int, int]] = [(0, 0)]
    starts = [0]
    for end in range(1, len(text) + 1):
        unknown, n_words = best[end - 1]
        best.append((unknown + 1, n_words))
        starts.append(-1)
        for start in range(max(0, end - _longest()), end):
            cost = best[start][0], best[start][1] + 1
            if cost < best[end] and text[start:end] in vocabulary():
                best[end], starts[end] = cost, start
    pieces: list[tuple[bool, str]] = []
    end = len(text)
    while end:
        start = starts[end] if starts[end] >= 0 else end - 1
        pieces.append((starts[end] >= 0, text[start:end]))
        end = start
    found = list[str]()
    for known, group in groupby(reversed(pieces), key=lambda piece: piece[0]):
        several = [piece for _, piece in group]
        found += several if known else ["".join(several)]
    return tuple(found)


@cache
def _longest() -> int:
    """Return the length of the longest word that may be part of a text without blanks."""
    return max((len(word) for word in vocabulary() if _WITHOUT_BLANKS.fullmatch(word)), default=1)


def _with_phrases(found: tuple[str, ...]) -> tuple[str, ...]:
    """Join words that form a phrase of the word files, the longest phrase first."""
    phrases = _phrases()
    if phrases.keys().isdisjoint(found):
        return found
    joined, place = list[str](), 0
    while place < len(found):
        phrase = next((one for one in phrases.get(found[place], ()) if found[place : place + len(one)] == one), None)
        joined.append(" ".join(phrase) if phrase else found[place])
        place += len(phrase) if phrase else 1
    return tuple(joined)


@cache
def _phrases() -> Mapping[str, list[tuple[str, ...]]]:
    """Return the phrases of the word files by their first word, the longest first."""
    phrases: dict[str, list[tuple[str, ...]]] = {}
    for phrase in sorted((tuple(word.split()) for word in vocabulary() if " " in word), key=len, reverse=True):
        phrases.setdefault(phrase[0], []).append(phrase)
    return phrases


@cache
def meaning_of(header: str) -> str:
    """Return the personal meaning of a header. Empty if the header has no personal meaning.

    Returns
    -------
    str
        Identifiers are ``person id``, ``case id`` and ``id``. Names and contact data are ``name``, ``e-mail``,
        ``IBAN``, ``phone``, ``account`` (also a user name or a device id), ``address``, ``contact`` and ``born`` (a
        name at birth, or a date). Attributes are ``birth``, ``sex``, ``origin``, ``family`` and ``residence``.
        ``thing`` is a ward, a physician, a product or the like.

    >>> [meaning_of(one) for one in ("patient_id", "Fallnummer", "id", "IdNr", "ward_id", "doctor", "PLZ")]
    ['person id', 'case id', 'id', 'id', 'thing', 'thing', 'residence']
    >>> meaning_of("device_id"), meaning_of("device_concept_id")
    ('account', '')
    >>> [meaning_of(one) for one in ("Vorname", "hospital_name", "E-Mail", "Straße", "patient_age", "num_patients")]
    ['name', 'thing', 'e-mail', 'address', 'birth', '']
    >>> [meaning_of(one) for one in ("address.city", "city_address", "Adresse, Ort", "Telefon", "ηλικία", "電話番号")]
    ['residence', 'address', 'address', 'phone', 'birth', 'phone']
    >>> [meaning_of(one) for one in ("ФИО пациента", "رقم الهوية", "מספר זהות", "रोगी का नाम", "身份证号", "환자번호")]
    ['name', 'person id', 'person id', 'name', 'person id', 'person id']
    """
    words = words_of(header)
    says = [word_meanings().get(word, frozenset()) for word in words]
    kinds = frozenset().union(*says)
    if {"e", "mail"} <= set(words):
        return "e-mail"
    if (direct := next((meaning for meaning in _DIRECT if meaning in kinds), None)) is not None:
        return direct
    are_of_names = "name" in kinds and all(not meanings or meanings & _MEANINGS_IN_NAMES for meanings in says)
    if are_of_names and (all(says) or "of names" in kinds):
        return "name"
    if "network" in kinds and "thing" not in kinds:
        return "network"
    if "address" in kinds and "account" not in kinds:
        return "residence" if _is_part_of_address(header) else "address"
    if "account" in kinds and not kinds & {"thing", "birth"}:
        return "account"
    is_coded = not words_about("families").isdisjoint({*words} - {*CODES})
    if "device" in kinds and kinds & {"number", "own number"} and not is_coded:
        return "account"
    if "contact" in kinds and "thing" not in kinds:
        return "contact"
    return _id_kind(words, says) or _attribute_kind(words, kinds)


def _is_part_of_address(header: str) -> bool:
    """Return True if a header names the city, the postcode or another part of an address, as in ``address.city``. Only
    numbers may follow the part.
    """
    words = words_of(header)
    says = [word_meanings().get(word, frozenset()) for word in words]
    parts = [place for place, meanings in enumerate(says) if "residence" in meanings]
    if len(parts) != 1 or "," in header or "/" in header:
        return False
    before, after = zip(words[: parts[0]], says, strict=False), says[parts[0] + 1 :]
    return all(word in words_about("addresses") or meanings & _FURTHER_MEANINGS for word, meanings in before) and all(
        meanings & {"number", "around", "filler"} for meanings in after
    )


def _id_kind(words: tuple[str, ...], says: list[frozenset[str]]) -> str:
    """Return the kind of id that a header names. The id may belong to a person, a case or a row."""
    kinds = frozenset().union(*says)
    id_meanings = {"person", "own number", "insurance", "case", "number", "filler"}
    if not says or not all(meanings & id_meanings for meanings in says):
        return ""
    if words[0] in ("number", "num", "nb", "no", "n") and len(words) > 1 and ("of" in words or words[-1] == "patients"):
        return ""
    if "own number" in kinds or (kinds & {"person", "insurance"} and "number" in kinds):
        return "person id"
    if "case" in kinds:
        return "case id" if "number" in kinds else ""
    if "person" in kinds:
        return "person id" if words[-1] in words_about("plain") else "id"
    return "id" if set(words) & words_about("alone") and kinds <= {"number", "filler"} else ""


def _attribute_kind(words: tuple[str, ...], kinds: frozenset[str]) -> str:
    if "born" in kinds:
        return "born" if len(words) == 1 else "birth"
    if "thing" in kinds and "person" not in kinds:
        return "thing"
    return next((attribute for attribute in ATTRIBUTES if attribute in kinds), "")


def is_known(header: str, *, dates: bool = False) -> bool:
    """Return True if a header names an attribute of a person that others know. Each word of the header must have a
    meaning that fits an attribute of a person, except for unknown words before a dot, in nested records.

    Parameters
    ----------
    dates
        Whether the values are dates, such as dates of admission.

    >>> [is_known(one) for one in ("patient_age", "Altersgruppe", "marital-status", "Wohnort", "occupation")]
    [True, True, True, True, True]
    >>> [is_known(one) for one in ("sex_partners", "BuT", "support", "medical_equipment", "state of mind", "group")]
    [False, False, False, False, False, False]
    >>> is_known("Aufnahmedatum", dates=True), is_known("Aufnahmedatum"), is_known("HIV test date", dates=True)
    (True, False, False)
    >>> is_known("inmate.sex"), is_known("hours.per.week"), is_known("doctor.sex"), is_known("state of mind.sex")
    (True, True, False, False)
    >>> [is_known(one) for one in ("Płeć", "Возраст", "الجنسية", "מצב משפחתי", "シード番号", "加入者性別", "시군구")]
    [True, True, True, True, False, True, True]
    """
    container, _, field = header.rpartition(".")
    if field.isalpha() and container and vocabulary().isdisjoint(words_of(container)):
        header = field
    words, known_meanings = words_of(header), _KNOWN_DATES if dates else _KNOWN
    says = [word_meanings().get(word, frozenset()) for word in words]
    if "address" in frozenset().union(*says):
        return _is_part_of_address(header)
    return any(meanings & known_meanings for meanings in says) and all(
        _is_letter(word) or meanings & (known_meanings | _FURTHER_MEANINGS)
        for word, meanings in zip(words, says, strict=True)
    )


def _is_letter(word: str) -> bool:
    return len(word) == 1 and word < _END_OF_LETTERS


def has_known_letters(header: str) -> bool:
    """Return True if a header contains a letter of a script in which words are known.

    >>> has_known_letters("age"), has_known_letters("環境"), has_known_letters("ბარათი"), has_known_letters("3")
    (True, True, False, False)
    """
    return any(unicodedata.name(sign, "").startswith(_SCRIPTS) for sign in header if sign.isalpha())


def is_direct(meaning: str) -> bool:
    """Return True if columns with this meaning contain names or contact data of persons."""
    return meaning in (*_DIRECT, "name", "account", "address", "contact", "network", "born")


def are_headers(texts: Collection[str]) -> bool:
    """Return True if the first line of a file certainly contains headers: one text names an id, or two different texts
    name attributes of a person. Texts with digits do not count, because they may be values.

    >>> are_headers(["id", "code", "code"]), are_headers(["age", "sex", "code"]), are_headers(["45", "E10", "E10"])
    (True, True, False)
    >>> are_headers(["student", "teacher", "student"]), are_headers(["Station 3", "Klinik 2"])
    (False, False)
    """
    words = {text for text in texts if not any(map(str.isdigit, text))}
    return any(map(is_identifier, words)) or sum(map(is_known, words)) > 1


def is_numbered(header: str) -> bool:
    """Return True if a header names a number or a key of an unknown kind of thing.

    >>> [is_numbered(one) for one in ("sample_id", "Halternummer", "ward_id", "id", "sale_no", "household_key")]
    [True, True, False, False, True, True]
    """
    words = words_of(header)
    number = any("number" in word_meanings().get(word, ()) for word in words if word not in CODES)
    return len(words) > 1 and number and not is_about_a_thing(header)


def numbers_a_thing(header: str) -> bool:
    """Return True if a header names the number of a ward, a school or the like, and not its code.

    >>> [numbers_a_thing(one) for one in ("SchoolID", "ward number", "department code", "school", "patient_id")]
    [True, True, False, False, False]
    """
    says = [word_meanings().get(word, frozenset()) for word in words_of(header) if word not in CODES]
    return is_about_a_thing(header) and any("number" in meanings for meanings in says)


def is_identifier(header: str) -> bool:
    """Return True if a header contains a word for an id, of a person or of anything else.

    >>> is_identifier("sampleId"), is_identifier("guid"), is_identifier("valid"), is_identifier("house_number")
    (True, True, False, False)
    """
    return any(word in words_about("ids") or "own number" in word_meanings().get(word, ()) for word in words_of(header))


def is_about_a_person(header: str) -> bool:
    """Return True if a header names a person of the data, and does not name a ward, a physician, a diagnosis or the
    like.

    >>> is_about_a_person("patron_bc"), is_about_a_person("patient_diagnosis"), is_about_a_person("code")
    (True, False, False)
    """
    kinds = frozenset[str]().union(*(word_meanings().get(word, frozenset()) for word in words_of(header)))
    return "person" in kinds and "thing" not in kinds


def is_about_a_thing(header: str) -> bool:
    """Return True if a header names a ward, a physician, a shop or the like, and does not name a person of the data.

    >>> is_about_a_thing("hospital_phone"), is_about_a_thing("patient_phone"), is_about_a_thing("E-Mail")
    (True, False, False)
    """
    kinds = frozenset[str]().union(*(word_meanings().get(word, frozenset()) for word in words_of(header)))
    return "thing" in kinds and "person" not in kinds


def is_about_an_agent(header: str) -> bool:
    """Return True if a header names a ward, a physician, a shop or the like, and no product or diagnosis.

    >>> is_about_an_agent("assignee"), is_about_an_agent("product"), is_about_an_agent("patient")
    (True, False, False)
    """
    return is_about_a_thing(header) and not any(
        is_about(word, "products") for word in words_of(header) if word not in CODES
    )


def is_about(header: str, *topics: str) -> bool:
    """Return True if a header contains a word of one of the topics: ``quantities`` (an amount, a price, a duration or a
    count), ``products`` (bought, prescribed or diagnosed things), ``families`` (goods, drugs, diagnoses or codes, of
    which a cell contains one), ``copies`` (the source text or the type of a code that another column contains),
    ``remarks`` (which may mention anybody), or ``sets`` (things of which a person may have several).

    >>> is_about("unit_price", "quantities"), is_about("Menge", "quantities"), is_about("product", "quantities")
    (True, True, False)
    >>> is_about("Количество", "quantities"), is_about("金額", "quantities"), is_about("商品名", "quantities")
    (True, True, False)
    >>> [is_about(one, "copies") for one in ("drug_source_value", "drug_type_concept_id", "drug_concept_id")]
    [True, True, False]
    >>> [is_about(one, "remarks") for one in ("Bemerkung", "doctor_comments", "product", "備考", "ملاحظات")]
    [True, True, False, True, True]
    """
    return not frozenset().union(*map(words_about, topics)).isdisjoint(words_of(header))


def names_codes(header: str) -> bool:
    """Return True if a header names goods, drugs, diagnoses or codes, of which a cell contains one.

    >>> [names_codes(one) for one in ("dx1", "Diagnose_2", "prod_code", "item12", "med1", "ward", "Klasse")]
    [True, True, True, True, True, False, False]
    """
    return is_about(header, "families", "products")


def names_items(header: str) -> bool:
    """Return True if a header names things of which a person may have several, and nothing sensitive.

    >>> [names_items(one) for one in ("Artikel", "Kenntnisse", "diagnosis_codes", "Grund", "Sede", "usr", "HIV status")]
    [True, True, True, False, False, False, False]
    """
    return is_about(header, "families") or (is_about(header, "sets") and not is_sensitive(header))


def begins_like_items(header: str) -> bool:
    """Return True if the first word of a header names goods, drugs, diagnoses or codes, as in ``dx_a`` or ``item12``.

    >>> [begins_like_items(one) for one in ("dx_a", "item12", "Produkt Milch", "has_hiv", "test_hiv")]
    [True, True, True, False, False]
    """
    return not words_about("families").isdisjoint(words_of(header)[:1])


def names_a_subject(header: str) -> bool:
    """Return True if a header is the name of a school subject.

    >>> names_a_subject("Mathe"), names_a_subject("math_2"), names_a_subject("class")
    (True, True, False)
    """
    words = words_of(header)
    return bool(words) and words_about("subjects").issuperset(words)


def is_sensitive(header: str) -> bool:
    """Return True if a header names a sensitive attribute of a person.

    >>> [is_sensitive(one) for one in ("HIV-Status", "Jahreseinkommen", "Schulnote", "religión", "readmitted_30d")]
    [True, True, True, True, True]
    >>> [is_sensitive(one) for one in ("asylum_status", "special_needs", "Förderbedarf", "TB screening")]
    [True, True, True, True]
    >>> [is_sensitive(one) for one in ("age", "num_diagnoses", "date_of_death", "Klasse")]
    [False, False, False, False]
    >>> [is_sensitive(one) for one in ("Диагноз", "الراتب", "ציון מתמטיקה", "मासिक आय", "検査結果", "月收入", "진단명")]
    [True, True, True, True, True, True, True]
    """
    words = words_of(header)
    return words_about("counts").isdisjoint(words) and any(map(_is_sensitive_word, words))


def has_usual_value(header: str) -> bool:
    """Return True if the most frequent value of a column may say nothing about a person. In columns of origin and
    belief, each value says something, and so does a word for none.

    >>> [has_usual_value(one) for one in ("diagnosis", "readmitted", "Konfession", "trade_union", "ethnicity")]
    [True, True, False, False, False]
    """
    stems, words = words_about("belief_stems"), words_of(header)
    return not (is_about(header, "ethnic") or any(stem in word for stem in stems for word in words))


@cache
def _is_sensitive_word(word: str) -> bool:
    is_known = word in words_about("sensitive") or word.endswith(_ends())
    return is_known or any(stem in word for stem in words_about("sensitive_stems"))


@cache
def _ends() -> tuple[str, ...]:
    return tuple(words_about("sensitive_ends"))
