"""Parts of files that tasks of a cluster read are the same table as the files read in this process."""

import gzip
import os
import re
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from anonset.data import SetColumn, spans
from anonset.data.blocks import SetColumnBuilder
from anonset.data.codes import NarrowCodes
from anonset.data.storage import cluster
from anonset.data.storage.cluster import ClusterWorkers
from anonset.data.storage.scheduler import cluster_of
from anonset.data.storage.store import MEMORY
from anonset.data.storage.workers import Threads
from anonset.errors import AnonsetError, InputError, MisreadError
from anonset.reading import table_builder
from anonset.reading.batches import open_source
from anonset.reading.encoded_batches import PartTask
from anonset.reading.formats import parquet as parquet_format
from anonset.reading.formats import text_ranges
from anonset.reading.options import ReadOptions
from anonset.reading.persons import merging
from anonset.reading.plan import Plan, encoder_of
from anonset.reading.sources.source import source_of
from anonset.reading.table_builder import gather, gather_files

pytestmark = [pytest.mark.long, pytest.mark.compiled]


@pytest.fixture(scope="module")
def client():
    with cluster_of("local:2") as client:
        yield client


@pytest.fixture
def workers(client, work, monkeypatch):
    monkeypatch.setattr(parquet_format, "_ROWS_OF_PART", 100)
    with ClusterWorkers(client, work) as workers:
        yield workers


@pytest.fixture
def data(tmp_path):
    """Two files in row groups of 60 rows, and one without rows."""
    folder, rng = tmp_path / "visits", np.random.default_rng(3)
    folder.mkdir()
    for part, n in enumerate((400, 250, 0)):
        rows = {
            "codes": pa.array([[f"c{c}" for c in rng.choice(40, 3)] for _ in range(n)], pa.list_(pa.string())),
            "age": pa.array(rng.integers(0, 90, n)),
            "place": pa.array([f"p{c}" for c in rng.integers(0, 9 + 9 * part, n)], pa.string()),
        }
        parquet.write_table(pa.table(rows), folder / f"part-{part}.parquet", row_group_size=60)
    return folder


ROLES = ReadOptions(items="codes", relational=("age", "place"), numeric=("age",))


def columns_of(table):
    number, category = table.relational
    return (
        [sorted(row) for row in table.transactions.rows()],
        number.values.tolist(),
        [category.vocabulary.labels[code] for code in category.codes],
        table.transactions.vocabulary.labels,
    )


@pytest.mark.parametrize("pattern", ["", "*.parquet", "part-0.parquet"])
def test_workers_compute_the_digest_of_a_source(data, workers, monkeypatch, pattern):
    n_tasks, begin = [], workers.begin
    monkeypatch.setattr(workers, "begin", lambda work, task, ended: n_tasks.append(task) or begin(work, task, ended))
    monkeypatch.chdir(data.parent)  # workers run in another directory
    source = source_of(os.path.join(data.name, pattern))  # noqa: PTH118
    assert source.sha256_by(workers) == source_of(data / pattern).sha256
    assert len(n_tasks) == len(source.files)
    changed = source_of(data / pattern)
    with changed.files[0].opened():
        pass
    (data / "part-0.parquet").write_bytes(b"changed")
    with pytest.raises(InputError, match="changed while it was read"):
        changed.sha256_by(workers)


def test_parts_are_read_as_the_same_table(data, work, workers, monkeypatch):
    n_tasks, begin = [], workers.begin
    monkeypatch.setattr(workers, "begin", lambda work, task, ended: n_tasks.append(task) or begin(work, task, ended))
    codes, append = set(), SetColumnBuilder.append
    with monkeypatch.context() as patch:
        patch.setattr(SetColumnBuilder, "append", lambda self, part: codes.add(type(part.codes)) or append(self, part))
        actual = gather_files(data, ROLES, work.with_workers(workers))
    assert columns_of(actual) == columns_of(gather_files(data, ROLES, work))
    assert [part.row for part, _ in n_tasks] == [0, 120, 240, 360, 400, 520, 640, 650]
    assert NarrowCodes in codes  # batches with the labels of the batch before are stored as they are


