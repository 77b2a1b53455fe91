"""State of the four steps to a publication, derived from the page state."""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from anonset.errors import AnonsetError, Problem
from anonset.privacy.model import PrivacyModel
from anonset.settings.model_choices import BY_ROLES, model_of, obstacle, remedies, sizes_of
from anonset.settings.settings import Settings
from anonset.spelling import counted, listed
from anonset.ui.state.command_runs import CANCELLED, CommandRun
from anonset.ui.state.inspection import without_numbers
from anonset.ui.state.page_state import PageState


class Step(NamedTuple):
    """State of a step, in words and with a sign."""

    kind: str
    """``open``, ``done``, ``warned`` or ``running``."""
    words: str

    @property
    def sign(self) -> str:
        """Sign of the state, which differs also without colours."""
        return {"open": "○", "done": "✓", "warned": "!", "running": "…"}[self.kind]


OPEN = Step("open", "open")
DONE = Step("done", "done")
_FAILED = Step("warned", "error")


def step_of(state: PageState, name: str) -> Step:
    """Return the state of the step ``Data``, ``Promise``, ``Try`` or ``Publish``."""
    try:
        return _STEPS[name](state)
    except AnonsetError:  # the screen of the step shows the error
        return _FAILED


def _runs(state: PageState) -> list[CommandRun]:
    """Return the commands of the publication that have started, in order."""
    made = state.publications.new
    return [] if made is None else made.started


def promise_of(state: PageState) -> tuple[PrivacyModel, Settings] | Problem:
    """Return the model and the validated settings of the job, or the problem of an invalid job or of a model that does
    not fit the roles.
    """
    try:
        validated = state.validated()
        model = model_of(validated)
    except AnonsetError as error:
        return error.problem
    if model.name in BY_ROLES and (why := obstacle(model.name, state.stated)):
        answers = f"The model {model.name} {why}. Choose another answer, or other roles on the screen Data"
        return Problem(answers, remedies(model.name, state.stated))
    persons = (state.inspection.findings or {}).get("records")
    if persons and (model.k or 1) > persons:
        return Problem(f"k={model.k} is more than the number of records, {persons:,}: choose a smaller k")
    return model, validated


def changed_promise(state: PageState) -> str:
    """Return how the promise of the job differs from that of its publication. Empty if it does not differ.

    Such as ``k=5 → k=10``.
    """
    before, promised = state.publications.model, promise_of(state)
    if before is None or isinstance(promised, Problem):
        return ""
    sizes = [{name: getattr(one, name, None) for name in sizes_of(one.name)} for one in (before, promised[0])]
    if before.name != promised[0].name:
        return f"{before} → {promised[0]}"
    named = [[f"{name}={one[name]}" for name in one if sizes[0][name] != sizes[1][name]] for one in sizes]
    secrets = [listed(one.secrets, "and") if one.secrets else "none" for one in (before, promised[0])]
    changed = [" → ".join(map(", ".join, named))] if named[0] else []
    changed += [f"sensitive items: {' → '.join(secrets)}"] if secrets[0] != secrets[1] else []
    return "; ".join(changed)


def run_warnings(state: PageState) -> list[str]:
    """Return the warnings of the run that are not among those of the screen Data, which the owner checks there."""
    warnings = [] if state.publications.new is None else state.publications.new.run.warnings
    shown = {without_numbers(one) for one in state.inspection.warnings}
    return [one for one in warnings if without_numbers(one) not in shown]


def open_questions(state: PageState) -> dict[str, Problem]:
    """Return the questions without whose answers nothing is published, by their text: warnings about the data, and
    doubts about the promise and the result, that the owner has not checked, and the problem of an impossible promise.
    """
    if state.first_step:
        return {}
    found, warnings, promised = state.inspection, state.inspection.warnings, promise_of(state)
    asked = {text: warnings[text] for text in found.unchecked}
    if isinstance(promised, Problem):
        return asked | {promised.sentence: replace(promised, stops=True)}
    lost = (state.used_result or {"lost": ()})["lost"]
    doubts = () if found.errors else (*found.doubts(promised[0]), *map(Problem, lost))  # errors: data are not read
    open_ = (one for one in doubts if not one.fixes and one.sentence not in state.checked_doubts)
    return asked | {one.sentence: one for one in open_}


def may_publish(state: PageState) -> bool:
    """Return True if the job can run, as far as the page knows, and each question is answered."""
    return not (state.inspection.errors or open_questions(state))


def settle(state: PageState, question: str) -> None:
    """Store that the owner has checked a warning or a doubt."""
    if question in state.inspection.warnings:
        state.inspection.check(question)
    else:
        state.checked_doubts.add(question)


def _warnings(state: PageState) -> int:
    """Return the number of warnings that the screen Publish shows."""
    runs = _runs(state)
    found = (None if state.publications.made is None else state.publications.made.risk.result) or {}
    failed = [one for one in runs[1:] if one.code]
    shown = (found.get("higher_after"), found.get("broken"))
    return len(run_warnings(state)) + sum(map(bool, shown)) + len(failed) + len(found.get("doubts") or ())


def _data(state: PageState) -> Step:
    if state.inspection.busy:
        return Step("running", "inspecting")
    if state.inspection.error:
        return _FAILED
    if number := len(state.inspection.unchecked):
        return Step("warned", counted(number, "warning"))
    return OPEN if state.first_step or "/" not in state.seen else DONE


def _promise(state: PageState) -> Step:
    if state.first_step or state.inspection.error:
        return OPEN
    promised = promise_of(state)
    if isinstance(promised, Problem):
        return Step("warned", "1 warning")
    model, _ = promised
    if changed := changed_promise(state):
        return Step("warned", f"changed: {changed}")
    if "/promise" not in state.seen:
        return OPEN
    settings = state.stated.settings
    sizes = [f"{name}={settings[name]}" for name in sizes_of(model.name) if name in settings]
    return Step("done", f"done: {', '.join(sizes)}" if sizes else "done")


def _try(state: PageState) -> Step:
    trial = state.trial
    if trial is None or (trial.code == CANCELLED and trial.found is None):
        return Step("open", "open, optional")
    if trial.code is None:
        return Step("running", "running")
    found = trial.found
    if trial.code and found is None:
        return _FAILED
    if not trial.suits(state.stated) or trial.recommended is None or (found or {}).get("warning"):
        return Step("warned", "1 warning")
    if "/try" not in state.seen or state.unused_recommendation is not None:
        return Step("open", "choose a result")
    return DONE


def _publish(state: PageState) -> Step:
    runs = _runs(state)
    if runs and runs[0].code is None:
        return Step("running", "running")
    if runs and runs[0].code not in (0, CANCELLED):
        return _FAILED
    earlier = None if state.publications.earlier is None else state.publications.earlier.verification
    is_published = runs[0].code == 0 if runs else earlier is not None and earlier.code == 0
    if number := 0 if state.first_step else _warnings(state):
        return Step("warned", f"{'published, ' if is_published else ''}{counted(number, 'warning')}")
    return DONE if is_published else Step("open", "published earlier") if state.publications.earlier_out else OPEN


_STEPS: dict[str, Callable[[PageState], Step]] = {
    "Data": _data,
    "Promise": _promise,
    "Try": _try,
    "Publish": _publish,
}
