"""Operations on a bucketized publication."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from anonset.analysis.base import PublicationAnalysis
from anonset.analysis.evaluation import Evaluation, EvaluationRequest
from anonset.analysis.individuals import MOST_CORRELATED, Correlations, by_individuals, correlations
from anonset.analysis.originals import OTHER, contained, original_codes, require_room
from anonset.analysis.risk import BucketRisk, Guesses, Inference, RiskContext
from anonset.analysis.summary import Example, Summary, drawn, example
from anonset.analysis.workloads import QueryAnswers, WorkloadSpec
from anonset.data import Hierarchy, Table
from anonset.data.array_types import Float64, Int64
from anonset.errors import InputError
from anonset.measures.correlation import inter_group_violations, intra_group_violations
from anonset.measures.query_error import relative_errors
from anonset.measures.risks import bucket_inference
from anonset.measures.shares import Share
from anonset.privacy import PrivacyModel
from anonset.publications import Buckets
from anonset.publications.buckets import STAR, sums_by_code
from anonset.queries.buckets import estimate, record_workload, true_count
from anonset.reading.sources.source import Source
from anonset.release.documents import Attestation
from anonset.settings.job import Job
from anonset.settings.publication import OriginalSettings
from anonset.spelling import counted, setting

CERTAIN = 1 - 1e-9
_HALF = 1 << 30


class BucketsAnalysis(PublicationAnalysis[Buckets]):
    """Operations on a bucketized publication."""

    shows_items = False

    def summary(self) -> Summary:
        """Return random rows of both tables."""
        publication = self.publication
        groups, values = publication.group.vocabulary.labels, publication.snt_value.vocabulary.labels
        rows = tuple(
            (
                (groups[publication.snt_group[pair]],),
                (values[publication.snt_value.codes[pair]],),
                (f"{publication.snt_count[pair]:,}",),
            )
            for pair in drawn(publication.snt_value.n)
        )
        sensitive = Example((publication.group.name, publication.snt_value.name, "count"), rows)
        return Summary(publication.n, (example(publication.qit), sensitive))

    def roles(self, model: PrivacyModel) -> dict[str, list[str]]:
        """Return the ids, the kept columns and the sensitive column."""
        publication = self.publication
        ids, kept = ([column.name for column in columns] for columns in (publication.ids, publication.kept))
        return {"identifiers": ids, "attributes": kept, "sensitive": [publication.snt_value.name]}

    @property
    def too_large(self) -> bool:
        """True if the table has ids and too many rows to compute correlations."""
        return bool(self.publication.ids) and self.publication.n > MOST_CORRELATED

    def correlations(self, model: PrivacyModel) -> Mapping[str, Correlations] | None:
        """Return the disclosures from several rows of one individual. None if there are no ids or too many rows."""
        if not self.publication.ids or self.too_large:
            return None
        return correlations(self.publication, model.diversity)

    def original_options(self, source: Source, settings: OriginalSettings, attested: Attestation | None) -> list[Job]:
        """Return the options with the columns of both tables."""
        publication = self.publication
        roles = {
            "id": [column.name for column in publication.ids],
            "keep": [column.name for column in publication.kept],
            "sensitive": publication.snt_value.name,
            "drop": settings.drop,
        }
        return [Job({**settings.reading_options(), **roles})]

    def require_possible(self, original: Table, hierarchies: Mapping[str, Hierarchy]) -> None:
        """Reject buckets with a row or value that is missing in the original, or that occurs less often there than in
        the buckets.
        """
        publication = self.publication
        before = {column.name: column for column in (*original.ids, *original.kept)}
        columns = [c for c in (*publication.ids, *publication.kept) if c.name in before]
        visible = np.ones(publication.n, bool)
        for column in publication.ids:
            visible &= column.codes != column.vocabulary.index.get(STAR, -1)
        require_room(original.n + publication.n, len(columns), publication.store.limits)
        pairs = [(before[c.name].codes.astype(np.int64), original_codes(c, before[c.name])[visible]) for c in columns]
        if pairs and not contained(pairs):
            raise InputError(f"qit.csv contains rows that are missing or rarer in the original, {OTHER}")
        sensitive = original.sensitive
        if sensitive is not None:
            values = np.repeat(original_codes(publication.snt_value, sensitive), publication.snt_count)
            if not contained([(sensitive.codes.astype(np.int64), values)]):
                raise InputError(f"snt.csv contains values that are missing or rarer in the original, {OTHER}")

    def answered(self, original: Table, spec: WorkloadSpec, hierarchies: Mapping[str, Hierarchy]) -> QueryAnswers:
        """Return the error of queries for kept columns and the sensitive value."""
        publication = self.publication
        source, n, size, _ = spec.parts
        if source != "record":
            raise InputError("for buckets, use --workload record:NxQ, where Q is the number of kept columns in a query")
        columns = [column.name for column in original.kept]
        if not 1 <= size <= len(columns):
            raise InputError(
                f"--workload {spec.random} asks for {size} kept columns; the buckets have "
                f"{counted(len(columns), 'kept column')}"
            )
        queries = record_workload(original, columns[:size], queries=n, seed=spec.seed)
        errors = relative_errors(queries, lambda query: (true_count(original, query), estimate(publication, query)))
        return QueryAnswers(errors.average, errors.answered, errors.skipped, None)

    def losses(self, request: EvaluationRequest) -> Evaluation:
        """Return the share of tuples with a hidden identity, or that are removed."""
        publication, n = self.publication, request.original.n
        sizes = {"records": n, "published": publication.n, "groups": publication.n_groups}
        return Evaluation({"grouping_loss": publication.share_lost(n)}, sizes, "data")

    def risk(self, context: RiskContext) -> BucketRisk:
        """Return the confidence about sensitive values, and the success of guessing them."""
        context.require_no_attacks()
        if context.population is not None:
            msg = f"{setting('population')} needs generalized quasi-identifiers; buckets publish them unchanged"
            raise InputError(msg)
        publication = self.publication
        model, threshold, original = context.model, context.threshold, context.original
        promised = 1 / model.diversity
        rows = _Chances()
        rows.add(bucket_inference.of_groups(publication), publication.sizes, threshold)
        inferences = [rows.inference("one row", promised)]
        several, numbers = _of_individuals(publication, model.diversity, threshold)
        if several.number:
            inferences.append(several.inference("all rows of a person", None))
        guesses = () if original is None else _attack(publication, original, promised, context.attempts, context.seed)
        return BucketRisk(
            publication.n, model, publication.n_groups, int(publication.starred.sum()), threshold, tuple(inferences),
            bucket_inference.bucket_diversity(publication), numbers, guesses,
        )  # fmt: skip


class _Chances:
    """Sums of inference confidences. The sums are exact, so they do not depend on the order of addition."""

    def __init__(self) -> None:
        self.number, self.certain, self.above, self.highest = 0, 0, 0, 0.0
        self.total = 0
        """Sum of the confidences, in units of 2 to the -60."""

    def add(self, chance: Float64, times: Int64, threshold: float) -> None:
        """Add confidences in [0, 1], each for `times` rows or persons."""
        scaled = chance * _HALF
        high = np.floor(scaled)
        low = np.floor((scaled - high) * _HALF)
        sums = [int((part.astype(np.int64) * times).sum()) for part in (high, low)]
        self.total += sums[0] * _HALF + sums[1]
        self.number += int(times.sum())
        self.highest = max(self.highest, float(chance.max(initial=0.0)))
        self.above += int(times[chance > threshold].sum())
        self.certain += int(times[chance >= CERTAIN].sum())

    def inference(self, knowledge: str, promised: float | None) -> Inference:
        n = max(1, self.number)
        average = Share(self.total / (n * _HALF * _HALF))
        shares = Share(self.above / n), Share(self.certain / n)
        return Inference(knowledge, self.number, self.highest, average, *shares, promised)


def _of_individuals(publication: Buckets, l: int, threshold: float) -> tuple[_Chances, dict[str, int]]:  # noqa: E741
    """Return the confidences for individuals with several rows, and the number of correlations."""
    risks, inside, between = _Chances(), 0, 0
    for part in by_individuals(publication):
        several = np.bincount(bucket_inference.persons(part)[1]) > 1
        if several.any():
            chance = bucket_inference.of_persons(part)[several]
            risks.add(chance, np.ones(len(chance), np.int64), threshold)
        inside += len(intra_group_violations(part))
        between += len(inter_group_violations(part, l))
    return risks, {"inside groups": inside, "between groups": between} if publication.ids else {}


def _attack(publication: Buckets, original: Table, promised: float, attempts: int, seed: int) -> tuple[Guesses, ...]:
    """Guess the values of random rows, first by the values of their groups, then by the values of all rows."""
    if original.sensitive is None:
        raise InputError("the original must have the published sensitive column")
    chosen = np.random.default_rng(seed).choice(publication.n, min(attempts, publication.n), replace=False)
    code_of = publication.snt_value.vocabulary.index
    image = np.array([code_of.get(label, -1) for label in original.sensitive.vocabulary.labels], np.int64)
    true = image[original.sensitive.codes[publication.record[chosen]]]
    share = bucket_inference.of_values(publication, chosen, true)
    likeliest = bucket_inference.likeliest(publication, chosen) == true
    overall = sums_by_code(publication.snt_value.codes, publication.snt_count, len(code_of))
    base = np.where(true >= 0, overall[true], 0) / max(1, publication.n)
    most = true == int(overall.argmax()) if len(overall) else likeliest
    broken = int((share > promised + 1e-12).sum())
    n = len(chosen)
    return (
        Guesses("the values of its group", n, _mean(share), _mean(likeliest), promised, broken),
        Guesses("the values of all rows", n, _mean(base), _mean(most), None, 0),
    )


def _mean(values: Any) -> float:
    return float(values.mean()) if len(values) else 0.0
