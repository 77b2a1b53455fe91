"""Screen **Policies**, on which the owner searches and selects itemsets to protect and groups of items."""

from functools import partial

from nicegui import ui

from anonset.reading.policies import items_as_text
from anonset.spelling import counted
from anonset.ui.screens.frame import Screen, button, card, empty, text
from anonset.ui.screens.item_search import item_search, new_row, show_reading
from anonset.ui.state.page_state import PageState
from anonset.ui.state.policy_state import PolicyState

_SHOWN = 100
_TITLES = {
    "privacy": (
        "Protected itemsets",
        "Someone who knows some items of a protected itemset finds at least k matching records, or none.",
    ),
    "utility": (
        "Groups of items",
        "An item may be published as its group, or as a part of the group. Items without a group remain unchanged.",
    ),
}
_SEARCHES = {"privacy": "Search items to protect", "utility": "Search items to group"}


def policies_screen(state: PageState) -> None:
    """Create the screen."""
    screen = Screen(state, "/policies")
    with screen.opened("Protect chosen items only (optional)", lambda: state.policies["privacy"].command):
        if screen.is_blocked():
            return
        text(
            "p",
            "If you add a constraint, the promise protects only the chosen itemsets. To return to another promise, "
            "choose it on the screen Promise.",
        ).classes("lead")
        state.tree.choose_items()
        show_reading(screen)
        for policy in state.policies.values():
            _editor(screen, policy)
        with ui.element("div").classes("actions"):
            ui.link("Back: promise", "/promise")


def _editor(screen: Screen, policy: PolicyState) -> None:
    def add() -> None:
        if (tree := screen.state.tree.tree) is not None:
            policy.add(tree)

    policy.count()
    title, note = _TITLES[policy.kind]
    with card(title):
        text("p", note)
        screen.section(lambda: (policy.rows, policy.counts), lambda _: _rows(screen, policy))
        item_search(screen, _SEARCHES[policy.kind], policy.kind, policy.choose)
        new_row(screen, policy, policy.kind, lambda: items_as_text(policy.items), add)


def _rows(screen: Screen, policy: PolicyState) -> None:
    rows = [(number, row) for number, row in enumerate(policy.rows) if policy.kind == "privacy" or len(row) > 1]
    if not rows:
        empty("None yet. Search and choose items below.")
    with ui.element("ul").classes("tree"):
        for number, row in rows[:_SHOWN]:
            with ui.element("li"):
                counts = policy.counts
                records = f" ({counted(counts[number], 'record')})" if number < len(counts) else ""
                text("span", f"{items_as_text(row)}{records} ")
                remove = button("Remove", partial(screen.act, policy.remove, number)).classes("node")
                remove.mark(f"remove-{policy.kind}").props["aria-label"] = f"Remove {items_as_text(row)}"
    if len(rows) > _SHOWN:
        text("p", f"{len(rows) - _SHOWN:,} more").classes("soft")
