"""Hierarchies of concepts from ``concept_ancestor``."""

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonset.cli.main import main
from anonset.errors import HierarchyError, InputError
from anonset.reading.hierarchies.files import read_hierarchy
from anonset.reading.hierarchies.omop import omop_hierarchy

HEAD = "ancestor_concept_id\tdescendant_concept_id\tmin_levels_of_separation\tmax_levels_of_separation"


def levels_above(concept, parents):
    found, waiting = {concept: 0}, [concept]
    while waiting:
        child = waiting.pop(0)
        for parent in parents.get(child, ()):
            if parent not in found:
                found[parent] = found[child] + 1
                waiting.append(parent)
    return found


def write(folder, parents, concepts):
    rows = [(above, one, n, n) for one in concepts for above, n in levels_above(one, parents).items()]
    path = folder / "CONCEPT_ANCESTOR.csv"
    path.write_text("\n".join([HEAD, *("\t".join(map(str, row)) for row in rows)]) + "\n")
    return path


@st.composite
def vocabularies(draw):
    """Concepts whose parents are smaller numbers, and some of the concepts as data."""
    n = draw(st.integers(1, 12))
    parents = {c: draw(st.lists(st.integers(1, c - 1), max_size=3, unique=True)) for c in range(2, n + 1)}
    data = draw(st.lists(st.integers(1, n + 2), min_size=1, unique=True))
    return n, parents, data


@pytest.mark.long
@given(vocabulary=vocabularies())
def test_each_concept_is_below_one_of_its_parents_and_the_rarest(tmp_path_factory, vocabulary):
    n, parents, data = vocabulary
    above = {one: levels_above(one, parents) for one in range(1, n + 3)}
    tree = omop_hierarchy(write(tmp_path_factory.mktemp("v"), parents, range(1, n + 1)), [*map(str, data), "none"])
    assert set(tree.leaves.labels) == {*map(str, data), "none"}
    held = {one: sum(one in above[code] for code in data if code != one) for one in above}
    for code in data:
        path = [tree.labels[v] for v in tree.ancestors(tree.node_of[str(code)])]
        expected, one = [], code
        if held[code]:
            expected.append(code)
        while parents.get(one):
            one = min(parents[one], key=lambda parent: (held[parent], parent))
            expected.append(one)
        spanned = [f"{node}+" for node in expected]
        assert [node for node in path if node != "*"] == [node for node in spanned if node in tree.node_of]
        assert {int(node[:-1]) for node in path if node != "*"} <= above[code].keys()


def test_the_command_writes_a_hierarchy_for_the_data(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path, {10: [1], 11: [1], 20: [10, 11], 21: [10]}, [1, 10, 11, 20, 21])
    (tmp_path / "rows.csv").write_text("person,concept\n1,20\n1,21\n2,20\n2,0\n")
    rows = ["--input", "rows.csv", "--items", "concept", "--unit", "person"]
    assert main(["hierarchy", "import", "CONCEPT_ANCESTOR.csv", *rows, "-o", "tree.csv"]) == 0
    assert read_hierarchy("tree.csv").leaves.labels == ("0", "20", "21")
    assert (tmp_path / "tree.csv").stat().st_mode & 0o777 == 0o600
    assert main(["hierarchy", "check", "tree.csv", *rows]) == 0


def test_parquet_and_names_in_upper_case(tmp_path):
    rows = {"ANCESTOR_CONCEPT_ID": [5, 5, 5], "DESCENDANT_CONCEPT_ID": [6, 7, 5], "MIN_LEVELS_OF_SEPARATION": [1, 1, 0]}
    pd.DataFrame(rows).to_parquet(tmp_path / "a.parquet")
    tree = omop_hierarchy(tmp_path / "a.parquet", ["6", "7", "0"])
    assert [tree.labels[v] for v in tree.ancestors(tree.node_of["6"])] == ["5+", "*"]


def test_other_tables_and_cycles_are_rejected(tmp_path):
    (tmp_path / "c.csv").write_text("concept_id,concept_name\n1,x\n")
    with pytest.raises(HierarchyError, match="'ancestor_concept_id' is missing"):
        omop_hierarchy(tmp_path / "c.csv", ["1"])
    (tmp_path / "d.csv").write_text(f"{HEAD}\n1\t2\t1\t1\n2\t1\t1\t1\n".replace("\t", ","))
    with pytest.raises(HierarchyError, match="is an ancestor of itself"):
        omop_hierarchy(tmp_path / "d.csv", ["1"])
    (tmp_path / "e.csv").write_text(f"{HEAD}\nx\t2\t1\t1\n".replace("\t", ","))
    with pytest.raises(InputError, match="must contain integers"):
        omop_hierarchy(tmp_path / "e.csv", ["2"])
