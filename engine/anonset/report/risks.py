"""The account of what is at risk after a publication."""

from collections.abc import Sequence
from typing import Any

from rich.table import Table as RichTable

from anonset.jobs.bucket_risk import BucketRisk, guess_table, inference_table
from anonset.jobs.chunk_risk import ChunkRisk, telling_table
from anonset.jobs.exposures import Exposure, few_persons, knowledge
from anonset.jobs.risk import Risk, attack_table, exposure_table, outcome_table
from anonset.measures.shares import percent
from anonset.measures.skewness import Skewness
from anonset.measures.told_items import RARE, Telling
from anonset.release.statements import parameters_of, plain
from anonset.spelling import counted, printable


def _skewed(skew: Skewness) -> str:
    """Say how often a value is guessed by its class, beside a control."""
    beside = f"{percent(skew.guessed_of_all)} without them, {percent(skew.by_chance)} by classes filled at random"
    more = f"{percent(skew.doubled)} of the rows have one twice as likely as among all; at most {skew.largest_gain:.3g}"
    return f"Whoever guesses it by the quasi-identifiers is right for {percent(skew.guessed)} ({beside}): {more} times."


def account_and_summary(risk: Risk | BucketRisk | ChunkRisk) -> tuple[list[str | RichTable], dict[str, Any]]:
    """Return the risks for people, and for JSON."""
    if isinstance(risk, BucketRisk):
        return bucket_risk_account(risk), bucket_risk_summary(risk)
    if isinstance(risk, ChunkRisk):
        return chunk_risk_account(risk), chunk_risk_summary(risk)
    return risk_account(risk), risk_summary(risk)


def risk_summary(risk: Risk) -> dict[str, Any]:
    """Return the risks for JSON."""
    summary: dict[str, Any] = plain(
        {
            "records": risk.records,
            "unit": risk.unit,
            "persons": risk.persons,
            "model": risk.model.name,
            "parameters": parameters_of(risk.model),
            "threshold": risk.threshold,
            "exposures": [
                {"known": knowledge(exposure.values, exposure.items), **plain(exposure)} for exposure in risk.exposures
            ],
            "sensitive": risk.disclosures,
            "skewness": risk.skews,
            "journalist": None
            if risk.journalist is None
            else {"highest": risk.journalist[0], "above": risk.journalist[1]},
            "attack": [
                {"known": knowledge(attempt.values, attempt.items), **plain(attempt)} for attempt in risk.attempts
            ],
            "told": risk.told,
            "broken": risk.broken,
            "attacks": risk.outcomes,
            "not_tried": risk.not_tried,
        }
    )
    return summary


def chunk_risk_summary(risk: ChunkRisk) -> dict[str, Any]:
    """Return the risks of chunks for JSON."""
    summary: dict[str, Any] = plain(
        {
            "records": risk.records,
            "clusters": risk.clusters,
            "smallest": risk.smallest,
            "model": risk.model.name,
            "parameters": parameters_of(risk.model),
            "told": risk.told,
        }
    )
    return summary


def bucket_risk_summary(risk: BucketRisk) -> dict[str, Any]:
    """Return the risks of buckets for JSON."""
    summary: dict[str, Any] = plain(
        {
            "records": risk.records,
            "groups": risk.groups,
            "hidden": risk.hidden,
            "model": risk.model.name,
            "parameters": parameters_of(risk.model),
            "threshold": risk.threshold,
            "inferences": risk.inferences,
            "observed": risk.observed,
            "correlations": risk.correlations,
            "attack": risk.attempts,
            "broken": risk.broken,
        }
    )
    return summary


def chunk_risk_account(risk: ChunkRisk) -> list[str | RichTable]:
    """Return the risks of chunks for people, as text and tables."""
    clusters = f"{counted(risk.clusters, 'cluster')}, the smallest of {counted(risk.smallest, 'record')}"
    parts: list[str | RichTable] = [f"{counted(risk.records, 'record')} in {clusters}; {risk.model}", ""]
    parts.append("Links are bounded by the guarantee; what the clusters tell without any link is not.")
    return parts + _told(risk.told)


def _told(told: Sequence[Telling], *, rows: bool = False) -> list[str | RichTable]:
    """Return how surely other items are inferred, if that was counted; `rows`: each row counts as one person."""
    if not told:
        return []
    title = "What is told of the other items of somebody whose two rarest items are known"
    title += ", each row counted as one person" if rows else ""
    note = (
        f"Rare ones are in at most {RARE:.0%} of the rows. What frequencies tell needs no publication; a symbol is "
        "read as one of its members (one-member)."
    )
    return ["", _table(title, *telling_table(told)), note]


