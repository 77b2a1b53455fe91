"""Commands that a run prints, and a check that each of them runs."""

import re
import shlex
from pathlib import Path

from cli.place import Place, Ran

_COMPLETE = re.compile(r"^anonset: complete command(?P<who>.*?): anonset (?P<command>anonymize .*)$", re.MULTILINE)
_STEPS = 5
"""Maximum number of printed commands until a publication."""


def complete(ran: Ran) -> dict[str, list[str]]:
    """Return the complete commands in the message of a rejected run, by what they assume of persons."""
    return {match["who"].removeprefix(", "): shlex.split(match["command"]) for match in _COMPLETE.finditer(ran.err)}


def value_of(command: list[str], option: str) -> str:
    """Return the value of an option of a command. Empty if the command does not contain the option."""
    return command[command.index(option) + 1] if option in command else ""


def units_of(ran: Ran) -> list[str]:
    """Return the unit of each complete command, in the printed order."""
    return [value_of(command, "--unit") for command in complete(ran).values()]


def follow(place: Place, command: list[str], out: Path) -> Ran:
    """Run a command, then the first complete command that each rejected run prints. Return the last run."""
    for _ in range(_STEPS):
        typed = [str(out) if word == str(place.out) else word for word in command]
        ran = place.run(*typed)
        if ran.code == 1 and "--accept worthless" in ran.err:
            ran = place.run(*typed, "--accept", "worthless")
        following = list(complete(ran).values())
        if ran.code != 2 or not following:
            break
        command = following[0]
    return ran


def published_by(place: Place, ran: Ran) -> list[list[str]]:
    """Follow each complete command in a directory of its own. Return the published columns of each."""
    assert ran.code == 2, ran.out
    commands, headers = complete(ran).values(), []
    assert commands, ran.err
    for number, command in enumerate(commands):
        out = place.folder / f"printed{number}"
        again = follow(place, command, out)
        assert again.code == 0, (shlex.join(command), again.err)
        headers.append((out / "published.csv").read_text().splitlines()[0].split(","))
    return headers
