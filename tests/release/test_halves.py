"""Publishing by trees built from frequencies: the tree is private, and symbol order is uninformative."""

import json
import stat
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from tests.facts import names, refused

import anonset
from anonset.data import Hierarchy
from anonset.data.table import SetColumn
from anonset.errors import HierarchyError, InputError
from anonset.generalization import Cut
from anonset.measures.losses.ncp import ncp_exact
from effort import examples

pytestmark = pytest.mark.filterwarnings("ignore:the publication is worthless", "ignore:.*retains no information")
thorough = settings(max_examples=examples(60), suppress_health_check=[HealthCheck.too_slow])
records = st.lists(st.sets(st.sampled_from("abcdefghij"), max_size=4), min_size=6, max_size=25)
MANY = [*[{"a", "b"}] * 4, {"a", "c", "d"}, {"b", "d", "e"}, {"a", "e", "f"}, {"b", "c"}, {"d", "f"}, {"a"}]


def made(rows: Any, spec: Any, algorithm: Any = None, **how: Any) -> anonset.Release:
    algorithm = algorithm or anonset.Exact(k=2, m=2)
    return anonset.anonymize(anonset.read(rows), algorithm, hierarchies={"items": spec}, accept="worthless", **how)


def shown(release: anonset.Release) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(symbol.label, symbol.kind, symbol.members) for symbol in release.publication.symbols]


def loss(release: anonset.Release) -> Fraction:
    cut, column = release.recoding, release.unverified.table.transactions
    assert isinstance(cut, Cut)
    assert isinstance(column, SetColumn)
    return ncp_exact(column, cut)


def plain_tree(release: anonset.Release) -> Hierarchy:
    """Return the generated tree as an owner's tree, with private names."""
    result = release.unverified.hierarchies["items"]
    return Hierarchy.from_preorder(result.labels, result.parent.astype("int64"))


@pytest.mark.long
@thorough
@given(records, st.integers(2, 3))
def test_exact_uses_the_better_of_both_trees(rows, k):
    assume(sum(map(bool, rows)) >= k)
    both = made(rows, "halves:frequency", anonset.Exact(k=k, m=2))
    number = made(rows, "halves:number", anonset.Exact(k=k, m=2))
    column = both.unverified.table.transactions
    assume(len(column.vocabulary) > 1)
    first = anonset.data.hierarchies.halves.halves(sorted(column.vocabulary.labels), _counts(column))
    frequency = made(rows, Hierarchy.from_preorder(first.labels, first.parent.astype("int64")), anonset.Exact(k=k, m=2))
    assert loss(both) == min(loss(frequency), loss(number))
    assert both.figures["tree"] == 1 + (loss(number) < loss(frequency))
    assert both.figures["ncp_of_tree_1"] == frequency.figures["ncp"]
    assert both.figures["ncp_of_tree_2"] == number.figures["ncp"]


def _counts(column: SetColumn) -> Any:
    order = sorted(range(len(column.vocabulary)), key=column.vocabulary.labels.__getitem__)
    return column.occurrences[order]


@pytest.mark.long
@thorough
@given(records, st.permutations("abcdefghij"))
def test_the_publication_does_not_reveal_frequencies_within_a_set(rows, other):
    """Swapping frequencies among the members of published sets does not change the files."""
    assume(sum(map(bool, rows)) >= 2)
    before = made(rows, "halves:frequency")
    image = dict(zip("abcdefghij", other, strict=True))
    for symbol in before.publication.symbols:  # the permutation within each set
        wanted = sorted(symbol.members, key=lambda member: image[member])
        image |= dict(zip(symbol.members, wanted, strict=True))
    moved = [{image[item] for item in row} for row in rows]
    after = made(moved, "halves:frequency")
    assume({members for *_, members in shown(before)} == {members for *_, members in shown(after)})
    assert shown(before) == shown(after)
    assert before.to_arrow().equals(after.to_arrow())


@pytest.mark.parametrize("algorithm", ["Exact", "Apriori", "Lra", "LocalGeneralization"])
def test_sets_are_published_and_never_names_of_the_tree(algorithm):
    sizes = {"k": 3} if algorithm == "LocalGeneralization" else {"k": 3, "m": 2}
    release = made(MANY, "halves:frequency", getattr(anonset, algorithm)(**sizes))
    result = shown(release)
    assert {kind for _, kind, _ in result} <= {"item", "group"}
    assert any(kind == "group" for _, kind, _ in result)
    assert all(members == tuple(sorted(members)) for *_, members in result)
    assert [members for *_, members in result] == sorted(members for *_, members in result)


def test_long_sets_and_odd_items_get_codes(tmp_path):
    rows = [{"x, y"}, {"z"}, {"x, y", "z"}, {"v"}, {"w"}]
    release = made(rows, "halves:number", anonset.Exact(k=4, m=1))
    coded = [(label, members) for label, kind, members in shown(release) if "x, y" in members]
    assert coded
    assert all(label.startswith("G") for label, _ in coded)
    release.save(tmp_path / "out")
    with refused(InputError, "comma"):
        made(rows, "halves:number", anonset.Exact(k=4, m=1), symbols="members")


