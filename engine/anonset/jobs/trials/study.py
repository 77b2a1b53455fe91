"""Run algorithms and parameters from settings, and return a table of results. This is the job of `anonset compare`.

A study file stores each run as one line. Runs that it already contains for these data are skipped.
"""

import os
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from importlib.metadata import version
from itertools import product
from pathlib import Path

from anonset.algorithms.registry import ALGORITHMS
from anonset.analysis.workloads import WorkloadSpec
from anonset.data import Table
from anonset.data.progress import Progress
from anonset.data.resumption.ledger import as_json, from_json
from anonset.data.storage.usage import forget_peak, peak_memory
from anonset.data.storage.workers import Threads
from anonset.errors import InputError, require_known
from anonset.jobs.reading import read_data, source_to_read
from anonset.jobs.runs.file_run import memory_of
from anonset.jobs.trials.candidate import Candidate
from anonset.jobs.trials.compare import TrialSettings
from anonset.jobs.trials.growth import RunSize, run_sizes, sample, values_of
from anonset.queries.estimate import require_reading
from anonset.reading.decisions import MACHINE, decisions
from anonset.reading.sources.files import require_file
from anonset.reading.sources.source import Source
from anonset.release.memory import require_memory
from anonset.release.statements import plain
from anonset.settings.binding import bind, cap, with_as_is
from anonset.settings.compare import CompareSettings, read_value
from anonset.settings.job import Job
from anonset.settings.parameters import (
    GENERAL,
    MODELS,
    accepted_settings,
    algorithm_name,
    known_algorithm,
    make_algorithm,
    parameters,
)
from anonset.settings.paths import content_digest, with_paths
from anonset.settings.readers import ParsingContext, work_budget
from anonset.settings.settings import with_sensitive_kept
from anonset.spelling import setting
from anonset.strict_json import dumps, loads


def run_study(settings: CompareSettings, *, progress: Progress | None, file: Path | None) -> list[Candidate]:
    """Run and verify every combination of algorithm and parameters on an input. Writes no publication.

    A parameter applies to the algorithms that have it.

    Parameters
    ----------
    file
        Study file. Runs that the file contains are not repeated.

    Raises
    ------
    InputError
        If the settings or the data are invalid. An infeasible run is reported and is no error.
    """
    source = source_to_read(settings, settings.input)
    reading = require_reading(settings.reading)
    workload = WorkloadSpec(settings.queries, settings.workload, settings.seed or 0, settings.width, reading)
    trials = TrialSettings(progress, work_budget(settings.max_work), workload, settings.bound, settings.round_ends)
    requests = list(combinations(settings))
    algorithms = [make_algorithm(settings.model, one.algorithm, one.settings) for one in requests]
    need = max((memory_of(source.size, algorithm) for algorithm in algorithms), default=0)
    require_memory(need, settings.memory_limit)
    reading_of = settings
    for algorithm in algorithms:
        reading_of = with_sensitive_kept(reading_of, algorithm.model)
    table = with_as_is(read_data(source, reading_of.read_options()), settings.publish_as_is)
    study = None if file is None else StudyFile(file, source, settings)
    sizes = run_sizes(settings.records, settings.n_items, settings.workers, table.n)
    return [_run_or_known(study, trials, table, settings, one, size) for one in requests for size in sizes]


def combinations(settings: CompareSettings) -> Iterator[Candidate]:
    """Yield each algorithm with each combination of varied parameters.

    Raises
    ------
    InputError
        If a parameter applies to none of the algorithms.
    """
    names = settings.algorithms or [algorithm_name(settings.model, None, relational=bool(settings.relational))]
    for name in names:
        require_known("--algorithms", name, sorted(ALGORITHMS), {"--model": MODELS})
        known_algorithm(settings.model, name)
    fixed = settings.model_dump(include=set(parameters()), exclude_none=True)
    settings_of = {name: accepted_settings(name, fixed) for name in names}
    seeds = {} if settings.seeds is None else {"seed": settings.seeds}
    varied = {n.replace("-", "_"): values_of(f"--vary {n}", x) for n, x in {**settings.vary, **seeds}.items()}
    if seeds and not any("seed" in names for names in settings_of.values()):
        raise InputError(f"--seeds: {', '.join(names)} uses no random numbers; remove the option")
    accepted = set().union(*settings_of.values())
    if stray := [setting(name) for name in (*fixed, *varied) if name not in accepted and name not in GENERAL]:
        raise InputError(f"{stray[0]} does not apply to {', '.join(names)}; remove it")
    for name in names:
        mine = {n: v for n, v in fixed.items() if n in settings_of[name] and n not in varied}
        axes = [[(n, read_value(text)) for text in texts] for n, texts in varied.items() if n in settings_of[name]]
        for chosen in product(*axes):
            yield Candidate(name, {**mine, **dict(chosen)})


