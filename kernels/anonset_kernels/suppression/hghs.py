"""Top-down search over cuts by Liu and Wang (2010, section 3). Cuts are evaluated by their minimal threats only.

Nodes are numbered by their *place* in the suppression scan, which visits them by descending suppression cost. The cost
does not depend on the cut. The scan publishes the nodes of a cut in this order, but suppresses a node that would
complete a threat. This node is always the last member of the threat. A child of a cut, in which one node is expanded,
is evaluated by its differences. The scan is repeated only for nodes with changed threats, and for nodes that depend on
a changed decision.
"""

from typing import NamedTuple

import numpy as np

from anonset_kernels._arrays import Int32Array, Int32Matrix, Int64Array, Integer, UInt8Array, UInt64Array
from anonset_kernels._bits import bit, trailing_zeros
from anonset_kernels._jit import kernel


class Taxonomy(NamedTuple):
    """Reduced taxonomy of V nodes. Nodes are identified by their place in the scan."""

    parent: Int32Array
    """Parent of each node, int32 (V,). -1 for the root."""
    child_start: Int64Array
    """Start of each node in `children`, int64 (V + 1,)."""
    children: Int32Array
    """Children of the nodes, node after node, int32."""
    generalize: Int64Array
    """Cost of publishing each node, int64 (V,): occurrences * (leaves - 1)."""
    suppress: Int64Array
    """Additional cost of suppressing each node, int64 (V,): occurrences * (number of leaves of the root - leaves)."""
    inner: Int32Array
    """Nodes with children in preorder, int32."""


class Threats(NamedTuple):
    """Minimal threats of each node, and linked lists of threats."""

    members: Int32Matrix
    """Nodes of each threat in ascending order, padded with -1, int32 (T, width)."""
    length: Int32Array
    """Number of nodes in each threat, int32 (T,)."""
    start: Int64Array
    """Start of each node in `of_node`, int64 (V + 1,)."""
    of_node: Int32Array
    """Threats of the nodes, node after node, int32."""
    waiting: Int32Array
    """For each node, the first threat that enters the cut if the node is expanded, int32 (V,). `waiting_next`, int32
    (T,), contains the next threat of the same node.
    """
    waiting_next: Int32Array
    last: Int32Array
    """For each node, the first threat in the cut whose last member is the node, int32 (V,). `last_next`, int32 (T,),
    contains the next threat of the same node.
    """
    last_next: Int32Array
    guard: Int64Array
    """For each node, the first threat in the cut that contains the node before the last member, int64 (V,). A threat is
    given by the flat index of the node in `members`. `guard_next`, int64 (T * width,), contains the next threat of the
    same node.
    """
    guard_next: Int64Array
    placed: UInt8Array
    """1 for threats that are in a list of a node, or were in one before they were resolved, uint8 (T,)."""


class CutState(NamedTuple):
    """Current cut, and buffers for an evaluation."""

    in_cut: UInt8Array
    """1 for the nodes of the cut, uint8 (V,)."""
    kept: UInt8Array
    """1 for the published nodes of the cut, uint8 (V,). All other nodes of the cut are suppressed."""
    queue: UInt64Array
    """Bitmap of the nodes to decide again, uint64 (W,). `busy` is a bitmap of the non-zero words."""
    busy: UInt64Array
    extra: Int32Array
    """For each node, the first threat that the evaluated expansion adds and whose last member is the node, int32 (V,).
    -1 between evaluations. `extra_next`, int32 (T,), contains the next threat of the same node.
    """
    extra_next: Int32Array
    log: Int32Array
    """Nodes that were decided again, int32 (V,). `before`, uint8 (V,), contains their previous decisions."""
    before: UInt8Array
    change: Int64Array
    """Cost change in the last evaluation of each node's expansion, int64 (V,). `settled`, uint8 (V,), is 1 if the value
    is still valid, because it depends only on the node and its children, and these have not changed.
    """
    settled: UInt8Array


