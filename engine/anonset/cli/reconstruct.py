"""``anonset reconstruct``: one possible table behind a disassociated publication."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from anonset.cli.exit_codes import DONE
from anonset.cli.output import show
from anonset.errors import InputError
from anonset.spelling import counted


def reconstruct(
    published: Annotated[str, Parameter(name="OUT", help="Directory of a disassociated publication.")],
    /,
    *,
    out: Annotated[str, Parameter(name=["--out", "-o"], help="New file, FILE.csv, .dat or .parquet.")],
    seed: Annotated[int, Parameter(help="Random seed: another one gives another table.")] = 0,
    quiet: Annotated[bool, Parameter(help="Print no account.")] = False,
) -> int:
    """Write one possible table behind a disassociated publication, for programs that read records.

    Items of a chunk stand together as often as published, items of different chunks by chance: what goes together
    within a cluster is understated. The table says no more than OUT does; take the mean over several seeds.
    """
    from anonset.io.publish import write_sets
    from anonset.jobs.reconstruct import reconstruct as reconstructed

    path = Path(out)
    if path.resolve().is_relative_to(Path(published).resolve()):
        msg = f"-o {out}: the table must not lie in {published}, which is handed on"
        raise InputError(msg)
    if path.exists():
        msg = f"{out} exists already; tables are not overwritten"
        raise InputError(msg)
    table = reconstructed(published, seed=seed)
    if table.transactions is not None:
        write_sets(table.transactions, path)
    if not quiet:
        show(f"{out}: {counted(table.n, 'record')}, one possible table behind {published}")
    return DONE
