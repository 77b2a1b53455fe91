"""The account of what is at risk after a publication."""

from collections.abc import Sequence
from typing import Any

from rich.table import Table as RichTable

from anonset.jobs.bucket_risk import BucketRisk, guess_table, told_table
from anonset.jobs.risk import Exposure, Risk, attack_table, exposure_table, few_persons, knowledge
from anonset.measures.shares import percent
from anonset.release.documents import parameters_of, plain
from anonset.spelling import counted, printable


def risk_summary(found: Risk) -> dict[str, Any]:
    """Return the risks as what JSON knows."""
    summary: dict[str, Any] = plain(
        {
            "records": found.records,
            "unit": found.unit,
            "persons": found.persons,
            "model": found.model.name,
            "parameters": parameters_of(found.model),
            "threshold": found.threshold,
            "exposures": [{"known": knowledge(one.values, one.items), **plain(one)} for one in found.exposures],
            "sensitive": found.disclosures,
            "journalist": None
            if found.journalist is None
            else {"highest": found.journalist[0], "above": found.journalist[1]},
            "attack": [{"known": knowledge(one.values, one.items), **plain(one)} for one in found.attempts],
            "broken": found.broken,
        }
    )
    return summary


def bucket_risk_summary(found: BucketRisk) -> dict[str, Any]:
    """Return the risks of buckets as what JSON knows."""
    summary: dict[str, Any] = plain(
        {
            "records": found.records,
            "groups": found.groups,
            "hidden": found.hidden,
            "model": found.model.name,
            "parameters": parameters_of(found.model),
            "threshold": found.threshold,
            "inferences": found.inferences,
            "observed": found.observed,
            "correlations": found.correlations,
            "attack": found.attempts,
            "broken": found.broken,
        }
    )
    return summary


def bucket_risk_account(found: BucketRisk) -> list[str | RichTable]:
    """Return the risks of buckets for people, as text and tables."""
    hidden = f"{counted(found.hidden, 'row')} with a hidden identity"
    parts: list[str | RichTable] = [
        f"{counted(found.records, 'row')} in {counted(found.groups, 'group')}, {hidden}; {found.model}", "",
    ]  # fmt: skip
    title = "How surely the likeliest sensitive value of somebody in the data is told"
    parts.append(_table(title, *told_table(found)))
    one = found.observed
    parts.append(f"In the groups: l={one.distinct_l} different values, t={one.t:.3g}.")
    if found.correlations:
        told = ", ".join(f"{counted(number, 'violation')} {where}" for where, number in found.correlations.items())
        parts.append(f"What several rows of a person have in common (correlations): {told}.")
    if found.attempts:
        title = "An attack that tried: the sensitive values of random rows of the original"
        parts += ["", _table(title, *guess_table(found))]
        kept = "none was told more surely" if not found.broken else f"{counted(found.broken, 'row')} WAS"
        parts.append(f"By chance, at most {found.attempts[0].promised:.3g} each is promised: {kept}.")
    return parts


def _table(title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> RichTable:
    table = RichTable(box=None, padding=(0, 2, 0, 0), title=title, title_justify="left")
    for at, name in enumerate(head):
        table.add_column(name, justify="left" if at == 0 or name == "guaranteed" else "right")
    for row in rows:
        table.add_row(*row)
    return table


def _what_is_counted(found: Risk) -> str:
    behind = "" if found.persons is None else f" of {counted(found.persons, 'person')}, who are counted"
    return counted(found.records, "row") + behind


def persons_below_k(found: Risk, exposures: Sequence[Exposure]) -> list[str]:
    """Say how many persons are below k by what the guarantee names, where a person has several rows; a line each.

    Parameters
    ----------
    exposures
        Those of the publication, or of its original.
    """
    if found.persons is None:
        return []
    spoken = [one for one in exposures if one.guaranteed] or list(exposures[:1])
    named = dict.fromkeys([one for one in spoken if not one.items] + spoken[-1:])
    return [f"{few_persons(one, int(getattr(found.model, 'k', 2)), found.persons)}." for one in named]


def risk_account(found: Risk) -> list[str | RichTable]:
    """Return the risks for people, as text and tables."""
    title = "How far somebody gets who knows of a person in the data"
    parts: list[str | RichTable] = [
        f"{_what_is_counted(found)}; {found.model}",
        "",
        _table(title, *exposure_table(found)),
    ]
    parts += persons_below_k(found, found.exposures)
    parts.append("Highest: of the person that is easiest to find (prosecutor); on average: over all (marketer).")
    if found.journalist is not None:
        highest, above = found.journalist
        share = f"{percent(above)} above {found.threshold:g}"
        parts.append(f"Among the people of the population (journalist): highest {highest:.3g}, {share}.")
    for name, one in found.disclosures.items():
        alone = percent(one.homogeneous_records / max(1, found.records))
        told = f"l={one.distinct_l}, t={one.t:.3g}: {alone} of the rows are in classes with one value alone"
        parts.append(f"{printable(name)!r} shows {told}.")
    if found.attempts:
        title = "An attack that tried: random persons, random things known of them"
        parts += ["", _table(title, *attack_table(found))]
        promised = [one for one in found.attempts if one.promised is not None]
        if promised:
            kept = "none was found more often" if not found.broken else f"{counted(found.broken, 'person')} WAS"
            kept += "" if found.persons is None else "; it speaks of rows, of which a person has several"
            parts.append(f"Where the guarantee speaks, at most {promised[0].promised:.3g} each is promised: {kept}.")
    return parts
