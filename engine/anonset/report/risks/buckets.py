"""Account of the risks after buckets are published."""

from collections.abc import Sequence

from anonset.jobs.exposures import Exposure
from anonset.jobs.risk import BucketRisk
from anonset.release.documents import Attestation
from anonset.release.statements import parameters_of
from anonset.report.drawings import Bar, bars
from anonset.report.risks.base import PagePart, RiskTable, page_part, sections
from anonset.report.sections import Section
from anonset.spelling import counted


@sections.register
def _sections(risk: BucketRisk) -> list[Section]:
    hidden = f"{counted(risk.hidden, 'row')} with a hidden identity"
    first = Section(
        notes=[f"{counted(risk.records, 'row')} in {counted(risk.groups, 'group')}, {hidden}; {risk.model}"],
        data={
            "records": risk.records,
            "groups": risk.groups,
            "hidden": risk.hidden,
            "model": risk.model.name,
            "parameters": parameters_of(risk.model),
            "threshold": risk.threshold,
        },
    )
    observed = risk.observed
    notes = [f"In the groups: l={observed.distinct_l} different values, t={observed.t:.3g}."]
    if risk.correlations:
        violations = ", ".join(f"{counted(number, 'violation')} {where}" for where, number in risk.correlations.items())
        notes.append(f"What several rows of a person have in common (correlations): {violations}.")
    likeliest = Section(
        "How surely the likeliest sensitive value of somebody in the data is told",
        ("who finds", "promised at most", "highest", "average", f"above {risk.threshold:g}", "certain"),
        _inferences(risk),
        notes,
        {"inferences": risk.inferences, "observed": observed, "correlations": risk.correlations},
    )
    title = "An attack that tried: the sensitive values of random rows of the original"
    head = ("who knew", "rows", "right by chance", "right by the most frequent", "promised at most")
    kept = "none was told more surely" if not risk.broken else f"{counted(risk.broken, 'row')} WAS"
    tried = [f"By chance, at most {one.promised:.3g} each is promised: {kept}." for one in risk.attempts[:1]]
    attack = Section(title, head, _guesses(risk), tried, {"attack": risk.attempts, "broken": risk.broken})
    return [first, likeliest, attack]


def _inferences(risk: BucketRisk) -> list[tuple[str, ...]]:
    """Return the confidence with which values are inferred, one text row for each statistic."""
    return [
        (inference.known, "" if inference.promised is None else f"{inference.promised:.3g}",
         f"{inference.highest:.3g}", str(inference.average), str(inference.above), str(inference.certain))
        for inference in risk.inferences
    ]  # fmt: skip


def _guesses(risk: BucketRisk) -> list[tuple[str, ...]]:
    """Return the results of guessing, one text row for each kind of knowledge."""
    return [
        (guesses.known, f"{guesses.attempts:,}", f"{guesses.success:.2%}", f"{guesses.likeliest:.2%}",
         "" if guesses.promised is None else f"{guesses.promised:.2%}")
        for guesses in risk.attempts
    ]  # fmt: skip


@page_part.register
def _part(risk: BucketRisk, before: Sequence[Exposure], attested: Attestation) -> PagePart:
    head = ("who finds", "promised at most", "highest", "average", f"above {risk.threshold:g}", "certain")
    return PagePart(
        published=("The tables are joined by their group: which row of a group has which value is what is hidden."),
        protection=[
            ("Protected", "the link between a person and the sensitive value."),
            ("Not protected", "that somebody is in the data: ids and kept columns are published as they are."),
        ],
        drawing=_drawing(risk),
        drawing_note=(
            "How surely the likeliest sensitive value of somebody is told; in the data as they were, each row told its "
            "own."
        ),
        knowledge=RiskTable(
            head,
            _inferences(risk),
            below=(
                "Taken is the likeliest value of a row, or the likeliest to be on one of somebody's several rows, "
                "where each way to hand out the values of a group is as likely as the others."
            ),
        ),
        attack=RiskTable(
            ("who knew", "rows", "by chance", "by the likeliest", "promised"),
            _guesses(risk),
            above=(
                "The sensitive values of random rows of the original were guessed: by chance among the known values, "
                "and the most frequent one. Shown is how often that was right, and what the guarantee allows at most "
                "by chance."
            ),
        ),
        losses="These are shares of the rows: hidden or removed, removed, and what diversity took.",
    )


def _drawing(risk: BucketRisk) -> str:
    """Return bars of the probability of guessing a value. Without groups, a row discloses the value."""
    rows: list[tuple[str, list[Bar]]] = []
    for inference in risk.inferences:
        own: list[Bar] = [("hatched", inference.highest, f"{inference.highest:.1%} at most")]
        own.append(("light", inference.average.value, f"{inference.average.value:.1%} on average"))
        rows.append((inference.known, own))
    return bars("How surely the likeliest sensitive value is told", rows)
