"""Sections of a screen that show a finished command."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from nicegui import ui

from anonset.spelling import counted
from anonset.ui.frame import text
from anonset.ui.runs import CommandRun

_SHARES = ("An attacker knows", "People who are unique")
_RISKS = ("Covered by the guarantee", "Highest risk", "Average risk")
_NARROW = 4
"""Maximum number of columns that fit on a phone. Wider tables show each cell on a line there."""


def ended(run: CommandRun | None) -> object:
    """Return a value that changes when a command starts or ends."""
    return run and (id(run), run.code)


def show_exposed(findings: Mapping[str, Any] | None, title: str) -> None:
    """Show the share of people at risk in the original for each attacker knowledge, as bars."""
    if findings is None:
        return
    classes, k = findings["quasi_identifiers"], findings["k"]
    rows = (
        [] if classes is None else [(f"all of {', '.join(classes['columns'])}", classes["unique"], classes["below_k"])]
    )
    rows += [
        (f"{counted(int(size), 'item')} (the most identifying)", known["worst"], known["worst_below_k"])
        for size, known in findings["known_items"].items()
    ]
    if rows:
        text("h2", title)
        _table((*_SHARES, f"People with fewer than {k} matches"), rows)


def show_risk(run: CommandRun | None) -> None:
    """Show the remaining risk for each attacker knowledge, and the results of attacks."""
    if run is None:
        return
    text("h2", "Remaining risk")
    if run.code is None:
        text("p", "Counting …").props("role=status")
        return
    risk = run.result
    if risk is None:
        show_errors(run)
        return
    heads: tuple[str, ...] = (_SHARES[0], *_RISKS)
    rows: list[tuple[Any, ...]] = [(one["known"], *_risks(one)) for one in risk.get("inferences", ())]
    if exposures := risk.get("exposures"):
        heads = (*_SHARES, f"People with fewer than {risk['parameters'].get('k', 2)} matches", *_RISKS)
        rows = [(one["known"], one["alone"]["value"], one["below"]["value"], *_risks(one)) for one in exposures]
    if rows:
        _table(heads, rows)
    else:
        text("p", "The publication contains no complete records to count. The report explains the remaining risk.")
    _attacks(risk)


def _risks(one: Mapping[str, Any]) -> tuple[str, str, str]:
    """Return whether the guarantee covers a knowledge, and the highest and average risk."""
    is_covered = one["guaranteed"] if "guaranteed" in one else one["promised"] is not None
    return "yes" if is_covered else "no", _percent(one["highest"]), _percent(one["average"]["value"])


def _attacks(risk: Mapping[str, Any]) -> None:
    """Show the results of the simulated attacks, and the reasons why the others are not applicable."""
    matching = [
        (f"matching: {one['known']}", "–", _percent(one["success"]), _percent(one["promised"], "none"))
        for one in risk.get("attack", ())
    ]
    others = [
        (f"{one['attack']}: {one['knowledge']}", _percent(one["without"]["success"]), _percent(one["won"]["success"]),
         "–")
        for one in risk.get("attacks", ())
    ]  # fmt: skip
    if not matching and not others:
        return
    text("h2", "Simulated attacks")
    text("p", "Each attack looks for random persons in the publication, or guesses their values.")
    _table(("Attack", "Correct by chance", "Correct guesses", "Guaranteed maximum"), [*matching, *others])
    if risk.get("broken"):
        text("p", "An attack succeeded more often than the guarantee allows. Do not share the publication.").classes(
            "alert"
        )
    if reasons := risk.get("not_tried"):
        with ui.element("details"):
            text("summary", f"{counted(len(reasons), 'attack')} not applicable")
            with ui.element("ul"):
                for name, reason in reasons.items():
                    text("li", f"{name}: {reason}")


def _table(heads: Sequence[str], rows: Iterable[Sequence[str | float | None]]) -> None:
    """Show a table. Numbers are shares, with a bar; the first cell of a row is its header."""
    with ui.element("table").classes("risks" if len(heads) <= _NARROW else "columns"):
        with ui.element("thead"), ui.element("tr"):
            for head in heads:
                text("th", head).props("scope=col")
        with ui.element("tbody"):
            for known, *cells in rows:
                with ui.element("tr"):
                    text("th", str(known)).props("scope=row")
                    for head, cell in zip(heads[1:], cells, strict=True):
                        with ui.element("td").props(f'data-label="{head}"'):
                            text("span", cell if isinstance(cell, str) else _percent(cell))
                            if isinstance(cell, float):
                                with ui.element("div").classes("bar").props("aria-hidden=true"):
                                    ui.element("div").style(f"width: {cell:.1%}")


def _percent(share: float | None, missing: str = "not counted") -> str:
    return missing if share is None else f"{share:.1%}"


def show_errors(run: CommandRun) -> None:
    """Show the messages of a failed command."""
    for message in run.errors or [f"The command failed (exit code {run.code})."]:
        text("div", message).classes("alert")
