"""Screen **Try**.

The screen compares algorithms for the chosen model by their losses and by the accuracy of counts of frequent items.
"""

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from typing import Any, NamedTuple

from nicegui import ui

from anonset.columns.roles import SETS
from anonset.errors import Fix
from anonset.report.comparison import shared_losses
from anonset.settings.job import Job
from anonset.ui.screens.balance_slider import balance_slider
from anonset.ui.screens.charts import line_chart
from anonset.ui.screens.fix_buttons import fix_buttons
from anonset.ui.screens.frame import HIERARCHIES, Screen, alert, busy, button, card, folded, show_list, table, text
from anonset.ui.screens.run_sections import show_table, show_unique
from anonset.ui.state import choices
from anonset.ui.state.command_runs import CANCELLED
from anonset.ui.state.page_state import PageState
from anonset.ui.state.setting_words import TRY, algorithm_in_words
from anonset.ui.state.trial import Trial

_FIGURES = {
    "kept": "Unchanged", "generalized": "Generalized", "suppressed": "Removed",
    "items_error": "Error of item counts", "ranges_kept": "Attribute precision", "usefulness": "Usefulness",
}  # fmt: skip

_USED = "Used by the job: the screen Publish publishes this result."
_FIRST = 3
"""Number of figures of the recommended result that are shown unfolded."""
_ITEMS = 6
"""Number of frequent items that are shown unfolded."""
_BEST = 2
"""Number of candidates that are shown unfolded, next to the recommended one."""


def try_screen(state: PageState) -> None:
    """Create the screen."""
    screen = Screen(state, "/try")
    with screen.opened("Which algorithm loses least?", lambda: _commands(state)):
        if screen.is_blocked():
            return
        sets = state.tables or state.stated.names(*SETS)
        best = (
            "the best balance of accurate counts of items and of pairs, unchanged items, and detail of the attributes"
        )
        recommended = best if sets else "the most detail of the attributes"
        lead = "anonset tries the algorithms that give this promise, and recommends"
        text("p", f"{lead} {recommended}. Nothing is published. The page keeps the results until it ends.").classes(
            "lead"
        )
        screen.section(lambda: state.inspection.exposed, show_unique)
        screen.section(
            lambda: (state.trial and state.trial.busy, state.publishing, state.inspection.busy),
            lambda _: _start(screen),
        )
        screen.section(lambda: _progress_state(state.trial), lambda _: _progress(state.trial))
        screen.section(lambda: _results(state), partial(_recommended, screen))
        screen.section(lambda: _results(state), partial(_candidates, screen))
        screen.section(lambda: _balanced(state), lambda trial: balance_slider(screen, trial[0]))
        screen.section(lambda: state.trial and (state.trial, len(state.trial.comparisons)), lambda of: _losses(of[0]))
        screen.section(lambda: _results(state), _frequencies)
        with ui.element("div").classes("actions"):
            ui.link("Back: promise", "/promise")
            screen.section(lambda: _used_name(state), _next)


def _used_name(state: PageState) -> str:
    """Return the name of the result that the job uses. Empty if the trial has no such result."""
    used, trial = state.candidate, state.trial
    found = [] if trial is None or trial.found is None or not trial.suits(state.stated) else trial.found["candidates"]
    names = [trial.name_of(one) for one in found if trial is not None and Job(one["settings"]) == used]
    return next(iter(names), "")


def _next(used: str) -> None:
    ui.link(f"Next: publish with {used}" if used else "Next: publish", "/publish").classes("next")


class _Results(NamedTuple):
    """Results of a trial, and the parts of the state on which their buttons depend."""

    trial: Trial
    found: Mapping[str, Any]
    suits: bool
    """True if the trial used the model and the data of the job."""
    used: Job
    """Algorithm of the job."""
    is_frozen: bool
    """True while the job is running."""


def _results(state: PageState) -> _Results | None:
    trial = state.trial
    if trial is None or trial.found is None:
        return None
    return _Results(trial, trial.found, trial.suits(state.stated), state.candidate, state.publishing)


def _commands(state: PageState) -> str:
    tried = [] if state.trial is None else state.trial.runs
    return "\n".join([run.command for run in tried] or [state.command("suggest")])


def _start(screen: Screen) -> None:
    state = screen.state
    with ui.element("div").classes("actions"):
        if state.trial is not None and state.trial.busy:
            button("Cancel", state.trial.cancel).classes("second").mark("cancel trial")
        elif state.publishing:
            text("p", "The job is running. Wait until it ends.")
        elif state.inspection.busy:
            busy("Inspecting the data …")
        else:
            tried = button(TRY, lambda: screen.act(state.try_candidates)).mark("try")
            tried.classes("second" if state.trial is not None and state.trial.found else "")


def _progress_state(trial: Trial | None) -> object:
    run = trial and trial.last
    return trial and run and (trial, trial.code, trial.phase, run.stage, len(run.errors))


