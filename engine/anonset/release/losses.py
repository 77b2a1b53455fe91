"""Losses of a publication, and the decision whether the publication is worthless.

The first measure is the main loss, which ``--max-loss`` limits. The main loss is the NCP of the items if only items are
recoded, the relational loss (Rum) if there are quasi-identifiers, and the grouping loss for buckets. A publication is
worthless if each protected column contains only a single symbol. A publication is rejected if its main loss is above
the limit, or if it contains a symbol above a ceiling.
"""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from anonset.algorithms.base import Algorithm, Result, Traits, traits_of
from anonset.algorithms.registry import ALGORITHMS, with_traits
from anonset.data import CategoricalColumn, Hierarchy, NumericColumn, SetColumn, Table
from anonset.data.array_types import Int64
from anonset.data.distinct import distinct
from anonset.data.joining import columns_of
from anonset.data.quasi_identifiers import QuasiIdentifiers
from anonset.data.redacted_repr import names_shown
from anonset.data.spans import spans
from anonset.data.storage.store import Store
from anonset.errors import InfeasibleError, InputError, require_finite
from anonset.generalization import Cut, ItemGroups, PerCluster
from anonset.measures.losses.item_weights import ItemWeights
from anonset.measures.losses.record_utility_loss import record_utility_loss
from anonset.measures.losses.relational_ncp import relational_ncp
from anonset.measures.losses.utility_loss import Supports, group_weights, utility_loss
from anonset.measures.retention import lm_of_sizes, ncp_of_sizes, occurrences_by_size
from anonset.privacy import PrivacyModel
from anonset.publications import Published, Records
from anonset.release.published_values import published_relational_loss
from anonset.release.symbols import leave_out, spell_out
from anonset.spelling import setting

LOSSES = {
    "ncp": "NCP of the items",
    "rum": "NCP of the relational values (Rum)",
    "tum": "utility loss of the items, per record (Tum)",
    "grouping_loss": "share of tuples with a hidden identity, or removed",
    "removed_for_diversity": "share of tuples removed for diversity",
    "diversity_loss": "share of tuples beyond 1/l of their group, including removed tuples in the group size",
    "not_in_chunks": "share of item occurrences that are terms or suppressed",
    "ul": "utility loss (UL) of the items",
    "log2_ul": "binary logarithm of UL",
    "lm": "loss metric (LM) of the items",
}
"""Description of each measure."""


def measures_of(
    table: Table,
    hierarchies: Mapping[str, Hierarchy],
    algorithm: Algorithm,
    result: Result,
    publication: Records,
) -> dict[str, float]:
    """Return the losses of published records, the main loss first. The logarithm of a zero loss is omitted.

    Raises
    ------
    InputError
        If there is no loss to measure.
    AnonsetError
        If a loss is not finite.
    """
    recoding: Any = result.recoding
    measures: dict[str, float] = {}
    if table.relational and isinstance(recoding, PerCluster):
        measures["rum"] = _relational_loss(table, hierarchies, algorithm, recoding, publication)
    if table.transactions is not None:
        if measures:
            measures["tum"] = record_utility_loss(leave_out(publication, algorithm.model.beside))
        column, weights = table.transactions, getattr(algorithm, "item_weights", None)
        tree = recoding.hierarchy if isinstance(recoding, Cut) else hierarchies.get(column.name)
        groups = recoding if isinstance(recoding, (Cut, ItemGroups)) else None
        by_size = occurrences_by_size(column, recoding)
        measures |= item_losses(column, by_size, groups, weights, tree, table.store, supports_of(publication))
    if not measures:
        raise InputError(f"a recoding of type {type(recoding).__name__} has no measures")
    require_finite(measures, "measures")  # NaN would pass every limit
    return measures


def _relational_loss(
    table: Table, hierarchies: Mapping[str, Hierarchy], algorithm: Algorithm, recoding: PerCluster, publication: Any
) -> float:
    """Return the loss of the published relational values. It is computed from the clusters if the algorithm has the
    trait `tight` and ranges are not rounded, and from the published labels in all other cases.
    """
    weights = getattr(algorithm, "relational_weights", None)
    rounded = any(isinstance(column, NumericColumn) and column.grid is not None for column in table.relational)
    if rounded or not traits_of(algorithm).tight or recoding.parts is not None:
        values = spell_out(publication.relational, publication.value_sets)
        return published_relational_loss(table, values, hierarchies, weights)
    return relational_ncp(QuasiIdentifiers.of(table.relational, hierarchies, weights), recoding.cluster)


