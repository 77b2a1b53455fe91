"""Naive uniform spelling of an id, character by character."""

import re
import unicodedata

_IGNORED = {"\u034f", "\u115f", "\u1160", "\u17b4", "\u17b5", "\u3164", "\uffa0"}
_APOSTROPHES = "`\u00b4\u02b9\u02bb\u02bc\u02bd\u2018\u2019\u201b\u2032"
_KINDS = {"patient", "person", "practitioner", "relatedperson"}


def folded(text: str) -> str:
    """Return the uniform spelling of an id."""
    if not text.isascii():
        while text != (text := unicodedata.normalize("NFKC", _folded_once(text))):
            pass
    text = "".join("'" if c == "`" else c.lower() if c.isascii() else c for c in text if c > " " and c != "\x7f")
    text = _whole(_trunk(_reference(text)))
    if (date := _date(text)) is not None:
        return date
    groups = text.split(".")
    numbers = re.split("[-/.]", text)
    if "@" in text or ":" in text or not any(c in "0123456789" for c in text):
        return text
    if text[:1] == "-" and _are_digits(text[1:]):
        return text
    if len(groups) == 4 and all(_are_digits(group, 3) for group in groups):
        return text
    if len(numbers) == 3 and all(map(_are_digits, numbers, (4, 2, 4))):
        is_date = len(numbers[0]) <= 2 and len(numbers[2]) == 4 and numbers[2][:2] in ("18", "19", "20")
        marks = [c for c in text if c in "-/."]
        plain = [n[1:] if len(n) == 2 and n[0] == "0" else n for n in numbers]
        return plain[0] + marks[0] + plain[1] + marks[1] + plain[2] if is_date else text
    key = "".join(c for c in text if unicodedata.category(c)[0] in "LMN")
    return key.lstrip("0") or "0"


def _folded_once(text: str) -> str:
    text = "".join(map(_uniform, text))
    return unicodedata.normalize("NFKD", text).casefold().replace("i\u0307", "i")


def _uniform(c: str) -> str:
    kind, code = unicodedata.category(c), ord(c)
    if kind == "Nd":
        return str(int(c))
    if kind in ("Cc", "Cf", "Zs", "Zl", "Zp") or c in _IGNORED:
        return ""
    if code in range(0x180B, 0x1810) or code in range(0xFE00, 0xFE10) or code in range(0xE0100, 0xE01F0):
        return ""
    if kind == "Pd" or c == "\u2212":
        return "-"
    return "'" if c in _APOSTROPHES else "i" if c == "\u0131" else c


def _are_digits(text: str, most: int = 1000) -> bool:
    return 0 < len(text) <= most and all(c in "0123456789" for c in text)


def _reference(text: str) -> str:
    text_of, version, _ = text.partition("/_history/")
    parts = (text_of if version else text).split("/")
    if len(parts) < 2 or parts[-2] not in _KINDS or not 0 < len(parts[-1]) <= 64:
        return text
    is_id = all(c.isascii() and (c.isalnum() or c in "-.") for c in parts[-1])
    has_address = re.match("https?://", text) is not None
    return "/".join(parts[-2:]) if is_id and (len(parts) == 2 or has_address) else text


def _trunk(text: str) -> str:
    start, bracket, rest = text.partition("(0)")
    country = start.removeprefix("+") if start.startswith("+") else start.removeprefix("00")
    return start + rest if bracket and country != start and _are_digits(country, 3) else text


def _whole(text: str) -> str:
    number, mark, zeros = text.replace(",", ".").rpartition(".")
    if not mark or not _are_digits(number.removeprefix("-")) or set(zeros) != {"0"}:
        return text
    decimals = len(zeros) != 3 or len(number.removeprefix("-")) > 3
    return number if decimals and ("," not in text or len(zeros) < 3) else text


def _date(text: str) -> str | None:
    for end in ("00:00:00", "00:00"):
        cut = re.sub(r"(?<=00:00:00)\.0+$", "", text)
        if cut.endswith(end):
            day = cut.removesuffix(end)
            return _day(day.removesuffix("t")) if _day(day.removesuffix("t")) else _day(text)
    return _day(text)


def _day(text: str) -> str | None:
    parts = re.split("[-/.]", text)
    if len(parts) != 3 or not all(map(_are_digits, parts)):
        return None
    if text.count(".") == 2 and len(parts[2]) == 4:
        parts.reverse()
    year, month, day = parts
    if len(year) != 4 or year[:2] not in ("18", "19", "20") or len(month) > 2 or len(day) > 2:
        return None
    return f"{year}-{int(month)}-{int(day)}" if 1 <= int(month) <= 12 and 1 <= int(day) <= 31 else None
