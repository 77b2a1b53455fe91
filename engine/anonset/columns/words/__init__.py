"""Words of headers by topic, in one file per language.

A file contains words only. Each topic is a text of words; an underscore joins the words of a phrase. Words are written
with accents, or in German with umlauts as two letters. A word may have several topics.
"""

from collections.abc import Mapping
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
