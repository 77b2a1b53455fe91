"""Common steps of a search benchmark: timing on fresh tables, sampling of records."""

import numpy as np
import pytest
from benchmarks.experiments import searches

from anonset import SetColumn

pytestmark = pytest.mark.compiled


def test_a_search_is_timed_on_fresh_tables_a_few_times():
    column, seen = SetColumn.of([["a", "b"], ["a"]]), []
    runs = searches.timed(lambda table: seen.append(table.transactions) or len(seen), column)
    assert len(runs.seconds) == runs.found == searches.REPEATS
    assert len({id(table_column) for table_column in (column, *seen)}) == searches.REPEATS + 1
    assert runs.measured["seconds"] == min(runs.seconds)


def test_records_are_drawn_without_replacement():
    column = SetColumn.of([[str(i)] for i in range(50)])
    drawn = searches.drawn(column, 20, seed=1)
    assert drawn.n == 20
    assert len(np.unique(drawn.items)) == 20
    assert np.array_equal(drawn.items, searches.drawn(column, 20, seed=1).items)
