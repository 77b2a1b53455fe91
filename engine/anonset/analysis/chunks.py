"""Operations on a disassociated publication."""

from collections.abc import Mapping, Sequence
from itertools import islice

from anonset.analysis.base import PublicationAnalysis
from anonset.analysis.evaluation import Evaluation, EvaluationRequest
from anonset.analysis.originals import OTHER, items_of_original
from anonset.analysis.risk import ChunkRisk, RiskContext
from anonset.analysis.summary import EXAMPLES, Example, Summary, drawn, first_symbols
from anonset.analysis.workloads import QueryAnswers, WorkloadSpec, in_terms_of, of_original
from anonset.data import Hierarchy, SetColumn, Table
from anonset.errors import InputError, datum
from anonset.measures.countable import Counts, FrequentItems, counts_in_chunks
from anonset.measures.item_supports import ChunkSupports, Supports
from anonset.measures.query_error import relative_errors
from anonset.measures.risks.item_inference import ItemInference, infer_items
from anonset.measures.terms import in_chunks, in_terms
from anonset.measures.top_itemsets import lost_items
from anonset.privacy import PrivacyModel
from anonset.publications import Chunks
from anonset.queries.chunks import ChunkCounts
from anonset.queries.estimate import ONE_MEMBER, Reading
from anonset.queries.mixed_workload import mixed_domain_workload
from anonset.queries.relational import TrueAnswers
from anonset.reading.sources.source import Source
from anonset.release.documents import Attestation
from anonset.settings.job import Job
from anonset.settings.publication import OriginalSettings
from anonset.spelling import setting


class ChunksAnalysis(PublicationAnalysis[Chunks]):
    """Operations on a disassociated publication. There are no checks in addition to the model."""

    def summary(self) -> Summary:
        """Return random rows of each table, and the number of item occurrences in chunks and of terms."""
        publication = self.publication
        terms = sum(len(cluster.terms) for cluster in publication.clusters)
        return Summary(publication.n, self._examples(), in_chunks=publication.occurrences, terms=terms)

    def sensitive_counts(self, names: Sequence[str]) -> dict[str, int | None]:
        """Return None for each named item of the publication."""
        return {name: None for name in names if name in self.publication.vocabulary.index}

    def _examples(self) -> tuple[Example, ...]:
        publication, labels = self.publication, self.publication.vocabulary.labels
        chosen = drawn(len(publication.clusters))
        clusters = [
            (
                (str(number),),
                (f"{publication.clusters[number].n:,}",),
                first_symbols(labels.__getitem__, publication.clusters[number].terms),
            )
            for number in chosen
        ]
        examples = [Example(("cluster", "n", "terms"), tuple(clusters))]
        rows = (
            ((str(number),), (str(chunk),), first_symbols(labels.__getitem__, items), (f"{count:,}",))
            for number in chosen
            for chunk, rows in enumerate(publication.clusters[number].chunks)
            for items, count in rows
        )
        examples.append(Example(("cluster", "chunk", "items", "count"), tuple(islice(rows, EXAMPLES))))
        shared = (
            ((str(chunk.first),), (str(chunk.last),), first_symbols(labels.__getitem__, items), (f"{count:,}",))
            for chunk in map(publication.shared.__getitem__, drawn(len(publication.shared)))
            for items, count in chunk.rows
        )
        if first := tuple(islice(shared, EXAMPLES)):
            examples.append(Example(("first", "last", "items", "count"), first))
        return tuple(examples)

    def roles(self, model: PrivacyModel) -> dict[str, list[str]]:
        """Return the item column as the only role."""
        return {"quasi_identifiers": [], "items": [self.publication.name], "not_protected": []}

    def original_options(self, source: Source, settings: OriginalSettings, attested: Attestation | None) -> list[Job]:
        """Return the options with the published item column."""
        items = items_of_original((self.publication.name,), settings, source, nameless=False)
        return [Job({"drop": settings.drop, "items": items, **settings.reading_options()})]

    def require_possible(self, original: Table, hierarchies: Mapping[str, Hierarchy]) -> None:
        """Reject an original that contains an item in more or fewer records than are published."""
        publication = self.publication
        column = original.transactions
        often = {} if column is None else dict(zip(column.vocabulary.labels, column.occurrences.tolist(), strict=True))
        totals, labels = dict(publication.totals or ()), publication.vocabulary.labels
        for item, counts in enumerate(zip(in_chunks(publication), in_terms(publication), strict=True)):
            occurring, shown = often.get(labels[item], 0), sum(counts)
            unknown = counts[1] > 0 and item not in totals
            if shown > occurring or (shown < occurring and not unknown):
                counted = f"{occurring} records of the original contain the item, but {shown} are published"
                raise InputError(f"item {datum(labels[item])}: {counted}, {OTHER}")

    def answered(self, original: Table, spec: WorkloadSpec, hierarchies: Mapping[str, Hierarchy]) -> QueryAnswers:
        """Return the error of queries for items."""
        publication = self.publication
        workload = of_original(original, spec, {})
        if workload is None:
            items = publication.vocabulary.labels
            with in_terms_of(spec):
                shown = Table(SetColumn.of([items], universe=items))
                workload = mixed_domain_workload(shown, spec.parts[1], spec.shape, spec.seed)
        true, expected = TrueAnswers(original), ChunkCounts(publication)
        errors = relative_errors(workload.queries, lambda query: (true.count(query), expected.count(query)))
        return QueryAnswers(errors.average, errors.answered, errors.skipped, None)

    def supports(self, reading: Reading = ONE_MEMBER) -> Supports:
        """Return the expected supports over all reconstructions."""
        return ChunkSupports(self.publication)

    def expected_counts(self, frequent: FrequentItems) -> tuple[Counts, Counts, None]:
        """Return the expected counts over all reconstructions."""
        return counts_in_chunks(self.publication, frequent)

    def losses(self, request: EvaluationRequest) -> Evaluation:
        """Return the share of item occurrences that are not in chunks, and of frequent items that are lost."""
        publication, original = self.publication, request.original
        column, shown = original.transactions, publication.vocabulary.index
        occurrences = (
            {} if column is None else dict(zip(column.vocabulary.labels, column.occurrences.tolist(), strict=True))
        )
        total = sum(occurrences.values())
        measures = {"not_in_chunks": publication.share_outside(total)}
        if column is not None:
            measures["tlost"] = lost_items(column, publication, request.opened.attested.parameters["k"])
        sizes = {
            "records": original.n,
            "clusters": len(publication.clusters),
            "occurrences": total,
            "universe": len(occurrences),
            "suppressed": sum(count > 0 and label not in shown for label, count in occurrences.items()),
        }
        return Evaluation(measures, sizes, "data")

    def risk(self, context: RiskContext) -> ChunkRisk:
        """Return the confidence about other items of a person whose two rarest items are known."""
        context.require_no_attacks()
        for name in ("population", "sensitive", "persons"):  # these settings need complete records
            if getattr(context, name) is not None:
                raise InputError(f"{setting(name)} needs published records; a disassociated publication has none")
        publication, original = self.publication, context.original
        sizes = [cluster.n for cluster in publication.clusters]
        inferences = tuple[ItemInference, ...]()
        if original is not None and original.transactions is not None:
            inferences = infer_items(original.transactions, self.supports(), context.attempts, context.seed)
        return ChunkRisk(publication.n, context.model, len(sizes), min(sizes, default=0), inferences)
