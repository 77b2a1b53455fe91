"""Which files of a folder are read: nobody's rows are left out without a word."""

import pyarrow as pa
import pytest
from pyarrow import parquet

from anonset.errors import InputError
from anonset.io import read
from anonset.io.source import source_of


def put(path, label="a"):
    path.parent.mkdir(parents=True, exist_ok=True)
    parquet.write_table(pa.table({"s": [[label]]}), path)


def test_every_parquet_file_is_read_whatever_its_case(tmp_path):
    for name in ("a.parquet", "B.PARQUET", "below/c.Parquet", "below/further/d.parquet"):
        put(tmp_path / name, name[-len("a.parquet")])
    for name in ("_SUCCESS", "_metadata", ".part-0.parquet.crc", "part-0.parquet.crc", "below/.DS_Store"):
        (tmp_path / name).write_bytes(b"bookkeeping")
    (tmp_path / "_temporary").mkdir()
    assert sorted(row for (row,) in read(tmp_path, items="s").transactions.rows()) == ["B", "a", "c", "d"]


REFUSED = [
    (".hidden.parquet", "'.hidden.parquet' is set aside by its name; rename it to have it read, or remove it"),
    ("_old.parquet", "'_old.parquet' is set aside by its name; "),
    ("_temporary/0/part-1.parquet", "'_temporary' is set aside by its name; "),
    (".trash/part-1.PARQUET", "'.trash' is set aside by its name; "),
    ("more.csv", "it would be left out: a folder is read by its files that end with .parquet"),
    ("part-1.parquet.gz", "it would be left out: "),
    ("part-1.parquet.tmp", "it would be left out: "),
    ("_delta_log/0.json", "it would be left out: "),
    ("year=2020/part-1.parquet", "the columns in the names of its folders must be none, got 'year'"),
]


@pytest.mark.parametrize(("name", "reason"), REFUSED)
def test_what_may_hold_rows_and_would_be_left_out_is_refused(tmp_path, name, reason):
    put(tmp_path / "a.parquet")
    put(tmp_path / name)
    with pytest.raises(InputError) as error:
        read(tmp_path, items="s")
    assert str(error.value).startswith(f"{tmp_path / name}: {reason}")


def test_links_to_folders_are_refused(tmp_path):
    put(tmp_path / "data" / "a.parquet")
    put(tmp_path / "elsewhere" / "b.parquet")
    (tmp_path / "data" / "more").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InputError, match=r"more: a link to a folder is not followed"):
        read(tmp_path / "data", items="s")


def test_a_link_to_a_file_is_read_and_a_broken_one_refused(tmp_path):
    put(tmp_path / "elsewhere" / "b.parquet", "b")
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "a.parquet").symlink_to(tmp_path / "elsewhere" / "b.parquet")
    assert list(read(tmp_path / "data", items="s").transactions.rows()) == [["b"]]
    (tmp_path / "data" / "c.parquet").symlink_to(tmp_path / "none")
    with pytest.raises(InputError, match=r"c\.parquet: no such file or directory$"):
        read(tmp_path / "data", items="s")


def test_a_folder_without_parquet_files(tmp_path):
    (tmp_path / "_metadata").write_bytes(b"")
    with pytest.raises(InputError, match=r": the directory holds no \.parquet file$"):
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
    with pytest.raises(InputError, match=r": cannot be read: Permission denied$"):
        read(tmp_path, items="s")


def test_an_address_whose_package_is_missing_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    import fsspec

    def refuse(_: str) -> None:
        msg = "Install s3fs to access S3"
        raise ImportError(msg)

    monkeypatch.setattr(fsspec.core, "url_to_fs", refuse)
    with pytest.raises(InputError, match="'zz' need a package that is not installed: Install s3fs to access S3"):
        source_of("zz://bucket/visits")