KEPT = replace(ROLES, relational=("age",), keep="place", unit="row")


@pytest.mark.parametrize("labels_held", [3, 100], ids=["labels in files", "labels in memory"])
def test_kept_columns_are_read_as_the_same_table(data, work, workers, monkeypatch, labels_held):
    n_tasks, begin = [], workers.begin
    monkeypatch.setattr(workers, "begin", lambda work, task, ended: n_tasks.append(task) or begin(work, task, ended))
    store = replace(work, limits=replace(work.limits, labels_held=labels_held))

    def texts(kept):
        return [kept.vocabulary.labels[code] for code in kept.codes]

    here, there = (gather_files(data, KEPT, each) for each in (store, store.with_workers(workers)))
    assert len(n_tasks) == 8
    assert texts(there.kept[0]) == texts(here.kept[0])
    assert [*there.kept[0].vocabulary.labels] == [*here.kept[0].vocabulary.labels]
    assert there.relational[0].values.tolist() == here.relational[0].values.tolist()


@pytest.fixture
def persons(tmp_path):
    """Rows of 90 persons, in two files of small row groups. The values of some persons differ."""
    folder, rng = tmp_path / "persons", np.random.default_rng(5)
    folder.mkdir()
    for part, n in enumerate((500, 300)):
        who = rng.integers(0, 90, n)
        rows = {
            "who": pa.array([f"P-{w:03}" if w % 2 else f"p{w}" for w in who], pa.string()),
            "codes": pa.array([[f"c{c}" for c in rng.choice(40, 2)] for _ in range(n)], pa.list_(pa.string())),
            "age": pa.array(who % 50 + (rng.random(n) < 0.02)),
            "place": pa.array([f"p{w % 7}" for w in who], pa.string()),
            "note": pa.array([f"n{w % 30}" for w in who], pa.string()),
        }
        parquet.write_table(pa.table(rows), folder / f"part-{part}.parquet", row_group_size=60)
    return folder


@pytest.mark.parametrize("ids", ["who", ("who", "note")])
@pytest.mark.parametrize("at_once", [100, 100_000], ids=["many tasks", "one task"])
def test_rows_of_persons_are_merged_by_workers(persons, work, workers, monkeypatch, ids, at_once):
    monkeypatch.setattr(spans, "AT_ONCE", at_once)
    monkeypatch.setattr(spans, "ROWS_PER_TASK", at_once)
    kept = {"keep": "note"} if ids == "who" else {}
    roles = ReadOptions(
        items="codes", relational=("age", "place"), numeric=("age",), unit=ids, differing="first", **kept
    )
    here = gather_files(persons, roles, MEMORY)
    with pytest.raises(InputError) as expected:
        gather_files(persons, replace(roles, differing="refuse"), MEMORY)
    monkeypatch.setattr(table_builder, "ahead", lambda *_: pytest.fail("the rows were read here"))
    new_key, pack, keys, messages = merging.new_key, cluster._packed, [], []
    monkeypatch.setattr(merging, "new_key", lambda: keys.append(new_key()) or keys[-1])
    monkeypatch.setattr(cluster, "_packed", lambda *values: messages.append(pack(*values)) or messages[-1])
    there = gather_files(persons, roles, work.with_workers(workers))
    assert len(keys) == 1
    assert not any(keys[0].tobytes() in message for message in messages)
    assert columns_of(there) == columns_of(here)
    assert there.changes == here.changes
    assert there.changes[0].occurrences > 0
    assert there.persons == ("who",) if ids == "who" else ids
    assert [column.labels() for column in there.kept] == [column.labels() for column in here.kept]
    with pytest.raises(InputError, match=re.escape(str(expected.value))):
        gather_files(persons, replace(roles, differing="refuse"), work.with_workers(workers))


