"""Run the commands of a case in this process."""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anonset.analysis.evaluation import Evaluation
from anonset.analysis.workloads import WorkloadSpec
from anonset.cli.main import describe, exit_code
from anonset.errors import AnonsetError, InputError
from anonset.jobs.anonymize_file import anonymize_file
from anonset.jobs.check import PublicationCheck
from anonset.jobs.evaluate import evaluate
from anonset.jobs.verify import check
from anonset.reading.read import read_by
from anonset.settings.edits import make_settings
from anonset.spelling import as_options, spelled_by
from fuzz.draws import BUCKETS, Case
from fuzz.files import checks_of, settings_of
from fuzz.truth import original_rows
from reference.set_based import pgen


@dataclass
class Ran:
    """Outcome of an anonymization."""

    given: dict[str, Any]
    code: int
    said: str

    @property
    def out(self) -> Path:
        return Path(self.given["out"])

    @property
    def private(self) -> Path:
        return Path(f"{self.given['out']}.private")


def anonymized(case: Case, folder: Path, **other: Any) -> Ran:
    """Write the input files of a case and anonymize them. `other` overrides settings."""
    options = {**settings_of(case, folder), **other}
    try:
        with spelled_by(as_options):
            release = anonymize_file(make_settings(options))
    except AnonsetError as error:
        return Ran(options, exit_code(error), describe(error))
    return Ran(options, 0, repr(release))


def verified(case: Case, ran: Ran) -> tuple[PublicationCheck, PublicationCheck]:
    """Verify the publication alone, and against the original."""
    against = {**checks_of(case, ran.given), **policy_file(case, ran)}
    alone = {name: against[name] for name in ("privacy_constraints",) if name in against}
    return check(ran.out, alone), check(ran.out, against)


def policy_of(case: Case) -> list[list[str]]:
    """Return the itemsets that a case protects."""
    if case.parameters.get("privacy_constraints") == "pgen":
        rows = original_rows(case)
        items = sorted({item for row in rows for item in row})
        return [sorted(itemset) for itemset in pgen(rows, items, case.parameters["k"])]
    return [line.split() for line in case.texts.get("private.txt", "").splitlines()]


def policy_file(case: Case, ran: Ran) -> dict[str, str]:
    """Write the protected itemsets to a file. Return the setting that names the file."""
    if case.parameters.get("privacy_constraints", "km") == "km":
        return {}
    path = ran.out.with_name("protected.txt")
    path.write_text("".join(f"{' '.join(itemset)}\n" for itemset in policy_of(case)), encoding="utf-8")
    return {"privacy_constraints": str(path)}


def evaluated(case: Case, ran: Ran) -> Evaluation:
    """Compute losses and the errors of some queries."""
    settings = make_settings(ran.given)
    table = read_by(settings.input, settings.read_options())
    spec = WorkloadSpec(random="domain:5x1" if case.sets else "domain:5x0+1", seed=case.seed)
    with_queries = not case.sets or any(original_rows(case))
    workload = None if case.algorithm in BUCKETS or not with_queries else spec
    weights = {name: case.parameters.get(name) for name in ("item_weights", "relational_weights")}
    return evaluate(table, ran.out, hierarchies=settings.hierarchy, workload=workload, **weights)


def refused_to_verify(published: Path, given: Mapping[str, Any]) -> PublicationCheck | None:
    """Verify a publication. Return None if it is rejected."""
    try:
        return check(published, given)
    except InputError:
        return None


def chance(case: Case, purpose: str) -> random.Random:
    """Return a random generator that depends on the case and the purpose."""
    return random.Random(f"{purpose} {case.seed}")
