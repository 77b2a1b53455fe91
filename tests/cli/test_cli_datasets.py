import gzip
from pathlib import Path

import pytest
from tests.facts import names

from anonset_datasets.entries import ENTRIES
from cli.place import Place


@pytest.fixture
def folder(place: Place, monkeypatch: pytest.MonkeyPatch) -> Path:
    result = place.folder / "catalogue"
    (result / "transactions").mkdir(parents=True)
    monkeypatch.setenv("ANONSET_DATA", str(result))
    return result


def test_missing_data_sets_are_listed_with_their_source(place: Place, folder: Path) -> None:
    ran = place.run("datasets", "check", "retail", "informs2005")
    assert ran.code == 1
    for words in (
        "retail: baskets of a Belgian supermarket",
        "offered by: the FIMI repository",
        "cite: Brijs et al., KDD 1999",
        "save as: transactions/retail.dat.gz",
        "save as: rt/informs2005_rt.csv.gz, taxonomies/informs2005_icd9_taxonomy.csv.gz",
        "Never use it in linking-attack demonstrations",
    ):
        assert words in " ".join(ran.out.split()), words


def test_states_as_json_and_exit_codes(place: Place, folder: Path) -> None:
    (folder / "transactions" / "retail.dat.gz").write_bytes(gzip.compress(b"1 2\n"))
    ran = place.run("datasets", "check", "--json")
    rows = {row["name"]: row for row in ran.json}
    assert (ran.code, set(rows)) == (1, set(ENTRIES))
    assert rows["retail"]["state"] == "different"
    assert rows["retail"]["files"] == [{"file": "transactions/retail.dat.gz", "state": "different"}]
    assert rows["adult"]["state"] == "missing"
    assert place.run("datasets", "check", "bms_pos").code == 0  # no experiment needs it
    assert place.run("datasets", "check", "retial").code == 2


def test_an_unset_data_folder_is_reported(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANONSET_DATA", raising=False)
    ran = place.run("datasets", "check", "groceries")
    assert ran.code == 1
    assert names(ran.err, "ANONSET_DATA")


@pytest.mark.data
def test_present_data_sets_are_listed(place: Place) -> None:
    ran = place.run("datasets", "check", "groceries", "adult")
    assert ran.code == 0
    assert ran.out.count("as published") == 2
    assert "missing" not in ran.out


def test_a_failed_generation_leaves_no_hierarchy(place: Place) -> None:
    hierarchy = ["--hierarchy", str(place.folder / "tree.csv")]
    ran = place.run("datasets", "make", "shop", "--records", "50", *hierarchy, "-o", str(place.folder / "data.dat"))
    assert (ran.code, len(ran.errors)) == (2, 1)
    assert place.nothing_left()
    made = place.run("datasets", "make", "shop", "--records", "50", *hierarchy, "-o", str(place.folder / "shop.dat"))
    assert made.code == 0
    assert (place.folder / "tree.csv").is_file()
