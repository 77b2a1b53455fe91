"""``anonset reconstruct``: generate a table that is consistent with a disassociated publication."""

from pathlib import Path
from typing import Annotated

from anonset.cli.options import Option
from anonset.cli.output import Output
from anonset.errors import InputError
from anonset.jobs.reconstruct import possible_tables
from anonset.local_paths import require_local
from anonset.spelling import counted
from anonset.writing.publications.records import write_sets

MOST_DRAWS = 100_000
"""Maximum number of tables per command. More tables would hardly change the average of their results."""


def reconstruct(
    published: Annotated[str, Option("Directory of a disassociated publication.", "OUT")],
    /,
    *,
    out: Annotated[str, Option("New file (.csv, .dat or .parquet).", alias="-o")],
    seed: Annotated[int, Option("Random seed of the first table.")] = 0,
    draws: Annotated[
        int,
        Option(
            "Number of tables. Each table has its own seed: --seed, --seed + 1, and so on. With several "
            "tables, the file names contain the seed."
        ),
    ] = 1,
) -> Output:
    """Generate a table of records that is consistent with a disassociated publication.

    Use the table with programs that need records. Items of the same chunk occur together as often as in the
    publication. Items of different chunks are combined at random, which weakens associations within a cluster. The
    table contains no information beyond OUT. For better results, analyse several tables (--draws), and average the
    results.
    """
    if draws < 1:
        raise InputError(f"--draws must be at least 1, got {draws}")
    if draws > MOST_DRAWS:
        raise InputError(f"--draws must be at most {MOST_DRAWS}, got {draws}")
    require_local(out)
    path = Path(out)
    if path.resolve().is_relative_to(Path(published).resolve()):
        raise InputError(f"-o {out}: the table must be outside {published}, which recipients get")
    seeds = range(seed, seed + draws)
    paths = [path] if draws == 1 else [path.with_name(f"{path.stem}-{number}{path.suffix}") for number in seeds]
    if existing := next((target for target in paths if target.exists()), None):
        raise InputError(f"{existing} already exists and is not overwritten; name another file", code="exists")
    lines = []
    for target, table in zip(paths, possible_tables(published, seeds), strict=True):
        if table.transactions is not None:
            write_sets(table.transactions, target)
        lines.append(f"{target}: {counted(table.n, 'record')}, consistent with {published}")
    return Output(lambda: {"out": [*map(str, paths)]}, notes=lambda: lines)
