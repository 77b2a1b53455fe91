"""Publications in an object store: complete or absent, verified, and cleared after a killed run."""

import gzip
import json
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from tests.object_store import ObjectStore, object_store

import anonset
from anonset.data.storage import lease as leases
from anonset.data.storage.store import MEMORY
from anonset.errors import InputError
from anonset.reading.sources import place as places
from anonset.release.publishing.destination import Places, destination
from anonset.writing import codebook
from cli.place import RECORDS, Place

OUT, STAGED = "s3://bucket/a/safe", "bucket/a/.safe.tmp"
FILES = {"attestation.json", "codebook.csv", "published.dat"}


@pytest.fixture(autouse=True)
def store(monkeypatch: pytest.MonkeyPatch) -> Iterator[ObjectStore]:
    with object_store(monkeypatch) as served:
        yield served


def _job(place: Place, *more: str, out: str = OUT) -> list[str]:
    return [part.replace(str(place.out), out) for part in place.job(*more)]


def _reading(place: Place, address: str, *, out: str) -> list[str]:
    """Return the job with its data at an address."""
    return [part.replace(str(place.folder / "data.dat"), address) for part in _job(place, out=out)]


def _published(store: ObjectStore) -> bool:
    left = {name for name in store.objects if not name.endswith("/") and ("tmp" in name or "lease" in name)}
    return store.below("bucket/a/safe").keys() == FILES and not left


def _nothing_in(store: ObjectStore) -> bool:
    return not any(store.below(prefix) for prefix in ("bucket/a/safe", "bucket/a/safe.private", STAGED))


def _put_lease(store: ObjectStore, key: str, **changes: Any) -> None:
    lease = asdict(leases.new_lease()) | changes
    store.objects[f"{key}/{leases.LEASE}"] = json.dumps(lease).encode()


@pytest.mark.long
def test_the_publication_has_the_bytes_of_a_local_one(place: Place, store: ObjectStore) -> None:
    assert place.run(*place.job()).code == 0
    ran = place.run(*_job(place, "--json"))
    assert (ran.code, ran.json["out"], ran.json["private"]) == (0, OUT, f"{OUT}.private")
    assert store.below("bucket/a/safe") == {path.name: path.read_bytes() for path in place.out.iterdir()}
    assert store.below("bucket/a/safe.private").keys() == {path.name for path in place.private.iterdir()}
    assert _published(store)


@pytest.mark.long
def test_files_are_staged_and_compared_and_the_attestation_is_copied_last(place: Place, store: ObjectStore) -> None:
    assert place.run(*_job(place, "--part-rows", "2")).code == 0
    put = [path for method, path in store.requests if method in ("PUT", "POST") and path.startswith("bucket/a/safe/")]
    assert put[-1] == "bucket/a/safe/attestation.json"
    assert set(put[:-1]) == {
        f"bucket/a/safe/{n}" for n in ("codebook.csv", *(f"published/part-0000{i}.dat" for i in "01"))
    }
    for path in put:
        staged = f"{STAGED}/publication/{path.removeprefix('bucket/a/safe/')}"
        assert store.requests.index(("GET", staged)) < store.requests.index(("PUT", path))
    assert place.run("verify", OUT).code == 0


def test_a_publication_at_an_address_is_verified(place: Place, store: ObjectStore) -> None:
    place.run(*_job(place))
    data = str(place.folder / "data.dat")
    assert "matches the original" in place.run("verify", OUT, "--original", data).out
    store.objects["bucket/a/safe/published.dat"] += b"a1 b1\n"
    ran = place.run("verify", OUT)
    assert (ran.code, len(ran.errors)) == (2, 1)
    assert f"'{OUT}/published.dat' is not the attested file" in ran.err
    store.objects["bucket/a/safe/more"] = b"x"
    assert f"'{OUT}/more' is not attested" in place.run("verify", OUT).err
    del store.objects["bucket/a/safe/attestation.json"]
    ran = place.run("verify", OUT)
    assert (ran.code, len(ran.errors)) == (2, 1)
    assert f"{OUT}: no attestation.json" in ran.err


