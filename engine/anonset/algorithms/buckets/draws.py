"""Draws that a publication does not disclose: keyed by the seed and the whole input, or by secure numbers."""

import hashlib
import secrets
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from anonset.data import Table
from anonset.data.fingerprints import content_sha256
from anonset.data.redacted_repr import Discreet


@dataclass(frozen=True)
class Draws(Discreet):
    """The key of all draws of a run, from which each purpose gets a key of its own.

    A seed is often small, and groups show whether a guessed one is right: trying 40,000 seeds takes seconds. With these
    keys, trying seeds needs the whole input, sensitive values included.

    >>> Draws(b"secret").key("star").dtype, Draws(b"secret").key("star").shape
    (dtype('uint64'), (2,))
    """

    secret: bytes = field(repr=False)
    """Never published: the seed, or what it is made of, must not leave the private directory."""

    @classmethod
    def of(cls, table: Table, seed: int | None) -> "Draws":
        """Return SHA-256(seed, 0, content hash of the table), the seed in decimals; secure numbers without a seed."""
        if seed is None:
            return cls(secrets.token_bytes(32))
        return cls(hashlib.sha256(f"{seed}\0{content_sha256(table)}".encode()).digest())

    def key(self, purpose: str) -> NDArray[np.uint64]:
        """Return the key of a purpose, uint64 (2,): the first 16 bytes of SHA-256(secret, purpose)."""
        digest = hashlib.sha256(self.secret + purpose.encode()).digest()
        return np.frombuffer(digest[:16], "<u8").astype(np.uint64)
