"""Text about the risks of published records."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import cast

from anonset.analysis.attack import Attempts
from anonset.analysis.exposures import MATCHES, Exposure, higher_after, small_class_text
from anonset.analysis.risk import Risk
from anonset.attacks.base import AttackResult
from anonset.jobs.report_facts import ReportFacts
from anonset.measures.retention import coarsened_text
from anonset.measures.risks.skewness import Skewness
from anonset.measures.shares import Share, percent
from anonset.release.documents import PublishedFile
from anonset.release.statements import parameters_of, plain
from anonset.report.drawings import Bar, bars
from anonset.report.risks.base import (
    PagePart,
    above_threshold,
    inference_section,
    likelier,
    of_rows,
    worst_knowledge,
)
from anonset.report.risks.verdicts import (
    AttackVerdict,
    attack_in_words,
    attack_verdicts,
    verdict_on_limit,
    verdicts_on_inference,
)
from anonset.report.sections import Section
from anonset.report.techniques import of_records
from anonset.spelling import counted, listed, printable, setting

_FORMS = {
    "set": "“a, b or 5 more” is a symbol: it replaces one of these values, or one or several of these items. The files "
    "contain a text such as (a,b,c), or a name.",
    "range": "A range such as [19:22] replaces a number inside the range.",
    "beginning": "A text such as 202** replaces a value that begins with 202.",
    "lost": "A *, or a group or range of all values, hides the value.",
}
"""Meaning of each form of published labels."""
_HIGHEST = (
    "Highest: risk of the {0.unit} with the highest risk (prosecutor). Average: mean of all {0.units} (marketer)."
)
_CONTROL = (
    "Targets: attacked rows or persons. Below k: share of the targets for which fewer than k candidates remain, "
    "including the target. Certain: share for which the attack is certainly right. Correct guesses: share that a "
    "random choice among the candidates finds. The control is the same attack with random information."
)


def sections(risk: Risk, facts: ReportFacts | None = None) -> list[Section]:
    """Return the sections of the text about the risks."""
    data = {
        "records": risk.records,
        "unit": risk.unit,
        "persons": risk.persons,
        "model": risk.model.name,
        "parameters": parameters_of(risk.model),
        "threshold": risk.threshold,
        "verdicts": _verdicts(risk),
        "single": {
            "known": _known(risk),
            "coarsened": risk.coarsened,
            **{step: one and one.alone.value for step, one in risk.single.items()},
        },
    }
    single = f"{single_risk(risk)}{_further(facts)}" if risk.exposures else ""
    return [
        Section(notes=[f"{_what_is_counted(risk)}; {risk.model}", *([single] if single else [])], data=data),
        _exposures(risk),
        _attempts(risk),
        inference_section(risk.told, rows=_counts_rows(risk)),
        *_outcomes(risk),
    ]


def _further(facts: ReportFacts | None) -> str:
    """Return the risk from attackers who know more than the attacker of the single figure, as a clause. Empty if this
    attacker knows all published columns.
    """
    if facts is not None and not facts.complete and not getattr(facts.attested.data, "keep", ()):
        return ""
    if facts is None or not isinstance(risk := facts.after, Risk) or not facts.complete:
        return "; attackers who know more may single out more"
    return f"; if an attacker knows {worst_knowledge(facts)} (not covered): {_by_step(risk, facts.complete)}"


def _counts_rows(risk: Risk) -> bool:
    return risk.unit == "row" or risk.persons is not None


def _exposures(risk: Risk) -> Section:
    notes = persons_below_k(risk, risk.exposures)
    notes.append(_HIGHEST.format(risk))
    if risk.journalist is not None:
        highest, above = risk.journalist
        share = f"{percent(above)} of its records are found in {above_threshold(risk.threshold)}"
        notes.append(f"In the population (journalist), the highest risk is {percent(highest)}, and {share}.")
    for name, diversity in risk.disclosures.items():
        single = percent(diversity.homogeneous_records / max(1, risk.records))
        shown = (
            f"l={diversity.distinct_l}, t={diversity.t:.3g}: {single} of the rows are in classes with a single value"
        )
        notes.append(f"{printable(name)!r}: {shown}.")
        if name in risk.skews:
            notes.append(_skewed(risk.skews[name]))
    journalist = None if risk.journalist is None else dict(zip(("highest", "above"), risk.journalist, strict=True))
    exposed = {
        name: [{"known": exposure.words, **plain(exposure)} for exposure in exposures]
        for name, exposures in (("exposures", risk.exposures), ("before", risk.before))
    }
    data = {
        **exposed,
        "higher_after": higher_after(risk.before, risk.exposures),
        "sensitive": risk.disclosures,
        "skewness": risk.skews,
        "journalist": journalist,
    }
    return replace(_exposure_table(risk), notes=notes, data=data)


def _exposure_table(risk: Risk, before: Sequence[Exposure] = ()) -> Section:
    """Return the table of the risk by attacker knowledge. If `before` is given, each cell shows the risk before and
    after.
    """
    title, above = "Re-identification risk by attacker knowledge", above_threshold(risk.threshold)
    counts = (f"fewest {risk.units}", f"mean {risk.units}")
    head = ("attacker knows", _guaranteed(risk, "guaranteed", " for rows"), *counts, "highest", "average", "unique")
    earlier = {exposure.words: _figures(exposure) for exposure in before}
    higher = higher_after(before, risk.exposures, above=True)
    rows = []
    for exposure in risk.exposures:
        known, figures = exposure.words, _figures(exposure)
        if (old := earlier.get(exposure.words)) is not None:
            figures = [f"{one} → {new}" for one, new in zip(old, figures, strict=True)]
        rows.append((known + (HIGHER if known in higher else ""), "yes" if exposure.guaranteed else "no", *figures))
    below = f"{_HIGHEST.format(risk)} {_identifying(risk)}"
    below += f"Unique, {above}: share of the {risk.units} that are unique, or found so often."
    below += " Before → after: in the original data → in the publication." if before else ""
    below += f" {higher_after_text(higher)}" if higher else ""
    return Section(title, (*head, above), rows, [below] if rows else [])


def _identifying(risk: Risk) -> str:
    """Return which items the attacker of the exposures knows, as a sentence. Empty without items."""
    if not any(exposure.items for exposure in risk.exposures):
        return ""
    return "The attacker knows the most identifying published symbols, and all of them if a person has fewer. "


def _figures(exposure: Exposure) -> list[str]:
    return [
        f"{exposure.smallest:,}", f"{exposure.mean:,.1f}", percent(exposure.highest), str(exposure.average),
        str(exposure.alone), str(exposure.above),
    ]  # fmt: skip


HIGHER = " (rises: see below)"
"""Text next to a risk that is higher after anonymization than before."""


def higher_after_text(known: Sequence[str]) -> str:
    """Return why the risk from some attackers is higher after anonymization than before.

    >>> higher_after_text(["1 item", "2 items"])[:75]
    'A figure rises, if an attacker knows 1 item, or 2 items: the figures after '
    """
    return (
        f"A figure rises, if an attacker knows {', or '.join(known)}: the figures after anonymization assume that the "
        "attacker also knows which published symbols replace the person's items, and a symbol matches fewer records "
        "than its item if the item has several symbols, or if records were removed."
    )


def _attempts(risk: Risk) -> Section:
    head = (
        "attacker knew",
        f"{risk.units}",
        f"one {risk.unit} matches",
        "none matches",
        "found by guessing",
        _guaranteed(risk, "guaranteed maximum", " per row"),
    )
    rows = [
        (attempt.words, f"{attempt.attempts:,}", percent(attempt.alone),
         percent(attempt.none), f"{attempt.success:.2%}", "" if attempt.promised is None else f"{attempt.promised:.2%}")
        for attempt in risk.attempts
    ]  # fmt: skip
    promised = [attempt.promised for attempt in risk.attempts if attempt.promised is not None]
    outcome = (
        f"no {risk.unit} was found more often" if not risk.broken else f"{counted(risk.broken, risk.unit)} EXCEEDED it"
    )
    notes = [
        f"In lines with a guaranteed maximum, a random guess finds the {risk.unit} with a probability of at most "
        f"{percent(limit)}; there, {outcome}."
        for limit in promised[:1]
    ]
    if risk.persons is not None:
        exceeded = f" {counted(risk.broken, 'row')} EXCEEDED it." if risk.broken else ""
        notes = [
            "In lines with a guaranteed maximum, a random guess finds the row with a probability of at most "
            f"{percent(limit)}.{exceeded} "
            "Persons have several rows, so no maximum is guaranteed per person."
            for limit in promised[:1]
        ]
    data = {"attack": [{"known": attempt.words, **plain(attempt)} for attempt in risk.attempts]}
    return Section(f"Simulated attack: random {risk.units}, random knowledge", head, rows, notes, data)


def _guaranteed(risk: Risk, heading: str, extent: str) -> str:
    """Return a heading. Append `extent` if the figures count persons but the guarantee covers rows."""
    return heading if risk.persons is None else heading + extent


def _outcomes(risk: Risk) -> list[Section]:
    notes = [_knowledge_and_verdict(outcome) for outcome in risk.outcomes]
    if risk.outcomes:
        notes.append(
            "Control: the same attack with random information. Below k: fewer than k candidates remain, including "
            "the target."
        )
    notes += [f"{name} was not run: {reason}." for name, reason in risk.not_tried.items()]
    data = {"broken": risk.broken, "attacks": risk.outcomes, "not_tried": risk.not_tried}
    return [Section("Attacks with further knowledge", *_outcome_table(risk.outcomes), notes=notes, data=data)]


def _knowledge_and_verdict(outcome: AttackResult) -> str:
    """Return the knowledge of an attacker, and the outcome if the attacker can refrain from an answer."""
    text = f"{outcome.attack}: the attacker knows {outcome.knowledge}."
    won, control, tested = outcome.won, outcome.control, outcome.tested
    if tested is None or outcome.false_claims is None:
        return text
    named = f"{percent(won.claimed or 0.0)} of the targets, and {percent(control.claimed or 0.0)} of other persons"
    return (
        f"{text} {Share(won.success, won.low, won.high)} of {counted(outcome.targets, 'target')} are found, "
        f"{percent(control.success)} by chance. The attacker names rows for {named}, who are not in the publication. "
        f"With at most {outcome.false_claims:.0%} of such false claims, {percent(tested.success)} are found."
    )


def _makes_claims(outcomes: Sequence[AttackResult]) -> bool:
    return any(outcome.won.claimed is not None for outcome in outcomes)


def _outcome_table(outcomes: Sequence[AttackResult]) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return the headings and the rows of the table on attacks. Each attack has three rows."""
    claims = _makes_claims(outcomes)
    head = ("attack", "attacker", "targets", *(("claims",) if claims else ()), "below k", "certain", "correct guesses")
    rows = list[tuple[str, ...]]()
    for outcome in outcomes:
        named = outcome.attack, f"{outcome.targets:,}"
        for attacker, won, (attack, targets) in (
            ("without attack", outcome.without, named),
            ("with attack", outcome.won, ("", "")),
            ("control", outcome.control, ("", "")),
        ):
            below = "" if won.below_k is None else percent(won.below_k)
            certain = "" if won.certain is None else percent(won.certain)
            claimed = ("" if won.claimed is None else percent(won.claimed),) if claims else ()
            rows.append((attack, attacker, targets, *claimed, below, certain, f"{won.success:.2%}"))
    return head, rows


