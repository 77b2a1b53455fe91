"""Naive implementation of the truthfulness check, one label at a time."""

from collections.abc import Collection, Mapping, Sequence


def naive_untrue(
    original: Sequence[Collection[str]],
    published: Sequence[Collection[str]],
    record: Sequence[int],
    members: Mapping[str, Collection[str]],
) -> tuple[int, str] | None:
    """Return the first untrue row with its smallest wrong item (else symbol), or None."""
    shown = {item for row in published for symbol in row for item in members[symbol]}
    for row, symbols in enumerate(published):
        items = set(original[record[row]])
        covered = {item for symbol in symbols for item in members[symbol]}
        if lost := (items & shown) - covered:
            return row, min(lost)
        if unfounded := [symbol for symbol in symbols if not items & set(members[symbol])]:
            return row, min(unfounded)
    return None
