"""Screen **Try**.

The screen compares algorithms for the chosen model by their losses and by the accuracy of counts of frequent codes.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from nicegui import ui

from anonset.errors import Fix
from anonset.report.comparison import shared_losses
from anonset.settings.job import Job
from anonset.spelling import counted
from anonset.ui.screens.balance_slider import balance_slider
from anonset.ui.screens.charts import line_chart
from anonset.ui.screens.fix_buttons import fix_buttons
from anonset.ui.screens.frame import Screen, alert, busy, button, card, text
from anonset.ui.state.page_state import PageState
from anonset.ui.state.runs import CANCELLED
from anonset.ui.state.setting_words import TRY, algorithm_in_words
from anonset.ui.state.trial import Trial

_FIGURES = {
    "kept": "Unchanged", "generalized": "Generalized", "suppressed": "Removed",
    "items_error": "Error of item counts", "ranges_kept": "Attribute precision", "usefulness": "Usefulness",
}  # fmt: skip


_IN_WORDS = {
    "items_error": "counts of items are off by {} (median)",
    "ranges_kept": "{} of the detail of the attributes is kept",
    "kept": "{} unchanged",
    "suppressed": "{} removed",
}
"""Figures of a candidate in words."""
_BEST = 2
"""Number of candidates that are shown unfolded, next to the recommended one."""


def try_screen(state: PageState) -> None:
    """Create the screen."""
    screen = Screen(state, "/try")
    with screen.opened("Which algorithm loses least?", lambda: _commands(state)):
        if screen.is_blocked():
            return
        text(
            "p",
            "anonset tries the algorithms that give this promise, and recommends the result with the most accurate "
            "counts. Nothing is published. Without this step, the result may be less useful.",
        ).classes("lead")
        with card():
            screen.section(lambda: (_running(state), state.publishing, state.inspection.busy), lambda _: _start(screen))
            screen.section(lambda: _progress_state(state.trial), lambda _: _progress(state))
        screen.section(lambda: _results_state(state), lambda _: _recommended(screen))
        screen.section(lambda: _results_state(state), lambda _: _candidates(screen))
        screen.section(lambda: _balance_state(state), lambda _: _balance(screen))
        screen.section(lambda: _compared(state.trial), lambda _: _losses(state.trial))
        screen.section(lambda: _results_state(state), lambda _: _frequencies(state))
        with ui.element("div").classes("actions"):
            ui.link("Back: promise", "/promise")
            ui.link("Next: publish", "/publish").classes("next")


def _commands(state: PageState) -> str:
    trial = state.trial
    compared = [] if trial is None else [trial.comparison(one) for one in trial.candidates[: len(trial.comparisons)]]
    balanced = [] if trial is None or trial.balance is None else [trial.balance_command]
    return "\n".join([state.command("suggest"), *balanced, *compared])


def _running(state: PageState) -> bool:
    return state.trial is not None and state.trial.code is None


def _start(screen: Screen) -> None:
    state = screen.state
    with ui.element("div").classes("actions"):
        if _running(state):
            button("Cancel", state.cancel_trial).classes("second").mark("cancel trial")
        elif state.publishing:
            text("p", "The job is running. Wait until it ends.")
        elif state.inspection.busy:
            busy("Inspecting the data …")
        else:
            button(TRY, lambda: screen.act(state.try_candidates)).mark("try")


def _progress_state(trial: Trial | None) -> object:
    if trial is None:
        return None
    run = trial.running
    return id(trial), trial.code, id(run), run.stage, len(run.errors)


def _progress(state: PageState) -> None:
    trial = state.trial
    if trial is None:
        return
    with ui.element("div").props("role=status"):
        if trial.code is None:
            at = f"Comparing candidate {len(trial.comparisons)}" if trial.comparisons else trial.running.stage
            at = "Comparing weights of joint-split" if trial.running is trial.balance else at
            text("p", f"Running: {at}").classes("busy")
            ui.element("progress").props("aria-label=Progress")
        elif trial.code == CANCELLED:
            text("p", "Cancelled.")
        else:
            for message in trial.running.errors:
                alert(message)


def _results_state(state: PageState) -> object:
    trial = state.trial
    if trial is None or trial.suggestion.code in (None, CANCELLED):
        return None
    return id(trial), trial.suits(state.stated), state.candidate, state.publishing


def _recommended(screen: Screen) -> None:
    state = screen.state
    found = None if state.trial is None else state.trial.suggestion.result
    if state.trial is None or found is None:
        return
    suits, best = state.trial.suits(state.stated), found["recommended"]
    with card("Recommended" if best else "Result"):
        _show_recommended(screen, found, suits=suits)


def _show_recommended(screen: Screen, found: Mapping[str, Any], *, suits: bool) -> None:
    state, best = screen.state, found["recommended"]
    fixes = [Fix(**fix) for fix in found["fixes"]]
    if not suits:
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
    text("p", f"{_name(found, best)}: {best['grounds']}.")
    with ui.element("ul"):
        for figure in best["utility"]:
            text("li", figure)
    _algorithm(best)
    if (tried := Job(best["settings"])) == state.candidate:
        text("p", "The job uses this algorithm.").classes("good")
    elif suits and not state.publishing:
        with ui.element("div").classes("actions"):
            button("Use this result", lambda: screen.act(state.choose_candidate, tried)).mark("choose best")
    if found["warning"] and suits:
        alert(f"{found['warning']}.", "p")
        fix_buttons(screen, fixes)


def _candidates(screen: Screen) -> None:
    state = screen.state
    found = None if state.trial is None else state.trial.suggestion.result
    if state.trial is None or found is None:
        return
    suits = state.trial.suits(state.stated)
    best = _best(found)
    with card("Other results" if best else ""):
        same = _in_all([found["candidates"][number] for number in best] + [found["recommended"] or {}])
        if best and same:
            text("p", f"All of these results, and the recommended one: {'; '.join(same)}.").mark("same")
        with ui.element("div").classes("grid"):
            for number in best:
                _candidate(screen, number, same, suits=suits)
        with ui.element("details").classes("all"):
            text("summary", f"Figures of all {counted(len(found['candidates']), 'candidate')}")
            _figures_of_all(screen, found, best, suits=suits)


def _balance_state(state: PageState) -> object:
    trial = state.trial
    if trial is None or trial.balance is None or trial.balance.code is None:
        return None
    return id(trial), trial.suits(state.stated), state.candidate, state.publishing


def _balance(screen: Screen) -> None:
    trial = screen.state.trial
    if trial is not None:
        balance_slider(screen, trial, _IN_WORDS["ranges_kept"], trial.recommended_detail)


def _best(found: Mapping[str, Any]) -> list[int]:
    """Return the positions of the best candidates that give the promise of the job, without the recommended one."""
    recommended = found["recommended"] and found["recommended"]["settings"]
    usable = [n for n, one in enumerate(found["candidates"]) if one["outcome"] == "holds" and not one["beside"]]
    return [n for n in usable if found["candidates"][n]["settings"] != recommended][:_BEST]


def _in_all(candidates: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the figures in words that several candidates have in common."""
    if len(candidates) < 2:
        return []
    first, *others = map(_in_words, candidates)
    return [words for words in first if all(words in other for other in others)]


