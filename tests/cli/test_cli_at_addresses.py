"""Publications, job files and side files at addresses give the results of local files."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.object_store import ObjectStore, object_store

import anonset
from anonset.settings.fetched_files import fetching_side_files
from anonset.settings.publication import check_settings_model
from anonset.settings.settings import validate
from cli.place import Place
from cli.test_cli_after import FIRST, PEOPLE, SECOND, release

OUT = "s3://bucket/safe"


@pytest.fixture(autouse=True)
def store(monkeypatch: pytest.MonkeyPatch) -> Iterator[ObjectStore]:
    with object_store(monkeypatch) as served:
        yield served


def _upload(store: ObjectStore, place: Place, *folders: str) -> None:
    """Store a local release under the addresses that `OUT` and `OUT.private` name."""
    for folder in folders or ("out", "out.private"):
        for path in (place.folder / folder).iterdir():
            store.objects[f"bucket/{folder.replace('out', 'safe')}/{path.name}"] = path.read_bytes()


COMMANDS = {
    "evaluate": ("evaluate", "DATA", "OUT", "--hierarchy", "items=TREE", "--workload", "record:5x1", "--json"),
    "risk": ("risk", "OUT", "--original", "DATA", "--json"),
    "risk without original": ("risk", "OUT", "--json"),
    "verify": ("verify", "OUT", "--original", "DATA", "--hierarchy", "items=TREE", "--json"),
}


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_a_command_on_addresses_prints_the_result_of_local_files(
    place: Place, store: ObjectStore, command: tuple[str, ...]
) -> None:
    def run(**paths: str) -> tuple[int, str, str]:
        arguments = [next((part.replace(n, v) for n, v in paths.items() if n in part), part) for part in command]
        ran = place.run(*arguments)
        return ran.code, ran.out, ran.err

    place.run(*place.job())
    data, tree = place.folder / "data.dat", place.folder / "hierarchy.csv"
    expected = run(DATA=str(data), OUT=str(place.out), TREE=str(tree))
    assert expected[0] == 0, expected
    _upload(store, place)
    store.objects |= {"bucket/data.dat": data.read_bytes(), "bucket/trees/tree.csv": tree.read_bytes()}
    found = run(DATA="s3://bucket/data.dat", OUT=OUT, TREE="s3://bucket/trees/tree.csv")
    assert (found[0], found[1].replace(OUT, str(place.out)), found[2]) == expected


@pytest.mark.parametrize("rights", ["internal", "shareable"])
def test_report_reads_a_publication_at_an_address(place: Place, store: ObjectStore, rights: str) -> None:
    place.run(*place.job())
    _upload(store, place)
    page = place.folder / "page.html"
    ran = place.run("report", OUT, "-o", str(page), *(["--shareable"] if rights == "shareable" else []))
    assert (ran.code, page.exists()) == (0, True), ran.err
    read_private = any("safe.private" in path for _, path in store.requests)
    assert read_private == (rights == "internal")


def test_a_publication_without_rights_on_its_private_files_is_evaluated(place: Place, store: ObjectStore) -> None:
    place.run(*place.job())
    _upload(store, place, "out")
    ran = place.run("risk", OUT, "--json")
    assert ran.code == 0, ran.err
    ran = place.run("evaluate", str(place.folder / "data.dat"), OUT, "--private", "s3://bucket/none")
    assert (ran.code, len(ran.errors), "'s3://bucket/none' must be the private directory" in ran.err) == (2, 1, True)


def test_a_job_file_at_an_address_names_files_below_it(place: Place, store: ObjectStore) -> None:
    assert place.run(*place.job()).code == 0
    job = 'input = "data.dat"\nout = "a/safe"\nhierarchy = {items = "trees/tree.csv"}\nmodel = "km"\nk = 2\nm = 2\n'
    store.objects |= {"bucket/job.toml": job.encode(), "bucket/data.dat": (place.folder / "data.dat").read_bytes()}
    store.objects["bucket/trees/tree.csv"] = (place.folder / "hierarchy.csv").read_bytes()
    assert place.run("anonymize", "s3://bucket/job.toml").code == 0
    assert store.below("bucket/a/safe") == {path.name: path.read_bytes() for path in place.out.iterdir()}
    ran = place.run("anonymize", "s3://bucket/job.toml", "--if-exists", "resume")
    assert (ran.code, ran.out.startswith("already published")) == (0, True), ran.err
    for again in "s3://bucket/job.toml", "s3://bucket/a/safe.private/report.json":
        assert place.run("verify", again).code == 0
    assert b'"s3://bucket/trees/tree.csv"' in store.objects["bucket/a/safe.private/report.json"]
    store.objects["bucket/trees/tree.csv"] += b"a3,A,ALL\n"
    ran = place.run("anonymize", "s3://bucket/job.toml", "--if-exists", "resume")
    assert (ran.code, "side files (hierarchy items)" in ran.err) == (2, True), ran.err


def test_a_killed_run_with_side_files_at_addresses_is_continued(
    place: Place, store: ObjectStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.objects["bucket/tree.csv"] = (place.folder / "hierarchy.csv").read_bytes()
    job = [part.replace(str(place.folder / "hierarchy.csv"), "s3://bucket/tree.csv") for part in place.job()]
    work = str(place.folder / "work")
    store.fault = lambda method, path: path == "bucket/safe/codebook.csv"
    at = [part.replace(str(place.out), OUT) for part in job]
    assert place.run(*at, "--work-dir", work).code == 2
    store.fault = lambda method, path: False
    ran = place.run(*at, "--work-dir", work, "--if-exists", "resume")
    assert ran.code == 0, ran.err
    assert not Path(work).exists()


@pytest.mark.parametrize("named", ["missing", "damaged"])
def test_a_fault_of_a_side_file_names_its_address(place: Place, store: ObjectStore, named: str) -> None:
    store.objects["bucket/damaged.csv"] = b"a1,A\xff\n"
    tree = str(place.folder / "hierarchy.csv")
    ran = place.run(*(part.replace(tree, f"s3://bucket/{named}.csv") for part in place.job()))
    assert (ran.code, len(ran.errors), f"s3://bucket/{named}.csv" in ran.err) == (2, 1, True), ran.err
    assert "/anonset-" not in ran.err


@pytest.mark.parametrize("setting", ["sensitive_items", "ceiling", "privacy_constraints"])
def test_lists_policies_and_ceilings_at_addresses(place: Place, store: ObjectStore, setting: str) -> None:
    files = {"sensitive_items": "b2\n", "ceiling": "A\nB\n", "privacy_constraints": "a1\nb1 b2\n"}
    more = {
        "sensitive_items": ["--model", "rho", "--rho", "0.9", "--sensitive-items", "@FILE"],
        "ceiling": ["--ceiling", "items=FILE"],
        "privacy_constraints": ["--model", "constraints", "--privacy-constraints", "FILE"],
    }[setting]
    local = place.write("list.txt", files[setting])
    store.objects["bucket/list.txt"] = files[setting].encode()
    results = []
    for file in local, "s3://bucket/list.txt":
        job = [part.replace(str(place.out), str(place.folder / f"out{len(results)}")) for part in place.job()]
        ran = place.run(*job, *(part.replace("FILE", file) for part in more))
        results.append((ran.code, [line.replace(file, "FILE") for line in ran.errors]))
    assert results[0] == results[1]


def test_an_earlier_release_at_an_address_is_continued(place: Place, store: ObjectStore) -> None:
    assert place.run(*place.job()).code == 0
    _upload(store, place)
    again = [part.replace(str(place.out), str(place.folder / "again")) for part in place.job()]
    ran = place.run(*again, "--recoding", f"{OUT}.private")
    assert ran.code == 0, ran.err
    assert (place.folder / "again" / "published.dat").read_bytes() == (place.out / "published.dat").read_bytes()
    data = str(place.folder / "data.dat")
    ran = place.run("risk", str(place.out), "--original", data, "--beside", OUT)
    assert ran.code == 0, ran.err
    third = [part.replace(str(place.out), str(place.folder / "third")) for part in place.job()]
    ran = place.run(*third, "--recoding", "s3://bucket/none")
    assert (ran.code, "s3://bucket/none: no such release" in ran.err) == (2, True), ran.err


def test_a_release_after_another_at_an_address(place: Place, store: ObjectStore) -> None:
    assert place.run(*release(place, "out", PEOPLE, FIRST)).code == 0
    _upload(store, place)
    local = place.run(*release(place, "second", PEOPLE, SECOND, "--after", str(place.folder / "out.private")))
    assert local.code == 0, local.err
    for number, earlier in enumerate((OUT, f"{OUT}.private")):
        name = f"third{number}"
        job = release(place, name, PEOPLE, SECOND, "--after", earlier)
        ran = place.run(*job)
        assert ran.code == 0, ran.err
        published = [(place.folder / folder / "published.csv").read_bytes() for folder in ("second", name)]
        assert published[0] == published[1]
        again = place.run(*job, "--if-exists", "resume")
        assert (again.code, again.out.startswith("already published")) == (0, True), again.err
    ran = place.run(*release(place, "fourth", PEOPLE, SECOND, "--after", "s3://bucket/none.private"))
    assert (ran.code, len(ran.errors), "s3://bucket/none" in ran.err) == (2, 1, True), ran.err
    assert "/anonset-" not in ran.err


def test_a_publication_of_chunks_at_an_address_is_reconstructed(place: Place, store: ObjectStore) -> None:
    table = anonset.Table.from_sets([["a", "b"], ["a"], ["a"], ["b"], ["b", "c"], ["c"]])
    anonset.anonymize(table, anonset.Disassociation(k=2, m=2), out=place.out)
    _upload(store, place, "out")
    store.objects["bucket/safe.private/report.json"] = b"{}"
    files = [str(place.folder / name) for name in ("local.csv", "far.csv")]
    for out, file in zip((str(place.out), OUT), files, strict=True):
        ran = place.run("reconstruct", out, "-o", file)
        assert ran.code == 0, ran.err
    assert Path(files[0]).read_bytes() == Path(files[1]).read_bytes()
    assert not any("safe.private" in path for _, path in store.requests)


def test_an_attestation_causes_no_request(place: Place, store: ObjectStore) -> None:
    with fetching_side_files():
        validate(check_settings_model(), {"utility_constraints": "s3://bucket/x"}, fetch=False)
    assert not store.requests


def test_python_opens_a_publication_at_an_address(place: Place, store: ObjectStore) -> None:
    place.run(*place.job())
    _upload(store, place)
    table, tree = anonset.read(place.folder / "data.dat"), {"items": place.folder / "hierarchy.csv"}
    assert anonset.evaluate(table, OUT, hierarchies=tree) == anonset.evaluate(table, place.out, hierarchies=tree)
