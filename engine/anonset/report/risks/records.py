"""Account of the risks after records are published."""

from collections.abc import Sequence
from typing import cast

from anonset.attacks.base import Outcome
from anonset.jobs.exposures import Exposure, few_persons, knowledge
from anonset.jobs.risk import Risk
from anonset.measures.shares import percent
from anonset.measures.skewness import Skewness
from anonset.release.documents import Attestation, PublishedFile
from anonset.release.statements import parameters_of, plain
from anonset.report.drawings import Bar, bars
from anonset.report.risks.base import PagePart, RiskTable, of_rows, page_part, sections, told_grid, told_section
from anonset.report.sections import Section
from anonset.spelling import counted, printable


@sections.register
def _sections(risk: Risk) -> list[Section]:
    data = {
        "records": risk.records,
        "unit": risk.unit,
        "persons": risk.persons,
        "model": risk.model.name,
        "parameters": parameters_of(risk.model),
        "threshold": risk.threshold,
    }
    counts_rows = risk.unit == "row" or risk.persons is not None
    return [
        Section(notes=[f"{_what_is_counted(risk)}; {risk.model}"], data=data),
        _exposures(risk),
        _attempts(risk),
        told_section(risk.told, rows=counts_rows),
        *_outcomes(risk),
    ]


def _exposures(risk: Risk) -> Section:
    """Return the re-identification risk by attacker knowledge."""
    notes = persons_below_k(risk, risk.exposures)
    notes.append("Highest: of the person that is easiest to find (prosecutor); on average: over all (marketer).")
    if risk.journalist is not None:
        highest, above = risk.journalist
        share = f"{percent(above)} above {risk.threshold:g}"
        notes.append(f"Among the people of the population (journalist): highest {highest:.3g}, {share}.")
    for name, diversity in risk.disclosures.items():
        alone = percent(diversity.homogeneous_records / max(1, risk.records))
        shown = (
            f"l={diversity.distinct_l}, t={diversity.t:.3g}: {alone} of the rows are in classes with one value alone"
        )
        notes.append(f"{printable(name)!r} shows {shown}.")
        if name in risk.skews:
            notes.append(_skewed(risk.skews[name]))
    journalist = None if risk.journalist is None else dict(zip(("highest", "above"), risk.journalist, strict=True))
    data = {
        "exposures": [{"known": knowledge(one.values, one.items), **plain(one)} for one in risk.exposures],
        "sensitive": risk.disclosures,
        "skewness": risk.skews,
        "journalist": journalist,
    }
    head = ("who knows", "guaranteed", f"fewest {risk.unit}s", f"mean {risk.unit}s", "highest", "average", "alone")
    rows: list[tuple[str, ...]] = [
        (knowledge(one.values, one.items), "yes" if one.guaranteed else "no", f"{one.smallest:,}", f"{one.mean:,.1f}",
         f"{one.highest:.3g}", str(one.average), str(one.alone), str(one.above))
        for one in risk.exposures
    ]  # fmt: skip
    title = "How far somebody gets who knows of a person in the data"
    return Section(title, (*head, f"above {risk.threshold:g}"), rows, notes, data)


def _attempts(risk: Risk) -> Section:
    """Return the results of the attack by attacker knowledge."""
    head = ("who knew", "persons", f"one {risk.unit} fits", "none fits", "found by guessing", "promised at most")
    rows = [
        (knowledge(tried.values, tried.items), f"{tried.attempts:,}", percent(tried.alone), percent(tried.none),
         f"{tried.success:.2%}", "" if tried.promised is None else f"{tried.promised:.2%}")
        for tried in risk.attempts
    ]  # fmt: skip
    promised = [attempt for attempt in risk.attempts if attempt.promised is not None]
    kept = "none was found more often" if not risk.broken else f"{counted(risk.broken, 'person')} WAS"
    kept += "" if risk.persons is None else "; it speaks of rows, of which a person has several"
    notes = [
        f"Where the guarantee speaks, at most {one.promised:.3g} each is promised: {kept}." for one in promised[:1]
    ]
    data = {"attack": [{"known": knowledge(one.values, one.items), **plain(one)} for one in risk.attempts]}
    return Section("An attack that tried: random persons, random things known of them", head, rows, notes, data)


def _outcomes(risk: Risk) -> list[Section]:
    """Return the results of attacks, and the attacks that could not be tried."""
    notes = [f"{one.attack}: knows {one.knowledge}." for one in risk.outcomes]
    if risk.outcomes:
        notes.append("Control: the same where what it uses is random. Below k: theirs is among the fewer than k left.")
    notes += [f"{name} was not tried: {why}." for name, why in risk.not_tried.items()]
    data = {"broken": risk.broken, "attacks": risk.outcomes, "not_tried": risk.not_tried}
    return [Section("What attacks win", *_outcome_table(risk.outcomes), notes=notes, data=data)]


