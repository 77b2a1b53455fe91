"""Texts about risks that several kinds of publications share."""

from collections.abc import Sequence
from dataclasses import dataclass

from anonset.analysis.risk import Risk
from anonset.analysis.summary import ItemDetail
from anonset.data.redacted_repr import RedactedRepr
from anonset.jobs.report_facts import ReportFacts
from anonset.measures.risks.item_inference import LIKELY, RARE, SURE, ItemInference
from anonset.measures.risks.skewness import ONE_SIDED, Skewness
from anonset.measures.shares import percent
from anonset.reading.file_options import Unit
from anonset.release.documents import UNDECLARED
from anonset.report.risks.verdicts import AttackVerdict, verdicts_on_inference
from anonset.report.sections import Section
from anonset.spelling import counted, listed

_SOURCES = {"publication": "the publication", "frequencies": "item frequencies", "original": "the original"}


@dataclass(frozen=True)
class PagePart(RedactedRepr):
    """Parts of the report that depend on the kind of publication."""

    published: str
    """Explanation of the published rows."""
    protection: Sequence[tuple[str, str]]
    """Who is protected and who is not, as pairs of a heading and a sentence."""
    columns: Sequence[tuple[str, str, str]]
    """Name, role and technique of each published column (`techniques`)."""
    risk: str
    """The most important figure of the risk."""
    risks: Sequence[Section]
    """Risks by the knowledge of an attacker. Only the internal report contains drawings."""
    verdicts: Sequence[AttackVerdict] = ()
    """Verdicts on the simulated attacks."""
    attacks: Sequence[Section] = ()
    """Figures of the simulated attacks."""


def above_threshold(threshold: float) -> str:
    """Return the heading of the share of records that an attacker finds more often than a threshold.

    >>> above_threshold(0.09)
    'more than 9 of 100 attempts'
    """
    return f"more than {100 * threshold:.4g} of 100 attempts"


def worst_knowledge(facts: ReportFacts) -> str:
    """Return the knowledge of the attacker who singles out the share `ReportFacts.unlike_others`."""
    values = "all quasi-identifiers as published, and " if facts.attested.data.quasi_identifiers else ""
    found = facts.after.single["after"] if isinstance(facts.after, Risk) else None
    without = f", but not {listed(found.as_is, 'and')}" if found is not None and found.as_is else ""
    several = isinstance(facts.after, Risk) and facts.after.persons is not None
    of = "one row of a person" if several else "a person"
    column = facts.model.sensitive_column
    return f"{values}{f'the value of {column}' if column else 'the complete set of items'} of {of}{without}"


def complete_set(facts: ReportFacts) -> str:
    """Return the meaning of a complete set of items, as a sentence. Empty without items."""
    if facts.model.sensitive_column:
        return ""
    forms = [form.name for one in facts.details if isinstance(one, ItemDetail) for form in one.forms]
    groups = ", and which published groups hide them" if "set" in forms else ""
    return f" Such an attacker knows all of these items, and that there are no others{groups}."


def most_in_groups(skew: Skewness) -> str:
    """Return the largest share of a value in a group, as a clause. `Skewness.common` is named and left out.

    >>> skew = Skewness(*[0.0] * 7, common="none", common_share=0.8, largest_share=0.5, largest="flu")
    >>> most_in_groups(skew)
    "only 'none' has 60% of a group or more, another value ('flu') up to 50.0%"
    """
    value = f"{skew.largest!r}" if skew.largest else "one value"
    if not skew.common:
        return f"{value} has up to {percent(skew.largest_share)} of a group"
    if skew.common_share >= ONE_SIDED > skew.largest_share:
        other = f", another value ({value}) up to {percent(skew.largest_share)}" if skew.largest else ""
        return f"only {skew.common!r} has {ONE_SIDED:.0%} of a group or more{other}"
    return f"{value} has up to {percent(skew.largest_share)} of a group ({skew.common!r} left out)"


