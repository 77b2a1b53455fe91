"""Account of the risks after chunks are published."""

from collections.abc import Sequence

from anonset.jobs.exposures import Exposure
from anonset.jobs.risk import ChunkRisk
from anonset.release.documents import Attestation
from anonset.release.statements import parameters_of
from anonset.report.risks.base import PagePart, RiskTable, of_rows, page_part, sections, told_grid, told_section
from anonset.report.sections import Section
from anonset.spelling import counted


@sections.register
def _sections(risk: ChunkRisk) -> list[Section]:
    clusters = f"{counted(risk.clusters, 'cluster')}, the smallest of {counted(risk.smallest, 'record')}"
    data = {
        "records": risk.records,
        "clusters": risk.clusters,
        "smallest": risk.smallest,
        "model": risk.model.name,
        "parameters": parameters_of(risk.model),
    }
    bounded = "Links are bounded by the guarantee; what the clusters tell without any link is not."
    return [
        Section(notes=[f"{counted(risk.records, 'record')} in {clusters}; {risk.model}"], data=data),
        Section(notes=[bounded]),
        told_section(risk.told),
    ]


@page_part.register
def _part(risk: ChunkRisk, before: Sequence[Exposure], attested: Attestation) -> PagePart:
    untold = (
        "Of chunks no record can be told apart that fits what is known: what bounds the probability of a link is "
        "stated above. What the records of a cluster have in common, and its terms, are told of everybody in it."
    )
    return PagePart(
        published=(
            "A cluster has n records. Of its chunks, and of those that the clusters first to last share, each row says "
            "how many records hold exactly these of the chunk's items; a term is in one record of its cluster at "
            "least. Which rows of several chunks are of one record is what is hidden."
        ),
        protection=[
            ("Protected", "the link between a person and the parts of records, which stand apart."),
            *of_rows(attested),
            ("Not protected", "what the records of a cluster have in common, and its terms: told of all in it."),
        ],
        knowledge=RiskTable(below="" if risk.told else untold),
        told=told_grid(risk.told),
        losses="This is the share of the item occurrences that are terms, or left out.",
    )
