"""Files of a publication that tasks of a cluster write are the same files, with the same digests."""

from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest

from anonset.data import CategoricalColumn, SetColumn, Table, fingerprints
from anonset.data.fingerprints import fingerprint
from anonset.data.storage.cluster import ClusterWorkers
from anonset.data.storage.scheduler import cluster_of
from anonset.publications import Records, Symbol
from anonset.release.statements import digests
from anonset.writing import codebook
from anonset.writing.codebook import write_records
from anonset.writing.publications.records import write_published

pytestmark = [pytest.mark.long, pytest.mark.compiled]


@pytest.fixture(scope="module")
def client():
    with cluster_of("local:2") as client:
        yield client


@contextmanager
def counted_tasks(client, work):
    """Yield the store with the workers of a cluster, and the list of the tasks that they start."""
    with ClusterWorkers(client, work) as workers:
        tasks, begin = [], workers.begin
        workers.begin = lambda work, task, ended: tasks.append(task) or begin(work, task, ended)
        yield work.with_workers(workers), tasks


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_workers_write_the_same_parts(client, work, tmp_path, form):
    rng = np.random.default_rng(5)
    sets = SetColumn.of([{f"c{c}" for c in rng.choice(30, 4)} for _ in range(70)])
    place = CategoricalColumn.of("place", [f"p{c}" for c in rng.integers(0, 5, 70)])
    symbols = tuple(Symbol(label, "item", (label,)) for label in sets.vocabulary.labels)
    publication = Records(sets, symbols, (place,), (), np.arange(70), store=work)
    before = sorted(work.path.iterdir())
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
    write_published(publication, tmp_path / "here", form, part_rows=20)
    with counted_tasks(client, work) as (store, tasks):
        write_published(replace(publication, store=store), tmp_path / "there", form, part_rows=20)
    written = {name: sorted((tmp_path / name / "published").iterdir()) for name in ("here", "there")}
    assert [path.name for path in written["there"]] == [f"part-0000{n}.{form}" for n in range(4)]
    assert [path.read_bytes() for path in written["there"]] == [path.read_bytes() for path in written["here"]]
    assert (tasks, sorted(work.path.iterdir())) == ([(0, 20), (20, 40), (40, 60), (60, 70)], before)


@pytest.mark.parametrize("cluster", [None, np.arange(70, dtype=np.int32) // 3])
def test_workers_write_the_same_records_and_compute_the_same_digests(client, work, tmp_path, monkeypatch, cluster):
    monkeypatch.setattr(fingerprints, "ROWS", 30)
    monkeypatch.setattr(fingerprints, "LABELS", 3)
    sets = SetColumn.of([{f"c{n % 7}", f"d{n % 3}"} for n in range(70)])
    table = Table(sets, (CategoricalColumn.of("place", [f"p{n % 4}" for n in range(70)]),), store=work)
    record = work.keep("record", np.random.default_rng(3).permutation(70))
    publication = Records(sets, (), (), (), record, cluster, store=work)
    folders = [tmp_path / name for name in ("here", "there")]
    for folder in folders:
        folder.mkdir()
    monkeypatch.setattr(codebook, "MOST_AS_TEXT", 60)
    monkeypatch.setattr(codebook, "ROWS_PER_RECORDS_FILE", 40)
    write_records(publication, folders[0])
    expected = digests(folders[0], work.workers), fingerprint(table)
    with counted_tasks(client, work) as (store, tasks):
        write_records(replace(publication, store=store), folders[1])
        found = digests(folders[1], store.workers), fingerprint(replace(table, store=store))
    blocks = [(0, 30), (30, 60), (60, 70)]
    place, items = [*blocks, (0, 3), (3, 4)], [*blocks, (0, 3), (3, 6), (6, 9), (9, 10)]
    assert found == expected
    parts = [folders[1] / "records" / f"part-0000{n}.parquet" for n in (0, 1)]
    expected_tasks = [(0, 40), (40, 70), *([short] for short in (*parts, *place, *items))]
    assert sorted(map(str, tasks)) == sorted(map(str, expected_tasks))
    assert list(work.path.iterdir()) == [work.path / "record"]
