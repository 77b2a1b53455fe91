"""Digests, size estimates and failures of files."""

import gzip
import hashlib
import random

import pyarrow as pa
import pytest
from pyarrow import parquet
from tests.facts import refused

from anonset.errors import InputError
from anonset.reading.sources.files import digest, format_of, write_file
from anonset.reading.sources.sizes import DataSize
from anonset.reading.sources.source import source_of


def test_digest_of_a_file_and_a_directory(tmp_path):
    (tmp_path / "a").write_bytes(b"abc")
    assert digest(tmp_path / "a") == hashlib.sha256(b"abc").hexdigest()
    first = digest(tmp_path)
    assert first == hashlib.sha256(f"{digest(tmp_path / 'a')}  a\n".encode()).hexdigest()
    (tmp_path / "a").rename(tmp_path / "b")
    assert digest(tmp_path) != first
    with refused(InputError, f"{tmp_path / 'none'} file"):
        digest(tmp_path / "none")


def estimate_size(path):
    return source_of(path).size


def test_the_estimated_size_of_a_file_is_close(tmp_path):
    text = b"1 2 3\n" * 10_000
    noise = random.Random(1).randbytes(5000)
    for name, data, expected in [
        ("a.dat", text, len(text)),
        ("a.dat.gz", gzip.compress(text), len(text)),
        ("b.dat.gz", gzip.compress(noise), len(noise)),
        ("c.dat.gz", gzip.compress(b""), 0),
        ("d.dat.gz", noise, 6 * len(noise)),
        ("e.dat.gz", b"short", 30),
        ("g.csv.zst", noise, 6 * len(noise)),
    ]:
        (tmp_path / name).write_bytes(data)
        assert estimate_size(tmp_path / name).text == expected, name
    assert (
        estimate_size(tmp_path / "a.dat.gz") == estimate_size(tmp_path / "a.dat") == DataSize(10_000, 30_000, len(text))
    )


def test_estimates_of_parquet_use_its_values(tmp_path):
    for name, rows in (("a", 1_000), ("b", 2_000)):
        parquet.write_table(pa.table({"code": ["E10"] * rows}), tmp_path / f"{name}.parquet")
        assert estimate_size(tmp_path / f"{name}.parquet") == DataSize(rows, rows, rows * len("E10 "))
    lists = pa.table({"codes": [["E10", "I10"], [], ["J45"]], "age": [30, 41, 52]})
    for name, table in (("lists", lists), ("none", lists.slice(0, 0))):
        parquet.write_table(table, tmp_path / f"{name}.parquet")
    assert estimate_size(tmp_path / "lists.parquet") == DataSize(3, 7, 3 * len("E10 ") + 3 * 4)
    assert estimate_size(tmp_path / "none.parquet") == DataSize()
    (tmp_path / "c.parquet").write_bytes(b"noise")
    with refused(InputError, "c.parquet Parquet"):
        estimate_size(tmp_path / "c.parquet")


def test_the_format_follows_the_file_name(tmp_path):
    names = ["x.csv", "x.CSV.GZ", "x.y.tsv", "x.dat.zst", "x.parquet"]
    assert [format_of(tmp_path / name) for name in names] == ["csv", "csv", "tsv", "dat", "parquet"]
    assert format_of(tmp_path) == "parquet"


def test_a_failed_write_removes_its_own_file_only(tmp_path):
    def parts():
        yield b"begun"
        raise OSError(28, "No space left on device")

    with refused(InputError, f"{tmp_path / 'new'} 'No space'"):
        write_file(tmp_path / "new", parts())
    assert not (tmp_path / "new").exists()
    (tmp_path / "old").write_bytes(b"before")
    with pytest.raises(InputError):
        write_file(tmp_path / "old", parts())
    assert (tmp_path / "old").exists()


def test_an_interrupted_write_removes_its_file(tmp_path):
    def parts():
        yield b"begun"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_file(tmp_path / "new.gz", parts())
    assert list(tmp_path.iterdir()) == []
