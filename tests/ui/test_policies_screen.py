"""The screen Policies: constraints composed by search and click."""

from pathlib import Path

import pytest

pytest.importorskip("nicegui", reason="of the group test")

from nicegui.testing import User
from tests.ui.clicks import by_clicks, element, texts, until

from anonset.cli.main import main
from anonset.ui.state.page_state import PageState

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("commands_in_this_process")]

JOB = """input = "visits.csv"
out = "safe"
unit = "row"
items = ["codes"]
model = "km"
k = 2
m = 2
[hierarchy]
codes = "prefix:1"
"""
ROWS = ("E10 I10", "E10 I10 J45", "E11 I10", "J20 J45", "I10 J45", "I10 J20 J45")


def test_constraints_by_clicks_publish_the_bytes_of_options(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "visits.csv").write_text("\n".join(["codes", *ROWS]))
    (tmp_path / "visits.toml").write_text(JOB)

    async def compose(user: User, kind: str, *items: str) -> None:
        for item in items:
            element(user, f"search-{kind}").set_value(item)
            await until(lambda item=item: user.find(marker=f"item-{kind}-{item}").elements)
            user.find(marker=f"item-{kind}-{item}").click()
        user.find(marker=f"add-{kind}").click()

    async def way(user: User, state: PageState) -> None:
        state.open("visits.toml")
        await until(lambda: state.inspection.findings is not None and not state.inspection.busy)
        await user.open("/policies")
        await until(lambda: state.tree.tree is not None)
        assert "anonset policy check visits-privacy.txt --kind privacy --input visits.toml" in texts(user)
        await compose(user, "privacy", "I10", "J45")
        await until(lambda: "I10 J45 (3 records)" in texts(user))
        await compose(user, "privacy", "E11")
        await until(lambda: "E11 (1 record)" in texts(user))
        await compose(user, "privacy", "J20", "I10")
        await until(lambda: "J20 I10 (1 record)" in texts(user))
        (remove, *_) = sorted(user.find(marker="remove-privacy").elements, key=lambda one: one.id)
        assert remove.props["aria-label"] == "Remove I10 J45"
        state.policies["privacy"].remove(0)
        await compose(user, "utility", "E10", "E11")
        await until(lambda: "E10 E11 (3 records)" in texts(user))
        await compose(user, "utility", "J20", "J45")
        await until(lambda: "J20 J45 (4 records)" in texts(user))

    by_clicks(tmp_path, way)
    assert (tmp_path / "visits-privacy.txt").read_text() == "E11\nJ20 I10\n"
    assert (tmp_path / "visits-utility.txt").read_text() == "I10\nE10 E11\nJ20 J45\n"
    monkeypatch.chdir(tmp_path)
    roles = ["--items", "codes", "--unit", "row", "--hierarchy", "codes=prefix:1", "--model", "constraints"]
    files = ["--privacy-constraints", "visits-privacy.txt", "--utility-constraints", "visits-utility.txt"]
    assert main(["anonymize", "visits.toml", "--out", "clicks", "--quiet"]) == 0
    assert main(["anonymize", "visits.csv", *roles, *files, "--k", "2", "--out", "options", "--quiet"]) == 0
    assert (tmp_path / "clicks/published.csv").read_bytes() == (tmp_path / "options/published.csv").read_bytes()


def test_a_job_with_attributes_is_not_changed(tmp_path: Path) -> None:
    (tmp_path / "visits.csv").write_text("\n".join(["age,codes", *(f"{age},{row}" for age, row in enumerate(ROWS))]))
    job = JOB.replace('"km"', '"kkm"').replace("[hier", 'relational = ["age"]\n[hier') + 'age = "range"\n'
    (tmp_path / "visits.toml").write_text(job)

    async def way(user: User, state: PageState) -> None:
        state.open("visits.toml")
        await until(lambda: state.inspection.findings is not None and not state.inspection.busy)
        await user.open("/policies")
        await until(lambda: state.tree.tree is not None)
        element(user, "search-privacy").set_value("E11")
        await until(lambda: user.find(marker="item-privacy-E11").elements)
        user.find(marker="item-privacy-E11").click()
        user.find(marker="add-privacy").click()
        await until(lambda: "does not protect age" in texts(user))

    by_clicks(tmp_path, way)
    assert (tmp_path / "visits.toml").read_text() == job
    assert not (tmp_path / "visits-privacy.txt").exists()


def test_items_with_blanks_are_protected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = ("milk;cat food", "milk;cat food", "milk;rye bread", "milk", "milk")
    (tmp_path / "baskets.csv").write_text("\n".join(["codes", *rows]))
    job = JOB.replace("visits", "baskets").replace('codes = "prefix:1"', 'codes = "balanced:2"')
    (tmp_path / "baskets.toml").write_text(job.replace("[hier", 'separator = ";"\n[hier'))

    async def way(user: User, state: PageState) -> None:
        state.open("baskets.toml")
        await until(lambda: state.inspection.findings is not None and not state.inspection.busy)
        await user.open("/policies")
        await until(lambda: state.tree.tree is not None)
        element(user, "search-privacy").set_value("rye")
        await until(lambda: user.find(marker="item-privacy-rye bread").elements)
        user.find(marker="item-privacy-rye bread").click()
        user.find(marker="add-privacy").click()
        await until(lambda: '"rye bread" (1 record)' in texts(user))

    by_clicks(tmp_path, way)
    assert (tmp_path / "baskets-privacy.txt").read_text() == '"rye bread"\n'
    monkeypatch.chdir(tmp_path)
    assert main(["anonymize", "baskets.toml", "--quiet"]) == 0
    assert (tmp_path / "safe/published.csv").read_text().count("(cat food,rye bread)") == 3


def test_sensitive_items_are_chosen_on_the_screen_promise(tmp_path: Path) -> None:
    (tmp_path / "visits.csv").write_text("\n".join(["codes", *ROWS]))
    (tmp_path / "visits.toml").write_text(JOB)

    async def way(user: User, state: PageState) -> None:
        state.open("visits.toml")
        await until(lambda: state.inspection.findings is not None and not state.inspection.busy)
        await user.open("/promise")
        assert element(user, "model lm").props["disabled"]
        before, code = state.stated, "J45"
        user.find(marker="sensitive items").trigger("toggle")
        await user.should_see(marker="search-sensitive")
        await until(lambda: state.tree.tree is not None)
        element(user, "search-sensitive").set_value(code)
        await user.should_see(marker=f"item-sensitive-{code}")
        user.find(marker=f"item-sensitive-{code}").click()
        await until(lambda: state.stated.names("sensitive_items") == [code])
        assert (state.stated.text("model"), state.model().name) == ("lm", "lm")
        await until(lambda: f"Sensitive: {code} " in texts(user))
        await until(lambda: "sensitive" in element(user, "statement").text)
        user.find(marker=f"remove-sensitive-{code}").click()
        await until(lambda: state.stated == before)

    by_clicks(tmp_path, way)
