"""Records before and after anonymization: aligned, masked, on the local page only, and stored nowhere."""

import html
import random
import re
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("nicegui", reason="of the group test")

from nicegui.testing import User
from tests.facts import names
from tests.ui.clicks import by_clicks, element, publish, reported, texts, until

from anonset.cli.main import main
from anonset.errors import InputError
from anonset.jobs.changed_rows import MASKED, ChangedCell, changed_rows
from anonset.jobs.frequent_values import frequent_values
from anonset.ui import server
from anonset.ui.state.page_state import PageState

AGES = {f"P{n:03}": 20 + n for n in range(60)}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a job. The rows of a person are apart, and the persons are not sorted by age."""
    rng = random.Random(1)
    persons = rng.sample([*AGES], len(AGES))
    rows = [
        f"{person},{age},{person.lower()}@clinic.org,f{half}{age % 4} g{age % 3},w{age % 2}"
        for half in "ab"
        for person, age in ((person, AGES[person]) for person in persons)
    ]
    (tmp_path / "visits.csv").write_text("\n".join(["pid,age,mail,codes,ward", *rows]) + "\n")
    (tmp_path / "visits.toml").write_text(
        'input = "visits.csv"\nout = "safe"\nunit = "pid"\nmodel = "kkm"\nk = 4\nm = 1\nseparator = " "\n'
        'items = ["codes"]\nrelational = ["age"]\nkeep = ["mail", "ward"]\n'
        'publish_as_is = ["mail", "ward"]\n[hierarchy]\nage = "range"\n'
    )
    return tmp_path


def published(folder: Path, monkeypatch: pytest.MonkeyPatch, job: str = "visits.toml") -> str:
    monkeypatch.chdir(folder)
    assert main(["anonymize", job, "--quiet"]) == 0
    return "safe.private/report.json"


def labels(cell: ChangedCell) -> tuple[str, ...]:
    return tuple(symbol.label for symbol in cell.after)


def test_records_are_aligned_and_changes_are_found(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    records = changed_rows(published(folder, monkeypatch))
    assert len(records) == 10
    for record in records:
        cells = {cell.column: cell for cell in record}
        age = int(cells["age"].before[0])
        low, high = (int(end) for end in re.findall(r"\d+", cells["age"].after[0].label))
        assert low <= age <= high
        assert cells["age"].before != labels(cells["age"])
        assert cells["codes"].before == (f"fa{age % 4}", f"fb{age % 4}", f"g{age % 3}")  # of both rows of the person
        for item in cells["codes"].before:
            assert any(item in symbol.members for symbol in cells["codes"].after)
        assert cells["ward"].before == labels(cells["ward"]) == (f"w{age % 2}",)
    assert sorted({int(record[1].before[0]) for record in records}) != sorted(AGES.values())[:10]  # random records


def test_ids_and_contact_data_are_masked(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for record in changed_rows(published(folder, monkeypatch)):
        cells = {cell.column: cell for cell in record}
        for name in ("pid", "mail"):
            assert (cells[name].before, labels(cells[name])) == ((MASKED,), (MASKED,))


def test_contact_data_are_masked_in_each_column_of_items(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [f"E{n % 4} I{n % 3},+49 30 {1234567 + 1000 * (n % 20)}" for n in range(60)]
    (tmp_path / "visits.csv").write_text("\n".join(["codes,phones", *rows]) + "\n")
    (tmp_path / "visits.toml").write_text(
        'input = "visits.csv"\nout = "safe"\nunit = "row"\nmodel = "km"\nk = 2\nm = 1\nseparator = "codes= phones=|"\n'
        'items = ["codes", "phones"]\npublish_as_is = ["phones"]\n'
        '[hierarchy]\ncodes = "prefix:1"\nphones = "prefix:6"\n'
    )
    shown = {one.column: one.values for one in frequent_values(str(tmp_path / "visits.toml"))}
    assert (len(shown["codes"]), shown["phones"]) == (7, ())
    assert shown["codes"][0] == ("I0", 20)
    assert frequent_values(str(tmp_path / "visits.toml"), "phones")[0].values == ()
    for record in changed_rows(published(tmp_path, monkeypatch)):
        assert {cell.before for cell in record} == {(MASKED,)}


def test_values_that_reading_coarsens_are_shown_as_in_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    years = ["unknown", *(f"{1950 + n % 9}" for n in range(1, 80))]
    rows = [f"P{n:02},0{1 + n % 3}.0{1 + n % 2}.{1950 + n % 5},{year}" for n, year in enumerate(years)]
    (tmp_path / "people.csv").write_text("\n".join(["pid,born,since", *rows]) + "\n")
    (tmp_path / "people.toml").write_text(
        'input = "people.csv"\nout = "safe"\nunit = "pid"\nmodel = "k"\nk = 3\nunknown = "suppress"\n'
        'relational = ["born", "since"]\n'
        '[hierarchy]\nborn = "date:%d.%m.%Y:from-year,decade"\nsince = "bins:width=5,20"\n'
    )
    for record in changed_rows(published(tmp_path, monkeypatch, "people.toml")):
        cells = {cell.column: cell for cell in record}
        assert cells["born"].before != labels(cells["born"])
        born, since = (cells[name].before[0] for name in ("born", "since"))
        assert any(row.endswith(f",{born},{since}") for row in rows)


def test_a_changed_original_is_not_shown(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    report = published(folder, monkeypatch)
    text = (folder / "visits.csv").read_text()
    (folder / "visits.csv").write_text(text.replace(",w0", ",w2"))
    with pytest.raises(InputError, match="differs") as raised:
        changed_rows(report)
    assert "clinic.org" not in str(raised.value)


@pytest.mark.usefixtures("commands_in_this_process")
@pytest.mark.parametrize("is_local", [True, False])
def test_only_the_local_page_shows_records_and_stores_none(folder: Path, *, is_local: bool) -> None:
    async def way(user: User, state: PageState) -> None:
        state.is_local = is_local
        state.open("visits.toml")
        await until(lambda: state.inspection.findings is not None and not state.inspection.busy)
        await user.open("/")
        values = await user.http_client.get("/values")
        assert values.headers["cache-control"] == "no-store"
        links = [one.props.get("href") for one in user.client.elements.values()]  # type: ignore[union-attr]
        assert ("/values" in links) == is_local
        assert (values.status_code == 200) == is_local
        assert ("/values?column=ward" in links) == is_local
        assert "/values?column=pid" not in links
        ward = await user.http_client.get("/values?column=ward")
        assert (ward.status_code == 200, ward.headers["cache-control"]) == (is_local, "no-store")
        if is_local:
            user.find(marker="records").click()
            await user.should_see(marker="grid")
            options = element(user, "grid").options
            assert [one["headerName"] for one in options["columnDefs"]] == ["age", "codes", "ward"]
            assert all(one["filter"] for one in options["columnDefs"])
            assert len(options["rowData"]) == 120
            assert "Show the first records" not in texts(user)
            assert re.search(r"2 masked columns\nColumns .*: pid, mail\.", texts(user))
            assert not re.search(r"clinic\.org|\bP\d{3}\b", f"{options}")
            user.find("Hide").click()
            await user.should_not_see(marker="grid")
            assert "Show the first records" in texts(user)
            shown = html.unescape(re.sub(r"<[^>]+>", " ", values.text))
            assert re.search(r"ward: 2 of 2 values +Value +Records +w0 +30 \(50\.0%\) +w1 +30", shown)
            assert "mail: masked" in shown
            assert re.findall(r"<caption>(\w+): ", ward.text) == ["ward"]
            for name in ("pid", "nothing"):
                assert names((refused := await user.http_client.get(f"/values?column={name}")).text, name)
                assert refused.status_code == 404
            assert "w0" not in texts(user)
            link = element(user, "values ward")
            element(user, "role ward").set_value("drop")
            assert not link.visible
            element(user, "role ward").set_value("keep")
            await until(lambda: not state.inspection.busy)
            assert not re.search(r"clinic\.org|\bP\d{3}\b", shown)
        await user.open("/publish")
        assert (await user.http_client.get("/rows")).status_code == 404  # nothing is published yet
        publish(user, state)
        await until(lambda: reported(state))
        await until(lambda: "Published and verified" in texts(user))
        links = [one.props.get("href") for one in user.client.elements.values()]  # type: ignore[union-attr]
        files = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        answer = await user.http_client.get("/rows")
        assert answer.headers["cache-control"] == "no-store"
        assert "script-src" not in answer.headers["content-security-policy"]
        if not is_local:
            assert (answer.status_code, "/rows" in links) == (404, False)
            assert not re.search(r"fa\d|\[", answer.text)
            return
        assert "iframe" not in [one.tag for one in user.client.elements.values()]  # type: ignore[union-attr]
        user.find(marker="rows").click()
        (frame,) = [one for one in user.client.elements.values() if one.tag == "iframe"]  # type: ignore[union-attr]
        assert frame.props["src"] == "rows"
        assert "frame-ancestors 'self'" in answer.headers["content-security-policy"]
        assert answer.status_code == 200
        assert answer.text.count("before</th>") == answer.text.count("after</th>") == 10
        assert re.search(r"<summary>2 masked columns</summary><p>.*: pid, mail\.</p>", answer.text)
        shown = html.unescape(re.sub(r"<[^>]+>", " ", answer.text))
        assert not re.search(r"clinic\.org|\bP\d{3}\b", shown)
        row = r'<tr class="first"><th scope="row">1 before</th><td><mark>\d\d</mark></td>.*?</tr>'
        assert re.search(rf'{row}<tr class=""><th scope="row">1 after</th><td><mark>\d\d–\d\d</mark></td>', answer.text)
        assert "fa1" not in texts(user)
        assert files == {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}

    by_clicks(folder, way)


@pytest.mark.parametrize(("more", "is_local"), [([], True), (["--address", "https://anonset.example"], False)])
def test_the_page_is_local_unless_it_has_another_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: list[str], *, is_local: bool
) -> None:
    states = list[PageState]()

    def serve(state: PageState, *_: Any, **__: Any) -> None:
        states.append(state)

    monkeypatch.setattr(server, "serve", serve)
    assert main(["ui", str(tmp_path), *more]) == 0
    assert [state.is_local for state in states] == [is_local]


@pytest.mark.usefixtures("commands_in_this_process")
def test_remarks_and_names_are_masked_and_published_items_are_shown(tmp_path: Path) -> None:
    rng = random.Random(3)
    notes = ["", "called back: Mr. Weber asked for refund", "Tel 0561-44321", "none", "no generic"]
    rows = [
        f"I{1000 + n % 60},{rng.choice(['Sun', 'Moon', 'Star'])},{'ABCDEFGHIJKL'[n % 12]}{n % 9},{1 + n % 3},"
        f"{['Weber', 'Maier', 'Ott', 'Lang', 'Schulz'][n % 5]},{rng.choice(notes)}"
        for n in range(240)
    ]
    (tmp_path / "sold.csv").write_text("\n".join(["Insured no,Pharmacy,Medicine,Packs,Customer name,Notes", *rows]))
    (tmp_path / "sold.toml").write_text(
        'input = "sold.csv"\nout = "safe"\nunit = "Insured no"\nmodel = "kkm"\nk = 2\nm = 1\nitems = ["Medicine"]\n'
        'relational = ["Pharmacy"]\nkeep = ["Notes"]\npublish_as_is = ["Notes"]\ndrop = ["Packs", "Customer name"]\n'
        'differing = "first"\n[hierarchy]\nPharmacy = "values"\nMedicine = "prefix:1"\n'
    )

    async def way(user: User, state: PageState) -> None:
        state.is_local = True
        state.open("sold.toml")
        await until(lambda: state.inspection.findings is not None and not state.inspection.busy)
        state.inspection.others = ["Medicine", "Pharmacy", "Packs"]  # less likely persons, before the answer
        await user.open("/")
        user.find(marker="records").click()
        await user.should_see(marker="grid")
        assert [one["headerName"] for one in element(user, "grid").options["columnDefs"]] == [
            "Pharmacy", "Medicine", "Packs",
        ]  # fmt: skip
        assert "are masked: Insured no, Customer name, Notes." in texts(user)

    by_clicks(tmp_path, way)
    assert {one.column: bool(one.values) for one in frequent_values(str(tmp_path / "sold.toml"))}["Notes"] is False
