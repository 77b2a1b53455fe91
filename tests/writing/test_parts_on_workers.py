"""Parts of a publication that tasks of a cluster write are the same files."""

from dataclasses import replace

import numpy as np
import pytest

from anonset.data import CategoricalColumn, SetColumn
from anonset.data.cluster import ClusterWorkers, cluster_of
from anonset.publications import Records, Symbol
from anonset.writing.publications.records import write_published

pytestmark = [pytest.mark.long, pytest.mark.compiled]


@pytest.fixture(scope="module")
def client():
    with cluster_of("local:2") as client:
        yield client


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
    with ClusterWorkers(client, work) as workers:
        n_tasks, begin = [], workers.begin
        workers.begin = lambda work, task, ended: n_tasks.append(task) or begin(work, task, ended)
        remote = replace(publication, store=work.with_workers(workers))
        write_published(remote, tmp_path / "there", form, part_rows=20)
    written = {name: sorted((tmp_path / name / "published").iterdir()) for name in ("here", "there")}
    assert [path.name for path in written["there"]] == [f"part-0000{n}.{form}" for n in range(4)]
    assert [path.read_bytes() for path in written["there"]] == [path.read_bytes() for path in written["here"]]
    assert (n_tasks, sorted(work.path.iterdir())) == ([(0, 20), (20, 40), (40, 60), (60, 70)], before)
