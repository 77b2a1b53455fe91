"""A stored table, and a stored run of a comparison, are restored with every field, and damage is found."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from itertools import count
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import numpy as np
import pytest
from tests.facts import refused

from anonset.data import CategoricalColumn, NumericColumn, SetColumn, Table, Vocabulary
from anonset.data.labels.file_labels import FiledLabels
from anonset.data.labels.vocabulary import NumberedLabels
from anonset.data.resumption.ledger import (
    READ,
    STORED,
    Ledger,
    as_json,
    file_of,
    files_of_steps,
    from_json,
    stored_classes,
)
from anonset.data.resumption.seals import Seal
from anonset.data.storage.lease import is_lease
from anonset.data.storage.store import Files, Store, backing
from anonset.errors import InputError
from anonset.jobs.trials.candidate import Candidate
from anonset.strict_json import dumps, loads


class Maker:
    """Values of any stored type, each different from the default of its field. Columns have two records."""

    def __init__(self, work: Files) -> None:
        self._work, self._numbers = work, count(1)

    def value(self, kind: Any) -> Any:
        """Return a new value of a type."""
        number, parts = next(self._numbers), get_args(kind)
        if kind is Store:
            return self._work
        if kind is SetColumn:
            sets = SetColumn.of([{f"{number}"}, {f"{number}", "b"}], name=f"sets {number}")
            kept = self._work.keep(f"p{number}", sets.indptr), self._work.keep(f"i{number}", sets.items)
            return SetColumn(sets.name, *kept, sets.vocabulary)
        if get_origin(kind) is Mapping:
            return {f"key {number}": self.value(parts[1])}
        if is_dataclass(kind):
            return kind(**{name: self.value(part) for name, part in get_type_hints(kind).items()})
        if get_origin(kind) is np.ndarray:
            return self._work.keep(f"a{number}", np.array([0, 1], get_args(parts[1])[0]))
        if get_origin(kind) is Literal:
            return parts[-1]
        if get_origin(kind) is tuple:
            return tuple(self.value(part) for part in (parts[:1] * 2 if Ellipsis in parts else parts))
        if get_origin(kind) is not None and str in parts:
            return f"t{number}", f"u{number}"
        if get_origin(kind) is not None:
            return self.value(parts[0])
        return {bool: True, Any: number, int: number, float: number / 2, str: f"text {number}"}[kind]


def differences(value: Any, other: Any, place: str = "table") -> Iterator[str]:
    """Yield the fields in which two values differ."""
    if type(value) is not type(other):
        yield place
    elif is_dataclass(value) and not isinstance(value, Store):
        for field in fields(value):
            yield from differences(getattr(value, field.name), getattr(other, field.name), f"{place}.{field.name}")
    elif isinstance(value, np.ndarray):
        if value.dtype != other.dtype or value.tolist() != other.tolist():
            yield place
    elif isinstance(value, tuple) and len(value) == len(other):
        for number, pair in enumerate(zip(value, other, strict=True)):
            yield from differences(*pair, f"{place}[{number}]")
    elif value != other:
        yield place


def defaults_in(value: Any) -> Iterator[str]:
    """Yield the fields that have their default value, which a lost field would have, too."""
    if isinstance(value, tuple):
        for part in value:
            yield from defaults_in(part)
    elif is_dataclass(value) and not isinstance(value, Store):
        for field in fields(value):
            part = getattr(value, field.name)
            yield from defaults_in(part)
            if not isinstance(part, np.ndarray) and type(part) is type(field.default) and part == field.default:
                yield f"{type(value).__name__}.{field.name}"


@pytest.mark.parametrize("kind", sorted(STORED, key=lambda kind: kind.__name__))
def test_every_field_of_a_stored_class_is_restored(work, kind):
    value = Maker(work).value(kind)
    assert list(defaults_in(value)) == []
    Ledger(work).finish("step", value)
    assert list(differences(value, Ledger(work).finished("step"))) == []


def test_every_field_of_a_stored_run_is_restored(work):
    value = Maker(work).value(Candidate)
    assert list(defaults_in(value)) == []
    assert list(differences(value, from_json(loads(dumps(as_json(value)))))) == []


def test_every_array_of_a_table_is_sealed(work):
    table = Maker(work).value(Table)
    files = {path for path in work.path.iterdir() if not is_lease(path.name)}
    assert len(files) > 10
    assert Seal.of(table).sums.keys() == files


@pytest.mark.parametrize("labels", ["filed", "numbered"])
def test_labels_that_are_not_in_memory_are_restored(work, labels):
    texts = FiledLabels(np.array([0, 1, 3]), np.frombuffer(b"abb", np.uint8), last="*")
    value = Vocabulary(texts if labels == "filed" else NumberedLabels(3))
    Ledger(work).finish("step", value)
    restored = Ledger(work).finished("step")
    assert (type(restored.labels), list(restored.labels)) == (type(value.labels), list(value.labels))


def test_a_field_that_cannot_be_stored_is_refused_with_its_name():
    @dataclass
    class Ward:
        beds: Mapping[str, int]
        doctor: object

    Ward.__module__ = "anonset.wards"
    with pytest.raises(TypeError, match=r"Ward\.doctor"):
        list(stored_classes(tuple[Ward, ...]))


@pytest.fixture
def table(work):
    sets = SetColumn.of([{"b", "a"}, set(), {"c"}], name="codes")
    ages = NumericColumn("age", work.keep("age", np.array([1.5, 2, 3])))
    codes = SetColumn("codes", work.keep("p", sets.indptr), work.keep("i", sets.items), sets.vocabulary)
    year = CategoricalColumn("year", work.keep("year", np.zeros(3, np.int32)), Vocabulary(("2026",)))
    return Table(codes, (ages,), kept=(year,), store=work)


def test_arrays_stay_in_their_files(table, work):
    Ledger(work).finish(READ, table)
    restored = Ledger(work).finished(READ)
    assert [Path(backing(column.codes).filename) for column in restored.kept] == [work.path / "year"]
    assert files_of_steps(work).keys() == {file_of(READ), "p", "i", "age", "year"}
    assert restored.store.workers is work.workers


def test_empty_columns_are_restored(work):
    empty = SetColumn("codes", work.keep("p", np.zeros(1, np.int64)), np.empty(0, np.int32), Vocabulary(()))
    Ledger(work).finish(READ, Table(empty, store=work))
    assert Ledger(work).finished(READ).n == 0


@pytest.mark.parametrize("harm", ["changed", "gone"])
def test_an_array_that_was_damaged_is_named(table, work, harm):
    Ledger(work).finish(READ, table)
    path = work.path / "i"
    if harm == "gone":
        path.unlink()
    else:
        data = bytearray(path.read_bytes())
        data[5] ^= 1
        path.write_bytes(bytes(data))
    with refused(InputError, "i", code="damaged"):
        Ledger(work).finished(READ)


@pytest.mark.parametrize("harm", ["changed", "torn", "empty"])
def test_a_label_that_has_changed_is_refused(table, work, harm):
    Ledger(work).finish(READ, table)
    path = work.path / file_of(READ)
    content = path.read_bytes()
    assert b'"2026"' in content
    path.write_bytes({"changed": content.replace(b'"2026"', b'"2025"'), "torn": content[:-9], "empty": b""}[harm])
    for read in (Ledger(work).finished, lambda _: files_of_steps(work)):
        with refused(InputError, file_of(READ), code="damaged"):
            read(READ)


@pytest.mark.parametrize("text", ["[]", "7", "{}", "[" * 100_000, "\ufeff{}"])
def test_a_forged_description_is_refused(work, text):
    np.savez(work.path / file_of(READ), value=np.frombuffer(text.encode(), np.uint8))
    for read in (Ledger(work).finished, lambda _: files_of_steps(work)):
        with refused(InputError, file_of(READ), code="damaged"):
            read(READ)


@pytest.mark.parametrize("name", ["../elsewhere", "/etc/hostname", "."])
def test_a_description_may_only_name_files_of_its_directory(work, name):
    described = json.dumps({"value": {"array": name}, "files": {name: ["<i4", 4, 0, 0]}})
    np.savez(work.path / file_of(READ), value=np.frombuffer(described.encode(), np.uint8))
    with refused(InputError, code="damaged"):
        Ledger(work).finished(READ)
