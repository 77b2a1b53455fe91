"""The screen Queries: random queries, queries composed by search and click, and their error."""

from pathlib import Path

import pytest

pytest.importorskip("nicegui", reason="of the group test")

from nicegui.testing import User
from tests.ui.clicks import by_clicks, element, texts, until

from anonset.cli.main import main
from anonset.queries.conditions import Among, Between
from anonset.queries.workload import Query
from anonset.reading.workloads import read_workload
from anonset.ui.state.page_state import PageState

pytestmark = pytest.mark.long
in_this_process = pytest.mark.usefixtures("commands_in_this_process")

JOB = """input = "visits.csv"
out = "safe"
unit = "row"
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


@in_this_process
def test_queries_by_clicks_are_those_of_the_command_line(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    assert main(["anonymize", "visits.toml", "--quiet"]) == 0
    file = folder / "visits-queries.json"

    async def way(user: User, state: PageState) -> None:
        state.open("visits.toml")
        await until(lambda: state.inspection.findings is not None and not state.inspection.busy)
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
        await until(lambda: state.workload.counts == [3])
        assert read_workload(file).queries == (Query(("cat food", "J45")),)

        element(user, "workload queries").set_value(7)
        element(user, "workload items").set_value(1)
        element(user, "workload values").set_value(1)
        user.find(marker="generate").click()
        await until(lambda: len(state.workload.counts) == 7)
        await until(lambda: "age is 2" in texts(user))
        command = "anonset workload generate visits.toml --out visits-queries.json --workload record:7x1+1"
        assert command in texts(user)
        user.find(marker="measure").click()
        await until(lambda: "Average relative error" in texts(user))
        assert state.workload.measured.last is not None
        assert f"{state.workload.measured.last.result['are']:.1%}" in element(user, "are").text
        element(user, "workload items").set_value(9)
        user.find(marker="generate").click()
        await until(lambda: "needs a record with 9 items" in texts(user))
        await until(lambda: len(state.workload.counts) == 7)

    by_clicks(folder, way)
    assert main(["workload", "generate", "visits.toml", "-o", "typed.json", "--workload", "record:7x1+1"]) == 0
    assert (folder / "typed.json").read_bytes() == file.read_bytes()
    files = {path.name for path in folder.iterdir()}
    assert files == {"visits.csv", "visits.toml", "visits-queries.json", "typed.json", "safe", "safe.private"}


@in_this_process
def test_queries_name_attributes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [f"{row.partition(';')[0]},{20 + n},{'fm'[n % 2]}" for n, row in enumerate(ROWS)]
    (folder / "visits.csv").write_text("\n".join(["town,age,sex", *rows]))
    job = JOB.replace('items = ["codes"]\n', "").replace('["age"]', '["age", "sex", "town"]').replace("kkm", "k")
    job = job.replace("m = 1\n", "").replace('codes = "balanced:2"', 'sex = "values"\ntown = "prefix:1"')
    (folder / "visits.toml").write_text(job)

    async def way(user: User, state: PageState) -> None:
        state.open("visits.toml")
        await until(lambda: state.inspection.findings is not None and not state.inspection.busy)
        await user.open("/queries")
        element(user, "query column").set_value("age")
        element(user, "query from").set_value(21)
        element(user, "query to").set_value(24)
        user.find(marker="query range").click()
        await until(lambda: "New: age from 21 to 24" in texts(user))
        element(user, "query column").set_value("sex")
        await until(lambda: state.tree.tree is not None and state.tree.tree.column == "sex")
        element(user, "search-query").set_value("m")
        await until(lambda: "m (3 records)" in texts(user))
        user.find(marker="item-query-m").click()
        await until(lambda: "New: age from 21 to 24 and sex is m" in texts(user))
        user.find(marker="add-query").click()
        await until(lambda: state.workload.counts == [2])
        element(user, "query column").set_value("town")
        await until(lambda: state.tree.tree is not None and state.tree.tree.column == "town")
        for label, words in (("E*", "town is E10 or E11"), ("J20", "town is E10 or E11 or J20")):
            element(user, "search-query").set_value(label)
            await until(lambda label=label: user.find(marker=f"item-query-{label}").elements)
            user.find(marker=f"item-query-{label}").click()
            await until(lambda words=words: f"New: {words}" in texts(user))
        user.find(marker="add-query").click()
        await until(lambda: state.workload.counts == [2, 4])

    by_clicks(folder, way)
    where = (Between("age", 21, 24), Among("sex", ("m",))), (Among("town", ("E10", "E11", "J20")),)
    assert read_workload(folder / "visits-queries.json").queries == tuple(Query((), conditions) for conditions in where)
    monkeypatch.chdir(folder)
    assert main(["hierarchy", "print", "visits.toml", "--column", "age"]) == 2


@in_this_process
def test_a_removed_query_is_removed_from_the_file(folder: Path) -> None:
    async def way(user: User, state: PageState) -> None:
        state.open("visits.toml")
        await until(lambda: state.inspection.findings is not None and not state.inspection.busy)
        for item in ("E10", "J20"):
            state.workload.choose(item)
            state.workload.add()
        await user.open("/queries")
        await until(lambda: state.workload.counts == [2, 2])
        assert "There is no publication yet" in texts(user)
        user.find(marker="remove-query-0").click()
        await until(lambda: [query.items for query in state.workload.rows] == [("J20",)])
        await until(lambda: state.workload.counts == [2])
        user.find(marker="remove-query-0").click()
        await until(lambda: not state.workload.rows)

    by_clicks(folder, way)
    assert {path.name for path in folder.iterdir()} == {"visits.csv", "visits.toml"}


def test_the_error_is_not_measured_while_queries_are_generated(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    assert main(["anonymize", "visits.toml", "--quiet"]) == 0

    async def way(user: User, state: PageState) -> None:
        state.open("visits.toml")
        await until(lambda: state.inspection.findings is not None and not state.inspection.busy)
        await user.open("/queries")
        assert "disabled" not in element(user, "measure").props
        user.find(marker="generate").click()
        await until(lambda: state.workload.generating.busy)
        assert element(user, "measure").props["disabled"]
        user.find(marker="measure").click()  # of a tab that does not show the run yet
        assert state.workload.measured.last is None
        await until(lambda: not state.workload.generating.busy and "disabled" not in element(user, "measure").props)
        user.find(marker="measure").click()
        await until(lambda: "Average relative error" in texts(user))

    by_clicks(folder, way)
