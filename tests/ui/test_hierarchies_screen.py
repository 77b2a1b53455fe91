"""The screen Hierarchies: trees with supports, rules, ceilings, names and faults."""

import random
from pathlib import Path

import pytest

pytest.importorskip("nicegui", reason="of the group test")

from nicegui.testing import User
from tests.ui.clicks import by_clicks, element, texts, until

from anonset.cli.main import main
from anonset.jobs.proposals.column_hierarchy import ColumnHierarchy
from anonset.settings.job_files import read_job
from anonset.ui.state.page_state import PageState

pytestmark = pytest.mark.long

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
    await until(lambda: state.findings is not None and not state.busy)
    await user.open("/hierarchies")


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
        await until(lambda: state.tree.is_reading)
        assert (await shown(user, state)).hierarchy.unnamed
        element(user, "own-spec").set_value("prefix:2,1")
        user.find(marker="apply").click()
        await until(lambda: state.tree.is_reading)
        tree = await shown(user, state)
        assert (tree.hierarchy.node_of.keys() >= {"E1*", "J*"}, state.raw["hierarchy"]) == (
            True,
            {"codes": "prefix:2,1"},
        )
        element(user, "spec").set_value("tree.csv")
        await until(lambda: state.tree.is_reading)
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
    assert (folder / "tree.csv").read_text() == TREE.replace(",E,", ",Endocrine,")
    assert "# by hand" in (folder / "visits.toml").read_text()


def test_the_tree_of_a_rule_becomes_a_file(folder: Path) -> None:
    async def way(user: User, state: PageState) -> None:
        await opened(user, state)
        tree = await shown(user, state)
        user.find(marker=f"node {tree.hierarchy.node_of['J*']}").click()
        user.find(marker="write").click()
        await until(lambda: state.tree.is_file and state.tree.tree is not None)

    by_clicks(folder, way)
    assert (folder / "visits-codes-hierarchy.csv").read_text().splitlines()[0] == "E10,E*,*"


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
        await until(lambda: "outside of" in texts(user))

    by_clicks(folder, way)
    assert read_job(str(folder / "visits.toml"))["hierarchy"] == {"codes": str(folder / "bad.csv")}


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
