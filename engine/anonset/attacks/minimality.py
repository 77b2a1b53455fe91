"""Minimality: what the algorithm had to hide tells what is there.

A cut that loses as little as is safe shows a node above its children only where these would not be safe. Were only one
of its children in the data, that one could have been shown, for the same rows and less loss: so at least two are. Of a
node with two children, of which one is an item, that item is in the data for certain, be it in a single record.

Clusters with cuts of their own are not tried. Where clusters are chosen by items (`joint-split`, merges of Rum- and
Tum-bound by items), their boundaries say where items are distributed differently. That is a statement on groups of at
least k records.

It finds no row. Going through all inputs of tiny tables, whoever knows at most m items is left with the same rows as
without the rule, none of them likelier than 1/k; and the items that are told are exactly those that all inputs hold
(tests/attacks/test_minimality.py).

Reference: Wong, Fu, Wang, Pei, VLDB 2007 (of sensitive values; ours reads cuts of items).
"""

from collections.abc import Mapping

import numpy as np

from anonset.attacks.base import Outcome, Scene, Won
from anonset.attacks.composition import Side
from anonset.data import Hierarchy
from anonset.publications import Records
from anonset.spelling import setting


def minimality(scene: Scene) -> tuple[Outcome, ...] | str:
    """Tell of random persons with a rare item, which a node hides, whether somebody with it is in the data."""
    if scene.original is None or (column := scene.original.transactions) is None or not scene.hierarchies:
        return f"it needs {setting('original')} of sets of items, and their hierarchy"
    if scene.publication.relational:
        return "it reads one cut of a hierarchy for all records; it does not try clusters that were chosen by items"
    tree = scene.hierarchies.get(column.name)
    if tree is None or Side.of(scene.publication) is None:
        return "every item must be published in one way, as a node of a hierarchy"
    told, guessed = chances(scene.publication, tree)
    rare = np.flatnonzero((column.occurrences > 0) & (column.occurrences < scene.k)).tolist()
    labels = {item: column.vocabulary.labels[item] for item in rare}
    owner = np.repeat(np.arange(column.n), column.lengths)
    hidden = [item for item in rare if labels[item] in told and labels[item] not in scene.model.secrets]
    places = np.flatnonzero(np.isin(column.items, hidden))
    if not len(places):
        return "no item that fewer than k records hold stands behind a node"
    random = np.random.default_rng(scene.seed)
    people, first = np.unique(owner[places], return_index=True)  # of each person one such item
    chosen = first[np.sort(random.permutation(len(people))[: scene.attempts])]
    items = [labels[item] for item in column.items[places[chosen]].tolist()]
    names = list(told)
    other = dict(zip(names, (names[at] for at in random.permutation(len(names)).tolist()), strict=True))
    dealt = {item: told[other[item]] for item in names}
    knows = (
        f"the tree, that the cut is as fine as is safe, and who may have an item that fewer than k={scene.k} records "
        "hold; wants whether one of them is in the data"
    )
    results = (_won([chance[item] for item in items]) for chance in (guessed, told, dealt))
    return (Outcome("minimality", knows, len(items), *results),)


def chances(publication: Records, tree: Hierarchy) -> tuple[Mapping[str, float], Mapping[str, float]]:
    """Return how surely each item behind a node with children is in the data, by the rule, and without it.

    By the rule at least two children are in the data, each as likely as the others; of these, each leaf. Without it at
    least one leaf is.
    """
    told: dict[str, float] = {}
    without: dict[str, float] = {}
    for symbol in publication.symbols:
        if len(symbol.members) < 2:
            continue
        node = tree.lowest_common_ancestor(tree.leaves.index[member] for member in symbol.members)
        children = np.flatnonzero(tree.parent == node)
        for child in children[children != node].tolist():
            below = tree.members(child)
            share = min(1.0, 2 / len(children)) / len(below)
            told.update(dict.fromkeys(below, share))
            without.update(dict.fromkeys(below, 1 / len(symbol.members)))
    return told, without


def _won(found: list[float]) -> Won:
    sure = np.array(found)
    return Won(float((sure == 1).mean()), float(sure.mean()))