def supports_of(publication: Records) -> Supports | None:
    """Return the number of rows that contain each symbol, by its members."""
    if publication.transactions is None:
        return None
    occurrences = publication.transactions.occurrences.tolist()
    return {frozenset(symbol.members): n for symbol, n in zip(publication.symbols, occurrences, strict=True)}


def item_losses(
    column: SetColumn,
    by_size: Int64,
    groups: Cut | ItemGroups | None,
    weights: str | ItemWeights | None,
    tree: Hierarchy | None,
    store: Store,
    supports: Supports | None = None,
) -> dict[str, float]:
    """Return the losses of the original items: NCP and LM, given the number of occurrences by symbol size, int64
    (M + 1,). For a global recoding, also return UL, given its groups, weights and hierarchy, and the supports
    of the groups, if known. The logarithm of a zero loss is omitted.
    """
    losses = {"ncp": float(ncp_of_sizes(by_size)), "lm": float(lm_of_sizes(by_size))}
    if groups is not None and column.n:
        loss = utility_loss(
            column, groups, group_weights(weights, column.vocabulary, tree), store=store, supports=supports
        )
        losses |= {"ul": loss.value} | ({"log2_ul": loss.log2} if loss.log2 > float("-inf") else {})
    return losses


_WITH_HIERARCHIES = frozenset({"km", "partition-km", "lm", "transaction-k", "k", "kkm", "klm"})
_FEW = 3


def refuse_worthless(algorithm: Algorithm, result: Result, problem: str) -> str:
    """Return the message that rejects a worthless publication. It recommends alternatives with the same parameters of
    the model.
    """
    name, model = algorithm.name, algorithm.model.name

    def keeps_more(traits: Traits) -> bool:
        return traits.keeps_more and model in (traits.answers if traits.not_tried else traits.models)

    may_suppress = getattr(algorithm, "suppress", True) is not False
    ways = [_least_loss_settings(other) for other in with_traits(keeps_more) if other != name or not may_suppress]
    if name == "rum-bound" and result.figures.get("merges", 0) > 0:
        ways.append("a smaller delta, which merges fewer clusters,")
    if result.figures.get("raised", 0) > 0:
        ways.insert(0, f"continuing the earlier release with {setting('recoding')}")
    ways += ["hierarchies with fewer children per node"] if model in _WITH_HIERARCHIES else []
    more = f"under the same parameters of {model}, {' or '.join(ways)} may lose less; " if ways else ""
    return f"the publication would be worthless: {problem}; {more}{setting('accept', 'worthless')} publishes it anyway"


def _least_loss_settings(name: str) -> str:
    cls: Any = ALGORITHMS[name]
    if any(parameter.name == "suppress" for parameter in fields(cls)):
        return f"{name} with {setting('suppress', True)}"
    return name


def why_worthless(model: PrivacyModel, table: Table, publication: Records) -> str:
    """Return why a publication of records is worthless, or an empty text if it is useful.

    A publication is worthless if no protected column contains a symbol. It is also worthless if each protected column
    contains at most one symbol, although a column of the original has several labels. Kept columns do not count.
    """
    counts = labels_before_and_after(model, table, publication)
    before, after = [old for old, _ in counts.values()], [new for _, new in counts.values()]
    if max(after, default=0) > 1 or max(before, default=0) < (2 if any(after) else 1):
        return ""
    shown = "one symbol" if any(after) else "nothing"
    before_texts = ", ".join(f"{name!r} had {old:,}" for name, (old, _) in list(counts.items())[:_FEW])
    return (
        f"every protected column shows {shown} ({before_texts}{', …' if len(counts) > _FEW else ''} different labels)"
    )


