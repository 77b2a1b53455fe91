"""Safety constraint of Al Bouna, Clifton and Malluhi (DBSec 2013, section 6)."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from anonset.errors import InputError
from anonset.privacy.model import Part, PrivacyModel, PublishedKind, Size
from anonset.spelling import counted


@dataclass(frozen=True)
class SafetyConstraint(PrivacyModel):
    """Each individual is in one l-diverse group of at least k individuals. Individuals in the same group have the same
    number of tuples.
    """

    name: ClassVar[str] = "safe-grouping"
    protects: ClassVar[frozenset[Part]] = frozenset({"sensitive"})
    kind: ClassVar[PublishedKind] = "buckets"
    needs_known_values: ClassVar[bool] = True

    k: Annotated[Size, "Minimum number of individuals in a group (>= l)."]
    l: Annotated[  # noqa: E741
        Size, "In each group, at most 1/l of the tuples may have the same sensitive value (l >= 1)."
    ]

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.k < self.l:
            raise InputError(f"k must be at least l, got k={self.k} and l={self.l}")

    def __str__(self) -> str:
        return f"safe-grouping with k={self.k}, l={self.l}"

    @property
    def inference(self) -> str:
        """Bound on inferring a sensitive value."""
        return (
            "All rows that show a person's identity are in one group, which contains at least "
            f"{counted(self.k, 'person')} with equally many rows, so a comparison of groups discloses nothing about "
            f"the person. Each row of the group belongs to a given person with a probability of at most 1/{self.k}, "
            f"and at most 1/{self.l} of the rows have the same sensitive value."
        )

    @property
    def limits(self) -> str:
        """Limits of the guarantee."""
        return (
            "The publication does not hide that a person is in the data. Someone who knows the sensitive values of "
            "other people in the group, or can exclude some values for a person, may infer the value with a higher "
            "probability. The bounds apply to each row: the probability that at least one of a person's rows has a "
            "value is higher. Rows are suppressed if a value is too frequent in a group. Someone who knows a person's "
            "rows, or their number, can notice a suppressed row and infer that it had a frequent value of the group. "
            "Someone who notices that a person is missing may infer the same about all rows of the person. Group sizes "
            "may show that rows were suppressed. Columns that are published unchanged may identify the person of a row "
            "with a hidden identity. A person with two identities is protected as two persons. Values count as "
            "different even if they have almost the same meaning (similarity attack). Two random groupings of the same "
            "data together disclose more than one of them, so only one should be published."
        )
