from pathlib import Path

import numpy as np
from tests.facts import refused

from anonset.data import Hierarchy, SetColumn
from anonset.errors import InputError
from anonset.generalization import Cut, ItemGroups, PerCluster
from anonset.publications import Symbol
from anonset.writing.codebook import write_local_mapping

TREE = Hierarchy.from_tree(("ALL", [("A", ["a1", "a2"]), ("B", ["b1", "b2"])]))
COLUMN = SetColumn.of([["a1", "b1"], ["a2"], []], universe=TREE.leaves.labels)


def test_a_line_for_each_item_that_occurs_in_a_cluster(tmp_path: Path) -> None:
    node = TREE.node_of
    cuts = (Cut(TREE, np.array([node["A"], node["A"], -1, node["b2"]], np.int32)), Cut.identity(TREE))
    recoding = PerCluster(np.array([0, 1, 1], np.int32), cuts)
    path = write_local_mapping(recoding, COLUMN, tmp_path / "mapping.csv")
    assert path.read_text() == "cluster,item,published\n0,a1,A\n0,b1,\n1,a2,a2\n"


def test_groups_by_their_members_or_their_codes(tmp_path: Path) -> None:
    groups = ItemGroups(TREE.leaves, np.array([0, 0, 0, -1], np.int32))
    recoding = PerCluster(np.array([0, 0, 0], np.int32), (groups,))
    path = write_local_mapping(recoding, COLUMN, tmp_path / "1.csv")
    assert path.read_text().splitlines()[1:] == ['0,a1,"(a1,a2,b1)"', '0,a2,"(a1,a2,b1)"', '0,b1,"(a1,a2,b1)"']
    book = [Symbol("G1", "group", ("a1", "a2", "b1"))]
    path = write_local_mapping(recoding, COLUMN, tmp_path / "2.csv", book)
    assert path.read_text().splitlines()[1:] == ["0,a1,G1", "0,a2,G1", "0,b1,G1"]


def test_a_recoding_without_a_cluster_is_rejected(tmp_path: Path) -> None:
    with refused(InputError, "cluster 3"):
        write_local_mapping(PerCluster(np.zeros(2, np.int32), (Cut.identity(TREE),)), COLUMN, tmp_path / "1.csv")