def nothing_left(model: PrivacyModel, table: Table, publication: Records) -> tuple[str, ...]:
    """Return a warning if the items or the relational values retain no information, although other columns do.

    Sensitive items, which are published unchanged, do not count. There is no warning if any other item is published
    unchanged.
    """
    secrets = frozenset(model.secrets)
    counts = labels_before_and_after(model, table, publication, secrets)
    single = {symbol.members[0] for symbol in publication.symbols if len(symbol.members) == 1}
    warnings = []
    for names in (() if single - secrets else table.item_columns, tuple(column.name for column in table.relational)):
        side = [counts[name] for name in names if name in counts]
        if any(before > 1 for before, _ in side) and all(after <= 1 for _, after in side):
            readable = single and names == table.item_columns
            left = " except sensitive items, which can be read: all other" if readable else ": all"
            warnings.append(
                f"{names_shown(names)} retains no information{left} values are a single symbol or suppressed"
            )
    return tuple(warnings)


def labels_before_and_after(
    model: PrivacyModel, table: Table, publication: Records, without: frozenset[str] = frozenset()
) -> dict[str, tuple[int, int]]:
    """Count the labels in each protected column of the original, and the symbols in the published column.

    Parameters
    ----------
    without
        Items that are not counted. Symbols that contain only such items are not counted.
    """
    counts: dict[str, tuple[int, int]] = {}
    items, published = table.transactions, publication.transactions
    if "items" in model.protects and items is not None and published is not None:
        members = [symbol.members for symbol in publication.symbols]
        before = _names(items, [(label,) for label in items.vocabulary.labels], table.joined, without)
        after = _names(published, members, table.joined, without)
        counts = {name: (before.count(name), after.count(name)) for name in table.item_columns}
    if "relational" in model.protects:
        shown = {column.name: distinct_values(column) for column in publication.relational}
        counts |= {column.name: (distinct_values(column), shown[column.name]) for column in table.relational}
    return counts


def _names(
    column: SetColumn, members: list[tuple[str, ...]], joined: tuple[str, ...], without: frozenset[str]
) -> list[str]:
    """Return the column name of each label that occurs in rows. For joined columns, return the column name of each
    member. Labels that only contain items of `without` are omitted.
    """
    columns, known = [], dict.fromkeys(joined)
    for code in np.flatnonzero(column.occurrences).tolist():
        if any(item not in without for item in members[code]):
            columns += columns_of(known, members[code]) if joined else [column.name]
    return columns


def require_loss(algorithm: Algorithm, measures: Mapping[str, float], max_loss: float | None) -> None:
    """Reject a main loss above the limit. The main loss is the first measure.

    Raises
    ------
    InfeasibleError
        If the loss exceeds the limit.
    """
    name, loss = next(iter(measures.items()))
    if max_loss is not None and not loss <= max_loss + 1e-12:
        reason = (
            f"the loss ({name.upper()}) is {loss:.6g}, above the maximum {max_loss:.6g}; "
            "another algorithm, or hierarchies with fewer children per node, may lose less"
        )
        raise InfeasibleError(algorithm.name, reason, achieved=loss, bound=max_loss)


def require_under_ceilings(
    algorithm: Algorithm,
    result: Result,
    publication: Published,
    hierarchies: Mapping[str, Hierarchy],
    *,
    of_tables: bool,
) -> None:
    """Reject a result that publishes records with a symbol above a ceiling. Suppressed records, whose relational values
    are all the root, are accepted. If `of_tables`, the only limit is that items of different tables share no symbol.

    Raises
    ------
    InfeasibleError
        The message names the column.
    """
    if not any(hierarchy.capped for hierarchy in hierarchies.values()):
        return
    column = next(publication.above_ceilings(hierarchies), None)
    if column is None:
        return
    proven = isinstance(result.recoding, Cut) and result.figures.get("gap") == 0
    reason = "no solution exists" if proven else "the search finds no solution"
    limit = f"no value of column {column!r} may be above its ceiling"
    limit = "items of different tables cannot share a symbol" if of_tables else limit
    ways = f"use {'' if of_tables else 'a higher ceiling, '}a smaller k, or {setting('suppress', True)} with exact"
    raise InfeasibleError(algorithm.name, f"{limit}, and {reason}; {ways}")


def distinct_values(column: CategoricalColumn | NumericColumn) -> int:
    """Count the distinct values of a column."""
    if isinstance(column, CategoricalColumn):
        return int(np.count_nonzero(column.occurrences))
    values = np.empty(0, np.float64)  # integers above 53 bits are rejected
    for rows in spans(column.n):
        values = distinct(np.concatenate([values, distinct(column.values[slice(*rows)].astype(np.float64))]))
    return len(values)
