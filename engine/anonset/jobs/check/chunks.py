"""What is looked at in a check of a disassociated publication besides the model."""

from dataclasses import dataclass

from anonset.jobs.check.base import KindCheck, kind_check
from anonset.publications import Chunks


@dataclass(frozen=True, eq=False)
class ChunksCheck(KindCheck[Chunks]):
    """The roles alone."""

    def roles(self) -> dict[str, list[str]]:
        """Return the column of items."""
        return {"quasi_identifiers": [], "items": [self.publication.name], "not_protected": []}


kind_check.register(Chunks, ChunksCheck)
