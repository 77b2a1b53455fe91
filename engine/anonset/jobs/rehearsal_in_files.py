"""Tiny runs over files, which call for the kernels that runs by blocks, and runs of many records, need besides.

Some kernels are called only where there are many records, labels or sets. Here everything counts as many.
"""

import os
import sys
import warnings
from pathlib import Path
from typing import Any

from anonset.algorithms.base import Algorithm
from anonset.data import CategoricalColumn, NumericColumn, SetColumn, Table
from anonset.data.spans import Limits
from anonset.data.store import Files
from anonset.jobs.annotated_kernels import compile_the_rest
from anonset.jobs.compiling import GO_ON, MOST, mark_ready
from anonset.jobs.rehearsal import RECORDS, baskets, rehearse, table_for
from anonset.jobs.rehearsals import rehearsals
from anonset.release.stopwatch import peak_memory

_LIMITS = Limits(room=1 << 17, rows_per_bucket=RECORDS // 8, labels_held=RECORDS // 8)
"""Limits that some dozens of rows, labels or sets exceed, so that tiny data take the path of large data."""


def compile_here() -> None:
    """Do the rehearsals that the arguments of this process name, telling on standard output of each kernel."""
    from anonset_kernels._compiling import COMPILATION

    def tell(kernels: int, finished: bool) -> None:
        if finished:
            return
        if kernels > 1 and (peak_memory() or 0) > MOST:
            os._exit(GO_ON)  # from whatever thread it is
        sys.stdout.write(f"{kernels}\n")
        sys.stdout.flush()

    with COMPILATION.watched(tell):
        for asked in sys.argv[1:]:
            name, _, at = asked.partition(":")
            rehearse_wholly(list(rehearsals(name))[int(at)])
            mark_ready(name, int(at))


def rehearse_wholly(algorithm: Algorithm) -> None:
    """Compile all kernels that a run by an algorithm needs, in memory and by blocks, of however many records."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what is lost of tiny tables
        rehearse(algorithm)
        rehearse_in_files(algorithm)
        if "items" in algorithm.model.protects:
            _read_baskets()
    if hasattr(algorithm, "m"):
        import anonset_kernels.set_counts  # noqa: F401  # which counts where sets of three are rare, and pairs are not
    compile_the_rest()


def _read_baskets() -> None:
    """Read baskets as FIMI, and from rows of persons, and find out what to protect in them."""
    from anonset.algorithms.transaction.pgen import generate_constraints
    from anonset.io.scan import scan

    with Files.temporary() as store:
        fimi, rows = store.path / "baskets.dat", store.path / "rows.csv"
        fimi.write_text("".join(" ".join(sorted(row)) + "\n" for row in baskets()))
        rows.write_text("person,items\n" + "".join(f"p{n // 2},{min(row)}\n" for n, row in enumerate(baskets())))
        scan(rows, items="items", id="person", group=True)
        column = scan(fimi).transactions
        if column is not None:
            generate_constraints(column, 2)


def rehearse_in_files(algorithm: Algorithm) -> None:
    """Read a tiny table block by block into files, anonymize it, publish it and verify what was written."""
    from anonset.io.options import ReadOptions
    from anonset.io.table_builder import gather_files
    from anonset.jobs.anonymize import anonymize

    table, given = table_for(algorithm.model)
    with Files.temporary(limits=_LIMITS) as store:
        source, roles = _written(table, store.path)
        filed = gather_files(str(source), ReadOptions.of(**roles), store.below())
        out = store.path / "out"
        anonymize(filed, algorithm, hierarchies=given, workers=1, out=out, allow_worthless=True)


def _written(table: Table, folder: Path) -> tuple[Path, dict[str, Any]]:
    """Write a tiny table as CSV, with a text of its own in each row, and return the roles of its columns."""
    columns = {column.name: _values(column) for column in table.columns}
    columns["note"] = [f"n{n}" for n in range(table.n)]
    path = folder / "rows.csv"
    path.write_text("".join(",".join(row) + "\n" for row in [list(columns), *zip(*columns.values(), strict=True)]))
    roles: dict[str, Any] = {"keep": ("note",)}
    if table.transactions is not None:
        roles |= {"items": table.transactions.name, "separator": " "}
    if table.relational:
        roles["relational"] = tuple(column.name for column in table.relational)
    if table.sensitive is not None:
        roles |= {"sensitive": table.sensitive.name, "id": tuple(column.name for column in table.ids)}
    return path, roles


def _values(column: SetColumn | CategoricalColumn | NumericColumn) -> list[str]:
    if isinstance(column, SetColumn):
        return [" ".join(row) for row in column.rows()]
    return column.labels() if isinstance(column, CategoricalColumn) else [str(value) for value in column.values]
