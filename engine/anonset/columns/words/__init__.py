"""Words of headers by topic, in one file per language.

A file contains words only. Each topic is a text of words; an underscore joins the words of a phrase. Words are written
with accents, or in German with umlauts as two letters. A word may have several topics.
"""

import re
import unicodedata
from collections.abc import Mapping
from functools import cache
from pathlib import Path

_UMLAUTS = (("ä", "ae"), ("ö", "oe"), ("ü", "ue"), ("Ä", "Ae"), ("Ö", "Oe"), ("Ü", "Ue"))
_LETTERS = (
    ("ß", "ss"), ("ł", "l"), ("Ł", "L"), ("ø", "o"), ("Ø", "O"), ("æ", "ae"), ("Æ", "Ae"), ("œ", "oe"), ("Œ", "Oe"),
    ("ı", "i"), ("đ", "d"), ("Đ", "D"), ("ð", "d"), ("Ð", "D"), ("þ", "th"), ("Þ", "Th"),
)  # fmt: skip
_NORDIC = (("ø", "oe"), ("Ø", "Oe"), ("å", "aa"), ("Å", "Aa"))
_SAME = (("ى", "ي"), ("ی", "ي"), ("ة", "ه"), ("ک", "ك"), ("ـ", ""), ("ς", "σ"))
"""Letters of Arabic and Greek that are written in several ways."""
_MARKS = re.compile("[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u093c]")
"""Accents, vowel signs of Hebrew and Arabic, and the dot below Devanagari letters."""
_ARTICLE = re.compile(r"(?<![^\W_])ال(?=\w{3})")
_OTHER_LATIN = re.compile("[\u00aa-\u02af\u1e00-\u1eff]")


def without_accents(text: str) -> str:
    """Return text in ASCII, with umlauts as two letters.

    >>> without_accents("Größe"), without_accents("płeć"), without_accents("yaşı"), without_accents("địa chỉ")
    ('Groesse', 'plec', 'yasi', 'dia chi')
    """
    text = _replaced(unicodedata.normalize("NFC", text), _UMLAUTS + _LETTERS)
    return unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()


def spelled(text: str) -> str:
    """Return text in one spelling. Latin letters are in ASCII, and umlauts are two letters. Accents, vowel signs of
    Arabic and Hebrew, and the Arabic article are removed.

    >>> spelled("Größe"), spelled("Ηλικία"), spelled("Пол: №"), spelled("الجِنسيّة"), spelled("ﾊﾟｽﾎﾟｰﾄ(ID)")
    ('Groesse', 'Ηλικια', 'Пол: No', 'جنسيه', 'パスポート(ID)')
    """
    if text.isascii():
        return text
    return _without_marks(_replaced(unicodedata.normalize("NFC", text), _UMLAUTS))


def spellings(text: str) -> tuple[str, ...]:
    """Return text in the spellings that headers use: with umlauts as two letters, and without dots and rings.

    >>> spellings("kön"), spellings("år"), spellings("age")
    (('koen', 'kon'), ('ar', 'aar'), ('age',))
    """
    text = unicodedata.normalize("NFC", text)
    plain = [_without_marks(text)] if any(letter in text for letter, _ in _UMLAUTS) else []
    nordic = [_without_marks(_replaced(text, _NORDIC))] if any(letter in text for letter, _ in _NORDIC) else []
    return spelled(text), *plain, *nordic


def _without_marks(text: str) -> str:
    text = unicodedata.normalize("NFKD", _replaced(text, _LETTERS))
    text = unicodedata.normalize("NFC", _replaced(_MARKS.sub("", text), _SAME))
    text = _ARTICLE.sub("", text) if "ال" in text else text
    return _OTHER_LATIN.sub("", text)


def _replaced(text: str, letters: tuple[tuple[str, str], ...]) -> str:
    for letter, instead in letters:
        text = text.replace(letter, instead)
    return text


MEANINGS = (
    "person", "number", "own number", "insurance", "case", "thing", "name", "of names", "born", "e-mail", "phone",
    "IBAN", "account", "device", "contact", "network", "address", "birth", "sex", "origin", "family", "residence",
    "known", "event", "around", "filler",
)  # fmt: skip
"""Topics from which the meaning of a header is derived."""
_WITH_COMPOUNDS = ("de", "en", "es", "fr", "it", "nl", "da", "fi", "hu", "no", "sv")
"""Languages of which words may be parts of a compound word. Spaces and capitals of headers are often omitted."""
_NO_WORDS = frozenset({"ethnic", "sensitive_stems", "belief_stems", "sensitive_ends", "number_ends", "questions"})


@cache
def words_about(topic: str) -> frozenset[str]:
    """Return the words of a topic, in all languages. The words of a phrase are separated by blanks.

    >>> "price" in words_about("quantities"), "preis" in words_about("quantities"), "age" in words_about("quantities")
    (True, True, False)
    """
    return frozenset().union(*(topics.get(topic, ()) for topics in _files().values()))


@cache
def word_meanings() -> Mapping[str, frozenset[str]]:
    """Return the meanings of each word, in all languages.

    >>> sorted(word_meanings()["station"]), sorted(word_meanings()["geburtsdatum"])
    (['known', 'thing'], ['birth'])
    """
    found: dict[str, frozenset[str]] = {}
    for meaning in MEANINGS:
        one = frozenset({meaning})
        for word in words_about(meaning):
            found[word] = found[word] | one if word in found else one
    return found


@cache
def vocabulary() -> frozenset[str]:
    """Return the words and phrases of all topics, except stems, endings and words of questions."""
    several = (words for topics in _files().values() for topic, words in topics.items() if topic not in _NO_WORDS)
    return frozenset().union(*several)


@cache
def compound_parts() -> frozenset[str]:
    """Return words with a meaning that may be parts of a compound word.

    >>> "patienten" in compound_parts(), "tax" in compound_parts()
    (True, True)
    """
    several = (_files()[language].get(meaning, frozenset()) for language in _WITH_COMPOUNDS for meaning in MEANINGS)
    return frozenset().union(*several)


@cache
def _files() -> Mapping[str, Mapping[str, frozenset[str]]]:
    """Return the words of each language by topic."""
    return {file.stem: _read(file) for file in sorted(Path(__file__).parent.glob("*.toml"))}


def _read(file: Path) -> Mapping[str, frozenset[str]]:
    import tomllib  # takes 10 ms, and `--help` needs no words

    # texts, because tomllib parses lists 30 times as slowly; spellings of a whole file, because this is faster
    topics: dict[str, set[str]] = {}
    for spelled in spellings(file.read_text("utf-8")):
        for topic, text in tomllib.loads(spelled).items():
            topics.setdefault(topic, set()).update(text.casefold().split())
    return {topic: frozenset(map(_phrase, words)) for topic, words in topics.items()}


def _phrase(word: str) -> str:
    return word.replace("_", " ") if "_" in word else word
