"""Checks of a disassociated publication in addition to the model."""

from dataclasses import dataclass

from anonset.jobs.check.base import KindCheck, kind_check
from anonset.publications import Chunks


@dataclass(frozen=True, eq=False)
class ChunksCheck(KindCheck[Chunks]):
    """Column roles of a disassociated publication. There are no further checks."""

    def roles(self) -> dict[str, list[str]]:
        """Return the item column as the only role."""
        return {"quasi_identifiers": [], "items": [self.publication.name], "not_protected": []}


kind_check.register(Chunks, ChunksCheck)
