"""Detect identifying text in any script by its frequencies. Each name or remark belongs to few persons."""

from collections.abc import Iterable, Sequence

from anonset.columns.personal_values import are_keys
from anonset.data.hierarchies.hierarchy_rules import NO_VALUE

FEWEST_RARE = 10
"""Minimum number of rare values of identifying text."""
MOST_OF_FEW = 10
"""Values of this many persons are not rare, even if k is larger."""
_LOOKED_AT = 2_000
_MOST = 0.9
_LONGEST_CODE = 4


def are_rare_texts(labels: Sequence[str], counts: Iterable[int], threshold: int) -> bool:
    """Return True if labels are text, and more than half of them are rare.

    Parameters
    ----------
    counts
        Number of persons with each label.
    threshold
        A label is rare if fewer persons have it.

    >>> remarks = [f"needs help with {word}" for word in ("Greek", "sums", "notes", "maps")]
    >>> are_rare_texts(["", *remarks * 3], [900, *[1] * 12], 5), are_rare_texts(["", *remarks * 3], [0, *[9] * 12], 5)
    (True, False)
    """
    pairs = [(label, n) for label, n in zip(labels, counts, strict=True) if n and label not in NO_VALUE]
    if not are_rare([label for label, _ in pairs], [n for _, n in pairs], threshold):
        return False
    looked_at = [label for label, _ in pairs[:: 1 + len(pairs) // _LOOKED_AT]]
    return sum(map(_is_text, looked_at)) >= _MOST * len(looked_at) and not are_keys(looked_at)


def are_rare(labels: Sequence[str], counts: Iterable[int], threshold: int) -> bool:
    """Return True if more than half of the labels, and at least ten, are rare.

    >>> plates = [f"EE-{n}-LL" for n in range(20)]
    >>> are_rare(plates, [9] * 20, 50), are_rare(plates, [10] * 20, 50), are_rare(["north", "south"], [1, 1], 5)
    (True, False, False)
    """
    present = [n for label, n in zip(labels, counts, strict=True) if n and label not in NO_VALUE]
    rare = sum(n < min(threshold, MOST_OF_FEW) for n in present)
    return rare >= FEWEST_RARE and 2 * rare > len(present)


def _is_text(label: str) -> bool:
    """Return True if a label consists mostly of letters, and is neither a code nor a short abbreviation.

    >>> [_is_text(label) for label in ("since 2 years", "佐藤", "E11.9", "XK", "2020-01-31", "Type 2")]
    [True, True, False, False, False, True]
    """
    characters = "".join(label.split())
    letters = sum(map(str.isalpha, characters))
    is_code = len(characters) == len(label) and any(map(str.isdigit, label))
    is_short = label.isascii() and label.isupper() and len(label) <= _LONGEST_CODE
    return letters > 1 and 2 * letters > len(characters) and not (is_code or is_short)
