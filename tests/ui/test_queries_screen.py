"""The screen Queries: random queries, queries composed by search and click, and their error."""

from pathlib import Path

import pytest

pytest.importorskip("nicegui", reason="of the group test")

from nicegui.testing import User
from tests.ui.clicks import by_clicks, element, texts, until

from anonset.cli.main import main
from anonset.queries.workload import Query
from anonset.reading.workloads import read_workload
from anonset.ui.page_state import PageState

pytestmark = pytest.mark.long

JOB = """input = "visits.csv"
out = "safe"
rows_are_persons = true
items = ["codes"]
relational = ["age"]
model = "kkm"
k = 2
m = 1
separator = ";"
[hierarchy]
codes = "balanced:2"
age = "range"
"""
ROWS = ("E10;cat food", "E10;cat food;J45", "E11;cat food", "J20;J45", "cat food;J45", "cat food;J20;J45")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "visits.csv").write_text("\n".join(["age,codes", *(f"{20 + n},{row}" for n, row in enumerate(ROWS))]))
    (tmp_path / "visits.toml").write_text(JOB)
    return tmp_path


def test_queries_by_clicks_are_those_of_the_command_line(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    assert main(["anonymize", "visits.toml", "--quiet"]) == 0
    file = folder / "visits-queries.json"

    async def way(user: User, state: PageState) -> None:
        state.open("visits.toml")
        await until(lambda: state.findings is not None and not state.busy)
        await user.open("/queries")
        await until(lambda: state.tree.tree is not None)
        element(user, "search-query").set_value("cat")
        await until(lambda: "cat food (5 records)" in texts(user))
        user.find(marker="item-query-cat food").click()
        element(user, "search-query").set_value("J45")
        await until(lambda: "J45 (4 records)" in texts(user))
        user.find(marker="item-query-J45").click()
        await until(lambda: 'New: "cat food" and J45' in texts(user))
        user.find(marker="add-query").click()
        await until(lambda: state.workload.answers == [3])
        assert read_workload(file).queries == (Query(("cat food", "J45")),)

        element(user, "workload queries").set_value(7)
        element(user, "workload items").set_value(1)
        element(user, "workload values").set_value(1)
        user.find(marker="generate").click()
        await until(lambda: len(state.workload.answers) == 7)
        await until(lambda: "age is 2" in texts(user))
        command = "anonset workload generate visits.toml --out visits-queries.json --workload record:7x1+1"
        assert command in texts(user)
        user.find(marker="measure").click()
        await until(lambda: "Average relative error" in texts(user))
        assert state.workload.measured is not None
        assert f"{state.workload.measured.result['are']:.1%}" in element(user, "are").text
        element(user, "workload items").set_value(9)
        user.find(marker="generate").click()
        await until(lambda: "needs a record with 9 items" in texts(user))
        await until(lambda: len(state.workload.answers) == 7)

    by_clicks(folder, way)
    assert main(["workload", "generate", "visits.toml", "-o", "typed.json", "--workload", "record:7x1+1"]) == 0
    assert (folder / "typed.json").read_bytes() == file.read_bytes()
    files = {path.name for path in folder.iterdir()}
    assert files == {"visits.csv", "visits.toml", "visits-queries.json", "typed.json", "safe", "safe.private"}


def test_a_removed_query_is_removed_from_the_file(folder: Path) -> None:
    async def way(user: User, state: PageState) -> None:
        state.open("visits.toml")
        await until(lambda: state.findings is not None and not state.busy)
        for item in ("E10", "J20"):
            state.workload.choose(item)
            state.workload.add()
        await user.open("/queries")
        await until(lambda: state.workload.answers == [2, 2])
        assert "There is no publication yet" in texts(user)
        user.find(marker="remove-query-0").click()
        await until(lambda: [query.items for query in state.workload.queries] == [("J20",)])
        await until(lambda: state.workload.answers == [2])
        user.find(marker="remove-query-0").click()
        await until(lambda: not state.workload.queries)

    by_clicks(folder, way)
    assert {path.name for path in folder.iterdir()} == {"visits.csv", "visits.toml"}
