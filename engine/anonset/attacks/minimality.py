"""Minimality. This attack infers hidden items from the choice of the cut.

A cut with minimal loss generalizes children to their node only if publishing the children violates the model. If only a
single child occurred in the data, the algorithm could publish this child for the same rows with a smaller loss.
Therefore at least two children occur. If a node has two children and one child is an item, this item is in the data,
even if only a single record contains it.

Clusters with separate cuts are not attacked. If clusters depend on items (`joint-split`, merges of Rum-bound and
Tum-bound by items), the boundaries of the clusters show differences between item distributions. This information is
about groups of at least k records.

The attack identifies no row. `tests/attacks/test_minimality.py` enumerates all inputs of small tables. An attacker who
knows at most m items finds the same matching rows with and without this inference, each with probability at most 1/k.
The inferred items are exactly the items that all possible inputs contain.

Reference: Wong, Fu, Wang, Pei, VLDB 2007. The paper attacks sensitive values. This attack uses cuts of items.
"""

from collections.abc import Mapping

import numpy as np

from anonset.attacks.base import AttackInput, AttackResult, AttackSuccess
from anonset.attacks.composition import ReleaseRows
from anonset.data import Hierarchy
from anonset.publications import Records
from anonset.spelling import setting


def minimality(scene: AttackInput) -> tuple[AttackResult, ...] | str:
    """Infer whether a rare item occurs in the data. The attack targets random persons with a rare item below a
    published node.
    """
    if scene.original is None or (column := scene.original.transactions) is None or not scene.hierarchies:
        return f"it needs {setting('original')} with sets of items, and their hierarchy"
    if scene.publication.relational:
        return "it requires a single hierarchy cut for all records, not clusters formed by items"
    tree = scene.hierarchies.get(column.name)
    if tree is None or ReleaseRows.of(scene.publication) is None:
        return "every item must be published as a single symbol, a node of a hierarchy"
    chance_of, guessed = chances(scene.publication, tree)
    rare = np.flatnonzero((column.occurrences > 0) & (column.occurrences < scene.k)).tolist()
    labels = {item: column.vocabulary.labels[item] for item in rare}
    owner = np.repeat(np.arange(column.n), column.lengths)
    hidden = [item for item in rare if labels[item] in chance_of and labels[item] not in scene.model.secrets]
    places = np.flatnonzero(np.isin(column.items, hidden))
    if not len(places):
        return "no node covers an item with support below k"
    random = np.random.default_rng(scene.seed)
    people, first = np.unique(owner[places], return_index=True)  # attack a single rare item of each person
    chosen = first[np.sort(random.permutation(len(people))[: scene.attempts])]
    items = [labels[item] for item in column.items[places[chosen]].tolist()]
    names = list(chance_of)
    other = dict(zip(names, (names[position] for position in random.permutation(len(names)).tolist()), strict=True))
    dealt = {item: chance_of[other[item]] for item in names}
    knows = (
        f"the tree, that no finer cut is safe, and who may have an item of fewer than k={scene.k} records, and wants "
        "to know whether such an item is in the data"
    )
    results = (_success([chance[item] for item in items]) for chance in (guessed, chance_of, dealt))
    return (AttackResult("minimality", knows, len(items), *results),)


def chances(publication: Records, tree: Hierarchy) -> tuple[Mapping[str, float], Mapping[str, float]]:
    """Return the probability that each item below a node is in the data, with the attack and without the attack.

    With the attack, two uniformly drawn children, and all leaves below these children, are assumed to be in the data.
    Without the attack, a single leaf is assumed to be in the data.
    """
    chance_of: dict[str, float] = {}
    without: dict[str, float] = {}
    for symbol in publication.symbols:
        if len(symbol.members) < 2:
            continue
        node = tree.lowest_common_ancestor(tree.leaves.index[member] for member in symbol.members)
        children = np.flatnonzero(tree.parent == node)
        for child in children[children != node].tolist():
            below = tree.members(child)
            share = min(1.0, 2 / len(children)) / len(below)
            chance_of.update(dict.fromkeys(below, share))
            without.update(dict.fromkeys(below, 1 / len(symbol.members)))
    return chance_of, without


def _success(probabilities: list[float]) -> AttackSuccess:
    sure = np.array(probabilities)
    return AttackSuccess(float((sure == 1).mean()), float(sure.mean()))
