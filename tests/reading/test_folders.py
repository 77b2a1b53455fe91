"""Reading a folder of files never skips a file silently."""

import gzip

import pyarrow as pa
import pytest
from pyarrow import parquet
from tests.facts import refused

from anonset import inspect
from anonset.errors import InputError
from anonset.reading.read import read
from anonset.reading.sources.source import source_of


def put(path, label="a"):
    path.parent.mkdir(parents=True, exist_ok=True)
    parquet.write_table(pa.table({"s": [[label]]}), path)


def test_parquet_files_are_found_in_upper_and_lower_case(tmp_path):
    for name in ("a.parquet", "B.PARQUET", "below/c.Parquet", "below/further/d.parquet"):
        put(tmp_path / name, name[-len("a.parquet")])
    for name in ("_SUCCESS", "_metadata", ".part-0.parquet.crc", "part-0.parquet.crc", "below/.DS_Store"):
        (tmp_path / name).write_bytes(b"bookkeeping")
    (tmp_path / "_temporary").mkdir()
    assert sorted(row for (row,) in read(tmp_path, items="s").transactions.rows()) == ["B", "a", "c", "d"]


REFUSED = [
    (".hidden.parquet", ".hidden.parquet"),
    ("_old.parquet", "_old.parquet"),
    ("_temporary/0/part-1.parquet", "_temporary"),
    (".trash/part-1.PARQUET", ".trash"),
    ("more.csv", ".parquet"),
    ("part-1.parquet.gz", ".parquet"),
    ("part-1.parquet.tmp", ".parquet"),
    ("_delta_log/0.json", ".parquet"),
    ("year=2020/part-1.parquet", "columns year"),
]


@pytest.mark.parametrize(("name", "reason"), REFUSED)
def test_files_that_may_contain_rows_are_never_skipped(tmp_path, name, reason):
    put(tmp_path / "a.parquet")
    put(tmp_path / name)
    with refused(InputError, f"{tmp_path / name} {reason}"):
        read(tmp_path, items="s")


def test_links_to_folders_are_refused(tmp_path):
    put(tmp_path / "data" / "a.parquet")
    put(tmp_path / "elsewhere" / "b.parquet")
    (tmp_path / "data" / "more").symlink_to(tmp_path / "elsewhere")
    with refused(InputError, "more links folders"):
        read(tmp_path / "data", items="s")


def test_a_link_to_a_file_is_read_and_a_broken_link_rejected(tmp_path):
    put(tmp_path / "elsewhere" / "b.parquet", "b")
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "a.parquet").symlink_to(tmp_path / "elsewhere" / "b.parquet")
    assert list(read(tmp_path / "data", items="s").transactions.rows()) == [["b"]]
    (tmp_path / "data" / "c.parquet").symlink_to(tmp_path / "none")
    with refused(InputError, "c.parquet"):
        read(tmp_path / "data", items="s")


def test_a_folder_without_parquet_files(tmp_path):
    (tmp_path / "_metadata").write_bytes(b"")
    with refused(InputError, f"{tmp_path} .parquet"):
        read(tmp_path, items="s")
    (tmp_path / "published.csv").write_text("s\na\n")
    assert list(read(tmp_path, items="s").transactions.rows()) == [["a"]]


def test_keys_in_the_names_of_folders_are_columns(tmp_path):
    put(tmp_path / "year=2020" / "a.parquet", "a")
    put(tmp_path / "year=2021" / "b.parquet", "b")
    table = read(tmp_path, items="s", relational="year")
    assert [column.labels() for column in table.relational] == [["2020", "2021"]]


def test_a_folder_that_may_not_be_read(tmp_path, monkeypatch):
    put(tmp_path / "a.parquet")

    def refuse(folder):
        raise PermissionError(13, "Permission denied", str(folder))

    monkeypatch.setattr("os.scandir", refuse)
    with refused(InputError, "Permission"):
        read(tmp_path, items="s")


def test_an_address_whose_package_is_missing_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    import fsspec

    def refuse(_: str) -> None:
        raise ImportError("Install s3fs to access S3")

    monkeypatch.setattr(fsspec.core, "url_to_fs", refuse)
    with refused(InputError, "zz s3fs"):
        source_of("zz://bucket/visits")


def test_a_folder_of_json_names_the_way_to_one_file(tmp_path):
    (tmp_path / "2024-01-01.json").write_text('[{"user": "U1"}]')
    with refused(InputError, "jq FILE ALL.jsonl"):
        read(tmp_path, items="s")


TABLE = "pid;code\n" + "".join(f"{n // 2};{'ABC'[n % 3]}\n" for n in range(40))


@pytest.mark.parametrize("ending", [".txt", ".export", ".txt.gz", ".csv.gz", ".ndjson"])
def test_a_folder_reads_what_a_file_of_its_ending_reads(tmp_path, ending):
    text = (
        TABLE if ending != ".ndjson" else "".join(f'{{"pid": {n // 2}, "code": "{"ABC"[n % 3]}"}}\n' for n in range(40))
    )
    packed = gzip.compress(text.encode()) if ending.endswith(".gz") else text.encode()
    (tmp_path / "part").mkdir()
    for name in (f"file{ending}", f"part/a{ending}"):
        (tmp_path / name).write_bytes(packed)
    of_file, of_folder = (inspect(str(tmp_path / name), unit="pid") for name in (f"file{ending}", "part"))
    assert of_folder.records == 20
    assert of_folder.settings == of_file.settings


def test_json_lines_of_both_endings_are_read_together(tmp_path):
    for name in ("a.jsonl", "b.ndjson"):
        (tmp_path / name).write_text('{"s": ["a"]}\n')
    assert read(tmp_path, items="s").n == 2


def test_a_folder_without_data_names_its_files_and_the_formats(tmp_path):
    for name in ("scan.pdf", "letter.docx", ".DS_Store"):
        (tmp_path / name).write_bytes(b"x")
    with refused(InputError, ".docx .pdf .csv .parquet") as error:
        read(tmp_path, items="s")
    assert "DS_Store" not in str(error.value)
