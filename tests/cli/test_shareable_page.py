"""The shareable page depends only on the publication, and hides everything that the publication hides."""

import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, assume, given, reject, settings
from hypothesis import strategies as st
from tests.facts import names

import anonset
from anonset.cli.main import main
from anonset.release.opened import OpenedPublication
from cli.place import Place
from effort import examples

pytestmark = [
    pytest.mark.filterwarnings("ignore:the publication is worthless"),
    pytest.mark.filterwarnings("ignore:.*retains no information"),
]
PAIRS = {"a1": "a2", "a2": "a1", "b1": "b2", "b2": "b1"}
TREE = {"ALL": {"A": ["a1", "a2"], "B": ["b1", "b2"], "C": ["rare", "rarer"]}}
RECORDS = st.lists(st.sets(st.sampled_from(sorted(PAIRS)), min_size=1), min_size=6, max_size=12)

FEW = settings(max_examples=examples(15), phases=[Phase.explicit, Phase.reuse, Phase.generate])
"""Each example publishes twice, so shrinking would take minutes."""


def published(folder: Path, columns: dict[str, list[Any]], algorithm: anonset.Algorithm, **more: Any) -> Path:
    """Publish columns: ``codes`` as items, ``age`` as quasi-identifier, the others undeclared."""
    relational = [name for name in columns if name == "age"]
    dropped = sorted({*columns} - {"codes", "age"})
    unit = "row" if {*columns} > {"codes"} else ()
    table = anonset.read(columns, items="codes", relational=relational, numeric=relational, drop=dropped, unit=unit)
    anonset.anonymize(table, algorithm, accept="worthless", **more).save(folder)
    return folder


def bytes_of(out: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(out.iterdir())}


def page_of(out: Path) -> bytes:
    page = out.parent / f"{out.name}.html"
    assert (
        main(
            [
                "report",
                str(out),
                "--shareable",
                "-o",
                str(page),
                "--quiet",
                "--recipient",
                "A. & B.",
                "--legal-basis",
                "law",
                "--access",
                "public",
            ]
        )
        == 0
    )
    return page.read_bytes()


def require_equal_pages(first: dict[str, list[Any]], second: dict[str, list[Any]], *job: Any, **more: Any) -> None:
    """Publish two inputs. If the publications are equal, the pages must be equal."""
    assume(first != second)
    with tempfile.TemporaryDirectory() as name:
        outs = []
        for i, columns in enumerate((first, second)):
            (folder := Path(name) / str(i)).mkdir()
            try:
                outs.append(published(folder / "out", columns, *job, **more))
            except anonset.InfeasibleError:
                reject()
        assume(bytes_of(outs[0]) == bytes_of(outs[1]))
        pages = [page_of(out) for out in outs]
        assert pages[0] == pages[1]


@pytest.mark.long
@given(RECORDS, st.data())
@FEW
def test_a_suppressed_occurrence_changes_no_page(records: list[set[str]], data: st.DataObject) -> None:
    with_one, with_more = [[*records, {"a1", "b1"}] for _ in range(2)]
    with_one[0] = {*with_one[0], "rare"}
    for i in data.draw(st.sets(st.integers(0, len(records) - 1), min_size=1, max_size=2)):
        with_more[i] = {*with_more[i], "rare"}
    algorithm = anonset.CoherenceSuppression(h=0.9, k=3, p=1, sensitive_items=("b1",))
    require_equal_pages({"codes": with_one}, {"codes": with_more}, algorithm)


@pytest.mark.long
@given(RECORDS, st.data())
@FEW
def test_replacing_an_item_by_its_sibling_does_not_change_the_page(
    records: list[set[str]], data: st.DataObject
) -> None:
    position = data.draw(st.integers(0, len(records) - 1))
    other = [*records]
    other[position] = {PAIRS[item] for item in records[position]}
    job = anonset.Apriori(k=4, m=2)
    require_equal_pages({"codes": records}, {"codes": other}, job, hierarchies={"codes": TREE})


@pytest.mark.long
@given(RECORDS, st.data())
@FEW
def test_values_within_a_range_and_dropped_columns_do_not_change_the_page(
    records: list[set[str]], data: st.DataObject
) -> None:
    ages = data.draw(st.lists(st.integers(20, 29), min_size=len(records), max_size=len(records)))
    first = {"age": [20, 29, *ages[2:]], "codes": records, "name": [f"P{n}" for n in range(len(records))]}
    second = {**first, "age": [*first["age"][:-1], data.draw(st.integers(20, 29))], "name": ["x"] * len(records)}
    job = anonset.RFirst(k=len(records), m=1, transaction=anonset.Apriori)
    require_equal_pages(first, second, job, hierarchies={"codes": TREE, "age": "range"})


@given(RECORDS, st.data())
@FEW
def test_a_rare_item_in_another_record_changes_no_page_of_chunks(records: list[set[str]], data: st.DataObject) -> None:
    tables = [[set(record) for record in records] for _ in range(2)]
    places = data.draw(st.lists(st.integers(0, len(records) - 1), min_size=2, max_size=2, unique=True))
    for table, place in zip(tables, places, strict=True):
        table[place].add("rare")
    require_equal_pages({"codes": tables[0]}, {"codes": tables[1]}, anonset.Disassociation(k=2, m=2))


@pytest.mark.long
def test_the_page_needs_no_private_directory_and_opens_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = published(tmp_path / "out", {"codes": [{"a1"}, {"a2"}] * 4}, anonset.Apriori(k=2, m=1),
                    hierarchies={"codes": TREE})  # fmt: skip
    first = page_of(out)
    (tmp_path / "out.private" / "report.json").write_bytes(b"damaged")
    for private_name in ("private", "report"):
        monkeypatch.setattr(
            OpenedPublication, private_name, property(lambda _: pytest.fail("the private directory was opened"))
        )
    (tmp_path / "out.html").unlink()
    assert page_of(out) == first
    shutil.rmtree(tmp_path / "out.private")
    (tmp_path / "out.html").unlink()
    assert page_of(out) == first


def test_the_page_does_not_show_that_the_data_contradict_the_declared_person(place: Place) -> None:
    data = place.write(
        "rows.csv", "pid,sex\n" + "".join(f"{n // 2},{'m' if n in (1, 3) else 'f'}\n" for n in range(60))
    )
    made = ["--unit", "pid", "--differing", "first", "--relational", "sex", "--model", "k", "--k", "3"]
    ran = place.run("anonymize", data, *made, "-o", str(place.out), "--quiet")
    assert ran.code == 0, ran.err
    page = page_of(place.out)
    assert b"pid" not in page
    shutil.rmtree(place.private)
    (place.out.parent / f"{place.out.name}.html").unlink()
    assert page_of(place.out) == page


@pytest.mark.usefixtures("is_published")
@pytest.mark.parametrize(
    "given_too", [("--original", "x.csv"), ("--private", "x"), ("--unit", "name"), ("--hierarchy", "codes=values")]
)
def test_options_about_the_original_are_rejected(place: Place, given_too: tuple[str, str]) -> None:
    ran = place.run("report", str(place.out), "--shareable", *given_too, "-o", str(place.folder / "page.html"))
    assert ran.code == 2
    assert names(ran.err, f"--shareable OUT {given_too[0]}")
