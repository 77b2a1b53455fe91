"""Progress and notes: on a terminal only."""

import io

import pytest

import anonset_kernels._jit as jit
from anonset.cli.progress import say_compiling, shown_progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def open_terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Put a terminal in the place of standard error; within the test, since pytest does so before it too."""
    made = Terminal()
    monkeypatch.setattr("sys.stderr", made)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    return made


def test_shows_phase_and_amounts_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = open_terminal(monkeypatch)
    with shown_progress(quiet=False) as progress:
        assert progress is not None
        progress("read", 0, 0)
        progress("search", 500, 2000)
        progress("search", 2000, 2000)
    shown = terminal.getvalue()
    assert "search" in shown
    assert "2,000/2,000" in shown


def test_shows_nothing_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = open_terminal(monkeypatch)
    with shown_progress(quiet=True) as progress:
        assert progress is None
    say_compiling(quiet=True)
    assert terminal.getvalue() == ""
    monkeypatch.setattr(Terminal, "isatty", lambda _: False)
    with shown_progress(quiet=False) as progress:
        assert progress is None
    say_compiling(quiet=False)
    assert terminal.getvalue() == ""


@pytest.mark.parametrize(
    ("folder", "compiled", "note"),
    [("cache", True, ""), ("cache", False, "the first run compiles"), (None, False, "compiled in every run")],
)
def test_says_that_kernels_are_compiled(
    monkeypatch: pytest.MonkeyPatch, folder: str | None, compiled: bool, note: str
) -> None:
    terminal = open_terminal(monkeypatch)
    monkeypatch.setattr(jit, "cache_directory", lambda: folder)
    monkeypatch.setattr(jit, "compiled_before", lambda: compiled)
    say_compiling(quiet=False)
    assert note in terminal.getvalue()
    assert bool(terminal.getvalue()) == bool(note)
