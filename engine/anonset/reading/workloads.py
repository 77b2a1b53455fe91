"""Workload files in JSON, so that the same queries can be evaluated on several publications."""

from pathlib import Path
from typing import Any

from anonset.errors import InputError, foreign
from anonset.queries.conditions import Among, Between, Condition
from anonset.queries.workload import Query, Workload
from anonset.reading.sources.files import read_bytes, write_file
from anonset.strict_json import dumps, loads

SCHEMA = 1
"""Version of the format."""


def read_workload(path: str | Path) -> Workload:
    """Read a workload (also ``.gz`` and ``.zst``).

    The file contains ``{"schema": 1, "source": .., "seed": .., "queries": [{"items": [..], "where": [..]}]}``. A
    condition is ``{"column": .., "low": .., "high": ..}`` or ``{"column": .., "among": [..]}``.

    Raises
    ------
    InputError
        If the file cannot be read, or is not a workload.
    """
    where = Path(path)
    content = read_bytes(where)
    try:
        document = loads(content.decode("utf-8-sig"))
    except ValueError as error:
        raise InputError(f"{where}: not valid JSON: {foreign(error)}") from None
    if (
        not isinstance(document, dict)
        or document.get("schema") != SCHEMA
        or not isinstance(document.get("queries"), list)
    ):
        raise InputError(f'{where}: a workload needs "schema": {SCHEMA} and a list "queries"')
    queries = tuple(_query(where, number, query) for number, query in enumerate(document["queries"], 1))
    source, seed = document.get("source", "given"), document.get("seed")
    if not isinstance(source, str) or not (seed is None or _is_number(seed, int)):
        raise InputError(f'{where}: "source" must be text and "seed" an integer or null, got {source!r} and {seed!r}')
    return Workload(queries, source, seed)


def write_workload(workload: Workload, path: str | Path) -> Path:
    """Write a workload in the format of `read_workload`.

    Raises
    ------
    InputError
        If the file cannot be written.
    """
    queries = [{"items": query.items, "where": [*map(_entry, query.where)]} for query in workload.queries]
    document = {"schema": SCHEMA, "source": workload.source, "seed": workload.seed, "queries": queries}
    return write_file(Path(path), [f"{dumps(document)}\n".encode()])


def _entry(condition: Condition) -> dict[str, Any]:
    if isinstance(condition, Among):
        return {"column": condition.column, "among": condition.values}
    return {"column": condition.column, "low": condition.low, "high": condition.high}


def _query(path: Path, number: int, query: Any) -> Query:
    entries: dict[str, Any] = query if isinstance(query, dict) else {"items": None}
    items, where = entries.get("items", []), entries.get("where", [])
    if not _is_texts(items) or len(set(items)) < len(items) or not isinstance(where, list):
        raise InputError(f'{path}: query {number}: "items" must be a list of distinct texts, and "where" a list')
    try:
        return Query(tuple(items), tuple(map(_condition, where)))
    except InputError as error:
        raise InputError(f"{path}: query {number}: {error}") from None


def _condition(condition: Any) -> Condition:
    keys = set(condition) if isinstance(condition, dict) else set()
    if keys == {"column", "among"} and isinstance(condition["column"], str) and _is_texts(condition["among"]):
        return Among(condition["column"], tuple(condition["among"]))
    if keys == {"column", "low", "high"} and isinstance(condition["column"], str):
        low, high = condition["low"], condition["high"]
        if _is_number(low, int, float) and _is_number(high, int, float):
            return Between(condition["column"], low, high)
    raise InputError('a condition needs "column", and either "low" and "high" or "among"')


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(text, str) for text in value)


def _is_number(value: Any, *kinds: type) -> bool:
    return isinstance(value, kinds) and not isinstance(value, bool)
