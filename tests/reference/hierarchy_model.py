"""Naive implementation of hierarchies: dictionaries over labels."""

from collections.abc import Iterator, Sequence

Tree = str | tuple[str, Sequence["Tree"]]


def parse(text: str) -> Tree:
    """Parse ``ALL(A(a1,a2),b)`` to nested pairs.

    >>> parse("ALL(A(a1,a2),b)")
    ('ALL', [('A', ['a1', 'a2']), 'b'])
    """
    tree, rest = _parse_node(text)
    if rest:
        raise ValueError(f"unexpected {rest!r} after the tree")
    return tree


def _parse_node(text: str) -> tuple[Tree, str]:
    end = min((i for i in map(text.find, "(),") if i >= 0), default=len(text))
    label, rest = text[:end], text[end:]
    if not rest.startswith("("):
        return label, rest
    children: list[Tree] = []
    while not rest.startswith(")"):
        child, rest = _parse_node(rest[1:])
        children.append(child)
    return (label, children), rest[1:]


def collapse(tree: Tree) -> Tree:
    """Replace each node that has a single child by that child."""
    if isinstance(tree, str):
        return tree
    label, children = tree
    if len(children) == 1:
        return collapse(children[0])
    return label, [collapse(child) for child in children]


def columns_of(tree: Tree) -> dict[str, list[str]]:
    """Return each leaf's text in each column of a file, its label first. A node with a single child is replaced by that
    child.

    >>> columns_of(parse("ALL(A(a1,a2),U(B(b)),c)"))["b"], columns_of(parse("ALL(A(a1,a2),c)"))["c"]
    (['b', 'b', 'b', 'ALL'], ['c', 'c', 'ALL'])
    """
    paths: dict[str, list[str]] = {}

    def shown(node: Tree) -> str:
        while not isinstance(node, str) and len(node[1]) == 1:
            node = node[1][0]
        return node if isinstance(node, str) else node[0]

    def walk(node: Tree, above: list[str]) -> None:
        path = [shown(node), *above]
        if isinstance(node, str):
            paths[node] = path
            return
        for child in node[1]:
            walk(child, path)

    walk(tree, [])
    longest = max(map(len, paths.values()))
    return {leaf: [leaf] * (longest - len(path)) + path for leaf, path in paths.items()}


def preorder(tree: Tree, parent: str | None = None) -> Iterator[tuple[str, str | None]]:
    """Yield (label, parent's label) of every node, parents before children."""
    if isinstance(tree, str):
        yield tree, parent
        return
    yield tree[0], parent
    for child in tree[1]:
        yield from preorder(child, tree[0])


class HierarchyModel:
    """A rooted tree of labels, without inner nodes that have a single child.

    ``parent`` and ``children`` are keyed by label, ``pre`` is the position in preorder, ``leaves`` are ordered from
    left to right. `columns` describes the tree before nodes with a single child are removed.
    """

    def __init__(self, tree: Tree) -> None:
        pairs = list(preorder(collapse(tree)))
        self.columns = columns_of(tree)
        self.nodes = [label for label, _ in pairs]
        self.parent = dict(pairs)
        self.pre = {label: position for position, label in enumerate(self.nodes)}
        self.children: dict[str, list[str]] = {label: [] for label in self.nodes}
        for label, above in pairs:
            if above is not None:
                self.children[above].append(label)
        self.root = self.nodes[0]
        self.leaves = [label for label in self.nodes if not self.children[label]]
        self.chain = {label: self._chain(label) for label in self.nodes}
        self.below = {v: [leaf for leaf in self.leaves if v in self.chain[leaf]] for v in self.nodes}

    def _chain(self, node: str) -> list[str]:
        """Return the node and its ancestors, root last."""
        above = self.parent[node]
        return [node] if above is None else [node, *self._chain(above)]

    def strictly_above(self, ancestor: str, node: str) -> bool:
        return ancestor in self.chain[node][1:]

    def cuts(self, node: str | None = None) -> list[tuple[str, ...]]:
        """Return every cut below a node (by default, of the complete tree), each in preorder."""
        node = self.root if node is None else node
        if not self.children[node]:
            return [(node,)]
        result: list[tuple[str, ...]] = [()]
        for child in self.children[node]:
            result = [head + tail for head in result for tail in self.cuts(child)]
        return [(node,), *result]

    def image(self, cut: Sequence[str]) -> dict[str, str]:
        """Map each leaf to the node of the cut above it."""
        return {leaf: node for node in cut for leaf in self.below[node]}
