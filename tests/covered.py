"""Which lines and branches of the sources the tests run: each worker notes it, and ``slipcover --merge`` adds it up.

A probe is taken out as soon as it was run once: one that stays slows down all that runs it again, and to look for those
that were run often takes longer still.
"""

import json
import os
from pathlib import Path

from slipcover import FileMatcher, ImportManager, Slipcover


class Covered:
    """What a worker runs of the sources that it imports from now on.

    Parameters
    ----------
    worker
        Name of the worker: the first one notes the files that no test imports too.
    sources
        The folders of the sources.
    folder
        The folder of what all workers note, which is made.
    """

    def __init__(self, worker: str, sources: list[str], folder: Path) -> None:
        self._file = folder / f"{worker}.json"
        self._noted = Slipcover(immediate=True, branch=True, source=sources if worker == "gw0" else None)
        ImportManager(self._noted, FileMatcher(sources=sources)).__enter__()

    def write(self) -> None:
        """Write it into a file of this worker."""
        self._file.parent.mkdir(parents=True, exist_ok=True)
        self._file.write_text(json.dumps(self._noted.get_coverage()))


def of_this_worker() -> Covered | None:
    """Return what this worker notes: nothing, unless it is asked to."""
    worker, sources = os.environ.get("PYTEST_XDIST_WORKER"), os.environ.get("ANONSET_COVERED")
    return Covered(worker, sources.split(","), Path(os.environ["ANONSET_COVERAGE"])) if worker and sources else None
