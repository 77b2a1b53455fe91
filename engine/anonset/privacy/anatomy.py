"""l-diversity of buckets (Xiao, Tao, VLDB 2006, Definition 2)."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from anonset.privacy.model import Part, PrivacyModel, PublishedKind, Size


@dataclass(frozen=True)
class AnatomyDiversity(PrivacyModel):
    """In each group, at most 1/l of the tuples have the same sensitive value."""

    name: ClassVar[str] = "anatomy"
    protects: ClassVar[frozenset[Part]] = frozenset({"sensitive"})
    kind: ClassVar[PublishedKind] = "buckets"
    needs_known_values: ClassVar[bool] = True
    counts_rows: ClassVar[bool] = True

    l: Annotated[  # noqa: E741
        Size, "In each group, at most 1/l of the tuples may have the same sensitive value (l >= 1)."
    ]

    def __str__(self) -> str:
        return f"anatomy with l={self.l}"

    @property
    def inference(self) -> str:
        """Bound on inferring a sensitive value."""
        return (
            "Someone who knows that a row is in the data, and knows all its other published values, finds the group of "
            f"the row. At most 1/{self.l} of the rows of the group have the same sensitive value."
        )

    @property
    def limits(self) -> str:
        """Limits of the guarantee."""
        return (
            "The publication does not hide that a person is in the data. The guarantee covers rows: if a person "
            "has several rows, a comparison of their groups, or several rows in the same group, may disclose a "
            "sensitive value. Someone who knows the sensitive values of other people in the group, or can exclude some "
            "values for a person, may infer the value with a higher probability. Values count as different even if "
            "they have almost the same meaning (similarity attack). Two random groupings of the same data together "
            "disclose sensitive values, so only one of them should be published."
        )
