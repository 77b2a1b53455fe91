"""The screen Hierarchies: trees with supports, rules, ceilings, names and faults."""

import random
from datetime import date, datetime
from pathlib import Path

import pytest

pytest.importorskip("nicegui", reason="of the group test")

from nicegui.testing import User
from tests.ui.clicks import by_clicks, element, texts, until

from anonset.cli.main import main
from anonset.data.hierarchies.tree_edits import delete_group, move_nodes
from anonset.errors import InputError
from anonset.jobs.proposals.column_hierarchy import ColumnHierarchy
from anonset.settings.job_files import read_job
from anonset.ui.state import choices
from anonset.ui.state.page_state import PageState

pytestmark = pytest.mark.long
in_this_process = pytest.mark.usefixtures("commands_in_this_process")

CODES = ("E10", "E11", "I10", "I20", "J20", "J45")
JOB = """# by hand
input = "visits.csv"
out = "safe"
unit = "row"
items = ["codes"]
model = "km"
k = 3
m = 1
[hierarchy]
codes = "prefix:1"
"""
TREE = "".join(f"{code},{code[0]},all\n" for code in CODES)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rng = random.Random(1)
    rows = [" ".join(sorted(rng.sample(CODES, 2))) for _ in range(60)]
    (tmp_path / "visits.csv").write_text("\n".join(["codes", *rows]))
    (tmp_path / "visits.toml").write_text(JOB)
    (tmp_path / "tree.csv").write_text(TREE)
    return tmp_path


async def shown(user: User, state: PageState) -> ColumnHierarchy:
    """Wait for the tree, and return it."""
    await until(lambda: state.tree.tree is not None or state.tree.faults)
    assert state.tree.tree is not None, state.tree.faults
    await until(lambda: user.client is not None and "values," in texts(user))
    return state.tree.tree


async def opened(user: User, state: PageState) -> None:
    state.open("visits.toml")
    await until(lambda: state.inspection.findings is not None and not state.inspection.busy)
    await user.open("/hierarchies")


@in_this_process
def test_the_tree_shows_supports_and_opens_by_clicks(folder: Path) -> None:
    async def way(user: User, state: PageState) -> None:
        await opened(user, state)
        tree = await shown(user, state)
        rows = (folder / "visits.csv").read_text().splitlines()[1:]
        node = tree.hierarchy.node_of["E*"]
        count = sum("E1" in row for row in rows)
        assert f"E* (2 values, {count} records)" in texts(user)
        assert "E10 (" not in texts(user)
        assert "anonset hierarchy print visits.toml --column codes" in texts(user)
        user.find(marker=f"toggle {node}").click()
        alone = sum("E10" in row for row in rows)
        await until(lambda: f"E10 ({alone} records)" in texts(user))
        user.find(marker=f"toggle {node}").click()
        await until(lambda: "E10 (" not in texts(user))
        element(user, "search").set_value("j4")
        await until(lambda: "1 result" in texts(user))
        user.find("J45").click()
        await until(lambda: "J45 (" in texts(user))

    by_clicks(folder, way)