@kernel(allocates=True)
def index_members(members: Int32Matrix, n_nodes: int) -> tuple[Int32Array, Int64Array, Int32Array]:
    """List the threats of each node. O(T width + V).

    Returns the length of each threat, int32 (T,), the start of each node in the list, int64 (V + 1,), and the list of
    threats, int32.

    `members` is int32 (T, width): nodes of each threat, padded with -1.
    """
    n, width = members.shape
    length = np.zeros(n, np.int32)
    start = np.zeros(n_nodes + 1, np.int64)
    for t in range(n):
        while length[t] < width and members[t, length[t]] >= 0:
            start[members[t, length[t]] + 1] += 1
            length[t] += 1
    for node in range(n_nodes):
        start[node + 1] += start[node]
    fill = start[:-1].copy()
    of_node = np.empty(start[n_nodes], np.int32)
    for t in range(n):
        for j in range(length[t]):
            of_node[fill[members[t, j]]] = t
            fill[members[t, j]] += 1
    return length, start, of_node


@kernel()
def begin(tree: Taxonomy, threats: Threats, state: CutState, root: int) -> int:
    """Initialize the cut to contain only the root. Return its cost."""
    state.in_cut[root], state.kept[root] = 1, 1
    for i in range(threats.start[root], threats.start[root + 1]):
        if threats.length[threats.of_node[i]] == 1:
            state.kept[root] = 0
    _place_waiting(tree, threats, state, root)
    return tree.generalize[root] + (0 if state.kept[root] else tree.suppress[root])


@kernel()
def step(tree: Taxonomy, threats: Threats, state: CutState, cost: int) -> tuple[int, int, int]:
    """Expand the node whose expansion reduces the cost of the cut most. Do nothing if no expansion reduces it.

    Returns
    -------
    (expanded node or -1, new cost of the cut, number of evaluated expansions)

    Cost per evaluated expansion: its new threats, and the threats of nodes with a changed decision.
    """
    best, best_cost, n_evaluated = -1, np.int64(cost), 0
    for node in tree.inner:
        if state.in_cut[node]:
            n_evaluated += 1
            if not state.settled[node]:
                state.change[node] = expand(tree, threats, state, node, False)
            if cost + state.change[node] < best_cost:
                best, best_cost = int(node), cost + state.change[node]
    if best >= 0:
        expand(tree, threats, state, best, True)
        _activate(threats, state, best)
        for i in range(tree.child_start[best], tree.child_start[best + 1]):
            _place(tree, threats, state, tree.children[i])
            _place_waiting(tree, threats, state, tree.children[i])
    return best, int(best_cost), n_evaluated


@kernel()
def expand(tree: Taxonomy, threats: Threats, state: CutState, node: Integer, commit: bool) -> int:
    """Replace a node of the cut by its children, and decide again which nodes are suppressed. Return the cost change.

    The previous state is restored unless `commit`.
    """
    in_cut, kept = state.in_cut, state.kept
    change = -tree.generalize[node] - (0 if kept[node] else tree.suppress[node])
    was_kept, is_settled = kept[node], not kept[node] or threats.guard[node] < 0
    in_cut[node], kept[node] = 0, 0
    if was_kept:
        _enqueue_guarded(threats, state, node)
    for i in range(tree.child_start[node], tree.child_start[node + 1]):
        child = tree.children[i]
        in_cut[child], kept[child] = 1, 1
        change += tree.generalize[child]
        _enqueue(state, child)
    t = threats.waiting[node]
    while t >= 0:
        if _lies_in_cut(threats, in_cut, t):
            y = threats.members[t, threats.length[t] - 1]
            state.extra_next[t], state.extra[y] = state.extra[y], t
            _enqueue(state, y)
            for j in range(threats.length[t]):
                is_settled = is_settled and tree.parent[threats.members[t, j]] == node
        t = threats.waiting_next[t]
    n_decided, saved = _scan(tree, threats, state)
    change += saved
    for d in range(n_decided if commit else 0):
        state.settled[state.log[d]] = 0
    if not commit:
        state.settled[node] = is_settled
        for d in range(n_decided):
            kept[state.log[d]] = state.before[d]
        for i in range(tree.child_start[node], tree.child_start[node + 1]):
            in_cut[tree.children[i]], kept[tree.children[i]] = 0, 0
        in_cut[node], kept[node] = 1, was_kept
    return change


