"""Screen **Queries**, on which the owner generates or composes queries of recipients and measures the error of the
answers.
"""

from collections.abc import Sequence
from functools import partial

from nicegui import ui

from anonset.data.hierarchies.hierarchy_rules import RANGE
from anonset.queries.conditions import Among, Condition
from anonset.queries.workload import Query
from anonset.reading.policies import items_as_text
from anonset.settings.model_choices import item_trees
from anonset.ui.screens.frame import Screen, button, card, empty, integer_field, table, text
from anonset.ui.screens.item_search import item_search, new_row, show_reading
from anonset.ui.screens.run_sections import ended, show_errors
from anonset.ui.state.command_runs import CommandRun
from anonset.ui.state.page_state import PageState

_SHOWN = 100
_VALUES = 4
"""Maximum number of values that the text of a condition lists."""
_SOURCES = {"record": "from random persons", "domain": "from all items and values"}
_SIZES = {
    "queries": ("Number of queries", 100, 1),
    "items": ("Items per query", 2, 0),
    "values": ("Attribute values per query", 0, 0),
}


def queries_screen(state: PageState) -> None:
    """Create the screen."""
    screen = Screen(state, "/queries")
    with screen.opened("Which counts do recipients need? (optional)", lambda: state.workload.commands):
        if screen.is_blocked():
            return
        text(
            "p",
            "A query counts the persons with certain items and attribute values. Use queries that recipients will ask.",
        ).classes("lead")
        state.workload.count()
        state.tree.choose_items()
        with card("Random queries"):
            _generator(screen)
        with card("Compose a query"):
            _composer(screen)
        with card("Error of the answers"):
            screen.section(lambda: _error_state(state), lambda _: _error(screen))
        with card("Queries"):
            screen.section(lambda: (state.workload.rows, state.workload.counts), lambda of: _rows(screen, *of))
        with ui.element("div").classes("actions"):
            ui.link("Back: publish", "/publish")


def _generator(screen: Screen) -> None:
    workload = screen.state.workload
    with ui.element("div").classes("sizes"):
        source = ui.select(_SOURCES, value="record", label="Items and values")
        source.props("outlined stack-label").classes("field").mark("source")
        numbers = {}
        for name, (label, value, least) in _SIZES.items():
            numbers[name] = integer_field(label, value, least).classes("short").mark(f"workload {name}")

    def generate() -> None:
        if all(number.validate() for number in numbers.values()):
            queries, items, values = (int(number.value or 0) for number in numbers.values())
            screen.act(workload.generate, f"{source.value}:{queries}x{items}+{values}")

    screen.section(lambda: ended(workload.generating.last), lambda of: _generation(*of))
    with ui.element("div").classes("actions"):
        button("Generate queries", generate).mark("generate")
        text("span", "Generated queries replace the queries below.").classes("soft")


def _generation(run: CommandRun, code: int | None) -> None:
    with ui.element("div").props("role=status"):
        if code is None:
            text("p", "Generating …").classes("busy")
        elif code:
            show_errors(run)


def _composer(screen: Screen) -> None:
    workload, trees = screen.state.workload, screen.state.tree
    columns = workload.columns
    if not columns:
        text("p", "No column of items or attributes has a hierarchy. Choose a hierarchy on the screen Hierarchies.")
        return
    if trees.column not in columns:
        trees.choose(next(iter(columns)))
    text("p", "A record matches a query if it has all items, and one of the chosen values of each attribute.")
    column = ui.select([*columns], value=trees.column, label="Column of the query")
    column.on_value_change(lambda event: screen.act(trees.choose, event.value))
    column.props("outlined stack-label").classes("field").mark("query column")
    show_reading(screen)
    screen.section(lambda: trees.column, lambda _: _values(screen))
    new_row(screen, workload, "query", lambda: query_in_words(workload.composed), workload.add)


def _values(screen: Screen) -> None:
    workload, trees = screen.state.workload, screen.state.tree
    if workload.columns.get(trees.column) != RANGE:
        is_set = trees.column in item_trees(screen.state.stated)
        label = "Search items of the query" if is_set else f"Search values of {trees.column}"

        def choose(label: str) -> None:
            if trees.tree is not None:
                workload.choose_values(trees.tree, label)

        item_search(screen, label, "query", choose, leaves=is_set)
        return
    with ui.element("div").classes("sizes"):
        low, high = (ui.number(f"{trees.column} {word}").mark(f"query {word}") for word in ("from", "to"))
        for number in (low, high):
            number.props("outlined stack-label").classes("short")

        def choose_range() -> None:
            if low.value is not None and high.value is not None:
                screen.act(workload.choose_range, trees.column, low.value, high.value)

        button("Choose this range", choose_range).mark("query range")


def _rows(screen: Screen, queries: Sequence[Query], answers: Sequence[int]) -> None:
    if not queries:
        empty("None yet. Generate or compose queries above.")
        return
    text("p", f"Number of queries: {len(queries):,}.")
    with table(("Query", "Records", "Remove")):
        for number, query in enumerate(queries[:_SHOWN]):
            with ui.element("tr"):
                text("th", query_in_words(query)).props("scope=row")
                text("td", f"{answers[number]:,}" if number < len(answers) else "…")
                with ui.element("td"):
                    remove = button("Remove", partial(screen.act, screen.state.workload.remove, number))
                    remove.classes("second").mark(f"remove-query-{number}")
                    remove.props["aria-label"] = f"Remove query {number + 1}"
    if len(queries) > _SHOWN:
        text("p", f"{len(queries) - _SHOWN:,} more in the file").classes("soft")


def query_in_words(query: Query) -> str:
    """Return a query as text, such as ``E10 and sex is f``."""
    return _conjunction(query.items, *map(_condition_in_words, query.where))


def _condition_in_words(condition: Condition) -> str:
    if isinstance(condition, Among):
        shown = condition.values[:_VALUES]
        more = f" or … ({len(condition.values):,} values)" if len(condition.values) > _VALUES else ""
        return f"{condition.column} is {' or '.join(shown)}{more}"
    if condition.low == condition.high:
        return f"{condition.column} is {condition.low:g}"
    return f"{condition.column} from {condition.low:g} to {condition.high:g}"


def _conjunction(items: Sequence[str], *conditions: str) -> str:
    return " and ".join([*(items_as_text([item]) for item in items), *conditions])


def _error_state(state: PageState) -> object:
    workload = state.workload
    return workload.published, workload.generating.busy, ended(workload.measured.last)


def _error(screen: Screen) -> None:
    workload = screen.state.workload
    run = workload.measured.last
    if not workload.published:
        empty("There is no publication yet. Publish the data first.")
        return
    with ui.element("div").props("role=status"):
        if run is not None and run.code is None:
            text("p", "Measuring …").classes("busy")
            return
        if run is not None and run.result is None:
            show_errors(run)
        elif run is not None:
            error, answered = run.result["are"], run.result["answered"]
            words = f"Average relative error (ARE): {error:.1%}. Queries with matching records: {answered:,}."
            text("p", words).classes("good").mark("are")
    with ui.element("div").classes("actions"):
        measure = button("Measure the error of the publication", partial(screen.act, workload.measure))
        measure.mark("measure")
        if workload.generating.busy:
            measure.props("disabled")
