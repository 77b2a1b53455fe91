"""The progress line of notebooks and terminals."""

import sys
from types import ModuleType, SimpleNamespace

import pytest

import anonset


def test_a_terminal_shows_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    line = anonset.ProgressLine()
    line("search", 1, 4)
    line("search", 2, 4)  # too soon after the first line
    line("search", 4, 4)
    line("read", 0, 0)
    assert capsys.readouterr().err.split("\r\x1b[K") == ["", "search: 25% (1 of 4)", "search: 100% (4 of 4)", "read"]


def test_a_notebook_updates_a_single_output(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []

    class Handle:
        def update(self, bundle: dict[str, str], *, raw: bool) -> None:
            shown.append(f"again {bundle['text/plain']} {raw}")

    def display(bundle: dict[str, str], *, raw: bool, display_id: bool) -> Handle:
        shown.append(f"first {bundle['text/plain']} {raw} {display_id}")
        return Handle()

    shell, views = ModuleType("IPython"), ModuleType("IPython.display")
    monkeypatch.setattr(shell, "get_ipython", lambda: SimpleNamespace(kernel=None), raising=False)
    monkeypatch.setattr(views, "display", display, raising=False)
    monkeypatch.setitem(sys.modules, "IPython", shell)
    monkeypatch.setitem(sys.modules, "IPython.display", views)
    line = anonset.ProgressLine()
    line("read", 0, 0)
    line("search", 1, 2)
    assert shown == ["first read True True", "again search: 50% (1 of 2) True"]
