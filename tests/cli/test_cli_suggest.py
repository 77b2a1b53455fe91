"""``anonset suggest`` prints candidates, the best of them, and a command that runs it."""

import json
import random
import shlex

import pytest
from tests.facts import names

from anonset.jobs.trials.candidate import Candidate
from anonset.jobs.trials.candidates import BY_FREQUENCY
from cli.place import Place

pytestmark = pytest.mark.compiled

ROWS = "codes\n" + "".join(f"a{n % 4} b{n % 3}{' c1' if n % 5 == 0 else ''}\n" for n in range(60))


def command(place: Place, text: str) -> list[str]:
    words = shlex.split(text)
    assert words[:2] == ["anonset", "anonymize"]
    return [*words[1:], "--quiet"]


@pytest.mark.long
def test_the_suggested_command_runs(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_the_frontier_is_plotted_and_described(place: Place) -> None:
    image = pytest.importorskip("matplotlib.image")
    draw = random.Random(3)
    lines = [f"{20 + n % 40},{'fm'[n % 2]},{' '.join(draw.sample('abcdefgh', 2))}" for n in range(240)]
    rows = str(place.write("rows.csv", "age,sex,codes\n" + "\n".join(lines) + "\n"))
    folder = place.folder / "plots"
    options = [
        "suggest",
        rows,
        "--items",
        "codes",
        "--relational",
        "age,sex",
        "--numeric",
        "age",
        "--unit",
        "row",
        "--quiet",
    ]
    ran = place.run(*options, "--plot", str(folder))
    assert ran.code == 0, ran.err
    assert "Other balances of joint-split: the attributes lose " in ran.out
    assert image.imread(folder / "frontier.png")[..., 0].min() < 0.2
    points = place.run(*options, "--json").json["frontier"]
    losses = [point["relational_ncp"] for point in points]
    assert len(losses) > 1
    assert losses == sorted(losses)
    assert "exists already" in place.run(*options, "--plot", str(folder)).err
    other = place.run(
        "suggest", rows, "--items", "codes", "--drop", "age,sex", "--unit", "row", "--plot", str(place.folder / "none")
    )
    assert (other.code, names(other.err, "--plot both")) == (2, True)
    assert not (place.folder / "none").exists()


@pytest.mark.parametrize("of_job", [False, True])
def test_the_command_names_the_generated_hierarchy(
    place: Place, monkeypatch: pytest.MonkeyPatch, *, of_job: bool
) -> None:
    monkeypatch.chdir(place.folder)
    attempted = [Candidate("exact"), Candidate("exact", {"hierarchy": BY_FREQUENCY})]
    monkeypatch.setattr("anonset.jobs.trials.suggest.candidates_for", lambda table, model: attempted)
    pairs = "".join(f"f{n},p{n},any\nr{n},p{n},any\n" for n in range(5))
    rows = "".join(f"f{n % 5}\n" for n in range(200)) + "".join(f"r{n % 5}\n" for n in range(10))
    place.write("tree.csv", pairs)
    place.write("rows.csv", f"codes\n{rows}")
    options = ["rows.csv", "--items", "codes", "--hierarchy", "codes=tree.csv", "--k", "5"]
    if of_job:
        text = 'input = "rows.csv"\nitems = ["codes"]\nk = 5\nm = 2\nmodel = "km"\n[hierarchy]\ncodes = "tree.csv"\n'
        place.write("job.toml", text)
        options = ["job.toml"]
    result = place.run("suggest", *options, "--json").json
    assert f"--hierarchy codes={BY_FREQUENCY}" in result["recommended"]["command"]
    assert BY_FREQUENCY not in result["with_own_hierarchy"]["command"]
    assert place.run(*command(place, result["recommended"]["command"])).code == 0
    assert place.run(*command(place, result["with_own_hierarchy"]["command"])).code == 0
    shown = place.run("suggest", *options).out
    assert result["with_own_hierarchy"]["command"] in shown


@pytest.mark.long
def test_a_job_is_accepted_as_input(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place.folder)
    ages = "age,codes\n" + "".join(f"{20 + n % 9},{row}\n" for n, row in enumerate(ROWS.splitlines()[1:]))
    for name, text in (("items.csv", ROWS), ("both.csv", ages)):
        place.write(name, text)
        job = name.replace(".csv", ".toml")
        assert place.run("inspect", name, "-o", job, "--k", "3", "--m", "1").code == 0
        path = place.folder / job
        path.write_text(path.read_text().replace('unit = "?"', 'unit = "row"'))
        best = place.run("suggest", job, "--json").json
        assert best["parameters"] == {"k": 3, "m": 1}
        assert place.run(*command(place, best["recommended"]["command"])).code == 0


@pytest.mark.parametrize(
    ("more", "model"),
    [
        (["--items", "codes", "--relational", "age", "--drop", "p,drug", "--k", "2"], "kkm"),
        (["--items", "codes", "--drop", "age,p,drug", "--sensitive-items", "c1", "--l", "2", "--k", "2"], "lm"),
        (["--items", "codes", "--relational", "age", "--drop", "p,drug", "--sensitive-items", "c1", "--k", "2"], "klm"),
        (["--items", "codes", "--drop", "age,p,drug", "--model", "coherence", "--sensitive-items", "c1", "--p", "1",
          "--h", "0.9"], "coherence"),
        (["--items", "codes", "--drop", "age,p,drug", "--model", "rho", "--sensitive-items", "c1", "--rho", "0.9",
          "--no-strict", "--m", "1"], "rho"),
        (["--id", "p", "--sensitive", "drug", "--drop", "codes,age", "--k", "2"], "safe-grouping"),
        (["--sensitive", "drug", "--drop", "codes,age,p", "--l", "3"], "anatomy"),
    ],
)  # fmt: skip
def test_suggested_commands_for_other_models_run(
    place: Place, more: list[str], model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(place.folder)
    rows = ROWS.splitlines()[1:]
    text = "".join(f"{20 + n % 9},{row},p{n // 2},{'vwxyz'[n % 5]}\n" for n, row in enumerate(rows))
    place.write("rows.csv", f"age,codes,p,drug\n{text}")
    unit = [] if "--id" in more else ["--unit", "row"]
    ran = place.run("suggest", "rows.csv", *more, *unit, "--json")
    assert (ran.code, ran.json["model"]) == (0, model), ran.err
    suggested = command(place, ran.json["recommended"]["command"])
    assert place.run(*suggested).code == 0
    attested = json.loads((place.folder / suggested[suggested.index("-o") + 1] / "attestation.json").read_text())
    assert attested["parameters"] == ran.json["parameters"]


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--k", "0"], "k 1 0"),
        (["--model", "partition-km"], "suggest km k kl kt"),
        (["--memory-limit", "1M"], "'1.0 MiB' sample"),
    ],
)
def test_invalid_options_of_suggest_are_rejected(place: Place, more: list[str], message: str) -> None:
    ran = place.run("suggest", place.write("rows.csv", ROWS), "--items", "codes", *more)
    assert (ran.code, names(ran.err, message)) == (2, True)
