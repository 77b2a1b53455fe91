"""Description of a mapped table in the work directory. Other processes open the table with it."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from anonset.data.codes import as_codes, stored_codes
from anonset.data.labels.file_labels import FiledLabels
from anonset.data.labels.vocabulary import Vocabulary
from anonset.data.resumption.seals import Seal
from anonset.data.storage.checksums import Sum
from anonset.data.storage.store import Files, backing, damage_error
from anonset.data.table import CategoricalColumn, Column, NumericColumn, SetColumn, Table
from anonset.data.table_facts import Change, CodeRules, OwnerStatements, RepeatedIdentifiers
from anonset.errors import InputError
from anonset.strict_json import loads

NAME = "table.json"


def save_table(table: Table, store: Files, facts: Mapping[str, Any]) -> None:
    """Write the description of a table, facts about the data, and checksums of the arrays to the work directory.

    Raises
    ------
    InputError
        If the disk is full, or another run has taken over the work directory.
    """
    names = list[str]()

    def array(values: NDArray[Any]) -> dict[str, Any]:
        file = backing(values)  # None for an empty array, which cannot be mapped
        names.append(store.reserve_name("empty") if file is None else Path(str(file.filename)).name)
        return {"file": names[-1], "dtype": values.dtype.str}

    def column(saved: SetColumn | Column) -> dict[str, Any]:
        if isinstance(saved, SetColumn):
            arrays = {"indptr": array(saved.indptr), "items": array(stored_codes(saved.codes))}
            return {"kind": "sets", "name": saved.name, "labels": saved.vocabulary.labels, **arrays}
        if isinstance(saved, NumericColumn):
            return {"kind": "numbers", "name": saved.name, "values": array(saved.values)}
        labels = saved.vocabulary.filed
        if labels is not None:
            arrays = {"codes": array(saved.codes), "starts": array(labels.starts), "text": array(labels.text)}
            return {"kind": "filed", "name": saved.name, "numeric": labels.numeric, **arrays}
        return {
            "kind": "categories",
            "name": saved.name,
            "labels": saved.vocabulary.labels,
            "codes": array(saved.codes),
        }

    described: dict[str, Any] = {
        "transactions": None if table.transactions is None else column(table.transactions),
        "relational": [column(member) for member in table.relational],
        "sensitive": None if table.sensitive is None else column(table.sensitive),
        "ids": [column(member) for member in table.ids],
        "kept": [column(member) for member in table.kept],
        "order": table.order,
        "joined": table.joined,
        "persons": table.persons,
        "tables": table.tables,
        "repeated": [asdict(repeated) for repeated in table.repeated],
        "word": asdict(table.word),
        "rules": asdict(table.rules),
        "changes": [asdict(change) for change in table.changes],
        "source_rows": table.source_rows,
        "facts": dict(facts),
        "sums": Seal.of_files(store, names).by_name,
    }
    described["digest"] = _digest(described)
    store.require_held()
    store.send(names)
    with store.written(NAME) as file:
        file.write(json.dumps(described).encode())


def saved_facts(store: Files) -> dict[str, Any] | None:
    """Return the facts that were saved with a table. Return None if no table was saved.

    Raises
    ------
    InputError
        If the description is unreadable.
    """
    description = _described(store)
    with _sound(store):
        return None if description is None else dict(description["facts"])


def saved_files(store: Files) -> dict[str, Sum | None]:
    """Return the names of the description and the arrays of a saved table, and the checksums of the arrays. The result
    is empty if no table was saved.

    Raises
    ------
    InputError
        If the description is unreadable.
    """
    description = _described(store)
    if description is None:
        return {}
    with _sound(store):
        return {NAME: None} | {name: (size, *more) for name, (size, *more) in description["sums"].items()}


def saved_table(store: Files) -> Table:
    """Return the table described in a work directory.

    Raises
    ------
    InputError
        If no table was saved, or an array is damaged.
    """
    description = _described(store)
    if description is None:
        msg = f"{store.path}: contains no complete table"
        raise InputError(msg, code="unfinished")
    with _sound(store):
        return _table_of(store, description)


def _table_of(store: Files, description: Mapping[str, Any]) -> Table:
    Seal.restored(store, description["sums"]).require_unbroken()

    def array(entry: Mapping[str, Any]) -> NDArray[Any]:
        if entry["file"] not in description["sums"]:
            raise damage_error(store.path / NAME)
        return store.mapped(entry["file"], entry["dtype"])

    def column(entry: Mapping[str, Any]) -> Any:
        if entry["kind"] == "numbers":
            return NumericColumn(entry["name"], array(entry["values"]))
        if entry["kind"] == "filed":
            labels = FiledLabels(array(entry["starts"]), array(entry["text"]), numeric=entry["numeric"])
            return CategoricalColumn(entry["name"], array(entry["codes"]), Vocabulary.of_filed(labels))
        vocabulary = Vocabulary(tuple(entry["labels"]))
        if entry["kind"] == "categories":
            return CategoricalColumn(entry["name"], array(entry["codes"]), vocabulary)
        return SetColumn(entry["name"], array(entry["indptr"]), as_codes(array(entry["items"])), vocabulary)

    return Table(
        None if description["transactions"] is None else column(description["transactions"]),
        tuple(map(column, description["relational"])),
        None if description["sensitive"] is None else column(description["sensitive"]),
        tuple(map(column, description["ids"])),
        tuple(map(column, description["kept"])),
        tuple(description["order"]),
        tuple(description["joined"]),
        rules=CodeRules(**description["rules"]),
        changes=tuple(Change(**change) for change in description["changes"]),
        store=store,
        persons=tuple(description["persons"]),
        tables=tuple(description["tables"]),
        repeated=tuple(
            RepeatedIdentifiers(**{**repeated, "words": tuple(repeated["words"])})
            for repeated in description["repeated"]
        ),
        word=OwnerStatements(**{**description["word"], "publish_as_is": tuple(description["word"]["publish_as_is"])}),
        source_rows=description["source_rows"],
    )


def _described(store: Files) -> dict[str, Any] | None:
    path = store.path / NAME
    if not path.exists():
        return None
    try:
        description = loads(path.read_bytes()) if path.is_file() else None
    except (OSError, ValueError):
        description = None
    if not isinstance(description, dict) or description.pop("digest", None) != _digest(description):
        raise damage_error(path)
    return description


def _digest(description: Mapping[str, Any]) -> str:
    """Return the SHA-256 of a description, which contains labels."""
    return hashlib.sha256(json.dumps(description).encode()).hexdigest()


@contextmanager
def _sound(store: Files) -> Iterator[None]:
    """Convert the errors of missing or malformed entries in a description to the error for a damaged directory."""
    try:
        yield
    except InputError:
        raise
    except (AttributeError, LookupError, TypeError, ValueError):
        raise damage_error(store.path / NAME) from None
