"""Shells complete commands and options."""

import contextlib
import functools
import io
import shutil
import subprocess
from pathlib import Path

import pytest

from anonset.cli.main import main
from cli.place import Place

pytestmark = pytest.mark.compiled


@functools.cache
def script(shell: str) -> str:
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        assert main(["completions", shell]) == 0
    return printed.getvalue()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
@pytest.mark.long
def test_every_command_can_be_completed(shell: str) -> None:
    assert all(word in script(shell) for word in ("anonymize", "verify", "hierarchy", "max-suppressed"))


def test_bash_completes(tmp_path: Path) -> None:
    assert _completed(tmp_path, ["anonymize", "--max-su"]) == ["--max-suppressed", "--max-suppressed-records"]


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        (["anonymize", "--algorithm", "rum"], ["rum-bound"]),
        (["anonymize", "--model", "kk"], ["kkm"]),
        (["verify", "--model", "safe"], ["safe-grouping"]),
        (["suggest", "--model", "coh"], ["coherence"]),
        (["compare", "--algorithms", "ap"], ["apriori"]),
        (["compare", "--model", "part"], ["partition-km"]),
    ],
)
def test_bash_completes_names_of_algorithms_and_models(tmp_path: Path, words: list[str], completed: list[str]) -> None:
    assert _completed(tmp_path, words) == completed


@pytest.mark.parametrize("shell", ["zsh", "fish"])
@pytest.mark.long
def test_completion_scripts_contain_algorithms_and_models(shell: str) -> None:
    lines = script(shell).splitlines()
    assert any("algorithm" in line and "rum-bound" in line and "safe-grouping" in line for line in lines)
    assert any("model" in line and "partition-km" in line and "safe-grouping" in line for line in lines)


def _completed(folder: Path, words: list[str]) -> list[str]:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("there is no bash")
    (folder / "anonset.bash").write_text(script("bash"))
    typed = f"COMP_WORDS=(anonset {' '.join(words)}); COMP_CWORD={len(words)}"
    script_line = f"source {folder}/anonset.bash; {typed}; _anonset; echo ${{COMPREPLY[@]}}"
    return subprocess.run([bash, "-c", script_line], capture_output=True, text=True, check=True).stdout.split()


def test_an_unknown_shell_is_refused(place: Place) -> None:
    assert place.run("completions", "csh").code == 2
