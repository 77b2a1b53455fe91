"""Words of headers by topic, in one file per language.

A file contains words only. Each topic is a text of words; an underscore joins the words of a phrase. Words are written
with accents, or in German with umlauts as two letters. A word may have several topics.
"""

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from anonset.columns.letters import spellings

MEANINGS = (
    "person", "number", "own number", "insurance", "case", "thing", "name", "of names", "born", "e-mail", "phone",
    "IBAN", "account", "device", "contact", "network", "address", "birth", "sex", "origin", "family", "residence",
    "known", "event", "around", "filler",
)  # fmt: skip
"""Topics from which the meaning of a header is derived."""
_WITH_COMPOUNDS = ("de", "en", "es", "fr", "it", "nl", "da", "fi", "hu", "no", "sv")
"""Languages of which words may be parts of a compound word. Spaces and capitals of headers are often omitted."""
_NO_WORDS = frozenset({"sensitive_stems", "sensitive_ends", "number_ends", "questions"})


@cache
def _files() -> Mapping[str, Mapping[str, str]]:
    """Return the texts of each language by topic."""
    # texts, not lists: tomllib parses lists 30 times as slowly
    files = sorted(Path(__file__).parent.glob("*.toml"))
    return {file.stem: tomllib.loads(file.read_text("utf-8")) for file in files}


def _words(text: str) -> Iterator[str]:
    for spelling in spellings(text):
        yield from spelling.casefold().split()


@cache
def words_about(topic: str) -> frozenset[str]:
    """Return the words of a topic, in all languages. The words of a phrase are separated by blanks.

    >>> "price" in words_about("quantities"), "preis" in words_about("quantities"), "age" in words_about("quantities")
    (True, True, False)
    """
    texts = (topics.get(topic, "") for topics in _files().values())
    return frozenset(word.replace("_", " ") for text in texts for word in _words(text))


@cache
def word_meanings() -> Mapping[str, frozenset[str]]:
    """Return the meanings of each word, in all languages.

    >>> sorted(word_meanings()["station"]), sorted(word_meanings()["geburtsdatum"])
    (['known', 'thing'], ['birth'])
    """
    found: dict[str, set[str]] = {}
    for meaning in MEANINGS:
        for word in words_about(meaning):
            found.setdefault(word, set()).add(meaning)
    return {word: frozenset(several) for word, several in found.items()}


@cache
def vocabulary() -> frozenset[str]:
    """Return the words and phrases of all topics, except stems, endings and words of questions."""
    topics = {topic for topics in _files().values() for topic in topics}
    return frozenset(word for topic in topics - _NO_WORDS for word in words_about(topic))


@cache
def compound_parts() -> frozenset[str]:
    """Return words with a meaning that may be parts of a compound word.

    >>> "patienten" in compound_parts(), "tax" in compound_parts()
    (True, True)
    """
    files = [_files().get(language, {}) for language in _WITH_COMPOUNDS]
    texts = [topics.get(meaning, "") for topics in files for meaning in MEANINGS]
    return frozenset(word for text in texts for word in _words(text) if "_" not in word)
