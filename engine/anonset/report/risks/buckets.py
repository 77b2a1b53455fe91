"""Text about the risks of a publication in buckets."""

from anonset.analysis.risk import BucketRisk
from anonset.jobs.report_facts import ReportFacts
from anonset.measures.shares import percent
from anonset.release.statements import parameters_of
from anonset.report.drawings import Bar, bars
from anonset.report.risks.base import PagePart, above_threshold
from anonset.report.risks.verdicts import AttackVerdict, verdict_on_limit
from anonset.report.sections import Section
from anonset.report.techniques import of_buckets
from anonset.spelling import counted


def sections(risk: BucketRisk, _facts: ReportFacts | None = None) -> list[Section]:
    """Return the sections of the text about the risks."""
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
            "verdicts": _verdicts(risk),
        },
    )
    return [first, _likeliest(risk), _attack(risk)]


def _likeliest(risk: BucketRisk) -> Section:
    observed = risk.observed
    notes = [f"In the groups: l={observed.distinct_l} different values, t={observed.t:.3g}."]
    if risk.correlations:
        violations = ", ".join(f"{counted(number, 'violation')} {where}" for where, number in risk.correlations.items())
        notes.append(f"Correlations between rows of a person: {violations}.")
    return Section(
        "Probability of the most likely sensitive value of a person in the data",
        ("attacker finds", "guaranteed maximum", "highest", "average", above_threshold(risk.threshold), "certain"),
        [
            (inference.known, "" if inference.promised is None else percent(inference.promised),
             percent(inference.highest), str(inference.average), str(inference.above), str(inference.certain))
            for inference in risk.inferences
        ],
        notes,
        {"inferences": risk.inferences, "observed": observed, "correlations": risk.correlations},
    )  # fmt: skip


def _attack(risk: BucketRisk) -> Section:
    title = "Simulated attack: guess the sensitive values of random rows of the original"
    head = ("attacker knew", "rows", "correct by chance", "correct by most frequent value", "guaranteed maximum")
    outcome = "no row exceeded it" if not risk.broken else f"{counted(risk.broken, 'row')} EXCEEDED it"
    remarks = [
        f"Guaranteed: a random guess of a row's sensitive value is correct with a probability of at most "
        f"{percent(attempt.promised)}; {outcome}."
        for attempt in risk.attempts[:1]
        if attempt.promised is not None
    ]
    rows = [
        (guesses.known, f"{guesses.attempts:,}", f"{guesses.success:.2%}", f"{guesses.likeliest:.2%}",
         "" if guesses.promised is None else f"{guesses.promised:.2%}")
        for guesses in risk.attempts
    ]  # fmt: skip
    return Section(title, head, rows, remarks, {"attack": risk.attempts, "broken": risk.broken})


def page_part(risk: BucketRisk, facts: ReportFacts) -> PagePart:
    """Return the parts of the report that depend on the kind of publication."""
    whose = "row" if facts.model.counts_rows and getattr(facts.attested.data, "id", []) else "person"
    return PagePart(
        published="Join the tables by group. They do not show which row of a group has which value.",
        protection=[
            ("Protected", f"the link between a {whose} and the sensitive value."),
            ("Not protected", "the fact that a person is in the data: ids and kept columns are published unchanged."),
        ],
        columns=of_buckets(risk, facts),
        risk="most likely sensitive value of a person, highest confidence: "
        + ", ".join(f"{percent(inference.highest)} from {inference.known}" for inference in risk.inferences),
        risks=[*([] if facts.private is None else _drawn(risk)), _likeliest(risk)],
        verdicts=_verdicts(risk),
        attacks=[_attack(risk)] if risk.attempts else [],
    )


def _verdicts(risk: BucketRisk) -> list[AttackVerdict]:
    chance = next((guesses.success for guesses in risk.attempts if guesses.promised is None), 0.0)
    return [
        verdict_on_limit(
            "guess of a sensitive value", guesses.known, guesses.success, chance, guesses.attempts, guesses.promised,
            broken=guesses.broken > 0,
        )
        for guesses in risk.attempts
        if guesses.promised is not None
    ]  # fmt: skip


def _drawn(risk: BucketRisk) -> list[Section]:
    rows: list[tuple[str, list[Bar]]] = []
    for inference in risk.inferences:
        parts: list[Bar] = [("hatched", inference.highest, f"{inference.highest:.1%} at most")]
        parts.append(("light", inference.average.value, f"{inference.average.value:.1%} on average"))
        rows.append((inference.known, parts))
    title = "Probability of the most likely sensitive value"
    note = f"{title} of a person. In the original data, each row shows the sensitive value."
    return [Section(notes=[note]), Section(drawing=bars(title, rows))]
