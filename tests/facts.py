"""Check messages by the facts that they name, not by their wording.

A fact is a name of a column, parameter, option or file, a value, a number, a label, or a noun of the glossary. Only
`tests/readme` compares complete sentences.
"""

import re
import shlex
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from anonset import AnonsetError


def names(text: object, facts: str) -> bool:
    """Return True if a line of a text names all facts, in any order.

    Parameters
    ----------
    facts
        Separated by blanks, and quoted as in a shell if they contain blanks. Each must match a whole word or number.

    >>> names("k must be at least 1, got 10", "k 1 10"), names("k must be at least 1, got 10", "k 0")
    (True, False)
    """
    words = shlex.shlex(facts, posix=True)
    words.whitespace_split, words.commenters, words.escape = True, "", ""
    wanted = [_whole(fact) for fact in words]
    assert wanted, "a test must state a fact"
    return any(all(fact.search(line) for fact in wanted) for line in str(text).splitlines())


def _whole(fact: str) -> re.Pattern[str]:
    """Return a pattern that matches a fact as a whole word or number."""
    before = r"(?<!\w)" + (r"(?<!\d[.,])" if fact[0].isdigit() else "") if _is_word(fact[0]) else ""
    after = r"(?!\w)" + (r"(?![.,]\d)" if fact[-1].isdigit() else "") if _is_word(fact[-1]) else ""
    return re.compile(before + re.escape(fact) + after)


def _is_word(letter: str) -> bool:
    return letter.isalnum() or letter == "_"


@contextmanager
def refused(
    error: type[BaseException] | tuple[type[BaseException], ...], facts: str = "", *, code: str = ""
) -> Iterator[pytest.ExceptionInfo[BaseException]]:
    """Check that the block raises an error with this code whose message names the facts."""
    with pytest.raises(error) as caught:
        yield caught
    if facts:
        assert names(caught.value, facts), f"{facts!r} in: {caught.value}"
    if code:
        assert isinstance(caught.value, AnonsetError)
        assert caught.value.code == code
