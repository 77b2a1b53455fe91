"""Screen **Publish**.

The screen runs the job. It shows the progress, the result, the risk, and links to the report and to the files.
"""

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from functools import partial

from nicegui import ElementFilter, ui

from anonset.columns.roles import OF_PERSONS, ROLES
from anonset.errors import AnonsetError, Problem
from anonset.measures.retention import relative_to
from anonset.reading.file_options import UNKNOWN, Unit
from anonset.reading.linked import column_of
from anonset.release.guarantee_limits import ranked_limits
from anonset.report.conclusion import with_columns
from anonset.report.doubts import earlier_releases
from anonset.spelling import counted, listed, name_ranges
from anonset.ui.screens.fix_buttons import fix_buttons, show_question
from anonset.ui.screens.frame import Screen, alert, busy, button, card, folded, show_limits, show_list, show_page, text
from anonset.ui.screens.open_screen import counted_risk, show_verdict, verified
from anonset.ui.screens.reports import show_reports
from anonset.ui.screens.run_sections import show_risk
from anonset.ui.state.command_runs import CANCELLED
from anonset.ui.state.page_state import PageState
from anonset.ui.state.publication import Publication
from anonset.ui.state.setting_words import OUT, algorithm_in_words, person_in_words
from anonset.ui.state.steps import changed_promise, may_publish, open_questions, promise_of, run_warnings, settle

_SHARES = {"items": "Items", "values": "Attribute values"}


def publish_screen(state: PageState) -> None:
    """Create the screen."""
    screen = Screen(state, "/publish")
    with screen.opened("Publish", lambda: _commands(state)):
        if screen.is_blocked():
            return
        typed: dict[str, str] = {}
        state.publications.find()
        screen.section(lambda: changed_promise(state) or None, _show_changed)
        screen.section(lambda: state.publications.made and state.publications.new, partial(_result, state))
        screen.live(lambda: state.publications.made and state.publications.new, _focus_verdict)
        screen.section(lambda: verified(state.publications.made), lambda of: show_verdict(*of))
        screen.section(lambda: counted_risk(state.publications.made), lambda of: show_risk(of[0]))
        show_reports(screen, lambda: state.publications.made, "/report")
        screen.section(lambda: state.publications.made is not None, partial(_form, screen, typed))
        screen.section(lambda: (_progress_state(state.publications.new), state.raw), lambda _: _progress(screen))
        with ui.element("div").classes("actions"):
            ui.link("Back: try", "/try")
            ui.link("Optional: queries of the recipients", "/queries")


def _form(screen: Screen, typed: dict[str, str], is_made: bool) -> None:
    """Show what the job publishes and the button that starts it, folded if there is a publication."""
    state = screen.state
    with card(), folded("Another publication") if is_made else nullcontext():
        screen.section(lambda: _summary(state), _show_summary)
        screen.section(lambda: _algorithm(state), lambda names: _show_algorithm(*names))
        screen.section(lambda: state.inspection.checked or None, _show_checked)
        screen.section(lambda: {} if state.publishing else open_questions(state), partial(_questions, screen))
        screen.section(lambda: _start_state(state), lambda _: _start(screen, typed))


def _questions(screen: Screen, questions: Mapping[str, Problem]) -> None:
    """Show the questions without whose answers nothing is published."""
    if not questions:
        return
    text("h2", "Before you publish")
    text("p", f"{counted(len(questions), 'question')} open. The button Publish works when all are answered.")
    with ui.element("ul").classes("checks").mark("questions"):
        for name, problem in questions.items():
            check = None if problem.stops else partial(screen.act, settle, screen.state, name)
            show_question(screen, problem, problem.fixes, check)


def _show_changed(changed: str) -> None:
    alert(f"The promise has changed since this publication: {changed}.", "p").mark("changed promise")


def _focus_verdict(publication: Publication | None) -> None:
    """Move the focus to the verdict of a publication that was just made, so that the browser scrolls to it."""
    if publication:
        verdict = next(iter(ElementFilter(marker="verdict")))
        verdict.run_method("focus")


def _commands(state: PageState) -> str:
    further = [] if state.publications.new is None else state.publications.new.started[1:]
    return "\n".join([state.command("anonymize"), *(run.command for run in further)])


def _summary(state: PageState) -> dict[str, str]:
    """Return what the job publishes, and its promise, in words. Empty if the job is invalid."""
    promised, job = promise_of(state), state.stated
    if isinstance(promised, Problem):
        return {}
    found = state.inspection.findings or state.inspection.linked or {}
    persons = found.get("records", found.get("persons")) if state.unit != UNKNOWN else None
    named = {role: job.names(role) for role in ROLES}
    columns = [column_of(table, one["name"]) for table, of in state.inspected.items() for one in of["columns"]]
    named["drop"] = [*(() if state.tables else Unit.of(state.unit).columns), *named["drop"]]
    named["drop"] += [name for name in columns if name not in job.names(*ROLES)]
    covered = [name for role, names in named.items() if role not in (*OF_PERSONS, "keep", "drop") for name in names]
    used = state.used_result or {"utility": ()}
    texts = {
        "Person": person_in_words(state.unit, persons) if state.unit else "",
        "Protected": listed(name_ranges(covered)) if covered else "",
        "Promise": with_columns(promised[0].statement, named["relational"]),
        "Unchanged, not protected": listed(name_ranges(named["keep"])) if named["keep"] else "",
        "Not published": listed(name_ranges(named["drop"])) if named["drop"] else "",
        "Utility": "; ".join(used["utility"]) or "not known before the run: the screen Try measures it",
    }
    return {name: text for name, text in texts.items() if text}


