"""Publications in parts are attested, verified and evaluated as a single publication, also for tables in files."""

import json
from dataclasses import replace

import numpy as np
import pytest
from tests.facts import refused

from anonset import Apriori, Table, anonymize
from anonset.data import CategoricalColumn, SetColumn, spans
from anonset.data.spans import Limits
from anonset.data.storage.store import Files
from anonset.data.table_facts import OwnerStatements
from anonset.errors import InputError
from anonset.jobs.evaluate import evaluate
from anonset.jobs.verify import check
from anonset.release.kinds.records import with_codebook

HIERARCHIES = {"items": "balanced:3"}


def table() -> Table:
    random = np.random.default_rng(5)
    rows = [{f"i{item:02}" for item in random.geometric(0.15, 4) if item < 20} for _ in range(60)]
    year = CategoricalColumn.of("year", ["2001" if i % 3 else "2002" for i in range(60)])
    return Table(SetColumn.of(rows), kept=(year,), order=("year", "items"), statements=OwnerStatements("row"))


def in_files(meant: Table, work: Files) -> Table:
    sets, year = meant.transactions, meant.kept[0]
    sets = SetColumn("items", work.keep("indptr", sets.indptr), work.keep("items", sets.items), sets.vocabulary)
    kept = CategoricalColumn("year", work.keep("year", year.codes), year.vocabulary)
    return Table(sets, kept=(kept,), order=meant.order, store=work, statements=meant.statements)


def published(folder):
    """Return all files of a publication, and the private files without times."""
    private = folder.with_name(f"{folder.name}.private")
    files = [path for base in (folder, private) for path in sorted(base.rglob("*")) if path.is_file()]
    return {path.name: path.read_bytes() for path in files if path.name != "report.json"}


@pytest.fixture
def made(tmp_path):
    """A publication in parts of 25 rows."""
    release = anonymize(table(), Apriori(k=3, m=2), hierarchies=HIERARCHIES)
    return release.save(tmp_path / "out", format="csv", part_rows=25)


def test_parts_are_attested_individually(made):
    data = json.loads((made / "attestation.json").read_text())["data"]
    names = [f"published/part-{i:05}.csv" for i in range(3)]
    assert (data["file"], data["parts"]) == ("published", 3)
    assert sorted(data["sha256"]) == ["codebook.csv", *names]
    assert sorted(path.name for path in made.iterdir()) == ["attestation.json", "codebook.csv", "published"]


def test_parts_are_verified_and_evaluated_together(made, tmp_path):
    release = anonymize(table(), Apriori(k=3, m=2), hierarchies=HIERARCHIES)
    single_file = release.save(tmp_path / "whole", format="csv")
    assert check(made, {}).verdict == check(single_file, {}).verdict
    assert evaluate(table(), made, hierarchies=HIERARCHIES) == evaluate(table(), single_file, hierarchies=HIERARCHIES)
    assert "parts" not in (single_file / "attestation.json").read_text()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda folder: (folder / "part-00001.csv").unlink(), "part-00001.csv"),
        (lambda folder: (folder / "part-00002.csv").write_text("year,items\n"), "part-00002.csv SHA-256"),
        (lambda folder: (folder / "part-00003.csv").write_text("year,items\n"), "part-00003.csv attested"),
        (lambda folder: (folder / "notes").mkdir(), "notes attested"),
        (lambda folder: folder.rename(folder.with_name("other")), "other attested"),
    ],
    ids=["gone", "changed", "more", "folder", "renamed"],
)
def test_a_changed_part_is_rejected(made, change, message):
    change(made / "published")
    with refused(InputError, message):
        check(made, {})


def test_a_link_to_the_parts_is_refused(made, tmp_path):
    (made / "published").rename(tmp_path / "elsewhere")
    (made / "published").symlink_to(tmp_path / "elsewhere")
    with refused(InputError, "published attested"):
        check(made, {})


@pytest.mark.parametrize(("part_rows", "kind"), [(None, "parquet"), (None, "csv"), (25, "parquet")])
def test_a_table_in_files_has_the_same_publication(tmp_path, monkeypatch, part_rows, kind):
    algorithm, options = Apriori(k=3, m=2), {"format": kind, "part_rows": part_rows}
    anonymize(table(), algorithm, hierarchies=HIERARCHIES).save(tmp_path / "memory", **options)
    monkeypatch.setattr(spans, "AT_ONCE", 7)
    with Files.temporary(tmp_path, Limits(rows_per_bucket=10)) as work:
        anonymize(in_files(table(), work), algorithm, hierarchies=HIERARCHIES).save(tmp_path / "files", **options)
    assert published(tmp_path / "files") == published(tmp_path / "memory")


@pytest.mark.parametrize("part_rows", [0, -1])
def test_parts_have_at_least_one_row(tmp_path, part_rows):
    release = anonymize(table(), Apriori(k=3, m=2), hierarchies=HIERARCHIES)
    with refused(InputError, f"part_rows 1 {part_rows}"):
        release.save(tmp_path / "out", part_rows=part_rows)


def test_there_are_not_more_parts_than_numbers_for_them(tmp_path, monkeypatch):
    monkeypatch.setattr("anonset.release.formats.MOST_PARTS", 3)
    release = anonymize(table(), Apriori(k=3, m=2), hierarchies=HIERARCHIES)
    with refused(InputError, "part_rows 20 3 19"):
        release.save(tmp_path / "out", part_rows=19)


def test_row_numbers_of_a_read_publication_are_deleted_after_matching(tmp_path):
    with Files.create(tmp_path / "work") as work:
        filed = in_files(table(), work)
        before = {path.name for path in work.path.iterdir()}
        read = with_codebook(filed, ())
        (name,) = {path.name for path in work.path.iterdir()} - before
        assert name.startswith("record")
        read = replace(read, record=np.arange(filed.n))
        assert read.n == filed.n
        assert {path.name for path in work.path.iterdir()} == before
