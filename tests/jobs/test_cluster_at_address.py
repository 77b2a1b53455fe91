"""Clusters whose machines share no directory exchange the files of a run through an object store."""

import json
import os
import re
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from cloudpickle import dumps
from distributed import Client
from pyarrow import parquet
from tests.facts import names
from tests.jobs.programs import Programs
from tests.jobs.test_by_blocks import files_of
from tests.object_store import ObjectStore, object_store

from anonset.cli.main import main
from anonset.data import SetColumn, Table, Vocabulary
from anonset.data.resumption.ledger import READ, Ledger
from anonset.data.spans import NO_LIMITS
from anonset.data.storage import cluster
from anonset.data.storage.exchange import Exchange, SentFile, exchanging, join, leave, sent
from anonset.data.storage.lease import LEASE, RUN, new_lease, take
from anonset.data.storage.removal import remove_place
from anonset.data.storage.store import Files
from anonset.errors import AnonsetError, InputError
from anonset.jobs.anonymize_file import anonymize_file
from anonset.jobs.runs.work_places import clear_finished, work_place, work_place_of_run
from anonset.reading.sources.place import Place
from anonset.settings.edits import make_settings
from anonset.settings.settings import Settings

WORK = "s3://bucket/a/work"
RECORDS, ITEMS = 3_000, 60


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Iterator[ObjectStore]:
    with object_store(monkeypatch) as served:
        yield served


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data") / "baskets"
    folder.mkdir()
    rng = np.random.default_rng(5)
    for part in range(3):
        rows = [[f"{i:02}" for i in np.unique(rng.geometric(0.1, 5) % ITEMS)] for _ in range(RECORDS // 3)]
        parquet.write_table(pa.table({"items": rows}), folder / f"{part}.parquet")
    return folder


def _run(source: Path, out: Path, *, progress: Any = None, **more: Any) -> dict[str, bytes]:
    fixed = {"model": "km", "algorithm": "apriori", "k": 3, "m": 2, "hierarchy": {"items": "balanced:4"}}
    fixed |= {"items": ["items"], "unit": "row", "part_rows": 700, "memory_limit": "1G"}
    settings = make_settings({"input": str(source), "out": str(out), **fixed, **more})
    anonymize_file(settings, progress=progress)
    return files_of(out)


def _objects(store: ObjectStore) -> list[str]:
    return [name for name in store.objects if not name.endswith("/")]


@pytest.mark.compiled
@pytest.mark.long
@pytest.mark.parametrize("faults", [0, 1], ids=["calm", "busy"])
def test_files_pass_through_the_store_and_no_path_of_this_machine_does(
    store: ObjectStore, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, faults: int
) -> None:
    def packed(*values: Any) -> bytes:
        messages.append(pack(*values))
        return messages[-1]

    def busy(method: str, _path: str) -> bool:
        asked.append(method)
        return bool(faults) and len(asked) % 5 == 0

    pack, messages, asked, store.fault = cluster._packed, list[bytes](), list[str](), busy
    monkeypatch.setattr(cluster, "_packed", packed)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    expected = _run(source, tmp_path / "near", work_dir=str(tmp_path / "work"))
    with Programs(tmp_path / "dask") as programs:
        programs.complete(2)
        found = _run(source, tmp_path / "far", work_dir=WORK, cluster=programs.address)
        assert not [*(tmp_path / "dask").rglob("anonset-*")]
    assert found == expected
    assert len(messages) > 10
    assert not any(os.fsencode(tmp_path / "anonset-") in message for message in messages)
    assert asked.count("PUT") > 10
    assert not _objects(store)


@pytest.mark.compiled
@pytest.mark.long
def test_a_killed_worker_changes_no_byte(store: ObjectStore, source: Path, tmp_path: Path) -> None:
    def kill(stage: str, _done: float, _total: float) -> None:
        if stage in ("search", "apply", "write", "verify") and stage not in stages:
            stages.append(stage)
            programs.wait(2)
            programs.workers[-1].kill()
            programs.workers[-1].wait()
            programs.worker()

    stages = list[str]()
    expected = _run(source, tmp_path / "near", work_dir=str(tmp_path / "work"))
    with Programs(tmp_path / "dask") as programs:
        programs.complete(2)
        assert _run(source, tmp_path / "far", progress=kill, work_dir=WORK, cluster=programs.address) == expected
    assert len(stages) == 4
    assert not _objects(store)


@pytest.mark.compiled
@pytest.mark.long
def test_a_worker_without_access_is_named(store: ObjectStore, source: Path, tmp_path: Path) -> None:
    with Programs(tmp_path / "dask") as programs:
        programs.worker(AWS_ENDPOINT_URL="http://127.0.0.1:9")
        programs.wait(1)
        with pytest.raises(InputError, match=r"worker tcp\S+ cannot access .* read and write s3://bucket/a/work$"):
            _run(source, tmp_path / "far", work_dir=WORK, cluster=programs.address)
    assert not _objects(store)


@pytest.fixture
def at_address(store: ObjectStore, source: Path) -> str:
    store.objects |= {f"bucket/in/{path.name}": path.read_bytes() for path in source.iterdir()}
    return "s3://bucket/in"


@pytest.mark.compiled
@pytest.mark.long
@pytest.mark.parametrize("given", ["s3://bucket/in", "s3://id:address-key@bucket/in"], ids=["environment", "address"])
def test_workers_read_an_input_at_an_address_and_get_no_credentials(
    at_address: str, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str
) -> None:
    def packed(*values: Any) -> bytes:
        messages.append(pack(*values))
        return messages[-1]

    def run(client: Client, *values: Any, **options: Any) -> Any:
        messages.append(dumps(values))
        return ask(client, *values, **options)

    pack, ask, messages = cluster._packed, Client.run, list[bytes]()
    monkeypatch.setattr(cluster, "_packed", packed)
    monkeypatch.setattr(Client, "run", run)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "hidden-key")
    expected = _run(source, tmp_path / "near", work_dir=str(tmp_path / "work"))
    with Programs(tmp_path / "dask") as programs:
        programs.complete(2)
        found = _run(Path(given), tmp_path / "far", input=given, work_dir=WORK, cluster=programs.address)
    assert found == expected
    assert any(b"bucket/in" in message for message in messages) == (given == at_address)
    assert not [message for message in messages if b"hidden-key" in message or b"address-key" in message]


@pytest.mark.compiled
@pytest.mark.long
def test_a_worker_that_cannot_read_the_input_is_named(at_address: str, tmp_path: Path) -> None:
    with Programs(tmp_path / "dask") as programs:
        programs.complete(1)
        programs.worker(AWS_ENDPOINT_URL="http://127.0.0.1:9")
        programs.wait(2)
        message = r"worker tcp\S+ cannot read the input; .*: s3://bucket/in/0.parquet: "
        with pytest.raises(InputError, match=message) as error:
            _run(Path(), tmp_path / "far", input=at_address, work_dir=str(tmp_path / "work"), cluster=programs.address)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, "work_dir='s3://bucket/a/work': an address requires cluster, whose"),
        ({"cluster": "local:2", "private": f"{WORK}/private"}, "holds"),
        ({"cluster": "local:2", "work_dir": "s3://id:key@bucket/work"}, "work_dir: the address contains a password"),
        ({"cluster": "local:1", "work_dir": "s3://bucket"}, "'s3://bucket' must name a place in the bucket"),
        ({"cluster": "local:1", "work_dir": "s3://bucket/full"}, "s3://bucket/full: the work directory must be new"),
        (
            {"cluster": "local:1", "work_dir": "s3://bucket/full", "if_exists": "resume"},
            "s3://bucket/full: the work directory must be new",
        ),
    ],
)
def test_an_address_that_cannot_be_used_is_rejected_before_a_cluster_starts(
    store: ObjectStore,
    source: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    settings: dict[str, str],
    message: str,
) -> None:
    monkeypatch.setattr("anonset.jobs.anonymize_file.connected", None)
    store.objects["bucket/full/of"] = b"another"
    with pytest.raises(InputError) as error:
        _run(source, tmp_path / "out", **{"work_dir": WORK, **settings})
    assert message in str(error.value)
    assert "\n" not in str(error.value)
    assert store.objects == {"bucket/full/of": b"another"}


