"""Tiny runs over files, which call for the kernels that runs by blocks, and runs of many records, need besides.

Some kernels are called only where there are many records, labels or sets. Here everything counts as many.
"""

import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from anonset.algorithms.base import Algorithm
from anonset.data import CategoricalColumn, NumericColumn, SetColumn, Table, spans
from anonset.data.mapped import WorkFolder
from anonset.jobs.annotated_kernels import compile_the_rest
from anonset.jobs.compiling import GO_ON, MOST, mark_ready
from anonset.jobs.rehearsal import RECORDS, baskets, rehearse, table_for
from anonset.jobs.rehearsals import rehearsals
from anonset.release.costs import peak_memory

_LIMIT = 1 << 20
"""Memory, in bytes, to which all that is held at once keeps: an eighth of it is room for anything."""


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

    with WorkFolder.temporary() as work:
        fimi, rows = work.path / "baskets.dat", work.path / "rows.csv"
        fimi.write_text("".join(" ".join(sorted(row)) + "\n" for row in baskets()))
        rows.write_text("person,items\n" + "".join(f"p{n // 2},{min(row)}\n" for n, row in enumerate(baskets())))
        scan(rows, items="items", id="person", group=True)
        column = scan(fimi).transactions
        if column is not None:
            generate_constraints(column, 2)


def rehearse_in_files(algorithm: Algorithm) -> None:
    """Read a tiny table block by block into files, anonymize it, publish it and verify what was written."""
    from anonset.io.scan import scan
    from anonset.jobs.anonymize import anonymize

    table, given = table_for(algorithm.model)
    with WorkFolder.temporary() as work, spans.memory_limit(_LIMIT), _many():
        source, roles = _written(table, work.path)
        filed = scan(source, work_dir=work.path / "work", **roles)
        out = work.path / "out"
        anonymize(filed, algorithm, hierarchies=given, workers=1, out=out, allow_worthless=True)


@contextmanager
def _many() -> Iterator[None]:
    """Let some dozens of rows, labels or sets be too many to be held at once."""
    from anonset.data import label_order
    from anonset.generalization import row_order
    from anonset.io import texts
    from anonset.verification import individuals, shares

    with ExitStack() as stack:
        for module, name in (
            (row_order, "ROWS_PER_BUCKET"),
            (label_order, "PER_BUCKET"),
            (texts, "MOST_HELD"),
            (individuals, "ROWS_PER_SHARE"),
            (shares, "ROWS_PER_SHARE"),
        ):
            stack.callback(setattr, module, name, getattr(module, name))
            setattr(module, name, RECORDS // 8)
        yield


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
