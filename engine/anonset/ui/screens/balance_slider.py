"""Slider of the screen Try: more detail in the items, or more detail in the attributes."""

from collections.abc import Sequence

from nicegui import ui
from nicegui.events import GenericEventArguments

from anonset.strict_json import dumps
from anonset.ui.screens.frame import Screen, alert, button, card, text
from anonset.ui.state import choices
from anonset.ui.state.command_runs import CANCELLED
from anonset.ui.state.trial import Stop, Trial

_ERROR = {True: "answers to your queries are off by {} (mean)", False: "counts of items are off by {} (mean)"}
"""Error of a stop in words. The key is True if the job contains queries."""
_NEAREST = "Position {} of {} is the closest to the recommended result, which keeps {} of the detail of the attributes."
_RECOMMENDED = "Position {} of {} keeps as much detail of the attributes as the recommended result: {}."
_MEASURED = {True: "over your queries", False: "over the counts of 200 items, drawn from random records"}


def balance_slider(screen: Screen, trial: Trial) -> None:
    """Show the stops of a trial as a slider. A button changes the job to the stop at which the slider is."""
    stops, run, recommended = trial.stops, trial.balance, trial.recommended_detail
    if run is not None and run.code not in (0, None, CANCELLED):
        for message in run.errors:
            alert(message)
    if len(stops) < 2:
        return
    form = f"{_ERROR[trial.has_queries]}; attributes keep {{}} of their detail"
    words = [form.format(f"{stop.error:.1%}", f"{stop.ranges_kept:.1%}") for stop in stops]
    with card("Items or attributes"):
        mean = f"The error is the mean {_MEASURED[trial.has_queries]}."
        text("p", f"Each position is a result with another balance, measured on all data. {mean}")
        near = len(stops) // 2
        if recommended is not None:
            near = min(range(len(stops)), key=lambda place: abs(stops[place].ranges_kept - recommended))
            kept = f"{stops[near].ranges_kept:.1%}"
            form = _RECOMMENDED if kept == f"{recommended:.1%}" else _NEAREST
            text("p", form.format(near + 1, len(stops), f"{recommended:.1%}")).mark("balance-recommended")
        _slider(screen, stops, words, near, suits=trial.suits(screen.state.stated))


def _slider(screen: Screen, stops: Sequence[Stop], words: Sequence[str], near: int, *, suits: bool) -> None:
    """Show the slider. It starts at the stop that the job uses, or at the stop `near`."""
    state = screen.state
    settings = [stop.job for stop in stops]
    at = settings.index(state.candidate) if state.candidate in settings else near

    def move(event: GenericEventArguments) -> None:
        nonlocal at
        at = int(event.args)
        show()

    def show() -> None:
        slider.props["aria-valuetext"] = words[at]
        slider.update()
        described.set_text(words[at])
        is_chosen = settings[at] == state.candidate
        chosen.set_visibility(is_chosen)
        choose.set_visibility(suits and not state.publishing and not is_chosen)

    slider = ui.element("input").classes("slider").mark("balance")
    slider.props["aria-label"] = "Balance between the detail of the items and of the attributes"
    # `defaultValue` sets the first position only: with `value`, a late update would move the slider back
    slider.props.update({"type": "range", "min": 0, "max": len(stops) - 1, "step": 1, "defaultValue": at})
    at_once = (
        f"e.target.setAttribute('aria-valuetext', {dumps(list(words))}[e.target.value])"  # a screen reader reads now
    )
    slider.on("input", move, js_handler=f"(e) => {{ {at_once}; emit(e.target.value); }}")
    with ui.element("div").classes("ends").props("aria-hidden=true"):
        text("span", "More detail in the items")
        text("span", "More detail in the attributes")
    described = text("p", words[at]).classes("good").mark("balance-words")
    chosen = text("strong", "The job uses this result.").mark("balance-chosen")
    choose = button("Choose this result", lambda: screen.act(choices.choose_candidate, state, settings[at])).mark(
        "choose-stop"
    )
    choose.classes("second")
    show()
