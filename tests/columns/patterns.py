"""Texts of a pattern: ``A`` capital letter, ``a`` small letter, ``9`` digit, ``x`` hexadecimal digit."""

import math
import string
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tests.columns.drawing import LayoutError, Texts, texts

CLASSES = {"A": string.ascii_uppercase, "a": string.ascii_lowercase, "9": string.digits, "x": "0123456789abcdef"}


@dataclass(frozen=True)
class Pattern:
    """Alphabet of each position."""

    alphabets: tuple[str, ...]

    @classmethod
    def parse(cls, text: str) -> "Pattern":
        r"""Parse a pattern; a backslash makes the next character literal.

        >>> Pattern.parse(r"\A-9").alphabets
        ('A', '-', '0123456789')
        """
        alphabets = []
        characters = iter(text)
        for character in characters:
            literal = character == "\\"
            found = next(characters, "") if literal else character
            if not found:
                message = f"pattern {text!r} ends with a backslash"
                raise LayoutError(message)
            alphabets.append(found if literal else CLASSES.get(found, found))
        return cls(tuple(alphabets))

    @property
    def size(self) -> int:
        """Number of texts."""
        return math.prod(map(len, self.alphabets))

    def draw(self, rng: np.random.Generator, n: int) -> Texts:
        """Return n random texts, which may repeat."""
        codes = np.empty((n, len(self.alphabets)), dtype=np.uint32)
        for at, alphabet in enumerate(self.alphabets):
            characters = np.array([ord(x) for x in alphabet], dtype=np.uint32)
            codes[:, at] = characters[rng.integers(0, len(alphabet), n)]
        return self._joined(codes)

    def distinct(self, rng: np.random.Generator, n: int) -> Texts:
        """Return n distinct random texts. If the pattern has fewer, its first run of digits gets longer."""
        if n > self.size:
            return self.longer().distinct(rng, n)
        if self.size > 1 << 62:
            return texts(dict.fromkeys(self.draw(rng, n).tolist()))[:n]
        if self.size <= 4 * n:
            return self._decoded(rng.permutation(self.size)[:n])
        numbers = np.zeros(0, dtype=np.int64)
        while len(numbers) < n:
            drawn = np.concatenate([numbers, rng.integers(0, self.size, n + 16)])
            _, first = np.unique(drawn, return_index=True)
            numbers = drawn[np.sort(first)]
        return self._decoded(numbers[:n])

    def matches(self, text: str) -> bool:
        """Return True if a text has this pattern."""
        return len(text) == len(self.alphabets) and all(map(str.__contains__, self.alphabets, text))

    def longer(self) -> "Pattern":
        """Return the pattern with one more digit in its first run of digits, or at its end."""
        at = next((at for at, alphabet in enumerate(self.alphabets) if alphabet == string.digits), len(self.alphabets))
        return Pattern((*self.alphabets[:at], string.digits, *self.alphabets[at:]))

    def narrowed(self, found: Sequence[str]) -> "Pattern":
        """Return the pattern with only the characters that occur at each position in texts of it."""
        return Pattern(tuple("".join(sorted(set(characters))) for characters in zip(*found, strict=True)))

    def _decoded(self, numbers: NDArray[np.int64]) -> Texts:
        codes = np.empty((len(numbers), len(self.alphabets)), dtype=np.uint32)
        for at in reversed(range(len(self.alphabets))):
            alphabet = self.alphabets[at]
            numbers, digit = np.divmod(numbers, len(alphabet))
            codes[:, at] = np.array([ord(x) for x in alphabet], dtype=np.uint32)[digit]
        return self._joined(codes)

    @staticmethod
    def _joined(codes: NDArray[np.uint32]) -> Texts:
        length = codes.shape[1]
        if length == 0:
            return np.full(len(codes), "", dtype=object)
        return np.ascontiguousarray(codes).view(f"<U{length}").ravel().astype(object)
