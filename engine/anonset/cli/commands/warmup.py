"""``anonset warmup``: compile all kernels."""

from anonset.cli.output import Output
from anonset.data.progress import Progress
from anonset.jobs.warmup import warm_up


def warmup(*, progress: Progress | None) -> Output:
    """Compile all kernels, so that later runs start faster.

    Use this command when you build a container image, and before you measure times. The compiled kernels are stored in
    the cache folder of the user, or in NUMBA_CACHE_DIR. They are valid for this version of anonset and this kind of
    processor. If an image may run on another kind of processor, set NUMBA_CPU_NAME=generic during warmup and in the
    image. After warmup, the folder may be read-only.
    """
    compiled = warm_up(progress=progress)
    done = (
        f"compiled {compiled.kernels} kernels in {compiled.seconds:.1f} s"
        if compiled.kernels
        else "all kernels are compiled already"
    )
    data = {"kernels": compiled.kernels, "seconds": compiled.seconds, "folder": str(compiled.folder)}
    return Output(lambda: data, notes=lambda: [f"{done}; cache: {compiled.folder}"])
