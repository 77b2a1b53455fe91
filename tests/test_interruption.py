"""Signals end a process once, run its clean-ups, and undo no completed work."""

import signal
import sys
import threading
from collections.abc import Iterator

import pytest

from anonset import interruption
from anonset.interruption import ENDING, RaisingHandler, defer_signals, mark_job_done


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    """Start with the default handlers, and restore the previous handlers at the end."""
    handlers = {number: signal.getsignal(number) for number in ENDING}
    hook = sys.unraisablehook
    for number in ENDING:
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
    yield
    for number, handler in handlers.items():
        signal.signal(number, handler)
    sys.unraisablehook = hook


@pytest.mark.parametrize("number", ENDING)
def test_only_the_first_signal_unwinds(number: signal.Signals, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interruption, "_DEAF", float("inf"))
    unwinding = RaisingHandler()
    unwinding.install()
    with pytest.raises(KeyboardInterrupt) as raised:
        signal.raise_signal(number)
    assert (raised.value.args, unwinding.came) == ((number,), number)
    for other in ENDING:
        signal.raise_signal(other)


def test_a_later_signal_unwinds_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interruption, "_DEAF", 0.0)
    unwinding = RaisingHandler()
    unwinding.install()
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)


def test_signals_ignored_by_the_parent_remain_ignored() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    RaisingHandler().install()
    assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    signal.raise_signal(signal.SIGHUP)


def test_signals_do_not_undo_finished_work() -> None:
    unwinding = RaisingHandler()
    unwinding.install()
    mark_job_done()
    for number in ENDING:
        signal.raise_signal(number)
    assert unwinding.came is None
    unwinding.leave()
    assert {signal.getsignal(number) for number in ENDING} == {signal.SIG_IGN}


def test_handlers_of_others_are_not_settled() -> None:
    mark_job_done()
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


def test_a_dropped_interruption_is_sent_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interruption, "_DEAF", float("inf"))
    unwinding = RaisingHandler()
    unwinding.install()
    waiting = threading.Event()

    class Dropping:
        def __del__(self) -> None:
            signal.raise_signal(signal.SIGTERM)

    Dropping()
    with pytest.raises(KeyboardInterrupt) as raised:
        waiting.wait(60)
    assert raised.value.args == (signal.SIGTERM,)


def test_signals_wait_until_the_block_ends() -> None:
    done: list[str] = []

    def work() -> None:
        with defer_signals():
            signal.raise_signal(signal.SIGINT)
            done.append("the block")
        done.append("what follows")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert done == ["the block"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_signals_wait_for_an_error() -> None:
    def work() -> None:
        with defer_signals():
            signal.raise_signal(signal.SIGINT)
            raise ValueError

    with pytest.raises(KeyboardInterrupt) as raised:
        work()
    assert isinstance(raised.value.__context__, ValueError)


def test_blocks_can_be_nested() -> None:
    done: list[str] = []

    def work() -> None:
        with defer_signals():
            with defer_signals():
                signal.raise_signal(signal.SIGINT)
            done.append("after the inner one")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert done == ["after the inner one"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_other_threads_do_not_defer_signals() -> None:
    result: list[object] = []

    def work() -> None:
        with defer_signals():
            result.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert result == [signal.default_int_handler]
