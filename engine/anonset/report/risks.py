"""The account of what is at risk after a publication."""

from typing import Any

from rich.table import Table as RichTable

from anonset.jobs.risk import Risk, knowledge
from anonset.release.documents import parameters_of, plain
from anonset.spelling import counted, printable


def risk_summary(found: Risk) -> dict[str, Any]:
    """Return the risks as what JSON knows."""
    summary: dict[str, Any] = plain(
        {
            "records": found.records,
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


def risk_account(found: Risk) -> list[str | RichTable]:
    """Return the risks for people, as text and tables."""
    parts: list[str | RichTable] = [f"{counted(found.records, 'row')}; {found.model}", "", _exposures_table(found)]
    parts.append("Highest: of the person that is easiest to find (prosecutor); on average: over all (marketer).")
    if found.journalist is not None:
        highest, above = found.journalist
        share = f"{above:.1%} above {found.threshold:g}"
        parts.append(f"Among the people of the population (journalist): highest {highest:.3g}, {share}.")
    for name, one in found.disclosures.items():
        told = f"{one.homogeneous_records / max(1, found.records):.1%} of the rows are in classes with one value alone"
        parts.append(f"{printable(name)!r} shows l={one.distinct_l}, t={one.t:.3g}: {told}.")
    if found.attempts:
        parts += ["", _attack_table(found)]
        promised = [one for one in found.attempts if one.promised is not None]
        if promised:
            kept = "none was found more often" if not found.broken else f"{counted(found.broken, 'person')} WAS"
            parts.append(f"Where the guarantee speaks, at most {promised[0].promised:.3g} each is promised: {kept}.")
    return parts


def _exposures_table(found: Risk) -> RichTable:
    title = "How far somebody gets who knows of a person in the data"
    table = RichTable(box=None, padding=(0, 2, 0, 0), title=title, title_justify="left")
    for name in ("who knows", "guaranteed", "fewest rows", "mean rows", "highest", "average", "alone"):
        table.add_column(name, justify="left" if name in ("who knows", "guaranteed") else "right")
    table.add_column(f"above {found.threshold:g}", justify="right")
    for one in found.exposures:
        figures = (f"{one.smallest:,}", f"{one.mean:,.1f}", f"{one.highest:.3g}", str(one.average), str(one.alone))
        said = "yes" if one.guaranteed else "no"
        table.add_row(knowledge(one.values, one.items), said, *figures, str(one.above))
    return table


def _attack_table(found: Risk) -> RichTable:
    title = "An attack that tried: random persons, random things known of them"
    table = RichTable(box=None, padding=(0, 2, 0, 0), title=title, title_justify="left")
    for name in ("who knew", "persons", "one row fits", "none fits", "found by guessing", "promised at most"):
        table.add_column(name, justify="left" if name == "who knew" else "right")
    for one in found.attempts:
        promised = "" if one.promised is None else f"{one.promised:.2%}"
        shares = (f"{one.alone:.1%}", f"{one.none:.1%}", f"{one.success:.2%}", promised)
        table.add_row(knowledge(one.values, one.items), f"{one.attempts:,}", *shares)
    return table
