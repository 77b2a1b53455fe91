"""The shells complete our commands and options."""

import shutil
import subprocess
from pathlib import Path

import pytest

from cli.place import Place


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_command_can_be_completed(place: Place, shell: str) -> None:
    ran = place.run("completions", shell)
    assert ran.code == 0, ran.err
    assert all(word in ran.out for word in ("anonymize", "verify", "hierarchy", "max-suppressed"))


def test_bash_completes(place: Place, tmp_path: Path) -> None:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("there is no bash")
    script = tmp_path / "anonset.bash"
    script.write_text(place.run("completions", "bash").out)
    asked = f"source {script}; COMP_WORDS=(anonset anonymize --max-su); COMP_CWORD=2; _anonset; echo ${{COMPREPLY[@]}}"
    done = subprocess.run([bash, "-c", asked], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["--max-suppressed", "--max-suppressed-records"]


def test_an_unknown_shell_is_refused(place: Place) -> None:
    assert place.run("completions", "csh").code == 2
