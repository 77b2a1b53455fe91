"""Extreme values of every option of every command return a result, or a one-line error with exit code 2, never a
defect.
"""

from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any, get_args, get_origin

import pytest
from pydantic import BaseModel

from anonset.algorithms.registry import ALGORITHMS
from anonset.settings.commands import EvaluateSettings, InspectSettings, PolicySettings, suggest_settings_model
from anonset.settings.compare import compare_options_model
from anonset.settings.parameters import form_of, parameters
from anonset.settings.publication import RiskSettings, check_settings_model
from anonset.settings.settings import settings_model
from cli.place import Place

pytestmark = [pytest.mark.compiled, pytest.mark.long]
DIGITS = "9" * 5000
INTEGERS = ("-1", "2147483648", "9223372036854775808", DIGITS, "")
NUMBERS = ("nan", "inf", "-1", DIGITS, "x")
TEXTS = ("", "\0", "who,who", "codes=/dev/zero", "@/dev/zero", DIGITS)
NEEDED = {"k": "2", "m": "1", "delta": "1", "h": "1", "p": "1", "l": "2", "rho": "0.9", "sensitive_items": "b2"}
READ = {"--items": "codes", "--drop": "age,city,drug", "--unit": "who"}
SLOW = {"seconds", "time_limit", "attempts", "itemsets", "top"}
"""Settings that increase the run time; only their smallest values are tested."""


def kinds(annotation: Any) -> set[Any]:
    """Return the plain types of a setting's annotation."""
    if get_origin(annotation) in (list, dict):
        return {str}
    parts = get_args(annotation)
    return set().union(*map(kinds, parts)) if parts else {annotation}


def values(name: str, annotation: Any) -> tuple[str, ...]:
    types = kinds(annotation)
    result = INTEGERS if int in types else NUMBERS if float in types else TEXTS if str in types else ()
    return tuple(x for x in result if x in ("-1", "nan", "", DIGITS)) if name in SLOW else result


def options(model: type[BaseModel], *without: str) -> list[tuple[str, str]]:
    """Return each option of a command with each test value."""
    fields_of = model.model_fields.items()
    left_out = {"input", "out", "cluster", *without}  # an address would be waited for
    return [
        (name, value) for name, entry in fields_of if name not in left_out for value in values(name, entry.annotation)
    ]


def with_algorithm(setting: str) -> dict[str, str]:
    """Return the options of a run whose algorithm has a setting."""
    name = parameters()[setting].users[0] if setting in parameters() else "exact"
    cls: Any = ALGORITHMS[name]
    needed = [form_of(f.name).setting for f in fields(cls) if f.default is MISSING and f.default_factory is MISSING]
    options = {f"--{entry.replace('_', '-')}": NEEDED.get(entry, "1") for entry in needed}
    place = cls.__module__.split(".")[2]
    roles = {
        "transaction": {**READ, "--hierarchy": "codes=tree.csv"},
        "relational": {"--unit": "who", "--relational": "city", "--drop": "age,codes,drug",
                       "--hierarchy": "city=values"},
        "rt": {"--unit": "who", "--items": "codes", "--relational": "city", "--drop": "age,drug",
               "--hierarchy": "codes=tree.csv"},
        "buckets": {"--id": "who", "--sensitive": "drug", "--drop": "age,city,codes"},
    }[place]  # fmt: skip
    return {**roles, **options, "--algorithm": name}


def line_of(command: list[str], option: str, value: str, given: dict[str, str]) -> list[str]:
    name = f"--{option.replace('_', '-')}"
    return [*command, *(x for n, v in given.items() if n != name for x in (n, v)), f"{name}={value}"]


@pytest.fixture
def folder(place: Place, monkeypatch: pytest.MonkeyPatch) -> Path:
    sets = ("a1 b1", "a2 b1 b2", "a1 a2", "b2")
    rows = "".join(f"p{i},{20 + i % 4},{'xy'[i % 2]},{sets[i % 4]},{'uvw'[i % 3]}\n" for i in range(24))
    place.write("v.csv", f"who,age,city,codes,drug\n{rows}")
    place.write("tree.csv", "a1,A,ALL\na2,A,ALL\nb1,B,ALL\nb2,B,ALL\n")
    monkeypatch.chdir(place.folder)
    return place.folder


