"""Hierarchies by rule, by frequency, and from files of Amnesia."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.facts import names, refused

from anonset.data import Hierarchy, Vocabulary
from anonset.data.hierarchies.hierarchy_rules import balanced_by_frequency, coarser, hierarchy_by_rule, is_coarser
from anonset.errors import HierarchyError
from anonset.reading.hierarchies.files import read_hierarchy
from anonset.reading.hierarchies.specs import hierarchy_for


def nested(hierarchy: Hierarchy, node: int = 0):
    children = [nested(hierarchy, child) for child in hierarchy.children(node)]
    return (hierarchy.labels[node], children) if children else hierarchy.labels[node]


@pytest.mark.parametrize(
    ("spec", "labels", "tree"),
    [
        ("prefix:1,3", ["E10", "E110", "E119", "I10"], ("*", [("E*", ["E10", ("E11*", ["E110", "E119"])]), "I10"])),
        ("prefix:3,1", ["250", "2501", "29"], ("2*", [("250*", ["250", "2501"]), "29"])),
        ("prefix:1", ["a1", "b1"], ("*", ["a1", "b1"])),
        ("mask:3,1", ["47602", "47677", "48000", "4799", "13053"],
         ("*", [("4****", [("476**", ["47602", "47677"]), "48000"]), "4799", "13053"])),
        ("bins:0,18,65", ["0", "17", "18", "64.5", "65", "99"],
         ("*", [("[0:18)", ["0", "17"]), ("[18:65)", ["18", "64.5"]), ("[65:)", ["65", "99"])])),
        ("bins:width=5,20", ["-1", "0", "4", "5", "21"],
         ("*", ["-1", ("[0:20)", [("[0:5)", ["0", "4"]), "5"]), "21"])),
        ("bins:width=0.1,0.5", ["0.1", "0.19", "0.3"], ("[0:0.5)", [("[0.1:0.2)", ["0.1", "0.19"]), "0.3"])),
        ("date:month,year", ["2024-02-29", "2024-02-01", "2024-12-31", "2025-01-01"],
         ("*", [("2024", [("2024-02", ["2024-02-29", "2024-02-01"]), "2024-12-31"]), "2025-01-01"])),
        ("date:%d.%m.%Y:quarter,decade,century", ["31.12.1999", "01.10.1999", "01.01.1990", "01.01.2000"],
         ("*", [("1990s", [("1999-Q4", ["31.12.1999", "01.10.1999"]), "01.01.1990"]), "01.01.2000"])),
    ],
)  # fmt: skip
def test_rules_build_the_expected_tree(spec, labels, tree):
    hierarchy = hierarchy_for(spec, Vocabulary(tuple(labels)), "c")
    assert nested(hierarchy) == tree
    assert not hierarchy.from_data


@pytest.mark.parametrize("spec", ["prefix:1", "mask:1", "bins:0", "date:year", "balanced:2:frequency"])
def test_a_rule_without_labels_makes_a_root(spec):
    assert hierarchy_for(spec, Vocabulary(()), "c", np.zeros(0, np.int64)).n_nodes == 1


@pytest.mark.parametrize(
    ("spec", "label", "said"),
    [
        ("prefix:", "a", "prefix lengths 1"),
        ("prefix:0,1", "a", "prefix lengths 1"),
        ("mask:1,1", "a", "mask characters"),
        ("bins:5,1", "1", "bins edges"),
        ("bins:0,x", "1", "bins numbers"),
        ("bins:0,5", "x", "numbers x"),
        ("bins:0,5", "-1", "values 0 -1"),
        ("bins:width=0", "1", "bins widths 0"),
        ("bins:width=5,12", "1", "bins width multiple"),
        ("date:week", "2024-01-01", "date levels month week"),
        ("date:month,from-year", "2024-01-01", "date levels month"),
        ("date:from-year,month", "2024-01-01", "levels order"),
        ("date:year,month", "2024-01-01", "levels order"),
        ("date:year", "01.02.2024", "YYYY-MM-DD date:%d.%m.%Y:year"),
        ("balanced:2:size", "a", "balanced:2 :frequency"),
        ("balanced:2:frequency", "a", "balanced:2:frequency data"),
        ("mask:1", "4*", None),
    ],
)
def test_values_that_do_not_fit_a_rule_are_rejected_in_one_line(spec, label, said):
    labels = (label,) if said else (label, "4a", "4b")
    said = said or "label 4*"
    with refused(HierarchyError, said) as raised:
        hierarchy_for(spec, Vocabulary(labels), "c")
    assert names(str(raised.value), "hierarchy c")
    assert "\n" not in str(raised.value)


@given(st.lists(st.integers(1, 50), min_size=1, max_size=30), st.integers(2, 5))
def test_by_frequency_joins_neighbours_in_frequency_and_numbers_by_label(occurrences, fanout):
    labels = [f"i{n:02d}" for n in range(len(occurrences))]
    hierarchy = balanced_by_frequency(labels, np.array(occurrences), fanout)
    assert hierarchy.from_data
    assert sorted(hierarchy.leaves.labels) == labels
    frequency = dict(zip(labels, occurrences, strict=True))
    leaves, spans = hierarchy.leaves.labels, []
    for node in np.flatnonzero(~hierarchy.is_leaf).tolist():
        firsts = [min(leaves[hierarchy.leaf_lo[c] : hierarchy.leaf_hi[c]]) for c in hierarchy.children(node)]
        assert firsts == sorted(firsts)
        counts = [frequency[x] for x in leaves[hierarchy.leaf_lo[node] : hierarchy.leaf_hi[node]]]
        level, number = hierarchy.labels[node].split("_")
        spans.append((level, firsts[0], int(number), min(counts), max(counts)))
    for level in {span[0] for span in spans}:
        of_level = sorted(span[1:] for span in spans if span[0] == level)
        assert [number for _, number, *_ in of_level] == sorted(number for _, number, *_ in of_level)
        assert all(first[1] <= other[0] for first, other in pairwise(sorted(span[2:] for span in of_level)))


DISTINCT = "distinct\nname codes\ntype string\nheight 3\n\nE has E10 E11 \nI has I10\n\nAny has E I \n\n"
NUMBERS = (
    "range\nname age\ntype int\nheight 3\n\n0.0,18.0 has 0.0,9.0 9.0,18.0 \n\n0.0,65.0 has 0.0,18.0 18.0,65.0 \n\n"
)
DATES = "range\nname day\ntype date\nheight 2\n\n2010,2011 has 1/2010,12/2010 1/2011,12/2011 null,null \n\n"


def test_distinct_files_of_amnesia(tmp_path):
    path = tmp_path / "h.txt"
    path.write_text(DISTINCT)
    assert nested(read_hierarchy(path)) == ("Any", [("E", ["E10", "E11"]), "I10"])


@pytest.mark.parametrize(
    ("text", "labels", "tree"),
    [
        (NUMBERS, ["0", "9", "17", "18", "65"],
         ("[0:65]", [("[0:18)", ["0", ("[9:18)", ["9", "17"])]), ("[18:65]", ["18", "65"])])),
        (DATES, ["2010-12-31", "1/1/2010", "2011-01-01", "31/12/2011"],
         ("[2010:2011]", [("[1/2010:12/2010]", ["2010-12-31", "1/1/2010"]),
                          ("[1/2011:12/2011]", ["2011-01-01", "31/12/2011"])])),
    ],
)  # fmt: skip
def test_range_files_of_amnesia_use_the_values_as_leaves(tmp_path, text, labels, tree):
    path = tmp_path / "h.txt"
    path.write_text(text)
    assert nested(hierarchy_for(path, Vocabulary(tuple(labels)), "c")) == tree
    with refused(HierarchyError, "values column"):
        read_hierarchy(path)


@pytest.mark.parametrize(
    ("text", "label", "said"),
    [
        (NUMBERS, "66", "interval 66"),
        (NUMBERS, "x", "numbers x"),
        (DATES, "2012-01-01", "h.txt interval"),
        (DATES, "yesterday", "dates"),
        (NUMBERS.replace("9.0,18.0 \n", "9;18 \n"), "1", "intervals 9;18"),
        (NUMBERS.replace(" has ", " holds "), "1", "'line 6' node has child"),
        (NUMBERS.replace("0.0,65.0 has", "1.0,65.0 has 0.0,9.0"), "1", "label 0.0,9.0"),
        (NUMBERS.replace("0.0,65.0 has 0.0,18.0", "0.0,65.0 has"), "1", "root 2"),
    ],
)
def test_faults_of_range_files_are_reported_in_one_line(tmp_path, text, label, said):
    path = tmp_path / "h.txt"
    path.write_text(text)
    with refused(HierarchyError, said):
        hierarchy_for(path, Vocabulary((label,)), "c")


@pytest.mark.parametrize("level", ["month", "quarter", "year", "decade", "century"])
def test_coarser_labels_become_leaves_below_their_nodes(level):
    days = [
        f"{year}-{month:02d}-{day:02d}" for year in (1899, 1950, 1999, 2000) for month in (1, 6, 12) for day in (1, 28)
    ]
    order = ["month", "quarter", "year", "decade", "century"]
    levels = ",".join(order[order.index(level) :])
    plain, spec = f"date:{levels}", f"date:from-{levels}"
    above = hierarchy_by_rule(plain, Vocabulary.of(days), "x")
    made = coarser(spec, [*days, ""], "x")
    assert made == {day: above.labels[above.parent[above.node_of[day]]] for day in days}
    leaves = Vocabulary.of(made.values())
    assert coarser(spec, leaves.labels, "x") == {}  # a second call changes no label
    fitted = hierarchy_by_rule(spec, leaves, "x")
    for leaf in leaves.labels:
        position, expected = fitted.parent[fitted.node_of[leaf]], above.parent[above.node_of[leaf]]
        assert fitted.labels[position] == above.labels[expected]
    assert not {*fitted.labels} & {*days}
    assert (is_coarser(spec), is_coarser(plain), coarser(plain, days, "x")) == (True, False, {})
