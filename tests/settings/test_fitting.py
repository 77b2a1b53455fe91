"""Dirty codes: normalization, codes missing from the hierarchy, and the report of both."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.facts import names, refused

import anonset
from anonset.data.hierarchies.code_fitting import inner_labels, misfits, with_unspecified
from anonset.data.table_facts import Change
from anonset.errors import HierarchyError, InputError
from anonset.reading.read import read
from anonset.settings.binding import bind_columns
from anonset.spelling import as_options, spelled_by

TREE = anonset.Hierarchy.from_tree(
    ("any", [("E", [("E10", ["E10.0", "E10.1"]), ("E11", ["E11.0", "E11.9"])]), ("I", ["I10", "I11"])])
)
ROWS = [["E10.0", "I10"], ["E10.05", "I10"], ["E11", "I10"], ["E11"], ["XX"], ["E11.9"]]


def fit(rows, tree=TREE, **options):
    table, trees = bind_columns(read(rows, **options), {"items": tree})
    return list(table.transactions.rows()), table.changes, trees["items"]


def refusal(rows, tree=TREE, **options):
    with spelled_by(as_options), pytest.raises(HierarchyError) as error:
        fit(rows, tree, **options)
    return str(error.value)


def test_all_misfits_are_reported_at_once_with_counts_and_remedies():
    assert names(refusal(ROWS), "items E11 2 E10.05 1 XX '--inner-items leaf' '--unknown suppress'")
    many = refusal([[f"x{n}"] for n in range(30)])
    assert sum(names(many, f"x{n}") for n in range(30)) == 20
    assert names(many, "10 'anonset hierarchy check'")


@pytest.mark.parametrize(
    ("rows", "way"),
    [
        ([["e10.0"], ["I10"]], "'--normalize upper'"),
        ([["I10."], ["I.11"]], "'--normalize strip-dots'"),
        ([["i1.0"], ["I11"]], "'--normalize upper,strip-dots'"),
        ([["I 10"]], "'--normalize strip-blanks'"),
        ([["E10.05"], ["I10x"]], "'--unknown prefix' '--unknown suppress'"),
        ([["e10.0"], ["XX"]], "'--normalize upper' 1 '--unknown suppress'"),
        ([["E"]], "'--inner-items leaf'"),
        ([["XX"]], "XX 1 '--unknown suppress'"),
    ],
)
def test_the_message_names_the_option_that_helps(rows, way):
    assert names(refusal(rows), way)


def test_the_first_remedy_of_missing_codes_suffices():
    rows = [["E10.5"], ["I10"]]
    with pytest.raises(HierarchyError) as error:
        fit(rows)
    assert fit(rows, **error.value.fixes[0].settings)[0] == [["E10:unspecified"], ["I10"]]


def test_unknown_items_are_suppressed_on_request():
    rows, changes, _ = fit(ROWS, unknown="suppress", inner_items="leaf")
    assert rows == [["E10.0", "I10"], ["I10"], ["E11:unspecified", "I10"], ["E11:unspecified"], [], ["E11.9"]]
    assert changes == (Change("items", "unknown suppress", 2, 2), Change("items", "inner-items leaf", 1, 2))


def test_unknown_items_are_replaced_by_the_longest_known_prefix():
    rows, changes, _ = fit([["E10.05", "E10.0"], ["I10x"], ["I11"]], unknown="prefix")
    assert rows == [["E10.0"], ["I10"], ["I11"]]
    assert changes == (Change("items", "unknown prefix", 2, 2),)
    assert not names(refusal([["E12"], ["anything"]], unknown="prefix", inner_items="leaf"), "E12")
    rows, _, _ = fit([["E12"]], unknown="prefix", inner_items="leaf")
    assert rows == [["E:unspecified"]]
    assert names(refusal([["anything"]], unknown="prefix", inner_items="leaf"), "anything leaf")


def test_every_inner_node_gets_a_leaf_even_if_absent():
    _, _, tree = fit([["I10"]], inner_items="leaf")
    leaves = {label for label in tree.leaves.labels if label.endswith(":unspecified")}
    assert leaves == {f"{label}:unspecified" for label in ("any", "E", "E10", "E11", "I")}


def test_collapsed_nodes_are_inner_nodes():
    tree = anonset.Hierarchy.from_tree(("any", [("E", [("E10", ["E10.0"])]), "I10"]))
    assert inner_labels(tree) == {"any", "E", "E10"}
    rows, _, extended = fit([["E10"], ["E"], ["E10.0"]], tree, inner_items="leaf")
    assert rows == [["E10:unspecified"], ["E:unspecified"], ["E10.0"]]
    node = extended.node_of["E10"]
    assert [extended.labels[child] for child in extended.children(node)] == ["E10.0", "E10:unspecified"]
    assert names(refusal([["E10"]], tree), "E10 leaf inner")


def trees():
    leaf = st.integers(0, 10**6).map(str)
    return st.recursive(leaf, lambda below: st.tuples(leaf, st.lists(below, min_size=1, max_size=3)), max_leaves=12)


@given(trees())
def test_with_unspecified_keeps_the_tree(tree):
    try:
        before = anonset.Hierarchy.from_tree(tree)
    except HierarchyError:
        return
    aliases = [label for label, _ in before.aliases]
    if len({*before.labels, *aliases}) < before.n_nodes + len(aliases):
        return
    after = with_unspecified(before)
    assert {*after.leaves.labels} == {*before.leaves.labels, *(f"{x}:unspecified" for x in inner_labels(before))}
    assert misfits(after, before.leaves.labels, [1] * before.n_leaves) == []
    for label in before.labels:
        above = [before.labels[v] for v in before.ancestors(before.node_of[label])]
        ancestors = [after.labels[v] for v in after.ancestors(after.node_of[label])]
        assert [x for x in ancestors if x in above] == above


def test_relational_values_follow_the_same_rules_but_cannot_be_suppressed():
    table = {"zip": ["101", "102", "1031", "104"]}
    tree = anonset.Hierarchy.from_tree(("*", [("10*", ["101", "102", "103"]), ("104", ["1041", "1042"])]))
    bound, _ = bind_columns(read(table, relational="zip", unknown="prefix", inner_items="leaf"), {"zip": tree})
    assert bound.relational[0].labels() == ["101", "102", "103", "104:unspecified"]
    with refused(HierarchyError, "hierarchy zip 1031 leaf"):
        bind_columns(read(table, relational="zip", unknown="suppress", inner_items="leaf"), {"zip": tree})


def test_joined_columns_are_fitted_to_their_own_hierarchies():
    table = read({"d": [["7"], ["70"]], "c": [["E10"], ["E10.0"]]}, items="d,c", unknown="prefix", inner_items="leaf")
    drugs = anonset.Hierarchy.from_tree(("D", ["7", "8"]))
    bound, trees = bind_columns(table, {"d": drugs, "c": TREE})
    assert list(bound.transactions.rows()) == [["d:7", "c:E10:unspecified"], ["d:7", "c:E10.0"]]
    assert [(change.column, change.rule) for change in bound.changes] == [
        ("d", "unknown prefix"),
        ("c", "inner-items leaf"),
    ]
    assert list(trees) == ["items"]


@pytest.mark.parametrize(
    ("options", "name"), [({"unknown": "suppress"}, "--unknown"), ({"inner_items": "leaf"}, "--inner-items")]
)
@pytest.mark.parametrize("hierarchies", [{}, {"items": "balanced:2"}])
def test_rules_without_a_hierarchy_are_refused(options, name, hierarchies):
    table = read([["a"], ["b"]], **options)
    with spelled_by(as_options), refused(InputError, f"{name} hierarchy"):
        bind_columns(table, hierarchies)


@pytest.mark.parametrize(
    ("rules", "before", "after"),
    [
        ("upper", "e10.0", "E10.0"),
        ("lower", "E10", "e10"),
        ("strip-dots", "E.10.0", "E100"),
        ("strip-hyphens", "2-3-1", "231"),
        ("strip-zeros", "0080", "80"),
        ("strip-zeros", "000", "0"),
        ("nfc", "e\u0301", "\u00e9"),
        ("strip-dots,upper", "e1.0", "E10"),
        (["upper", "strip-blanks"], "e 1\u00a00", "E10"),
    ],
)
def test_items_are_normalized(rules, before, after):
    assert list(read([{before, "x1"}], normalize=rules).transactions.rows()) == [
        sorted([after, "X1" if "upper" in rules else "x1"])
    ]


def test_normalization_is_counted_and_merges_equal_items(tmp_path):
    path = tmp_path / "v.csv"
    path.write_text("p,c\n1,e10 E10 i.10\n2,E10\n")
    table = read(path, items="c", unit="p", normalize="upper,strip-dots")
    assert list(table.transactions.rows()) == [["E10", "I10"], ["E10"]]
    assert table.changes == (Change("c", "upper", 2, 2), Change("c", "strip-dots", 1, 1))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"normalize": "uper"}, "--normalize uper"),
        ({"normalize": "strip-dots"}, "--normalize .. items"),
        ({"unknown": "ignore"}, "--unknown ignore"),
        ({"inner_items": "leaves"}, "--inner-items leaf leaves"),
    ],
)
def test_unknown_rules_are_rejected(options, message):
    with spelled_by(as_options), refused(InputError, message):
        read([[".."]], **options)


@pytest.mark.parametrize(("ages", "numeric"), [([19, 70, -3], True), (["019", "70", "3"], False)])
def test_ranges_of_integers_need_no_further_declaration(ages, numeric):
    rows = read({"age": ages, "codes": [["a"], ["b"], ["a"]]}, items="codes", relational="age", unit="row")
    if not numeric:
        with pytest.raises(InputError, match="the column contains text"):
            bind_columns(rows, {"age": "range"})
        return
    table, _ = bind_columns(rows, {"age": "range"})
    assert isinstance(table.relational[0], anonset.NumericColumn)
    assert list(table.relational[0].values) == ages
