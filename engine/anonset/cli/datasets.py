"""``anonset datasets``: the catalogue of data sets, and generators."""

from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from anonset.cli.app import pairs, whole_number
from anonset.cli.main import DONE
from anonset.cli.output import say, show, show_json
from anonset.errors import InputError


def list_datasets(*, json: Annotated[bool, Parameter(help="The list as JSON.")] = False) -> int:
    """List the catalogue and the generators."""
    from rich.table import Table as RichTable

    from anonset_datasets.catalogue import entries
    from anonset_datasets.generators import GENERATORS

    found: list[dict[str, Any]] = [
        *(
            {"name": e.name, "kind": e.kind, "records": e.n, "items": e.n_items, "about": e.about}
            | {"source": e.source, "terms": e.terms, "note": e.note, "citation": e.citation}
            for e in entries()
        ),
        *({"name": g.name, "kind": f"generator, {g.kind}", "about": g.about} for g in GENERATORS.values()),
    ]
    if json:
        show_json(found)
        return DONE
    table = RichTable(box=None, padding=(0, 2, 0, 0))
    for name in ("name", "kind", "records", "items", "about"):
        table.add_column(name, justify="right" if name in ("records", "items") else "left", no_wrap=name == "name")
    for row in found:
        sizes = [f"{row[name]:,}" if row.get(name) else "" for name in ("records", "items")]
        table.add_row(str(row["name"]), str(row["kind"]), *sizes, str(row["about"]))
    show(table, "", *(f"{row['name']}: {row['note']}" for row in found if row.get("note")))
    return DONE


def make_datasets(
    name: Annotated[str, Parameter(help="Generator, see anonset datasets list.")],
    /,
    *,
    out: Annotated[str, Parameter(alias="-o", help="New file; or, without suffix, new folder of Parquet files.")],
    records: Annotated[
        int | None, Parameter(converter=whole_number, help="Number of records; default: the generator's.")
    ] = None,
    seed: Annotated[int, Parameter(converter=whole_number, help="Seed.")] = 0,
    set: Annotated[list[str] | None, Parameter(help="NAME=VALUE: parameter of the generator; repeatable.")] = None,  # noqa: A002
    hierarchy: Annotated[
        str | None, Parameter(help="New file for the hierarchy of its items, where it has one.")
    ] = None,
) -> int:
    """Generate a data set; the same parameters and seed give the same bytes."""
    from anonset_datasets.generators import GENERATORS, make, write_tree
    from anonset_datasets.generators.parts import make_parts

    types = {key: type(value) for key, value in GENERATORS[name].parameters.items()} if name in GENERATORS else {}
    given = pairs("--set", set or [])
    parameters = {key: value if types.get(key) is str else _number(key, value) for key, value in given.items()}
    if records is not None:
        parameters["n"] = records
    if hierarchy is not None:
        write_tree(name, hierarchy)
    if Path(out).suffix:
        make(name, out, **{"seed": seed, **parameters})
    else:
        make_parts(name, out, {"seed": seed, **parameters})
    return DONE


def path_datasets(
    name: Annotated[str, Parameter(help="Data set of the catalogue.")],
    /,
    *,
    hierarchy: Annotated[bool, Parameter(help="The hierarchy of its items instead.")] = False,
) -> int:
    """Print where a data set of the catalogue lies, below the folder that ANONSET_DATA names."""
    from anonset_datasets import catalogue

    found = catalogue.hierarchy(name) if hierarchy else catalogue.path(name)
    if found is None:
        msg = f"data set {name!r} has no hierarchy of its items; use {catalogue.entry(name).default_hierarchy}"
        raise InputError(msg)
    if note := catalogue.entry(name).note:
        say(f"{name}: {note}")
    show(str(found))
    return DONE


def _number(name: str, text: str) -> int | float:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    msg = f"--set {name} must be a number, got {text!r}"
    raise InputError(msg)
