"""The job of `anonset anonymize`: from settings to published directories."""

from dataclasses import dataclass
from pathlib import Path

from anonset.algorithms.base import Progress
from anonset.data import Hierarchy, Table
from anonset.errors import InputError
from anonset.privacy import Verdict
from anonset.runner.candidate import Candidate
from anonset.runner.memory import require_memory
from anonset.runner.parameters import make_algorithm
from anonset.runner.phases import Phase, Stopwatch
from anonset.runner.publish import Request, publish
from anonset.runner.run import bind, search
from anonset.runner.settings import Settings
from anonset.runner.staging import require_new

_MEMORY_PER_BYTE = 8  # the text, the encoded table, and the records expanded by the ancestors of their items


@dataclass(frozen=True, eq=False)
class Outcome:
    """A finished job."""

    request: Request
    """Where the publication lies."""
    candidate: Candidate
    """What was published."""
    verdict: Verdict
    """What the verification of the written bytes said."""
    phases: tuple[Phase, ...]
    """Seconds and peak memory of each phase."""


def run_job(settings: Settings, *, progress: Progress | None = None) -> Outcome:
    """Read, search, apply, write, read back, verify, publish.

    Raises
    ------
    InputError
        If the settings or the data are not what they must be.
    InfeasibleError
        If the guarantee, or the largest allowed loss, cannot be reached.
    VerificationError
        If the model does not hold, or (`UndecidedError`) the check could not be finished.
    """
    from anonset.io.files import digest, estimate_bytes
    from anonset.io.read import read

    algorithm = make_algorithm(settings.model, settings.algorithm, settings.algorithm_parameters())
    source, request = Path(settings.input), request_of(settings)
    require_new(request.out, request.private_folder)
    require_memory(estimate_bytes(source) * _MEMORY_PER_BYTE, settings.memory_limit)
    watch = Stopwatch()
    with watch.phase("read"):
        if progress is not None:
            progress("read", 0, 0)
        table = read(source, **settings.read_options())
        sha256 = digest(source)
    with watch.phase("hierarchies"):
        table, hierarchies = bind(table, settings.hierarchy)
        require_writable(table, hierarchies, request)
    candidate = search(
        table,
        algorithm,
        hierarchies=hierarchies,
        workers=settings.workers,
        progress=progress,
        order=settings.order,
        max_loss=settings.max_loss,
        watch=watch,
    )
    context = {
        "settings": settings.model_dump(exclude_none=True),
        "seed": settings.seed,
        "input": {"file": source.name, "sha256": sha256},
    }
    verdict = publish(candidate, request, watch=watch, progress=progress, context=context)
    return Outcome(request, candidate, verdict, tuple(watch.phases))


def request_of(settings: Settings) -> Request:
    """Return where and how the settings ask to publish."""
    return Request(
        Path(settings.out),
        None if settings.private is None else Path(settings.private),
        settings.format or published_format(Path(settings.input)),
        settings.separator,
        settings.accept_undecided,
        settings.budget,
        settings.trace,
    )


def published_format(source: Path) -> str:
    """Return the format in which data from a file are published: the file's own, or CSV for TSV.

    >>> published_format(Path("visits.dat.gz"))
    'dat'
    """
    from anonset.io.files import format_of

    found = format_of(source)
    return "csv" if found == "tsv" else found


def require_writable(table: Table, hierarchies: dict[str, Hierarchy], request: Request) -> None:
    """Refuse columns and labels that the format cannot carry, before any work: every node may be published.

    Raises
    ------
    InputError
        With the column or the label, and the way out.
    """
    from anonset.io.publish import check_labels

    if request.format == "dat" and table.kept:
        msg = f"the format dat carries the set-valued column alone, not {table.kept[0].name!r}; choose csv or parquet"
        raise InputError(msg)
    for hierarchy in hierarchies.values():
        check_labels(hierarchy.labels, request.format, request.separator)
