"""``anonset reconstruct``: one possible table behind a disassociated publication."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from anonset.cli.exit_codes import DONE
from anonset.cli.flags import number_of_64_bits
from anonset.cli.output import show
from anonset.errors import InputError
from anonset.jobs.reconstruct import possible_tables
from anonset.local_paths import require_local
from anonset.spelling import counted
from anonset.writing.publications.records import write_sets

MOST_DRAWS = 100_000
"""Largest number of tables of one command: each is a file, and their mean is exact long before."""


def reconstruct(
    published: Annotated[str, Parameter(name="OUT", help="Directory of a disassociated publication.")],
    /,
    *,
    out: Annotated[str, Parameter(name=["--out", "-o"], help="New file, FILE.csv, .dat or .parquet.")],
    seed: Annotated[
        int, Parameter(help="Random seed: another one gives another table.", converter=number_of_64_bits)
    ] = 0,
    draws: Annotated[
        int,
        Parameter(
            help="Tables, of the seeds from --seed on; of several, each file has its seed in its name.",
            converter=number_of_64_bits,
        ),
    ] = 1,
    quiet: Annotated[bool, Parameter(help="Print no account.")] = False,
) -> int:
    """Write one possible table behind a disassociated publication, for programs that read records.

    Items of a chunk stand together as often as published, items of different chunks by chance: what goes together
    within a cluster is understated. The table says no more than OUT does; take the mean over several (`--draws`).
    """
    if draws < 1:
        msg = f"--draws must be at least 1, got {draws}"
        raise InputError(msg)
    if draws > MOST_DRAWS:
        msg = f"--draws must be at most {MOST_DRAWS}, got {draws}"
        raise InputError(msg)
    require_local(out)
    path = Path(out)
    if path.resolve().is_relative_to(Path(published).resolve()):
        msg = f"-o {out}: the table must not lie in {published}, which is handed on"
        raise InputError(msg)
    seeds = range(seed, seed + draws)
    paths = [path] if draws == 1 else [path.with_name(f"{path.stem}-{own}{path.suffix}") for own in seeds]
    if there := next((one for one in paths if one.exists()), None):
        msg = f"{there} exists already; tables are not overwritten"
        raise InputError(msg, code="exists")
    for own, table in zip(paths, possible_tables(published, seeds), strict=True):
        if table.transactions is not None:
            write_sets(table.transactions, own)
        if not quiet:
            show(f"{own}: {counted(table.n, 'record')}, one possible table behind {published}")
    return DONE