@pytest.mark.parametrize("name", ["../../escaped", "a/../../../escaped", "/escaped", "./x"])
def test_object_names_outside_the_publication_are_rejected(place: Place, store: ObjectStore, name: str) -> None:
    place.run(*_job(place))
    store.objects[f"bucket/a/safe/{name}"] = b"x"
    ran = place.run("verify", OUT)
    assert (ran.code, len(ran.errors)) == (2, 1), ran.err


@pytest.mark.long
def test_nothing_is_overwritten(place: Place, store: ObjectStore) -> None:
    place.run(*_job(place))
    before = dict(store.objects)
    ran = place.run(*_job(place))
    assert (ran.code, f"'{OUT}' already exists" in ran.err) == (2, True)
    assert place.run(*_job(place, "--private", "s3://bucket/a/safe", out="s3://bucket/a/other")).code == 2
    ran = place.run(*_job(place, "--if-exists", "resume"))
    assert (ran.code, ran.out.startswith("already published")) == (0, True)
    assert store.objects == before


@pytest.mark.long
def test_a_records_file_in_parts_is_stored_and_fetched(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(codebook, "MOST_AS_TEXT", 0)
    monkeypatch.setattr(codebook, "ROWS_PER_RECORDS_FILE", 2)
    private = ["--private", str(place.folder / "own")]
    assert place.run(*place.job(*private)).code == 0
    assert place.run(*_job(place)).code == 0
    names = {path.name for path in (place.folder / "own" / "records").iterdir()}
    assert len(names) > 1
    fetched = places.Place(f"{OUT}.private/records")
    assert set(fetched.names()) == names
    original = ["--original", str(place.folder / "data.dat"), "--json"]
    ran = place.run("verify", OUT, *original)
    assert (ran.code, ran.json["true"]) == (0, True), ran.err


@pytest.mark.parametrize("private", ["local", "address"])
def test_one_of_the_directories_may_be_local(place: Place, store: ObjectStore, private: str) -> None:
    if private == "local":
        own, out = place.folder / "own", OUT
        assert place.run(*_job(place, "--private", str(own))).code == 0
        assert (own.stat().st_mode & 0o777, {path.stat().st_mode & 0o777 for path in own.iterdir()}) == (0o700, {0o600})
        files = {path.name for path in own.iterdir()}
    else:
        out = str(place.out)
        assert place.run(*place.job("--private", "s3://bucket/own")).code == 0
        files = set(store.below("bucket/own"))
        assert {path.name for path in place.out.iterdir()} == FILES
    assert files == {"report.json", "mapping.csv", "records.csv", "hierarchy.csv"}
    assert place.run("verify", out).code == 0
    assert not (place.folder / ".out.tmp").exists()


@pytest.mark.parametrize(
    "path",
    [
        f"{STAGED}/publication/published.dat",
        "bucket/a/safe.private/report.json",
        "bucket/a/safe/attestation.json",
    ],
)
def test_a_store_that_refuses_a_write_is_reported_in_one_line(place: Place, store: ObjectStore, path: str) -> None:
    store.fault = lambda method, asked: asked == path and method in ("PUT", "POST")
    ran = place.run(*_job(place))
    assert (ran.code, len(ran.errors)) == (2, 1), ran.err
    assert ": cannot be written: " in ran.err
    assert _nothing_in(store)
    store.fault = lambda method, asked: False
    assert place.run(*_job(place)).code == 0
    assert _published(store)


def test_a_store_that_fails_later_is_cleared_by_the_next_run(
    place: Place, store: ObjectStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fault(method: str, path: str) -> bool:
        failing.extend([True] * (path == "bucket/a/safe/codebook.csv" and method == "PUT"))
        return bool(failing)

    failing: list[bool] = []
    store.fault = fault
    ran = place.run(*_job(place))
    assert (ran.code, len(ran.errors)) == (2, 1), ran.err
    store.fault = lambda method, asked: False
    assert f"a run that was writing '{OUT}' was killed" in place.run(*_job(place)).err
    assert place.run(*_job(place, "--if-exists", "resume")).code == 0
    assert _published(store)


def test_bytes_that_change_in_the_store_are_not_published(
    place: Place, store: ObjectStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def damaged(self: places.Place, name: str, content: bytes | Path, *, replace: bool = False) -> None:
        put(self, name, content, replace=replace)
        if name == "published.dat":
            store.objects[f"{STAGED}/publication/{name}"] = b"a1 b1\n"

    put = places.Place.put
    monkeypatch.setattr(places.Place, "put", damaged)
    ran = place.run(*_job(place))
    assert (ran.code, len(ran.errors)) == (2, 1), ran.err
    assert "the stored bytes differ from the file" in ran.err
    assert _nothing_in(store)


KILLED_AT = {
    "staging": ("POST", f"{STAGED}/publication/codebook.csv"),
    "private": ("POST", "bucket/a/safe.private/mapping.csv"),
    "copying": ("PUT", "bucket/a/safe/published.dat"),
    "attesting": ("PUT", "bucket/a/safe/attestation.json"),
    "finishing": ("DELETE", "bucket/a/safe.private/anonset-lease.json"),
}


@pytest.mark.compiled
@pytest.mark.long
@pytest.mark.parametrize("request_", KILLED_AT.values(), ids=KILLED_AT)
def test_a_killed_run_is_no_publication_and_is_cleared(
    place: Place, store: ObjectStore, request_: tuple[str, str]
) -> None:
    def fault(method: str, path: str) -> bool:
        if (method, path) == request_:
            started.wait()
            run[0].kill()
            run[0].wait()
            return True
        return False

    run, started = list[subprocess.Popen[bytes]](), threading.Event()
    store.fault = fault
    run.append(subprocess.Popen([sys.executable, "-m", "anonset", *_job(place)], stderr=subprocess.DEVNULL))
    started.set()
    assert run[0].wait() == -9
    store.fault = lambda method, path: False
    ran = place.run("verify", OUT)
    assert (ran.code, len(ran.errors)) == ((0, 0) if request_ == KILLED_AT["finishing"] else (2, 1))
    ran = place.run(*_job(place))
    assert (ran.code, "was killed; use --if-exists resume" in ran.err) == (2, True)
    assert place.run(*_job(place, "--if-exists", "resume")).code == 0
    assert _published(store)


def test_a_run_on_another_machine_is_left_alone_until_it_stops(
    place: Place, store: ObjectStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    _put_lease(store, STAGED, host="elsewhere")
    store.objects["bucket/a/safe/published.dat"] = b"unfinished"
    ran = place.run(*_job(place))
    assert (ran.code, "another run uses" in ran.err) == (2, True)
    monkeypatch.setattr(leases, "LASTS", 0.3)
    assert place.run(*_job(place, "--if-exists", "resume")).code == 0
    assert _published(store)


def test_a_run_that_lost_its_lease_publishes_nothing(place: Place, store: ObjectStore) -> None:
    def taken_over(method: str, path: str) -> bool:
        if path == "bucket/a/safe.private/report.json" and method != "HEAD":
            store.objects[f"{STAGED}/anonset-lease.json"] = b"{}"
        return False

    store.fault = taken_over
    ran = place.run(*_job(place))
    assert (ran.code, len(ran.errors)) == (2, 1), ran.err
    assert "another run took over 's3://bucket/a/.safe.tmp'" in ran.err
    assert store.below("bucket/a/safe") == {}


def test_leftovers_are_cleared_after_a_run_that_was_killed_while_it_cleared_them(
    place: Place, store: ObjectStore
) -> None:
    _put_lease(store, STAGED, process=0, token="a" * 32)
    _put_lease(store, "bucket/a/safe.private", process=0, token="a" * 32)
    second = json.dumps(asdict(leases.new_lease()) | {"process": 0}).encode()
    store.objects[f"{STAGED}/anonset-lease-{'a' * 32}.json"] = second
    store.objects["bucket/a/safe.private/records.csv"] = b"raw"
    assert place.run(*_job(place, "--if-exists", "resume")).code == 0
    assert _published(store)


def test_a_lease_that_appears_meanwhile_is_not_replaced(
    place: Place, store: ObjectStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    _put_lease(store, STAGED, host="elsewhere")
    before, read = dict(store.objects), leases.content_in
    first = [None]
    monkeypatch.setattr(leases, "content_in", lambda *of: first.pop() if first else read(*of))
    with pytest.raises(InputError, match="another run uses") as error:
        leases.take(places.Place(f"s3://{STAGED}"))
    assert (error.value.code, store.objects) == ("in-use", before)


def test_the_second_of_two_runs_of_one_process_removes_nothing(store: ObjectStore) -> None:
    place = destination(OUT)
    assert isinstance(place, Places)
    second = place.stage(MEMORY)
    with place.stage(MEMORY):
        before = dict(store.objects)
        with pytest.raises(InputError, match="another run uses"), second:
            pass
        assert store.objects == before
        leases.require_held(place.staged)
        assert leases.holds(place.staged)
    assert _nothing_in(store)


@pytest.mark.long
def test_leftovers_of_another_publication_remain(place: Place, store: ObjectStore) -> None:
    place.run(*_job(place))
    private = store.below("bucket/a/safe.private")
    _put_lease(store, "bucket/a/.other.tmp", process=0)
    more = ["--private", f"{OUT}.private", "--if-exists", "resume"]
    assert place.run(*_job(place, *more, out="s3://bucket/a/other")).code == 2
    assert store.below("bucket/a/safe.private") == private


@pytest.mark.parametrize(
    ("out", "more", "message"),
    [
        ("s3://bucket", [], "'s3://bucket' must name a place in the bucket, such as 's3://bucket/safe'"),
        ("s3://bucket/a", ["--private", "s3://bucket/a/own"], "must be separate"),
        ("s3:/bucket/a", [], "is not a local path"),
        ("nosuch://bucket/a", [], "nosuch://bucket/"),
    ],
)
def test_a_bad_address_is_rejected(place: Place, store: ObjectStore, out: str, more: list[str], message: str) -> None:
    ran = place.run(*_job(place, *more, out=out))
    assert (ran.code, len(ran.errors)) == (2, 1), ran.err
    assert message in ran.err
    assert not store.objects


def test_python_functions_accept_addresses_of_an_object_store(place: Place, store: ObjectStore) -> None:
    table = anonset.read(place.folder / "data.dat")
    tree = {"items": place.folder / "hierarchy.csv"}
    release = anonset.anonymize(table, anonset.Apriori(k=2, m=2), hierarchies=tree, out=OUT, format="dat")
    assert _published(store)
    assert str(release.save("s3://bucket/b", "s3://bucket/own", "dat")) == "s3://bucket/b"
    assert store.below("bucket/b") == store.below("bucket/a/safe")
    with pytest.raises(InputError, match="already exists"):
        release.save(OUT)


def test_publishing_needs_the_space_of_the_publication_in_the_temporary_directory(
    place: Place, store: ObjectStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = shutil.disk_usage(place.folder)
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: usage._replace(free=1))
    ran = place.run(*_job(place))
    assert (ran.code, "not enough disk space" in ran.err) == (2, True)
    assert not store.objects


@pytest.mark.long
@pytest.mark.parametrize("missing", ["attestation.json", "published.dat", ""])
def test_a_stale_list_changes_no_verdict_and_overwrites_nothing(place: Place, store: ObjectStore, missing: str) -> None:
    place.run(*_job(place))
    store.stale = lambda key: key.startswith("bucket/a/safe/") and key.endswith(missing)
    ran = place.run("verify", OUT)
    assert (ran.code, "holds" in ran.out) == (0, True), ran.err
    before = dict(store.objects)
    ran = place.run(*_job(place))
    assert (ran.code, f"'{OUT}' already exists" in ran.err) == (2, True), ran.err
    assert store.objects == before


def test_a_file_that_is_missing_at_the_address_is_named(place: Place, store: ObjectStore) -> None:
    place.run(*_job(place))
    del store.objects["bucket/a/safe/published.dat"]
    ran = place.run("verify", OUT)
    assert (ran.code, len(ran.errors), f"{OUT}/published.dat" in ran.err) == (2, 1, True), ran.err


@pytest.mark.long
@pytest.mark.parametrize("name", ["../outside", "/outside"])
def test_an_attestation_fetches_no_file_from_outside(place: Place, store: ObjectStore, name: str) -> None:
    place.run(*_job(place))
    attestation = store.objects["bucket/a/safe/attestation.json"]
    store.objects["bucket/a/safe/attestation.json"] = attestation.replace(b'"published.dat"', f'"{name}"'.encode())
    ran = place.run("verify", OUT)
    assert (ran.code, len(ran.errors)) == (2, 1), ran.err
    assert not any("outside" in path for _, path in store.requests)


def test_a_store_that_is_busy_for_some_requests_gives_the_same_bytes(place: Place, store: ObjectStore) -> None:
    place.run(*place.job())
    asked, rejected = list[str](), set[tuple[str, str]]()

    def busy(method: str, path: str) -> bool:
        asked.append(path)
        is_rejected = len(asked) % 3 == 0 and (method, path) not in rejected  # whatever the order of the threads
        rejected.update([(method, path)] if is_rejected else [])
        return is_rejected

    store.fault = busy
    ran = place.run(*_job(place))
    assert ran.code == 0, ran.err
    assert len(rejected) > 2
    assert store.below("bucket/a/safe") == {path.name: path.read_bytes() for path in place.out.iterdir()}


@pytest.mark.long
@pytest.mark.parametrize("name", ["data.dat", "data.dat.gz"])
def test_a_store_that_is_busy_while_the_data_are_read_changes_no_byte(
    place: Place, store: ObjectStore, name: str
) -> None:
    text = (RECORDS * 100).encode()
    local = place.write(name, gzip.compress(text, 0) if name.endswith(".gz") else text)
    assert place.run(*_reading(place, local, out=str(place.out))).code == 0
    store.objects[f"bucket/{name}"] = Path(local).read_bytes()
    asked = list[str]()

    def busy(method: str, path: str) -> bool:
        asked.extend([path] * (path == f"bucket/{name}"))
        return path == f"bucket/{name}" and len(asked) % 2 != 0

    store.fault = busy
    ran = place.run(*_reading(place, f"s3://bucket/{name}", out=OUT))
    assert ran.code == 0, ran.err
    assert store.below("bucket/a/safe") == {path.name: path.read_bytes() for path in place.out.iterdir()}
    assert len(asked) > 3


def test_a_store_that_refuses_the_data_is_reported_in_one_line(place: Place, store: ObjectStore) -> None:
    store.objects["bucket/data.dat"] = (place.folder / "data.dat").read_bytes()
    store.fault = lambda method, path: path == "bucket/data.dat" and method == "GET"
    ran = place.run(*_reading(place, "s3://bucket/data.dat", out=str(place.out)))
    assert (ran.code, len(ran.errors), "s3://bucket/data.dat: cannot be read" in ran.err) == (2, 1, True), ran.err
    assert not place.out.exists()
