"""Refining: terms of neighbouring clusters go into chunks that these share, by groups of 4, 16, 64, ... clusters."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from anonset.algorithms.transaction.chunk_fitting import Capped, Fitted, first_fit
from anonset.data.redacted_repr import Discreet
from anonset.generalization.chunks import GROUPED

Sources = dict[int, list[int]]
"""Clusters, each with those of its records, numbered over all clusters, that hold an item."""


@dataclass(frozen=True)
class SharedItems(Discreet):
    """A chunk that the clusters of a range share."""

    first: int
    """The first cluster."""
    last: int
    """The last one."""
    clusters_of: dict[int, list[int]]
    """Its items, each with the clusters that it leaves the terms of."""


@dataclass(frozen=True, eq=False)
class _Group(Discreet):
    """Neighbouring clusters, or one."""

    first: int
    """The first cluster."""
    end: int
    """That behind the last one."""
    terms: dict[int, Sources]
    """The terms that may still move, and where they come from."""
    shown: set[int]
    """The items that some of the clusters show in a chunk, of their own or a shared one."""


class _Refining:
    """How many terms are left in each cluster, and which may lose the last."""

    def __init__(self, clusters: Sequence[Fitted], k: int, m: int, capped: Capped) -> None:
        self.k, self.m, self.capped = k, m, capped
        self.n = [own.n for own in clusters]
        self.left = [len(own.terms) for own in clusters]
        self.kept_at_least = [int(own.must_keep_one) for own in clusters]

    def share(self, group: _Group) -> list[SharedItems]:
        """Move terms of several clusters of a group into chunks that the group shares."""
        support = {item: sum(map(len, sources.values())) for item, sources in group.terms.items() if len(sources) > 1}
        frequent = [item for item, records in support.items() if records >= self.k]
        alone: list[int] = []
        together: list[tuple[int, list[int]]] = []
        leaving: dict[int, list[int]] = {}
        for item in sorted(frequent, key=lambda item: (-support[item], item)):
            sources = group.terms[item]
            clusters = [cluster for cluster in sources if self.left[cluster] > self.kept_at_least[cluster]]
            records = list(chain.from_iterable(sources[cluster] for cluster in clusters))
            places = sum(self.n[cluster] for cluster in clusters)  # a chunk of it falls on these at least
            if len(records) < self.k or not self.capped.allows(item, len(records), places):
                continue
            leaving[item] = clusters
            for cluster in clusters:
                self.left[cluster] -= 1
            if item in group.shown or len(clusters) < len(sources) or item in self.capped.items:
                alone.append(item)
            else:
                together.append((item, records))
        for item in leaving:  # a term that stays where a chunk falls on others can move no more
            del group.terms[item]
            group.shown.add(item)
        chunks = first_fit(together, self.k, self.m) + [[item] for item in alone]
        return [SharedItems(group.first, group.end - 1, {item: leaving[item] for item in chunk}) for chunk in chunks]


def share_terms(clusters: Sequence[Fitted], k: int, m: int, capped: Capped) -> list[SharedItems]:
    """Return the chunks that clusters share, the narrow ranges first.

    A shared chunk falls on the clusters of its range that show none of its items by themselves or in a chunk that fewer
    clusters share. So items that some cluster of the range shows get a chunk each; the others go into chunks together,
    which stay k^m-anonymous. An item that is capped has a chunk alone, below its cap. The last term of a cluster stays
    where the chunks alone would say too much.
    """
    refining = _Refining(clusters, k, m, capped)
    groups = [
        _Group(
            number,
            number + 1,
            {item: {number: records} for item, records in own.terms.items()},
            set(chain.from_iterable(own.chunks)),
        )
        for number, own in enumerate(clusters)
    ]
    shared: list[SharedItems] = []
    while len(groups) > 1:
        for place in range(0, len(groups), GROUPED):
            group = _united(groups[place : place + GROUPED])
            shared += refining.share(group) if group is not groups[place] else []
            groups[place // GROUPED] = group
        del groups[-(-len(groups) // GROUPED) :]
    return shared


def _united(groups: Sequence[_Group]) -> _Group:
    """Return a group of neighbouring groups; a single one as it is."""
    if len(groups) == 1:
        return groups[0]
    terms: dict[int, Sources] = {}
    for group in groups:
        for item, sources in group.terms.items():
            if item in terms:
                terms[item].update(sources)
            else:
                terms[item] = sources
    return _Group(groups[0].first, groups[-1].end, terms, set().union(*(group.shown for group in groups)))
