"""Privacy model of disassociation: limits the link between a person known by some items and the parts of records."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from anonset.data.decimals import Written, exact, require_between_0_and_1, shown
from anonset.errors import InputError
from anonset.privacy.model import Part, PrivacyModel, PublishedKind, require_size
from anonset.privacy.sensitive import require_labels
from anonset.spelling import counted, setting

CAP = Fraction(1, 2)
"""Default of `cap`: largest share of the records of a cluster with the same sensitive item."""


@dataclass(frozen=True)
class DisassociationModel(PrivacyModel):
    """An attacker who knows up to `m` items of a person links no sub-record to that person with probability above 1/k.

    Sensitive items are in chunks of their own. At most the share `cap` of the records has a sub-record in such a chunk.
    The probability assumes that all data consistent with the publication are equally likely.

    >>> DisassociationModel(k=5, m=2, sensitive_items=("hiv",)).share
    Fraction(1, 2)
    """

    name: ClassVar[str] = "disassociation"
    protects: ClassVar[frozenset[Part]] = frozenset({"items"})
    kind: ClassVar[PublishedKind] = "chunks"

    k: int
    """Inverse of the maximum probability that a sub-record is linked to a person (>= 1)."""
    m: int
    """Maximum number of items that the attacker knows (>= 1)."""
    sensitive_items: tuple[str, ...] = ()
    """Items that must not be inferred; published unchanged."""
    cap: Written | None = None
    """Maximum share of the records of a cluster with the same sensitive item (0 < cap <= 1), exactly as written.

    None means 1/2 if there are sensitive items.
    """

    def __post_init__(self) -> None:
        require_size("k", self.k)
        require_size("m", self.m)
        require_labels("sensitive_items", self.sensitive_items)
        if self.cap is None and self.sensitive_items:
            object.__setattr__(self, "cap", CAP)
        if self.cap is not None:
            object.__setattr__(self, "cap", require_between_0_and_1("cap", self.cap, above_0=True))
            if not self.sensitive_items:
                msg = f"{setting('cap')} is of sensitive items: {setting('sensitive_items')} must name them, got none"
                raise InputError(msg)

    @property
    def secrets(self) -> tuple[str, ...]:
        """Sensitive items."""
        return self.sensitive_items

    @property
    def share(self) -> Fraction:
        """Exact fraction of `cap` as written, 1 if `cap` is None."""
        return Fraction(1) if self.cap is None else exact(self.cap)

    def __str__(self) -> str:
        sensitive = counted(len(self.sensitive_items), "sensitive item")
        capped = "" if self.cap is None else f", cap={shown(self.cap)}, {sensitive}"
        return f"disassociation with k={self.k}, m={self.m}{capped}"

    @property
    def statement(self) -> str:
        """Guarantee of the model, as a sentence."""
        known = "1 item" if self.m == 1 else f"at most {self.m} items"
        capped = (
            ""
            if self.cap is None
            else "; and who knows other items of the person concludes no sensitive item that a chunk shows with one "
            f"above {shown(self.cap)}"
        )
        return (
            f"Whoever knows {known} of a person links no sub-record of any chunk to that person with a probability "
            f"above 1/{self.k}{capped}, where all data that the publication leaves possible are taken for equally "
            "likely."
        )

    @property
    def in_plain_words(self) -> str:
        """Guarantee of the model, for laypeople."""
        known = "one item" if self.m == 1 else f"up to {self.m} items"
        return (
            f"Whoever knows {known} of a person finds no part of a record here that is that person's "
            f"with a chance above 1 in {self.k}"
            + ("." if self.cap is None else f", nor a sensitive item in a chunk with one above {shown(self.cap)}.")
        )

    @property
    def limits(self) -> str:
        """Limits of the guarantee."""
        return (
            "It hides whose a sub-record is, not what it says: what all sub-records or terms that may be a person's "
            "have in common is disclosed, and where most of them agree, it is likely. A term is mostly an item of "
            f"fewer than {self.k} records of its cluster: whoever knows that a person has a rare item may find its "
            "clusters, and with them a short list of other items. It takes all possible data for equally likely: "
            "whoever knows how items go together, or repeats the whole method on the possible data, may come to "
            f"probabilities above 1/{self.k}. It says nothing about an attacker who knows more items, or which items a "
            "person does not have, or records of others in the cluster."
            + (
                ""
                if self.cap is None
                else " A sensitive item that is a term is in one record of its cluster at least: nothing says in how "
                "many, it may be all."
            )
        )

    @property
    def limits_in_short(self) -> str:
        """Most important limit of the guarantee."""
        return "What the items of a cluster have in common is told of everybody in it; who knows more may link."
