"""Greedy top-down search for a cut (Liu and Wang 2010, section 3). For each cut, a scan selects nodes to suppress."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from anonset.algorithms.transaction.suppression.threats import MinimalThreats
from anonset.data.array_types import Int32, Int64
from anonset.data.distinct import positions
from anonset.data.progress import Progress, report_progress
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.spans import begins_of
from anonset.generalization import Cut
from anonset.generalization.recoding import SUPPRESSED

if TYPE_CHECKING:
    from anonset_kernels.suppression.hghs import CutState, Taxonomy, Threats


@dataclass(frozen=True)
class Expansion(RedactedRepr):
    """A search step that replaces a node by its children."""

    node: str = field(repr=False)
    cost: int
    """Cost of the cut after the step, multiplied by (number of leaves - 1)."""


@dataclass(frozen=True, eq=False)
class Scenario(RedactedRepr):
    """A cut with suppressed nodes, and its cost."""

    cut: Cut
    """Cut that contains the published nodes and the suppressed nodes."""
    suppressed: Int32
    """Suppressed nodes of the cut, int32, in preorder."""
    cost: int
    """Loss metric LM, multiplied by (number of leaves - 1)."""
    expansions: tuple[Expansion, ...]
    evaluated: int

    @property
    def recoding(self) -> Cut:
        """Cut without the suppressed nodes."""
        image = np.where(np.isin(self.cut.image, self.suppressed), SUPPRESSED, self.cut.image).astype(np.int32)
        return Cut(self.cut.hierarchy, image)


def search_cut(threats: MinimalThreats, leaves: Int64, phase: str, progress: Progress | None) -> Scenario:
    """Expand nodes top-down, starting with the root, until no expansion reduces the cost.

    Each step expands the node that reduces the cost most.

    Parameters
    ----------
    threats
        Minimal threats over the (reduced) taxonomy.
    leaves
        Number of leaves below each node, as used in costs, int64 (V,).
    """
    from anonset_kernels.suppression.hghs import begin, step

    hierarchy, n_nodes = threats.hierarchy, threats.hierarchy.n_nodes
    running = begins_of(threats.column.occurrences)
    occurrences: Int64 = running[hierarchy.leaf_hi] - running[hierarchy.leaf_lo]
    suppress = occurrences * (leaves[0] - leaves)
    order = np.lexsort((np.arange(n_nodes), -occurrences, -suppress)).astype(np.int32)
    place = positions(order, n_nodes)
    taxonomy = _taxonomy(threats, occurrences * (leaves - 1), suppress, order, place)
    lists = _lists(threats, place)
    state = _state(n_nodes, len(lists.length))
    cost, evaluated, expansions = int(begin(taxonomy, lists, state, int(place[0]))), 1, []
    while True:
        best, cost, n_evaluated = (int(x) for x in step(taxonomy, lists, state, cost))
        evaluated += n_evaluated
        if best < 0:
            break
        expansions.append(Expansion(hierarchy.labels[order[best]], cost))
        report_progress(progress, phase, len(expansions), len(taxonomy.inner))
    nodes = np.sort(order[state.in_cut != 0])
    suppressed = np.sort(order[(state.in_cut != 0) & (state.kept == 0)])
    image = np.repeat(nodes, hierarchy.n_leaves_below[nodes]).astype(np.int32)
    return Scenario(Cut(hierarchy, image), suppressed, cost, tuple(expansions), evaluated)


def _taxonomy(threats: MinimalThreats, generalize: Int64, suppress: Int64, order: Int32, place: Int32) -> "Taxonomy":
    """Return the taxonomy without nodes below the cut. Nodes are numbered by their position in the scan that selects
    nodes to suppress.
    """
    from anonset_kernels.suppression.hghs import Taxonomy

    parent = threats.hierarchy.parent
    below = np.flatnonzero(threats.in_taxonomy & (parent >= 0)).astype(np.int32)
    by_parent = below[np.argsort(place[parent[below]], kind="stable")]
    n_children = np.bincount(place[parent[below]], minlength=len(parent))
    return Taxonomy(
        np.where(parent[order] >= 0, place[parent[order]], -1).astype(np.int32),
        begins_of(n_children),
        place[by_parent],
        generalize[order],
        suppress[order],
        place[np.flatnonzero(n_children[place] > 0)],
    )


def _lists(threats: MinimalThreats, place: Int32) -> "Threats":
    """Return the threats, with nodes numbered by their position in the scan, and empty lists of threats."""
    from anonset_kernels.suppression.hghs import Threats, index_members

    n, n_nodes, width = threats.n, len(place), max(1, len(threats.by_size))
    members = np.full((n, width), n_nodes, np.int32)
    first = 0
    for threats_of_size in threats.by_size:
        members[first : first + len(threats_of_size), : threats_of_size.shape[1]] = place[threats_of_size]
        first += len(threats_of_size)
    members.sort(axis=1)
    members[members == n_nodes] = -1
    length, start, of_node = index_members(members, n_nodes)
    return Threats(
        members,
        length,
        start,
        of_node,
        np.full(n_nodes, -1, np.int32),
        np.empty(n, np.int32),
        np.full(n_nodes, -1, np.int32),
        np.empty(n, np.int32),
        np.full(n_nodes, -1, np.int64),
        np.empty(n * width, np.int64),
        np.zeros(n, np.uint8),
    )


def _state(n_nodes: int, n_threats: int) -> "CutState":
    from anonset_kernels.suppression.hghs import CutState

    return CutState(
        np.zeros(n_nodes, np.uint8),
        np.zeros(n_nodes, np.uint8),
        np.zeros((n_nodes + 63) // 64, np.uint64),
        np.zeros((n_nodes + 4095) // 4096, np.uint64),
        np.full(n_nodes, -1, np.int32),
        np.empty(n_threats, np.int32),
        np.empty(n_nodes, np.int32),
        np.zeros(n_nodes, np.uint8),
        np.zeros(n_nodes, np.int64),
        np.zeros(n_nodes, np.uint8),
    )
