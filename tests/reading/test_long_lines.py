"""A record that never ends is rejected after a bounded number of bytes, in every format of lines."""

import gzip
from pathlib import Path

import pytest
from tests.facts import refused

from anonset.errors import InputError
from anonset.reading.formats import text_chunks
from anonset.reading.formats.text_chunks import DecodedText
from anonset.reading.read import read
from anonset.reading.sources import files
from anonset.reading.sources.files import read_bytes

BEGIN = {
    "csv": b"id,codes\n1,a\n2,",
    "tsv": b'id\tcodes\n1\ta\n2\t"',
    "dat": b"a\nb\n",
    "jsonl": b'{"a": "1"}\n\n{"a": "',
}
_OF_TABLE = {"items": "codes", "unit": "id"}
_ROLES = {"csv": _OF_TABLE, "tsv": _OF_TABLE, "jsonl": {"items": "a", "unit": "row"}}
MOST = 64 * 1024


def test_a_record_is_scanned_only_a_few_times() -> None:
    assert text_chunks._LONGEST_RECORD <= 4 * text_chunks.BYTES_AT_ONCE


@pytest.mark.parametrize("mark", [b"x ", b"\0"], ids=["text", "zeros"])
@pytest.mark.parametrize("packed", ["", ".gz"])
@pytest.mark.parametrize("kind", BEGIN)
def test_a_line_without_an_end_is_rejected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, packed: str, mark: bytes
) -> None:
    monkeypatch.setattr(text_chunks, "BYTES_AT_ONCE", MOST // 4)
    monkeypatch.setattr(text_chunks, "_LONGEST_RECORD", MOST)
    monkeypatch.setattr("anonset.reading.formats.delimited_files.HEAD", MOST // 4)
    monkeypatch.setattr(DecodedText, "read", counting := _Counting(DecodedText.read))
    text = BEGIN[kind] + mark * (100 * MOST)
    path = tmp_path / f"long.{kind}{packed}"
    path.write_bytes(gzip.compress(text) if packed else text)
    with refused(InputError, f"long.{kind}{packed} line 3 exceeds MiB"):
        read(path, **(_ROLES.get(kind, {})))
    assert counting.read < 3 * MOST


@pytest.mark.parametrize("name", ["codes.csv", "codes.csv.gz"])
def test_a_side_file_that_unpacks_to_a_large_text_is_rejected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(files, "_LARGEST", MOST)
    monkeypatch.setattr(files, "_BUFFER", MOST // 4)
    pack = gzip.compress if name.endswith(".gz") else bytes
    path = tmp_path / name
    path.write_bytes(pack(b"a" * MOST))
    assert read_bytes(path) == b"a" * MOST
    path.write_bytes(pack(b"a" * (2 * MOST)) + b"no gzip")  # the end is not read
    with refused(InputError, f"{name} exceeds"):
        read_bytes(path)


def test_a_long_record_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_chunks, "BYTES_AT_ONCE", MOST // 4)
    monkeypatch.setattr(text_chunks, "_LONGEST_RECORD", MOST)
    (tmp_path / "long.dat").write_bytes(b"a\n" + b"b " * (MOST // 2 - 1) + b"\nc\n")
    assert read(tmp_path / "long.dat").n == 3


class _Counting:
    """Method that counts the bytes it returns."""

    def __init__(self, method):
        self.method, self.read = method, 0

    def __get__(self, text, owner):
        def read(size):
            data = self.method(text, size)
            self.read += len(data)
            return data

        return read
