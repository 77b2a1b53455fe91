import csv
import io

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonset.writing import csv_lines as subject

TEXTS = st.lists(st.text('ab",\r\n\ufeff\ufe00é', max_size=4), max_size=6)


@given(TEXTS, st.booleans(), st.integers(0, 3))
def test_fields_are_quoted_if_necessary(texts: list[str], alone: bool, skipped: int) -> None:
    column = pa.array(texts, pa.large_string()).slice(skipped)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(subject, "BYTES_AT_ONCE", 2)  # three-byte characters cross block borders
        result = subject.quoted(column, fills_line=alone).to_pylist()
    for text, field in zip(texts[skipped:], result, strict=True):
        needed = any(mark in text for mark in '",\r\n\ufeff') or (alone and not text)
        assert (field != text) == needed
        assert next(csv.reader(io.StringIO(field, newline="")), [""]) == [text]
