"""Random draws with a secret key. A publication does not disclose the draws."""

import hashlib
import secrets
from dataclasses import dataclass, field

import numpy as np

from anonset.data import Table
from anonset.data.array_types import UInt64
from anonset.data.fingerprints import content_sha256
from anonset.data.redacted_repr import RedactedRepr


@dataclass(frozen=True)
class Draws(RedactedRepr):
    """Secret key of the random draws of a run. A separate key is derived for each purpose.

    The key depends on the seed and the complete input, or consists of secure random bytes. Seeds are often small, and
    the groups show whether a guessed seed is correct. If the key depended only on the seed, an attacker could try
    40,000 seeds in seconds. With this key, an attacker also needs the complete input, including sensitive values.

    >>> Draws(b"secret").key("star").dtype, Draws(b"secret").key("star").shape
    (dtype('uint64'), (2,))
    """

    secret: bytes = field(repr=False)
    """Neither this key nor the seed may be published."""

    @classmethod
    def of(cls, table: Table, seed: int | None) -> "Draws":
        """Return draws whose key is the SHA-256 hash of the decimal seed, a zero byte, and the content hash of the
        table.

        If the seed is None, the key consists of secure random bytes.
        """
        if seed is None:
            return cls(secrets.token_bytes(32))
        return cls(hashlib.sha256(f"{seed}\0{content_sha256(table)}".encode()).digest())

    def key(self, purpose: str) -> UInt64:
        """Return the key of a purpose, uint64 (2,). It is the first 16 bytes of SHA-256(secret, purpose)."""
        digest = hashlib.sha256(self.secret + purpose.encode()).digest()
        return np.frombuffer(digest[:16], "<u8").astype(np.uint64)
