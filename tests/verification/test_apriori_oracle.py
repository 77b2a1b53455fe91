"""An independent Apriori implementation counts the same supports, of original records and of AA's output."""

from collections.abc import Iterable
from typing import Any

import pytest

import anonset
from anonset.data import Hierarchy, SetColumn
from anonset.support import SupportIndex
from anonset_datasets import catalogue
from anonset_datasets.generators import generate, shop_hierarchy

oracle = pytest.importorskip("efficient_apriori", reason="pip install --no-deps efficient-apriori")
Supports = dict[int, dict[tuple[str, ...], int]]


def supports(rows: Iterable[Iterable[str]], least: int, longest: int) -> Supports:
    """Return supports of at least `least` for itemsets of up to `longest` items, by size and sorted itemset."""
    records = [tuple(sorted(set(row))) for row in rows]
    share = (least - 0.5) / len(records)  # halfway between two counts, so that rounding has no effect
    itemsets, _ = oracle.itemsets_from_transactions([row for row in records if row], share, longest)
    return {size: {tuple(sorted(itemset)): n for itemset, n in sets.items()} for size, sets in itemsets.items() if sets}


def items_of(table: Any) -> SetColumn:
    column = table.transactions
    assert isinstance(column, SetColumn)
    return column


def test_supports_of_records() -> None:
    column = items_of(generate("shop", n=400))
    index, counted = SupportIndex(column), supports(column.rows(), 1, 3)
    assert sum(map(len, counted.values())) > 1_000
    for counts in counted.values():
        assert {itemset: index.support_of(itemset) for itemset in counts} == counts


@pytest.mark.parametrize(("k", "m"), [(3, 1), (5, 2), (8, 3)])
def test_publications_of_aa_have_no_rare_itemset(k: int, m: int) -> None:
    table = generate("shop", n=600)
    before = supports(items_of(table).rows(), 1, m)
    assert min(min(counts.values()) for counts in before.values()) < k  # the input is not k^m-anonymous
    release = anonset.anonymize(table, anonset.Apriori(k=k, m=m), hierarchies={"items": shop_hierarchy()})
    published = release.publication.transactions
    assert published is not None
    counted = supports(published.rows(), 1, m)
    assert min(min(counts.values()) for counts in counted.values()) >= k
    verdict = anonset.verify(release.publication, anonset.KmAnonymity(k, m))
    assert verdict.holds is True
    assert verdict.checked["distinct_itemsets"] == {size: len(counts) for size, counts in counted.items()}


@pytest.mark.data
def test_supports_of_real_baskets() -> None:
    column = items_of(catalogue.load("groceries"))
    index, counted = SupportIndex(column), supports(column.rows(), 50, 3)
    assert {size: len(found) for size, found in counted.items()}.keys() == {1, 2, 3}
    for found in counted.values():
        assert {itemset: index.support_of(itemset) for itemset in found} == found
    bound = Hierarchy.balanced(column.vocabulary.labels, 5).bind(column)
    smallest = min(supports(bound.rows(), 1, 1)[1].values())
    witness = anonset.verify(anonset.Table(bound), anonset.KmAnonymity(smallest + 1, 1)).witness
    assert witness is not None
    assert witness.support == smallest
