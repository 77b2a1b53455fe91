"""Follow the commands that `anonset inspect` prints, from a file to a publication, on the labelled layouts.

Run ``python -m tests.columns.dead_ends rules``. The owner runs `anonset inspect FILE -o job.toml`, states the true
person in the job file, and runs the printed command. If it fails, the owner follows the commands that it prints.

* *dead end*: no publication after two further commands;
* *rejected*: a printed command exits with 2, or with a defect;
* *decision*: an answer that a command needs, such as who is a person, or a further command that the owner must choose.
"""

import argparse
import contextlib
import io
import itertools
import json
import re
import shlex
import shutil
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from tests.columns.layout_errors import mean_rows
from tests.columns.layouts import CORPUS, Layout, on_all_processors, read_layouts
from tests.columns.tables import write

from anonset.cli.main import main as anonset
from anonset.settings.job_text import unit_line
from followed.follow import with_first_items

OPEN = 'unit = "?"'
OPEN_ITEMS = "?"
FEW_PERSONS = 30
MOST_STEPS = 2
ALL_ANSWERS = 4
MANY_DECISIONS = 3
_WORD = r"""(?:'[^']*'|"[^"]*"|\\.|,(?!\s|$)|[^\s'"\\;,])+"""
_COMMAND = re.compile(rf"(?:: |or )anonset ((?:anonymize|inspect)(?: {_WORD})+)")


@dataclass
class Walk:
    """Commands from the file of one layout to a publication."""

    layout: str
    rows: int
    decisions: int = 0
    published: bool = False
    commands: int = 0
    """Number of printed commands that were run."""
    rejected: list[str] = field(default_factory=list)
    """Printed commands that exit with 2 or with a defect, each with its message."""
    stops: list[str] = field(default_factory=list)
    """Messages of the failed commands."""


def few_rows(layout: Layout) -> int:
    """Return the number of rows of a table with about 30 persons."""
    return round(FEW_PERSONS * mean_rows(layout.rows))


def walk(layout: Layout, n_rows: int, *, all_answers: bool = False, seed: int = 1) -> Walk:
    """Follow the printed commands for the true person of a layout.

    Parameters
    ----------
    all_answers
        Whether to run the commands for all other answers, and those that `anonset anonymize FILE` prints.
    """
    result = Walk(layout.name, n_rows)
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        file = write(layout, Path(folder), n_rows, seed).name
        first = ["inspect", file, "-o", "job.toml"]
        result.published = _follow(first, layout.unit, result, MOST_STEPS, is_printed=False)
        for command in _commands_of_others(file, layout.unit) if all_answers else ():
            if command != first:  # the owner has already run it
                _run(command, result)
    return result


def _follow(command: list[str], unit: str, result: Walk, steps: int, *, is_printed: bool = True) -> bool:
    """Run a command and those that it prints. Return True if one publishes the data."""
    code, text = _run(command, result, is_printed=is_printed)
    if command[0] == "anonymize" and code == 0:
        return True
    if command[0] == "inspect" and code == 0:
        if "-o" not in command:
            following = "\n".join(line for line in text.splitlines() if line.startswith("Next"))
            result.decisions += following.startswith("Next, if")
            return any(
                _follow(words, unit, result, steps, is_printed=exact) for words, exact in _printed(following, unit)
            )
        job = Path(_target(command))
        was_open = OPEN in job.read_text(encoding="utf-8")
        is_offered = _answer(job, unit)
        result.decisions += _answer_items(job, unit)
        result.decisions += was_open + text.count("- would be rejected: ")
        return _follow(["anonymize", job.name], unit, result, steps, is_printed=is_offered)
    result.stops.append(_message(text))
    following = list(_printed(text, unit)) if steps else []
    result.decisions += bool(following)
    return any(_follow(words, unit, result, steps - 1, is_printed=exact) for words, exact in following)


def _run(command: list[str], result: Walk, *, is_printed: bool = True) -> tuple[int, str]:
    """Run a command in this process. Return the exit code and the text that it printed."""
    for path in (Path(_target(command)), *Path().glob("*-safe*")):
        if path.is_dir():
            shutil.rmtree(path)
        elif path.suffix == ".toml":
            path.unlink(missing_ok=True)
    text = io.StringIO()
    with contextlib.redirect_stdout(text), contextlib.redirect_stderr(text):
        try:
            code = anonset(command)
        except Exception as error:
            code = 70
            text.write(f"defect: {error!r}\n")
    if is_printed:
        result.commands += 1
        if code not in (0, 1):
            result.rejected.append(f"{shlex.join(command)}: {_message(text.getvalue())}")
    return code, text.getvalue()


def _target(command: Sequence[str]) -> str:
    """Return the value of the option `--out`."""
    return next((value for flag, value in itertools.pairwise(command) if flag in ("-o", "--out")), "-safe")


def _answer(job: Path, unit: str) -> bool:
    """State the person in a job file. Return True if the job file contains the settings for this person."""
    text = job.read_text(encoding="utf-8")
    job.write_text(text.replace(f"\n{OPEN}\n", f"\n{unit_line(unit)}\n"), encoding="utf-8")
    return OPEN not in text or unit in _units(text)


