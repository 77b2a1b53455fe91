"""Publications do not reveal suppressed items, and `verify` detects a false attestation, codebook or policy."""

import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from tests.facts import names

from anonset.privacy.model import NEGATIVE
from anonset.release import opened
from anonset.release.guarantee_limits import UNCHANGED
from anonset.settings.parameters import build
from cli.place import Place
from cli.published import KKM, ROLES, hierarchies, publish

SICK = "ward,codes\nw1,cold flu\nw1,cold flu\nw2,cold\nw2,hiv\n"
CODES = "hiv,any\ncold,any\nflu,any\nrare,any\n"
BUCKETS = ["--id", "name", "--sensitive", "drug", "--keep", "age"]


def rewrite(folder: Path, change: Callable[[dict[str, Any]], object], files: Mapping[str, str] | None = None) -> None:
    """Change files of a publication, and adjust the attestation."""
    path = folder / "attestation.json"
    attested = json.loads(path.read_text())
    for name, text in (files or {}).items():
        (folder / name).write_text(text)
        attested["data"]["sha256"][name] = hashlib.sha256(text.encode()).hexdigest()
    change(attested)
    path.write_text(json.dumps(attested))


@pytest.mark.parametrize(
    ("symbols", "algorithm", "more"),
    [
        ("auto", "hghs", ["--k", "2", "--m", "2"]),
        ("short", "mhghs", ["--k", "2", "--m", "2"]),
        ("auto", "coherence-suppression", ["--k", "2", "--p", "2"]),
        ("auto", "coat", ["--k", "2", "--utility-constraints", "level:1", "--max-suppressed", "1"]),
        ("short", "coat", ["--k", "2", "--utility-constraints", "level:1", "--max-suppressed", "1"]),
    ],
)
def test_published_files_do_not_name_suppressed_items(
    place: Place, symbols: str, algorithm: str, more: list[str]
) -> None:
    """Replacing a suppressed item by another item does not change the published bytes."""
    published_bytes, tree = [], place.write("tree.csv", CODES)
    constraints = ["--privacy-constraints", place.write("constraints.txt", "hiv\nrare\n")]
    for item in ("hiv", "rare"):
        data, out = place.write(f"{item}.csv", SICK.replace("hiv", item)), place.folder / f"out-{item}"
        job = [
            "--items",
            "codes",
            "--keep",
            "ward",
            "--hierarchy",
            f"codes={tree}",
            "--symbols",
            symbols,
            "--unit",
            "row",
        ]
        job += constraints if algorithm == "coat" else []
        ran = place.run("anonymize", data, "-o", str(out), "--algorithm", algorithm, *more, *job)
        assert ran.code == 0, ran.err
        assert f"{item}," in (place.folder / f"out-{item}.private" / "mapping.csv").read_text().splitlines()
        published_bytes.append({path.name: path.read_bytes() for path in out.iterdir()})
        ran = place.run("verify", str(out), *(constraints if algorithm == "coat" else []))
        assert ran.code == 0, ran.err
    assert published_bytes[0] == published_bytes[1]
    assert not any(name in b"".join(published_bytes[0].values()) for name in (b"hiv", b"rare"))
    attested = json.loads(published_bytes[0]["attestation.json"])
    assert attested["counts"] == {"records": 4, "symbols": 2}
    assert names(attested["limits"], "suppressed")


@pytest.mark.usefixtures("is_published")
@pytest.mark.parametrize(
    ("change", "fragment"),
    [
        (lambda a: a.update(statement="Nobody finds anybody."), "statement"),
        (lambda a: a.update(in_plain_words="Nobody finds anybody."), "in_plain_words"),
        (lambda a: a.update(limits=a["limits"].replace("more than 2", "more than 7")), "limits"),
        (lambda a: a["counts"].update(records=400), "counts.records 400"),
        (lambda a: a["counts"].update(people=4), "counts.people"),
        (lambda a: a["verified"].update(rows=5), "verified.rows 5 4"),
        (
            lambda a: a["verified"].clear(),
            "verified.rows nothing 4",
        ),
        (lambda a: a["parameters"].update(k=1), "statement"),
        (lambda a: a["parameters"].update(k="2"), "k"),
        (lambda a: a["parameters"].update(q=1), "q"),
        (lambda a: a.update(model="k9"), "k9"),
        (
            lambda a: a["data"].update(sha256={}),
            "published.dat codebook.csv SHA-256",
        ),
    ],
)
def test_an_attestation_that_disagrees_with_the_data_is_rejected(
    place: Place, change: Callable[[dict[str, Any]], object], fragment: str
) -> None:
    assert place.run("verify", str(place.out)).code == 0
    rewrite(place.out, change)
    ran = place.run("verify", str(place.out))
    assert (ran.code, names(ran.err, fragment), ran.err.count("\n")) == (2, True, 1), ran.err


