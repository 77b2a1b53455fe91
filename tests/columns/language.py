"""Names, addresses and sentences in 18 languages, from the words of `corpus/words.toml`."""

import functools
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
from tests.columns.drawing import Texts, by_frequency, ranks, texts

LANGUAGES = ("en", "de", "fr", "es", "it", "nl", "pt", "pl", "tr", "ru", "el", "ar", "he", "hi", "ja", "zh", "ko", "vi")
NAME_PARTS = ("full", "first", "last", "last, first")
SECOND_NAMES = 0.3
"""Share of persons with two first names."""
SECOND_SURNAMES = 0.9
"""Share of persons with two surnames in languages that have them."""
LONGEST = 12
"""Words of the longest sentence."""
SHORTEST_TERM, ALPHABETS = 4, "\u0900"
"""Letters of the shortest term in an alphabet. The letters of all alphabets are before this sign."""
MAILS = ("example.com", "example.org", "example.net", "mail.example", "post.example")


@functools.cache
def _corpus() -> dict[str, dict[str, Any]]:
    return tomllib.loads((Path(__file__).parent / "corpus" / "words.toml").read_text(encoding="utf-8"))


@functools.cache
def words(lang: str, kind: str) -> Texts:
    """Return the words of a language: ``first``, ``last``, ``cities``, ``streets`` or ``words``."""
    return texts(_corpus()[lang][kind])


def form(lang: str, kind: str) -> str:
    """Return a format of a language, such as ``full``, or one of its marks; empty if it has none."""
    return str(_corpus()[lang].get(kind, ""))


def names(rng: np.random.Generator, n: int, lang: str, part: str) -> Texts:
    """Draw names of persons: ``full``, ``first``, ``last``, or ``last, first``."""
    first = _doubled(rng, words(lang, "first"), n, form(lang, "given"), SECOND_NAMES)
    last = _doubled(rng, words(lang, "last"), n, form(lang, "family"), SECOND_SURNAMES)
    if part in ("first", "last"):
        return first if part == "first" else last
    written = form(lang, "full") if part == "full" else "{last}, {first}"
    return texts([written.format(first=a, last=b) for a, b in zip(first.tolist(), last.tolist(), strict=True)])


def _doubled(rng: np.random.Generator, pool: Texts, n: int, written: str, share: float) -> Texts:
    """Draw names, the share of them with a second name if the language writes that."""
    first, second = (pool[rng.integers(0, len(pool), n)] for _ in range(2))
    chosen = rng.random(n) < share if written else np.zeros(n, dtype=bool)
    triples = zip(first.tolist(), second.tolist(), chosen.tolist(), strict=True)
    return texts([written.format(first=a, last=a, second=b) if double and a != b else a for a, b, double in triples])


def streets(rng: np.random.Generator, n: int, lang: str) -> Texts:
    """Draw street and number."""
    written = form(lang, "address")
    names = words(lang, "streets")[rng.integers(0, len(words(lang, "streets")), n)]
    numbers = rng.geometric(0.02, n)
    return texts([written.format(street=a, number=b) for a, b in zip(names.tolist(), numbers.tolist(), strict=True)])


def cities(rng: np.random.Generator, n: int, lang: str) -> Texts:
    """Draw cities, large and small ones."""
    return by_frequency(rng, words(lang, "cities"), n)


def emails(rng: np.random.Generator, n: int) -> Texts:
    """Draw distinct e-mail addresses."""
    first, last = (words("en", kind)[rng.integers(0, len(words("en", kind)), n)] for kind in ("first", "last"))
    separators = texts(["", ".", "_", "."])[rng.integers(0, 4, n)]
    numbers = rng.permutation(max(n, 100))[:n]
    domains = texts(MAILS)[rng.integers(0, len(MAILS), n)]
    parts = zip(*(x.tolist() for x in (first, separators, last, numbers, domains)), strict=True)
    return texts([f"{a}{x}{b}{number}@{domain}".lower() for a, x, b, number, domain in parts])


def vocabulary(rng: np.random.Generator, lang: str, size: int) -> Texts:
    """Return `size` distinct words in random order; if the language has fewer, also terms of two and three words.

    In alphabets, words of fewer than four letters are omitted, because most of them only connect sentences.
    """
    every, blank = words(lang, "words"), form(lang, "blank")
    single = texts([word for word in every.tolist() if len(word) >= SHORTEST_TERM or word > ALPHABETS])
    result = dict.fromkeys(single[rng.permutation(len(single))[:size]].tolist())
    while len(result) < size:
        length = 2 if size < len(single) ** 2 else 3
        parts = single[rng.integers(0, len(single), (size - len(result), length))]
        result.update(dict.fromkeys(map(blank.join, parts.tolist())))
    return texts(result)


def sentences(rng: np.random.Generator, n: int, lang: str, low: int, high: int) -> Texts:
    """Draw texts of `low` to `high` words, in sentences of at most 12 words."""
    lengths = rng.integers(low, high + 1, n).tolist()
    chosen = words(lang, "words")[ranks(rng, len(words(lang, "words")), sum(lengths))].tolist()
    stop, pause, question, blank = (form(lang, kind) for kind in ("stop", "pause", "question", "blank"))
    result, at = [], 0
    for length, sign in zip(lengths, rng.random(n).tolist(), strict=True):
        written = []
        for start in range(at, at + length, LONGEST):
            part = chosen[start : min(start + LONGEST, at + length)]
            if len(part) > 5 and sign < 0.6:
                part[3] += pause
            sentence = blank.join(part)
            written.append(sentence[:1].upper() + sentence[1:])
        result.append((stop + blank).join(written) + (question if sign > 0.95 else stop))
        at += length
    return texts(result)
