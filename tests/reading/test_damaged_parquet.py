"""Unusable Parquet that Arrow opens: nested and repeated columns, text that is not UTF-8, damage."""

import random
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet
from tests.facts import names, refused

from anonset.errors import InputError
from anonset.jobs.proposals.proposed_reading import proposal_for
from anonset.reading.read import read
from anonset.reading.scan import scan
from effort import examples

NO_TEXT = pa.Array.from_buffers(
    pa.string(), 2, [None, pa.py_buffer(b"\0\0\0\0\2\0\0\0\4\0\0\0"), pa.py_buffer(b"\xff\xfea ")]
)
ENDS = pa.array([0, 1, 2], pa.int32())


def written(folder: Path, **columns: Any) -> str:
    path = folder / "data.parquet"
    parquet.write_table(pa.table(columns), path)
    return str(path)


@pytest.mark.parametrize(
    "column",
    [NO_TEXT, pa.DictionaryArray.from_arrays(pa.array([0, 1], pa.int32()), NO_TEXT)],
    ids=["text", "codes"],
)
@pytest.mark.parametrize("role", ["relational", "keep", "unit", "items"])
def test_invalid_utf_8_is_reported_in_one_line(tmp_path: Path, column: Any, role: str) -> None:
    path = written(tmp_path, x=column, y=["a", "b"])
    roles: dict[str, Any] = {role: "x", "drop": "y"}
    for reading in (read, scan):
        with refused(InputError, "data.parquet Parquet UTF8"):
            reading(path, **roles)
    with refused(InputError, "Parquet UTF8"):
        proposal_for(path, {}, {})


def test_a_set_with_invalid_utf_8_is_reported_in_one_line(tmp_path: Path) -> None:
    path = written(tmp_path, x=pa.ListArray.from_arrays(ENDS, NO_TEXT))
    for reading in (read, scan):
        with refused(InputError, "Parquet UTF8"):
            reading(path, items="x")


@pytest.mark.parametrize(
    ("column", "what"),
    [
        (pa.array([{"a": 1}, {"a": 2}]), "nested"),
        (pa.array([[("k", "v")], []], pa.map_(pa.string(), pa.string())), "nested"),
        (pa.array([[{"a": 1}], []]), "nested"),
        (pa.array([[["a"]], []]), "nested"),
        (pa.array([b"\xff", b"a"]), "bytes"),
    ],
)
def test_nested_columns_are_proposed_to_be_dropped(tmp_path: Path, column: Any, what: str) -> None:
    proposal = proposal_for(written(tmp_path, x=column, y=["a", "b"]), {}, {})
    (one,) = (one for one in proposal.columns if one.profile.name == "x")
    assert one.role == "drop"
    assert names(one.reason, what)


def test_duplicate_column_names_are_reported_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "data.parquet"
    parquet.write_table(pa.Table.from_arrays([pa.array(["a"]), pa.array(["b"])], names=["x", "x"]), path)
    with refused(InputError, "columns 1 2"):
        proposal_for(str(path), {}, {})


@pytest.mark.parametrize("seed", range(examples(120)))
def test_damaged_bytes_are_read_or_reported_in_one_line(tmp_path: Path, seed: int) -> None:
    """Only data pages are damaged: Arrow may crash on a damaged footer."""
    rng = random.Random(seed)
    path = tmp_path / "data.parquet"
    sets = [[rng.choice("abcd") for _ in range(rng.randint(0, 3))] for _ in range(50)]
    table = pa.table({"x": sets, "y": [rng.choice("mf") for _ in range(50)], "z": list(range(50))})
    parquet.write_table(table, path, compression="none", use_dictionary=rng.random() < 0.5)
    data = bytearray(path.read_bytes())
    footer = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    for _ in range(rng.randint(1, 4)):
        data[rng.randrange(4, footer)] = rng.randrange(256)
    path.write_bytes(data)
    for reading in (read, scan):
        with suppress(InputError):
            reading(str(path), items="x", relational="y", keep="z")


@pytest.mark.parametrize("error", [IndexError("list index out of range"), KeyError("x"), OSError("corrupt")])
@pytest.mark.parametrize("place", ["iter_batches", "schema_arrow"])
def test_errors_of_arrow_are_reported_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str, error: Exception
) -> None:
    """The type of Arrow's error depends on its version."""
    path = written(tmp_path, x=[["a"]] if place == "iter_batches" else pa.array([], pa.list_(pa.string())))

    def failing(*_: object, **_more: object) -> None:
        raise error

    monkeypatch.setattr(parquet.ParquetFile, place, failing if place == "iter_batches" else property(failing))
    with refused(InputError, "data.parquet Parquet"):
        scan(path, items="x")
