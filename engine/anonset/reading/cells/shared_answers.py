"""Reject columns with one code per cell that contain answers to different questions, instead of codes of one kind."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from anonset.arrow import ArrowColumns
from anonset.columns.kinds import kind_of_values
from anonset.columns.marks import words_for_marks
from anonset.errors import Fix, InputError, typed
from anonset.lazy_arrow import pa
from anonset.spelling import setting

_MOST_VALUES, _FEWEST_COLUMNS, _FEWEST_ROWS = 20, 3, 10
_CODES = ("ICD-9 codes", "ICD-10 codes", "ATC codes")


def require_separate_answers(where: str, names: Sequence[str], columns: ArrowColumns) -> None:
    """Reject columns in which most rows contain a value of a short list several times.

    Without its header, such a value would be the same item in every column. Codes of one kind, such as diagnoses,
    rarely occur twice in a row.

    Parameters
    ----------
    names
        Columns with one code per cell.
    columns
        First rows of the columns, each a ``pyarrow.ChunkedArray``.

    Raises
    ------
    InputError
        The message contains the setting that reads these columns.
    """
    rows = [
        cells for cells in zip(*(_texts(columns[name]) for name in names), strict=True) if sum(map(bool, cells)) > 1
    ]
    values = sorted({cell for cells in rows for cell in cells if cell})
    if len(names) < _FEWEST_COLUMNS or len(rows) < _FEWEST_ROWS or not 0 < len(values) <= _MOST_VALUES:
        return
    repeated = np.array([len({*filter(None, cells)}) < sum(map(bool, cells)) for cells in rows])
    if 2 * repeated.sum() <= len(repeated) or kind_of_values(values) in _CODES:
        return
    pair = words_for_marks(values)
    if pair is not None and all(pair):
        problem = f"columns of {setting('one_code')} contain only {typed(pair[0])} and {typed(pair[1])}"
        fix = Fix({"one_hot": list(names), "present": pair[0]}, "if each column is an item")
    else:
        problem = f"most rows contain a value in several columns of {setting('one_code')}, as in answers to questions"
        fix = Fix({"with_header": True}, f"to read items such as {names[0]}=VALUE")
    raise InputError(f"{where}: {problem}; equal values of different columns would be one item", fixes=[fix])


def _texts(column: Any) -> list[str]:
    texts = column.slice(0, _ROWS).cast(pa.string()).to_pylist()
    return ["" if text is None else text.strip() for text in texts]


_ROWS = 1_000