def require_one_line(place: Place, command: list[str]) -> None:
    ran = place.run(*command)
    shown = [
        line for line in ran.err.splitlines() if not line.startswith(("anonset: warning", "anonset: complete command"))
    ]
    assert ran.code in (0, 1, 2, 3), ran.err[-2000:]
    assert ran.code == 0 or len(shown) == 1, ran.err[-2000:]


def published(place: Place) -> None:
    job = ["anonymize", "v.csv", "-o", "safe", *(x for pair in with_algorithm("k").items() for x in pair)]
    ran = place.run(*job)
    assert ran.code == 0, ran.err


def test_extreme_options_of_anonymize_give_one_line(place: Place, folder: Path) -> None:
    for number, (name, value) in enumerate(options(settings_model(), "if_exists")):
        command = ["anonymize", "v.csv", "-o", f"out{number}", "--accept", "worthless"]
        require_one_line(place, line_of(command, name, value, with_algorithm(name)))


OTHERS: dict[str, tuple[list[str], type[BaseModel], dict[str, str]]] = {
    "inspect": (["inspect", "v.csv"], InspectSettings, {}),
    "policy": (["policy", "generate", "v.csv", "-o", "p.txt"], PolicySettings, {**READ, "--k": "2"}),
    "verify": (["verify", "safe"], check_settings_model(), {}),
    "risk": (["risk", "safe"], RiskSettings, {}),
    "evaluate": (["evaluate", "v.csv", "safe"], EvaluateSettings, {**READ, "--hierarchy": "codes=tree.csv"}),
    "compare": (["compare", "v.csv"], compare_options_model(),
                {**READ, "--hierarchy": "codes=tree.csv", "--algorithms": "apriori", "--k": "2", "--m": "1"}),
    "suggest": (["suggest", "v.csv"], suggest_settings_model(),
                {**READ, "--hierarchy": "codes=tree.csv", "--k": "2", "--m": "1", "--seconds": "0.1"}),
}  # fmt: skip


def usual(name: str) -> list[tuple[str, str]]:
    """Return a command's options with all test values, or with one value if an earlier command tests the option."""
    before = list(OTHERS)[: list(OTHERS).index(name)]
    attempted = set(options(settings_model(), "if_exists")).union(*(options(OTHERS[entry][1]) for entry in before))
    of_option: dict[str, list[str]] = {}
    for option, value in options(OTHERS[name][1]):
        of_option.setdefault(option, []).append(value)
    return [
        (option, value)
        for option, values_of_option in of_option.items()
        for value in values_of_option
        if value == values_of_option[1] or (option, value) not in attempted
    ]


@pytest.mark.parametrize("complete", [False, pytest.param(True, marks=pytest.mark.studies)], ids=["usual", "complete"])
@pytest.mark.parametrize("name", OTHERS)
def test_extreme_options_of_other_commands_give_one_line(place: Place, folder: Path, name: str, complete: bool) -> None:
    command, model, arguments = OTHERS[name]
    if "safe" in command:
        published(place)
    for option, value in options(model) if complete else usual(name):
        require_one_line(place, line_of(command, option, value, arguments))


SMALL = [
    ["datasets", "make", "quest", "-o", "made.dat", "--records"], ["hierarchy", "print", "tree.csv", "--depth"],
    ["datasets", "make", "quest", "-o", "made.dat", "--records", "3", "--seed"],
    ["hierarchy", "print", "tree.csv", "--most"], ["reconstruct", "apart", "-o", "made.csv", "--seed"],
    ["reconstruct", "apart", "-o", "made.csv", "--draws"],
]  # fmt: skip


@pytest.mark.parametrize("command", SMALL)
def test_extreme_integers_of_small_commands_give_one_line(place: Place, folder: Path, command: list[str]) -> None:
    if command[0] == "reconstruct":
        job = ["--model", "disassociation", "--k", "2", "--m", "1", "--accept", "worthless"]
        ran = place.run("anonymize", "v.csv", "-o", "apart", *(x for pair in READ.items() for x in pair), *job)
        assert ran.code == 0, ran.err
    for value in INTEGERS:
        require_one_line(place, [*command[:-1], f"{command[-1]}={value}"])
        for made in place.folder.glob("made*"):
            made.unlink()
    ran = place.run(*command, "3")
    assert ran.code == 0, ran.err
