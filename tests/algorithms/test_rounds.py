"""An interrupted search resumes after the last completed size and returns the same result."""

import numpy as np
import pytest
from tests.facts import refused

from anonset.algorithms.transaction.cuts.apriori import Apriori
from anonset.algorithms.transaction.cuts.cut_search import CutSearch
from anonset.data import Hierarchy, SetColumn, Table
from anonset.data.storage.lease import RUN
from anonset.errors import InputError

HIERARCHY = Hierarchy.balanced([str(i) for i in range(40)], 3)


@pytest.fixture
def table(work):
    (work.path / RUN).write_text("{}")  # the search stores its state in resumable directories alone
    rng = np.random.default_rng(3)
    weights = 1 / np.arange(1, 41)
    rows = [rng.choice(40, size, replace=False, p=weights / weights.sum()) for size in rng.integers(0, 6, 300)]
    column = SetColumn.of([{str(i) for i in row} for row in rows], universe=HIERARCHY.leaves.labels)
    arrays = [work.keep(name, values) for name, values in (("indptr", column.indptr), ("items", column.items))]
    return Table(SetColumn("items", *arrays, column.vocabulary), store=work)


class Killed(BaseException):
    """Simulates the end of a process."""


def recode(table, k=3, m=3):
    found = Apriori(k=k, m=m).recode(table, {"items": HIERARCHY})
    return found.recoding.labels, found.trace, found.figures


@pytest.mark.parametrize("last", [1, 2])
def test_a_search_resumes_after_the_last_finished_size(table, work, monkeypatch, last):
    in_memory = Table(SetColumn.of(table.transactions.rows(), universe=HIERARCHY.leaves.labels))
    expected, sizes, original = recode(in_memory), [], CutSearch.rare_sets

    def killed(self, size):
        if size > last:
            raise Killed
        return original(self, size)

    def counted(self, size):
        sizes.append(size)
        return original(self, size)

    monkeypatch.setattr(CutSearch, "rare_sets", killed)
    with pytest.raises(Killed):
        recode(table)
    monkeypatch.setattr(CutSearch, "rare_sets", counted)
    assert recode(table) == expected
    assert sizes == list(range(last + 1, 4))


def test_rounds_of_another_search_are_not_reused(table, work):
    recode(table, k=4)
    again = recode(table)
    (work.path / "done-rounds.npz").unlink()
    assert recode(table) == again


@pytest.mark.parametrize(
    "damage", [lambda data: b"", lambda data: data[:-9], lambda data: data.replace(b"value", b"valve")]
)
def test_rounds_that_are_damaged_are_named(table, work, damage):
    recode(table)
    path = work.path / "done-rounds.npz"
    path.write_bytes(damage(path.read_bytes()))
    with refused(InputError, "done-rounds.npz", code="damaged"):
        recode(table)


def test_a_byte_that_turned_in_the_rounds_is_noticed(table, work):
    recode(table)
    path = work.path / "done-rounds.npz"
    data = bytearray(path.read_bytes())
    data[data.index(b"a2.npy") + 200] ^= 1
    path.write_bytes(data)
    with refused(InputError, "done-rounds.npz", code="damaged"):
        recode(table)
