"""Objects of a local directory, an object store, and a file system of the package fsspec."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.object_store import ObjectStore, object_store

from anonset.errors import InputError
from anonset.reading.sources import place as module
from anonset.reading.sources.place import Place


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Iterator[ObjectStore]:
    with object_store(monkeypatch) as served:
        yield served


@pytest.fixture(params=["local", "s3", "memory"])
def place(request: pytest.FixtureRequest, tmp_path: Path, store: ObjectStore) -> Place:
    if request.param == "memory":
        pytest.importorskip("fsspec").filesystem("memory").rm("/", recursive=True)
    return Place(
        {"local": f"{tmp_path}/out", "s3": "s3://bucket/a/out", "memory": "memory://bucket/out"}[request.param]
    )


def test_an_object_is_put_once_and_read_in_ranges(place: Place, tmp_path: Path) -> None:
    assert (place.names(), place.size("x")) == ([], None)
    (tmp_path / "content").write_bytes(b"abcdef")
    place.put("x", b"one")
    place.put("parts/y", tmp_path / "content")
    assert place.names() == ["parts/y", "x"]
    assert (place.read("parts/y"), place.read("parts/y", 2, 3), place.size("x")) == (b"abcdef", b"cde", 3)
    assert place.sha256("parts/y") == "bef57ec7f53a6d40beb640a780a639c83bc29ac8a9816f1fc6c5c6dcd93c4721"
    with pytest.raises(InputError, match="x: already exists"):
        place.put("x", b"two")
    place.put("x", b"three", replace=True)
    assert place.read("x") == b"three"
    place.fetch("parts/y", tmp_path / "fetched" / "y")
    assert (tmp_path / "fetched" / "y").read_bytes() == b"abcdef"


def test_of_two_processes_that_create_an_object_at_once_one_succeeds(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("fsspec").filesystem("memory").rm("/", recursive=True)
    place = Place("memory://bucket/out")
    monkeypatch.setattr(Place, "size", lambda *_: None)
    place.put("x", b"one")
    with pytest.raises(InputError, match="x: already exists") as error:
        place.put("x", b"two")
    assert (error.value.code, place.read("x")) == ("exists", b"one")


def test_objects_are_copied_and_deleted(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    other = place.parent / "copy"
    place.put("parts/y", b"abc")
    place.copy("parts/y", other)
    monkeypatch.setattr(module, "MOST_COPIED", 2)
    place.put("z", b"abc")
    place.copy("z", other)
    assert [other.read(name) for name in other.names()] == [b"abc", b"abc"]
    other.delete("z")
    other.delete("z")
    assert other.names() == ["parts/y"]
    other.delete_all()
    other.delete_all()
    assert (other.names(), place.names()) == ([], ["parts/y", "z"])


def test_an_interrupted_write_leaves_no_object(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(file: object, target: object, size: int) -> None:
        target.write(b"abc")  # type: ignore[attr-defined]
        raise KeyboardInterrupt

    monkeypatch.setattr(module.shutil, "copyfileobj", interrupted)
    with pytest.raises(KeyboardInterrupt):
        place.put("x", Path(__file__))
    assert place.names() == []


CALLS: dict[str, Callable[[Place], object]] = {
    "put": lambda place: place.put("x", b"abc", replace=True),
    "read": lambda place: place.read("x"),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_store_that_answers_503_is_reported_in_one_line(store: ObjectStore, call: Callable[[Place], object]) -> None:
    place = Place("s3://bucket/out")
    place.put("x", b"abc")
    store.fault = lambda method, path: True
    with pytest.raises(InputError, match=r"^s3://bucket/[^\n]*$"):
        call(place)


def test_a_missing_object_is_reported(place: Place) -> None:
    with pytest.raises(InputError, match="out/x: "):
        place.read("x")


@pytest.mark.parametrize(
    ("address", "secret"),
    [
        ("s3://bucket/in:1/a@b", False),
        ("abfs://folder@account.dfs.core.windows.net/in", False),
        ("s3://id:key/with/slashes@bucket/in", True),
        ("zip://a.csv::s3://id:key@bucket/in.zip", True),
        ("https://host/a.parquet?signature=a", True),
    ],
)
def test_addresses_that_may_contain_secrets_are_known(address: str, secret: bool) -> None:
    assert Place(address).may_have_secrets == secret
