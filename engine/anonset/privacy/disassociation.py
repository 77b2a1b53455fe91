"""Privacy model of disassociation. It limits the probability that an attacker who knows some items of a person links a
sub-record to the person.
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import compress
from typing import Annotated, ClassVar

from anonset.data.decimals import Written, exact, require_between_0_and_1, shortest_text
from anonset.errors import InputError
from anonset.privacy.model import (
    NEGATIVE,
    Labels,
    Part,
    PrivacyModel,
    PublishedKind,
    Size,
)
from anonset.spelling import counted, setting

CAP = Fraction(1, 2)
"""Default of `cap`."""


@dataclass(frozen=True)
class DisassociationModel(PrivacyModel):
    """An attacker who knows up to `m` items of a person links no sub-record to that person with probability above 1/k.

    Each sensitive item is in a separate chunk. At most the share `cap` of the records of a cluster has a sub-record in
    this chunk. The probability assumes that all data consistent with the publication are equally likely.

    >>> DisassociationModel(k=5, m=2, sensitive_items=("hiv",)).share
    Fraction(1, 2)
    """

    name: ClassVar[str] = "disassociation"
    protects: ClassVar[frozenset[Part]] = frozenset({"items"})
    kind: ClassVar[PublishedKind] = "chunks"

    k: Annotated[Size, "The probability that a sub-record belongs to a given person is at most 1/k (k >= 1)."]
    m: Annotated[Size, "Maximum number of items that the attacker knows (>= 1)."]
    sensitive_items: Annotated[Labels, "Items that must not be inferred. They are published unchanged."] = ()
    cap: Annotated[
        Written | None,
        "Maximum share of the records of a cluster with the same sensitive item (0 < cap <= 1). The value is used "
        "without rounding. None means 1/2 if there are sensitive items.",
    ] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.cap is None and self.sensitive_items:
            object.__setattr__(self, "cap", CAP)
        if self.cap is not None:
            object.__setattr__(self, "cap", require_between_0_and_1("cap", self.cap, above_0=True))
            if not self.sensitive_items:
                msg = f"{setting('cap')} limits sensitive items: name them with {setting('sensitive_items')}, got none"
                raise InputError(msg)

    @property
    def share(self) -> Fraction:
        """The parameter `cap` as an exact fraction. 1 if `cap` is None."""
        return Fraction(1) if self.cap is None else exact(self.cap)

    def __str__(self) -> str:
        sensitive = counted(len(self.sensitive_items), "sensitive item")
        capped = "" if self.cap is None else f", cap={shortest_text(self.cap)}, {sensitive}"
        return f"disassociation with k={self.k}, m={self.m}{capped}"

    @property
    def singling_out(self) -> str:
        """Bound on linking a sub-record to a person, or the statement that there is none."""
        if self.k == 1:
            return "The publication does not hide which record belongs to a person whose items are known."
        return (
            f"Someone who knows up to {counted(self.m, 'item')} of a person links each sub-record of a chunk to that "
            f"person with a probability of at most 1/{self.k}, assuming that all original data consistent with the "
            "publication are equally likely."
        )

    @property
    def inference(self) -> str:
        """Bound on inferring a sensitive item of a chunk. Empty if `cap` is None."""
        if self.cap is None:
            return ""
        assuming = (
            "Assuming that all original data consistent with the publication are equally likely"
            if self.k == 1
            else "Under the same assumption"
        )
        return (
            f"{assuming}, someone who knows other items of a person infers a sensitive item of a chunk with a "
            f"probability of at most {shortest_text(self.cap)}."
        )

    @property
    def limits(self) -> str:
        """Limits of the guarantee."""
        shared = (
            "An item that all candidate sub-records or terms of a person share is disclosed, and an item that most of "
            "them share is likely."
        )
        links = (
            f"Someone who knows more than {counted(self.m, 'item')} may link a sub-record to a person. A term usually "
            f"occurs in fewer than {self.k} records of its cluster: someone who knows a rare item of a person may find "
            "the cluster, and with it a short list of other items."
        )
        more = "infer more" if self.k == 1 else f"reach a probability above 1/{self.k}"
        knowing = (
            "Someone who knows which items tend to occur together, or applies the complete method to all possible "
            f"data, may {more}. {NEGATIVE}"
        )
        others = "Someone who knows other records of the cluster may link a sub-record to a person."
        terms = "A sensitive item that is a term occurs in at least one record of its cluster, and possibly in all."
        linked, capped = self.k > 1, self.cap is not None
        return " ".join(compress([shared, links, knowing, others, terms], [True, linked, True, linked, capped]))
