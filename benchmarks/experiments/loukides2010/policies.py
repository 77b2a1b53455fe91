"""Privacy and utility policies of the cases.

Policies are random as in the paper, made by Pgen, or made of siblings or disorders.
"""

from functools import lru_cache
from typing import TYPE_CHECKING

from benchmarks.experiments.cases import Parameters
from benchmarks.experiments.factors import number_of

if TYPE_CHECKING:
    from anonset import Hierarchy, SetColumn
    from anonset.privacy.policies import PrivacyPolicy, UtilityPolicy
    from anonset.publications import Records

DISORDERS = 20
CODES_OF_DISORDER = (5, 10)
"""Smallest and largest number of codes of a disorder. The only disorder that the paper names has 7 codes."""
CODES_OF_RANDOM_GROUP = 7
DEPTH = {"sub-chapters": 2, "categories": 3}
"""Level of the disorders in the ICD-9 taxonomy."""


def privacy_policy(parameters: Parameters, column: "SetColumn") -> "PrivacyPolicy":
    """Return the itemsets to protect. The itemsets do not depend on the leaf order.

    Parameters
    ----------
    parameters
        ``privacy``: PP1 to PP9, or ``pgen``; ``policy``: its number; ``apart``: PP1 to PP5 are drawn independently,
        not nested; ``itemsets``: size of PP6 to PP9; ``drawn_from``: ``records`` to draw each itemset from a random
        record.
    column
        Records.
    """
    from anonset.algorithms.transaction.item_sets.pgen import generate_constraints
    from anonset.privacy.policies import random_policy

    name = parameters["privacy"]
    if name == "pgen":
        return generate_constraints(column, parameters["k"])
    seed, n_itemsets = number_of(parameters["policy"]), parameters.get("itemsets", 1000)
    if parameters.get("apart"):
        seed = 10 * seed + int(name.removeprefix("PP"))
    if parameters.get("drawn_from") == "records":
        return _of_records(name, column, n_itemsets, seed)
    return random_policy(name, column.vocabulary, n_itemsets=n_itemsets, seed=seed)


@lru_cache(maxsize=8)
def _of_records(name: str, column: "SetColumn", n_itemsets: int, seed: int) -> "PrivacyPolicy":
    """Return itemsets with the sizes of PP6 to PP9. Each itemset is drawn from a random record with enough items."""
    from anonset import Table
    from anonset.privacy.policies import SHARE_OF_SIZES, PrivacyPolicy
    from anonset.queries.mixed_workload import QueryShape, mixed_record_workload

    itemsets: list[tuple[str, ...]] = []
    for size, share in enumerate(SHARE_OF_SIZES[name], 1):
        shape = QueryShape(n_values=0, n_items=size)
        asked = mixed_record_workload(Table(column), round(share * n_itemsets), shape, seed)
        itemsets += dict.fromkeys(query.items for query in asked.queries)
    return PrivacyPolicy(tuple(itemsets))


def utility_policy(
    parameters: Parameters, column: "SetColumn", hierarchy: "Hierarchy | None"
) -> "UtilityPolicy | None":
    """Return the groups of items that may be generalized together. None if any items may be generalized together.

    Parameters
    ----------
    parameters
        ``utility``: the size of groups of neighbouring leaves; ``sub-chapters`` or ``categories`` of the taxonomy; or
        ``random groups`` of codes, with the number of the ``sample`` as seed.
    column
        Records, bound to the hierarchy if it exists.
    """
    from anonset.privacy.policies import groups_of_siblings

    name = parameters.get("utility")
    if name is None:
        return None
    if isinstance(name, int):
        return groups_of_siblings(column.vocabulary, name)
    if name == "random groups":
        return _random_groups(column, number_of(parameters["sample"]))
    if hierarchy is None:
        msg = f"utility {name!r} needs a taxonomy"
        raise RuntimeError(msg)
    return _disorders(column, hierarchy, DEPTH[name])


def _random_groups(column: "SetColumn", number: int) -> "UtilityPolicy":
    """Return random groups of occurring codes, and a group of all other codes."""
    import numpy as np

    from anonset.data.split_mix import SplitMix
    from anonset.privacy.policies import UtilityPolicy

    there, size = np.flatnonzero(column.occurrences), CODES_OF_RANDOM_GROUP
    chosen = [column.vocabulary.labels[there[j]] for j in SplitMix(number).distinct(len(there), DISORDERS * size)]
    groups = (chosen[first : first + size] for first in range(0, len(chosen), size))
    return UtilityPolicy.of(groups).completed(column.vocabulary)


def _disorders(column: "SetColumn", hierarchy: "Hierarchy", depth: int) -> "UtilityPolicy":
    """Return a group of codes for each of the most frequent nodes with few codes, and a group of all other codes."""
    import numpy as np

    from anonset.privacy.policies import UtilityPolicy

    least, most = CODES_OF_DISORDER
    n_leaves, before = hierarchy.n_leaves_below, np.concatenate([[0], np.cumsum(column.occurrences)])
    occurring = before[hierarchy.leaf_hi] - before[hierarchy.leaf_lo]
    nodes = np.flatnonzero((hierarchy.depth == depth) & (n_leaves >= least) & (n_leaves <= most))
    nodes = nodes[np.lexsort((nodes, -occurring[nodes]))][:DISORDERS]
    labels = hierarchy.leaves.labels
    groups = (labels[hierarchy.leaf_lo[v] : hierarchy.leaf_hi[v]] for v in nodes)
    return UtilityPolicy.of(groups).completed(hierarchy.leaves)


def n_violated(publication: "Records", utility: "UtilityPolicy") -> int:
    """Return the number of violated utility constraints.

    A constraint is violated if one of its items is published together with an item of another constraint.
    """
    group_of = {item: number for number, group in enumerate(utility.groups) for item in group}
    spanned = [{group_of[item] for item in symbol.members} for symbol in publication.symbols]
    return len(set().union(*[groups for groups in spanned if len(groups) > 1]))