def _progress(trial: Trial | None) -> None:
    if trial is None or trial.last is None:
        return
    with ui.element("div").props("role=status"):
        if trial.busy:
            text("p", f"Running: {trial.phase or trial.last.stage}").classes("busy")
            ui.element("progress").props("aria-label=Progress")
        elif trial.code == CANCELLED:
            text("p", "Cancelled.")
        else:
            for message in trial.last.errors:
                alert(message)


def _recommended(screen: Screen, of: _Results) -> None:
    best = "Best result, but of little use" if of.found["warning"] else "Recommended"
    with card(best if of.trial.recommended else "Result"):
        _show_recommended(screen, of)


def _show_recommended(screen: Screen, of: _Results) -> None:
    found, best = of.found, of.found["recommended"]

    def use() -> None:
        client = ui.context.client  # the choice replaces this button
        if screen.act(choices.choose_candidate, screen.state, tried):
            client.open("/publish")

    fixes = [Fix(**fix) for fix in found["fixes"]]
    if not of.suits:
        text("p", "The job has changed since this trial. Try the candidates again.").classes("alert")
    if best is None:
        if obstacles := found["obstacles"]:
            with ui.element("div").classes("alert"), ui.element("div"):
                text("p", "No result can be published with these roles:")
                with ui.element("ul"):
                    for obstacle in obstacles:
                        text("li", obstacle)
        else:
            alert(f"No candidate is useful: {found['reason']}.", "p")
        fix_buttons(screen, fixes)
        return
    for lost in best["lost"]:
        alert(lost, "p").mark("lost")
    if found["warning"] and of.suits:
        _of_little_use(screen, found["warning"], fixes)
    text("p", f"{of.trial.name_of(best)}: {best['grounds']}.")
    show_list(best["utility"][:_FIRST])
    with folded("Details"):
        show_list(best["utility"][_FIRST:])
        text("p", algorithm_in_words(Job(best["settings"]))).classes("soft")
    if (tried := Job(best["settings"])) == of.used:
        text("p", _USED).classes("good").mark("used")
    elif of.suits and not of.is_frozen:
        with ui.element("div").classes("actions"):
            button("Use this result, then publish", use).classes("best").mark("choose best")


def _of_little_use(screen: Screen, warning: str, fixes: Sequence[Fix]) -> None:
    """Show why the recommended result is of little use, and the screens on which other settings may help."""
    with ui.element("div").classes("alert"), ui.element("div").mark("of little use"):
        text("p", f"{warning[:1].upper()}{warning[1:]}.")
        fix_buttons(screen, fixes)
        if any(fix.settings for fix in fixes):
            text("p", "These effects were measured. After a change, try again.").mark("measured")
            return
        with ui.element("p"):
            text("span", "Fewer known items or matching records, on the screen ")
            ui.link("Promise", "/promise")
            text("span", ", fewer columns, on the screen ")
            ui.link("Data", "/")
            text("span", ", or other groups, on the screen ")
            ui.link("Hierarchies", HIERARCHIES)
            text("span", ", may help. Then try again.")


def _candidates(screen: Screen, of: _Results) -> None:
    found, best = of.found, _best(of)
    with card("Other results" if best else ""):
        same = _in_all([found["candidates"][number] for number in best] + [found["recommended"]] if best else [])
        if best and same:
            text("p", f"All of these results, and the recommended one: {'; '.join(same)}.").mark("same")
        with ui.element("div").classes("grid") if best else nullcontext():
            for number in best:
                _candidate_card(screen, of, number, same)
        with folded("Figures of all results"):
            _figures_of_all(screen, of, best)


def _balanced(state: PageState) -> object:
    trial = state.trial
    return trial and trial.balance and (trial, trial.suits(state.stated), state.candidate, state.publishing)


def _best(of: _Results) -> list[int]:
    """Return the positions of the best candidates that give the promise of the job and whose figures differ from each
    other and from the recommended one.
    """
    shown, best = [(of.found["recommended"] or {}).get("utility")], list[int]()
    for number, one in enumerate(of.found["candidates"]):
        if one["outcome"] == "holds" and not one["beside"] and one["utility"] not in shown:
            shown.append(one["utility"])
            best.append(number)
    return best[:_BEST]


