"""Row groups are cut by their size in bytes, and long texts are not kept in memory."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from anonset.data import CategoricalColumn, SetColumn, Vocabulary
from anonset.data.labels.file_labels import FiledLabels
from anonset.reading.formats import parquet as own_parquet
from anonset.reading.sources.source import source_of
from anonset.writing.publications import records as publish
from anonset.writing.publications.records import spans_within

labels = st.text(st.sampled_from("aé\U00010000"), max_size=9)
rows = st.lists(st.tuples(st.sets(labels, max_size=4), labels), max_size=20)


def in_files(column):
    text = [label.encode() for label in column.vocabulary.labels]
    starts = np.cumsum([0, *map(len, text)])
    filed = FiledLabels(starts, np.frombuffer(b"".join(text), np.uint8).copy())
    return CategoricalColumn(column.name, column.codes, Vocabulary.of_filed(filed))


@given(rows=rows, most_rows=st.integers(1, 9), most_bytes=st.integers(1, 90), step=st.sampled_from([1, 3, 100]))
def test_each_span_is_as_long_as_both_bounds_allow(rows, most_rows, most_bytes, step):
    size = [4 + sum(4 + len(item.encode()) for item in items) + 4 + len(note.encode()) for items, note in rows]
    expected, first = [], 0
    for end in range(1, len(rows) + 1):
        if end == len(rows) or end - first == most_rows or sum(size[first : end + 1]) > most_bytes:
            expected.append((first, end))
            first = end
    sets = SetColumn.of([items for items, _ in rows])
    note = CategoricalColumn.of("note", [note for _, note in rows])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(publish, "_ROWS_AT_ONCE", step)
        for column in (note, in_files(note)):
            assert list(spans_within([sets, column], (0, len(rows)), most_rows, most_bytes)) == expected


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_long_texts_are_written_some_at_a_time(tmp_path, monkeypatch, kind):
    texts = [f"{n:03}{'x' * (n * 7 % 50)}" for n in range(40)]
    note = CategoricalColumn.of("note", texts)
    sets = SetColumn.of([{str(n % 3)} for n in range(40)])
    written = []
    for number, (column, size) in enumerate([(note, 200), (in_files(note), 200), (note, 1 << 20)]):
        monkeypatch.setattr(publish, "BYTES_PER_GROUP", size)
        monkeypatch.setattr(publish, "_BYTES", size)
        path = tmp_path / f"{number}.{kind}"
        publish._write([sets, column], kind, " ", path, (0, 40))
        written.append(path)
    result = [path.read_bytes() for path in written]
    assert result[0] == result[1]
    assert (result[0] == result[2]) == (kind == "csv")
    if kind == "parquet":
        few, single_row = parquet.ParquetFile(written[0]), parquet.ParquetFile(written[2])
        assert single_row.num_row_groups == 1
        assert [few.metadata.row_group(n).num_rows for n in range(few.num_row_groups)] == [
            end - first for first, end in spans_within([sets, note], (0, 40), 1 << 20, 200)
        ]
        assert few.read().equals(single_row.read())


@pytest.mark.long
def test_a_large_row_group_is_read_page_by_page(tmp_path):
    """Reading keeps neither the 32 MB of compressed bytes nor a dictionary of 400,000 texts in memory."""
    draw = np.random.default_rng(1)

    def texts(n, width):
        text = draw.integers(97, 123, n * width, np.uint8)
        starts = np.arange(n + 1, dtype=np.int32) * width
        return pa.StringArray.from_buffers(n, pa.py_buffer(starts), pa.py_buffer(text))

    path = tmp_path / "v.parquet"
    table = pa.table({"long": texts(400_000, 80), "short": texts(400_000, 20)})
    parquet.write_table(table, path)
    before, peak, done = pa.total_allocated_bytes(), 0, 0
    assert source_of(str(path)).size.text == 400_000 * 102
    for part in own_parquet._row_groups(source_of(str(path)).files[0], ["long", "short"], ["long", "short"]):
        n = len(part.columns["long"])
        for name, column in part.columns.items():
            assert column.combine_chunks().equals(table[name].slice(done, n).combine_chunks())
        done += n
        peak = max(peak, pa.total_allocated_bytes() - before)
    assert done == 400_000
    assert peak < 45_000_000, "two batches and a few pages; both columns alone take 40 MB, and would be held beside"