def bucket_risk_account(risk: BucketRisk) -> list[str | RichTable]:
    """Return the risks of buckets for people, as text and tables."""
    hidden = f"{counted(risk.hidden, 'row')} with a hidden identity"
    parts: list[str | RichTable] = [
        f"{counted(risk.records, 'row')} in {counted(risk.groups, 'group')}, {hidden}; {risk.model}", "",
    ]  # fmt: skip
    title = "How surely the likeliest sensitive value of somebody in the data is told"
    parts.append(_table(title, *inference_table(risk)))
    observed = risk.observed
    parts.append(f"In the groups: l={observed.distinct_l} different values, t={observed.t:.3g}.")
    if risk.correlations:
        violations = ", ".join(f"{counted(number, 'violation')} {where}" for where, number in risk.correlations.items())
        parts.append(f"What several rows of a person have in common (correlations): {violations}.")
    if risk.attempts:
        title = "An attack that tried: the sensitive values of random rows of the original"
        parts += ["", _table(title, *guess_table(risk))]
        kept = "none was told more surely" if not risk.broken else f"{counted(risk.broken, 'row')} WAS"
        parts.append(f"By chance, at most {risk.attempts[0].promised:.3g} each is promised: {kept}.")
    return parts


def _table(title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> RichTable:
    table = RichTable(box=None, padding=(0, 2, 0, 0), title=title, title_justify="left")
    for position, name in enumerate(head):
        table.add_column(name, justify="left" if position == 0 or name == "guaranteed" else "right")
    for row in rows:
        table.add_row(*row)
    return table


def _what_is_counted(risk: Risk) -> str:
    behind = "" if risk.persons is None else f" of {counted(risk.persons, 'person')}, who are counted"
    return counted(risk.records, "row") + behind


def persons_below_k(risk: Risk, exposures: Sequence[Exposure]) -> list[str]:
    """Return lines on how many persons are below k, by what the guarantee names; none if a person has one row.

    Parameters
    ----------
    exposures
        Those of the publication, or of its original.
    """
    if risk.persons is None:
        return []
    spoken = [exposure for exposure in exposures if exposure.guaranteed] or list(exposures[:1])
    named = dict.fromkeys([exposure for exposure in spoken if not exposure.items] + spoken[-1:])
    return [f"{few_persons(exposure, risk.model.k or 2, risk.persons)}." for exposure in named]


def risk_account(risk: Risk) -> list[str | RichTable]:
    """Return the risks for people, as text and tables."""
    title = "How far somebody gets who knows of a person in the data"
    parts: list[str | RichTable] = [
        f"{_what_is_counted(risk)}; {risk.model}",
        "",
        _table(title, *exposure_table(risk)),
    ]
    parts += persons_below_k(risk, risk.exposures)
    parts.append("Highest: of the person that is easiest to find (prosecutor); on average: over all (marketer).")
    if risk.journalist is not None:
        highest, above = risk.journalist
        share = f"{percent(above)} above {risk.threshold:g}"
        parts.append(f"Among the people of the population (journalist): highest {highest:.3g}, {share}.")
    for name, diversity in risk.disclosures.items():
        alone = percent(diversity.homogeneous_records / max(1, risk.records))
        shown = (
            f"l={diversity.distinct_l}, t={diversity.t:.3g}: {alone} of the rows are in classes with one value alone"
        )
        parts.append(f"{printable(name)!r} shows {shown}.")
        if name in risk.skews:
            parts.append(_skewed(risk.skews[name]))
    if risk.attempts:
        title = "An attack that tried: random persons, random things known of them"
        parts += ["", _table(title, *attack_table(risk))]
        promised = [attempt for attempt in risk.attempts if attempt.promised is not None]
        if promised:
            kept = "none was found more often" if not risk.broken else f"{counted(risk.broken, 'person')} WAS"
            kept += "" if risk.persons is None else "; it speaks of rows, of which a person has several"
            parts.append(f"Where the guarantee speaks, at most {promised[0].promised:.3g} each is promised: {kept}.")
    rows = risk.unit == "row" or risk.persons is not None
    return parts + _told(risk.told, rows=rows) + _outcomes(risk)


def _outcomes(risk: Risk) -> list[str | RichTable]:
    """Return what attacks win, and which could not be tried."""
    if not (risk.outcomes or risk.not_tried):
        return []
    parts: list[str | RichTable] = [""]
    if risk.outcomes:
        parts.append(_table("What attacks win", *outcome_table(risk.outcomes)))
        parts += [f"{one.attack}: knows {one.knowledge}." for one in risk.outcomes]
        parts.append("Control: the same where what it uses is random. Below k: theirs is among the fewer than k left.")
    return parts + [f"{name} was not tried: {why}." for name, why in risk.not_tried.items()]
