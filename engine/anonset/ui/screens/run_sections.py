"""Sections of a screen that show the risk or the errors of a finished command."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from nicegui import ui

from anonset.analysis.exposures import MATCHES
from anonset.report.risks.records import higher_after_text
from anonset.report.risks.verdicts import AttackVerdict, attack_in_words, successes_in_words
from anonset.spelling import counted, listed
from anonset.ui.screens.frame import alert, busy, card, folded, show_list, table, text
from anonset.ui.state.command_runs import CommandRun
from anonset.ui.state.examination import Examination

_SHARES = ("An attacker knows", "People who are unique")
_RISKS = ("Highest risk", "Average risk", "Covered by the guarantee")
_COVERED = {True: "yes", False: "no"}
_COMPARED = (
    "“Before” is the risk in the original as the job reads it, for example with only the year of each date. “After” is "
    "the risk in the publication. In both, the attacker knows the same kind of facts, with the most identifying items. "
    "The risk is the probability of finding the person."
)
_HOLDS = {
    True: "This figure holds for an attacker who knows no more than that. An attacker who knows more is not covered.",
    False: "The guarantee does not cover this knowledge.",
}
"""Knowledge for which a figure holds. The key is True if the guarantee covers it."""
_NARROW = 4
"""Maximum number of columns that fit on a phone. Tables with more columns show each cell on a line of its own there."""


def ended(run: CommandRun | None) -> tuple[CommandRun, int | None] | None:
    """Return a value that changes when a command starts or ends: the command and its exit code."""
    return None if run is None else (run, run.code)


def show_exposed(
    findings: Mapping[str, Any] | None, coarsened: Sequence[str] = (), secrets: Sequence[str] = (), limited: bool = True
) -> None:
    """Show the share of people in the original who can be identified by the attacker of the promise, and, folded, by
    other attackers.

    Parameters
    ----------
    coarsened
        Columns that the job coarsens while reading.
    secrets
        Items that must not be inferred.
    limited
        Whether the promise is about a limited number of known items.
    """
    if findings is None:
        return
    classes, k = findings["quasi_identifiers"], findings["k"]
    rows = (
        [] if classes is None else [(f"all of {', '.join(classes['columns'])}", classes["unique"], classes["below_k"])]
    )
    items = {int(size): f"{counted(int(size), 'item')} (the most identifying)" for size in findings["known_items"]}
    rows += [
        (items[int(size)], known["worst"], known["worst_below_k"]) for size, known in findings["known_items"].items()
    ]
    if findings["joint"] is not None:
        rows.insert(0, (f"{rows[0][0]}, and {items[findings['m']]}", *findings["joint"]))
    if findings["complete"] is not None:
        values = "" if classes is None else f"all of {', '.join(classes['columns'])}, and "
        rows.append((f"{values}all items of a person", *findings["complete"]))
    if rows:
        with card("Who is at risk now?"):
            promised = items.get(findings["m"]) if classes is None else rows[0][0]
            known, unique, _ = next((row for row in rows if row[0] == promised), rows[0])
            worst, most, _ = rows[-1] if findings["complete"] else max(rows, key=lambda row: row[1] or 0)
            of_promise = f"{_percent(unique)} of the people are unique for the attacker of the promise"
            text("p", f"{of_promise}, who knows {known}.").classes("headline")
            if secrets:
                others = "This figure also counts sensitive items as known. The promise is about the other items."
                text("p", others).mark("with sensitive")
            if worst != known:
                also = "knows" if classes is None else "also knows"
                knows = f"{also} all items of a person" if findings["complete"] else f"knows {worst}"
                covered = " The promise does not cover this." if limited else ""
                text("p", f"{_percent(most)} are unique, if an attacker {knows}.{covered}").mark("complete")
            if coarsened:
                lowers = f"The job coarsens {listed(coarsened, 'and')} while reading, which lowers the risk."
                note = f"These are the raw data. {lowers} The screen Publish shows the figure of each step."
                text("p", note).mark("raw")
            with folded("Figures of all attackers"):
                show_table((*_SHARES, f"People with fewer than {k} matches"), rows)


def show_unique(findings: Mapping[str, Any] | None) -> None:
    """Show in one line the share of people in the original who are unique for the attacker of the promise, and for an
    attacker who knows all items of a person.
    """
    if findings is None or findings["complete"] is None:
        return
    unique = findings["joint"][0] if findings["joint"] else findings["known_items"][str(findings["m"])]["worst"]
    whole = f"{_percent(findings['complete'][0])} for one who knows all items of a person"
    line = f"In the raw data, {_percent(unique)} of the people are unique for the attacker of the promise, {whole}."
    text("p", line).classes("soft").mark("unique")


def show_risk(examined: Examination) -> None:
    """Show the risk of a publication for each kind of attacker knowledge, the doubts, and the results of simulated
    attacks.

    The table also shows the risk before anonymization, if the original is available.
    """
    run = examined.risk
    risk = run.result
    before = {one["known"]: one for one in (risk or {}).get("before", ())}
    with card("Risk before and after" if before else "Remaining risk"):
        if run.code is None:
            busy("Counting …")
        elif risk is None:
            show_errors(run)
        else:
            _show_counted(risk, before, examined)
    if risk is not None:
        _attacks(risk)


def _show_counted(risk: Mapping[str, Any], before: Mapping[str, Mapping[str, Any]], examined: Examination) -> None:
    heads: tuple[str, ...] = (_SHARES[0], *_RISKS)
    rows: list[tuple[Any, ...]] = [
        (
            one["known"],
            _percent(one["highest"]),
            _percent(one["average"]["value"]),
            _COVERED[one["promised"] is not None],
        )
        for one in risk.get("inferences", ())
    ]
    if exposures := risk.get("exposures"):
        heads = (*_SHARES, f"People with fewer than {risk['parameters'].get('k') or 2} matches", *_RISKS)
        rows = [
            _exposure(one, before.get(one["known"]), is_higher=one["known"] in risk["higher_after"])
            for one in exposures
        ]
    _history(risk)
    _doubts(examined.doubts)
    if rows:
        if higher := risk.get("higher_after"):
            alert(higher_after_text([attributes_in_words(known) for known in higher]), "p").mark("higher-after")
        with folded("Figures of all attackers"):
            if before:
                text("p", _COMPARED)
            show_table(heads, rows)
    else:
        text("p", "The publication contains no complete records, so no risk is counted. The report explains the risk.")


def _history(risk: Mapping[str, Any]) -> None:
    """Show the single figure of the risk at each step: raw, coarsened by reading, and published."""
    single = risk.get("single", {})
    if single.get("before") is None:
        return
    coarsened = single["coarsened"]
    read = f"coarsened by reading ({listed(coarsened, 'and')})" if coarsened else "original"
    names = {"raw": "raw data", "before": read, "after": "published"}
    steps = [(name, single[step]) for step, name in names.items() if single[step] is not None]
    known = attributes_in_words(single["known"])
    shares = " → ".join(f"{_percent(share)} {step}" for step, share in steps)
    after, original = (
        next(one for one in risk[when] if one["known"] == single["known"]) for when in ("exposures", "before")
    )
    who = f"the attacker of the promise, who knows {known}" if after["guaranteed"] else f"an attacker who knows {known}"
    text("p", f"People who are unique for {who}: {shares}").classes("headline").mark("history")
    text("p", _HOLDS[after["guaranteed"]]).mark("holds-for")
    with folded("Steps and matching records"):
        show_table(("Step", _SHARES[1]), steps)
        _matches(after, original)


def _doubts(doubts: Sequence[str] | None) -> None:
    """Show the doubts about a publication."""
    if doubts:
        with ui.element("div").classes("alert").mark("doubts"), ui.element("div"):
            text("h3", "Check first")
            show_list(doubts)


def _matches(after: Mapping[str, Any], before: Mapping[str, Any]) -> None:
    """Show the distribution of the number of matching records, for the knowledge of the single figure."""
    when = {"before": before, "after": after}
    rows = [
        (size, {name: one["sizes"][place]["value"] for name, one in when.items()}) for place, size in enumerate(MATCHES)
    ]
    show_table(("Records that match a person", "People"), rows)


def _exposure(after: Mapping[str, Any], before: Mapping[str, Any] | None, *, is_higher: bool) -> tuple[Any, ...]:
    figures = [
        [one["alone"]["value"], one["below"]["value"], one["highest"], one["average"]["value"]]
        for one in (before, after)
        if one is not None
    ]
    pairs = [{"before": old, "after": new} for old, new in zip(*figures, strict=True)] if before else figures[0]
    known = attributes_in_words(after["known"]) + (" (rises)" if is_higher else "")
    return known, *pairs, _COVERED[after["guaranteed"]]


def attributes_in_words(knowledge: str) -> str:
    """Return the knowledge of an attacker in words for stewards.

    >>> attributes_in_words("all quasi-identifiers and 2 items")
    'all attributes that others may know, and 2 items'
    """
    words = knowledge.replace("all quasi-identifiers and", "all attributes that others may know, and")
    return words.replace("quasi-identifiers", "attributes that others may know")


def _attacks(risk: Mapping[str, Any]) -> None:
    verdicts = [one for one in risk.get("verdicts", ()) if one["succeeds"] is not None]
    if not verdicts:
        return
    with card("Simulated attacks"):
        text("p", "Each attack looks for random persons in the publication, or guesses their values.")
        if risk.get("broken"):
            alert("An attack succeeded more often than the guarantee allows. Do not share the publication.", "p")
        tried = [AttackVerdict(**one) for one in verdicts]
        summary = successes_in_words(tried, broken=bool(risk.get("broken")))
        text("p", attributes_in_words(summary)).mark("attacks")
        rows = [
            (attack_in_words(one["attack"]), attributes_in_words(one["knowledge"]), one["verdict"]) for one in verdicts
        ]
        with folded(f"Verdicts of {counted(len(rows), 'attack')}"):
            show_table(("Attack", "The attacker knows", "Verdict"), rows, of_sentences=True)
        if others := [one for one in risk["verdicts"] if one["succeeds"] is None]:
            with folded(f"{counted(len(others), 'attack')} not applicable"):
                show_list([f"{attack_in_words(one['attack'])}: {one['verdict']}" for one in others])


_Share = float | None
_Cell = str | _Share | Mapping[str, _Share]


def show_table(heads: Sequence[str], rows: Iterable[Sequence[_Cell]], *, of_sentences: bool = False) -> None:
    """Show a table.

    The first cell of a row is the header of the row. A number in `rows` is a share, and a mapping contains several
    shares by name. On a phone, each cell is on a line of its own if there are many columns, or `of_sentences` is True.
    """
    with table(heads, "columns" if of_sentences or len(heads) > _NARROW else "risks"):
        for known, *cells in rows:
            with ui.element("tr"):
                text("th", str(known)).props("scope=row")
                for head, cell in zip(heads[1:], cells, strict=True):
                    with ui.element("td").props(f'data-label="{head}"'):
                        _cell(cell)


def _cell(cell: _Cell) -> None:
    if isinstance(cell, str):
        text("span", cell)
        return
    for name, share in cell.items() if isinstance(cell, Mapping) else (("", cell),):
        with ui.element("div").classes("figure"):
            text("span", f"{name} {_percent(share)}".strip())
            if share is not None:
                with ui.element("div").classes("bar").props("aria-hidden=true"):
                    ui.element("div").style(f"width: {share:.1%}")


def _percent(share: float | None) -> str:
    return "not counted" if share is None else f"{share:.1%}"


def show_errors(run: CommandRun) -> None:
    """Show the messages of a failed command."""
    for message in run.errors or [f"The command failed (exit code {run.code})."]:
        alert(message)
