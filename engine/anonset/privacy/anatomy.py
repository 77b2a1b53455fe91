"""l-diversity of buckets (Xiao, Tao, VLDB 2006, Definition 2)."""

from dataclasses import dataclass
from typing import ClassVar

from anonset.privacy.model import Part, PrivacyModel, PublishedKind, require_size


@dataclass(frozen=True)
class AnatomyDiversity(PrivacyModel):
    """In each group, at most 1/l of the tuples have the same sensitive value."""

    name: ClassVar[str] = "anatomy"
    protects: ClassVar[frozenset[Part]] = frozenset({"sensitive"})
    kind: ClassVar[PublishedKind] = "buckets"

    l: int  # noqa: E741
    """Inverse of the maximum share of the tuples of a group with the same sensitive value (>= 1)."""

    def __post_init__(self) -> None:
        require_size("l", self.l)

    @property
    def diversity(self) -> int:
        """The parameter l."""
        return self.l

    def __str__(self) -> str:
        return f"anatomy with l={self.l}"

    @property
    def statement(self) -> str:
        """Guarantee of the model, as a sentence."""
        return (
            f"Whoever knows that one tuple is in the data, and all its published attributes, finds each sensitive "
            f"value on at most 1/{self.l} of the tuples of its group."
        )

    @property
    def in_plain_words(self) -> str:
        """Guarantee of the model, for laypeople."""
        return (
            "Whoever finds a row here sees, apart from it, the values of its group, each on at most "
            f"1 of {self.l} rows: which one is its own is not told."
        )

    @property
    def limits(self) -> str:
        """Limits of the guarantee."""
        return (
            "It takes every tuple for a person of its own: somebody with several tuples is exposed by what the "
            "groups have in common, and by several tuples in one group. So does a second drawing from the same data "
            "expose everybody: two drawings are two releases, publish one. It hides no one's presence in the data, and "
            "says nothing about an attacker who knows the sensitive values of others in the group, or that some "
            "values are impossible for a person; values that differ count as different, however much alike they are."
        )

    @property
    def limits_in_short(self) -> str:
        """Most important limit of the guarantee."""
        return "It does not hide that somebody is in the data, nor what others' values tell."
