"""Summary of buckets."""

from dataclasses import dataclass

from anonset.jobs.summary.base import EXAMPLES, Example, Summary, example, summary
from anonset.publications import Buckets


@dataclass(frozen=True)
class BucketsSummary(Summary):
    """Summary of buckets."""


@summary.register
def _of_buckets(publication: Buckets) -> BucketsSummary:
    return BucketsSummary(publication.n, (example(publication.qit), _sensitive(publication)))


def _sensitive(publication: Buckets) -> Example:
    groups, values = publication.group.vocabulary.labels, publication.snt_value.vocabulary.labels
    rows = tuple(
        (
            groups[publication.snt_group[pair]],
            values[publication.snt_value.codes[pair]],
            f"{publication.snt_count[pair]:,}",
        )
        for pair in range(min(EXAMPLES, publication.snt_value.n))
    )
    return Example((publication.group.name, publication.snt_value.name, "count"), rows)
