"""Hierarchies in memory: data frames and mappings."""

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from tests.facts import refused

import anonset
from anonset.errors import HierarchyError, InputError
from anonset.reading.hierarchies.objects import hierarchy_from

LABELS = ("any", "E", "E10", "E11", "I10")
ROWS = {"leaf": ["E10", "E11", "I10"], "parent": ["E", "E", "any"], "root": ["any", "any", None]}


@pytest.mark.parametrize(
    "given",
    [
        pd.DataFrame(ROWS),
        pl.DataFrame(ROWS),
        pl.LazyFrame(ROWS),
        pa.table(ROWS),
        {"E10": "E", "E11": "E", "I10": "any", "E": "any"},
        {"any": {"E": ["E10", "E11"], "I10": ()}},
        {"any": {"E": {"E10": [], "E11": []}, "I10": []}},
    ],
    ids=lambda given: type(given).__name__,
)
def test_hierarchies_in_memory_are_accepted(given):
    assert hierarchy_from("codes", given).labels == LABELS
    table = anonset.read({"codes": [["E10"], ["E11", "I10"], ["I10", "E10"], ["I10", "E10"]]}, items="codes")
    release = anonset.anonymize(table, anonset.Apriori(k=2, m=2), hierarchies={"codes": given})
    assert release.recoding.labels == ["E", "I10"]


def test_integers_are_labels():
    assert hierarchy_from("x", pd.DataFrame([[1, 5], [2, 5]], columns=["a", "b"])).labels == ("5", "1", "2")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (5, "hierarchy x file Hierarchy int"),
        ({}, "hierarchy x root 0"),
        ({"a": ["b"], "c": ["d"]}, "hierarchy x root 2"),
        ({"a": {"b": 5}}, "hierarchy x int node"),
        ({"a": {"b": [5.5, "c"]}}, "hierarchy x labels float"),
        ({"a": "b", "b": "a"}, "hierarchy x 'line 1' a"),
        ({"a": "b", "c": "d"}, "hierarchy x root b d"),
        (
            pd.DataFrame({"leaf": [], "root": []}),
            "hierarchy x empty leaf",
        ),
    ],
)
def test_objects_that_are_not_trees_are_rejected(given, message):
    with refused(HierarchyError, message):
        hierarchy_from("x", given)


def test_a_hierarchy_of_another_type_is_an_input_error():
    table = anonset.Table.from_sets([{"a"}, {"b"}])
    with refused(InputError, "hierarchy items file"):
        anonset.anonymize(table, anonset.Apriori(k=1, m=1), hierarchies={"items": 5})