def _skewed(skew: Skewness) -> str:
    compared = f"{percent(skew.guessed_of_all)} without them, {percent(skew.by_chance)} in random classes"
    return (
        f"Guesses from the quasi-identifiers are correct for {percent(skew.guessed)} of the rows ({compared}). "
        f"H{likelier(skew).removeprefix('h')}."
    )


def _what_is_counted(risk: Risk) -> str:
    persons = "" if risk.persons is None else f" of {counted(risk.persons, 'person')}; all figures count persons"
    return counted(risk.records, "row") + persons


def persons_below_k(risk: Risk, exposures: Sequence[Exposure]) -> list[str]:
    """Return lines on the number of persons with fewer than k matches. There are no lines if each row is a person.

    Parameters
    ----------
    exposures
        Exposures in the publication or in its original.
    """
    if risk.persons is None:
        return []
    spoken = [exposure for exposure in exposures if exposure.guaranteed] or list(exposures[:1])
    named = dict.fromkeys([exposure for exposure in spoken if not exposure.items] + spoken[-1:])
    return [f"{small_class_text(exposure, risk.model.k or 2, risk.persons)}." for exposure in named]


def _known(risk: Risk) -> str:
    """Return the knowledge of the attacker of the single figure. Empty if no records are counted."""
    return "" if (after := risk.single["after"]) is None else after.words