def _in_all(candidates: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the figures in words that several candidates have in common."""
    if len(candidates) < 2:
        return []
    first, *others = [one["utility"] for one in candidates]
    return [words for words in first if all(words in other for other in others)]


def _candidate_card(screen: Screen, of: _Results, number: int, same: Sequence[str]) -> None:
    """Show the first figure in which a candidate differs from the recommended one, the others folded, and the button
    that chooses it.
    """
    candidate, best = of.found["candidates"][number], of.found["recommended"] or {"utility": ()}
    with ui.element("div").classes("result"):
        text("h3", of.trial.name_of(candidate))
        text("p", next(words for words in candidate["utility"] if words not in best["utility"]))
        with folded("Details"):
            with ui.element("ul").mark(f"words-{number}"):
                for words in candidate["utility"]:
                    if words not in same:
                        text("li", words)
            text("p", algorithm_in_words(Job(candidate["settings"]))).classes("soft")
        with ui.element("p").classes("choose"):
            _choice(screen, of, number)


def _figures_of_all(screen: Screen, of: _Results, best: Sequence[int]) -> None:
    found = of.found
    sample = (
        f" anonset first tries the candidates on a sample of {found['sample']:,} records." if found["sample"] else ""
    )
    coarsened = {name for one in found["candidates"] for names in one["coarsened"].values() for name in names}
    relative = f" The figures are relative to coarsened {', '.join(sorted(coarsened))}." if coarsened else ""
    accuracy = "The error of item counts is the median error of the counts that recipients estimate."
    text("p", f"{accuracy}{sample}{relative}")
    figures = {name: label for name, label in _FIGURES.items() if any(_figure(c, name) for c in found["candidates"])}
    with table(("Result", *figures.values(), "Choice"), "columns"):
        for number, candidate in enumerate(found["candidates"]):
            with ui.element("tr"):
                with ui.element("th").props("scope=row"):
                    text("span", of.trial.name_of(candidate))
                    text("div", algorithm_in_words(Job(candidate["settings"]))).classes("soft")
                for name, label in figures.items():
                    text("td", _figure(candidate, name) or "–").props(f'data-label="{label}"')
                with ui.element("td").props('data-label="Choice"'):
                    if number in best or Job(candidate["settings"]) == of.trial.recommended:
                        text("span", "shown above")
                    else:
                        _choice(screen, of, number)


def _choice(screen: Screen, of: _Results, number: int) -> None:
    candidate = of.found["candidates"][number]
    chosen = Job(candidate["settings"])
    if candidate["outcome"] != "holds" or candidate["beside"]:
        text("span", f"another promise: {candidate['beside']}" if candidate["beside"] else candidate["outcome"])
    elif chosen == of.used:
        text("strong", _USED).mark("used")
    elif of.suits and not of.is_frozen:
        choose = button("Use this result", lambda: screen.act(choices.choose_candidate, screen.state, chosen))
        choose.props["aria-label"] = f"Choose {of.trial.name_of(candidate)}"
        choose.classes("second").mark(f"choose-{number}")


def _figure(candidate: Mapping[str, Any], name: str) -> str:
    shares = candidate["shares"]
    fates = shares.get("items") or shares.get("values") or shares.get("tuples") or {}
    value = {**fates, **(candidate["countable"] or {}), **candidate}.get(name)
    if value is None or (name == "usefulness" and candidate["outcome"] != "holds"):
        return ""
    return f"{value:.2f}" if name == "usefulness" else f"{value:.1%}"


def _losses(trial: Trial) -> None:
    finished = [
        (trial.name_of(one), rows)
        for one, run in zip(trial.candidates, trial.comparisons, strict=False)
        if run.code == 0 and (rows := [row for row in run.result if row["outcome"] == "holds"])
    ]
    losses = shared_losses([row for _, rows in finished for row in rows])
    if not losses:
        return
    with card("Lost detail, if more records must match"), ui.element("div").classes("grid charts"):
        for loss in losses:
            lines = {name: [(row["k"], row[loss]) for row in rows] for name, rows in finished}
            lost = f"Detail of the {'attributes' if loss == 'rum' else 'items'} that is lost"
            with ui.element("div"):
                text("p", f"{lost}, for different numbers of matching records (0: nothing is lost, 1: everything)")
                chart = line_chart(
                    f"{lost}, by the number of matching records (k)", "records that must match (k)", lines
                )
                ui.html(chart, sanitize=False)
                sizes = sorted({k for points in lines.values() for k, _ in points})
                with folded("Figures"):
                    _loss_table(lines, sizes)


def _loss_table(lines: Mapping[str, Sequence[tuple[float, float]]], sizes: Sequence[float]) -> None:
    rows = [
        (name, *(f"{dict(points)[k]:.4f}" if k in dict(points) else "not possible" for k in sizes))
        for name, points in lines.items()
    ]
    show_table(("Result", *(f"k\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}{k}" for k in sizes)), rows)


def _frequencies(of: _Results) -> None:
    named = [one for one in of.found["candidates"] if Job(one["settings"]) == of.used]
    candidate = next(iter(named), of.found["recommended"])
    if not candidate or not candidate["commonest"]:
        return
    with card(f"The {len(candidate['commonest'])} most frequent items"):
        estimated = f"the count that recipients estimate from {of.trial.name_of(candidate)}"
        text("p", f"For each item: the records that contain it, and {estimated}.")
        largest = max(max(before, after) for _, before, after in candidate["commonest"])
        _frequency_table(candidate["commonest"][:_ITEMS], largest)
        if further := candidate["commonest"][_ITEMS:]:
            with folded(f"{len(further)} more"):
                _frequency_table(further, largest)


def _frequency_table(commonest: Sequence[tuple[str, float, float]], largest: float) -> None:
    with table(("Item", "Before", "After")):
        for code, *counts in commonest:
            with ui.element("tr"):
                text("th", code).props("scope=row")
                for count in counts:
                    with ui.element("td"), ui.element("div").classes("figure"):
                        text("span", f"{count:,.0f}")
                        with ui.element("div").classes("bar").props("aria-hidden=true"):
                            ui.element("div").style(f"width: {count / largest:.1%}")