@pytest.mark.parametrize(
    ("change", "fragment"),
    [
        (lambda a: a["data"].update(qit="other.csv"), "qit.csv snt.csv"),
        (lambda a: a["data"].update(sensitive="age"), "data.sensitive"),
        (
            lambda a: a["data"]["sha256"].pop("snt.csv"),
            "qit.csv snt.csv SHA-256",
        ),
        (lambda a: a["counts"].update(groups=1), "counts.groups"),
    ],
)
def test_a_changed_attestation_of_buckets_is_rejected(
    long: Place, change: Callable[[dict[str, Any]], object], fragment: str
) -> None:
    publish(long, "long.csv", "--model", "anatomy", *BUCKETS, "--l", "3")
    rewrite(long.out, change)
    ran = long.run("verify", str(long.out))
    assert (ran.code, names(ran.err, fragment)) == (2, True), ran.err


def test_an_attestation_of_an_unfinished_check(place: Place) -> None:
    assert place.run(*place.job("--max-work", "0", "--accept", "undecided")).code == 3
    assert place.run("verify", str(place.out)).code == 0
    assert place.run("verify", str(place.out), "--max-work", "0").code == 3


@pytest.mark.long
def test_the_attestation_lists_columns_by_role(rt: Place) -> None:
    publish(
        rt,
        "rt.csv",
        *ROLES,
        *KKM,
        *hierarchies(rt),
        "--algorithm",
        "rum-bound",
        "--delta",
        "0.65",
        "--transaction",
        "apriori",
    )
    ran = rt.run("verify", str(rt.out))
    assert names(ran.out, "columns age origin gender items quasi-identifiers")
    file = [str(rt.out / "published.csv"), "--items", "items", "--relational", "age", "--keep", "origin,gender"]
    ran = rt.run("verify", *file, *KKM)
    assert names(ran.out, "columns age items origin gender quasi-identifiers protected")
    ran = rt.run("verify", *file, "--model", "km", "--k", "1", "--m", "1", "--json")
    assert ran.json["roles"] == {
        "quasi_identifiers": [],
        "items": ["items"],
        "not_protected": ["age", "origin", "gender"],
    }
    rewrite(rt.out, lambda a: a["data"].update(relational=["age", "gender"], keep=["origin"]))
    ran = rt.run("verify", str(rt.out))  # the limits do not mention that origin is published unchanged
    assert (ran.code, names(ran.err, "limits")) == (2, True), ran.err
    rewrite(rt.out, lambda a: a.update(limits=a["limits"].replace(NEGATIVE, f"{NEGATIVE} {UNCHANGED}")))
    ran = rt.run("verify", str(rt.out))
    assert names(ran.out, "columns age gender items origin quasi-identifiers protected")
    rewrite(rt.out, lambda a: a["data"].update(relational=["origin", "gender"], keep=["age"]))
    ran = rt.run("verify", str(rt.out))  # the limits mention ranges, and no quasi-identifier is a range
    assert (ran.code, names(ran.err, "limits")) == (2, True), ran.err


def test_verify_reads_the_columns_of_buckets_from_the_attestation(long: Place) -> None:
    publish(long, "long.csv", "--model", "anatomy", *BUCKETS, "--l", "3")
    ran = long.run("verify", str(long.out))
    assert names(ran.out, "columns name age sensitive drug")


@pytest.mark.parametrize(
    ("row", "fragment"),
    [
        ('"(a,b)",group,x y', "(a,b) x y"),
        ('"(a,b)",node,x y', "(a,b) hierarchy"),
        ("c,item,x", "c x"),
    ],
)
def test_a_codebook_that_contradicts_the_labels(place: Place, row: str, fragment: str) -> None:
    """By its label, {a, b} occurs in a single record, which violates two constraints. The codebook would hide that."""
    data = place.write("p.csv", 'codes\n"(a,b)"\nc\nc\n')
    check = [data, "--items", "codes", "--model", "constraints", "--k", "2", "--privacy-constraints"]
    check += [place.write("constraints.txt", "a b\nc\n")]
    assert place.run("verify", *check).code == 1
    ran = place.run("verify", *check, "--codebook", place.write("book.csv", f"symbol,kind,members\n{row}\n"))
    assert (ran.code, names(ran.err, fragment)) == (2, True), ran.err


def test_a_codebook_that_contradicts_the_hierarchy(place: Place) -> None:
    data = place.write("p.csv", "codes\nA\nb1\nb1\n")
    check = ["verify", data, "--items", "codes", "--model", "constraints", "--k", "2", "--privacy-constraints"]
    check += [place.write("constraints.txt", "a1\nb1\n"), "--codebook"]
    tree = ["--hierarchy", f"codes={place.folder / 'hierarchy.csv'}"]
    honest = place.write("honest.csv", "symbol,kind,members\nA,node,a1 a2\nb1,item,b1\n")
    assert place.run(*check, honest).code == place.run(*check, honest, *tree).code == 1
    lie = place.write("lie.csv", "symbol,kind,members\nA,node,b2\nb1,item,b1\n")
    ran = place.run(*check, lie)
    assert (ran.code, names(ran.out, "1 2")) == (0, True)
    original = ["--original", place.write("original.csv", "codes\na1\nb1\nb1\n")]
    for more in (tree, [*tree, *original]):
        ran = place.run(*check, lie, *more)
        assert (ran.code, names(ran.err, "A 2")) == (2, True), ran.err
    ran = place.run(*check, lie, "--hierarchy", "codes=balanced:2")
    assert (ran.code, names(ran.err, "--original")) == (2, True), ran.err


