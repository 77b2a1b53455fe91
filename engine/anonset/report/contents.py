"""Contents of the report: a line for each section, with the facts that an officer looks for first."""

from collections.abc import Mapping, Sequence

from anonset.jobs.report_facts import ReportFacts
from anonset.measures.retention import PRINTED_FATES, PRINTED_PARTS, relative_to, shares
from anonset.measures.shares import percent
from anonset.release.documents import Report
from anonset.release.guarantee_limits import sentences
from anonset.report.conclusion import PERSON, RECORDS
from anonset.report.countable import Figure
from anonset.report.risks.base import PagePart
from anonset.spelling import counted, listed

_FEW_VALUES = 2
"""Number of different published values below which a column is lost."""
Line = tuple[str, str, str]
"""Anchor of a section, its title, and a text."""
Fact = tuple[str, str]
"""Name and text of a fact."""


def contents(
    facts: ReportFacts,
    part: PagePart,
    statements: Mapping[str, str],
    persons: Sequence[Fact],
    sensitive: Sequence[Fact],
    limits: tuple[Sequence[str], Sequence[str]],
    countable: Sequence[Figure],
) -> list[Line]:
    """Return the lines of the contents, in the order of the sections.

    Parameters
    ----------
    statements
        Statements of the owner by name. They are empty if they are not given.
    persons, sensitive
        Facts of the sections on persons and on sensitive data.
    limits
        The most important limits, and all others.
    countable
        Figures that a recipient can compute, that of the records first.
    """
    about = dict(persons)
    counts = ", ".join(f"{count:,} {name}" for name, count in facts.attested.counts.items() if count)
    return [
        ("owner", "Statements of the owner", _stated(statements)),
        ("persons", "Persons and records", f"{sentences(about[PERSON])[0]} {about[RECORDS]}"),
        ("guarantee", "Guarantee", f"who is protected; who verified it, and how: {_covered(facts)}"),
        ("limits", "Not covered", f"the most important limits, and {len(limits[1])} others"),
        ("sensitive", "Sensitive data", _sensitive(sensitive)),
        ("risk", "Risk", risk_in_short(facts, part)),
        ("attacks", "Simulated attacks", _attacks(part)),
        ("detail", "Lost detail", _lost(facts, countable)),
        ("published", "Published data", f"{counts}; example rows; the technique for each column"),
        ("origin", "Origin", "digests of all files" + ("" if facts.private is None else ", versions, settings")),
    ]


def _stated(statements: Mapping[str, str]) -> str:
    missing = [name.lower() for name, text in statements.items() if not text]
    state = f"not stated: {listed(missing)}" if missing else "all are stated"
    return f"{listed([*statements]).lower()}; {'none is stated' if len(missing) == len(statements) else state}"


def _covered(facts: ReportFacts) -> str:
    if facts.attested.declarations.accepted_undecided:
        return "the check did not finish"
    return str(facts.attested.verified.get("covered", "all records"))


def _sensitive(sensitive: Sequence[Fact]) -> str:
    (name, text), *others = sensitive
    more = f"; {len(others)} more" if others else ""
    return f"{name}: {sentences(text)[0].rstrip('.')}{more}"


def risk_in_short(facts: ReportFacts, part: PagePart) -> str:
    """Return the single figure of the risk at each step: in the original, after reading coarsened it, if it did, and
    in the publication.
    """
    if not part.headline:
        return part.risk
    steps = []
    coarsened = [] if facts.private is None else [name for names in facts.private.coarsened.values() for name in names]
    read = f"after reading coarsened {listed(coarsened)}" if coarsened else "in the original"
    if facts.raw is not None:
        steps.append(f"{percent(facts.raw.alone.value)} in the original")
    if part.before:
        steps.append(f"{part.before} {read}")
    steps.append(f"{part.after} in the publication")
    unknown = "" if part.before else ". The risk in the original is not in this report"
    who = "persons" if facts.attested.declarations.unit == "person" else "records"
    return f"{who} that are unique, if an attacker knows {part.headline}: {', '.join(steps)}{unknown}"


def _attacks(part: PagePart) -> str:
    run = sum(verdict.succeeds is not None for verdict in part.verdicts)
    not_run = len(part.verdicts) - run
    return f"verdicts on {counted(run, 'attack')}" + (f"; not run: {not_run}" if not_run else "") if run else "none"


def _lost(facts: ReportFacts, countable: Sequence[Figure]) -> str:
    changed = {} if facts.private is None else _changes(facts.private)
    parts = [f"{PRINTED_PARTS[name]}: {text}" for name, text in changed.items()]
    parts += [f"{column.name}: {column}" for column in facts.summary.columns if column.distinct < _FEW_VALUES]
    if facts.private is None:
        parts += [f"{name.lower()}: {figure}" for name, figure, _ in countable[1:]]
    return "; ".join(parts) or "the figures that a recipient can compute"


def _changes(report: Report) -> dict[str, str]:
    return {
        name: ", ".join(f"{percent(share)} {PRINTED_FATES.get(fate, fate)}" for fate, share in of_part.items())
        + relative_to(name, report.coarsened)
        for name, of_part in shares(report.retention).items()
    }
