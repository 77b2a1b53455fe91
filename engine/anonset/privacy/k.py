"""k-anonymity of relational data (Samarati, TKDE 2001; Sweeney, IJUFKS 2002)."""

from dataclasses import dataclass
from typing import ClassVar

from anonset.privacy.model import Part, PrivacyModel, require_size
from anonset.spelling import counted


@dataclass(frozen=True)
class KAnonymity(PrivacyModel):
    """At least `k` published records share each combination of relational values."""

    name: ClassVar[str] = "k"
    protects: ClassVar[frozenset[Part]] = frozenset({"relational"})

    k: int
    """Minimum number of records that share their relational values (>= 1)."""

    def __post_init__(self) -> None:
        require_size("k", self.k)

    def promises(self, values: bool, items: int) -> float | None:
        """Return 1/k for an attacker who knows only quasi-identifiers."""
        return 1 / self.k if values and not items else None

    def __str__(self) -> str:
        return f"k-anonymity with k={self.k}"

    @property
    def asked(self) -> str:
        """Condition on every equivalence class, as a noun phrase."""
        return f"at least {counted(self.k, 'record')}"

    @property
    def statement(self) -> str:
        """Guarantee of the model, as a sentence."""
        return (
            "Whoever knows all relational values of a person, and that the person is in the data, finds at least "
            f"{self.k} published records that match."
        )

    @property
    def in_plain_words(self) -> str:
        """Guarantee of the model, for laypeople."""
        return (
            "Whoever knows these attributes of somebody cannot pick out that person's record: at least "
            f"{self.k} records look the same."
        )

    @property
    def limits(self) -> str:
        """Limits of the guarantee."""
        return (
            "It says nothing about what the matching records have in common: a value that all of them share, in these "
            "columns or in one that is kept, is disclosed; nor about an attacker who knows any other column. Columns "
            "that are kept as they are count neither as known nor as hidden."
        )
