"""Applying a recoding to its table."""

import numpy as np

from anonset.data import SetColumn, Table
from anonset.errors import InputError
from anonset.generalization.apply_local import apply_per_cluster
from anonset.generalization.publication import Publication, Symbol
from anonset.generalization.recoding import SUPPRESSED, Cut, ItemGroups, PerCluster, Recoding
from anonset.generalization.symbols import generalize, group_symbol, node_symbol


def apply(table: Table, recoding: Recoding) -> Publication:
    """Apply a recoding to the table it was made for.

    The symbols of the publication are those that some record shows: were there others, the items that were
    suppressed would be known from their absence.

    The table's set-valued column must be bound to the recoding's hierarchy or vocabulary, so that a code is a
    leaf's position.

    Raises
    ------
    InputError
        If the recoding is not one for this table.
    """
    if isinstance(recoding, Cut):
        return _apply_cut(table, recoding)
    if isinstance(recoding, ItemGroups):
        return _apply_groups(table, recoding)
    if isinstance(recoding, PerCluster):
        return apply_per_cluster(table, recoding)
    msg = f"a recoding of type {type(recoding).__name__} cannot be applied yet"
    raise InputError(msg)


def _apply_cut(table: Table, cut: Cut) -> Publication:
    column = table.transactions
    if column is None or column.vocabulary != cut.hierarchy.leaves:
        msg = "the cut's hierarchy must be bound to the table's set-valued column first (Hierarchy.bind)"
        raise InputError(msg)
    shown = np.unique(cut.image[column.occurrences > 0])
    shown = shown[shown != SUPPRESSED]
    code_of_node = np.full(cut.hierarchy.n_nodes + 1, SUPPRESSED, np.int32)
    code_of_node[shown] = np.arange(len(shown), dtype=np.int32)
    symbols = tuple(node_symbol(cut.hierarchy, int(node)) for node in shown)
    published = generalize(column, code_of_node[cut.image], symbols)
    return _of_all_records(table, published, symbols)


def _apply_groups(table: Table, groups: ItemGroups) -> Publication:
    column = table.transactions
    if column is None or column.vocabulary != groups.vocabulary:
        msg = "the item groups must be of the items of the table's set-valued column, in the same order"
        raise InputError(msg)
    occurs, labels = column.occurrences > 0, column.vocabulary.labels
    shown = [members for members in groups.members if occurs[list(members)].any()]
    code_of_item = np.full(len(column.vocabulary), SUPPRESSED, np.int32)
    for code, members in enumerate(shown):
        code_of_item[list(members)] = code
    symbols = tuple(group_symbol(tuple(labels[item] for item in members)) for members in shown)
    published = generalize(column, code_of_item, symbols)
    return _of_all_records(table, published, symbols)


def _of_all_records(table: Table, published: SetColumn, symbols: tuple[Symbol, ...]) -> Publication:
    rows = np.arange(table.n, dtype=np.int64)
    return Publication(published, symbols, (), table.kept, rows, order=table.order, joined=table.joined)