@kernel()
def _scan(tree: Taxonomy, threats: Threats, state: CutState) -> tuple[int, int]:
    """Decide which of the queued nodes are published, in order, and which of the nodes that depend on changed
    decisions.

    Returns the number of decided nodes and the cost change.

    A decision affects only later nodes, so one pass over the queue is sufficient.
    """
    queue, busy, kept = state.queue, state.busy, state.kept
    n_decided, change = 0, np.int64(0)
    for b in range(len(busy)):
        while busy[b] != 0:
            w = b * 64 + trailing_zeros(busy[b])
            while queue[w] != 0:
                y = w * 64 + trailing_zeros(queue[w])
                queue[w] &= queue[w] - np.uint64(1)
                if not state.in_cut[y]:
                    continue
                state.log[n_decided], state.before[n_decided] = y, kept[y]
                n_decided += 1
                now = 0 if _is_blocked(threats, state, y) else 1
                state.extra[y] = -1
                if now != kept[y]:
                    change += -tree.suppress[y] if now else tree.suppress[y]
                    kept[y] = now
                    _enqueue_guarded(threats, state, y)
            busy[b] &= ~bit(w & 63)
    return n_decided, int(change)


@kernel()
def _enqueue(state: CutState, node: int) -> None:
    word = node >> 6
    state.queue[word] |= bit(node & 63)
    state.busy[word >> 6] |= bit(word & 63)


@kernel()
def _enqueue_guarded(threats: Threats, state: CutState, node: Integer) -> None:
    """Add the last members of threats that contain `node` before the last member to the queue."""
    width = threats.members.shape[1]
    link = threats.guard[node]
    while link >= 0:
        t = link // width
        y = threats.members[t, threats.length[t] - 1]
        _enqueue(state, y)
        link = threats.guard_next[link]


@kernel()
def _lies_in_cut(threats: Threats, in_cut: UInt8Array, t: int) -> bool:
    for j in range(threats.length[t]):
        if not in_cut[threats.members[t, j]]:
            return False
    return True


@kernel()
def _is_blocked(threats: Threats, state: CutState, y: int) -> bool:
    """Return True if a node completes a threat whose other members are all published."""
    t = state.extra[y]
    while t >= 0:
        if _guards_kept(threats, state.kept, t):
            return True
        t = state.extra_next[t]
    t = threats.last[y]
    while t >= 0:
        if _guards_kept(threats, state.kept, t):
            return True
        t = threats.last_next[t]
    return False


@kernel()
def _guards_kept(threats: Threats, kept: UInt8Array, t: int) -> bool:
    for j in range(threats.length[t] - 1):
        if not kept[threats.members[t, j]]:
            return False
    return True


@kernel()
def _activate(threats: Threats, state: CutState, node: int) -> None:
    """Insert the threats that waited for the expansion of a node into the lists of their members."""
    width = threats.members.shape[1]
    t = threats.waiting[node]
    while t >= 0:
        if _lies_in_cut(threats, state.in_cut, t):
            for j in range(threats.length[t]):
                state.settled[threats.members[t, j]] = 0
            for j in range(threats.length[t] - 1):
                member, link = threats.members[t, j], np.int64(t) * width + j
                threats.guard_next[link], threats.guard[member] = threats.guard[member], link
            y = threats.members[t, threats.length[t] - 1]
            threats.last_next[t], threats.last[y] = threats.last[y], t
        t = threats.waiting_next[t]
    threats.waiting[node] = -1


@kernel()
def _place_waiting(tree: Taxonomy, threats: Threats, state: CutState, node: int) -> None:
    """Process the threats of the children of a node that entered the cut."""
    for i in range(tree.child_start[node], tree.child_start[node + 1]):
        _place(tree, threats, state, tree.children[i])


@kernel()
def _place(tree: Taxonomy, threats: Threats, state: CutState, node: int) -> None:
    """Add each threat of `node` that enters the cut if a single node is expanded to the waiting list of this node."""
    for i in range(threats.start[node], threats.start[node + 1]):
        t = threats.of_node[i]
        if threats.placed[t]:
            continue
        above = -1
        for j in range(threats.length[t]):
            member = threats.members[t, j]
            if state.in_cut[member]:
                continue
            parent = tree.parent[member]
            if parent < 0 or not state.in_cut[parent] or (above >= 0 and above != parent):
                above = -2
                break
            above = parent
        if above >= 0:
            threats.placed[t], state.settled[above] = 1, 0
            threats.waiting_next[t], threats.waiting[above] = threats.waiting[above], t
