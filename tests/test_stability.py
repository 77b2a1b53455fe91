"""Check that each version keeps the options, names and fields of earlier versions (`docs/files.md`, "Versions").

``python tests/test_stability.py`` adds new options, names and fields to `PROMISED`, and deletes nothing. A release runs
this command. A new major version begins with an empty file.
"""

import contextlib
import inspect
import io
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from types import UnionType
from typing import Any

import pytest

import anonset
from anonset.cli import exit_codes, registry
from anonset.cli.main import main
from anonset.cli.options import options_of
from anonset.report.schema import json_schema
from anonset.settings.settings import settings_model

PROMISED = Path(__file__).parent / "vectors" / "promised.json"
HATCHLING = (sys.executable, "-m", "hatchling", "build", "--target", "wheel")
COMMANDS = {
    "anonymize": (
        "--model",
        "km",
        "--items",
        "items",
        "--k",
        "2",
        "--m",
        "1",
        "--hierarchy",
        "items=balanced:2",
        "-o",
        "safe",
    ),
    "inspect": (),
    "verify": ("--model", "km", "--k", "2", "--m", "1", "--items", "items"),
}
"""Commands with JSON output that read a table of items."""
ON_PUBLICATIONS = {"risk": ("safe",), "evaluate": ("data.csv", "safe", "--items", "items")}
"""Commands with JSON output that read a publication."""


def offered() -> dict[str, dict[str, list[str]]]:
    """Return the sorted options, names and fields of this version, by kind and place."""
    return {
        "options": {name: sorted(_options(command)) for name, command in registry.COMMANDS.items()},
        "job files": {"keys": sorted(settings_model().model_fields)},
        "Python": {name: sorted(_members(getattr(anonset, name))) for name in anonset.__all__},
        "documents": {name: sorted(_fields(json_schema(name))) for name in ("attestation", "report")},
        "JSON output": _json_keys(),
        "exit codes": {"codes": sorted(f"{name} {code}" for name, code in vars(exit_codes).items() if name.isupper())},
    }


def _options(command: registry.Command) -> list[str]:
    options = options_of(command.run)
    named = [spelling for option in options for spelling, _ in option.spellings()]
    return [*named, *(option.label for option in options if option.kind != "named")]


def _members(value: Any) -> set[str]:
    """Return the parameters of a function or class and, but for algorithms and models, the public members.

    Of algorithms and models, plug-ins use the members of the base classes.
    """
    if isinstance(value, UnionType) or not callable(value):
        return set()
    parameters = set(inspect.signature(value).parameters)
    inherits = isinstance(value, type) and (issubclass(value, anonset.PrivacyModel) or hasattr(value, "recode"))
    if not isinstance(value, type) or (inherits and value not in (anonset.PrivacyModel, anonset.Algorithm)):
        return parameters
    return parameters | {name for name in dir(value) if not name.startswith("_")}


def _fields(schema: Any, prefix: str = "", definitions: Any = None) -> Iterator[str]:
    """Yield the paths of a JSON schema's fields, with their types."""
    definitions = schema.get("$defs", {}) if definitions is None else definitions
    for name, field in schema.get("properties", {}).items():
        for kind in field.get("anyOf", [field]):
            target = definitions[kind["$ref"].rpartition("/")[2]] if "$ref" in kind else kind
            yield f"{prefix}{name}: {target.get('type', 'any')}"
            yield from _fields(target, f"{prefix}{name}.", definitions)


def _json_keys() -> dict[str, list[str]]:
    """Return the keys of the JSON output of commands on a small table."""
    keys = {}
    with TemporaryDirectory() as folder, contextlib.chdir(folder):
        Path("data.csv").write_text("items\n" + "a b\na b\nb c\nc\n" * 8)
        runs = {command: ("data.csv", *options) for command, options in COMMANDS.items()} | ON_PUBLICATIONS
        for command, arguments in runs.items():
            with contextlib.redirect_stdout(io.StringIO()) as output, contextlib.redirect_stderr(io.StringIO()):
                assert main([command, *arguments, "--json"]) == 0
            keys[command] = sorted(json.loads(output.getvalue()))
    return keys


@pytest.fixture(scope="module")
def offer() -> dict[str, dict[str, list[str]]]:
    return offered()


@pytest.mark.parametrize(
    ("kind", "place"), [(kind, place) for kind, places in json.loads(PROMISED.read_text()).items() for place in places]
)
def test_every_promised_name_exists(offer: dict[str, dict[str, list[str]]], kind: str, place: str) -> None:
    promised = json.loads(PROMISED.read_text())[kind][place]
    assert set(promised) - set(offer[kind].get(place, [])) == set()


@pytest.mark.long
def test_two_builds_of_the_wheel_are_identical(tmp_path: Path) -> None:
    root, copy = Path(__file__).parents[1], tmp_path / "copy"
    names = ("pyproject.toml", "README.md", "LICENSE", "engine", "kernels", "datasets")
    copy.mkdir()
    for name in names:
        shutil.copytree(root / name, copy / name) if (root / name).is_dir() else shutil.copyfile(
            root / name, copy / name
        )
    wheels = []
    for source in (root, copy):
        folder = tmp_path / f"{source.name}.dist"
        subprocess.run([*HATCHLING, "--directory", folder], cwd=source, check=True, capture_output=True)
        wheels.append(next(folder.glob("*.whl")).read_bytes())
    assert wheels[0] == wheels[1]


def _add() -> None:
    promised: dict[str, dict[str, list[str]]] = json.loads(PROMISED.read_text())
    for kind, places in offered().items():
        for place, names in places.items():
            earlier = promised.setdefault(kind, {}).get(place, [])
            promised[kind][place] = sorted({*earlier, *names})
    PROMISED.write_text(json.dumps(promised, indent=1, ensure_ascii=False, sort_keys=True) + "\n")


if __name__ == "__main__":
    _add()
