"""Results of parts, stored in the work directory. A resumed run continues with the first unfinished part."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from anonset.algorithms.base import Result
from anonset.algorithms.rt.across import PartlyMergedClusters
from anonset.algorithms.transaction.cluster_mappings import concatenate
from anonset.data import Hierarchy, SetColumn, Table, Vocabulary
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.store import PARTS, Files, Store, damage_error
from anonset.data.table import Int32
from anonset.generalization import PerCluster, RelationalValues
from anonset.generalization.local import ClusterCuts, ClusterGroups, MergedItems
from anonset_kernels._arrays import ClusterStates

Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True, eq=False)
class CompletedParts(RedactedRepr):
    """The completed parts, each stored in a file. A part without a file is solved again.

    Parts are identified by name. The caller checks that the work directory belongs to the same data, settings and
    version. If the directory does not identify the run, no results are stored.
    """

    store: Files | None
    """Work directory of a resumable run; None if no results are stored."""
    whole: Table
    hierarchies: Mapping[str, Hierarchy]

    @classmethod
    def of(cls, store: Store, table: Table, hierarchies: Mapping[str, Hierarchy]) -> "CompletedParts":
        """Store parts in a work directory if it belongs to a resumable run."""
        return cls(store.of_run, table, hierarchies)

    def keep(self, name: str, result: Any) -> None:
        """Store the result of a part, if results of its type can be stored.

        Raises
        ------
        InputError
            If the disk is full.
        """
        storable = self._of_result(result) if isinstance(result, Result) else _of_begun(result)
        if self.store is None or storable is None:
            return
        facts, arrays = storable
        everything: dict[str, Any] = {"facts": np.array(json.dumps(facts)), **arrays}
        with self.store.written(self._file(name)) as file:
            np.savez(file, **everything)

    def restored(self, name: str) -> Any:
        """Return the stored result of a part, or None.

        Raises
        ------
        InputError
            If the file cannot be read.
        """
        if self.store is None or not (path := self.store.path / self._file(name)).exists():
            return None
        try:
            with np.load(BytesIO(path.read_bytes()), allow_pickle=False) as stored:
                facts: dict[str, Any] = json.loads(str(stored["facts"]))
                arrays = {
                    name_of_array: stored[name_of_array] for name_of_array in stored.files if name_of_array != "facts"
                }
                return self._result(facts, arrays) if "relational" in facts else self._partly_merged(facts, arrays)
        except (OSError, EOFError, ValueError, KeyError, BadZipFile):
            raise damage_error(path) from None

    @staticmethod
    def _file(name: str) -> str:
        return f"{PARTS}{name}.npz"

    def _of_result(self, result: Result) -> tuple[dict[str, Any], Arrays] | None:
        recoding = result.recoding
        if not isinstance(recoding, PerCluster):
            return None
        arrays: Arrays = {"cluster": recoding.cluster}
        items, kind = recoding.items, ""
        if isinstance(items, ClusterCuts) and self._tree(items.hierarchy) is not None:
            kind, (nodes, start) = self._tree(items.hierarchy) or "", concatenate(items.nodes)
            arrays |= {"nodes": nodes.astype(np.int32), "start": start}
        elif isinstance(items, ClusterGroups) and items.vocabulary == self._vocabulary:
            item, start = concatenate([merged.item for merged in items.merged])
            smallest = concatenate([merged.smallest for merged in items.merged])[0]
            arrays |= {"item": item.astype(np.int32), "smallest": smallest.astype(np.int32), "start": start}
        elif len(items):
            return None
        relational = [[values.name, values.labels] for values in recoding.relational]
        figures = dict(result.figures)
        return {"relational": relational, "tree": kind, "figures": figures, "notes": result.notes}, arrays

    def _result(self, facts: Mapping[str, Any], arrays: Arrays) -> Result:
        items: Sequence[Any] = ()
        if "nodes" in arrays:
            items = ClusterCuts(self.hierarchies[facts["tree"]], _cut(arrays["nodes"], arrays["start"]))
        elif "item" in arrays:
            pairs = zip(*(_cut(arrays[name], arrays["start"]) for name in ("item", "smallest")), strict=True)
            items = ClusterGroups(self._vocabulary, tuple(MergedItems(*pair) for pair in pairs))
        relational = tuple(RelationalValues(name, tuple(labels)) for name, labels in facts["relational"])
        recoding = PerCluster(arrays["cluster"], items, relational)
        return Result(recoding, (), facts["figures"], tuple(facts["notes"]))

    def _partly_merged(self, facts: Mapping[str, Any], arrays: Arrays) -> PartlyMergedClusters:
        values = ClusterStates(*(arrays[name] for name in ("low", "high", "code", "bits")))
        longest = None
        if "items" in arrays:
            vocabulary = Vocabulary(tuple(facts["labels"]))
            column = SetColumn(facts["name"], arrays["indptr"], arrays["items"], vocabulary)
            longest = column, arrays["of"]
        return PartlyMergedClusters(
            arrays["cluster"], arrays["size"], values, arrays["seeds"], longest, facts["figures"]
        )

    def _tree(self, hierarchy: Hierarchy) -> str | None:
        """Return the column name of a hierarchy; None if it belongs to no column."""
        same = (n for n, tree in self.hierarchies.items() if tree is hierarchy or tree.labels == hierarchy.labels)
        return next(same, None)

    @property
    def _vocabulary(self) -> Vocabulary:
        return Vocabulary(()) if self.whole.transactions is None else self.whole.transactions.vocabulary


def _of_begun(part: PartlyMergedClusters) -> tuple[dict[str, Any], Arrays]:
    low, high, code, bits = part.values
    arrays: Arrays = {"cluster": part.cluster, "size": part.size, "seeds": part.seeds}
    arrays |= {"low": low, "high": high, "code": code, "bits": bits}
    facts: dict[str, Any] = {"figures": dict(part.figures)}
    if part.longest is not None:
        column, of = part.longest
        arrays |= {"indptr": column.indptr, "items": column.items, "of": of}
        facts |= {"name": column.name, "labels": column.vocabulary.labels}
    return facts, arrays


def _cut(values: NDArray[Any], start: NDArray[Any]) -> tuple[Int32, ...]:
    return tuple(np.split(values, start[1:-1])) if len(start) > 1 else ()
