"""Screen **Promise**, on which the owner chooses the privacy model and its parameters and reads the guarantee."""

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from functools import partial

from nicegui import ui

from anonset.errors import Problem, plain_text
from anonset.release.guarantee_limits import promised_limits, ranked_limits
from anonset.report.conclusion import with_columns
from anonset.settings.model_choices import BY_SENSITIVE_ITEMS, obstacle, sizes_of
from anonset.ui.screens.fix_buttons import fix_buttons
from anonset.ui.screens.frame import Screen, alert, button, card, folded, integer_field, show_limits, text
from anonset.ui.screens.item_search import item_search, show_reading
from anonset.ui.state import choices
from anonset.ui.state.page_state import PageState
from anonset.ui.state.setting_words import KNOWN, SENSITIVE, SIZE_WORDS
from anonset.ui.state.steps import promise_of

_MODELS = {
    "km": "some items of the person",
    "k": "attributes of the person",
    "kl": "attributes of the person; the sensitive column must not be inferred",
    "kkm": "attributes and some items of the person",
    "lm": "some items of the person; sensitive items must not be inferred",
    "klm": "attributes and some items of the person; sensitive items must not be inferred",
}


def promise_screen(state: PageState) -> None:
    """Create the screen."""
    screen = Screen(state, "/promise")
    with screen.opened("What do you promise?", lambda: state.command("anonymize"), "publishes with this promise"):
        if screen.is_blocked():
            return
        with ui.element("div").classes("halves"):
            with card():
                screen.section(lambda: _obstacles(state), partial(_models, screen))
                screen.section(lambda: _sizes(state), partial(_choose_sizes, screen))
                screen.section(lambda: _sensitive_column(state), _show_sensitive_column)
                screen.section(lambda: state.stated.sets, lambda sets: _sensitive(screen) if sets else None)
            with card():
                screen.section(lambda: _words(state), partial(_show_words, screen))
        with ui.element("div").classes("actions"):
            ui.link("Back: data", "/")
            ui.link("Next: try", "/try").classes("next")


def _obstacles(state: PageState) -> dict[str, str]:
    """Return for each model the reason why it does not fit the roles. The reason is empty if the model fits."""
    lacking = "" if state.stated.names("sensitive_items") else "needs sensitive items: choose them below"
    return {
        model: obstacle(model, state.stated) or (lacking if model in BY_SENSITIVE_ITEMS.values() else "")
        for model in _MODELS
    }


def _models(screen: Screen, obstacles: Mapping[str, str]) -> None:
    state, radios = screen.state, dict[str, ui.element]()
    other = text("p", "")
    with ui.element("fieldset"):
        text("legend", KNOWN)
        with folded("Promises that do not fit these columns") as others:
            others.mark("other promises")
        others.set_visibility(any(obstacles.values()))
        if obstacles.get(state.stated.text("model")):
            others.props("open")
        for model, known in _MODELS.items():
            why = obstacles[model]
            with others if why else nullcontext(), ui.element("label").classes("choice"):
                radio = ui.element("input").props(f"type=radio name=model value={model}").mark(f"model {model}")
                if why:
                    radio.props("disabled")
                radio.on("change", partial(screen.act, choices.choose_model, state, model))
                radios[model] = radio
                with ui.element("span"):
                    text("span", known)
                    text("span", f": it {why}" if why else "").classes("soft")
        others.move(target_index=-1)

    def show(chosen: str) -> None:
        for model, radio in radios.items():
            radio.props["checked"] = model == chosen
            radio.update()
        other.set_text(f"The job file contains the model {chosen}. This screen does not show its parameters.")
        other.set_visibility(chosen not in _MODELS)

    show(state.stated.text("model"))
    screen.live(lambda: state.stated.text("model"), show)


def _sizes(state: PageState) -> list[str]:
    model = state.stated.text("model")
    return [*sizes_of(model)] if model in _MODELS else []


def _number(state: PageState, name: str) -> int | None:
    return state.stated.settings.get(name)


def _choose_sizes(screen: Screen, names: Sequence[str]) -> None:
    state = screen.state

    def choose(name: str, value: int) -> None:
        screen.act(state.change, state.stated.with_(**{name: value}))

    with ui.element("div").classes("sizes"):
        for name in names:
            number = integer_field(SIZE_WORDS[name], _number(state, name), 1, partial(choose, name))
            number.props("debounce=300").mark(f"size {name}").classes("field")
            screen.live(partial(_number, state, name), number.set_value)
    screen.section(lambda: (state.findings or {}).get("items_per_person") or None, _show_items_per_person)


def _show_items_per_person(sizes: Sequence[int]) -> None:
    text("p", f"Items per person: {sizes[0]:,} (median), {sizes[-1]:,} (95th percentile).").classes("soft").mark(
        "items per person"
    )


def _sensitive_column(state: PageState) -> tuple[str, bool]:
    """Return the sensitive column, and whether it is only proposed."""
    name = state.stated.text("sensitive")
    return name, name in state.reasons([name])


def _show_sensitive_column(column: tuple[str, bool]) -> None:
    name, is_proposed = column
    if name:
        how = "proposed by its name and values. Check its role on the screen Data" if is_proposed else "chosen"
        text("p", f"Sensitive column: {name}, {how}.").classes("soft").mark("sensitive column")


def _sensitive(screen: Screen) -> None:
    """Ask for items that must not be inferred."""
    state = screen.state

    def choose(item: str) -> None:
        screen.act(choices.choose_sensitive_items, state, [*state.stated.names("sensitive_items"), item])

    def search() -> None:
        state.tree.choose_items()
        place.clear()
        with place:
            show_reading(screen)
            item_search(screen, "Search sensitive items", "sensitive", choose)

    with folded(SENSITIVE) as asked:
        asked.mark("sensitive items")
        text(
            "p",
            "If you choose sensitive items, the promise also bounds how surely others infer them. Sensitive items stay "
            "readable by name, and the other items become coarser.",
        )
        place = ui.element("div")
        asked.on("toggle", lambda _: None if place.default_slot.children else search())
    if any("sensitive_items" in fix.settings for one in state.inspection.warnings.values() for fix in one.fixes):
        asked.props("open")
        search()
    screen.section(lambda: state.stated.names("sensitive_items"), partial(_show_sensitive, screen))


def _show_sensitive(screen: Screen, items: list[str]) -> None:
    for item in items:
        with ui.element("p"):
            text("span", f"Sensitive: {item} ")
            others = [one for one in items if one != item]
            remove = button(
                "Remove", partial(screen.act, choices.choose_sensitive_items, screen.state, others)
            ).classes("node")
            remove.mark(f"remove-sensitive-{item}").props["aria-label"] = f"Remove {item}"


def _words(state: PageState) -> tuple[str, tuple[list[str], list[str]], Problem]:
    """Return the statement and the limits of the guarantee, and a problem if the job is invalid."""
    promised = promise_of(state)
    if isinstance(promised, Problem):
        return "", ([], []), promised
    model, settings = promised
    statement = with_columns(model.statement, state.stated.names("relational"))
    return statement, ranked_limits(model, promised_limits(model, settings)), Problem("")


def _show_words(screen: Screen, words: tuple[str, tuple[list[str], list[str]], Problem]) -> None:
    statement, limits, problem = words
    with ui.element("div").props("aria-live=polite"):
        if problem.sentence:
            alert(plain_text(problem.sentence), "p")
            fix_buttons(screen, problem.fixes)
            return
        text("h2", "Guarantee")
        text("p", statement).classes("good").mark("statement")
        text("h2", "Not covered")
        show_limits(limits)
