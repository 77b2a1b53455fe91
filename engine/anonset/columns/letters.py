"""Spell headers and words in one way: without accents, vowel signs of Arabic and Hebrew, and variants of letters."""

import re
import unicodedata

_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue"})
_LETTERS = str.maketrans({
    "ß": "ss", "ł": "l", "Ł": "L", "ø": "o", "Ø": "O", "æ": "ae", "Æ": "Ae", "œ": "oe", "Œ": "Oe", "ı": "i", "đ": "d",
    "Đ": "D", "ð": "d", "Ð": "D", "þ": "th", "Þ": "Th",
})  # fmt: skip
_NORDIC = str.maketrans({"ø": "oe", "Ø": "Oe", "å": "aa", "Å": "Aa"})
_SAME = str.maketrans({"ى": "ي", "ی": "ي", "ة": "ه", "ک": "ك", "ـ": "", "ς": "σ"})
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
    text = unicodedata.normalize("NFC", text).translate(_UMLAUTS).translate(_LETTERS)
    return unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()


def spelled(text: str) -> str:
    """Return text in one spelling. Latin letters are in ASCII, and umlauts are two letters. Accents, vowel signs of
    Arabic and Hebrew, and the Arabic article are removed.

    >>> spelled("Größe"), spelled("Ηλικία"), spelled("Пол: №"), spelled("الجِنسيّة"), spelled("ﾊﾟｽﾎﾟｰﾄ(ID)")
    ('Groesse', 'Ηλικια', 'Пол: No', 'جنسيه', 'パスポート(ID)')
    """
    if text.isascii():
        return text
    text = unicodedata.normalize("NFC", text).translate(_UMLAUTS)
    return _without_marks(text)


def spellings(text: str) -> tuple[str, ...]:
    """Return text in the spellings that headers use: with umlauts as two letters, and without dots and rings.

    >>> spellings("kön"), spellings("år"), spellings("age")
    (('koen', 'kon', 'kon'), ('ar', 'ar', 'aar'), ('age',))
    """
    if text.isascii():
        return (text,)
    text = unicodedata.normalize("NFC", text)
    return spelled(text), _without_marks(text), _without_marks(text.translate(_NORDIC))


def _without_marks(text: str) -> str:
    text = unicodedata.normalize("NFKD", text.translate(_LETTERS))
    text = unicodedata.normalize("NFC", _MARKS.sub("", text).translate(_SAME))
    return _OTHER_LATIN.sub("", _ARTICLE.sub("", text))
