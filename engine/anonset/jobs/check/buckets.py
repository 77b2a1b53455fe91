"""What is looked at in a check of buckets besides the model."""

from collections.abc import Mapping
from dataclasses import dataclass

from anonset.jobs.check.base import KindCheck, kind_check
from anonset.jobs.correlations import Correlations, correlations
from anonset.publications import Buckets

MOST_CORRELATED = 20_000_000
"""Rows of buckets up to which correlations are looked for: where there are many, they take about 10 µs a row."""


@dataclass(frozen=True, eq=False)
class BucketsCheck(KindCheck[Buckets]):
    """The roles, and what several rows of an individual give away."""

    def roles(self) -> dict[str, list[str]]:
        """Return the ids, the kept columns and the sensitive one."""
        publication = self.publication
        ids, kept = ([column.name for column in columns] for columns in (publication.ids, publication.kept))
        return {"identifiers": ids, "attributes": kept, "sensitive": [publication.snt_value.name]}

    @property
    def too_large(self) -> bool:
        """Whether there are ids, and too many rows to look for correlations."""
        return bool(self.publication.ids) and self.publication.n > MOST_CORRELATED

    def correlations(self) -> Mapping[str, Correlations] | None:
        """Return what several rows of an individual give away; None without ids, or of too many rows."""
        if not self.publication.ids or self.too_large:
            return None
        return correlations(self.publication, self.model.diversity)


kind_check.register(Buckets, BucketsCheck)
