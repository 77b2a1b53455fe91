"""Parts of the report for the officer who signs it: the conclusion, persons and records, sensitive data, and limits."""

from collections.abc import Sequence

from anonset.data.table_facts import FIRST_VALUE, Change
from anonset.jobs.report_facts import ReportFacts
from anonset.reading.file_options import person_columns
from anonset.release.documents import Report
from anonset.release.guarantee_limits import ranked_limits, sentences
from anonset.report.risks.base import PagePart
from anonset.spelling import counted, listed

_DECLARED = {
    "person": "The owner declared which columns identify a person. All rows of a person are one record.",
    "row, declared a person": "The owner declared that each row is a different person. No check can verify this.",
    "row, person unknown": "Nobody declared what a person is: the owner stated that the data do not say it. Rows are "
    "protected, and a person with several rows is not protected as one person.",
    "row, not asked": "Nobody declared what a person is, because the data contain only sets of items. Rows are "
    "protected, and a person with several rows is not protected as one person.",
}
"""Who declared what a person is, by unit of privacy."""


def conclusion(facts: ReportFacts, part: PagePart) -> list[str]:
    """Return three sentences: the guarantee, the simulated attacks, and the most important limit."""
    promise = sentences(facts.model.statement)[0]
    verified = (
        f"The check of {facts.model} did not finish, so the guarantee is not proven, which the owner accepted."
        if facts.attested.declarations.accepted_undecided
        else f"A checker that shares no code with the algorithms verified {facts.model} from the published files: "
        f"{promise[0].lower()}{promise[1:]}"
    )
    return [
        verified,
        _attacked(facts, part),
        f"Most important limit: {ranked_limits(facts.model, [facts.attested.limits])[0][0]}",
    ]


def _attacked(facts: ReportFacts, part: PagePart) -> str:
    tried = [verdict for verdict in part.verdicts if verdict.succeeds is not None]
    if not tried:
        return (
            "No attack was simulated, because this report uses only the publication."
            if facts.private is None
            else "No attack was simulated, because the original was not available or no attack applies."
        )
    won = [verdict for verdict in tried if verdict.succeeds]
    if not won:
        return f"None of {counted(len(tried), 'simulated attack')} succeeds."
    worst = max(won, key=lambda verdict: verdict.success)
    succeed = "succeeds" if len(won) == 1 else "succeed"
    return (
        f"{len(won)} of {counted(len(tried), 'simulated attack')} {succeed}; the most successful is {worst.attack}: "
        f"the attacker knows {worst.knowledge} ({worst.rates})."
    )


def persons(facts: ReportFacts) -> list[tuple[str, str]]:
    """Return who declared what a person is, and how rows became records, as pairs of a name and a text."""
    report, unit = facts.private, facts.attested.declarations.unit
    rows = [("Person", _DECLARED[unit])]
    if report is None:
        return [*rows, ("Records", f"{facts.summary.n:,} published. The source rows are in the internal report.")]
    if names := person_columns(report.settings.get("unit")):
        rows.append(("Columns that identify a person", ", ".join(names)))
    changes = [Change(**change) for change in report.changes]
    return [*rows, *_of_rows(report, changes, facts.summary.n, by_person=unit == "person")]


def _of_rows(report: Report, changes: Sequence[Change], published: int, *, by_person: bool) -> list[tuple[str, str]]:
    records, read = report.input["records"], report.input.get("source_rows")
    skipped = [change for change in changes if not change.column]
    differing = [change for change in changes if change.rule == FIRST_VALUE]
    n_skipped = sum(change.occurrences for change in skipped)
    came = (
        f"{counted(records, 'record')}; the run did not count source rows"
        if read is None
        else f"{counted(read + n_skipped, 'source row')} became {counted(records, 'record')}"
    )
    texts = {"Rows and records": f"{came}; {published:,} published."}
    texts["Skipped rows"] = "; ".join(map(str, skipped)) or "none"
    if by_person and read is not None:
        more = read - records
        texts["Repeated rows"] = (
            f"{counted(more, 'further row')} of persons with several rows, merged with the first row of the person"
            if more
            else "none: each person has one row"
        )
    else:
        texts["Repeated rows"] = "not merged: each row is one record"
    if by_person:
        texts["Conflicting rows"] = "; ".join(map(str, differing)) or "none: the rows of each person agree"
    if other := [str(change) for change in changes if change not in (*skipped, *differing)]:
        texts["Changed while reading"] = "; ".join(other)
    return [*texts.items()]


def sensitive(facts: ReportFacts) -> list[tuple[str, str]]:
    """Return the declared sensitive data and their protection, as pairs of a name and a text."""
    model, names = facts.model, facts.model.secrets
    rows = [(name, _published(facts.sensitive[name])) for name in names if name in facts.sensitive]
    if absent := [name for name in names if name not in facts.sensitive]:
        rows.append(("Not published", listed(absent, "and")))
    if model.sensitive_column:
        rows.append((model.sensitive_column, f"sensitive column, published. The guarantee limits inference: {model}."))
    kept = [name for name in getattr(facts.attested.data, "keep", []) if name != model.sensitive_column]
    rows += [(name, "published unchanged; the owner declared no protection of its values") for name in kept]
    if not names and (items := getattr(facts.attested.data, "items", [])):
        text = "The owner declared no item as sensitive, so the guarantee treats all items alike."
        rows.append((f"Items of {listed(items, 'and')}", text))
    return rows or [("Sensitive data", "The owner declared no sensitive column.")]


def _published(records: int | None) -> str:
    if records is None:
        return "published"
    if not records:
        return "published only in groups with other items"
    return f"published by name in {counted(records, 'record')}"