@in_this_process
def test_a_ceiling_by_click_publishes_the_bytes_of_the_option(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def way(user: User, state: PageState) -> None:
        await opened(user, state)
        tree = await shown(user, state)
        for label in ("E*", "I*", "J*"):
            user.find(marker=f"node {tree.hierarchy.node_of[label]}").click()
            user.find(marker="set ceiling").click()
        await until(lambda: "J* (2 values" in texts(user) and "– not published" in texts(user))
        user.find(marker=f"node {tree.hierarchy.node_of['E*']}").click()
        user.find(marker="set ceiling").click()
        await until(lambda: texts(user).count("– ceiling") == 2)
        user.find(marker="set ceiling").click()
        await until(lambda: texts(user).count("– ceiling") == 3)

    by_clicks(folder, way)
    assert (folder / "visits-codes-ceiling.txt").read_text() == "E*\nI*\nJ*\n"
    assert read_job(str(folder / "visits.toml"))["ceiling"] == {"codes": str(folder / "visits-codes-ceiling.txt")}
    monkeypatch.chdir(folder)
    (folder / "nodes.txt").write_text("E*\nI*\nJ*\n")
    (folder / "by-hand.toml").write_text(JOB)
    assert main(["anonymize", "visits.toml", "--out", "clicks", "--quiet"]) == 0
    assert main(["anonymize", "by-hand.toml", "--ceiling", "codes=nodes.txt", "--out", "option", "--quiet"]) == 0
    for path in (folder / "clicks").iterdir():
        assert path.read_bytes() == (folder / "option" / path.name).read_bytes()


def test_rules_files_and_names(folder: Path) -> None:
    async def way(user: User, state: PageState) -> None:
        await opened(user, state)
        await shown(user, state)
        element(user, "spec").set_value("halves:frequency")
        await until(lambda: state.tree.busy)
        assert (await shown(user, state)).hierarchy.unnamed
        element(user, "own-spec").set_value("prefix:2,1")
        user.find(marker="apply").click()
        await until(lambda: state.tree.busy)
        tree = await shown(user, state)
        assert (tree.hierarchy.node_of.keys() >= {"E1*", "J*"}, state.raw["hierarchy"]) == (
            True,
            {"codes": "prefix:2,1"},
        )
        element(user, "spec").set_value("tree.csv")
        await until(lambda: state.tree.busy)
        await shown(user, state)
        user.find(marker="write").click()
        await until(lambda: state.tree.is_edited and state.tree.busy)
        tree = await shown(user, state)
        node = tree.hierarchy.node_of["E"]
        user.find(marker=f"node {node}").click()
        user.find(marker="set ceiling").click()
        element(user, "name").set_value("Endocrine")
        user.find(marker="rename").click()
        await until(lambda: state.tree.tree is not tree and state.tree.tree is not None)
        await until(lambda: "Endocrine (2 values" in texts(user))
        assert state.tree.tree is not None
        assert state.tree.tree.ceilings == {node}
        user.find(marker=f"node {node}").click()
        element(user, "name").set_value("I")
        user.find(marker="rename").click()
        await until(lambda: "already a label" in texts(user))

    by_clicks(folder, way)
    assert (folder / "tree.csv").read_text() == TREE
    assert (folder / "visits-codes-hierarchy.csv").read_text() == TREE.replace(",E,", ",Endocrine,")
    assert "# by hand" in (folder / "visits.toml").read_text()


@in_this_process
def test_the_tree_of_a_rule_becomes_a_file(folder: Path) -> None:
    async def way(user: User, state: PageState) -> None:
        await opened(user, state)
        await shown(user, state)
        user.find(marker="write").click()
        await until(lambda: state.tree.is_file and state.tree.tree is not None)

    by_clicks(folder, way)
    assert (folder / "visits-codes-hierarchy.csv").read_text().splitlines()[0] == "E10,E*,*"


@in_this_process
def test_faults_are_listed_with_lines(folder: Path) -> None:
    async def way(user: User, state: PageState) -> None:
        await opened(user, state)
        await shown(user, state)
        (folder / "bad.csv").write_text("E10,E,all\nE11,E,all\nE10,I,all\nJ20,,all\nJ45,J,other\n")
        element(user, "own-spec").set_value("bad.csv")
        user.find(marker="apply").click()
        await until(lambda: "line 5" in texts(user))
        assert [f"line {number}:" in texts(user) for number in range(1, 6)] == [False, False, True, True, True]
        element(user, "own-spec").set_value("../outside.csv")
        user.find(marker="apply").click()
        await until(lambda: "outside of" in (element(user, "own-spec").error or ""))

    by_clicks(folder, way)
    assert read_job(str(folder / "visits.toml"))["hierarchy"] == {"codes": str(folder / "bad.csv")}


@in_this_process
@pytest.mark.parametrize(
    ("rule", "why"), [("bins:0,18", "values must be numbers"), ("prefix:x", "prefix:x"), ("prefx:1", "prefx:1")]
)
def test_a_rule_that_cannot_run_is_refused_beside_its_field(folder: Path, rule: str, why: str) -> None:
    async def way(user: User, state: PageState) -> None:
        await opened(user, state)
        await shown(user, state)
        before = (folder / "visits.toml").read_bytes()
        element(user, "own-spec").set_value(rule)
        user.find(marker="apply").click()
        await until(lambda: element(user, "own-spec").error)
        assert why in element(user, "own-spec").error
        assert (folder / "visits.toml").read_bytes() == before
        element(user, "own-spec").set_value("prefix:1")
        user.find(marker="apply").click()
        await until(lambda: state.tree.spec == "prefix:1")
        assert element(user, "own-spec").error is None

    by_clicks(folder, way)


@in_this_process
def test_a_node_with_many_children_shows_fifty_at_a_time(folder: Path) -> None:
    codes = [f"X{number:04}" for number in range(180)]
    (folder / "visits.csv").write_text("\n".join(["codes", *codes]))
    (folder / "flat.csv").write_text("".join(f"{code},all\n" for code in codes))
    (folder / "visits.toml").write_text(JOB.replace("prefix:1", "flat.csv"))

    async def way(user: User, state: PageState) -> None:
        await opened(user, state)
        await shown(user, state)
        await until(lambda: texts(user).count("(1 record)") == 50)
        user.find("Show 50 of 130 more").click()
        await until(lambda: texts(user).count("(1 record)") == 100)
        element(user, "search").set_value("X0179")
        await until(lambda: "1 result" in texts(user))
        user.find(marker="found 180").click()
        await until(lambda: texts(user).count("(1 record)") == 101)

    by_clicks(folder, way)


async def edited(user: User, state: PageState) -> ColumnHierarchy:
    """Open the screen, start to edit by hand, and return the tree."""
    await opened(user, state)
    await shown(user, state)
    user.find(marker="write").click()
    await until(lambda: state.tree.is_edited and state.tree.tree is not None)
    await counted(state)
    return await shown(user, state)


async def counted(state: PageState) -> None:
    await until(lambda: not state.tree.busy and state.tree.tree is not None and min(state.tree.tree.records) >= 0)


def choose(user: User, state: PageState, *labels: str) -> None:
    """Tick nodes. Their groups must be open."""
    assert state.tree.tree is not None
    for label in labels:
        user.find(marker=f"choose {state.tree.tree.hierarchy.node_of[label]}").click()


def open_groups(user: User, state: PageState, *labels: str) -> None:
    assert state.tree.tree is not None
    for label in labels:
        user.find(marker=f"toggle {state.tree.tree.hierarchy.node_of[label]}").click()


def lines(folder: Path) -> list[str]:
    return (folder / "visits-codes-hierarchy.csv").read_text().splitlines()


def test_groups_made_by_hand_publish_the_bytes_of_the_command_line(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def way(user: User, state: PageState) -> None:
        await edited(user, state)
        before = lines(folder)
        open_groups(user, state, "E*", "I*")
        choose(user, state, "E10", "I10")
        await until(lambda: "Chosen: E10, I10" in texts(user))
        element(user, "target").set_value("Both")
        user.find(marker="make").click()
        await until(lambda: "New group “Both” with E10, I10. The groups E*, I* vanished" in texts(user))
        await counted(state)
        rows = (folder / "visits.csv").read_text().splitlines()[1:]
        both = sum("E10" in row or "I10" in row for row in rows)
        await until(lambda: f"Both (2 values, {both} records)" in texts(user))
        choose(user, state, "E11")
        user.find(marker="move to Both").click()
        await until(lambda: "E11 moved to “Both”." in texts(user))
        assert lines(folder) == ["E10,Both,*", "E11,Both,*", "I10,Both,*", "I20,*", "J20,J*,*", "J45,J*,*"]
        tree = await shown(user, state)
        user.find(marker=f"node {tree.hierarchy.node_of['J*']}").click()
        user.find(marker="delete").click()
        await until(lambda: "Group “J*” deleted; its values are now in the top." in texts(user))
        assert lines(folder)[-2:] == ["J20,*,*", "J45,*,*"]
        await user.open("/hierarchies")  # the edits survive a reload
        await until(lambda: "Both (3 values" in texts(user))
        user.find(marker="undo").click()
        await until(lambda: "Undone: Group “J*” deleted" in texts(user))
        after = lines(folder)
        user.find(marker="undo").click()
        await until(lambda: "Undone: E11 moved" in texts(user))
        user.find(marker="undo").click()
        await until(lambda: lines(folder) == before)
        assert state.tree.undoable == ""
        assert element(user, "undo").props["aria-disabled"] == "true"
        (folder / "visits-codes-hierarchy.csv").write_text("".join(f"{line}\n" for line in after))

    by_clicks(folder, way)
    monkeypatch.chdir(folder)
    text = (folder / "visits-codes-hierarchy.csv").read_text()
    (folder / "own.csv").write_text(text)
    (folder / "by-hand.toml").write_text(JOB.replace("prefix:1", "own.csv"))
    assert main(["hierarchy", "check", "visits-codes-hierarchy.csv", "--input", "visits.toml"]) == 0
    assert main(["anonymize", "visits.toml", "--out", "clicks", "--quiet"]) == 0
    assert main(["anonymize", "by-hand.toml", "--out", "file", "--quiet"]) == 0
    for path in (folder / "clicks").iterdir():
        assert path.read_bytes() == (folder / "file" / path.name).read_bytes()


def test_refused_edits_change_nothing(folder: Path) -> None:
    async def way(user: User, state: PageState) -> None:
        await edited(user, state)
        before = lines(folder)
        open_groups(user, state, "E*")
        choose(user, state, "E10")
        element(user, "target").set_value("new")
        await until(lambda: "choose at least two values" in texts(user))
        choose(user, state, "E11")
        element(user, "target").set_value("new")
        user.find(marker="make").click()
        await until(lambda: "already contains exactly these values" in texts(user))
        assert "Chosen: E10, E11" in texts(user)
        (folder / "visits-codes-hierarchy.csv").write_text("\n".join(before) + "\n")
        node = (await shown(user, state)).hierarchy.node_of["J*"]
        user.find(marker=f"node {node}").click()
        element(user, "name").set_value("Lungs")
        user.find(marker="rename").click()
        await until(lambda: "“J*” renamed to “Lungs”." in texts(user))
        with (folder / "visits-codes-hierarchy.csv").open("a") as file:
            file.write("K10,K,*\n")
        user.find(marker="undo").click()
        await until(lambda: "another program changed visits-codes-hierarchy.csv" in texts(user))
        assert lines(folder)[-1] == "K10,K,*"

    by_clicks(folder, way)


def test_ceilings_follow_the_edits(folder: Path) -> None:
    ceilings = folder / "visits-codes-ceiling.txt"

    async def way(user: User, state: PageState) -> None:
        tree = await edited(user, state)
        for label in ("E*", "I*", "J*"):
            state.tree.click(tree.hierarchy.node_of[label])
        state.tree.rename("I*", "Heart")
        assert ceilings.read_text() == "E*\nHeart\nJ*\n"
        state.tree.edit("deleted.", delete_group, "E*")
        assert ceilings.read_text() == "Heart\nJ*\n"
        assert state.tree.effect == "deleted. Ceilings removed: E*."
        state.tree.edit("moved.", move_nodes, ["J*"], "Heart")
        assert ceilings.read_text() == "Heart\n"  # J* is below another ceiling
        state.tree.undo()
        assert ceilings.read_text() == "Heart\nJ*\n"
        state.tree.undo()
        await counted(state)
        assert ceilings.read_text() == "E*\nHeart\nJ*\n"
        assert state.tree.tree is not None
        labels = state.tree.tree.hierarchy.labels
        assert [labels[node] for node in sorted(state.tree.tree.ceilings)] == ["E*", "Heart", "J*"]

    by_clicks(folder, way)


def test_a_new_value_changes_no_group_and_is_reported(folder: Path) -> None:
    async def way(user: User, state: PageState) -> None:
        await edited(user, state)
        state.tree.rename("J*", "Lungs")
        before = (folder / "visits-codes-hierarchy.csv").read_bytes()
        with (folder / "visits.csv").open("a") as file:
            file.write("\nZ99 E10")
        choices.answer(state, "row")
        await until(lambda: state.inspection.findings is not None and not state.inspection.busy)
        await user.open("/hierarchies")
        await until(lambda: state.tree.faults)
        await until(lambda: "is not a leaf" in texts(user))
        await until(lambda: "Lungs (2 values)" in texts(user))  # the tree can be edited, without counts
        assert (folder / "visits-codes-hierarchy.csv").read_bytes() == before

    by_clicks(folder, way)


def test_ranges_are_split_and_merged(folder: Path) -> None:
    rng = random.Random(2)
    (folder / "visits.csv").write_text("\n".join(["age", *(f"{rng.randrange(100)}" for _ in range(300))]))
    (folder / "visits.toml").write_text(
        'input = "visits.csv"\nout = "safe"\nunit = "row"\nrelational = ["age"]\nmodel = "k"\nk = 3\n'
        '[hierarchy]\nage = "bins:0,18,65"\n'
    )

    async def way(user: User, state: PageState) -> None:
        tree = await edited(user, state)
        user.find(marker=f"node {tree.hierarchy.node_of['[18:65)']}").click()
        element(user, "bound").set_value("40")
        user.find(marker="split").click()
        await until(lambda: "“[18:65)” split at 40." in texts(user))
        tree = await shown(user, state)
        groups = [label for label in tree.hierarchy.labels if ":" in label]
        assert sorted(groups) == ["[0:18)", "[18:40)", "[40:65)", "[65:)"]
        assert {*tree.values_below("[18:40)")} <= {f"{age}" for age in range(18, 40)}
        user.find(marker=f"node {tree.hierarchy.node_of['[40:65)']}").click()
        await until(lambda: "Merge with" in texts(user))
        user.find(marker="merge").click()
        await until(lambda: "merged." in texts(user))
        user.find(marker=f"node {0}").click()
        user.find(marker="delete").click()
        await until(lambda: "All groups deleted." in texts(user))
        user.find(marker=f"node {0}").click()
        element(user, "bound").set_value("50")
        user.find(marker="split").click()
        await until(lambda: "[:50) (" in texts(user) and "[50:) (" in texts(user))

    by_clicks(folder, way)


def test_a_rule_that_never_publishes_full_values_is_not_edited(folder: Path) -> None:
    """A hierarchy file could publish the full dates."""
    (folder / "visits.csv").write_text("\n".join(["born", *(f"195{n % 4}-01-{1 + n % 28:02}" for n in range(300))]))
    (folder / "visits.toml").write_text(
        'input = "visits.csv"\nout = "safe"\nunit = "row"\nrelational = ["born"]\nmodel = "k"\nk = 3\n'
        '[hierarchy]\nborn = "date:from-month,year"\n'
    )

    async def way(user: User, state: PageState) -> None:
        await opened(user, state)
        await shown(user, state)
        assert "date:from-month,year" in element(user, "not-editable").text
        assert "Edit by hand" not in texts(user)
        with pytest.raises(InputError, match="never publishes full values"):
            await state.tree.start_editing()
        assert not list(folder.glob("*-hierarchy*.csv"))

    by_clicks(folder, way)


@pytest.mark.parametrize(
    ("form", "last", "bound"),
    [
        ("%Y-%m-%d", 28, "1951-07-01"),
        ("%d.%m.%Y", 28, "01.07.1951"),
        ("%d %b %Y", 28, "1 Jul 1951"),
        ("%d/%m/%Y", 12, ""),
    ],
)
def test_groups_of_dates_are_split_unless_day_and_month_are_ambiguous(
    folder: Path, form: str, last: int, bound: str
) -> None:
    days = [date(1950 + n % 4, 1 + n % 12, 1 + n % last) for n in range(300)]
    (folder / "visits.csv").write_text("\n".join(["born", *(day.strftime(form) for day in days)]))
    rule = "date:year" if form == "%Y-%m-%d" else f"date:{form}:year"
    (folder / "visits.toml").write_text(
        'input = "visits.csv"\nout = "safe"\nunit = "row"\nrelational = ["born"]\nmodel = "k"\nk = 3\n'
        f'[hierarchy]\nborn = "{rule}"\n'
    )

    async def way(user: User, state: PageState) -> None:
        tree = await edited(user, state)
        user.find(marker=f"node {tree.hierarchy.node_of['1951']}").click()
        if not bound:
            assert "dates in one format" in element(user, "unsplit").text
            assert "Split at" not in texts(user)
            return
        element(user, "bound").set_value("July")
        user.find(marker="split").click()
        await until(lambda: f"date such as {date(2024, 7, 1).strftime(form)}" in texts(user))
        element(user, "bound").set_value(bound)
        user.find(marker="split").click()
        await until(lambda: f"“1951” split at {bound}." in texts(user))
        tree = state.tree.tree
        assert tree is not None
        found = {datetime.strptime(value, form).date() for value in tree.values_below(f"1951 before {bound}")}
        assert found == {day for day in days if date(1951, 1, 1) <= day < date(1951, 7, 1)}

    by_clicks(folder, way)
