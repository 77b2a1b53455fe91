"""How much is held at once, within a limit on memory and without one."""

from anonset.data.spans import BASE, held_at_once, memory_limit


def test_what_is_held_follows_the_limit_that_is_in_force():
    with memory_limit(BASE + (64 << 20)):
        assert held_at_once(1 << 30, 8) == 4 << 20
        assert held_at_once(1000, 8) == 1000
        with memory_limit(None):
            assert held_at_once(1 << 30, 8) == 1 << 30
        assert held_at_once(1 << 30, 8) == 4 << 20
    assert held_at_once(1 << 30, 8) == 1 << 30


def test_something_is_held_however_low_the_limit():
    with memory_limit(1):
        assert held_at_once(1000, 8) == 1
