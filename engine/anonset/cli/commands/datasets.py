"""``anonset datasets``: the catalogue of data sets, and generators."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from anonset.cli.exit_codes import DONE, FAILED
from anonset.cli.flags import pairs
from anonset.cli.options import Option
from anonset.cli.output import Output, say, written
from anonset.errors import InputError
from anonset.local_paths import require_local
from anonset.report.sections import table

if TYPE_CHECKING:
    from anonset_datasets.presence import Presence

_THERE = "as published"


def list_datasets() -> Output:
    """List the data sets of the catalogue, and the generators."""
    from anonset_datasets.catalogue import entries
    from anonset_datasets.generators import GENERATORS

    rows: list[dict[str, Any]] = [
        *(
            {"name": e.name, "kind": e.kind, "records": e.n, "items": e.n_items, "about": e.about}
            | {"source": e.source, "terms": e.terms, "note": e.note, "citation": e.citation}
            for e in entries()
        ),
        *({"name": g.name, "kind": f"generator, {g.kind}", "about": g.about} for g in GENERATORS.values()),
    ]
    head = ("name", "kind", "records", "items", "about")
    texts = (
        [f"{value:,}" if isinstance(value := row.get(name) or "", int) else value for name in head] for row in rows
    )
    notes = (f"{row['name']}: {row['note']}" for row in rows if row.get("note"))
    return Output(lambda: rows, lambda: [table(head, texts, left=("kind", "about")), "", *notes])


def make_datasets(
    name: Annotated[str, Option("Name of a generator that anonset datasets list shows.")],
    /,
    *,
    out: Annotated[
        str,
        Option(
            "New file: .dat if the data contain only sets, otherwise .csv. A name without suffix is a new folder "
            "of Parquet files.",
            alias="-o",
        ),
    ],
    records: Annotated[
        int | None,
        Option("Number of records. The default depends on the generator."),
    ] = None,
    seed: Annotated[int, Option("Random seed.")] = 0,
    set: Annotated[list[str] | None, Option("NAME=VALUE: a parameter of the generator. Repeatable.")] = None,  # noqa: A002
    hierarchy: Annotated[str | None, Option("New file for the hierarchy of the items.")] = None,
    tables: Annotated[
        bool, Option("Generate linked tables (hospital only). --out is then a new folder of CSV files.")
    ] = False,
) -> Output:
    """Generate a data set.

    The same parameters and seed always generate the same bytes.
    """
    from anonset_datasets.generators import GENERATORS, make, make_tables, write_tree
    from anonset_datasets.generators.parts import make_parts

    require_local(out, hierarchy)
    types = {key: type(value) for key, value in GENERATORS[name].parameters.items()} if name in GENERATORS else {}
    texts = pairs("--set", set or [])
    parameters = {key: value if types.get(key) is str else _number(key, value) for key, value in texts.items()}
    if records is not None:
        parameters["n"] = records
    if hierarchy is not None:
        write_tree(name, hierarchy)
    try:
        if tables:
            make_tables(name, out, **{"seed": seed, **parameters})
        elif Path(out).suffix:
            make(name, out, **{"seed": seed, **parameters})
        else:
            make_parts(name, out, {"seed": seed, **parameters})
    except BaseException:
        if hierarchy is not None:
            Path(hierarchy).unlink(missing_ok=True)
        raise
    return written(out)


def path_datasets(
    name: Annotated[str, Option("Name of a data set of the catalogue.")],
    /,
    *,
    hierarchy: Annotated[bool, Option("Print the path of the hierarchy of the items instead.")] = False,
) -> Output:
    """Print the path of a data set of the catalogue.

    The environment variable ANONSET_DATA contains the folder of the data sets.
    """
    from anonset_datasets import catalogue

    location = catalogue.hierarchy(name) if hierarchy else catalogue.path(name)
    if location is None:
        msg = f"data set {name!r} has no hierarchy of the items; use {catalogue.entry(name).default_hierarchy}"
        raise InputError(msg)
    if note := catalogue.entry(name).note:
        say(f"{name}: {note}")
    return Output(lambda: {"path": str(location)}, lambda: [str(location)])


def check_datasets(
    *names: Annotated[str, Option("Names of data sets of the catalogue. Default: all data sets.")],
) -> Output:
    """Check which data sets of the catalogue are available and unchanged.

    The environment variable ANONSET_DATA contains the folder of the data sets. The command compares the SHA-256 of each
    uncompressed file with the catalogue. For missing data sets, it prints the source and the file name. Exit codes: 0
    all data sets are available and as published; 1 a data set is missing or different; 2 invalid input.
    """
    from anonset_datasets.catalogue import VARIABLE
    from anonset_datasets.presence import look

    if not os.environ.get(VARIABLE):
        say(f"{VARIABLE} is not set: set it to the folder of the data sets")
    presences = look(names)
    rows = [_row_of(presence) for presence in presences]
    texts = []
    for row in rows:
        parts = "\n".join(f"{part['file']}: {part['state']}" for part in row["files"])
        texts.append((row["name"], row["state"], row["files"][0]["file"] if row["state"] == _THERE else parts))
    wanting = (f"\n{_how_to_get(row)}" for row in rows if row["state"] != _THERE)
    return Output(
        lambda: rows, lambda: [table(("name", "state", "files"), texts, left=("state", "files")), *wanting],
        code=FAILED if any(presence.is_wanting for presence in presences) else DONE,
    )  # fmt: skip


def _row_of(presence: "Presence") -> dict[str, Any]:
    from anonset_datasets.cards import CARDS

    entry = presence.entry
    return {
        "name": entry.name,
        "state": presence.state,
        "optional": entry.optional,
        "files": [{"file": part.file, "state": part.state} for part in presence.parts],
        "offered": CARDS[entry.name].offered,
        "made": CARDS[entry.name].made,
        **{key: getattr(entry, key) for key in ("about", "source", "terms", "note", "citation")},
    }


def _how_to_get(row: dict[str, Any]) -> str:
    missing = [part["file"] for part in row["files"] if part["state"] != _THERE]
    optional = " (optional)" if row["optional"] else ""
    parts = {
        "offered by": row["offered"],
        "source": row["source"],
        "terms": row["terms"],
        "cite": row["citation"],
        "made": row["made"],
        "note": row["note"],
        "save as": ", ".join(missing),
    }
    lines = [f"{row['name']}: {row['about']}{optional}", *(f"{key}: {text}" for key, text in parts.items() if text)]
    return "\n  ".join(lines)


def _number(name: str, text: str) -> int | float:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    raise InputError(f"--set {name} must be a number, got {text!r}")
