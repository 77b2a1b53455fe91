"""``anonset warmup``: compile every kernel before it is needed."""

from typing import Annotated

from cyclopts import Parameter

from anonset.cli.exit_codes import DONE
from anonset.cli.output import progress_bars, show, show_json
from anonset.jobs.warmup import warm_up


def warmup(
    *,
    quiet: Annotated[bool, Parameter(help="Print no progress and no account.")] = False,
    json: Annotated[bool, Parameter(help="Print the account as JSON.")] = False,
) -> int:
    """Compile every kernel, so that no later run has to: for images of containers, and before measuring.

    Machine code is kept below the user's cache folder, or the one that NUMBA_CACHE_DIR names, and is of this version of
    the kernels and this kind of processor; where the image may run on another kind, set NUMBA_CPU_NAME=generic here and
    there. The folder may be read-only then.
    """
    with progress_bars(quiet=quiet) as progress:
        found = warm_up(progress=progress)
    if json:
        show_json({"kernels": found.kernels, "seconds": found.seconds, "folder": str(found.folder)})
    elif not quiet:
        done = f"compiled {found.kernels} kernels in {found.seconds:.1f} s" if found.kernels else "nothing to compile"
        show(f"{done}; machine code is kept in {found.folder}")
    return DONE
