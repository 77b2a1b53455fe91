"""Checks of a bucketized publication in addition to the check of its model."""

from collections.abc import Mapping
from dataclasses import dataclass

from anonset.jobs.check.base import KindCheck, kind_check
from anonset.jobs.correlations import Correlations, correlations
from anonset.publications import Buckets

MOST_CORRELATED = 20_000_000
"""Maximum number of rows for which correlations are computed. They take about 10 µs per row."""


@dataclass(frozen=True, eq=False)
class BucketsCheck(KindCheck[Buckets]):
    """Column roles, and disclosures through several rows of an individual."""

    def roles(self) -> dict[str, list[str]]:
        """Return the ids, the kept columns and the sensitive column."""
        publication = self.publication
        ids, kept = ([column.name for column in columns] for columns in (publication.ids, publication.kept))
        return {"identifiers": ids, "attributes": kept, "sensitive": [publication.snt_value.name]}

    @property
    def too_large(self) -> bool:
        """True if the table has ids and too many rows to compute correlations."""
        return bool(self.publication.ids) and self.publication.n > MOST_CORRELATED

    def correlations(self) -> Mapping[str, Correlations] | None:
        """Return the disclosures from several rows of one individual. None if there are no ids or too many rows."""
        if not self.publication.ids or self.too_large:
            return None
        return correlations(self.publication, self.model.diversity)


kind_check.register(Buckets, BucketsCheck)