def _answer_items(job: Path, unit: str) -> bool:
    """State the first of the possible items in a job file. Return True if they were open for this person."""
    text = job.read_text(encoding="utf-8")
    job.write_text(with_first_items(text), encoding="utf-8")
    settings = tomllib.loads(text)
    return OPEN_ITEMS in (settings.get("items"), settings.get("unit_is", {}).get(unit, {}).get("items"))


def _units(text: str) -> list[str]:
    units = list(tomllib.loads(text).get("unit_is", {}))
    return [*units, *(["unknown"] if "row" in units else [])]


def _printed(text: str, unit: str) -> Iterator[tuple[list[str], bool]]:
    """Yield the printed commands for a person. If there are only commands for other persons, replace the person.

    Each command comes with True if it was printed in this form.
    """
    commands = [shlex.split(found) for line in text.splitlines() for found in _COMMAND.findall(line)]
    exact = [words for words in commands if _with_unit(words, unit) == words]
    yield from ((words, True) for words in exact)
    if not exact:
        yield from ((_with_unit(words, unit), False) for words in commands[:1])


def _with_unit(command: list[str], unit: str) -> list[str]:
    at = command.index("--unit") + 1 if "--unit" in command else len(command)
    return [*command[:at], *([unit, *command[at + 1 :]] if at < len(command) else [])]


def _message(text: str) -> str:
    lines = [line for line in text.splitlines() if line.startswith(("anonset: error", "defect"))]
    return " | ".join(lines)


def _commands_of_others(file: str, unit: str) -> Iterator[list[str]]:
    """Yield the commands for all persons except the true one, and those that `anonset anonymize FILE` prints."""
    if Path("job.toml").exists():
        text = re.sub(r"(?m)^unit = .*$", lambda _: OPEN, Path("job.toml").read_text(encoding="utf-8"), count=1)
        for other in _units(text):
            if other != unit:
                job = Path("other.toml")
                job.write_text(text, encoding="utf-8")
                _answer(job, other)
                yield ["anonymize", job.name]
    printed = _run(["anonymize", file, "--out", "all-safe"], Walk("", 0))[1]
    yield from (shlex.split(found) for line in printed.splitlines() for found in _COMMAND.findall(line))


def summary(walks: Sequence[Walk]) -> dict[str, Any]:
    """Return the figures of several layouts."""
    n, decisions = max(1, len(walks)), [walk.decisions for walk in walks]
    return {
        "layouts": len(walks),
        "dead ends": round(sum(not walk.published for walk in walks) / n, 4),
        "commands": sum(walk.commands for walk in walks),
        "rejected": sum(len(walk.rejected) for walk in walks),
        "decisions": median(decisions or [0]),
        f"more than {MANY_DECISIONS} decisions": round(sum(x > MANY_DECISIONS for x in decisions) / n, 4),
    }


def walk_all(layouts: Sequence[Layout], n_rows: int) -> dict[str, list[Walk]]:
    """Follow the commands of large and small tables. Every fourth small table also runs those for all answers."""
    return {
        f"{n_rows:,} rows": on_all_processors(lambda _, layout: walk(layout, n_rows), layouts),
        f"about {FEW_PERSONS} persons": on_all_processors(
            lambda number, layout: walk(layout, few_rows(layout), all_answers=number % ALL_ANSWERS == 0), layouts
        ),
    }


def figures(walks: Mapping[str, Sequence[Walk]]) -> list[str]:
    """Return the figures as lines of a table."""
    lines = [
        f"| tables | layouts | dead ends | printed commands | rejected | decisions | more than {MANY_DECISIONS} |",
        f"|---|{'---|' * 6}",
    ]
    for size, group in walks.items():
        n, ends, commands, rejected, decisions, many = summary(group).values()
        lines.append(f"| {size} | {n:,} | {ends:.1%} | {commands:,} | {rejected:,} | {decisions:g} | {many:.1%} |")
    return [*lines, ""]


def main(arguments: Sequence[str] | None = None) -> int:
    """Follow the commands of the layouts of a folder and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("half", choices=["rules", "measure"])
    parser.add_argument("--rows", type=int, default=2000)
    parser.add_argument("--only", default="", help="part of the layout name")
    parser.add_argument("--details", help="file with all messages, one JSON line per layout (only for rules)")
    options = parser.parse_args(arguments)
    if options.details and options.half != "rules":
        parser.error("the layouts that measure are not looked at one by one")
    layouts = [layout for layout in read_layouts(CORPUS / options.half) if options.only in layout.name]
    walks = walk_all(layouts, options.rows)
    sys.stdout.writelines(f"{options.half}, {size}: {json.dumps(summary(group))}\n" for size, group in walks.items())
    if options.details:
        lines = [json.dumps(asdict(one), ensure_ascii=False) for group in walks.values() for one in group]
        Path(options.details).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
