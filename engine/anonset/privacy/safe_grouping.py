"""Safety constraint of Al Bouna, Clifton and Malluhi (DBSec 2013, section 6)."""

from dataclasses import dataclass
from typing import ClassVar

from anonset.errors import InputError
from anonset.privacy.model import Part, PrivacyModel, PublishedKind, require_size
from anonset.spelling import counted


@dataclass(frozen=True)
class SafetyConstraint(PrivacyModel):
    """Each individual is in one l-diverse group of at least k individuals, who all have the same number of tuples."""

    name: ClassVar[str] = "safe-grouping"
    protects: ClassVar[frozenset[Part]] = frozenset({"sensitive"})
    kind: ClassVar[PublishedKind] = "buckets"

    k: int
    """Minimum number of individuals in a group (>= l)."""
    l: int  # noqa: E741
    """Inverse of the maximum share of the tuples of a group with the same sensitive value (>= 1)."""

    def __post_init__(self) -> None:
        require_size("k", self.k)
        require_size("l", self.l)
        if self.k < self.l:
            msg = f"k must be at least l, so that nobody has more than 1/l of a group, got k={self.k} and l={self.l}"
            raise InputError(msg)

    @property
    def diversity(self) -> int:
        """The parameter l."""
        return self.l

    def __str__(self) -> str:
        return f"safe-grouping with k={self.k}, l={self.l}"

    @property
    def statement(self) -> str:
        """Guarantee of the model, as a sentence."""
        return (
            f"All visible tuples of an individual are in one group, with those of at least "
            f"{counted(self.k - 1, 'other individual')} with as many each. So a tuple of a group is a given "
            "individual's with a probability "
            f"of at most 1/{self.k}, and each sensitive value is on at most 1/{self.l} of the tuples of the group; "
            "what several groups have in common says nothing about anybody."
        )

    @property
    def in_plain_words(self) -> str:
        """Guarantee of the model, for laypeople."""
        return (
            f"Whoever finds somebody here sees the rows of at least {self.k} people and, apart from them, their "
            f"values, each on at most 1 of {self.l} rows: whose is whose is not told."
        )

    @property
    def limits(self) -> str:
        """Limits of the guarantee."""
        return (
            "It protects the link between the identifying columns and the sensitive value, not anyone's presence "
            "in the data. Tuples are removed where a value is too frequent: whoever knows how many tuples somebody "
            "has, or which, learns from a missing one, which had a frequent value of the group, as may have had all "
            "those of somebody who is missing altogether; sizes may show that a group has lost some. Two drawings from "
            "the same data are two releases, which tell more when they are compared: publish one. Columns that are "
            "kept as they are may tell whose tuple a starred one is. It takes rows with the same identity for one "
            "individual: somebody under two names is protected as two. It says nothing about an attacker who knows "
            "the sensitive values of others in the group, or that some values are impossible for a person; values "
            "that differ count as different, however much alike they are. The bound is one for each tuple: that at "
            "least one of somebody's several tuples has a value is likelier."
        )

    @property
    def limits_in_short(self) -> str:
        """Most important limit of the guarantee."""
        return "It does not hide that somebody is in the data, nor what others' values tell."
