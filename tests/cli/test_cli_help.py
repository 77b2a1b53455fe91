"""Help lists options under headings, the most important first."""

import contextlib
import functools
import inspect
import io
import re
import shlex

import pytest
from tests.facts import names

from anonset.cli.main import main
from anonset.cli.registry import COMMANDS
from anonset.reading.sources.files import INPUT_FORMATS
from anonset.settings.publication import STATEMENTS
from cli.place import Place

SHORT = {name: command for name, command in COMMANDS.items() if command.common}


@functools.cache
def help_of(*arguments: str) -> str:
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        assert main([*arguments]) == 0
    return printed.getvalue()


@pytest.mark.long
def test_options_are_grouped_by_headings() -> None:
    shown = help_of("anonymize", "--help-all")
    headings = [
        "Data and roles", "Reading", "Guarantee", "Output", "Safety", "Algorithm parameters",
        "Execution",
    ]  # fmt: skip
    position = [shown.index(f"─ {heading} ─") for heading in headings]
    assert position == sorted(position)
    assert (
        position[0]
        < shown.index("--items")
        < position[1]
        < shown.index("--delimiter")
        < position[2]
        < shown.index("--max-loss")
        < position[3]
    )
    assert position[5] < shown.index("--mu") < position[6] < shown.index("--workers")


@pytest.mark.parametrize("name", STATEMENTS)
def test_statements_of_the_owner_have_a_heading_of_their_own(name: str) -> None:
    shown = help_of("report", "--help-all").partition("─ Statements of the owner ─")[2].partition("╰")[0]
    assert f"--{name.replace('_', '-')} " in shown


@pytest.mark.long
@pytest.mark.parametrize("command", list(SHORT))
def test_help_begins_with_an_example_and_few_options(command: str) -> None:
    lines = help_of(command, "--help").splitlines()
    assert [line.strip() for line in lines[:2]] == ["Example:", SHORT[command].example]
    assert len(lines) <= 35
    assert {option for line in lines[2:-3] for option in re.findall(r"^. (?:\* +)?--([a-z-]+)", line)} == {
        name.replace("_", "-") for name in SHORT[command].common
    }
    assert len(SHORT[command].common) == 7
    assert "--help-all" in lines[-1] or "--help-all" in lines[-2]
    assert len(help_of(command, "--help-all").splitlines()) > 1.4 * len(lines)


@pytest.mark.parametrize("command", list(SHORT))
def test_the_example_of_help_is_read_as_a_command(place: Place, command: str) -> None:
    ran = place.run(*shlex.split(SHORT[command].example)[1:])
    assert ran.code == 2
    assert re.match(r"anonset: error: (a\.csv|job\.toml|out): no such file|anonset: error: '?out'?:? ", ran.err), (
        ran.err
    )


@pytest.mark.parametrize("command", ["anonymize", "verify", "compare"])
def test_an_option_has_one_kind_of_value(command: str) -> None:
    assert not re.findall(r"\b[A-Z]+\|[A-Z]+\b", help_of(command, "--help-all"))


def test_help_explains_a_list_before_naming_it() -> None:
    shown = " ".join(help_of("anonymize", "--help").replace("│", " ").split())
    assert names(shown, "--m records")
    assert "Algorithm; default" not in shown
    assert names(shown, "model km")


def test_help_shows_the_parameters_of_an_algorithm() -> None:
    shown = help_of("anonymize", "--algorithm", "rum-bound", "--help")
    for text in ("--delta", "--merge", "--transaction", "--k", "--formation"):
        assert text in shown
    for text in ("--items", "--gap", "--partitions", "--workers", "Example", "Algorithm; default"):
        assert text not in shown
    assert help_of("anonymize", "--algorithm", "rum-bonud", "--help") == help_of("anonymize", "--help")


def test_ranges_are_compared_with_complete_headings(place: Place) -> None:
    data, tree = str(place.folder / "data.dat"), f"items={place.folder / 'hierarchy.csv'}"
    more = ["--algorithms", "apriori", "--m", "1", "--vary", "k=1..3:2,4"]
    ran = place.run("compare", data, "--hierarchy", tree, *more)
    assert ran.code == 0
    assert "seconds" in ran.out.splitlines()[0]
    result = place.run("compare", data, "--hierarchy", tree, *more, "--json").json
    assert [row["k"] for row in result] == [1, 3, 4]


@pytest.mark.parametrize("text", ["k=5..2", "k=1..9:0", "k=1..9999"])
def test_a_range_without_values_is_refused(place: Place, text: str) -> None:
    ran = place.run("compare", str(place.folder / "data.dat"), "--algorithms", "apriori", "--m", "1", "--vary", text)
    assert (ran.code, names(ran.err, "'--vary k' range")) == (2, True)


def test_long_help_begins_with_the_line_in_the_list_of_commands() -> None:
    for command in COMMANDS.values():
        about, *_ = (inspect.getdoc(command.run) or "").split("\n\n")
        assert " ".join(about.split()) == command.about, command.name


@pytest.mark.parametrize("path", ["verify --help-all", "clean --help", "datasets check -h"])
def test_long_help_explains_exit_codes_of_the_command(place: Place, path: str) -> None:
    assert place.run(*path.split()).out.count("Exit codes: 0 ") == 2


@pytest.mark.long
def test_the_examples_of_help_run_one_after_the_other(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place.folder)
    (place.folder / "a.csv").write_text("id,codes\n" + "".join(f"P{n // 3:03},c{n * n % 12}\n" for n in range(600)))
    for name, short in SHORT.items():
        ran = place.run(*shlex.split(short.example)[1:])
        assert ran.code == 0, (name, ran.err)
        assert len(short.example) < 80


def test_help_begins_with_the_first_steps(place: Place) -> None:
    for more in ([], ["--help"]):
        lines = place.run(*more).out.splitlines()
        assert [line.split()[:2] for line in lines[1:4]] == [
            ["anonset", name] for name in ("inspect", "suggest", "anonymize")
        ]
    assert "First steps" not in help_of("clean", "--help")


def test_help_names_all_input_formats() -> None:
    shown = " ".join(help_of("inspect", "--help").replace("│", " ").split())
    assert f"({', '.join(INPUT_FORMATS)})" in shown