def single_risk(risk: Risk) -> str:
    """Return the single figure of the risk at each step, and for whom it holds."""
    after, known = risk.single["after"], _known(risk)
    if after is not None and after.items:
        items = counted(after.items, "non-sensitive item" if after.non_sensitive else "item")
        best = f"the {items} that single" if after.items > 1 else "the item that singles"
        known = f"{known.removesuffix(items)}{best} out the person best"
    covered = "covered" if after is not None and after.guaranteed else "not covered"
    border = f"{covered} by the guarantee{'' if risk.persons is None else ' for rows'}"
    return f"{risk.units} that are unique, if an attacker knows {known} ({border}): {_by_step(risk, risk.single)}"


def _by_step(risk: Risk, exposures: Mapping[str, Exposure | None]) -> str:
    """Return the share of unique records at each step: in the original, after reading coarsened it, if it did, and in
    the publication.
    """
    read = f"after reading coarsened {listed(risk.coarsened)}" if risk.coarsened else "in the original"
    where = {"raw": "in the original", "before": read, "after": "in the publication"}
    return ", ".join(f"{percent(one.alone.value)} {where[step]}" for step, one in exposures.items() if one is not None)


def page_part(risk: Risk, facts: ReportFacts) -> PagePart:
    """Return the parts of the report that depend on the kind of publication."""
    protection = of_rows(facts)
    kept = [name for name in cast("PublishedFile", facts.attested.data).keep if name != risk.model.sensitive_column]
    if kept:
        names = ", ".join(kept)
        protection.append(("Not protected", f"values in columns that are published unchanged: {names}."))
    forms = {form.name for column in facts.details for form in column.forms}
    table = _exposure_table(risk, risk.before)
    if facts.unlike_others:
        cells = zip(*map(_figures, facts.complete.values()), strict=True)
        row = (worst_knowledge(facts), "no", *map(" → ".join, cells))
        table = replace(table, rows=[*table.rows, row])
    return PagePart(
        published=" ".join(text for form, text in _FORMS.items() if form in forms),
        protection=protection,
        columns=of_records(facts),
        risk=f"{single_risk(risk)}{_further(facts)}"
        + ("" if risk.before else "; the risk in the original is not in this report"),
        risks=[
            *([] if facts.private is None or not risk.exposures else _drawn(risk, facts)),
            table,
            inference_section(risk.told, rows=_counts_rows(risk)),
        ],
        verdicts=_verdicts(risk, facts.releases),
        attacks=_attack_figures(risk),
    )


