"""A run without a model or its parameters gets a complete command that publishes."""

import shlex

import pytest
from tests.facts import names

from cli.place import Place
from cli.printed import follow

SETS = "who,codes\n" + "".join(f"{n},{'a b' if n % 2 else 'b c'}\n" for n in range(40))
TABLE = "who,sex,ward,grade\n" + "".join(f"{n},{'fm'[n % 2]},{n % 4},{'xyz'[n % 3]}\n" for n in range(60))
ATTRIBUTES = "--relational sex,ward --hierarchy sex=values --hierarchy ward=values"


@pytest.mark.parametrize(
    ("text", "roles", "model"),
    [
        (SETS, "--items codes --unit who", "--model km --k 5 --m 2"),
        (SETS, "--items codes --unit who --model km", "--model km --k 5 --m 2"),
        (SETS, "--items codes --unit who --model km --k 4", "--model km --k 4 --m 2"),
        (TABLE, "--relational sex,ward --unit who --drop grade --model k", "--model k --k 5"),
        (TABLE, f"{ATTRIBUTES} --unit who --drop grade", "--model k --k 5"),
        (TABLE, f"{ATTRIBUTES} --sensitive grade --drop who --unit row", "--model kl --k 5 --l 2"),
    ],
)
def test_missing_parameters_are_completed(place: Place, text: str, roles: str, model: str) -> None:
    ran = place.run("anonymize", place.write("data.csv", text), "-o", str(place.out), *roles.split())
    commands = [line for line in ran.err.splitlines() if "complete command" in line]
    assert (ran.code, len(commands)) == (2, 1), ran.err
    assert names(commands[0], " ".join(model.split()))
    again = follow(place, shlex.split(commands[0][commands[0].index("anonset anonymize") :])[1:], place.out)
    assert again.code == 0, again.err


def test_without_a_model_and_a_hierarchy_the_command_proposes_both(place: Place) -> None:
    rows = "".join(f"{n},{20 + n % 60},{'ab'[n % 2]}\n" for n in range(240))
    data, job = place.write("data.csv", f"who,age,codes\n{rows}"), place.folder / "job.toml"
    ran = place.run("anonymize", data, "--unit", "who", "--relational", "age", "--items", "codes", "-o", str(place.out))
    (command,) = [line for line in ran.err.splitlines() if "complete command" in line]
    typed = shlex.split(command[command.index("anonset inspect") :])[1:]
    assert place.run(*typed[:-1], str(job)).code == 0
    assert place.run("anonymize", str(job)).code == 0


@pytest.mark.parametrize("unit", [(), ("--unit", "row")])
def test_a_complete_command_reads_a_file_without_a_header(place: Place, unit: tuple[str, ...]) -> None:
    persons = [f"{first}{then}" for first in "abcde" for then in "xyz"]
    text = "".join(f"{name},{codes}\n" for name, codes in zip(persons, ["a b", "b c", "c"] * 5, strict=True))
    run = ("anonymize", place.write("data.csv", text), "--items", "2", "--drop", "1", "--separator", " ", *unit)
    ran = place.run(*run, "--model", "km", "--k", "2", "--m", "1", "-o", str(place.out))
    command = next(line for line in ran.err.splitlines() if "complete command" in line)
    assert (ran.code, "--no-header" in command) == (2, True), ran.err
    again = follow(place, shlex.split(command[command.index("anonset anonymize") :])[1:], place.out)
    assert again.code == 0, again.err


def test_no_command_replaces_a_hierarchy_of_a_mistyped_column(place: Place) -> None:
    data = place.write("visits.csv", "doctor,codes\nLee,E10 J45\nLee,E11\nKim,E10\nKim,J45 E11\nLee,J40\nKim,J40 E10\n")
    tree = place.write("tree.csv", "E10,E1,*\nE11,E1,*\nJ40,J4,*\nJ45,J4,*\n")
    model = ["--model", "km", "--k", "2", "--m", "2", "-o", str(place.out)]
    ran = place.run("anonymize", data, "--items", "codes", "--drop", "doctor", "--hierarchy", f"code={tree}", *model,
                    "--unit", "row")  # fmt: skip
    assert ran.code == 2
    assert names(ran.errors[0], "code codes"), ran.err
    assert "anonset anonymize" not in ran.err
