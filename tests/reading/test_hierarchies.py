"""Hierarchy files: meaning, errors, and the round trip."""

import gzip
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.facts import refused

from anonset.data import Hierarchy, Vocabulary
from anonset.errors import HierarchyError, InputError
from anonset.reading.hierarchies.files import read_hierarchy, write_hierarchy
from anonset.reading.hierarchies.specs import hierarchy_for
from effort import examples

LABELS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=4)


def write(folder, text, name="h.csv"):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def nested(hierarchy, node=0):
    """Return the tree as nested pairs (label, children)."""
    children = [nested(hierarchy, child) for child in hierarchy.children(node)]
    return (hierarchy.labels[node], children) if children else hierarchy.labels[node]


AB = ("R", [("A", ["a", "b"]), ("B", ["c", "d"])])


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("a,A,R\nb,A,R\nc,B,R\nd,B,R\n", AB),
        ("a;A;R\nb;A;R\nc;B;R\nd;B;R", AB),
        ("\ufeffa,A,R\r\nb,A,R\r\n\r\nc,B,R\r\nd,B,R\r\n", AB),
        ("leaf,parent,root\na,A,R\nb,A,R\nc,B,R\nd,B,R\n", AB),
        ("leaf,parent,root,,\na,A,R,,\nb,A,R,\nc,B,R\nd,B,R,,\n", AB),
        ("a,A,A,R\nb,b,A,R\nc,B,R,R\nd,B,R\n", AB),
        ("c,B,R\na,A,R\nd,B,R\nb,A,R\n", ("R", [("B", ["c", "d"]), ("A", ["a", "b"])])),
        ("a,A,R\nb,A,R\nx,R\n", ("R", [("A", ["a", "b"]), "x"])),
        ('"a,1",A,R\n"b ""2""",A,R\nc,R\n', ("R", [("A", ["a,1", 'b "2"']), "c"])),
        ("-9;-9,-1;*\n-5;-9,-1;*\n7;*\n", ("*", [("-9,-1", ["-9", "-5"]), "7"])),
        ("-9;-9,-1;*\n-5;-9,-1;*\n", ("-9,-1", ["-9", "-5"])),
        ("a;1,R\nb;2,R\nc;3,R\n", ("R", ["a;1", "b;2", "c;3"])),
        ("a\u2028x;R\nb;R\n", ("R", ["a\u2028x", "b"])),
        ('a,";R"\nb,";R"\n', (";R", ["a", "b"])),
        ('"a;1",R\n"b;1",R\n', ("R", ["a;1", "b;1"])),
        ("a,A,R\na,A,R\nb,R\n", ("R", ["a", "b"])),
        ("leaf,root\na,R\n", "a"),
        ("a,R\n", "a"),
        ("a\n", "a"),
    ],
)
def test_files_become_trees(tmp_path, text, tree):
    assert nested(read_hierarchy(write(tmp_path, text))) == tree


def test_collapsed_labels_are_remembered(tmp_path):
    hierarchy = read_hierarchy(write(tmp_path, "a,A,X,R\nb,B,R\nc,B,R\n"))
    assert nested(hierarchy) == ("R", ["a", ("B", ["b", "c"])])
    assert hierarchy.aliases == (("X", "a"), ("A", "a"))


@pytest.mark.parametrize("name", ["h.csv.gz", "h.txt.gz", "h.zst"])
def test_compressed_files(tmp_path, name):
    hierarchy = Hierarchy.from_tree(AB)
    path = write_hierarchy(hierarchy, tmp_path / name)
    assert path.read_bytes() != b"a,A,R\nb,A,R\nc,B,R\nd,B,R\n"
    assert nested(read_hierarchy(path)) == AB


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "hierarchy empty leaf"),
        ("\n,,\n", "hierarchy empty leaf"),
        ("a,A,R\nb,A,S\nc,A,R\n", "'line 2' S R"),
        ("leaf,root\na,R\nb,S\nc,R\n", "'line 3' S R"),
        ("a,A,R\nb,B,R\na,B,R\n", "'line 3' a A B"),
        ("a,A,X,R\nb,A,Y,R\n", "'line 2' A X Y"),
        ("a,A,R\nb,A,R\nA,R\n", "'line 3' A leaf inner"),
        ("A,R\na,A,R\n", "'line 1' A leaf inner"),
        ("a,R\nR\n", "'line 2' R leaf inner"),
        ("a,b,a,R\n", "'line 1' a cycle"),
        ("x,R\na,R,b,R\n", "'line 2' R cycle"),
        ("\n\na,,R\nb,R\n", "'line 3' a parents label"),
        (",A,R\n,B,R\nb,B,R\n", "'line 2' A B"),
        ('x,R\n"a,R\nb,R\n', "'line 2' end"),
        (b"a,R\n\xff,R\n", "'line 2' UTF-8"),
    ],
)
def test_files_that_are_not_trees_are_rejected(tmp_path, text, message):
    path = write(tmp_path, text)
    with refused(HierarchyError, f"{path} {message}"):
        read_hierarchy(path)