def _show_summary(texts: Mapping[str, str]) -> None:
    with ui.element("div").mark("summary"):
        _facts(texts)


def _show_checked(warnings: Sequence[str]) -> None:
    """Repeat the warnings that the owner has checked and that still apply."""
    text("p", f"You checked {counted(len(warnings), 'warning')}, which still {'apply' if warnings[1:] else 'applies'}:")
    with ui.element("div").classes("noted").mark("checked"):
        show_list([f"{one}." for one in warnings])


def _algorithm(state: PageState) -> tuple[str, str]:
    """Return the algorithm of the job, and the recommended algorithm if the job does not use it. Both are empty if the
    job is invalid.
    """
    try:
        used, unused = state.candidate, state.unused_recommendation
    except AnonsetError:  # the run will report the error
        return "", ""
    return algorithm_in_words(used), "" if unused is None else algorithm_in_words(unused)


def _show_algorithm(used: str, unused: str) -> None:
    if used:
        with folded("Algorithm"):
            text("p", f"The job uses the algorithm {used}.").mark("algorithm")
    if unused:
        ui.link("The screen Try recommends another result.", "/try").mark("unused")


def _start_state(state: PageState) -> object:
    is_made, is_asked = state.publications.made is not None, not (state.publishing or may_publish(state))
    return state.raw.get("out"), state.publishing, state.inspection.busy, is_made, is_asked


def _start(screen: Screen, typed: dict[str, str]) -> None:
    """Ask for the folder of the publication, and show a button that starts or cancels the run.

    Parameters
    ----------
    typed
        Folder in the text input. The job file may contain another folder until the run starts.
    """
    state = screen.state
    note = "anonset verifies the result before it publishes it. A run that fails or is cancelled leaves no file."
    text("p", note).classes("lead")
    name = ui.input(
        OUT, value=typed.get("out", state.publications.new_out),
        on_change=lambda event: typed.update(out=event.value),
    )  # fmt: skip
    name.props("outlined stack-label").classes("field").mark("out")
    name.set_enabled(not state.publishing)

    def publish() -> None:
        before = state.raw.get("out")
        if not may_publish(state):
            return
        if name.value == before or screen.act(state.change, state.stated.with_(out=name.value)):
            if screen.act(state.publish):
                typed.clear()
            else:  # a rejected folder would stop the next run
                state.change(state.stated.with_(out=before))

    made = state.publications.made
    show_list([*earlier_releases({made.name: "the same input"} if made else {})])
    with ui.element("div").classes("actions"):
        if state.publications.new is not None and state.publishing:
            button("Cancel", state.publications.new.run.cancel).classes("second").mark("cancel")
        elif state.inspection.busy:
            busy("Inspecting the data …")
        else:
            label = "Publish again" if made else "Publish"
            start = button(label, publish).classes("second" if made else "").mark("publish")
            start.props("" if may_publish(state) else "disabled")


def _progress_state(publication: Publication | None) -> object:
    run = publication and publication.run
    return run and (run.stage, run.share and round(run.share, 2), run.code, len(run.errors), id(run))


def _progress(screen: Screen) -> None:
    if screen.state.publications.new is None:
        return
    run = screen.state.publications.new.run
    with ui.element("div").props("role=status"):
        if run.code is None:
            share = "" if run.share is None else f", {min(run.share, 1):.0%}"
            text("p", f"Running: {run.stage}{share}").classes("busy")
            bar = ui.element("progress").props("aria-label=Progress")
            if run.share is not None:
                bar.props(f"max=1 value={min(run.share, 1):.2f}")
        elif run.code == CANCELLED:
            text("p", "Cancelled. Nothing was published.")
        elif run.code:
            text("p", "Nothing was published.")
            for message in run.errors or [f"The command failed (exit code {run.code})."]:
                alert(message)
            fix_buttons(screen, run.fixes)
    for message in run_warnings(screen.state):
        alert(message)


def _result(state: PageState, publication: Publication) -> None:
    made, promised, examined = publication.run.result, publication.model, publication.examined
    statement = promised.statement if examined is None else examined.in_words(promised.statement)
    facts = {
        "Records": f"{made['records']:,}",
        **{
            _SHARES[part]: _in_words(share) + relative_to(part, made.get("coarsened", {}))
            for part, share in made["shares"].items()
            if part in _SHARES
        },
        "To share": made["out"],
        "Do not share": f"{made['private']} (links the publication with the original)",
    }
    to_check = (
        ""
        if examined is None or not examined.doubts
        else f". Before you share: check {counted(len(examined.doubts), 'point')}"
    )
    with ui.element("div").classes("halves"):
        with card(f"Published and verified{to_check}"):
            text("p", f"{promised} holds. {statement}").classes("good").mark("verdict").props("tabindex=-1")
            _facts(facts)
            with ui.element("div").classes("actions"):
                ui.link("Download the publication (ZIP)", "/download/publication.zip").classes("next").mark("download")
                ui.link("Download the job file", "/download/job.toml")
                if state.is_local:
                    rows = button("Show ten records before and after", lambda: show_page(grid, "/rows", "Records"))
                    rows.classes("second").mark("rows")
        with card("Not covered"):
            show_limits(ranked_limits(promised, made["limits"]))
    grid = ui.element("div")


def _facts(facts: Mapping[str, str]) -> None:
    with ui.element("table").classes("facts"), ui.element("tbody"):
        for name, value in facts.items():
            with ui.element("tr"):
                text("th", name).props("scope=row")
                text("td", value)


def _in_words(shares: Mapping[str, float]) -> str:
    return ", ".join(f"{share:.1%} {fate.replace('_', ' ')}" for fate, share in shares.items())