def _outcome_table(outcomes: Sequence[Outcome]) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return the results of attacks: the headings, and three text rows for each attack."""
    head = ("attack", "", "targets", "below k", "certain", "right by guessing")
    rows = list[tuple[str, ...]]()
    for one in outcomes:
        for name, won in (("without it", one.without), ("with it", one.won), ("control", one.control)):
            first = (one.attack, name, f"{one.targets:,}") if name == "without it" else ("", name, "")
            below = "" if won.below_k is None else percent(won.below_k)
            certain = "" if won.certain is None else percent(won.certain)
            rows.append((*first, below, certain, f"{won.success:.2%}"))
    return head, rows


def _skewed(skew: Skewness) -> str:
    """Return a text on how often a value is guessed from the class, compared with a control."""
    beside = f"{percent(skew.guessed_of_all)} without them, {percent(skew.by_chance)} by classes filled at random"
    more = f"{percent(skew.doubled)} of the rows have one twice as likely as among all; at most {skew.largest_gain:.3g}"
    return f"Whoever guesses it by the quasi-identifiers is right for {percent(skew.guessed)} ({beside}): {more} times."


def _what_is_counted(risk: Risk) -> str:
    behind = "" if risk.persons is None else f" of {counted(risk.persons, 'person')}, who are counted"
    return counted(risk.records, "row") + behind


def persons_below_k(risk: Risk, exposures: Sequence[Exposure]) -> list[str]:
    """Return lines on the number of persons below k, for the guaranteed knowledge; none if each row is a person.

    Parameters
    ----------
    exposures
        Exposures of the publication, or of its original.
    """
    if risk.persons is None:
        return []
    spoken = [exposure for exposure in exposures if exposure.guaranteed] or list(exposures[:1])
    named = dict.fromkeys([exposure for exposure in spoken if not exposure.items] + spoken[-1:])
    return [f"{few_persons(exposure, risk.model.k or 2, risk.persons)}." for exposure in named]


@page_part.register
def _part(risk: Risk, before: Sequence[Exposure], attested: Attestation) -> PagePart:
    counted_as = "persons" if risk.unit == "person" else "records"
    below_k = [f"{when}: {line}" for when, known in (("Before", before), ("After", risk.exposures))
               for line in persons_below_k(risk, known)]  # fmt: skip
    drawn = "Solid: before; hatched: after." if before else "This is after; --original adds what was before."
    protection = of_rows(attested)
    if kept := cast("PublishedFile", attested.data).keep:
        names = ", ".join(kept)
        protection.append(("Not protected", f"what stands in the columns that are published as they are: {names}."))
    return PagePart(
        published=(
            "A symbol is what stands in the place of an item: the item itself, or one text for several items, as "
            "(a,b,c) or by a name that codebook.csv explains. A range such as [19:22] stands for a number between its "
            "ends."
        ),
        protection=protection,
        drawing=_drawing(risk, before),
        drawing_note=(
            f"Share of the {counted_as} that are alone with what is known, where the most telling things are known. "
            f"{drawn}"
        ),
        below_k=below_k,
        knowledge=_grid(risk, before),
        told=told_grid(risk.told),
        attack=_attack_grid(risk),
        attacks=_further(risk),
        losses=(
            "All of them are 0 before. NCP (normalized certainty penalty) says how many items a symbol stands for, Rum "
            "the same of relational values and ranges: both are 1 where all is suppressed or one symbol stands for "
            "all. UL (utility loss) weighs symbols by how many rows show them; its logarithm is given as log2 UL."
        ),
    )


def _grid(risk: Risk, before: Sequence[Exposure]) -> RiskTable:
    """Return the risk by attacker knowledge; with the original, before and after."""
    earlier = {(exposure.values, exposure.items): _figures(exposure) for exposure in before}
    rows = []
    for exposure in risk.exposures:
        own = _figures(exposure)
        known = earlier.get((exposure.values, exposure.items))
        cells = own if known is None else [f"{old} → {new}" for old, new in zip(known, own, strict=True)]
        rows.append((knowledge(exposure.values, exposure.items), "yes" if exposure.guaranteed else "no", *cells))
    below = (
        "Highest: of the person that is easiest to find (prosecutor). Average: over all (marketer). Known are "
        "published symbols, those that tell the most."
    )
    below += " Before → after: before, items and values of the original are known." if before else ""
    counts = (f"fewest {risk.unit}s", f"mean {risk.unit}s")
    head = ("who knows", "guaranteed", *counts, "highest risk", "average risk", f"above {risk.threshold:g}")
    return RiskTable(head, rows, below=below if rows else "")


def _figures(exposure: Exposure) -> list[str]:
    return [
        f"{exposure.smallest:,}",
        f"{exposure.mean:,.1f}",
        f"{exposure.highest:.3g}",
        str(exposure.average),
        str(exposure.above),
    ]


def _attack_grid(risk: Risk) -> RiskTable:
    rows = [
        (knowledge(one.values, one.items), f"{one.attempts:,}", percent(one.alone), f"{one.success:.2%}",
         "" if one.promised is None else f"{one.promised:.2%}")
        for one in risk.attempts
    ]  # fmt: skip
    text = (
        "Random persons of the original, of whom random items and all quasi-identifiers were known, were looked for in "
        "the publication."
    )
    head = ("who knew", "persons", f"one {risk.unit} fits", "found by guessing", "promised at most")
    return RiskTable(head, rows, above=text)


def _further(risk: Risk) -> dict[str, object] | None:
    """Return the results of further attacks, and the knowledge each requires; None if none was tried."""
    if not (risk.outcomes or risk.not_tried):
        return None
    notes = [f"{one.attack}: knows {one.knowledge}." for one in risk.outcomes]
    notes += [f"{name} was not tried: {why}." for name, why in risk.not_tried.items()]
    return {"table": _outcome_table(risk.outcomes), "notes": notes}


def _drawing(risk: Risk, before: Sequence[Exposure]) -> str:
    """Return bars of the share of persons who are unique given the attacker knowledge, before and after."""
    rows: dict[str, list[Bar]] = {}
    for pattern, when, exposed in (("solid", "before", before), ("hatched", "after", risk.exposures)):
        for exposure in exposed:
            bar = (pattern, exposure.alone.value, f"{percent(exposure.alone.value)} {when}")
            rows.setdefault(knowledge(exposure.values, exposure.items), []).append(bar)
    who = "records" if risk.unit == "row" else "persons"
    title = f"Share of the {who} that are alone with what is known, at worst"
    return bars(title, list(rows.items())) if rows else ""