def test_a_codebook_that_lacks_a_published_symbol(place: Place) -> None:
    assert place.run(*place.job()).code == 0
    book = (place.out / "codebook.csv").read_text()
    rewrite(place.out, lambda _: None, {"codebook.csv": book.replace("A,node,a1 a2\n", "")})
    ran = place.run("verify", str(place.out))
    assert (ran.code, names(ran.err, "A")) == (2, True), ran.err


def test_protected_items_without_a_symbol_are_counted(place: Place) -> None:
    data = place.write("p.csv", "codes\na\na\n")
    check = ["verify", data, "--items", "codes", "--model", "constraints", "--k", "2", "--privacy-constraints"]
    ran = place.run(*check, place.write("c.txt", "a x\nx y\n"))
    assert (ran.code, names(ran.out, "2 3")) == (0, True)
    result = place.run(*check, place.write("c.txt", "a x\nx y\n"), "--json").json["verified"]
    assert (result["protected_items"], result["unpublished_items"]) == (3, 2)
    none = place.write("none.txt", "x y\n")
    ran = place.run(*check, none)
    assert (ran.code, names(ran.err, "2 x")) == (2, True)
    assert ran.err.count("\n") == 1
    # correct if the items are known to be suppressed
    ran = place.run(*check, none, "--original", place.write("original.csv", "codes\na\na x\n"))
    assert names(ran.out, "2")
    tree = place.write("tree.csv", "a,R\nx,R\n")
    assert place.run(*check, none, "--hierarchy", f"codes={tree}").code == 0


def test_an_empty_list_of_generated_constraints_verifies(place: Place) -> None:
    data = place.write("pairs.dat", "a b\na b\na b\n")
    job = ["anonymize", data, "-o", str(place.out), "--algorithm", "coat", "--k", "2"]
    job += ["--privacy-constraints", "pgen", "--utility-constraints", "siblings:2", "--max-suppressed", "0.5"]
    assert place.run(*job).code == 0
    written = place.private / "privacy_constraints.txt"
    assert written.read_bytes() == b""
    for more in ([], ["--privacy-constraints", str(written)]):
        ran = place.run("verify", str(place.out), *more)
        assert (ran.code, names(ran.out, "0")) == (0, True), ran.err
    ran = place.run("verify", str(place.out), "--privacy-constraints", place.write("c.txt", "a\nb\n"))
    assert (ran.code, names(ran.err, "0 2")) == (2, True)
    # an empty file is rejected unless the attestation declares it
    check = ["verify", data, "--model", "constraints", "--k", "2", "--privacy-constraints", str(written)]
    assert place.run(*check).code == 2


@pytest.mark.parametrize(("given", "n_built"), [([], 1), (["--k", "3"], 2)])
def test_the_attested_model_is_built_once(
    place: Place, monkeypatch: pytest.MonkeyPatch, given: list[str], n_built: int
) -> None:
    place.run(*place.job())
    counted = Mock(wraps=build)
    monkeypatch.setattr(opened, "build", counted)
    ran = place.run("verify", str(place.out), "--json", *given)
    assert ran.json["parameters"]["k"] == (3 if given else 2), ran.err
    assert counted.call_count == n_built


def test_labels_cannot_write_to_the_terminal(place: Place) -> None:
    data = place.write("p.csv", "codes\n\x1b[2J\u009b1m\n")
    ran = place.run("verify", data, "--items", "codes", "--model", "km", "--k", "2", "--m", "1")
    assert (ran.code, r"{\x1b[2J\x9b1m} matches 1 record" in ran.out) == (1, True)
    assert all(character.isprintable() or character == "\n" for character in ran.out)
    ran = place.run("verify", data, "--items", "codes", "--model", "km", "--k", "2", "--m", "1", "--json")
    assert ran.json["witness"]["what"] == ["\x1b[2J\u009b1m"]
    assert all(character.isprintable() or character == "\n" for character in ran.out)
    tree = place.write("tree.csv", "\x1b[1ma,R\nb,R\n")
    assert place.run("hierarchy", "print", tree).out.splitlines()[1] == r"├── \x1b[1ma"


def test_the_account_fits_a_screen(place: Place) -> None:
    """The account has at most 24 lines of 80 columns, with the first limits and a reference to the others. Doubts about
    a weak guarantee come in addition.
    """
    lines = place.run(*place.job()).out.splitlines()
    doubts = lines.index("Check first:")
    del lines[doubts : next(number for number, line in enumerate(lines) if line.startswith("Not covered"))]
    assert sum(max(1, -(-len(line.rstrip()) // 80)) for line in lines if str(place.folder) not in line) <= 22 - 3
    [position] = [number for number, line in enumerate(lines) if names(line, "covered")]
    assert str(place.out / "attestation.json") in lines[position]
    assert [line.startswith("- ") for line in lines[position + 1 : position + 6]] == [True, True, True, True, True]
    assert not lines[position + 6].startswith("- ")
