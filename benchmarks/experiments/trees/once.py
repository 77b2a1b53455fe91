"""Searches with a cache. Several algorithms of the study start from the same cut, which is searched once."""

from dataclasses import dataclass, replace
from typing import Any

from anonset import Hierarchy
from anonset.algorithms.base import Result
from anonset.algorithms.transaction.exact_cut.exact import Exact
from anonset.algorithms.transaction.item_sets.set_search import SetSearch
from anonset.data.blocks import Blocks
from anonset.data.progress import Progress
from anonset.generalization import Cut

_FOUND: dict[tuple[Any, ...], Result] = {}


@dataclass(frozen=True, kw_only=True)
class ExactOnce(Exact):
    """`exact` for one data set, with a cached cut."""

    data: str

    def _of_tree(
        self,
        blocks: Blocks,
        hierarchy: Hierarchy,
        seconds: float | None,
        progress: Progress | None,
    ) -> Result:
        key = (self, hierarchy.leaves.labels, hierarchy.parent.tobytes())
        if key not in _FOUND:
            _FOUND[key] = super()._of_tree(blocks, hierarchy, seconds, progress)
        found = _FOUND[key]
        if not isinstance(found.recoding, Cut):
            msg = f"exact must find a cut, got {type(found.recoding).__name__}"
            raise TypeError(msg)
        return replace(found, recoding=Cut(hierarchy, found.recoding.image))


@dataclass(frozen=True, kw_only=True)
class SetSearchOnce(SetSearch):
    """`set-search` for one data set, with a cached first cut."""

    data: str

    @property
    def begins_with(self) -> Exact:
        """Algorithm that finds the initial cut."""
        return ExactOnce(k=self.k, m=self.m, data=self.data)