@pytest.mark.parametrize("text", ["a,A,R\n,A,R\nb,R\n", 'a;A;R\n"";A;R\nb;R\n', "leaf,top,root\na,A,R\n,A,R\nb,R\n"])
def test_an_empty_leaf_is_the_leaf_of_empty_cells(tmp_path, text):
    tree = read_hierarchy(write(tmp_path, text))
    assert tree.labels == ("R", "A", "a", "", "b")
    write_hierarchy(tree, tmp_path / "again.csv")
    assert read_hierarchy(tmp_path / "again.csv").labels == tree.labels


def test_unreadable_hierarchy_files_are_rejected(tmp_path):
    with refused(InputError, "none.csv"):
        read_hierarchy(tmp_path / "none.csv")
    with refused(InputError, f"{tmp_path} directory"):
        read_hierarchy(tmp_path)
    with refused(InputError, "h.gz"):
        read_hierarchy(write(tmp_path, "a,R\n", "h.gz"))


@st.composite
def trees(draw):
    """Draw trees with distinct labels and without single-child nodes."""
    labels = draw(st.lists(LABELS, min_size=1, max_size=25, unique=True))

    def grow(names):
        if len(names) < 3:
            return [*names]
        width = draw(st.integers(2, len(names) - 1))
        cuts = sorted(draw(st.sets(st.integers(1, len(names) - 2), max_size=width - 1)))
        parts = [names[a:b] for a, b in zip([0, *cuts], [*cuts, len(names)], strict=True)]
        return [(p[0], grow(p[1:])) if len(p) > 2 else name for p in parts for name in (p if len(p) <= 2 else [p[0]])]

    return (labels[0], grow(labels[1:])) if len(labels) > 2 else labels[0]


@pytest.mark.long
@settings(max_examples=examples(200))
@given(trees())
def test_a_written_tree_is_read_back(tmp_path_factory, tree):
    hierarchy = Hierarchy.from_tree(tree)
    path = write_hierarchy(hierarchy, tmp_path_factory.mktemp("h") / "h.csv")
    read_back = read_hierarchy(path)
    assert read_back.labels == hierarchy.labels
    assert read_back.parent.tolist() == hierarchy.parent.tolist()
    assert read_back.column_depth.tolist() == hierarchy.column_depth.tolist()


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("a,A,X,R\nb,B,R\nc,B,R\n", ["abc", "aBB", "RRR"]),
        ("a,a,A,R\nb,B,A,R\nc,B,A,R\nd,D,D,R\ne,E,D,R\n", ["abcde", "aBBDe", "AAADD", "RRRRR"]),
        ("a,A,A,R\nb,A,A,R\nc,C,R\n", ["abc", "AAc", "AAc", "RRR"]),
        ("a,A,B,C\nb,A,B,C\n", ["ab", "AA"]),
        ("a,A,R,R\nb,A,R,R\nc,C,R,R\nd,C,R,R\n", ["abcd", "AACC", "RRRR", "RRRR"]),
    ],
)
def test_levels_equal_columns_after_writing_and_reading(tmp_path, text, columns):
    first = read_hierarchy(write(tmp_path, text))
    read_back = read_hierarchy(write_hierarchy(first, tmp_path / "again.csv"))
    for hierarchy in (first, read_back):
        depths = range(int(hierarchy.column_depth.max()), -1, -1)
        shown = ["".join(hierarchy.labels[v] for v in hierarchy.nodes_in_column(depth)) for depth in depths]
        assert list(dict.fromkeys(shown)) == list(dict.fromkeys(columns))


