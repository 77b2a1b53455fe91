"""The same records are read from any way of writing a table."""

import csv
import io

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from scipy import sparse

from anonset.reading.read import read
from effort import examples

LABEL = st.text("ab1 é,;|'\"\t.+=ß€-", min_size=1, max_size=5).map(str.strip).filter(bool)
RECORDS = st.lists(st.frozensets(LABEL, max_size=4), min_size=1, max_size=6)
DELIMITERS = (",", ";", "\t", "|")
SEPARATORS = (" ", ",", ";", "|", "+", " + ")


@st.composite
def dialects(draw):
    """Draw a delimiter, quoting, line ends and an encoding."""
    return {
        "delimiter": draw(st.sampled_from(DELIMITERS)),
        "encoding": draw(st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-32", "latin-1", "cp1252"])),
        "end": draw(st.sampled_from(["\n", "\r\n", "\r"])),
        "space": draw(st.sampled_from(["", " "])),
        "quoting": draw(st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL])),
        "last": draw(st.booleans()),
    }


def written(rows, dialect):
    """Return rows as bytes, and the reading options that they need."""

    def field(text):
        out = io.StringIO()
        csv.writer(out, delimiter=dialect["delimiter"], quoting=dialect["quoting"], lineterminator="").writerow(
            [text, ""]
        )
        return out.getvalue()[: -3 if dialect["quoting"] == csv.QUOTE_ALL else -1]

    lines = [(dialect["delimiter"] + dialect["space"]).join(map(field, row)) for row in rows]
    text = dialect["end"].join(lines) + (dialect["end"] if dialect["last"] else "")
    encoding = dialect["encoding"]
    try:
        data = text.encode(encoding)
    except UnicodeEncodeError:
        assume(False)
    if encoding not in ("latin-1", "cp1252"):
        return data, {}
    assume(data.isascii() or not is_utf8(data))  # such a text is rejected
    return data, {"encoding": encoding}


def is_utf8(data):
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def separator(draw, labels):
    fit = [mark for mark in SEPARATORS if not any(mark.strip() in x if mark.strip() else mark in x for x in labels)]
    assume(fit)
    return draw(st.sampled_from(fit))


def one_column(draw, records, labels):
    mark = separator(draw, labels)
    rows = [["p", "codes"], *([f"p{n}", mark.join(sorted(x))] for n, x in enumerate(records))]
    return rows, {"unit": "p", "items": "codes", "separator": mark.strip() or " "}


def long(draw, records, labels):
    assume(any(len(x) > 1 for x in records))  # with one row per person, blanks would separate items
    cells = [(f"p{n}", label) for n, x in enumerate(records) for label in sorted(x) or [""]]
    return [["p", "code"], *cells], {"unit": "p", "items": "code"}


def one_hot(draw, records, labels):
    assume(labels)
    truth = draw(st.sampled_from(["01", "TF"]))
    yes, no = ("1", "0") if truth == "01" else ("True", "FALSE")
    rows = [[f"p{n}", *(yes if label in x else no for label in labels)] for n, x in enumerate(records)]
    return [["p", *(f"dx_{label}" for label in labels)], *rows], {"unit": "p", "one_hot": "dx_*"}


def one_code(draw, records, labels):
    width = max(1, *(len(x) for x in records))
    names = [f"dx{n}" for n in range(width)]
    rows = [[f"p{n}", *sorted(x), *[""] * (width - len(x))] for n, x in enumerate(records)]
    return [["p", *names], *rows], {"unit": "p", "one_code": names}


def same(table, records, labels):
    assert [frozenset(row) for row in table.transactions.rows()] == list(records)


@pytest.mark.long
@pytest.mark.parametrize("shape", [one_column, long, one_hot, one_code])
@settings(max_examples=examples(60), suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_a_table_in_any_shape_and_dialect(tmp_path, shape, data):
    records = data.draw(RECORDS)
    labels = sorted({label for x in records for label in x})
    rows, options = shape(data.draw, records, labels)
    text, more = written(rows, data.draw(dialects()))
    path = tmp_path / "v.csv"
    path.write_bytes(text)
    table = read(path, **options, **more)
    same(table, records, labels)
    assert table.ids[0].labels() == [f"p{n}" for n in range(len(records))]


def test_commas_in_quotes_after_blanks_are_no_delimiter(tmp_path):
    path = tmp_path / "v.csv"
    path.write_text('"p"\t "dx_,"\t "dx_1,"\n"p0"\t "1"\t "1"\n')
    same(read(path, unit="p", one_hot="dx_*"), [{",", "1,"}], [",", "1,"])


@pytest.mark.long
@settings(max_examples=examples(60), suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_records_as_lines_of_items_are_read(tmp_path, data):
    records = data.draw(RECORDS)
    labels = sorted({label for x in records for label in x})
    assume(not any('"' in label for label in labels))
    mark = separator(data.draw, labels)
    end = data.draw(st.sampled_from(["\n", "\r\n", "\r"]))
    encoding = data.draw(st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]))
    path = tmp_path / "v.txt"
    path.write_bytes("".join(mark.join(sorted(x)) + end for x in records).encode(encoding))
    same(read(path, input_format="baskets", separator=mark.strip() or " "), records, labels)
    if not any(set(label) & set(" \t") for label in labels):
        path.write_bytes("".join(" ".join(sorted(x)) + end for x in records).encode(encoding))
        same(read(path, input_format="fimi", separator=" "), records, labels)


@pytest.mark.long
@settings(max_examples=examples(40), suppress_health_check=list(HealthCheck))
@given(RECORDS)
def test_records_in_memory_are_read(records):
    labels = sorted({label for x in records for label in x})
    lists = [sorted(x) for x in records]
    ids = [f"p{n}" for n in range(len(records))]
    columns = {"p": ids, "codes": lists}
    same(read(records), records, labels)
    sources = [columns, [{"p": p, "codes": x} for p, x in zip(ids, records, strict=True)]]
    sources += [pd.DataFrame(columns), pd.DataFrame({**columns, "codes": records})]
    sources += [pl.DataFrame(columns, schema={"p": pl.String, "codes": pl.List(pl.String)})]
    for source in sources:
        same(read(source, items="codes", unit="p"), records, labels)
    dense = np.array([[label in x for label in labels] for x in records], np.int8).reshape(len(records), len(labels))
    same(read(sparse.csr_array(dense), labels=labels), records, labels)
