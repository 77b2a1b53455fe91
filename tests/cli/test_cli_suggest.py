"""``anonset suggest``: candidates, the best, and a command that runs it."""

import shlex

import pytest

from cli.place import Place

ROWS = "codes\n" + "".join(f"a{n % 4} b{n % 3}{' c1' if n % 5 == 0 else ''}\n" for n in range(60))


def command(place: Place, text: str) -> list[str]:
    words = shlex.split(text)
    assert words[:2] == ["anonset", "anonymize"]
    return [*words[1:], "--quiet"]


def test_the_command_runs(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place.folder)
    place.write("rows.csv", ROWS)
    ran = place.run("suggest", "rows.csv", "--items", "codes", "--k", "3", "--json")
    assert ran.code == 0
    best = ran.json["recommended"]
    assert best["outcome"] == "holds"
    assert set(ran.json["candidates"][0]) >= {"algorithm", "measures", "levels", "shares", "seconds"}
    assert place.run(*command(place, best["command"])).code == 0
    shown = place.run("suggest", "rows.csv", "--items", "codes", "--k", "3")
    assert f"Next: {best['command']}" in shown.out
    assert "->" in shown.out


def test_a_job_is_taken_in_place_of_the_input(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place.folder)
    ages = "age,codes\n" + "".join(f"{20 + n % 9},{row}\n" for n, row in enumerate(ROWS.splitlines()[1:]))
    for name, text in (("items.csv", ROWS), ("both.csv", ages)):
        place.write(name, text)
        job = name.replace(".csv", ".toml")
        assert place.run("inspect", name, "-o", job, "--k", "3", "--m", "1").code == 0
        best = place.run("suggest", job, "--json").json
        assert best["parameters"] == {"k": 3, "m": 1}
        assert place.run(*command(place, best["recommended"]["command"])).code == 0


@pytest.mark.parametrize(
    ("more", "message"),
    [(["--k", "0"], "must be an integer of at least 1"), (["--model", "lm"], "suggest knows km, k and kkm")],
)
def test_bad_requests(place: Place, more: list[str], message: str) -> None:
    ran = place.run("suggest", place.write("rows.csv", ROWS), "--items", "codes", *more)
    assert (ran.code, message in ran.err) == (2, True)
