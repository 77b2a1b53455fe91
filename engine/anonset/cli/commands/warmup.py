"""``anonset warmup``: compile all kernels."""

from typing import Annotated

from cyclopts import Parameter

from anonset.cli.exit_codes import DONE
from anonset.cli.output import show, show_json
from anonset.cli.progress import progress_bars
from anonset.jobs.warmup import warm_up


def warmup(
    *,
    quiet: Annotated[bool, Parameter(help="Print no progress and no summary.")] = False,
    json: Annotated[bool, Parameter(help="Print the summary as JSON.")] = False,
) -> int:
    """Compile all kernels, so that later runs start faster.

    Use this command when you build a container image, and before you measure times. The compiled kernels are stored in
    the cache folder of the user, or in NUMBA_CACHE_DIR. They are valid for this version of anonset and this kind of
    processor. If an image may run on another kind of processor, set NUMBA_CPU_NAME=generic during warmup and in the
    image. After warmup, the folder may be read-only.
    """
    with progress_bars(quiet=quiet) as progress:
        compiled = warm_up(progress=progress)
    if json:
        show_json({"kernels": compiled.kernels, "seconds": compiled.seconds, "folder": str(compiled.folder)})
    elif not quiet:
        done = (
            f"compiled {compiled.kernels} kernels in {compiled.seconds:.1f} s"
            if compiled.kernels
            else "all kernels are compiled already"
        )
        show(f"{done}; cache: {compiled.folder}")
    return DONE