def _candidate(screen: Screen, number: int, same: Sequence[str], *, suits: bool) -> None:
    """Show in words how a candidate differs from the others, with the button that chooses it."""
    trial = screen.state.trial
    if trial is None or trial.suggestion.result is None:
        return
    candidate = trial.suggestion.result["candidates"][number]
    with ui.element("div").classes("good"):
        text("h3", _name(trial.suggestion.result, candidate))
        differing = [words for words in _in_words(candidate) if words not in same]
        text("p", "; ".join(differing) or "The same figures, by another algorithm.").mark(f"words-{number}")
        _algorithm(candidate)
        with ui.element("p").classes("choose"):
            _choice(screen, number, suits=suits)


def _figures_of_all(screen: Screen, found: Mapping[str, Any], best: Sequence[int], *, suits: bool) -> None:
    sample = (
        f" anonset first tries the candidates on a sample of {found['sample']:,} records." if found["sample"] else ""
    )
    recommended = found["recommended"] and found["recommended"]["settings"]
    coarsened = {name for one in found["candidates"] for names in one["coarsened"].values() for name in names}
    relative = f" The figures are relative to coarsened {', '.join(sorted(coarsened))}." if coarsened else ""
    accuracy = "The error of item counts is the median error of the counts that recipients estimate."
    text("p", f"{accuracy}{sample}{relative}")
    figures = {name: label for name, label in _FIGURES.items() if any(_figure(c, name) for c in found["candidates"])}
    with ui.element("table").classes("columns"):
        with ui.element("thead"), ui.element("tr"):
            for head in ("Result", *figures.values(), "Choice"):
                text("th", head).props("scope=col")
        with ui.element("tbody"):
            for number, candidate in enumerate(found["candidates"]):
                with ui.element("tr"):
                    with ui.element("th").props("scope=row"):
                        text("span", _name(found, candidate))
                        text("div", algorithm_in_words(Job(candidate["settings"]))).classes("soft")
                    for name, label in figures.items():
                        text("td", _figure(candidate, name) or "–").props(f'data-label="{label}"')
                    with ui.element("td").props('data-label="Choice"'):
                        if number in best or candidate["settings"] == recommended:
                            text("span", "shown above")
                        else:
                            _choice(screen, number, suits=suits)


