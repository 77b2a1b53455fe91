"""Text about the risks of a disassociated publication."""

from anonset.analysis.risk import ChunkRisk
from anonset.jobs.report_facts import ReportFacts
from anonset.release.statements import parameters_of
from anonset.report.risks.base import (
    PagePart,
    inference_section,
    of_rows,
)
from anonset.report.risks.verdicts import verdicts_on_inference
from anonset.report.sections import Section
from anonset.report.techniques import of_chunks
from anonset.spelling import counted


def sections(risk: ChunkRisk, _facts: ReportFacts | None = None) -> list[Section]:
    """Return the sections of the text about the risks."""
    clusters = f"{counted(risk.clusters, 'cluster')}, the smallest of {counted(risk.smallest, 'record')}"
    data = {
        "records": risk.records,
        "clusters": risk.clusters,
        "smallest": risk.smallest,
        "model": risk.model.name,
        "parameters": parameters_of(risk.model),
    }
    bounded = "The guarantee bounds links, but not inferences from a complete cluster."
    return [
        Section(notes=[f"{counted(risk.records, 'record')} in {clusters}; {risk.model}"], data=data),
        Section(notes=[bounded]),
        inference_section(risk.told),
    ]


def page_part(risk: ChunkRisk, facts: ReportFacts) -> PagePart:
    """Return the parts of the report that depend on the kind of publication."""
    untold = (
        "Chunks contain no complete records to count; the guarantee above bounds the probability of a link. "
        "Items that all records of a cluster share, and the cluster's terms, are disclosed for all these persons."
    )
    return PagePart(
        published=(
            "A cluster has n records. A row of a chunk contains items, and the number of records of the cluster that "
            "contain exactly these items of the chunk. A shared chunk counts records of all clusters from its first "
            "to its last cluster. A term occurs in at least one record of its cluster. The publication does not show "
            "which rows of different chunks belong to the same record."
        ),
        protection=[
            ("Protected", "the link between a person and the parts of records."),
            *of_rows(facts),
            (
                "Not protected",
                "items that all records of a cluster share, and the cluster's terms: "
                "disclosed for all persons of the cluster.",
            ),
        ],
        columns=of_chunks(facts),
        risk="the guarantee bounds the probability of a link",
        risks=[inference_section(risk.told) if risk.told else Section(notes=[untold])],
        verdicts=verdicts_on_inference(risk.told),
    )
