"""Detect values that name or reach a person: e-mail addresses, phone numbers, device ids, names, free text."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple
from unicodedata import category

from anonset.columns.check_digits import count_checked
from anonset.columns.kinds import NAMED_MONTH, PLAIN_DAY, WEEKDAY
from anonset.columns.words import without_accents
from anonset.data.hierarchies.hierarchy_rules import NO_VALUE
from anonset.personal_text import is_opaque_key

_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
_PHONE_WITHIN = re.compile(r"(?<![\w.,-])(\+|00?)[1-9]\d[\d /()-]{5,16}\d(?![\w.,])")
_MAIL = re.compile(r"(?<![^@\s])[^@\s]+@[^@\s]+\.[a-z]{2,}", re.IGNORECASE)
_PHONE = re.compile(r"(?=.*[+ /()-])(\+|00?|\()[\d /().-]{6,19}\d")
_SURE_PHONE = re.compile(
    r"\+[1-9]\d{0,2}[ ()/.-]{0,2}\d[\d ()/.-]{5,14}\d|\(0?\d{2,5}\)[ -]?\d[\d -]{3,9}\d|0\d{1,4}[ /]\d{5,8}"
    r"|0\d([ .]\d\d){4}|\d{3}([-. ])\d{3}\2\d{4}"
)
_ADDRESS = re.compile(
    r"\d+[a-z]?,? ([^\W\d_]+[.]? ){1,4}(street|st[.]?|road|rd[.]?|avenue|ave[.]?|lane|drive|close|court|view|way|place"
    r"|square|terrace|gardens|boulevard|blvd[.]?)\b.*"
    r"|\d+,? (bis |ter )?(rue|avenue|boulevard|chemin|place|allée|impasse|quai)\b.*"
    r"|[^\d,;]*(stra(ß|ss)e|str[.]|weg|gasse|platz|allee|ufer|damm|straat|laan|plein|gata?n?|väg(en)?|vej|gade) ?\d+"
    r" ?[a-z]?\b.*"
    r"|(calle|avenida|paseo|plaza|via|viale|piazza|corso|rua|praça|travessa|ul[.]|al[.])(?!\w)[^\d]+,? \d+\b.*",
    re.IGNORECASE,
)
_POSTCODE = (
    r"(?<![\w-])(?:\d{5}(?:-\d{4})?|\d{2}-\d{3}|\d{4}-\d{3}|\d{4} ?[A-Z]{2}|[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}"
    r"|\d{4}(?= [^\W\d_]{2}))(?![\w-])"
)
_WITH_POSTCODE = re.compile(_POSTCODE).search
_SURE_ADDRESS = re.compile(
    rf"(?:\D{{3,40}} \d{{1,4}} ?[a-z]?, ?|\d{{1,5}}[a-z]?,? [^\d,]{{3,40}},\D{{0,40}}){_POSTCODE}(?: \D{{2,40}})?"
)
_IBAN = re.compile(r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}")
_SHORTEST_IBAN = 15
_NAME = re.compile(r"[^\W\d_a-z][^\W\d_]*[.]?([ '-]+[^\W\d_]+[.]?)*")
_DEVICE = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|([0-9a-fA-F]{2}[:-]){5}[0-9a-fA-F]{2}")
_NETWORK = re.compile(r"(\d{1,3}\.){3}\d{1,3}|(?=.*:.*:)([0-9a-fA-F]{0,4}:){3,7}[0-9a-fA-F]{1,4}")
_SURE_NETWORK = re.compile(
    r"(?=.*[12]\d\d)((1?\d?\d|2[0-4]\d|25[0-5])(\.(?!$)|$)){4}|([0-9a-fA-F]{1,4}:){7}[0-9a-fA-F]{1,4}"
)
_HANDLE = re.compile(r"@[A-Za-z]\w{2,29}")
_KEY = re.compile(r"(?=.*\d)(?=.*[^\W\d_])(?:[\w-]|(?<=\d)\.(?=\d{3}))+").fullmatch
_SERIAL = re.compile(r"\d{4,8}[-+]\d{3,5}").fullmatch
_HEXADECIMAL = re.compile(r"[0-9A-F]{6,}|[0-9a-f]{6,}").fullmatch
_LONG = 6
_MOST = 0.9
_WORDS = re.compile(r"[^\W\d_]+([ ,.'-]+[^\W\d_]+){0,4}\.?").fullmatch
_ONE_WORD = re.compile(r"[^\W\d_]+(['’-][^\W\d_]+)*").fullmatch
_BETWEEN_WORDS = re.compile(r"[ ,.'-]+")
_NAMES, _FEWEST_NAMES = 0.1, 3
"""Labels are names of persons if at least this share and this number of them contain a title or a first name."""
_HALF_OF_FEW = 0.5
"""Two labels of several words suffice if at least this share of the labels are names."""
_LISTS = 0.1
"""Labels are sets if at least this share of them contain several commas."""
_SURNAMES, _FEWEST_SURNAMES = 0.2, 5
"""Labels without first names are names of persons if at least this share and number of them are common surnames."""
_TITLE = re.compile(r"(dr|prof|mr|mrs|hon|judge|nurse|herr|frau|mme|mlle)[. ]", re.IGNORECASE).match
_WITH_INITIAL = re.compile(r"(?:[^\W\d_a-z][.][ -]?){1,3}(?:[^\W\d_a-z][^\W\d_]+[ '-]?){1,3}").fullmatch
_OF_A_PLACE = re.compile(r"(st|saint|sankt|san|santa|santo|são)[. ]", re.IGNORECASE).match
_WORDS_FOR_SEX = (
    "m f w d u x h male female mann frau männlich weiblich divers homme femme masculin féminin hombre mujer "
    "maschio femmina man vrouw unknown/invalid"
)
_SEXES, _FEMALE = frozenset(_WORDS_FOR_SEX.split()), "fvw"
_YEAR, _MONTH, _DAY = r"(?:18|19|20)\d\d", r"(?:0[1-9]|1[0-2])", r"(?:0[1-9]|[12]\d|3[01])"
_DAYS = r"(?:0?[1-9]|[12]\d|3[01])"
_DATE = re.compile(
    rf"(?:{WEEKDAY}(?:{_YEAR}([-/.]?){_MONTH}\1{_DAY}|{_DAYS}([-/.]){_DAYS}\2(?:{_YEAR}|\d\d))|{NAMED_MONTH}"
    rf"|{_YEAR}[年년] ?{_DAYS}[月월] ?{_DAYS}[日일]|{PLAIN_DAY})"
    r"(?:[T ]00:00(?::00)?)?",
    re.IGNORECASE,
)
_MOMENT = re.compile(rf"(?:{_DATE.pattern})(?:(?:T|,? |:)\d{{1,2}}:\d\d.*)?", re.IGNORECASE)
_MAY_BE_DAY = re.compile(rf"{_YEAR}|[-/. ]\d\d(?!\d)").search
_A_YEAR, _PLAIN_DAY = re.compile(_YEAR), re.compile(PLAIN_DAY).fullmatch
FEWEST_DATES = 5
"""Minimum number of full dates of few persons that are a finding."""
_YEARS = 40
"""Minimum number of years between the first and the last date of birth."""
_IN_SENTENCES = tuple(
    words.split()
    for words in (
        "the and with for was not from has", "der die und mit ist nicht von auf", "les des est pour dans avec pas une",
        "los las con para por una que", "che con per una sono non della", "het een van met niet voor is",
    )
)  # fmt: skip
_FEWEST_OF_SENTENCES, _LONG_TEXT = 3, 5
_LOOKED_AT = 20_000


def is_iban(value: str) -> bool:
    """Return True if a value is an IBAN with valid check digits (ISO 13616, ISO 7064 MOD 97-10).

    >>> is_iban("GB82 WEST 1234 5698 7654 32"), is_iban("GB83 WEST 1234 5698 7654 32")
    (True, False)
    """
    if len(value) < _SHORTEST_IBAN:
        return False
    text = value.replace(" ", "").upper()
    return _IBAN.fullmatch(text) is not None and int("".join(str(int(c, 36)) for c in text[4:] + text[:4])) % 97 == 1


OPAQUE, CHECKED = "opaque key", "number"


class Kind(NamedTuple):
    """Kind of values that name or reach persons."""

    words: str
    """The values, in messages."""
    usual: Callable[[str], object] | None = None
    """Matches nearly all values of a column of this kind."""
    sure: Callable[[str], object] | None = None
    """Matches values of which a single one is a finding, because nothing else looks like it."""


KINDS: Mapping[str, Kind] = {
    "e-mail": Kind(
        "e-mail addresses",
        _EMAIL.fullmatch,
        lambda label: "@" in label and (_EMAIL.fullmatch(label) or _MAIL.search(label)),
    ),
    "IBAN": Kind("IBANs", is_iban, is_iban),
    "phone": Kind(
        "telephone numbers",
        _PHONE.fullmatch,
        lambda label: _SURE_PHONE.fullmatch(label) or contains_phone(label),
    ),
    "account": Kind(
        "device ids or user names",
        _DEVICE.fullmatch,
        lambda label: _DEVICE.fullmatch(label) or _HANDLE.fullmatch(label),
    ),
    "network": Kind("IP addresses", _NETWORK.fullmatch, _SURE_NETWORK.fullmatch),
    "address": Kind(
        "postal addresses",
        _ADDRESS.fullmatch,
        lambda label: _SURE_ADDRESS.fullmatch(label) or (_WITH_POSTCODE(label) and _ADDRESS.fullmatch(label)),
    ),
    "name": Kind("names of persons"),
    CHECKED: Kind("national ids, card numbers or device numbers"),
    OPAQUE: Kind("opaque keys or long numbers, such as hashes, card or telephone numbers"),
}
"""Kinds of values that name or reach persons, by the meaning of a header if a header has this meaning."""
CONTACTS = ("e-mail", "IBAN", "phone", "account", "network")
"""Kinds by which a person can be reached or recognized."""


def pattern_of(labels: Sequence[str], patterns: Iterable[str] = CONTACTS[:3]) -> str:
    """Return the name of the pattern that nearly all labels match. Empty if no pattern matches.

    >>> pattern_of(["ann@b.org", "bo@c.net"]), pattern_of(["+49 30 123456", "030/123-456"]), pattern_of(["2020-01-01"])
    ('e-mail', 'phone', '')
    """
    bare = [label.strip() for label in labels]
    tests = ((name, KINDS[name].usual) for name in patterns if bare)
    return next((name for name, usual in tests if usual and nearly_all(usual, bare)), "")


_PLACE = re.compile(r"-?[1-9]\d{0,2}\.\d{4,}|\d{5}-\d{4}")
_MAY_BE_SURE = re.compile(r"[@+(:,/ -]|\..*\.|\A[A-Za-z]{2}[0-9]{2}.{11}").search
"""Matches all labels that match a pattern. Most codes do not match."""


def personal_kind(labels: Sequence[str]) -> tuple[str, int] | None:
    """Return the kind of the values of a column that name or reach persons, and their number. None if there are none.

    A single e-mail address, telephone number or the like suffices, and five ids with valid check digits. Names and
    opaque keys are recognized among other values of their kind. Underscores count as blanks, because blanks separate
    items.

    >>> personal_kind(["E10", "write to bo@c.net"]), personal_kind(["none", "12 Elm Street, LS1 4AB", "seen"])
    (('e-mail', 1), ('address', 1))
    >>> personal_kind(["asked to call 07700 900123", "fine"])
    ('phone', 1)
    >>> personal_kind(["Hans Maier", "Weber, Julia", "tea", "Zoe"]), personal_kind(["E10", "2020-01-31", "077 13"])
    (('name', 3), None)
    """
    bare = [label.strip() if "@" in label else label.replace("_", " ").strip() for label in labels]
    possible = list(filter(_MAY_BE_SURE, bare))
    for kind, (_, _, is_one) in KINDS.items():
        if is_one and (count := sum(1 for label in possible if is_one(label))):
            return kind, count
    if count := count_checked(bare):
        return CHECKED, count
    kind = OPAQUE if are_opaque_keys(list(map(str.strip, labels))) else identifying(bare)
    return (kind, len(names_in(bare) if kind == "name" else bare)) if kind else None


def contains_contact(text: str) -> bool:
    """Return True if a text contains a telephone number or an e-mail address.

    >>> contains_contact("call 07700 900123"), contains_contact("mail a@b.org"), contains_contact("0341 123456")
    (True, True, False)
    """
    return contains_phone(text) or _is_in_text(_MAIL, text)


def contains_phone(text: str) -> bool:
    """Return True if a text with letters contains a telephone number."""
    return _is_in_text(_PHONE_WITHIN, text)


def _is_in_text(pattern: re.Pattern[str], text: str) -> bool:
    """Return True if a pattern matches a part of a text, and another part has letters."""
    match = pattern.search(text)
    return match is not None and any(map(str.isalpha, text[: match.start()] + text[match.end() :]))


def nearly_all(is_one: Callable[[str], object], labels: Sequence[str]) -> bool:
    """Return True if a function returns a true value for at least 90 percent of the labels.

    >>> nearly_all(str.isalpha, ["a"] * 9 + ["1"]), nearly_all(str.isalpha, ["a"] * 8 + ["1"])
    (True, False)
    """
    n_matching = len(labels)
    for label in labels:
        if not is_one(label):
            n_matching -= 1
            if n_matching < _MOST * len(labels):
                return False
    return True


def identifying(labels: Sequence[str], *, of_staff: bool = False) -> str:
    """Return the kind of values that identify persons, as a header meaning. Empty for values that identify nobody. With
    `of_staff`, one first name among few labels suffices.

    ``e-mail``, ``IBAN``, ``phone``, ``account`` (device ids), ``network`` (IP addresses), ``address`` or ``name``.

    >>> identifying(["ann@b.org"]), identifying(["10.0.0.1", "10.0.0.2"]), identifying(["red", "blue"])
    ('e-mail', 'network', '')
    >>> identifying(["12 Elm Street, LS1 4AB", "3b Park View"]), identifying(["Hauptstr. 5", "Am Weg 7"])
    ('address', 'address')
    >>> identifying(["Ada Berger", "Dr. Stein", "Zoe", "Nordmann, Paula"])
    'name'
    """
    bare = [label.strip() for label in labels]
    return pattern_of(bare, KINDS) or ("name" if bare and are_names(bare, fewest=1 if of_staff else 2) else "")


def attribute_of(labels: Sequence[str]) -> str:
    """Return the personal attribute of the labels: ``sex``, ``birth``, or empty.

    >>> attribute_of(["f", "m"]), attribute_of(["1931-05-01", "2001-12-24"]), attribute_of(["f", "g"])
    ('sex', 'birth', '')
    >>> attribute_of(["Hombre", "Mujer", "-9"]), attribute_of(["d", "h", "m"])
    ('sex', '')
    """
    words = {label.lower() for label in labels if not label.lstrip("-").isdecimal()}  # without codes for missing values
    both = any("m" in word for word in words) and any(word[0] in _FEMALE or word == "mujer" for word in words)
    if 2 <= len(words) <= 4 and words <= _SEXES and both:
        return "sex"
    years = [year for label in labels if (year := year_of(label) or year_of(label[:10]))]
    return "birth" if years and len(years) == len(labels) and max(years) - min(years) >= _YEARS else ""


def is_full_date(label: str) -> bool:
    """Return True if a value is a date that includes the day, in digits or with a month name.

    >>> is_full_date("1950/12/24"), is_full_date("24.12.50"), is_full_date("24-Dec-1950"), is_full_date("00104729")
    (True, True, True, False)
    >>> is_full_date("Fri 01. Dec 2023"), is_full_date("4 de enero de 1961"), is_full_date("12 Eier 2020")
    (True, True, False)
    """
    return _DATE.fullmatch(label) is not None


def has_day(label: str) -> bool:
    """Return True if a value is a full date, with or without a time.

    >>> has_day("1950/12/24"), has_day("24.12.1950 08:30"), has_day("1950-12-24T08:30:00Z"), has_day("08:30")
    (True, True, True, False)
    """
    return _MOMENT.fullmatch(label) is not None


def days_in(labels: Sequence[str]) -> list[int]:
    """Return the positions of the full dates. Numbers of eight digits are dates if nearly all of them are.

    >>> days_in(["E11", "1950-12-24"]), days_in(["19501224", "20990101"]), days_in(["19501224", "48000117"])
    ([1], [0, 1], [])
    """
    found = [at for at, label in enumerate(labels) if _MAY_BE_DAY(label) and has_day(label)]
    plain = sum(labels[at].isdecimal() for at in found)
    if plain and plain < _MOST * sum(len(label) == len("20200131") and label.isdecimal() for label in labels):
        return [at for at in found if not labels[at].isdecimal()]
    return found


def are_places(labels: Sequence[str]) -> bool:
    """Return True if nearly all numbers are coordinates, or American postcodes of a few houses.

    >>> are_places(["52.51704", "13.38886"]), are_places(["10001-2345"]), are_places(["0.1234", "0.0123"])
    (True, True, False)
    """
    return nearly_all(_PLACE.fullmatch, labels)


def year_of(label: str) -> int:
    """Return the year of a full date. Return 0 if the year has two digits, or if the value is not a date.

    >>> year_of("24.12.1950"), year_of("20121950"), year_of("24.12.50"), year_of("12345678")
    (1950, 1950, 0, 0)
    """
    year = _A_YEAR.search(label[4:] if _PLAIN_DAY(label) else label) if is_full_date(label) else None
    return 0 if year is None else int(year[0])


def are_keys(labels: Sequence[str]) -> bool:
    """Return True if all labels look like keys. Keys are letters with digits, also in groups of three, long decimal or
    hexadecimal numbers of equal width, or numbers in two parts such as personal numbers.

    >>> are_keys(["q10", "q1234"]), are_keys(["100234", "992345"]), are_keys(["1500", "93000"]), are_keys(["E11 J45"])
    (True, True, False, False)
    >>> are_keys(["19830815-9757", "19680319-8332"]), are_keys(["F6AED45A", "01234567"]), are_keys(["2020-01-31"])
    (True, True, False)
    >>> are_keys(["IT-178.844", "IT-90.021"]), are_keys(["2.5mg", "1.25mg"])
    (True, False)
    """
    long = {len(label) for label in labels if label.isdecimal()}
    return bool(labels) and (
        all(map(_KEY, labels))
        or all(map(_SERIAL, labels))
        or _are_hexadecimal(labels)
        or (all(map(str.isdecimal, labels)) and len(long) == 1 and min(long) >= _LONG)
    )


def _are_hexadecimal(labels: Sequence[str]) -> bool:
    return len({len(label) for label in labels}) == 1 and all(map(_HEXADECIMAL, labels))


def are_opaque_keys(labels: Sequence[str]) -> bool:
    """Return True if nearly all labels are opaque keys, or long numbers of one length that are no product numbers.

    Of many labels, about 20,000 are examined.

    >>> are_opaque_keys([f"{n:012x}" for n in range(10**12, 10**12 + 20)])
    True
    >>> are_opaque_keys([f"{84_900_000_000 + 17 * n}" for n in range(60)]), are_opaque_keys(["E11.9", "J45"] * 9)
    (True, False)
    """
    examined = labels[:: 1 + len(labels) // _LOOKED_AT]
    if len(examined) < _FEWEST_OPAQUE:
        return False
    if nearly_all(is_opaque_key, examined):
        return True
    long = {len(label) for label in examined if label.isdecimal()}
    is_number = len(long) == 1 and min(long) >= _LONG_NUMBER and len(examined) >= _FEWEST_NUMBERS
    return is_number and nearly_all(str.isdecimal, examined) and 2 * sum(map(_is_gtin, examined)) < len(examined)


def _is_gtin(label: str) -> bool:
    digits = [int(digit) for digit in reversed(label) if digit.isdecimal()]
    return len(digits) in (8, 12, 13, 14) and (sum(digits[::2]) + 3 * sum(digits[1::2])) % 10 == 0


_FEWEST_OPAQUE, _FEWEST_NUMBERS, _LONG_NUMBER = 10, 50, 9


def are_capitalised(labels: Sequence[str]) -> bool:
    """Return True if nearly all labels are capitalised words without digits, and few are all capitals.

    >>> are_capitalised(["Ann Lee", "Bo", "Müller-Lüden"]), are_capitalised(["E11", "J45"]), are_capitalised(["f"])
    (True, False, False)
    """
    like = [label for label in labels if _NAME.fullmatch(label.strip())]
    return bool(labels) and len(like) >= _MOST * len(labels) and sum(map(str.isupper, like)) * 2 <= len(like) + 1


def are_names(labels: Sequence[str], fewest: int = 2) -> bool:
    """Return True if one label in ten, and at least three, begin with a title or contain a common first name. Of few
    labels, `fewest` of several words suffice if they are half.

    Labels of surnames are also names, if one in five, and at least five, are common or follow an initial. Of many
    labels, about 20,000 evenly spaced labels are examined.

    >>> are_names(["Hans Maier", "Weber, Julia", "KARIN OTT", "Xi Li"]), are_names(["milk", "cheese", "Peter Pan"])
    (True, False)
    >>> are_names(["Dr. Ahn", "Nurse Kelly"]), are_names(["Grace Achieng", "Mary Wanjiku", "Peter Otieno"])
    (True, True)
    >>> are_names(["Schmidt", "Hoffmann", "Kowalski", "Lefebvre", "Schulz", "Unger"])
    True
    >>> are_names(["A. Meier", "B. Ott", "C.-D. Mc Lee", "E. Ng", "F. Olm"])
    True
    >>> are_names(["Ann, Bo, Hans", "Hans, Peter", "Peter"])  # sets of names
    False
    >>> are_names(["中村　大輔", "加藤　翔", "山田　翔", "小林　恵子", "伊藤　拓也"])
    True
    >>> are_names(["San Antonio", "Santa Clara", "St. Louis", "San Diego"])
    False
    """
    examined = labels[:: max(1, len(labels) // _LOOKED_AT)]
    if are_full_names(examined):
        return True
    if sum(label.count(",") > 1 for label in examined) >= max(1, _LISTS * len(examined)):
        return False
    of_words = list(filter(_WORDS, map(str.strip, examined)))
    named = sum(map(_is_name, of_words))
    full = sum(_is_name(text) for text in of_words if " " in text)
    if (named >= _FEWEST_NAMES and named >= _NAMES * len(examined)) or full >= max(
        fewest, _HALF_OF_FEW * len(examined)
    ):
        return True
    n_surnames = sum(map(_is_surname, of_words))
    return n_surnames >= _FEWEST_SURNAMES and n_surnames >= _SURNAMES * len(examined)


def contain_first_names(labels: Sequence[str]) -> bool:
    """Return True if half of the labels contain a common first name.

    >>> contain_first_names(["Hans", "Julia", "Xi"]), contain_first_names(["Vidal Cano", "Ortiz Gil", "Martin Soto"])
    (True, False)
    """
    return sum(map(_is_name, labels)) >= len(labels) / 2


def names_in(labels: Sequence[str]) -> list[str]:
    """Return the labels that name persons. Among names of persons, they contain a title, a first name or a surname. In
    other columns, they are a common first name and one capitalized word, or a common surname and a first name.

    >>> names_in(["Hans Maier", "milk", "Weber, Julia"]), len(names_in(["A. Ot", "B. Ng", "E. Li", "F. Ma", "G. Wu"]))
    (['Hans Maier', 'Weber, Julia'], 5)
    >>> names_in(["Hans_Zylka", "olive oil", "E10", "Anna", "Hans im Glück", "Ulm", "C10", "A12", "Weber"])
    ['Hans_Zylka']
    """
    if are_full_names(labels):
        return [*labels]
    is_one = _names_person if are_names(labels) else _is_first_and_last
    return [label for label in labels if is_one(label.replace("_", " ").strip())]


def _names_person(text: str) -> bool:
    return _WORDS(text) is not None and (_is_name(text) or _is_surname(text))


def _is_first_and_last(text: str) -> bool:
    firsts, lasts = _listed("first_names.txt"), _listed("surnames.txt")
    first, _, last = text.partition(" ")
    if _spelled(first) in firsts and first[0].isupper() and last[:1].isupper() and _ONE_WORD(last):
        return True
    words = {*_BETWEEN_WORDS.split(_spelled(text))}
    return len(words) > 1 and words <= firsts | lasts and bool(words & firsts and words & lasts)


def _is_surname(text: str) -> bool:
    return _spelled(text) in _listed("surnames.txt") or ("." in text and bool(_WITH_INITIAL(text)))


def are_full_names(labels: Sequence[str]) -> bool:
    """Return True if nearly all labels are surnames with first names or initials in a script other than Latin.

    The words recur in other labels. In East Asian scripts without blanks, the first signs are common surnames, or
    recur more than the last.
    """
    if len(labels) < _FEWEST_SURNAMES or labels[0].isascii():
        return False
    if nearly_all(_EAST_ASIAN_NAME, labels):
        return True
    is_east_asian = nearly_all(_EAST_ASIAN_WORD, labels)
    if is_east_asian and nearly_all(lambda label: label[0] in _EAST_ASIAN_SURNAMES, labels):
        return True
    if len(labels) < _FEWEST_FULL_NAMES:
        return False
    if is_east_asian:
        first, last = len({label[0] for label in labels}), len({label[-1] for label in labels})
        return 3 * first <= len(labels) and first < last
    return nearly_all(_is_full_name, labels) and len({word for label in labels for word in label.split()}) <= len(
        labels
    )


_SIGN = r"[\u3005\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3]"
_EAST_ASIAN_NAME = re.compile(rf"{_SIGN}{{1,4}}[ \u3000]{_SIGN}{{1,5}}").fullmatch
_EAST_ASIAN_WORD = re.compile(rf"{_SIGN}{{2,4}}").fullmatch
_EAST_ASIAN_SURNAMES = frozenset(
    "王李张張刘劉陈陳杨楊黄黃赵趙吴吳周徐孙孫马馬朱胡郭何林高罗羅郑鄭梁谢謝宋唐许許邓鄧冯馮韩韓曹曾彭萧蕭肖蔡潘田董袁于余叶葉蒋蔣杜苏蘇魏程吕呂丁沈任姚卢盧傅钟鐘"
    "姜崔谭譚廖范汪陆陸金石戴贾賈韦夏邱方侯邹鄒熊孟秦白江阎閻薛尹段雷黎史龙龍陶贺賀顾顧毛郝龚邵万萬钱錢严嚴赖賴武莫孔常"
    "김이박최정강조윤장임한오서신권황안송류유전홍고문손양배백허남심노하곽성차주우구나민진지엄채원천방공현함변염여추도소석선설마길연위표명기반왕모탁국"
)
_INITIALS = re.compile(r"([^\W\d_]\.){1,3}").fullmatch
_FEWEST_FULL_NAMES = 30


def _is_full_name(label: str) -> bool:
    words = [word for word in label.split() if not _INITIALS(word)]
    full = 1 <= len(words) <= 3 and 2 <= len(label.split()) <= 3
    return full and all(word[0] > "\u036f" and _is_capitalised_or_uncased(word) for word in words)


def _is_capitalised_or_uncased(word: str) -> bool:
    letters = "".join(sign for sign in word if not category(sign).startswith("M"))
    return letters.isalpha() and (letters.title() == letters or letters.isupper())


@cache
def _listed(file: str) -> frozenset[str]:
    """Return common names without accents, in lower case. Words, places, trades and the like are excluded."""
    return frozenset(Path(__file__).with_name("words").joinpath(file).read_text("ascii").split())


def _spelled(text: str) -> str:
    return (text if text.isascii() else without_accents(text)).lower()


def _is_name(text: str) -> bool:
    if _OF_A_PLACE(text):
        return False
    words = _BETWEEN_WORDS.split(_spelled(text))
    return _TITLE(text) is not None or not _listed("first_names.txt").isdisjoint(words)


def are_words_of_texts(labels: Sequence[str]) -> bool:
    """Return True if labels are free text split into words: three connecting words of one language occur.

    >>> are_words_of_texts(["patient", "with", "pain", "and", "the"]), are_words_of_texts(["milk", "bread"])
    (True, False)
    """
    short = {label.casefold() for label in labels if 2 <= len(label) <= _LONG and label.isalpha()}
    return any(sum(word in short for word in words) >= _FEWEST_OF_SENTENCES for words in _IN_SENTENCES)


def are_sentences(labels: Sequence[str]) -> bool:
    """Return True if most labels have at least five words, including one that connects sentences.

    In other languages, the words are mostly in lower case, and a short word occurs in one label of five.

    >>> are_sentences(["He came with his wife today", "was sent home and not seen"]), are_sentences(["type 2 diabetes"])
    (True, False)
    """
    examined = labels[:: max(1, len(labels) // _LOOKED_AT)]
    rows = [label.split() for label in examined]
    connecting = {word for words in _IN_SENTENCES for word in words}
    long = [words for words in rows if len(words) >= _LONG_TEXT]
    connected = sum(not connecting.isdisjoint(map(str.casefold, words)) for words in long)
    if 2 * connected > len(rows) or len(rows) < _FEWEST_TEXTS or 2 * len(long) <= len(rows):
        return 2 * connected > len(rows)
    words = [word for row in rows for word in row]
    short = Counter(
        word for row in rows for word in {word for word in row if len(word) < _LONG_TEXT and word.islower()}
    )
    is_lower = 2 * sum(word[:1].islower() for word in words) > len(words)
    return is_lower and 5 * max(short.values(), default=0) >= len(rows)


def is_free_text(labels: Sequence[str], occurrences: int) -> bool:
    """Return True if distinct labels of a column are sentences, and not capitalized titles that occur repeatedly."""
    words = [word for label in labels for word in label.split()]
    are_titles = occurrences >= _ROWS_OF_A_TITLE * len(labels) and 2 * sum(w[:1].isupper() for w in words) >= len(words)
    return not are_titles and are_sentences(labels)


def are_word_sets(labels: Sequence[str]) -> bool:
    """Return True if distinct labels may be sets of words that blanks separate: nearly all words are in several labels,
    nearly no label repeats a word, and all words begin with capital letters or none does. Remarks contain names.

    >>> are_word_sets(["milk bread", "bread eggs", "eggs milk"] * 3), are_word_sets(["called Ann", "called Bob"] * 3)
    (True, False)
    """
    sets = [label.split() for label in labels]
    counts = Counter(word for words in sets for word in set(words))
    recurring = sum(n for n in counts.values() if n >= _LABELS_OF_A_WORD)
    once = sum(len(set(words)) == len(words) for words in sets)
    capitals = sum(word[0].isupper() for word in counts)
    return (
        recurring >= _RECURRING * counts.total() > 0 and once >= _RECURRING * len(sets) and capitals in (0, len(counts))
    )


_LABELS_OF_A_WORD, _RECURRING = 5, 0.99
_ROWS_OF_A_TITLE = 4
"""Minimum average number of occurrences of capitalized texts that are titles, not sentences."""


_FEWEST_TEXTS = 20


FEWEST_RARE = 10
"""Minimum number of rare values of identifying text."""
MOST_OF_FEW = 10
"""Values of this many persons are not rare, even if k is larger."""
_LONGEST_CODE = 4


def are_rare_texts(labels: Sequence[str], counts: Iterable[int], threshold: int) -> bool:
    """Return True if labels are text, and more than half of them are rare.

    Parameters
    ----------
    counts
        Number of persons with each label.
    threshold
        A label is rare if fewer persons have it.

    >>> remarks = [f"needs help with {word}" for word in ("Greek", "sums", "notes", "maps")]
    >>> are_rare_texts(["", *remarks * 3], [900, *[1] * 12], 5), are_rare_texts(["", *remarks * 3], [0, *[9] * 12], 5)
    (True, False)
    """
    pairs = [(label, n) for label, n in zip(labels, counts, strict=True) if n and label not in NO_VALUE]
    if not are_rare([label for label, _ in pairs], [n for _, n in pairs], threshold):
        return False
    looked_at = [label for label, _ in pairs[:: 1 + len(pairs) // _LOOKED_AT]]
    return nearly_all(_is_text, looked_at) and not are_keys(looked_at)


def are_rare(labels: Sequence[str], counts: Iterable[int], threshold: int) -> bool:
    """Return True if more than half of the labels, and at least ten, are rare.

    >>> plates = [f"EE-{n}-LL" for n in range(20)]
    >>> are_rare(plates, [9] * 20, 50), are_rare(plates, [10] * 20, 50), are_rare(["north", "south"], [1, 1], 5)
    (True, False, False)
    """
    present = [n for label, n in zip(labels, counts, strict=True) if n and label not in NO_VALUE]
    rare = sum(n < min(threshold, MOST_OF_FEW) for n in present)
    return rare >= FEWEST_RARE and 2 * rare > len(present)


def _is_text(label: str) -> bool:
    """Return True if a label consists mostly of letters, and is neither a code nor a short abbreviation.

    >>> [_is_text(label) for label in ("since 2 years", "佐藤", "E11.9", "XK", "2020-01-31", "Type 2")]
    [True, True, False, False, False, True]
    """
    characters = "".join(label.split())
    letters = sum(map(str.isalpha, characters))
    is_code = len(characters) == len(label) and any(map(str.isdigit, label))
    is_short = label.isascii() and label.isupper() and len(label) <= _LONGEST_CODE
    return letters > 1 and 2 * letters > len(characters) and not (is_code or is_short)