def _choice(screen: Screen, number: int, *, suits: bool) -> None:
    state = screen.state
    found = None if state.trial is None else state.trial.suggestion.result
    if found is None:
        return
    candidate = found["candidates"][number]
    chosen = Job(candidate["settings"])
    if candidate["outcome"] != "holds" or candidate["beside"]:
        text("span", f"another promise: {candidate['beside']}" if candidate["beside"] else candidate["outcome"])
        return
    if chosen == state.candidate:
        text("strong", "chosen")
    elif suits and not state.publishing:
        choose = button("Choose", lambda: screen.act(state.choose_candidate, chosen))
        choose.props["aria-label"] = f"Choose {_name(found, candidate)}"
        choose.classes("second").mark(f"choose-{number}")


def _name(found: Mapping[str, Any], candidate: Mapping[str, Any]) -> str:
    """Return the name of a candidate: its place in the order of usefulness."""
    order = [one["settings"] for one in found["candidates"]]
    return f"Result {order.index(candidate['settings']) + 1}"


def _in_words(candidate: Mapping[str, Any]) -> list[str]:
    """Return the figures of a candidate in words."""
    if not candidate:
        return []
    return [text_of.format(figure) for name, text_of in _IN_WORDS.items() if (figure := _figure(candidate, name))]


def _algorithm(candidate: Mapping[str, Any]) -> None:
    """Show the algorithm of a candidate, folded."""
    with ui.element("details"):
        text("summary", "Algorithm")
        text("p", algorithm_in_words(Job(candidate["settings"]))).classes("soft")


def _figure(candidate: Mapping[str, Any], name: str) -> str:
    shares = candidate["shares"]
    fates = shares.get("items") or shares.get("values") or shares.get("tuples") or {}
    value = {**fates, **(candidate["countable"] or {}), **candidate}.get(name)
    if value is None or (name == "usefulness" and candidate["outcome"] != "holds"):
        return ""
    return f"{value:.2f}" if name == "usefulness" else f"{value:.1%}"


def _compared(trial: Trial | None) -> object:
    return trial and (id(trial), [run.code for run in trial.comparisons])


def _losses(trial: Trial | None) -> None:
    if trial is None:
        return
    finished = [
        (_name(trial.suggestion.result, one), rows)
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
                with ui.element("details"):
                    text("summary", "Figures")
                    _loss_table(lines, sizes)


def _loss_table(lines: Mapping[str, Sequence[tuple[float, float]]], sizes: Sequence[float]) -> None:
    with ui.element("table").classes("risks"):
        with ui.element("thead"), ui.element("tr"):
            for head in ("Candidate", *(f"k\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}{k}" for k in sizes)):
                text("th", head).props("scope=col")
        with ui.element("tbody"):
            for name, points in lines.items():
                with ui.element("tr"):
                    text("th", name).props("scope=row")
                    for k in sizes:
                        text("td", f"{dict(points)[k]:.4f}" if k in dict(points) else "not possible")


def _frequencies(state: PageState) -> None:
    trial = state.trial
    found = None if trial is None else trial.suggestion.result
    if trial is None or found is None:
        return
    named = [one for one in found["candidates"] if Job(one["settings"]) == state.candidate]
    candidate = next(iter(named), found["recommended"])
    if not candidate or not candidate["commonest"]:
        return
    with card(f"The {len(candidate['commonest'])} most frequent codes"):
        estimated = f"the count that recipients estimate from {_name(found, candidate)}"
        text("p", f"For each code: the records that contain it, and {estimated}.")
        _frequency_table(candidate["commonest"])


def _frequency_table(commonest: Sequence[tuple[str, float, float]]) -> None:
    largest = max(max(before, after) for _, before, after in commonest)
    with ui.element("table").classes("risks"):
        with ui.element("thead"), ui.element("tr"):
            for head in ("Code", "Before", "After"):
                text("th", head).props("scope=col")
        with ui.element("tbody"):
            for code, before, after in commonest:
                with ui.element("tr"):
                    text("th", code).props("scope=row")
                    for count in (before, after):
                        with ui.element("td"), ui.element("div").classes("figure"):
                            text("span", f"{count:,.0f}")
                            with ui.element("div").classes("bar").props("aria-hidden=true"):
                                ui.element("div").style(f"width: {count / largest:.1%}")