def _drawn(risk: Risk, facts: ReportFacts) -> list[Section]:
    """Return the drawings of the risk, with their explanations."""
    below_k = [f"{when}: {line}" for when, exposures in (("Before", risk.before), ("After", risk.exposures))
               for line in persons_below_k(risk, exposures)]  # fmt: skip
    drawn = "Hatched: risk after anonymization. The original was not available, so the risk before is not shown."
    if risk.before:
        drawn = "Solid: before; hatched: after."
    if risk.coarsened:
        drawn += f" The risk before is that of {coarsened_text({'values': risk.coarsened})}."
    known = f"Share of the {risk.units} with so many matching records, if the attacker knows {_known(risk)}."
    unique = f"Share of the {risk.units} that are unique, by attacker knowledge. {_identifying(risk)}{drawn}"
    return [
        Section(notes=[unique]),
        Section(notes=below_k, form="plain"),
        Section(drawing=_drawing(risk, facts)),
        Section("Distribution of the number of matching records", notes=[known], drawing=_sizes(risk)),
    ]


def _sizes(risk: Risk) -> str:
    rows: dict[str, list[Bar]] = {}
    for pattern, when in (("solid", "before"), ("hatched", "after")):
        exposure = risk.single[when]
        for size, share in zip(MATCHES, () if exposure is None else exposure.sizes, strict=False):
            rows.setdefault(f"{size} matching", []).append((pattern, share.value, f"{percent(share.value)} {when}"))
    return bars("Distribution of the number of matching records", list(rows.items()))