def test_workers_skip_rows_and_change_labels(tmp_path, work, workers, monkeypatch):
    lines = [
        f"{'' if n % 7 == 0 else n % 50},C{n % 9};c{n % 4},{'none' if n % 5 == 0 else f'p{n % 3}'}" for n in range(700)
    ]
    text = tmp_path / "v.csv"
    text.write_text("\n".join(["who,codes,place", *lines, ""]))
    monkeypatch.setattr(text_ranges, "SECTION", 1000)
    roles = ReadOptions(
        items="codes",
        relational="place",
        unit="who",
        differing="first",
        skip_rows="no-id",
        null="none",
        missing="value",
        normalize="codes=upper",
        separator=";",
    )
    here = gather_files(text, roles, work)
    monkeypatch.setattr(table_builder, "ahead", lambda *_: pytest.fail("the rows were read here"))
    there = gather_files(text, roles, work.with_workers(workers))
    assert here.n == 50
    assert there.changes == here.changes
    assert {change.rule for change in here.changes} >= {"upper"}
    assert [sorted(row) for row in there.transactions.rows()] == [sorted(row) for row in here.transactions.rows()]
    assert there.relational[0].labels() == here.relational[0].labels()


def test_large_parts_with_kept_columns_are_read_here(data, work, workers, monkeypatch):
    monkeypatch.setattr(table_builder, "_MOST_OF_PART", 500)
    monkeypatch.setattr(workers, "begin", lambda *_: pytest.fail("a task was sent"))
    assert gather_files(data, KEPT, work.with_workers(workers)).n == 650


def write(path, text):
    path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)


@pytest.fixture(params=["csv", "csv.gz"])
def texts(data, tmp_path, request):
    """The rows of `data` as CSV files with quoted sets."""
    folder = tmp_path / "texts"
    folder.mkdir()
    for path in sorted(data.iterdir()):
        rows = parquet.read_table(path).to_pylist()
        lines = ['"codes","age","place"', *(f'"{",".join(r["codes"])}",{r["age"]}, {r["place"]}' for r in rows)]
        text = "".join(f"{line}\r\n" for line in lines).encode()
        write(folder / f"{path.stem}.{request.param}", text)
    return folder


TEXT_ROLES = replace(ROLES, separator=",")


def test_text_files_are_read_as_the_same_table(texts, work, workers, monkeypatch):
    n_tasks, begin = [], workers.begin
    monkeypatch.setattr(workers, "begin", lambda work, task, ended: n_tasks.append(task) or begin(work, task, ended))
    actual = gather_files(texts, TEXT_ROLES, work.with_workers(workers))
    expected = gather_files(texts, TEXT_ROLES, work)
    assert columns_of(actual) == columns_of(expected)
    assert (actual.n, len(n_tasks)) == (650, 3)


def test_an_error_in_text_is_the_same_on_workers(texts, work, workers):
    path = max(texts.iterdir())
    text = b"codes,age,place\r\nc1,7,p1\r\nc1,8\r\n"
    write(path, text)
    with pytest.raises(InputError, match=r"part-2.*line 3") as here:
        gather_files(texts, TEXT_ROLES, work)
    with pytest.raises(InputError) as there:
        gather_files(texts, TEXT_ROLES, work.with_workers(workers))
    assert str(there.value) == str(here.value)


def test_skipped_footers_are_counted(texts, work, workers):
    for path in texts.iterdir():
        text = path.read_bytes() if path.suffix == ".csv" else gzip.decompress(path.read_bytes())
        write(path, text + b"Total,3,\r\n")
    table = gather_files(texts, replace(TEXT_ROLES, skip_rows=("footer",)), work.with_workers(workers))
    assert (table.n, [change.occurrences for change in table.changes]) == (650, [3])


