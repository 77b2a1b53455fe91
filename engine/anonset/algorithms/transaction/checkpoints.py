"""Search state after each itemset size, stored in the work directory so that an interrupted run can be resumed."""

import hashlib
import json
from io import BytesIO
from typing import Any
from zipfile import BadZipFile

import numpy as np

from anonset.algorithms.transaction.cut_search import CutSearch, Fix
from anonset.data.store import Files, damage_error

NAME = "rounds.npz"


class Checkpoints:
    """Finished sizes of a search over records in a work directory.

    Parameters
    ----------
    search
        A search without any fix.
    store
        The work directory.
    """

    def __init__(self, search: CutSearch, store: Files) -> None:
        self.search, self.store = search, store
        described = json.dumps([search.k, search.hierarchy.labels, search.hierarchy.parent.tolist()])
        counted = search.nodes.support.tobytes() + search.image.tobytes()
        self.key = hashlib.sha256(described.encode() + counted).hexdigest()
        """Hash of all inputs of the search: k, the hierarchy, the supports of the nodes, and the initial cut."""

    def restored(self) -> int:
        """Restore the state stored by an interrupted run; return the largest finished size.

        Raises
        ------
        InputError
            If the stored state is damaged.
        """
        path = self.store.path / NAME
        if not path.exists():
            return 0
        try:
            with np.load(BytesIO(path.read_bytes()), allow_pickle=False) as stored:
                facts: dict[str, Any] = json.loads(str(stored["facts"]))
                arrays = [stored[name] for name in ("image", "generalized", "loss")]
        except (OSError, EOFError, ValueError, KeyError, BadZipFile):
            raise damage_error(path) from None
        if facts["key"] != self.key:
            return 0
        search = self.search
        search.image[:], search.generalized[:], search.loss[:] = arrays
        search.increments = facts["increments"]
        search.fixes += [Fix(tuple(members), support, tuple(rules)) for members, support, rules in facts["fixes"]]
        return int(facts["size"])

    def finished(self, size: int) -> None:
        """Store the state of the search.

        Raises
        ------
        InputError
            If the disk is full.
        """
        search = self.search
        fixes = [(fix.itemset, fix.support, fix.rules) for fix in search.fixes]
        facts = {"key": self.key, "size": size, "increments": search.increments, "fixes": fixes}
        with self.store.written(NAME) as file:
            np.savez(
                file,
                image=search.image,
                generalized=search.generalized,
                loss=search.loss,
                facts=np.array(json.dumps(facts)),
            )
