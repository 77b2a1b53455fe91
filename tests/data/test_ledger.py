"""Results of finished steps are restored exactly, and damage is found."""

import json
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from tests.facts import refused

from anonset.algorithms.rt.across import PartlyMergedClusters
from anonset.algorithms.transaction.cuts.cut_search import FixedSet
from anonset.data import Hierarchy, SetColumn, Table
from anonset.data.codes import NarrowCodes, RowNumbers
from anonset.data.resumption.ledger import Ledger, digest_of, files_of_steps
from anonset.data.storage.lease import RUN
from anonset.data.storage.store import Files, backing
from anonset.errors import InputError
from anonset_kernels._arrays import ClusterStates


@pytest.fixture
def ledger(work: Files) -> Ledger:
    (work.path / RUN).write_text("{}")
    return Ledger(work)


@pytest.mark.parametrize(
    "value",
    [
        (1, -2.5, 1 / 3, float("inf"), 1 << 70, True, None, "\u00e4\n"),
        [],
        ((), ((), [frozenset()])),
        {"a": {1: ["x"]}, "dict": (), "value": {}},
        (FixedSet(("a", "b"), 3, ()), FixedSet((), 1 << 40, ("c",))),
        [FixedSet(("a",), 3, ("b",))],
        frozenset({"a"}),
        np.float64(1 / 3),
        np.uint64((1 << 64) - 1),
        np.bool_(True),
    ],
)
def test_values_are_restored_with_their_types(ledger, value):
    ledger.finish("step", value)
    restored = ledger.finished("step")
    assert (repr(restored), restored == value, type(restored)) == (repr(value), True, type(value))


@pytest.mark.parametrize("kind", [tuple, list])
@pytest.mark.parametrize("arrays", [[[1, 2], [], [3]], [[]], [[[1, 2]], [[3, 4]]], [[1], [[2]]]])
def test_collections_of_arrays_are_restored(ledger, kind, arrays):
    ledger.finish("step", kind(np.array(array, np.int32) for array in arrays))
    restored = ledger.finished("step")
    assert type(restored) is kind
    assert [(array.dtype, array.tolist()) for array in restored] == [(np.int32, array) for array in arrays]


def test_bits_and_figures_are_restored_exactly(ledger):
    none = np.empty((0, 2))
    values = ClusterStates(none, none, np.array([[3, 4]], np.int32), np.array([[1 << 63, 7]], np.uint64))
    column = SetColumn.of([{"a"}, {"b", "a"}])
    seeds = np.array([0.1, 1 / 3])
    cluster, size = np.array([0, 1, 1], np.int32), np.array([1, 2])
    ledger.finish("one", PartlyMergedClusters(cluster, size, values, seeds, (column, np.array([0, 1])), {"x": 1 / 3}))
    result = ledger.finished("one")
    assert ledger.finished("two") is None
    assert [a.tolist() for a in result.values] == [a.tolist() for a in values]
    assert (result.cluster.tolist(), result.size.tolist(), result.seeds.tolist()) == ([0, 1, 1], [1, 2], [0.1, 1 / 3])
    assert list(result.longest[0].rows()) == list(column.rows())
    assert (result.longest[1].tolist(), result.figures) == ([0, 1], {"x": 1 / 3})


def test_a_known_hierarchy_is_the_same_object(work):
    (work.path / RUN).write_text("{}")
    column = SetColumn.of([{"a"}, {"b", "a"}])
    tree, same, other = (Hierarchy.balanced(["a", "b", *more], 2) for more in ("", "", "c"))
    ledger = Ledger.of(work, Table(column), {"items": tree})
    ledger.finish("step", [tree, same, other, column.vocabulary])
    restored = ledger.finished("step")
    assert restored[0] is restored[1] is tree
    assert (restored[2].labels, restored[3] is column.vocabulary) == (other.labels, True)


