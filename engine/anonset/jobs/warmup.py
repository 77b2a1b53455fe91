"""The job of `anonset warmup`: every kernel is compiled before it is needed, as for an image of a container."""

from dataclasses import dataclass
from pathlib import Path

from anonset.algorithms.base import Progress
from anonset.algorithms.registry import ALGORITHMS
from anonset.data.store import Files
from anonset.errors import InputError
from anonset.jobs.compiling import mark_ready
from anonset.jobs.rehearsal import baskets, rehearse
from anonset.jobs.rehearsal_in_files import rehearse_wholly
from anonset.jobs.rehearsals import rehearsals
from anonset.release.stopwatch import COMPILING, Stopwatch


@dataclass(frozen=True)
class Warmth:
    """What was compiled, and where it lies."""

    kernels: int
    """Number of kernels compiled now; 0 where all of them were there."""
    seconds: float
    """Seconds that compiling took."""
    folder: Path
    """Where machine code is kept."""


def warm_up(*, progress: Progress | None = None) -> Warmth:
    """Run every algorithm on tiny tables, and read, publish, verify, evaluate and attack a small file.

    Raises
    ------
    InputError
        If machine code could not be kept: every run would compile anew, whatever was done here.
    """
    from anonset_kernels._compiling import COMPILATION

    folder = kernel_cache()
    if folder is None or not _is_writable():
        msg = (
            "compiled kernels can be kept nowhere, so that to compile them now would be of no use; "
            "name a folder that can be written by the environment variable NUMBA_CACHE_DIR"
        )
        raise InputError(msg)
    watch, before = Stopwatch(), COMPILATION.kernels
    for number, name in enumerate(ALGORITHMS):
        if progress is not None:
            progress("warming up", number, len(ALGORITHMS) + 1)
        with watch.phase(name):
            for at, algorithm in enumerate(rehearsals(name)):
                rehearse_wholly(algorithm)
                mark_ready(name, at)
    with watch.phase("files"):
        rehearse_files()
    seconds = sum((phase.seconds for phase in watch.phases if phase.name == COMPILING), 0.0)
    return Warmth(COMPILATION.kernels - before, seconds, folder)


def kernel_cache() -> Path | None:
    """Return the folder in which machine code is kept, or None where there is none."""
    from anonset_kernels._jit import cache_directory

    return cache_directory()


def _is_writable() -> bool:
    from anonset_kernels._jit import cache_writable

    return cache_writable()


def rehearse_files() -> None:
    """Read, anonymize, publish, verify, evaluate and attack a small file, in a folder that does not stay."""
    from anonset.algorithms.buckets.safe_grouping import SafeGrouping
    from anonset.algorithms.transaction.apriori import Apriori
    from anonset.algorithms.transaction.pgen import generate_constraints
    from anonset.io.read import read
    from anonset.io.scan import scan
    from anonset.jobs.anonymize import anonymize
    from anonset.jobs.evaluate import evaluate
    from anonset.jobs.risk import risk
    from anonset.jobs.verify import check

    hierarchies = {"items": "balanced:3"}
    with Files.temporary() as store:
        source, out = store.path / "baskets.dat", store.path / "out"
        source.write_text("".join(" ".join(sorted(row)) + "\n" for row in baskets()))
        table = read(source)
        if table.transactions is not None:
            generate_constraints(table.transactions, 2)
        anonymize(table, Apriori(k=2, m=2), hierarchies=hierarchies, workers=1).save(out)
        check(out, {"original": str(source), "records": str(store.path / "out.private" / "records.csv")})
        evaluate(table, out, hierarchies=hierarchies)
        risk(out, table, hierarchies=hierarchies)
        rows = store.path / "rows.csv"
        rows.write_text("".join(["person,value\n", *(f"p{row // 2},v{row % 3}\n" for row in range(12))]))
        ids = scan(rows, id="person", sensitive="value")  # which lie in files
        anonymize(ids, SafeGrouping(k=2, l=1, seed=0), workers=1, out=store.path / "buckets")
    rehearse(Apriori(k=2, m=2), "input")  # rows in any order
