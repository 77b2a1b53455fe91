"""Earlier release that a new release continues, read from the private directory."""

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
from pydantic import ValidationError

from anonset.algorithms.base import Algorithm
from anonset.data import Table
from anonset.errors import InputError
from anonset.generalization.earlier_release import EarlierRelease
from anonset.reading.hierarchies.files import read_hierarchy
from anonset.reading.hierarchies.specs import is_over_data
from anonset.reading.sources.csv_rows import header_of
from anonset.reading.sources.files import digest, require_file
from anonset.release.documents import HIERARCHY, MAPPING, RETIRED, Report
from anonset.settings.binding import HierarchySpec
from anonset.settings.settings import REPORT
from anonset.spelling import setting


def require_one_machine(name: str, *, on_cluster: bool) -> None:
    """Reject a cluster for a search that continues an earlier release. `name` is the setting of the earlier release.

    Raises
    ------
    InputError
        If a cluster is requested.
    """
    if on_cluster:
        raise InputError(f"{setting(name)} runs on a single machine; remove {setting('cluster')}")


def read_earlier(private: str | os.PathLike[str] | None, *, on_cluster: bool = False) -> EarlierRelease | None:
    """Return the recoding of an earlier release to continue from. None if no release is named.

    Raises
    ------
    InputError
        If `private` is not the private directory of a release, a file has changed, or the release recodes clusters
        separately. If a cluster is requested.
    """
    from anonset.reading.publications.codebook import LOCAL, read_codebook, read_mapping

    if private is None:
        return None
    require_one_machine("recoding", on_cluster=on_cluster)
    folder = Path(private)
    report = _report(folder)
    for name in (MAPPING, HIERARCHY, RETIRED):
        if name in report.files and (not (folder / name).is_file() or digest(folder / name) != report.files[name]):
            raise InputError(f"{str(folder / name)!r} is missing or has changed: its SHA-256 must match the report")
    if MAPPING not in report.files or header_of(folder / MAPPING) == LOCAL:
        raise InputError(
            f"{setting('recoding')} {folder}: {report.algorithm} did not publish a single "
            "recoding of all records, so no release can continue it"
        )
    tree, mapping = None, read_mapping(folder / MAPPING)
    if HIERARCHY in report.files:
        tree = replace(read_hierarchy(folder / HIERARCHY), from_data=report.hierarchy_from_data)
        if report.unnamed_nodes:
            order = {item: position for position, item in enumerate(mapping)}
            place = np.array([order[leaf] for leaf in tree.leaves.labels], np.int32)
            tree = replace(tree, unnamed=frozenset(report.unnamed_nodes), place=place)
    retired = read_codebook(folder / RETIRED) if RETIRED in report.files else ()
    return EarlierRelease(
        mapping, tree, report.attestation_sha256, {symbol.label: symbol.members for symbol in retired}
    )


def continue_from(
    earlier: EarlierRelease, table: Table, hierarchies: Mapping[str, HierarchySpec], algorithm: Algorithm
) -> tuple[Table, Mapping[str, HierarchySpec]]:
    """Return a table over the items of both releases, and the hierarchies for the new release.

    For the set-valued column, and for the columns joined into it, the hierarchy of the earlier release replaces a
    hierarchy that would be built from the data.

    Raises
    ------
    InputError
        If the algorithm cannot continue an earlier release.
    """
    from anonset.algorithms.coarsening import require_coarsening

    require_coarsening(algorithm)
    if table.transactions is None:
        return table, hierarchies
    names = list(dict.fromkeys((table.transactions.name, *table.joined)))
    specs = {name: hierarchies[name] for name in names if hierarchies.get(name) is not None}
    made = not specs or any(isinstance(spec, str) and is_over_data(spec) for spec in specs.values())
    if made and earlier.hierarchy is not None:
        others = {name: spec for name, spec in hierarchies.items() if name not in names}
        hierarchies = {**others, names[0]: earlier.hierarchy}
    if set(hierarchies).isdisjoint(names):
        table = replace(table, transactions=earlier.over_both(table.transactions))
    return table, hierarchies


def _report(folder: Path) -> Report:
    path = folder / REPORT
    require_file(path)
    try:
        return Report.model_validate_json(path.read_bytes())
    except ValidationError:
        msg = f"{setting('recoding')} {folder}: the private directory of a release is required, OUT.private"
        raise InputError(msg) from None