@pytest.fixture
def large(tmp_path, monkeypatch):
    """A CSV file of several sections with line ends in quotes."""
    monkeypatch.setattr(text_ranges, "SECTION", 2_000)
    rng, path = np.random.default_rng(7), tmp_path / "large.csv"
    rows = [[*rng.choice(40, 3), rng.integers(0, 90), rng.integers(9)] for _ in range(900)]
    lines = [
        f'"c{a},c{b},c{c}",{age},"p{place}\nx"' if age % 3 else f"c{a},{age},p{place}" for a, b, c, age, place in rows
    ]
    path.write_text("\n".join(["codes,age,place", *lines, ""]))
    return path


def test_ranges_of_a_text_file_are_read_as_the_same_table(large, work, workers, monkeypatch):
    tasks, begin = [], workers.begin
    monkeypatch.setattr(workers, "begin", lambda work, task, ended: tasks.append(work) or begin(work, task, ended))
    actual = gather_files(large, TEXT_ROLES, work.with_workers(workers))
    assert columns_of(actual) == columns_of(gather_files(large, TEXT_ROLES, work))
    assert sum(isinstance(task, PartTask) for task in tasks) == -(-large.stat().st_size // 2_000)


@pytest.mark.parametrize(("form", "mark"), [("fimi", " "), ("baskets", ";")])
def test_ranges_of_sets_are_read_as_the_same_table(tmp_path, work, workers, monkeypatch, form, mark):
    monkeypatch.setattr(text_ranges, "SECTION", 2_000)
    path, rng = tmp_path / "sets.dat", np.random.default_rng(7)
    path.write_text("".join(f"{mark.join(map(str, rng.choice(40, 3)))}\n" for _ in range(900)))
    tasks, begin = [], workers.begin
    monkeypatch.setattr(workers, "begin", lambda work, task, ended: tasks.append(work) or begin(work, task, ended))
    options = ReadOptions(input_format=form)
    here, there = (gather_files(path, options, store).transactions for store in (work, work.with_workers(workers)))
    assert [*here.rows()] == [*there.rows()]
    assert sum(isinstance(task, PartTask) for task in tasks) == -(-path.stat().st_size // 2_000)


@pytest.mark.parametrize("row", ["c1,eight,p", "c1,8"])
def test_an_error_in_a_range_names_the_row_of_the_file(large, work, workers, row):
    rows = large.read_text().split("\n")
    place = next(n for n, line in enumerate(rows) if n > 1_000 and line.endswith('x"'))
    large.write_text("\n".join([*rows[: place + 1], row, *rows[place + 1 :]]))
    with pytest.raises(InputError) as here:
        gather_files(large, TEXT_ROLES, work)
    with pytest.raises(InputError) as there:
        gather_files(large, TEXT_ROLES, work.with_workers(workers))
    assert (str(there.value), there.value.place) == (str(here.value), here.value.place)
    assert re.search("(row|line) [0-9]{3,4}:", str(here.value))


@pytest.mark.parametrize("place", ["first", "last"])
def test_a_line_that_is_no_record_is_named_on_workers(large, work, workers, place):
    head, *rows = large.read_text().splitlines()
    label = "codes of the visit,years,"
    large.write_text("\n".join([head, label, *rows, ""] if place == "first" else [head, *rows, label, ""]))
    with pytest.raises(MisreadError) as here:
        gather_files(large, TEXT_ROLES, work)
    with pytest.raises(MisreadError) as there:
        gather_files(large, TEXT_ROLES, work.with_workers(workers))
    assert (str(there.value), there.value.fixes) == (str(here.value), here.value.fixes)
    skipping = replace(TEXT_ROLES, skip_rows=("labels" if place == "first" else "footer",))
    assert gather_files(large, skipping, work.with_workers(workers)).n == 900


def test_a_file_that_changes_between_ranges_is_rejected(large, work, workers, monkeypatch):
    def change(work, task, ended):
        with large.open("a") as file:
            file.write("c1,7,p\n")
        return begin(work, task, ended)

    source, begin = open_source(large, TEXT_ROLES), workers.begin
    monkeypatch.setattr(workers, "begin", change)
    with pytest.raises(InputError, match=r"large\.csv: the file changed"):
        gather(source, TEXT_ROLES, work.with_workers(workers))


@pytest.mark.parametrize("limit", ["_MOST_OF_PART", "_MOST_COMPRESSED"])
def test_large_text_files_are_read_here(texts, work, workers, monkeypatch, limit):
    n_tasks, begin = [], workers.begin
    monkeypatch.setattr(workers, "begin", lambda work, task, ended: n_tasks.append(task) or begin(work, task, ended))
    monkeypatch.setattr(text_ranges, limit, 500)
    assert gather_files(texts, TEXT_ROLES, work.with_workers(workers)).n == 650
    compressed = next(texts.iterdir()).suffix == ".gz"
    assert bool(n_tasks) == (compressed != (limit == "_MOST_COMPRESSED"))


def test_equal_labels_of_batches_are_sent_once(data, work):
    source = open_source(data)
    encoder, plan = encoder_of(source, ROLES), Plan.of(source, ROLES)
    batches, *_ = PartTask(plan, encoder, plan.roles.used, ("place",), None)((source.parts(Threads(1))[0], True))
    vocabularies = [batch.sets.vocabulary for batch in batches]
    assert len(set(map(id, vocabularies))) == len(set(vocabularies)) < len(batches)


def test_an_error_is_the_same_on_workers(data, work, workers):
    rows = parquet.read_table(data / "part-1.parquet")
    ages = pa.array([None if row == 200 else age for row, age in enumerate(rows["age"].to_pylist())], pa.int64())
    changed = rows.set_column(1, "age", ages)
    parquet.write_table(changed, data / "part-1.parquet", row_group_size=60)
    with pytest.raises(InputError, match="row 201") as here:
        gather_files(data, ROLES, work)
    with pytest.raises(InputError) as there:
        gather_files(data, ROLES, work.with_workers(workers))
    assert (str(there.value), there.value.place) == (str(here.value), here.value.place)


def test_files_that_workers_cannot_access_are_read_here(data, work, workers, monkeypatch):
    monkeypatch.setattr(workers, "see", lambda _: False)
    monkeypatch.setattr(workers, "begin", lambda *_: pytest.fail("a task was sent"))
    assert gather_files(data, ROLES, work.with_workers(workers)).n == 650


@pytest.mark.parametrize("change", ["row", "short", "long", None])
def test_expected_sets_are_compared_on_workers(data, work, workers, change, monkeypatch):
    options = ReadOptions(items="codes", drop=("age", "place"), exact=True)
    read = gather_files(data, options, work)
    rows = [*map(set, read.transactions.rows())]
    rows = {"row": [*rows[:-1], {"c1", "c2", "x"}], "short": rows[:-1], "long": [*rows, set()], None: rows}[change]
    expected = SetColumn.of(rows, universe={*read.transactions.vocabulary.labels, "x"})
    monkeypatch.setattr(table_builder._SetColumn, "add", lambda *_: pytest.fail("rows were not compared"))

    def compare():
        return gather(open_source(data), options, work.with_workers(workers), sets=expected).transactions

    if change is None:
        assert compare() is expected
    else:
        with pytest.raises(AnonsetError, match="differs from the result in memory"):
            compare()


def test_expected_sets_are_compared_with_text_files(texts, work, workers):
    options = ReadOptions(items="codes", separator=",", drop=("age", "place"), exact=True)
    read = gather_files(texts, options, work)
    reversed_sets = SetColumn.of([*map(set, read.transactions.rows())][::-1])

    def compare(expected):
        return gather(open_source(texts, options), options, work.with_workers(workers), sets=expected)

    assert compare(read.transactions).n == 650
    with pytest.raises(AnonsetError, match="differs from the result in memory"):
        compare(reversed_sets)
