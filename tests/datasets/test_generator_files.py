import csv
import gzip
from pathlib import Path

import numpy as np
import pytest
from tests.facts import refused

from anonset.cli.main import main
from anonset.data import NumericColumn
from anonset.errors import InputError
from anonset.reading.hierarchies.files import read_hierarchy
from anonset.reading.read import read
from anonset_datasets.generators import GENERATORS, generate, make, make_tables, registry, write_tree
from anonset_datasets.generators.missions import Stream


@pytest.mark.parametrize("suffix", [".dat", ".dat.gz"])
@pytest.mark.parametrize("name", ["pos_like", "quest", "shop"])
def test_transactions_are_read_back_from_their_file(name: str, suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"made{suffix}"
    table = make(name, path, n=700)
    back = read(path)
    assert table.transactions is not None
    assert back.transactions is not None
    assert [set(row) for row in back.transactions.rows()] == [set(row) for row in table.transactions.rows()]
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("suffix", [".csv", ".csv.gz"])
def test_rt_data_are_read_back_from_their_file(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"made{suffix}"
    table = make("youtube_like", path, n=700)
    names = [column.name for column in table.relational]
    numeric = [column.name for column in table.relational if isinstance(column, NumericColumn)]
    back = read(path, items="related_videos", relational=names, numeric=numeric)
    for column, read_back in zip(table.relational, back.relational, strict=True):
        if isinstance(column, NumericColumn):
            assert isinstance(read_back, NumericColumn)
            assert read_back.values.tolist() == column.values.tolist()
        else:
            assert not isinstance(read_back, NumericColumn)
            assert read_back.labels() == column.labels()
    assert table.transactions is not None
    assert back.transactions is not None
    assert list(back.transactions.rows()) == list(table.transactions.rows())


@pytest.mark.long
def test_each_row_is_written_on_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_ROWS_AT_ONCE", 300)
    table = make("quest", tmp_path / "made.dat", n=1_000, n_items=50, avg_length=2.0)
    lines = (tmp_path / "made.dat").read_text("utf-8").splitlines()
    assert table.transactions is not None
    assert [line.split(" ") for line in lines] == list(table.transactions.rows())
    make("quest", tmp_path / "none.dat", n=0)
    assert (tmp_path / "none.dat").read_bytes() == b""
    make("youtube_like", tmp_path / "none.csv", n=0)
    assert (tmp_path / "none.csv").read_text("utf-8") == "age,category,length,views,rate,ratings,related_videos\n"


@pytest.mark.long
def test_same_parameters_same_bytes(tmp_path: Path) -> None:
    first, second = tmp_path / "first.dat.gz", tmp_path / "second.dat.gz"
    make("pos_like", first, n=300, seed=5)
    make("pos_like", second, n=300, seed=5)
    assert first.read_bytes() == second.read_bytes()
    make("pos_like", tmp_path / "plain.dat", n=300, seed=5)
    assert gzip.decompress(first.read_bytes()) == (tmp_path / "plain.dat").read_bytes()


@pytest.mark.parametrize(
    ("name", "file", "parameters", "message"),
    [
        (
            "pos",
            "x.dat",
            {},
            "generator pos_like long_tail quest youtube_like shop hospital",
        ),
        ("shop", "x.dat", {"k": 5}, "shop n seed k"),
        ("shop", "x.csv", {}, "shop .dat .dat.gz x.csv"),
        ("youtube_like", "x.dat", {}, "youtube_like .csv .csv.gz x.dat"),
        ("shop", "there.dat", {}, "there.dat"),
        ("shop", "nowhere/x.dat", {}, "folder nowhere/x.dat"),
        ("shop", "x.dat", {"n": -1}, "n 0 -1"),
    ],
)
def test_bad_requests_are_refused(
    name: str, file: str, parameters: dict[str, int], message: str, tmp_path: Path
) -> None:
    (tmp_path / "there.dat").write_text("mine\n", "utf-8")
    with refused(InputError, message):
        make(name, tmp_path / file, **parameters)
    assert (tmp_path / "there.dat").read_text("utf-8") == "mine\n"
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("suffix", [".dat", ".dat.gz"])
def test_a_failed_write_leaves_no_files(suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: object) -> list[str]:
        raise OSError("disk full")

    monkeypatch.setattr(registry, "_set_fields", broken)
    with pytest.raises(OSError, match="disk full"):
        make("shop", tmp_path / f"x{suffix}", n=10)
    assert list(tmp_path.iterdir()) == []


def test_write_errors_name_the_requested_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path, *_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(PermissionError) as error:
        make("shop", tmp_path / "x.dat", n=10)
    assert error.value.filename == str(tmp_path / "x.dat")


def test_long_file_names_allow_a_temporary_name(tmp_path: Path) -> None:
    make("shop", tmp_path / f"{'x' * 250}.dat", n=1)
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.long
def test_the_registry_lists_names_kinds_and_parameters() -> None:
    assert GENERATORS["shop"].parameters == {"n": 5_000, "seed": 0}
    assert GENERATORS["pos_like"].parameters["avg_length"] == 6.5
    for name, generator in GENERATORS.items():
        assert generator.name == name
        assert "seed" in generator.parameters
        assert generator.about
        if name == "longitudinal":  # generated from real data
            assert generator.parameters["missing"] == "value"
            continue
        assert "n" in generator.parameters
        assert (generate(name, n=1).relational != ()) == (generator.kind == "rt")


@pytest.mark.parametrize("name", ["shop", "hospital"])
def test_the_hierarchy_of_a_generator_covers_its_items(tmp_path: Path, name: str) -> None:
    write_tree(name, tmp_path / "tree.csv")
    written = read_hierarchy(tmp_path / "tree.csv")
    column = generate(name, n=50).transactions
    assert column is not None
    assert written.leaves == column.vocabulary
    with refused(InputError, "tree.csv"):
        write_tree(name, tmp_path / "tree.csv")


def test_items_without_a_meaning_have_no_hierarchy(tmp_path: Path) -> None:
    with refused(InputError, "quest hierarchy balanced:5"):
        write_tree("quest", tmp_path / "tree.csv")
    assert list(tmp_path.iterdir()) == []


def test_random_streams_equal_pcg64() -> None:
    stream = Stream(1, 2)
    expected = np.random.PCG64(np.random.SeedSequence([1, 2])).random_raw(3)
    assert stream.raw(3).tolist() == expected.tolist()
    uniform = Stream(7).uniform(1_000)
    assert uniform.min() >= 0
    assert uniform.max() < 1
    assert sorted(Stream(7).permutation(20).tolist()) == list(range(20))


def test_linked_tables_are_the_patients_of_one_table(tmp_path: Path) -> None:
    counts = make_tables("hospital", tmp_path / "tables", n=300, seed=4)
    assert [path.name for path in tmp_path.iterdir()] == ["tables"]
    texts = {name: (tmp_path / "tables" / f"{name}.csv").read_text() for name in counts}
    tables = {name: list(csv.DictReader(text.splitlines())) for name, text in texts.items()}
    assert {name: len(rows) for name, rows in tables.items()} == counts
    patient_of = {row["visit_id"]: row["patient_id"] for row in tables["visits"]}
    codes: dict[str, set[str]] = {row["patient_id"]: set() for row in tables["patients"]}
    for row in tables["diagnoses"]:
        codes[patient_of[row["visit_id"]]].add(row["code"])
    table = generate("hospital", n=300, seed=4)
    assert table.transactions is not None
    assert sorted(map(sorted, codes.values())) == sorted(map(sorted, table.transactions.rows()))
    assert {row["visit_id"] for row in tables["drugs"]} <= patient_of.keys()
    assert len(tables["diagnoses"]) > len({(patient_of[row["visit_id"]], row["code"]) for row in tables["diagnoses"]})
    with refused(InputError, "new"):
        make_tables("hospital", tmp_path / "tables", n=300)


def test_generators_without_linked_tables_name_those_with_tables(tmp_path: Path) -> None:
    with refused(InputError, "'shop' hospital"):
        make_tables("shop", tmp_path / "tables")
    assert list(tmp_path.iterdir()) == []
    assert main(["datasets", "make", "hospital", "--tables", "--records", "0", "-o", str(tmp_path / "none")]) == 0
    assert (tmp_path / "none" / "drugs.csv").read_text() == "visit_id,drug,days\n"