def _run_or_known(
    study: "StudyFile | None",
    trials: TrialSettings,
    table: Table,
    settings: CompareSettings,
    request: Candidate,
    size: RunSize,
) -> Candidate:
    """Run one candidate on data of the given size. If the study file contains this run, return the stored result."""
    name, parameters, sized = request.algorithm, request.settings, {**request.settings, **size.given}
    if study is not None and (stored := study.stored_run(replace(request, settings=sized))) is not None:
        return stored
    forget_peak()
    model = make_algorithm(settings.model, name, parameters).model
    drawn = sample(table, size, settings.seed or 0)
    bounds = trials.known if drawn is table else {}
    drawn = drawn if size.workers is None else drawn.with_workers(Threads(size.workers))
    bound, hierarchies = bind(drawn, settings.hierarchy, model)
    hierarchies = cap(bound, hierarchies, settings.ceiling)
    context = ParsingContext.of(bound, hierarchies, parameters)  # some parameters depend on the data
    algorithm = make_algorithm(settings.model, name, parameters, context)
    candidate = replace(trials, known=bounds).run(bound, hierarchies, algorithm, request)
    candidate = replace(candidate, settings=sized)
    if size.run is not None and (peak := peak_memory()) is not None:
        candidate = replace(candidate, peak_mib=peak / 2**20)
    if study is not None:
        study.add(candidate)
    return candidate


class StudyFile:
    """File of comparison runs.

    The first line records the data, the settings and the version. An unfinished last line of a killed process is
    ignored and removed.
    """

    def __init__(self, path: Path, source: Source, settings: CompareSettings) -> None:
        self._path, self._known = path, dict[str, Candidate]()
        facts = _facts(source, settings)
        if path.exists():
            self._read(facts)
        else:
            # losses reveal facts about the original
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            os.close(descriptor)
            self._append(facts)

    def stored_run(self, candidate: Candidate) -> Candidate | None:
        """Return the stored run of a candidate. None if the run is not stored."""
        return self._known.get(_key(candidate))

    def add(self, candidate: Candidate) -> None:
        """Store a run."""
        self._known[_key(candidate)] = candidate
        run = replace(candidate, settings=plain(candidate.settings))
        self._append(dumps({"key": _key(candidate), "run": as_json(run)}))

    def _append(self, line: str) -> None:
        with self._path.open("a", encoding="utf-8") as file:
            file.write(f"{line}\n")
            file.flush()
            os.fsync(file.fileno())

    def _read(self, facts: str) -> None:
        require_file(self._path)
        text = self._path.read_bytes()
        complete = text[: text.rfind(b"\n") + 1]
        try:
            first, *entries = [loads(line) for line in complete.splitlines()]
            now = loads(facts)
            differing = sorted(name for name in {*now, *first} if first.get(name) != now.get(name))
            runs = {entry["key"]: replace(from_json(entry["run"])) for entry in entries}
        except (ValueError, TypeError, LookupError, AttributeError) as error:
            msg = f"-o {self._path}: exists and was not written by compare -o ({type(error).__name__}); name a new file"
            raise InputError(msg) from None
        if differing:
            parts = ", ".join(differing)
            raise InputError(f"-o {self._path}: contains another study, with a different {parts}; name a new file")
        if len(complete) < len(text):
            with self._path.open("r+b") as file:
                file.truncate(len(complete))
        self._known = runs


def _facts(source: Source, settings: CompareSettings) -> str:
    """Return the first line of a study file."""
    # the key of a run contains its parameters, and the values of the settings that select runs
    shared = {name for name, decides in decisions(CompareSettings).items() if decides is not MACHINE}
    contents = with_paths(Job(settings.model_dump(include=shared, exclude_none=True)), _digest)
    facts = {"study": 2, "version": version("anonset"), "input": source.sha256, **dict(sorted(contents.items()))}
    return dumps(facts)


def _key(candidate: Candidate) -> str:
    values = with_paths(Job(dict(sorted(candidate.settings.items()))), _digest)
    return sha256(dumps([candidate.algorithm, plain(values)]).encode()).hexdigest()


def _digest(_: str, path: str) -> str:
    return content_digest(path)
