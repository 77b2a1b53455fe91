"""Where a class is made from another one, no field is forgotten."""

from dataclasses import MISSING, fields, replace

import pytest
from pydantic import BaseModel
from tests.jobs.test_linked_tables import write

from anonset.cli.main import main
from anonset.jobs.runs.file_run import FileRun
from anonset.jobs.runs.run import Run
from anonset.reading.linked import TABLE_OPTIONS, LinkedTables
from anonset.reading.options import ReadOptions
from anonset.release.documents import Attestation, Document, Report
from anonset.release.formats import Layout
from anonset.release.publishing.publish import CheckOptions
from anonset.settings.settings import settings_model

CHANGED = {
    "max_loss": 0.5, "accept": ["worthless", "undecided"], "ceiling": {"age": "1"}, "round_ends": False, "trace": True,
    "publish_as_is": ["age"], "max_work": 2.0, "order": "input", "symbols": "members", "format": "parquet",
    "part_rows": 5, "separator": ";", "budget": 5,
}  # fmt: skip
"""Settings with another value than the default."""
OTHERWISE = {"earlier", "other_release", "progress", "watch"}
"""Fields of a run that are read from another release, or that report progress."""


def defaults_of(value):
    """Return the names of the fields that have their default value."""
    defaults = {
        field.name: field.default if field.default_factory is MISSING else field.default_factory()
        for field in fields(value)
    }
    return {name for name, default in defaults.items() if getattr(value, name) == default}


def test_the_settings_of_a_run_reach_its_steps(tmp_path):
    (tmp_path / "v.csv").write_text("codes,age\na;b,5\n")
    known = {name: value for name, value in CHANGED.items() if name in settings_model().model_fields}
    more = {"input": str(tmp_path / "v.csv"), "out": "out", "items": ["codes"], "relational": ["age"], "unit": ["row"]}
    file_run = FileRun(settings_model()(**more, **known, model="km", algorithm="apriori", k=2, m=2))
    run = file_run.run()
    assert defaults_of(run) <= OTHERWISE
    assert {field.name for field in fields(Run)} >= OTHERWISE
    assert defaults_of(run.layout) == {"codes", "used_labels"}  # of an earlier release
    assert defaults_of(run.check) == set()
    assert (type(run.layout), type(run.check)) == (Layout, CheckOptions)


@pytest.mark.parametrize("name", TABLE_OPTIONS)
def test_an_option_of_a_linked_table_is_used(tmp_path, monkeypatch, name):
    write(tmp_path)
    monkeypatch.chdir(tmp_path)
    tables = {"person": {"input": "person.csv"}, "drug": {"input": "drug.csv", "key": "PATIENT", "items": "code"}}
    _, table = LinkedTables.of(tables, "person_id").tables
    assert table.options == {}
    value = {
        "encoding": "latin-1",
        "no_header": True,
        "header_line": 2,
        "value_codes": True,
        "null": ("x",),
        "skip_rows": ("footer",),
    }
    changed = replace(table, options={name: value.get(name, ";")})

    job = ReadOptions(unit="person_id")
    assert changed.reading(job) != table.reading(job)


def unset_fields(value):
    """Yield the fields of documents that nobody has set."""
    if isinstance(value, BaseModel):
        yield from (f"{type(value).__name__}.{name}" for name in {*type(value).model_fields} - value.model_fields_set)
        value = [getattr(value, name) for name in type(value).model_fields]
    for part in value if isinstance(value, (list, tuple)) else ():
        yield from unset_fields(part)


@pytest.mark.parametrize("kind", [Attestation, Report])
def test_every_field_of_a_document_is_written(tmp_path, monkeypatch, kind):
    """A field with a default, for documents of older versions, would be left out silently."""
    written = list[Document]()
    write_document = Document.write
    monkeypatch.setattr(Document, "write", lambda self, path: (written.append(self), write_document(self, path))[1])
    (tmp_path / "v.dat").write_text("a b\na b\nb\nb\n")
    options = ["--hierarchy", "items=balanced:2", "--model", "km", "--k", "2", "--m", "2", "--quiet"]
    assert main(["anonymize", str(tmp_path / "v.dat"), *options, "-o", str(tmp_path / "out")]) == 0
    (document,) = [one for one in written if type(one) is kind]
    assert set(unset_fields(document)) == set()
