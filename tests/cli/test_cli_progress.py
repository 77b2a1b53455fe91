"""Progress and notes appear on a terminal only."""

import io
from pathlib import Path

import pytest
from rich.progress import Progress

from anonset.cli.progress import progress_bars
from anonset_kernels._compiling import COMPILATION


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def open_terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Replace standard error by a terminal, within the test because pytest replaces it before the test."""
    made = Terminal()
    monkeypatch.setattr("sys.stderr", made)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    return made


def test_shows_phase_and_amounts_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = open_terminal(monkeypatch)
    with progress_bars(quiet=False) as progress:
        assert progress is not None
        progress("read", 0, 0)
        progress("search", 500, 2000)
        progress("search", 2000, 2000)
    shown = terminal.getvalue()
    assert "search" in shown
    assert "2,000/2,000" in shown


def test_no_progress_without_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = open_terminal(monkeypatch)
    with progress_bars(quiet=True) as progress:
        assert progress is None
    assert terminal.getvalue() == ""
    monkeypatch.setattr(Terminal, "isatty", lambda _: False)
    with progress_bars(quiet=False) as progress:
        assert progress is None
        COMPILATION.begin()
        COMPILATION.end()
    assert terminal.getvalue() == ""


@pytest.mark.parametrize(
    ("folder", "note"), [(Path("cache"), "later runs use the cache in cache"), (None, "every run repeats this")]
)
def test_compilation_is_announced_once(monkeypatch: pytest.MonkeyPatch, folder: Path | None, note: str) -> None:
    terminal = open_terminal(monkeypatch)
    monkeypatch.setattr("anonset.jobs.warmup.kernel_cache", lambda: folder)
    with progress_bars(quiet=False) as progress:
        assert progress is not None
        progress("search", 1, 2000)
        for _ in range(2):
            COMPILATION.begin()
            COMPILATION.end()
        assert "compiling" in terminal.getvalue()
        progress("search", 2, 2000)
    assert terminal.getvalue().count(note) == 1
    assert terminal.getvalue().count("anonset: ") == 1


def test_the_interrupted_phase_is_shown_after_compilation(monkeypatch: pytest.MonkeyPatch) -> None:
    open_terminal(monkeypatch)
    shown: list[set[str]] = []

    def note(bars: Progress) -> None:
        shown.append({task.description for task in bars.tasks if task.visible})

    with progress_bars(quiet=False) as progress:
        assert progress is not None
        bars = progress.__self__._bars  # type: ignore[attr-defined]
        progress("search", 1, 2000), note(bars)
        COMPILATION.begin(), note(bars)
        COMPILATION.end(), note(bars)
        progress("verify", 1, 2), note(bars)
    assert shown == [{"search"}, {"compiling"}, {"search"}, {"verify"}]