def test_hierarchies_are_made_from_every_form_of_specification(tmp_path):
    vocabulary = Vocabulary(("a", "b", "c"))
    assert nested(hierarchy_for("balanced:2", vocabulary, "s")) == ("N2_0", [("N1_0", ["a", "b"]), "c"])
    path = write(tmp_path, "a,A,R\nb,A,R\nc,B,R\nd,B,R\n")
    for spec in (path, str(path), read_hierarchy(path)):
        assert nested(hierarchy_for(spec, vocabulary, "s")) == AB


@pytest.mark.parametrize("fanout", [2, 5])
def test_a_balanced_hierarchy_without_labels_is_a_root(fanout):
    hierarchy = hierarchy_for(f"balanced:{fanout}", Vocabulary(()), "s")
    assert (hierarchy.labels, hierarchy.n_leaves) == (("N0_0",), 1)


@pytest.mark.parametrize(
    ("spec", "labels", "message"),
    [
        ("balanced:x", "ab", "hierarchy s balanced:F 2 balanced:x"),
        ("balanced:-2", "ab", "hierarchy s balanced:F 2 balanced:-2"),
        ("balanced:1", "ab", "hierarchy fan-out 2 1"),
        ("balanced:1", "", "hierarchy fan-out 2 1"),
        (Hierarchy.from_tree(AB), "ax", "hierarchy s x leaf missing"),
        (Hierarchy.from_tree(AB), "Aa", "hierarchy s A leaf inner"),
    ],
)
def test_invalid_hierarchy_specifications_are_rejected(spec, labels, message):
    with refused(HierarchyError, message):
        hierarchy_for(spec, Vocabulary(tuple(labels)), "s")


@pytest.mark.long
@pytest.mark.data
@pytest.mark.skipif("ANONSET_DATA" not in os.environ, reason="ANONSET_DATA is not set")
@pytest.mark.parametrize(
    ("name", "leaves", "root"),
    [
        ("taxonomies/icd9cm_full_taxonomy.csv.gz", 17561, "ALL"),
        ("taxonomies/bms_webview2_even_fanout_gong.csv.gz", 3340, "ALL"),
        ("taxonomies/completejourney_product_taxonomy.csv.gz", 20902, "ALL"),
        ("hierarchies/adult_arx/adult_hierarchy_age.csv.gz", 100, "*"),
        ("hierarchies/informs_gong/informs_ICD9.txt.gz", 1221, "*"),
        ("hierarchies/informs_gong/informs_even.txt.gz", 1297, "*"),
        ("hierarchies/informs_gong/informs_income.txt.gz", 23784, "*"),
        ("hierarchies/informs_gong/informs_EDUCYEAR.txt.gz", 22, "*"),
    ],
)
def test_real_hierarchies_have_the_expected_size(name, leaves, root):
    path = Path(os.environ["ANONSET_DATA"]) / name
    hierarchy = read_hierarchy(path)
    assert (hierarchy.n_leaves, hierarchy.labels[0]) == (leaves, root)
    lines = {line for line in gzip.decompress(path.read_bytes()).decode().splitlines() if line}
    assert len(lines) - hierarchy.n_leaves in (0, 1), "one leaf a line, but for a header"


def test_blanks_after_the_separator_are_no_part_of_labels(tmp_path):
    path = tmp_path / "h.csv"
    path.write_text('E10, E, any\nE11, "E", any\n" x", "a, b",any\ny, "a, b", any\n')
    tree = read_hierarchy(path)
    assert tree.labels == ("any", "E", "E10", "E11", "a, b", " x", "y")
    write_hierarchy(tree, tmp_path / "again.csv")
    assert read_hierarchy(tmp_path / "again.csv").labels == tree.labels


def test_a_hierarchy_in_utf_16(tmp_path):
    path = tmp_path / "h.csv"
    path.write_text("Bär;Tier;alle\nKäse;Essen;alle\nBrot;Essen;alle\n", encoding="utf-16")
    assert read_hierarchy(path).leaves.labels == ("Bär", "Käse", "Brot")
