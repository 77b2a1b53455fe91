"""Edits of a hierarchy by hand, against a twin that stores the set of leaves of each group."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effort import examples

from anonset.data import Hierarchy
from anonset.data.hierarchies.tree_edits import (
    delete_group,
    group_nodes,
    is_ordered,
    merge_groups,
    move_nodes,
    rename_node,
    split_group,
)
from anonset.errors import HierarchyError
from anonset.reading.hierarchies.files import read_hierarchy, write_hierarchy

Groups = dict[str, frozenset[str]]
"""Leaves of each group, by label. The twin of a hierarchy."""


def groups_of(tree: Hierarchy) -> Groups:
    return {tree.labels[v]: frozenset(tree.members(v)) for v in range(tree.n_nodes) if not tree.is_leaf[v]}


def without_vanished(groups: Groups, depths: dict[str, int]) -> Groups:
    """Remove groups with fewer than two leaves, and of groups with the same leaves all but the lowest."""
    lowest: dict[frozenset[str], str] = {}
    for label, leaves in sorted(groups.items(), key=lambda one: depths[one[0]]):
        if len(leaves) > 1:
            lowest[leaves] = label
    return {label: leaves for leaves, label in lowest.items()}


def depths_of(tree: Hierarchy) -> dict[str, int]:
    return dict(zip(tree.labels, map(float, tree.depth.tolist()), strict=True))


def moved_leaves(tree: Hierarchy, labels: list[str]) -> tuple[frozenset[str], set[str]]:
    """Return the leaves at and below the labels, and the groups among and below the labels."""
    nodes = [tree.node_of[label] for label in labels]
    leaves = frozenset(leaf for node in nodes for leaf in tree.members(node))
    inside = {tree.labels[v] for node in nodes for v in range(node, int(tree.subtree_end[node]))}
    return leaves, inside


def twin_of_move(tree: Hierarchy, labels: list[str], group: str) -> Groups:
    leaves, inside = moved_leaves(tree, labels)
    target = tree.node_of[group]
    above = {group, *(tree.labels[v] for v in tree.ancestors(target))}
    moved = {
        label: members if label in inside else members | leaves if label in above else members - leaves
        for label, members in groups_of(tree).items()
    }
    depths = depths_of(tree)
    return without_vanished(moved, {label: depths[label] + 1000 * (label in inside) for label in moved})


def twin_of_group(tree: Hierarchy, labels: list[str], name: str) -> Groups:
    leaves, inside = moved_leaves(tree, labels)
    above = {label for label, members in groups_of(tree).items() if leaves <= members and label not in inside}
    made = {
        label: members if label in inside or label in above else members - leaves
        for label, members in groups_of(tree).items()
    }
    depths = depths_of(tree)
    order = {label: depths[label] + 1000 * (label in inside) for label in made}
    return without_vanished({**made, name: leaves}, {**order, name: 999})


def twin_of_deletion(tree: Hierarchy, group: str) -> Groups:
    groups = groups_of(tree)
    root = tree.labels[0]
    kept = {root: groups[root]} if group == root else {label: one for label, one in groups.items() if label != group}
    return without_vanished(kept, depths_of(tree))


trees = st.recursive(
    st.none(), lambda below: st.lists(below, min_size=1, max_size=4), max_leaves=14
).filter(lambda tree: tree is not None).map(lambda shape: numbered(shape))  # fmt: skip


def numbered(shape: object) -> Hierarchy:
    count = [0, 0]

    def build(node: object) -> object:
        if node is None:
            count[0] += 1
            return f"{count[0]}"
        count[1] += 1
        label = f"G{count[1]}"
        return label, [build(child) for child in node]  # type: ignore[attr-defined]

    return Hierarchy.from_tree(build(shape))  # type: ignore[arg-type]


def edited(tree: Hierarchy, data: st.DataObject, number: int) -> tuple[Hierarchy, Groups] | None:
    """Return a hierarchy after a random edit, and its twin. None if the edit is refused."""
    labels = data.draw(st.lists(st.sampled_from(tree.labels), min_size=1, max_size=4))
    group = data.draw(st.sampled_from(tree.labels))
    kind = data.draw(st.sampled_from(["move", "group", "delete", "rename"]))
    try:
        if kind == "move":
            return move_nodes(tree, labels, group), twin_of_move(tree, labels, group)
        if kind == "group":
            return group_nodes(tree, labels, f"new {number}"), twin_of_group(tree, labels, f"new {number}")
        if kind == "delete":
            return delete_group(tree, group), twin_of_deletion(tree, group)
        twin = {f"new {number}" if label == group else label: leaves for label, leaves in groups_of(tree).items()}
        return rename_node(tree, group, f"new {number}"), twin
    except HierarchyError:
        return None


@settings(max_examples=examples(400))
@given(tree=trees, data=st.data())
def test_random_edits_equal_the_twin_and_can_be_stored(
    tree: Hierarchy, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    leaves = sorted(tree.leaves.labels)
    file = tmp_path_factory.mktemp("tree") / "tree.csv"
    for number in range(6):
        before = (tree.labels, tree.parent.tolist(), tree.column_depth.tolist())
        made = edited(tree, data, number)
        assert (tree.labels, tree.parent.tolist(), tree.column_depth.tolist()) == before
        if made is None:
            continue
        tree, twin = made
        assert groups_of(tree) == twin
        assert sorted(tree.leaves.labels) == leaves
        read = read_hierarchy(write_hierarchy(tree, file))
        assert (read.labels, read.parent.tolist()) == (tree.labels, tree.parent.tolist())
        assert read.column_depth.tolist() == tree.column_depth.tolist()


NUMBERS = Hierarchy.from_tree(
    ("*", [("[0:18)", ["5", "9", "17"]), ("[18:65)", ["18", "40", "41"]), ("[65:)", ["70", "100"])])
)
DATES = Hierarchy.from_tree(("*", [("2023", ["2023-02-01", "2023-09-30"]), ("2024", ["2024-01-05", "2024-12-01"])]))
CODES = Hierarchy.from_tree(("all", [("E", ["E10", "E11"]), ("I", [("I1", ["I10", "I11"]), "I20"]), "J20"]))


@given(bound=st.integers(0, 110))
def test_a_bound_splits_the_numbers_of_a_flat_range(bound: int) -> None:
    values = [int(label) for label in NUMBERS.leaves.labels]
    flat = delete_group(NUMBERS, "*")
    below, others = [n for n in values if n < bound], [n for n in values if n >= bound]
    if not below or not others:
        with pytest.raises(HierarchyError, match="all values"):
            split_group(flat, "*", f"{bound}")
        return
    made = groups_of(split_group(flat, "*", f"{bound}"))
    expected = {f"[:{bound})": below, f"[{bound}:)": others}
    named = {label: frozenset(map(str, part)) for label, part in expected.items() if len(part) > 1}
    assert made == {"*": frozenset(map(str, values)), **named}


def test_split_and_merged_ranges() -> None:
    split = split_group(NUMBERS, "[18:65)", "41")
    assert split.labels == ("*", "[0:18)", "5", "9", "17", "[18:41)", "18", "40", "41", "[65:)", "70", "100")
    merged = merge_groups(NUMBERS, "[18:65)", "[65:)")
    assert merged.labels == ("*", "[0:18)", "5", "9", "17", "[18:)", "18", "40", "41", "70", "100")
    again = split_group(merged, "[18:)", "65")
    assert (again.labels, again.parent.tolist()) == (NUMBERS.labels, NUMBERS.parent.tolist())
    assert merge_groups(DATES, "2023", "2024").labels == ("*", *DATES.leaves.labels)
    dates = split_group(delete_group(DATES, "*"), "*", "2024-01-01")
    assert dates.labels == (
        "*",
        "before 2024-01-01",
        *DATES.leaves.labels[:2],
        "from 2024-01-01",
        *DATES.leaves.labels[2:],
    )


def test_only_groups_of_numbers_or_dates_are_ordered() -> None:
    assert [is_ordered(tree, 0) for tree in (NUMBERS, DATES, CODES)] == [True, True, False]


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda: rename_node(CODES, "E", "I"), "already a label"),
        (lambda: rename_node(CODES, "E", "E10"), "already a label"),
        (lambda: rename_node(CODES, "E10", "x"), "keeps its name"),
        (lambda: rename_node(CODES, "E", " x"), "without blanks"),
        (lambda: move_nodes(CODES, ["I"], "I1"), "which is a part of it"),
        (lambda: move_nodes(CODES, ["E10"], "E"), "already in the group"),
        (lambda: move_nodes(CODES, ["E10"], "I10"), "keeps its name"),
        (lambda: move_nodes(CODES, ["all"], "E"), "contains all values"),
        (lambda: move_nodes(CODES, ["E12"], "E"), "is not a node"),
        (lambda: group_nodes(CODES, ["E10", "I10"], "E"), "already a label"),
        (lambda: group_nodes(CODES, ["E10", "I10"], "J20"), "already a label"),
        (lambda: group_nodes(CODES, ["E10"], "new"), "at least two"),
        (lambda: group_nodes(CODES, ["I", "I10"], "new"), "at least two"),
        (lambda: group_nodes(CODES, ["E10", "E11"], "new"), "already contains exactly"),
        (lambda: group_nodes(CODES, ["E", "I", "J20"], "new"), "already contains exactly"),
        (lambda: delete_group(CODES, "E10"), "keeps its name"),
        (lambda: delete_group(Hierarchy.from_tree(("all", ["a", "b"])), "all"), "contains all values"),
        (lambda: split_group(CODES, "E", "E11"), "no bound splits it"),
        (lambda: split_group(NUMBERS, "*", "x"), "must be a number"),
        (lambda: split_group(NUMBERS, "*", "nan"), "must be a number"),
        (lambda: split_group(NUMBERS, "*", "40"), "is inside of the group"),
        (lambda: split_group(NUMBERS, "[0:18)", "0"), "at or above"),
        (lambda: split_group(NUMBERS, "[0:18)", "18"), "are below"),
        (lambda: split_group(DATES, "2023", "2023"), "must be a date"),
        (lambda: split_group(DATES, "2023", "2024-01-01"), "are below"),
        (lambda: merge_groups(NUMBERS, "[0:18)", "[65:)"), "not neighbours"),
        (lambda: merge_groups(CODES, "I", "J20"), "keeps its name"),
        (lambda: merge_groups(CODES, "E", "I1"), "not neighbours"),
    ],
)
def test_refused_edits_give_the_reason(edit: object, message: str) -> None:
    with pytest.raises(HierarchyError, match=message):
        edit()  # type: ignore[operator]


def test_a_moved_leaf_stays_in_its_column_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "tree.csv").write_text("E10,E1,E,all\nE11,E1,E,all\nE12,E1,E,all\nI10,I1,I,all\nI20,I2,I,all\n")
    tree = move_nodes(read_hierarchy(tmp_path / "tree.csv"), ["E12"], "I")
    write_hierarchy(tree, tmp_path / "moved.csv")
    lines = ["E10,E1,E1,all", "E11,E1,E1,all", "E12,I,I,all", "I10,I,all", "I20,I,all"]
    assert sorted((tmp_path / "moved.csv").read_text().splitlines()) == lines
