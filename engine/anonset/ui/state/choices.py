"""Choices of the owner about the person, the roles, the promise and the algorithm, which change the job file.

All functions raise InputError if the job is running, or linked tables cannot have the chosen roles.
"""

from collections.abc import Sequence
from contextlib import AbstractContextManager

from anonset.data.hierarchies.hierarchy_rules import RANGE
from anonset.errors import Fix
from anonset.reading.file_options import NONE, Unit
from anonset.settings.edits import QUESTIONS, edited
from anonset.settings.job import Job
from anonset.settings.model_choices import fitting_model, with_candidate, with_model, with_sensitive_items
from anonset.spelling import arguments_of
from anonset.ui.state.page_state import PageState
from anonset.ui.state.setting_words import fix_in_words, keep_in_words
from anonset.ui.state.table_roles import with_columns


def answer(state: PageState, unit: str) -> None:
    """Declare who is a person, and repeat the inspection.

    Columns get the roles that the inspection proposes for this person, unless the job contains roles for it.
    """
    state.history.clear()
    answers = state.raw.get(QUESTIONS["unit"], {})
    if Unit.of(unit).key_in(answers) not in answers and (answers or state.inspection.linked is not None):
        state.require_not_publishing()
        state.inspection.propose_unit(unit)
        return
    if _propose_again(state, ["--unit", unit]):
        return
    state.chosen.choose(())
    state.change(state.stated.with_(unit=list(Unit.of(unit))))
    state.inspect_again()


def give_role(state: PageState, columns: Sequence[str], role: str) -> None:
    """Change the role of columns, and repeat the inspection.

    The model also changes if it does not fit the new roles. The inspection writes the job file if there is none
    yet. If the columns identify the person, they become the declared unit.
    """
    if role == "unit":
        answer(state, ",".join(columns))
        return
    added = Job({role: list(columns)})
    with _edit(state, fix_in_words(added.settings)):
        is_proposed = _add(state, added)
        state.change(fitting_model(state.stated))
    if not (is_proposed or state.tables):  # findings about linked tables do not depend on roles
        state.inspect_again()


def apply_fix(state: PageState, fix: Fix) -> None:
    """Write recommended settings to the job file, and repeat the inspection.

    Without a job file, repeat the first inspection with the recommended settings.
    """
    answers, asked = state.item_answers, state.inspection.asked_unit
    if fix.settings.keys() == {"unit"}:
        answer(state, ",".join(Job(fix.settings).names("unit")))
    elif asked and not state.inspection.busy:
        state.require_not_publishing()
        state.inspection.propose_unit(asked, Job(fix.settings))
    else:
        with _edit(state, fix_in_words(fix.settings)):
            if _add(state, Job(fix.settings)):
                return
            if "sensitive_items" in fix.settings:
                state.change(fitting_model(state.stated))
            _propose_trees_again(state, Job(fix.settings).names("null"))
            state.inspection.settle(answers if fix in answers else [fix])
        state.inspect_again()


def keep_values(state: PageState, fix: Fix) -> None:
    """Remove the values of a fix from the lists in the job file, and repeat the inspection."""
    values = {name: {*Job(fix.settings).names(name)} for name in fix.settings}
    with _edit(state, keep_in_words(fix.settings)):
        kept = {name: [one for one in state.stated.names(name) if one not in of] for name, of in values.items()}
        state.change(state.stated.with_(**kept))
    state.inspect_again()


def _propose_trees_again(state: PageState, nulls: Sequence[str]) -> None:
    """Remove the ranges of columns in which a value becomes a missing one, ``COLUMN=VALUE``, because ranges need a
    number in each row. The next inspection proposes another hierarchy.
    """
    job = state.stated
    named, trees = {null.partition("=")[0] for null in nulls if "=" in null}, job.entries("hierarchy")
    for name in [one for one in named & trees.keys() if trees[one] == RANGE]:
        numeric = [one for one in job.names("numeric") if one != name]
        job = job.with_entry("hierarchy", name, None).with_(numeric=numeric)
    state.change(job)


def choose_candidate(state: PageState, chosen: Job) -> None:
    """Change the algorithm to a candidate of the trial."""
    if state.trial is not None:
        changes = state.tried.changes(with_candidate(state.tried, chosen, state.trial.trees))
        if state.tables:  # a default of linked tables applies only to jobs without an algorithm
            changes = Job({**chosen.with_(hierarchy=None), **changes})
        state.write(changes)


def _add(state: PageState, added: Job) -> bool:
    """Add settings to the job file. Without a job file, repeat the first inspection with them, and return True."""
    if _propose_again(state, arguments_of(added.settings)):
        return True
    if added.names("items") == [NONE]:
        state.write(added.settings)
    elif state.tables:
        state.change(*with_columns(state.stated, state.tables, state.inspected, state.unit, added))
    else:
        state.change(edited(state.stated, added))
    return False


def _propose_again(state: PageState, options: Sequence[str]) -> bool:
    """Repeat the first inspection with options, and return True. If there is a job file, do nothing and return
    False.
    """
    if state.file is not None or state.inspection.data is None:
        return False
    state.inspection.propose(state.inspection.data, *options)
    return True


def choose_model(state: PageState, model: str) -> None:
    """Change the privacy model."""
    state.change(with_model(state.stated, model))


def choose_sensitive_items(state: PageState, items: Sequence[str]) -> None:
    """Change the items that must not be inferred, and the privacy model with them."""
    state.change(with_sensitive_items(state.stated, list(dict.fromkeys(items))))


def undo(state: PageState) -> None:
    """Restore the job file before the last choice, and repeat the inspection. Another program must not have changed
    it.
    """
    state.require_not_publishing()
    if (job := state.file) is not None and (edit := state.history.undo(job)) is not None:
        state.inspection.assumed = edit.shown
        state.inspect_again()


def undoable(state: PageState) -> str:
    """Last choice that the owner can undo, in words. Empty if there is none."""
    edit = state.history.last(state.file)
    return "" if edit is None else edit.words


def _edit(state: PageState, words: str) -> AbstractContextManager[None]:
    """Let the owner undo what the code in the ``with`` block changes."""
    return state.history.edit(words, state.file, state.inspection.assumed)