def likelier(skew: Skewness) -> str:
    """Return how much more likely the matching records make a sensitive value, as a clause."""
    most, value = skew.likeliest, skew.likeliest.value
    many = f", and a value at least {ONE_SIDED:.0%} of {percent(skew.one_sided)} of the groups"
    return (
        f"here, {most_in_groups(skew)}{many if skew.one_sided else ''}; "
        f"for {percent(skew.doubled)} of the rows, the value is at least twice as likely among the matching records as "
        f"in all records (largest: {f'{value!r}, ' if value else ''}{most.in_class:,} of "
        f"{counted(most.class_size, 'row')} in a group, {most.in_all:,} in all rows)"
    )


def doubted_person(facts: ReportFacts) -> str:
    """Return why nobody knows how many records a person has. Empty if nothing contradicts the declared person."""
    unit = facts.attested.declarations.unit
    if unit in UNDECLARED:
        return "a person is one row: nobody declared who is a person"
    return f"each {_person(facts)} counts as a person, and the data contradict it" if facts.contradicted else ""


def _person(facts: ReportFacts) -> str:
    """Return what counts as a person. A shareable report does not name the columns."""
    if facts.private is None:
        return "id" if facts.attested.declarations.unit == "person" else "row"
    return listed(Unit.of(facts.private.settings.get("unit")).columns or ["row"], "with")


def declared_condition(facts: ReportFacts) -> str:
    """Return the condition of the guarantee that only the owner declares, for readers who cannot see the data. Empty
    for an internal report, and if no person is declared.
    """
    if facts.private is not None or (unit := facts.attested.declarations.unit) in UNDECLARED:
        return ""
    what = "all rows of a person have the same id" if unit == "person" else "each row is a different person"
    return f"if {what}, as the owner declares{' although the data contradict it' if facts.contradicted else ''}"


def of_rows(facts: ReportFacts) -> list[tuple[str, str]]:
    """Return who is protected, as pairs of a heading and a sentence. This depends on the unit that counts as one
    person.
    """
    unit = facts.attested.declarations.unit
    if facts.contradicted:
        return [("Protected", f"each {_person(facts)}; the data contradict that this is a person: see Check first.")]
    if unit == "person":
        return [("Protected", "each person in the data, as declared: all rows of an id are one record.")]
    if unit == "row, declared a person":
        return [("Protected", "each row of the data, a different person as declared.")]
    return [
        ("Protected", "each row of the data. The data do not say who is a person."),
        ("Not protected", "a person with several rows: together they may identify the person."),
    ]


def inference_section(inferences: Sequence[ItemInference], *, rows: bool = False) -> Section:
    """Return the section on inferences of further items of a person.

    Parameters
    ----------
    rows
        True if each row counts as one person.
    """
    if not (verdicts := verdicts_on_inference(inferences)):
        return Section(data={"told": inferences})
    title = "Inference of other items of a person whose two rarest items are known"
    title += ", each row counted as one person" if rows else ""
    note = (
        f"p: estimated probability that the person has the item. Rare items are in at most {RARE:.0%} of the rows. "
        "Item frequencies: the attacker knows only how often each item occurs, not the publication. A published "
        "symbol such as (a,b) is assumed to represent exactly one of its items."
    )
    bounds = (f"p ≥ {LIKELY:.0%}", f"p ≥ {SURE:.0%}")
    head = ("inferred from", "rows" if rows else "records", "other items", *bounds, "rare items", *bounds)
    told = [
        (_SOURCES[inference.source], f"{inference.persons:,}", f"{inference.items:,}", percent(inference.likely),
         percent(inference.sure), f"{inference.rare_items:,}", percent(inference.rare_likely),
         percent(inference.rare_sure))
        for inference in inferences
    ]  # fmt: skip
    return Section(title, head, told, [f"Verdict: {verdicts[0].verdict}.", note], {"told": inferences})
