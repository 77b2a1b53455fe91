"""Amounts of data in memory at a time, with and without a memory limit."""

from anonset.data.spans import BASE, Limits


def test_buffer_sizes_follow_the_limit():
    limited = Limits.of_process(BASE + (64 << 20))
    assert limited.at_once_within(1 << 30, 8) == 4 << 20
    assert limited.at_once_within(1000, 8) == 1000
    assert Limits.of_process(None).at_once_within(1 << 30, 8) == 1 << 30


def test_buffer_sizes_have_a_minimum():
    assert Limits.of_process(1).at_once_within(1000, 8) == 1
