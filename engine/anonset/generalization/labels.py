"""How sets and ranges are named: ``(a,b,c)`` and ``[low:high]``. The verification has a parser of its own."""

from collections.abc import Sequence


def set_label(members: Sequence[str]) -> str:
    """Return the name of a set; of a single member the member itself.

    >>> set_label(["a", "b"]), set_label(["a"])
    ('(a,b)', 'a')
    """
    return members[0] if len(members) == 1 else f"({','.join(members)})"


def members_of(label: str) -> tuple[str, ...]:
    """Return the members of a set from its name; what is no such name is its only member.

    >>> members_of("(a,b)"), members_of("a")
    (('a', 'b'), ('a',))
    """
    return tuple(label[1:-1].split(",")) if label.startswith("(") and label.endswith(")") else (label,)


def range_label(low: str, high: str) -> str:
    """Return the name of a range; of a point the point itself.

    >>> range_label("19", "22"), range_label("19", "19")
    ('[19:22]', '19')
    """
    return low if low == high else f"[{low}:{high}]"


def range_ends(label: str) -> tuple[str, str]:
    """Return the ends of a range from its name; those of a point are the point.

    >>> range_ends("[19:22]"), range_ends("19")
    (('19', '22'), ('19', '19'))
    """
    if not (label.startswith("[") and label.endswith("]")):
        return label, label
    low, _, high = label[1:-1].partition(":")
    return low, high
