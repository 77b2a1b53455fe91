"""Everything that `anonset` exports exists, is documented, and is loaded on first use."""

import ast
import inspect
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from pkgutil import resolve_name
from types import ModuleType, UnionType

import pytest

import anonset
import anonset.privacy
from anonset.reading.batches import _OPENING
from anonset.settings.parameters import MODELS
from anonset.verification.check import _CHECKS

NAMES = anonset.__all__


@pytest.mark.parametrize("name", NAMES)
def test_a_public_name_is_there_and_documented(name: str) -> None:
    original = getattr(anonset, name)
    if isinstance(original, UnionType):
        return
    assert original.__name__ == name
    docstring = vars(original).get("__doc__") if isinstance(original, type) else original.__doc__
    assert docstring, f"{name} has no documentation of its own"


@pytest.mark.parametrize("name", [name for name in NAMES if isinstance(getattr(anonset, name), type)])
def test_the_methods_of_a_public_class_are_documented(name: str) -> None:
    for member, value in vars(getattr(anonset, name)).items():
        if not member.startswith("_") and (inspect.isfunction(value) or isinstance(value, (property, classmethod))):
            assert inspect.getdoc(value), f"{name}.{member}"


def test_no_two_public_classes_of_the_engine_have_the_same_name() -> None:
    engine = Path(anonset.__file__).parent
    homes = defaultdict(list)
    for file in sorted(engine.rglob("*.py")):
        for name in re.findall(r"^class ([^\W_]\w*)", file.read_text("utf-8"), re.MULTILINE):
            homes[name].append(str(file.relative_to(engine)))
    assert len(homes) > 400
    assert {name: files for name, files in homes.items() if len(files) > 1} == {}


def test_the_names_are_sorted_and_unique() -> None:
    assert list(NAMES) == sorted(set(NAMES))
    assert set(NAMES) <= set(dir(anonset))


def test_an_unknown_name_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match="nonsense"):
        _ = anonset.nonsense


def test_importing_anonset_imports_nothing_else() -> None:
    code = "import sys; before = set(sys.modules); import anonset; print(*sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert {name.partition(".")[0] for name in done.stdout.split()} <= {"anonset", "typing"} | sys.stdlib_module_names
    assert "numpy" not in done.stdout


@pytest.mark.long
def test_anonymizing_a_table_loads_no_modules_for_files() -> None:
    """Modules for files and commands are not loaded when a table in memory is anonymized."""
    code = "import sys, anonset; anonset.anonymize, anonset.Apriori; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert {"pyarrow", "numba", "scipy", "rich", "cyclopts"}.isdisjoint(done.stdout.split())


@pytest.mark.parametrize("package", [anonset, anonset.privacy])
def test_the_names_of_a_package_equal_its_stub(package: ModuleType) -> None:
    assert {"KmAnonymity", "PrivacyModel"} <= set(package.__all__) <= set(dir(package))
    stub = ast.parse(Path(str(package.__file__)).with_suffix(".pyi").read_text("utf-8"))
    assert {name.asname for part in stub.body if isinstance(part, ast.ImportFrom) for name in part.names} == {
        *package.__all__
    }
    assert all(getattr(package, name) is not None for name in package.__all__)
    with pytest.raises(AttributeError, match="nonsense"):
        _ = package.nonsense


@pytest.mark.parametrize("home", _OPENING.values())
def test_registered_classes_exist(home: str) -> None:
    assert resolve_name(home).__name__ == home.partition(":")[2]


def test_every_model_has_its_registered_name_and_a_check() -> None:
    assert all(entry.model.name == name for name, entry in MODELS.items())
    assert {entry.model for entry in MODELS.values() if isinstance(entry.home, str)} == {*_CHECKS}
