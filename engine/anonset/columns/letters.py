"""Spell headers and words in one way: without accents, vowel signs of Arabic and Hebrew, and variants of letters."""

import re
import unicodedata

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
