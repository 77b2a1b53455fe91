"""The container recipe of the documentation has known steps, and its kernels run on any processor."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from anonset.cli.registry import COMMANDS

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "containers.md").read_text("utf-8")
RECIPE = re.sub(r"\\\n\s*", "", re.findall(r"```dockerfile\n(.*?)```", PAGE, re.DOTALL)[0])
STEPS = [line.split(" ", 1) for line in RECIPE.splitlines()]
ENVIRONMENT = dict(part.split("=", 1) for step, rest in STEPS for part in rest.split() if step == "ENV")
SHOW_TARGET = """
from numba.core.registry import cpu_target
import anonset_kernels
print(*cpu_target.target_context.codegen().magic_tuple()[1:], sep="|")
"""


def test_the_recipe_has_only_known_steps() -> None:
    assert [step for step, _ in STEPS] == ["FROM", "COPY", "ENV", "RUN", "USER", "WORKDIR", "ENTRYPOINT"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    version = dict(STEPS)["FROM"].partition(":")[2].removesuffix("-slim")
    assert f"Programming Language :: Python :: {version}" in project["classifiers"]
    assert {*re.findall(r"\[(\w+)\]\"", RECIPE)} <= project["optional-dependencies"].keys()
    assert all((ROOT / name).exists() for name in dict(STEPS)["COPY"].split()[1:-1])
    assert f"{dict(STEPS)['ENTRYPOINT']}" == '["anonset"]'


def test_the_kernels_are_compiled_when_the_image_is_built() -> None:
    run = dict(STEPS)["RUN"]
    assert "warmup" in COMMANDS
    assert run.index("pip install") < run.index("anonset warmup") < run.index('chmod -R a+rX "$NUMBA_CACHE_DIR"')
    assert ENVIRONMENT.keys() == {"NUMBA_CACHE_DIR", "NUMBA_CPU_NAME"}


@pytest.mark.compiled
@pytest.mark.long
def test_the_cache_of_the_image_is_for_any_processor(tmp_path: Path) -> None:
    environment = {**os.environ, **ENVIRONMENT, "NUMBA_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-c", SHOW_TARGET]
    shown = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    assert shown == "generic|\n"  # no name and no features of this processor are part of the key of the cache