@pytest.mark.parametrize("relative", [False, True])
def test_large_arrays_in_files_stay_there(tmp_path, monkeypatch, relative):
    monkeypatch.chdir(tmp_path)
    work = Files.create(Path("made") if relative else tmp_path / "made")
    (work.path / RUN).write_text("{}")
    ledger = Ledger(work)
    numbers = np.arange(1 << 20, dtype=np.int32)
    record, codes = work.keep("record", numbers), work.keep("codes", numbers.astype(np.uint16))
    ledger.finish("step", [RowNumbers(record), NarrowCodes(codes), record[1:]])
    restored = ledger.finished("step")
    assert [type(array) for array in restored[:2]] == [RowNumbers, NarrowCodes]
    stored = [restored[0].base, restored[1].base, restored[2]]
    for array, expected in zip(stored, [record, codes, record[1:]], strict=True):
        assert (array.dtype, np.array_equal(array, expected), backing(array) is None) == (expected.dtype, True, False)
    (new,) = files_of_steps(work).keys() - {"done-step.npz", "record", "codes"}
    for name in ("codes", new):
        file = work.path / name
        content = file.read_bytes()
        file.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
        with refused(InputError, name, code="damaged"):
            ledger.finished("step")
        file.write_bytes(content)
    (work.path / "codes").unlink()
    with refused(InputError, "codes", code="damaged"):
        ledger.finished("step")
    work.remove()


@pytest.mark.parametrize("value", [object(), {"a": [Ledger]}, np.array([object()]), 1j])
def test_other_objects_are_not_stored(ledger, work, value):
    ledger.finish("step", value)
    assert ledger.finished("step") is None
    assert not files_of_steps(work)


def test_a_changed_result_and_that_of_another_step_are_damaged(ledger, work):
    ledger.finish("step", np.arange(3))
    ledger.finish("other", "text")
    path = work.path / "done-step.npz"
    with np.load(path) as stored:
        arrays = {name: stored[name] for name in stored.files}
    np.savez(path, **arrays | {"a0": np.array([0, 1, 9])})
    with refused(InputError, "done-step.npz", code="damaged"):
        ledger.finished("step")
    path.write_bytes((work.path / "done-other.npz").read_bytes())
    with refused(InputError, "done-step.npz", code="damaged"):
        ledger.finished("step")


def forge(work, described):
    """Write a result with a valid digest."""
    packed = BytesIO()
    np.savez(packed, value=np.frombuffer(json.dumps(described).encode(), np.uint8))
    (work.path / "done-step.npz").write_bytes(packed.getvalue() + digest_of("step", packed.getvalue()))


@pytest.mark.parametrize(
    "value",
    [
        {"type": "os:system", "fields": {}},
        {"type": "anonset.data.resumption.ledger:files_of_steps", "fields": {}},
        {"type": "anonset.data.resumption.ledger:Nothing", "fields": {}},
        {"type": "anonset.data.storage.store:Store", "fields": {}},
        {"rows": ["tuple", "subprocess:Popen"], "fields": {"args": {"list": ["true"]}}},
        {"known": "tree"},
        {"array": "a0"},
        {"set": []},
        {},
    ],
)
def test_a_forged_result_is_refused(ledger, work, value):
    forge(work, {"value": value, "files": {}})
    with refused(InputError, "done-step.npz", code="damaged"):
        ledger.finished("step")


@pytest.mark.parametrize("files", [{"../x": ["<i4", 4, 0, 0]}, {"x": ["|O", 8, 0, 0]}, {"x": []}, []])
def test_a_forged_file_is_refused(ledger, work, files):
    (work.path / "x").write_bytes(bytes(8))
    forge(work, {"value": {"array": "x"}, "files": files})
    with refused(InputError, "", code="damaged"):
        ledger.finished("step")


def test_directories_of_other_runs_store_nothing(work):
    ledger = Ledger.of(work, Table(SetColumn.of([{"a"}])), {})
    ledger.finish("step", 1)
    assert (ledger.finished("step"), list(work.path.glob("done-*"))) == (None, [])
