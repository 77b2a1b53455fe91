"""Patterns of values that name or reach a person: e-mail addresses, phone numbers, device ids, names, free text."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache

from anonset.io.header_words import without_accents

_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
_PHONE = re.compile(r"(?=.*[+ /()-])(\+|00?|\()[\d /().-]{6,19}\d")
_IBAN = re.compile(r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}")
_SHORTEST_IBAN = 15
_NAME = re.compile(r"[^\W\d_a-z][^\W\d_]*[.]?([ '-]+[^\W\d_]+[.]?)*")
_DEVICE = re.compile(
    r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|([0-9a-fA-F]{2}[:-]){5}[0-9a-fA-F]{2}|(\d{1,3}\.){3}\d{1,3}"
)
_LETTERS = re.compile(r"[^\W\d_]+")
_KEY = re.compile(r"(?=.*\d)(?=.*[^\W\d_])[\w-]+").fullmatch
_FULL_NAME = re.compile(r"[^\W\d_a-z][^\W\d_]*[.]?([ ,'-]+[^\W\d_]+[.]?){1,4}").fullmatch
_LONG = 6
_MOST = 0.9
_WORDS = re.compile(r"[^\W\d_]+([ ,.'-]+[^\W\d_]+){0,3}\.?").fullmatch
_BETWEEN_WORDS = re.compile(r"[ ,.'-]+")
_GIVEN_NAMES = (
    "aaron adam adrian agnieszka ahmed aisha albert alberto alejandro alessandro alessia alexandra alfred ali alice "
    "alicia alvaro amanda ana andrea andreas andrew andrzej angela angelika anja ann anna anne anneliese annemarie "
    "annette anthony antoine antonio arthur aurelie ayse barbara beatriz ben benjamin bernard bernd betty birgit "
    "brenda brian brigitte bruce carl carla carlos carmen carol carolina carolyn catherine cecile celine charles "
    "cheryl chiara christa christian christina christine christopher claire clara claudia claus cornelia cornelis "
    "cristina cynthia daniel daniela david davide deborah debra delphine denis dennis diane diego dieter dirk "
    "dmitri dominik donald donna dorothy douglas edith edward elena elfriede elisa elisabeth elizabeth emilie emily "
    "emine emma encarnacion enrico eric erik erika esther eugene eva evelyn ewa fatima fatma federico felix "
    "fernando filip florian francesca francesco francisco franz frederic friedrich gabriele gary george gerda "
    "gerhard gertrud giesela giorgia giovanni gisela giulia giuseppe gregory guenter guillaume gunter günter hannah "
    "hannelore hans harald harold hassan hatice heike heinrich heinz helen helga helmut hendrik henrik henry "
    "herbert hildegard holger horst howard huseyin hüseyin ibrahim ilaria ines ingeborg ingrid irene irina irmgard "
    "isabel isabelle ivan jacob jacqueline jacques james jan janet janice janina jason javier jean jeffrey jennifer "
    "jens jeremy jeroen jerry jessica joachim joanna johan johanna johannes john johnny jonas jonathan jorge jose "
    "josef josefa joseph joshua josé joyce juan judith judy juergen julia julian julie jürgen karen karin karl "
    "katarzyna katharina katherine kathleen kathrin keith kenneth kevin khadija kimberly klaus kristina krzysztof "
    "kurt kyle larry lars laura laurent lawrence lea lena leon lieselotte linda lisa lorenzo louis louise luca "
    "lucas lucia luis luisa lukas maaike magdalena manfred manuel manuela marc marco marcus margaret margarete "
    "maria marie mario marion markus martha martin martina mary mathieu mathilde matteo matthew matthias małgorzata "
    "mehmet melanie melissa michael michaela michel michelle miguel mohamed mohammed monika mustafa nadine nancy "
    "natalia natalie nathalie nathan nicholas nicolas nicole nina nora olga oliver olivier omar pablo pamela paola "
    "paolo patricia patrick paul paula pauline pedro peter petra philip philipp philippe pierre pieter piotr rachel "
    "ralf ralph randy raquel raymond rebecca regina renate riccardo richard robert roberto roger roland ronald "
    "ruben russell ruth ryan samuel sander sandra sara sarah scott sebastian sebastien sergei sergio sharon shirley "
    "silke silvia simon sofia sonja sophie stefan stefanie stefano stephan stephane stephanie stephen steven susan "
    "susanne svenja svetlana sylvain sylvie tanja tatiana teresa theresa thibault thierry thomas thorsten timothy "
    "tobias todd tomasz ulrich ulrike ursula ute valentina valeria vera veronika vincent virginie walter waltraud "
    "werner wilhelm willem william wolfgang wouter youssef yusuf yves zachary zeynep zofia ángel"
)
_NAMES, _FEWEST_NAMES = 0.1, 3
"""Share of the labels, and number of them, that contain a given name, from which on labels are names of persons."""
_IN_SENTENCES = tuple(
    words.split()
    for words in (
        "the and with for was not from has", "der die und mit ist nicht von auf", "les des est pour dans avec pas une",
        "los las con para por una que", "che con per una sono non della", "het een van met niet voor is",
    )
)  # fmt: skip
_FEWEST_OF_SENTENCES, _LONG_TEXT = 3, 5
_LOOKED_AT = 20_000
_TITLES = frozenset({"dr", "prof", "mr", "mrs", "ms", "herr", "frau", "mme", "mlle", "sr", "sra", "dra"})
_FIRST_NAMED, _FEWEST_NAMED = 0.3, 5
"""Share of the values with a title or a common first name, and their number, if the values are full names."""


def is_iban(value: str) -> bool:
    """Tell whether a value is an IBAN: its check digits must be right (ISO 13616, ISO 7064 MOD 97-10).

    >>> is_iban("GB82 WEST 1234 5698 7654 32"), is_iban("GB83 WEST 1234 5698 7654 32")
    (True, False)
    """
    if len(value) < _SHORTEST_IBAN:
        return False
    text = value.replace(" ", "").upper()
    return _IBAN.fullmatch(text) is not None and int("".join(str(int(c, 36)) for c in text[4:] + text[:4])) % 97 == 1


PATTERNS: Mapping[str, Callable[[str], object]] = {
    "e-mail": _EMAIL.fullmatch,
    "IBAN": is_iban,
    "phone": _PHONE.fullmatch,
}
"""The pattern of a value, by the meaning of a header that says the same."""


def pattern_of(labels: Sequence[str], patterns: Sequence[str] = tuple(PATTERNS)) -> str:
    """Return which of the patterns nearly all labels have: ``e-mail``, ``IBAN``, ``phone``; empty if none.

    >>> pattern_of(["ann@b.org", "bo@c.net"]), pattern_of(["+49 30 123456", "030/123-456"]), pattern_of(["2020-01-01"])
    ('e-mail', 'phone', '')
    """
    bare = [label.strip() for label in labels]
    return next((name for name in patterns if bare and _nearly_all(PATTERNS[name], bare)), "")


def _nearly_all(is_one: Callable[[str], object], labels: Sequence[str]) -> bool:
    left = len(labels)
    for label in labels:
        if not is_one(label):
            left -= 1
            if left < _MOST * len(labels):
                return False
    return True


def identifying(labels: Sequence[str]) -> str:
    """Return the meaning of a header by which values identify persons; empty if they do not.

    ``e-mail``, ``IBAN``, ``phone``, ``account`` (device ids: UUIDs, MAC and IP addresses) or ``name`` (both names).

    >>> identifying(["ann@b.org"]), identifying(["10.0.0.1", "10.0.0.2"]), identifying(["red", "blue"])
    ('e-mail', 'account', '')
    >>> identifying(["Ada Berger", "Bruno Stein", "Kim Roth", "Zoe Lindner", "Karl Thaler", "Nordmann, Paula"])
    'name'
    """
    bare = [label.strip() for label in labels]
    if not bare:
        return ""
    if found := pattern_of(bare):
        return found
    if _nearly_all(_DEVICE.fullmatch, bare):
        return "account"
    return "name" if _are_full_names(bare) else ""


def _are_full_names(labels: Sequence[str]) -> bool:
    """Return True if nearly all labels are two to five capitalised words, many with a title or a common first name."""
    if not _nearly_all(_FULL_NAME, labels):
        return False
    from anonset.io.first_names import FIRST_NAMES

    known = FIRST_NAMES | _TITLES
    named = sum(not known.isdisjoint(_plain(word) for word in _LETTERS.findall(label)) for label in labels)
    return named >= max(_FEWEST_NAMED, _FIRST_NAMED * len(labels))


def _plain(word: str) -> str:
    """Return a word in small letters without accents."""
    return without_accents(word).lower()


def are_keys(labels: Sequence[str]) -> bool:
    """Tell whether all labels are letters with digits, or long numbers of one width, as keys are.

    >>> are_keys(["q10", "q1234"]), are_keys(["100234", "992345"]), are_keys(["1500", "93000"]), are_keys(["E11 J45"])
    (True, True, False, False)
    """
    long = {len(label) for label in labels if label.isdecimal()}
    return bool(labels) and (
        all(map(_KEY, labels)) or (all(map(str.isdecimal, labels)) and len(long) == 1 and min(long) >= _LONG)
    )


def are_capitalised(labels: Sequence[str]) -> bool:
    """Tell whether nearly all labels are capitalised words without digits, and few of them capitals alone.

    >>> are_capitalised(["Ann Lee", "Bo", "Müller-Lüden"]), are_capitalised(["E11", "J45"]), are_capitalised(["f"])
    (True, False, False)
    """
    like = [label for label in labels if _NAME.fullmatch(label.strip())]
    return bool(labels) and len(like) >= _MOST * len(labels) and sum(map(str.isupper, like)) * 2 <= len(like) + 1


def found_directly(labels: Sequence[str]) -> dict[str, int]:
    """Count the labels that are e-mail addresses or IBANs, by kind; kinds without any are left out.

    >>> found_directly(["E10", "ann@b.org", "GB82WEST12345698765432"])
    {'e-mail': 1, 'IBAN': 1}
    """
    counts = {
        "e-mail": sum("@" in label and _EMAIL.fullmatch(label.strip()) is not None for label in labels),
        "IBAN": sum(len(label) >= _SHORTEST_IBAN and is_iban(label.strip()) for label in labels),
    }
    return {kind: count for kind, count in counts.items() if count}


def are_names(labels: Sequence[str]) -> bool:
    """Tell whether labels are names of persons: one in ten, and three at least, contain a common given name.

    Of many labels, some 20,000 evenly spread ones are looked at.

    >>> are_names(["Hans Maier", "Weber, Julia", "KARIN OTT", "Xi Li"]), are_names(["milk", "cheese", "Peter Pan"])
    (True, False)
    """
    looked_at = labels[:: max(1, len(labels) // _LOOKED_AT)]
    named = sum(map(_contains_given_name, looked_at))
    return named >= _FEWEST_NAMES and named >= _NAMES * len(looked_at)


@cache
def _given_names() -> frozenset[str]:
    """Return the given names that are no common words, places or products."""
    return frozenset(_GIVEN_NAMES.split())


def _contains_given_name(label: str) -> bool:
    text = label.strip()
    if text.isdecimal() or not _WORDS(text):
        return False
    return not _given_names().isdisjoint(_BETWEEN_WORDS.split(text.casefold()))


def are_words_of_texts(labels: Sequence[str]) -> bool:
    """Tell whether labels are free text cut into words: three words that connect sentences of one language occur.

    >>> are_words_of_texts(["patient", "with", "pain", "and", "the"]), are_words_of_texts(["milk", "bread"])
    (True, False)
    """
    short = {label.casefold() for label in labels if 2 <= len(label) <= _LONG and label.isalpha()}
    return any(sum(word in short for word in words) >= _FEWEST_OF_SENTENCES for words in _IN_SENTENCES)


def are_sentences(labels: Sequence[str]) -> bool:
    """Tell whether most labels have five words or more, with one that connects sentences.

    >>> are_sentences(["He came with his wife today", "was sent home and not seen"]), are_sentences(["type 2 diabetes"])
    (True, False)
    """
    looked_at = [label.casefold().split() for label in labels[:: max(1, len(labels) // _LOOKED_AT)]]
    connecting = {word for words in _IN_SENTENCES for word in words}
    long = sum(len(words) >= _LONG_TEXT and not connecting.isdisjoint(words) for words in looked_at)
    return 2 * long > len(looked_at)
