"""A run that was refused is refused again when it is repeated, with the same findings."""

import pytest
from tests.cli.place import Ran
from tests.facts import names

from anonset.cli.main import main

SURNAMES = ("Smith", "Jones", "Miller", "Brown", "Davis", "Wilson")


@pytest.fixture
def run(tmp_path, capsys):
    rows = [f"{SURNAMES[n % 6]},E1{n % 2};call {SURNAMES[n % 4]}" for n in range(60)]
    (tmp_path / "v.csv").write_text("\n".join(["surname,codes", *rows]) + "\n")

    def run(*options):
        options = ("--drop", "surname", "--items", "codes", "--separator", ";", *options)
        options += ("--hierarchy", "codes=balanced:2", "--model", "km", "--k", "2", "--m", "2", "--unit", "row")
        files = "--work-dir", str(tmp_path / "work"), "--if-exists", "resume", "-o", str(tmp_path / "out")
        code = main(["anonymize", str(tmp_path / "v.csv"), *options, *files])
        return Ran(code, *capsys.readouterr())

    return run


def test_items_with_names_are_refused_again(run, tmp_path):
    first, second = run(), run()
    assert (first.code, names(first.errors[0], "codes surname 4")) == (2, True)
    assert (second.code, second.err) == (2, first.err)
    assert not (tmp_path / "out").exists()
    assert run("--publish-as-is", "codes").code == 0
    assert "Smith" in (tmp_path / "out" / "published.csv").read_text()