def test_the_generated_tree_is_stored_only_in_the_private_directory(tmp_path):
    release = made(MANY, "halves:frequency")
    release.save(tmp_path / "out")
    path = tmp_path / "out.private" / "hierarchy.csv"
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert not stat.S_IMODE(path.stat().st_mode) & 0o077
    report = json.loads((tmp_path / "out.private" / "report.json").read_text())
    assert set(report["unnamed_nodes"]) == set(plain_tree(release).labels) - set("abcdef")
    assert {"tree", "ncp_of_tree_1", "ncp_of_tree_2"} <= set(report["figures"])
    published = "".join(file.read_text() for file in (tmp_path / "out").iterdir())
    assert not any(name in published for name in report["unnamed_nodes"])
    attested = json.loads((tmp_path / "out" / "attestation.json").read_text())
    assert attested["declarations"]["hierarchy_built_from_data"] is True
    assert names(attested["limits"], "hierarchy labels")


@thorough
@given(records, records)
def test_the_next_release_keeps_node_names(tmp_path_factory, rows, later):
    assume(sum(map(bool, rows)) >= 2)
    folder = tmp_path_factory.mktemp("first")
    first = made(rows, "halves:frequency")
    first.save(folder / "out")
    known = {item for row in rows for item in row}
    more = [row & known for row in later]
    assume(sum(map(bool, more)) >= 3)
    after = made(more, "halves:frequency", anonset.Exact(k=3, m=2), recoding=folder / "out.private")
    names = {symbol.members: symbol.label for symbol in first.publication.symbols}
    assert after.unverified.hierarchies["items"].unnamed == first.unverified.hierarchies["items"].unnamed
    for label, _, members in shown(after):
        assert names.get(members, label) == label
        for other in names:
            assert set(other) <= set(members) or not set(other) & set(members)


@pytest.mark.long
@thorough
@given(records, st.integers(2, 3))
def test_a_finer_tree_never_loses_more(tmp_path_factory, rows, k):
    assume(sum(map(bool, rows)) >= k)
    path = tmp_path_factory.mktemp("tree") / "tree.csv"
    path.write_text("".join(f"{x},{'AB'[x > 'e']},ALL\n" for x in "abcdefghij"))
    owners_release = made(rows, str(path), anonset.Exact(k=k, m=2))
    finer = made(rows, f"refine:{path}", anonset.Exact(k=k, m=2))
    assert loss(finer) <= loss(owners_release)
    assert {label for label, kind, _ in shown(finer) if kind == "node"} <= {"A", "B", "ALL"}
    assert {kind for _, kind, _ in shown(owners_release)} <= {"item", "node"}


def test_frequencies_of_another_file_need_no_declaration(tmp_path):
    (tmp_path / "last.csv").write_text("item,count\na,9\nb,8\nc,1\nnever,5\n")
    (tmp_path / "last.dat").write_text("a b\n" * 8 + "a\nc never\n")
    (tmp_path / "sets.csv").write_text("items,age\n" + "a b,1\n" * 8 + "a,2\nc never,3\n")
    trees = []
    for name in ("last.csv", "last.dat", "sets.csv"):
        release = made(MANY, f"halves:frequency@{tmp_path / name}")
        release.save(tmp_path / name.replace(".", "-"))
        attested = json.loads((tmp_path / name.replace(".", "-") / "attestation.json").read_text())
        assert "hierarchy_built_from_data" not in attested["declarations"]
        trees.append(plain_tree(release).labels)
    assert trees[0] == trees[1] == trees[2]
    assert made(MANY, "halves:frequency").unverified.hierarchies["items"].from_data


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("item,count\na,1\na,2\n", "'row 2' item"),
        ("item,count\na,-1\n", "'row 1' count"),
        ("other\na\n", "items"),
    ],
)
def test_a_file_without_frequencies_is_rejected(tmp_path, text, said):
    (tmp_path / "last.csv").write_text(text)
    with refused(InputError, said):
        made(MANY, f"halves:frequency@{tmp_path / 'last.csv'}")


@pytest.mark.parametrize("spec", ["halves:", "halves:size", "halves:frequency@", "halves:frequency:2"])
def test_other_halves_are_refused(spec):
    with refused(HierarchyError, "halves:frequency halves:number"):
        made(MANY, spec)


def test_values_of_a_category_are_published_as_sets():
    rows = {"zip": ["1", "2", "3", "4"] * 2 + ["5"] * 3 + ["6"]}
    table = anonset.read(rows, relational="zip", unit="row")
    release = anonset.anonymize(
        table, anonset.Mondrian(k=3), hierarchies={"zip": "halves:frequency"}, accept="worthless"
    )
    texts = release.publication.relational[0].vocabulary.labels
    assert any(text.startswith("(") for text in texts)
    assert not any(text.startswith("H") for text in texts)
    with refused(InputError, "comma"):
        anonset.anonymize(
            anonset.read({"zip": ["a,b", "c", "d"]}, relational="zip", unit="row"),
            anonset.Mondrian(k=2),
            hierarchies={"zip": "halves:frequency"},
        )


def test_all_clusters_use_nodes_of_one_tree():
    random = Random(3)
    codes = [{f"c{min(random.randrange(30), random.randrange(30))}" for _ in range(3)} for _ in range(600)]
    people = {"age": [str(20 + random.randrange(9)) for _ in codes], "codes": codes}
    table = anonset.read(people, items="codes", relational="age", numeric="age", unit="row")
    algorithm = anonset.RumBound(k=5, m=2, delta=0.9, transaction=anonset.Exact, on_infeasible="merge")
    result = anonset.anonymize(table, algorithm, hierarchies={"codes": "halves:frequency"}, workers=1)
    assert result.verdict.holds
