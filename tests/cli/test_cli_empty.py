"""Data without records are rejected: usually an export failed."""

import pytest
from tests.facts import names

from cli.place import Place

EMPTY = {"data.csv": "age,codes\n", "data.dat": ""}


@pytest.mark.parametrize("data", EMPTY)
@pytest.mark.parametrize("work", [(), ("--work-dir", "work")], ids=["in memory", "by blocks"])
def test_empty_data_are_published_only_if_the_owner_confirms_it(
    place: Place, data: str, work: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(place.folder)
    place.write(data, EMPTY[data])
    roles = ("--items", "codes", "--keep", "age", "--unit", "row") if data == "data.csv" else ()
    job = place.job(*roles, *work, "--if-exists", "resume", "--quiet", data=data)
    ran = place.run(*job)
    error = ran.err.splitlines()[-1]
    assert (ran.code, names(error, "records --accept empty")) == (2, True)
    assert not place.out.exists()
    if work:
        assert place.run("clean", "work", "--yes").code == 0
    assert place.run(*job, "--accept", "empty").code == 0
    assert place.run("verify", str(place.out)).code == 0
