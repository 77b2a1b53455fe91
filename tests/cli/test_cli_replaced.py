import pytest
from tests.facts import names

from anonset.jobs.runs.run import Run
from cli.place import RECORDS, Place


def test_data_replaced_before_hashing_are_rejected(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    search = Run.search

    def replace(*of: object, **how: object) -> object:
        (place.folder / "new").write_text(RECORDS)
        (place.folder / "new").replace(place.folder / "data.dat")
        return search(*of, **how)  # type: ignore[arg-type]

    monkeypatch.setattr(Run, "search", replace)
    ran = place.run(*place.job())
    assert (ran.code, ran.err.count("\n"), names(ran.err, "data.dat changed")) == (2, 1, True)
    assert place.nothing_left()
