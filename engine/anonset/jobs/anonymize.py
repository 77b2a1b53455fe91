"""The job of `anonset anonymize`: from settings to published directories."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anonset.algorithms.base import Progress
from anonset.data import Hierarchy, Table
from anonset.data.discreet import Discreet
from anonset.jobs.memory import memory_for, require_memory
from anonset.jobs.run import search
from anonset.privacy import PrivacyModel, Verdict
from anonset.release.formats import kind_of
from anonset.release.layout import Layout
from anonset.release.phases import Phase, Stopwatch
from anonset.release.places import require_free
from anonset.release.publish import Request, publish
from anonset.release.unverified import Unverified
from anonset.settings.binding import bind
from anonset.settings.parameters import default_algorithm, make_algorithm, needs_data
from anonset.settings.readers import Context
from anonset.settings.settings import Settings


@dataclass(frozen=True, eq=False)
class Outcome(Discreet):
    """A finished job."""

    request: Request
    """Where the publication lies."""
    unverified: Unverified[Any]
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
        If the guarantee, or the largest allowed loss, cannot be reached, or (`WorthlessError`) nothing would be said.
    VerificationError
        If the model does not hold, or (`UndecidedError`) the check could not be finished.
    """
    from anonset.io.files import digest, estimate_bytes, require_there
    from anonset.io.read import read

    require_there(Path(settings.input))
    given = settings.algorithm_parameters()
    name = settings.algorithm or default_algorithm(settings.model, relational=bool(settings.relational))
    algorithm = make_algorithm(settings.model, name, given)
    source, request = Path(settings.input), request_of(settings, algorithm.model)
    require_free(request.out, request.private_folder)
    require_memory(memory_for(estimate_bytes(source)), settings.memory_limit)
    watch = Stopwatch()
    with watch.phase("read"):
        if progress is not None:
            progress("read", 0, 0)
        table = read(source, **settings.read_options())
        sha256 = digest(source)
    with watch.phase("hierarchies"):
        table, hierarchies = bind(table, settings.hierarchy, algorithm.model)
        if needs_data(given):
            algorithm = make_algorithm(settings.model, name, given, context_of(table, hierarchies, given))
        kind_of(algorithm.model).require_publishable(table, hierarchies, algorithm, request.layout)
    unverified = search(
        table,
        algorithm,
        hierarchies=hierarchies,
        workers=settings.workers,
        progress=progress,
        layout=request.layout,
        max_loss=settings.max_loss,
        allow_worthless=settings.allow_worthless,
        watch=watch,
    )
    context = {
        "settings": settings.model_dump(exclude_none=True),
        "seed": settings.seed,
        "input": {"file": source.name, "sha256": sha256},
    }
    verdict = publish(unverified, request, watch=watch, progress=progress, context=context)
    return Outcome(request, unverified, verdict, tuple(watch.phases))


def context_of(table: Table, hierarchies: dict[str, Hierarchy], given: dict[str, Any]) -> Context:
    """Return what parameters may be made from."""
    column = table.transactions
    return Context(column, None if column is None else hierarchies.get(column.name), given)


def request_of(settings: Settings, model: PrivacyModel) -> Request:
    """Return where and how the settings ask to publish."""
    return Request(
        Path(settings.out),
        None if settings.private is None else Path(settings.private),
        layout_of(settings, model),
        settings.accept_undecided,
        settings.budget,
        settings.trace,
    )


def layout_of(settings: Settings, model: PrivacyModel) -> Layout:
    """Return the layout that the settings ask for; by default the format is that of the input, and csv for buckets."""
    found = settings.format or ("csv" if "buckets" in model.protects else published_format(Path(settings.input)))
    return Layout(settings.order, settings.symbols, found, settings.separator)  # type: ignore[arg-type]


def published_format(source: Path) -> str:
    """Return the format in which data from a file are published: the file's own, or CSV for TSV.

    >>> published_format(Path("visits.dat.gz"))
    'dat'
    """
    from anonset.io.files import format_of

    found = format_of(source)
    return "csv" if found == "tsv" else found