def test_a_directory_that_is_not_empty_is_rejected_before_a_cluster_starts(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("anonset.jobs.anonymize_file.connected", None)
    work = tmp_path / "work"
    work.mkdir()
    (work / "file").touch()
    with pytest.raises(InputError, match="empty"):
        _run(source, tmp_path / "out", work_dir=str(work), cluster="local:1")
    assert [path.name for path in work.iterdir()] == ["file"]


def _settings(tmp_path: Path, **more: Any) -> Settings:
    fixed = {"model": "km", "k": 3, "m": 2, "hierarchy": {"items": "balanced:4"}, "cluster": "local:2"}
    places = {"input": str(tmp_path), "out": str(tmp_path / "out"), "work_dir": WORK}
    return make_settings({**fixed, **places, "if_exists": "resume", **more})


def _resumed(settings: Settings) -> AbstractContextManager[Files]:
    return work_place_of_run(settings, NO_LIMITS)


LABELS, RESULT = ("a", "b", "c"), np.arange(5_000_000, dtype=np.uint8)


def _save_and_fail(files: Files) -> None:
    """Save a table and the result of a step, and fail."""
    begins, items = files.array("begins", np.int64, 3), files.array("items", np.int32, 3)
    begins[:], items[:] = [0, 2, 3], [0, 2, 1]
    Ledger(files).finish(READ, Table(SetColumn("items", begins, items, Vocabulary(LABELS)), store=files))
    Ledger(files).finish("search", (7, files.keep("result", RESULT)))
    files.keep("message-1", np.arange(9))
    raise AnonsetError


@pytest.fixture
def killed(store: ObjectStore, tmp_path: Path) -> Settings:
    """Return the settings of a run that has saved a table and the result of a step, and then failed."""
    settings = _settings(tmp_path)
    with pytest.raises(AnonsetError) as error, _resumed(settings) as files:
        _save_and_fail(files)
    assert names(error.value.__notes__[0], f"{WORK} resume 'anonset clean {WORK} --yes'")
    return settings


SAVED = ("done-read.npz", "begins", "items", "done-search.npz", "result")


def _at_work(store: ObjectStore) -> dict[str, str]:
    """Return the objects of the run by name without random suffix, and without the tokens of taken over leases."""
    return {
        re.sub(r"-([0-9a-f]{16}$|[0-9a-f]{32}(?=\.json$))", "", name): name for name in store.below("bucket/a/work")
    }


@pytest.mark.long
def test_finished_steps_are_found_in_the_store(store: ObjectStore, killed: Settings) -> None:
    with _resumed(killed) as files:
        assert _at_work(store).keys() == {*SAVED, RUN, LEASE}
        sets = Ledger(files).finished(READ).transactions
        assert (sets.indptr.tolist(), sets.items.tolist(), sets.vocabulary.labels) == ([0, 2, 3], [0, 2, 1], LABELS)
        count, result = Ledger(files).finished("search")
        assert (count, np.array_equal(result, RESULT), Path(result.base.filename).parent) == (7, True, files.path)
        puts = len([method for method, _ in store.requests if method == "PUT"])
        files.send(_at_work(store)[name] for name in SAVED)
        assert puts == len([method for method, _ in store.requests if method == "PUT"])
    assert not _objects(store)


@pytest.mark.parametrize("harm", ["changed", "cut", "gone"])
@pytest.mark.parametrize("name", SAVED)
def test_a_changed_object_is_reported_or_its_step_is_repeated(
    store: ObjectStore, killed: Settings, name: str, harm: str
) -> None:
    key = f"{WORK}/{_at_work(store)[name]}".removeprefix("s3://")
    data = bytearray(store.objects.pop(key))
    data[len(data) // 2] ^= 1
    if harm != "gone":
        store.objects[key] = bytes(data if harm == "changed" else data[:-3])
    left = dict(store.objects)
    if (harm, name) == ("gone", "done-read.npz"):
        with _resumed(killed) as files:
            assert (Ledger(files).finished(READ), _at_work(store).keys()) == (None, {RUN, LEASE})
        return
    if (harm, name) == ("gone", "done-search.npz"):
        with _resumed(killed) as files:
            assert (Ledger(files).finished(READ).n, Ledger(files).finished("search")) == (2, None)
        return
    with pytest.raises(InputError) as error, _resumed(killed):
        pass
    assert str(error.value).startswith(f"s3://{key}: " if harm == "gone" else WORK)
    assert "\n" not in str(error.value)
    assert names(error.value.__notes__[0], f"'anonset clean {WORK} --yes'")
    del left["bucket/a/work/" + LEASE]
    assert left.items() <= store.objects.items()


def test_a_run_at_an_address_excludes_other_runs(store: ObjectStore, killed: Settings, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="other settings") as other, _resumed(_settings(tmp_path, k=4)):
        pass
    with (
        pytest.raises(InputError, match="must be new or empty"),
        _resumed(_settings(tmp_path, if_exists="error")),
    ):
        pass
    with _resumed(killed):
        before = dict(store.objects)
        with pytest.raises(InputError, match=f"another run uses '{WORK}'") as live, _resumed(killed):
            pass
        assert store.objects == before
    assert [error.value.code for error in (other, live)] == ["other-run", "in-use"]


def test_a_suspended_run_that_lost_its_place_stops_and_removes_nothing(store: ObjectStore, killed: Settings) -> None:
    taken = json.dumps(asdict(new_lease())).encode()

    def finish_without_the_place(files: Files) -> None:
        store.objects[f"bucket/a/work/{LEASE}"] = taken
        Ledger(files).finish("rows", 8)

    with pytest.raises(InputError, match="another run took over") as lost, _resumed(killed) as files:
        finish_without_the_place(files)
    assert lost.value.code == "in-use"
    assert _at_work(store).keys() == {*SAVED, RUN, LEASE}
    assert store.objects[f"bucket/a/work/{LEASE}"] == taken


def test_objects_that_cannot_be_deleted_are_reported(
    store: ObjectStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(place: Place, _name: str) -> None:
        raise InputError(f"{place}: cannot be deleted")

    monkeypatch.setattr(Place, "delete", fail)
    notes = list[str]()
    with work_place_of_run(_settings(tmp_path), NO_LIMITS, note=notes.append):
        pass
    assert _objects(store)
    (note,) = notes
    assert names(note, f"{WORK} 'anonset clean' 'cannot be deleted'")


@pytest.mark.parametrize("resumable", [True, False])
def test_clean_removes_the_objects_of_a_killed_run(
    store: ObjectStore, killed: Settings, capsys: pytest.CaptureFixture[str], resumable: bool
) -> None:
    if not resumable:
        assert main(["clean", WORK, "--yes"]) == 0
    store.objects["bucket/a/worker"] = b"of another"
    with _resumed(killed) if resumable else work_place(WORK, NO_LIMITS) as files:
        files.keep("some", np.arange(9))
        assert main(["clean", WORK, "--yes"]) == 0
        assert names(capsys.readouterr().out, f"{WORK} 'in use'")
        remains = dict(store.objects)
    assert _objects(store) == ["bucket/a/worker"]
    store.objects.update(remains)
    assert main(["clean", f"{WORK}/"]) == 0
    assert names(capsys.readouterr().out, f"{WORK} 'anonset clean {WORK}/ --yes'")
    assert main(["clean", "s3://bucket/a", "--yes"]) == 0
    assert remains.items() <= store.objects.items()
    capsys.readouterr()
    assert main(["clean", WORK, "--yes", "--json"]) == 0
    (listed,) = json.loads(capsys.readouterr().out)["directories"]
    assert (listed["path"], listed["state"], listed["removed"]) == (WORK, "left", True)
    assert listed["bytes"] == sum(len(data) for name, data in remains.items() if name.startswith("bucket/a/work/"))
    assert _objects(store) == ["bucket/a/worker"]


@pytest.mark.parametrize("remover", ["clean", "resume"])
def test_a_removal_that_is_interrupted_anywhere_is_completed(
    store: ObjectStore, killed: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, remover: str
) -> None:
    def deleted(place: Place, *name: str) -> None:
        with lock:
            if len(done) == deletions:
                raise KeyboardInterrupt
            done.append(name)
        delete[len(name)](place, *name)

    delete, lock = {0: Place.delete_all, 1: Place.delete}, threading.Lock()
    before, interrupted, deletions = dict(store.objects), True, 0
    while interrupted:
        store.objects.update(before)
        done, interrupted = list[Any](), False
        take(Place(WORK))
        with monkeypatch.context() as patch:
            patch.setattr(Place, "delete", deleted)
            patch.setattr(Place, "delete_all", deleted)
            try:
                remove_place(Place(WORK))
            except KeyboardInterrupt:
                interrupted = True
        assert not _at_work(store) or LEASE in _at_work(store)
        if remover == "clean":
            assert main(["clean", WORK, "--yes"]) == 0
        else:
            clear_finished(killed)
        assert not _objects(store)
        deletions += 1
    assert deletions > len(SAVED) + 2


class Machines:
    """This machine with a store, another machine with a directory, and the place between them."""

    def __init__(self, store: Files, place: Place, other: Exchange) -> None:
        self.store, self.place, self.other = store, place, other

    def received(self, message: Path | SentFile) -> Path:
        """Return the path of a file on the other machine."""
        assert isinstance(message, SentFile)
        return self.other.receive(message)


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[Machines]:
    place = Place(str(tmp_path / "place"))
    with Files.temporary() as store, exchanging(place, store.path) as here:
        yield Machines(store, place, Exchange(here.token, place, tmp_path / "other"))


def test_a_worker_keeps_only_the_copies_of_the_last_run_at_a_place(tmp_path: Path) -> None:
    place, other = Place(str(tmp_path / "place")), Place(str(tmp_path / "other"))
    roots = {token: join(token, at, tmp_path / "worker").root for token, at in (("a", place), ("b", other))}
    (roots["a"] / "copy").write_text("raw")
    try:
        assert join("a", Place(place.address), tmp_path / "worker").root == roots["a"]
        assert (roots["a"] / "copy").exists()
        roots["c"] = join("c", Place(place.address), tmp_path / "worker").root
        assert [root.exists() for root in roots.values()] == [False, True, True]
        with pytest.raises(InputError, match=f"another run took over '{place}'") as error:
            join("a", place, tmp_path / "worker")
        assert (error.value.code, roots["a"].exists()) == ("in-use", False)
    finally:
        for token in roots:
            leave(token)
    assert not any((tmp_path / "worker").iterdir())


def test_a_file_is_put_once_and_again_if_its_array_has_changed(machines: Machines) -> None:
    store, place = machines.store, machines.place
    array = store.array("codes", np.int64, 4)
    path = next(path for path in store.path.iterdir() if path.name.startswith("codes"))
    first = sent(path, may_change=True)
    copied = machines.received(first)
    assert (np.fromfile(copied, np.int64).tolist(), copied.parent) == ([0] * 4, machines.other.root)
    place.delete(path.name)
    assert sent(path, may_change=True) == sent(path) == first
    assert place.size(path.name) is None
    array[1] = 7
    second = sent(path, may_change=True)
    assert np.fromfile(machines.received(second), np.int64).tolist() == [0, 7, 0, 0]


def test_a_damaged_object_is_rejected(machines: Machines) -> None:
    store, place = machines.store, machines.place
    store.keep("codes", np.arange(4))
    message = sent(store.path / "codes")
    place.put("codes", b"x" * 32, replace=True)
    with pytest.raises(AnonsetError, match="codes: the object is damaged"):
        machines.received(message)
    assert not [path for path in machines.other.root.rglob("*") if path.is_file()]


def test_a_dropped_array_is_deleted_in_the_place(machines: Machines) -> None:
    store, place = machines.store, machines.place
    with store.nested() as below:
        below.keep("left", np.arange(4))
        store.keep("codes", np.arange(4))
        assert len(place.names()) == 2
        store.drop("codes")
        assert len(place.names()) == 1
    assert not place.names()
