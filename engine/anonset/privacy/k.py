"""k-anonymity of relational data (Samarati, TKDE 2001; Sweeney, IJUFKS 2002)."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from anonset.privacy.model import SHARED, Part, PrivacyModel, Size
from anonset.spelling import counted


@dataclass(frozen=True)
class KAnonymity(PrivacyModel):
    """At least `k` published records share each combination of relational values."""

    name: ClassVar[str] = "k"
    protects: ClassVar[frozenset[Part]] = frozenset({"relational"})

    k: Annotated[Size, "Minimum number of records in an equivalence class (>= 1)."]

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
    def singling_out(self) -> str:
        """Bound on singling out a record."""
        records = counted(self.k, "matching record")
        return f"Someone who knows all quasi-identifiers of a person in the data finds at least {records}."

    @property
    def limits(self) -> str:
        """Limits of the guarantee."""
        return SHARED
