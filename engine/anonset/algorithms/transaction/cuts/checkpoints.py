"""Store the state of a search after each itemset size in the work directory, so that the run can be resumed."""

import hashlib
import json

from anonset.algorithms.transaction.cuts.cut_search import CutSearch
from anonset.data.resumption.ledger import Ledger

STEP = "rounds"
"""Name of the step in the work directory's list of finished steps (ledger)."""


class Checkpoints:
    """Finished itemset sizes of a search over records in a work directory.

    Parameters
    ----------
    search
        A search that has not changed the cut yet.
    ledger
        Ledger of the work directory.
    """

    def __init__(self, search: CutSearch, ledger: Ledger) -> None:
        self.search, self.ledger = search, ledger
        described = json.dumps([search.k, search.hierarchy.labels, search.hierarchy.parent.tolist()])
        counted = search.nodes.support.tobytes() + search.image.tobytes()
        self.key = hashlib.sha256(described.encode() + counted).hexdigest()
        """Hash of all inputs of the search: k, the hierarchy, the node supports, and the initial cut."""

    def restored(self) -> int:
        """Restore the state that an interrupted run stored, and return the largest finished size.

        Raises
        ------
        InputError
            If the stored state is damaged.
        """
        state = self.ledger.finished(STEP)
        if state is None or state[0] != self.key:
            return 0
        search, (_, size, search.increments, fixes, *arrays) = self.search, state
        search.image[:], search.generalized[:], search.loss[:] = arrays
        search.fixes += fixes
        return int(size)

    def finished(self, size: int) -> None:
        """Store the state of the search.

        Raises
        ------
        InputError
            If the disk is full.
        """
        search = self.search
        state = search.increments, list(search.fixes), search.image, search.generalized, search.loss
        self.ledger.finish(STEP, (self.key, size, *state))
