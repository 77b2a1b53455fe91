"""Reading chunk tables with any block size. Tables in another order are rejected."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.facts import refused

from algorithms.chunk_cases import RECORDS, disassociated
from anonset.data import spans
from anonset.data.storage.store import Files
from anonset.errors import InputError
from anonset.reading.publications.chunks import read_chunks
from anonset.writing.publications.chunks import write_chunks
from effort import examples

SOUND = {
    "clusters": "cluster,n,terms\n0,6,x\n1,6,y\n",
    "chunks": "cluster,chunk,items,count\n0,0,a,2\n0,1,b,2\n0,1,b e,2\n1,0,a,2\n",
    "shared": "first,last,chunk,items,count\n0,1,0,c,2\n0,1,1,d,2\n",
}
UNSOUND = [
    ("chunks", "0,0,b,2\n0,0,b e,2\n0,1,a,2\n1,0,a,2\n", "chunks.csv chunks 'cluster 0'"),
    ("chunks", "0,0,a,2\n0,1,b e,2\n0,1,b,2\n1,0,a,2\n", "chunks.csv rows"),
    ("chunks", "0,0,a,2\n0,0,a,2\n", "chunks.csv rows"),
    ("chunks", "0,0,a,2\n0,2,b,2\n", "chunks.csv chunks 0 1 2"),
    ("chunks", "0,1,a,2\n", "chunks.csv chunks 0 1 2"),
    ("chunks", "0,0,a,2\n1,1,b,2\n", "chunks.csv chunks 0 1 2"),
    ("chunks", "0,0,a,2\n2,0,b,2\n", "chunks.csv cluster"),
    ("chunks", "0,0,a,2\n0,1,e b,2\n", "items 'row 1' sorted"),
    ("chunks", "0,0,a,2\n0,1,,2\n", "'row 1' sub-record"),
    ("shared", "0,1,0,d,2\n0,1,1,c,2\n", "shared.csv chunks"),
    ("clusters", "0,6,x\n2,6,y\n", "clusters.csv 0 1 2"),
    ("clusters", "0,6,x\n1,0,y\n", "counts 'row 1' 1"),
]


def write(folder: Path, **changed: str) -> None:
    for table, text in SOUND.items():
        header = text.partition("\n")[0]
        (folder / f"{table}.csv").write_text(f"{header}\n{changed[table]}" if table in changed else text)


@pytest.mark.parametrize("at_once", [1, 1 << 18])
@pytest.mark.parametrize(("table", "rows", "message"), UNSOUND)
def test_chunks_in_another_order_are_rejected(
    tmp_path: Path, table: str, rows: str, message: str, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spans, "AT_ONCE", at_once)
    write(tmp_path)
    assert len(read_chunks(tmp_path, "items").clusters) == 2
    write(tmp_path, **{table: rows})
    with refused(InputError, message):
        read_chunks(tmp_path, "items")


@given(RECORDS, st.integers(1, 3), st.sampled_from((1, 3, 20)), st.sampled_from(("csv", "parquet")), st.booleans())
@settings(max_examples=examples(80))
def test_written_chunks_are_read_back(records: list[set[str]], k: int, at_once: int, form: str, in_parts: bool) -> None:
    if len(records) < k:
        return
    meant = disassociated(records, k, 2, 4, counts=True)
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch, Files.temporary() as store:
        patch.setattr(spans, "AT_ONCE", at_once)
        write_chunks(meant, Path(folder), form, 2 if in_parts else None)
        for publication in (read_chunks(Path(folder), "items"), read_chunks(Path(folder), "items", store=store)):
            assert publication.vocabulary.labels == meant.vocabulary.labels
            assert (publication.clusters, publication.shared, publication.totals) == (
                meant.clusters,
                meant.shared,
                meant.totals,
            )
