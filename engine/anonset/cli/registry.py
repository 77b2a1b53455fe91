"""All commands of the command line. The module of a command is imported when a user calls the command."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pkgutil import resolve_name
from typing import Any

from anonset.errors import InputError


@dataclass(frozen=True)
class Command:
    """A command: its name, its help and the function that runs it.

    The parameters of the function are the options of the command (`anonset.cli.options`), and its `Output` states what
    is printed.
    """

    name: str
    about: str
    function: str = ""
    """Module and function, if they do not have the name of the command."""
    reads_data: bool = False
    """Whether the command names work directories of killed runs first."""
    fetches: bool = False
    """Whether options may name files by their addresses."""
    example: str = ""
    """Command of at most 80 characters for the short help. It follows the examples of the commands before it."""
    common: tuple[str, ...] = ()
    """Options that the short help shows. Empty if the help shows all options."""

    @property
    def run(self) -> Callable[..., Any]:
        """Function that runs the command."""
        module, _, inner = self.name.partition(" ")
        name = f"{inner}_{module}" if inner else module
        found: Callable[..., Any] = resolve_name(self.function or f"anonset.cli.commands.{module}:{name}")
        return found


COMMANDS = {
    command.name: command
    for command in (
        Command(
            "inspect", "Examine a data set: column roles, re-identification risk and problems.", reads_data=True,
            example="anonset inspect a.csv --unit id -o job.toml",
            common=("items", "relational", "unit", "hierarchy", "k", "m", "out"),
        ),
        Command(
            "suggest", "Compare suitable algorithms and recommend one.", reads_data=True,
            example="anonset suggest job.toml --k 5 --m 2",
            common=("items", "relational", "unit", "model", "k", "m", "seconds"),
        ),
        Command(
            "anonymize", "Anonymize a data set, verify the result and publish it.", reads_data=True, fetches=True,
            example="anonset anonymize job.toml --k 5 --m 2 -o out",
            common=("items", "relational", "unit", "model", "k", "m", "out"),
        ),
        Command(
            "verify", "Check whether a publication satisfies a privacy model.", reads_data=True, fetches=True,
            example="anonset verify out --original a.csv --unit id",
            common=("original", "unit", "items", "relational", "model", "k", "m"),
        ),
        Command(
            "evaluate", "Measure the information loss of a publication.", reads_data=True, fetches=True,
            example="anonset evaluate a.csv out --unit id --items codes --workload record:100x2",
            common=("items", "relational", "unit", "hierarchy", "workload", "queries", "json"),
        ),
        Command(
            "risk", "Estimate re-identification risk and simulate attacks.", reads_data=True, fetches=True,
            example="anonset risk out --original a.csv --unit id",
            common=("original", "unit", "drop", "m", "threshold", "attempts", "json"),
        ),
        Command(
            "report", "Write a report about a publication for a data protection officer.", fetches=True,
            example="anonset report out --original a.csv --unit id -o report.html",
            common=("out", "original", "unit", "shareable", "recipient", "purpose", "title"),
        ),
        Command(
            "compare", "Compare algorithms or parameters on a data set.", reads_data=True,
            example="anonset compare job.toml --k 2,5,10 --m 2",
            common=("items", "relational", "unit", "model", "algorithms", "k", "m"),
        ),
        Command("reconstruct", "Generate a table of records that is consistent with a disassociated publication."),
        Command("ui", "Open a web page to inspect and publish data.", "anonset.ui.command:ui"),
        Command("demo", "Generate a data set, anonymize it and explain the result."),
        Command("clean", "List and remove the work directories of killed runs."),
        Command("completions", "Print a shell completion script."),
        Command("warmup", "Compile all kernels, so that later runs start faster."),
        Command("hierarchy build", "Build a hierarchy over the items or values of a data set."),
        Command("hierarchy check", "Check a hierarchy, and whether it covers a data set."),
        Command("hierarchy print", "Print a hierarchy as a tree."),
        Command("hierarchy convert", "Convert a hierarchy to the format of anonset."),
        Command("hierarchy import", "Build a hierarchy of concepts from a vocabulary of OMOP."),
        Command("hierarchy rename", "Rename a node of a hierarchy."),
        Command("policy generate", "Generate privacy or utility constraints for a data set."),
        Command("policy check", "Check constraints, and whether they fit a data set."),
        Command("policy convert", "Convert constraints to the format of anonset."),
        Command("workload generate", "Generate random queries for a data set."),
        Command("workload check", "Check queries, and count the records that match each query."),
        Command("datasets list", "List the data sets of the catalogue, and the generators."),
        Command("datasets make", "Generate a data set."),
        Command("datasets path", "Print the path of a data set of the catalogue."),
        Command("datasets check", "Check which data sets of the catalogue are available and unchanged."),
    )
}  # fmt: skip
GROUPS = {
    "hierarchy": "Build, check, print and convert hierarchies.",
    "policy": "Generate, check and convert constraints for the algorithms COAT and PCTA.",
    "workload": "Generate and check the queries that measure the accuracy of a publication.",
    "datasets": "List, locate and generate data sets for experiments.",
}
"""Groups of commands, each with its help."""
HELP = frozenset({"--help", "-h", "--help-all"})


def named_command(arguments: Sequence[str]) -> tuple[Command, Sequence[str]]:
    """Return the command that arguments name, and the arguments of the command.

    Raises
    ------
    InputError
        If there is no such command.
    """
    first, *rest = arguments
    if first in GROUPS:
        (second, *rest), names = rest, [name.split()[1] for name in COMMANDS if name.startswith(f"{first} ")]
        if second not in names:
            raise InputError(_unknown(second, names))
        return COMMANDS[f"{first} {second}"], rest
    if first not in COMMANDS:
        raise InputError(_unknown(first, [*(name for name in COMMANDS if " " not in name), *GROUPS]))
    return COMMANDS[first], rest


def _unknown(typed: str, names: Iterable[str]) -> str:
    if typed.startswith("-"):
        return f"unknown option {typed}"
    near = get_close_matches(typed, names, n=1)
    return f"unknown command {typed!r}" + (f" (did you mean {near[0]}?)" if near else f"; commands: {', '.join(names)}")