def _attack_figures(risk: Risk) -> list[Section]:
    """Return the figures of the attacks, for the report."""
    claims = "Claims: share of the targets for which the attacker names rows. " if _makes_claims(risk.outcomes) else ""
    further = [
        replace(section, rows=[(attack_in_words(name), *row) for name, *row in section.rows], notes=[claims + _CONTROL])
        for section in _outcomes(risk)
        if section.rows
    ]
    searches = _attempts(risk)
    known = "The attacker knows original values and items, not the symbols that replace them. "
    known += (
        "If a person has fewer items, the attacker knows all of them." if any(a.items for a in risk.attempts) else ""
    )
    return [section for section in (replace(searches, notes=[*searches.notes, known]), *further) if section.rows]


def _verdicts(risk: Risk, releases: Collection[str] = ()) -> list[AttackVerdict]:
    """Return the verdicts on the search for random persons, on the inference of items, and on the requested attacks."""
    searches = [verdict_on_search(risk, attempt) for attempt in risk.attempts]
    way = f"; {listed([*releases], 'or')} may be one: anonset risk combines them" if releases else ""
    reasons = {name: reason + (way if setting("beside") in reason else "") for name, reason in risk.not_tried.items()}
    return [*searches, *verdicts_on_inference(risk.told), *attack_verdicts(risk.outcomes, reasons)]


def verdict_on_search(risk: Risk, attempt: Attempts) -> AttackVerdict:
    """Return the verdict on the search for random persons with given knowledge."""
    chance = 1 / max(1, units := risk.records if risk.persons is None else risk.persons)
    return verdict_on_limit(
        f"search for a {risk.unit}", f"{attempt.words} of a random {risk.unit}{or_all(attempt)}",
        attempt.success, chance, attempt.attempts, attempt.promised,
        allowed=1 / risk.model.k if risk.model.k else 0.0, alone=attempt.alone, every=attempt.attempts == units,
        broken=attempt.broken > 0,
    )  # fmt: skip


def or_all(attempt: Attempts) -> str:
    """Return the knowledge about persons who have fewer items than an attacker knows, as a clause."""
    return ", or all if there are fewer" if attempt.items > 1 else ""


def _drawing(risk: Risk, facts: ReportFacts) -> str:
    rows: dict[str, list[Bar]] = {}
    most = {when: {worst_knowledge(facts): one} for when, one in facts.complete.items()}
    for pattern, when, exposed in (("solid", "before", risk.before), ("hatched", "after", risk.exposures)):
        for known, exposure in [*((one.words, one) for one in exposed), *most.get(when, {}).items()]:
            bar = (pattern, exposure.alone.value, f"{percent(exposure.alone.value)} {when}")
            rows.setdefault(known, []).append(bar)
    return bars(f"Share of the {risk.units} that are unique, worst case", list(rows.items()))
