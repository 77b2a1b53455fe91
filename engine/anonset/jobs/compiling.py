"""Kernels compiled before any data are read, in a process of its own, where there is no room for that beside the data.

The compiler takes hundreds of megabytes, and gives none of them back before its process ends. Where the limit on memory
is near, a process of its own compiles what the run may call for, and puts it into the cache, from which the run loads
it. A mark beside the machine code of a file says that this was done: to look for it takes no time.
"""

import hashlib
import os
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import closing
from pathlib import Path

from anonset.algorithms.base import Algorithm, Progress
from anonset.data.store import Files
from anonset.errors import InputError
from anonset.jobs.annotated_kernels import compile_file, files_of
from anonset.release.memory import COMPILING_TAKES, Compiling
from anonset.release.stopwatch import COMPILING, peak_memory

MOST, GO_ON = 480 << 20, 75
"""Resident memory, in bytes, above which a process that compiles ends, and the exit code with which another goes on."""
_CHILD = "from anonset.jobs.compiling import compile_here; compile_here()"


def compiling_near_limit(algorithm: Algorithm) -> Compiling:
    """Choose how the kernels of a run are compiled that has no room for that beside its data.

    Where they were compiled before, nothing is to be done. Where machine code can be kept nowhere, compiling takes
    memory beside the data, whenever it is done.
    """
    if is_ready(algorithm):
        return Compiling()
    from anonset_kernels._jit import cache_writable

    return Compiling(before=True) if cache_writable() and sys.executable else Compiling(beside=COMPILING_TAKES)


def is_ready(algorithm: Algorithm) -> bool:
    """Tell whether all kernels that an algorithm may call were compiled before; where the JIT is off, they were."""
    if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
        return True
    return all(mark is not None and mark.exists() for mark in map(_mark, files_of(algorithm)))


def compile_whole(name: str) -> None:
    """Compile the kernels of a file that other packages call, and note in the cache that this was done."""
    from anonset_kernels._jit import cache_writable

    compile_file(name)
    mark = _mark(name)
    if mark is not None and cache_writable():
        mark.parent.mkdir(exist_ok=True)
        mark.touch()


def compile_here() -> None:
    """Compile the files that the arguments of this process name, telling on standard output of each kernel."""
    from anonset_kernels._compiling import COMPILATION

    def tell(kernels: int, finished: bool) -> None:
        if finished:
            return
        if kernels > 1 and (peak_memory() or 0) > MOST:
            os._exit(GO_ON)  # from whatever thread it is
        sys.stdout.write(f"{kernels}\n")
        sys.stdout.flush()

    with COMPILATION.watched(tell):
        for name in sys.argv[1:]:
            compile_whole(name)


def compile_before(algorithm: Algorithm, progress: Progress | None = None) -> float:
    """Compile the kernels that an algorithm calls for in a process of its own, and return the seconds that it took.

    That process ends where it has become large, and another one goes on with what the first has put into the cache.

    Raises
    ------
    InputError
        If one failed, or was ended: it would not go better beside the data.
    """
    start, kernels, code = time.perf_counter(), 0, GO_ON
    asked = files_of(algorithm)
    with Files.temporary() as store:
        while code == GO_ON:
            before, last, child = kernels, "", _Child(asked, str(store.path))
            with closing(child.lines()) as lines:
                for line in lines:
                    last = line or last
                    if line.isdecimal():
                        kernels = before + int(line)
                        if progress is not None:
                            progress(COMPILING, kernels, 0)
            code = child.code
    if code:
        raise InputError(_failed(algorithm, code, last))
    if progress is not None and kernels:
        progress(COMPILING, kernels, kernels)
    return time.perf_counter() - start


class _Child:
    """A process that compiles; its temporary files are below a folder of ours."""

    def __init__(self, asked: list[str], folder: str) -> None:
        self.command, self.environment = [sys.executable, "-P", "-c", _CHILD, *asked], _environment(folder)
        self.code = 0
        """Its exit code, once its lines are through."""

    def lines(self) -> Generator[str, None, None]:
        """Run it, yielding what it writes, errors too; whatever happens, it is no more in the end."""
        with subprocess.Popen(
            self.command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            env=self.environment,
        ) as child:
            try:
                yield from map(str.strip, child.stdout or ())
            except BaseException:
                child.kill()
                raise
        self.code = child.returncode


def _mark(name: str) -> Path | None:
    """Return the file that says that a file of kernels was compiled for this processor, if machine code is kept."""
    import numba.core.registry as numba_registry

    from anonset_kernels import _jit

    folder = _jit.directory_of(_jit.path_of(name))
    processor = numba_registry.cpu_target.target_context.codegen().magic_tuple()
    return None if folder is None else folder / f"compiled-{hashlib.sha256(repr(processor).encode()).hexdigest()[:16]}"


def _environment(folder: str) -> dict[str, str]:
    """Return the environment of the child: it imports what this process would, and leaves nothing but the cache."""
    path = os.pathsep.join(entry or str(Path.cwd()) for entry in sys.path)
    return {**os.environ, "PYTHONPATH": path, "TMPDIR": folder, "TEMP": folder, "TMP": folder}


def _failed(algorithm: Algorithm, code: int, last: str) -> str:
    why = f"it was ended by signal {-code}" if code < 0 else f"exit code {code}, {last}"
    problem = f"the kernels of {algorithm.name} could not be compiled in a process of its own: {why}"
    return f"{problem}; the memory limit has no room for them beside the data: raise it, or run anonset warmup before"
