"""Privacy models for a sensitive column of k-anonymous records: l-diversity and t-closeness.

Machanavajjhala, Gehrke, Kifer, Venkitasubramaniam, ICDE 2006; Li, Li, Venkatasubramanian, ICDE 2007.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Annotated, ClassVar, Literal

from anonset.data.decimals import Written, exact, shortest_float, shortest_text
from anonset.errors import InputError
from anonset.privacy.k import KAnonymity
from anonset.privacy.model import SHARED, Size
from anonset.spelling import counted, setting

Kind = Literal["distinct", "entropy", "recursive"]
"""Type of l-diversity: distinct, entropy or recursive (c, l)-diversity."""
Distance = Literal["equal", "ordered", "hierarchical"]
"""Distance between two values. ``equal`` means the same distance for all pairs. ``ordered`` uses the ranks of numbers.
``hierarchical`` uses the lowest common node in a tree.
"""
MOST_PARTS = 10**9
"""Maximum numerator and denominator of c and t, so that exact comparisons need only 64-bit integers."""


class SensitiveClasses(KAnonymity):
    """k-anonymity with a condition on the sensitive values of each equivalence class."""

    sensitive: str

    @property
    def inference(self) -> str:
        """Bound on inferring a sensitive value."""
        return f"Each equivalence class contains {self.asked}."

    @property
    def limits(self) -> str:
        """Limits of the guarantee."""
        distribution = (
            f"The model bounds how often a value of {self.sensitive!r} occurs in an equivalence class, not how "
            "probable it is for someone who knows more."
            if self.bounds_shares
            else f"An equivalence class may consist almost entirely of one value of {self.sensitive!r}."
        )
        first = (
            f"{SHARED} {distribution}"
            if self.diversity < 2
            else f"{distribution} A value of another column that all matching records share is disclosed."
        )
        return (
            f"{first} Missing values are not counted, and an equivalence "
            "class without known values satisfies the model. Someone who knows the sensitive values of other people in "
            "the equivalence class, or can exclude some values for a person, may infer the value with a higher "
            "probability. Values count as different even if they have almost the same meaning (similarity attack)."
        )


@dataclass(frozen=True)
class KLDiversity(SensitiveClasses):
    """Every equivalence class has at least `l` different values of the sensitive column.

    The parameter `l_kind` can require similar frequencies. With "distinct", there are at least `l` different values.
    With "entropy", the entropy of the values is at least the entropy of `l` equally frequent values. With "recursive",
    the most frequent value occurs less than `c` times as often as all values of rank `l` and lower together.

    References: Machanavajjhala, Gehrke, Kifer, Venkitasubramaniam, ICDE 2006.
    """

    name: ClassVar[str] = "kl"

    l: Annotated[Size, "Minimum number of different sensitive values in an equivalence class (>= 1)."]  # noqa: E741
    sensitive: Annotated[str, "Name of the sensitive column, published unchanged."]
    l_kind: Annotated[Kind, "Type of diversity: distinct, or of similar frequency by entropy or recursive."] = (
        "distinct"
    )
    c: Annotated[
        Written | None,
        "Ratio for recursive diversity (> 0). The most frequent value must occur less than `c` times as often as all"
        " values of rank `l` and lower together.",
    ] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.c is not None) != (self.l_kind == "recursive"):
            needed = "requires" if self.c is None else "takes no"
            raise InputError(f"{setting('l_kind', self.l_kind)} {needed} {setting('c')}")
        if self.c is not None:
            object.__setattr__(self, "c", _require_few_parts("c", self.c, 0, None))

    def __str__(self) -> str:
        kind = f", c={shortest_text(self.c)}" if self.c is not None else ""
        return f"(k,l)-diversity with k={self.k}, l={self.l} ({self.l_kind}{kind}) of {self.sensitive!r}"

    @property
    def bounds_shares(self) -> bool:
        """False for different values, of which one may be in nearly all records."""
        return self.l_kind != "distinct"

    @property
    def asked(self) -> str:
        """Condition on every equivalence class, as a noun phrase."""
        if self.l_kind == "entropy":
            return f"values of {self.sensitive!r} whose entropy is at least that of {self.l} equally frequent values"
        if self.c is not None:
            return (
                f"values of {self.sensitive!r} of which the most frequent occurs less than "
                f"{shortest_text(self.c)} times as often as the values of rank {self.l} and lower together"
            )
        return f"at least {counted(self.l, 'different value')} of {self.sensitive!r}"


@dataclass(frozen=True)
class KTCloseness(SensitiveClasses):
    """In every equivalence class, the distribution of the sensitive column is close to its distribution in all records.

    The distance between the two distributions is at most `t`. It is the earth mover's distance, which is the minimum
    work to move shares between values. The distance between two values depends on `t_distance`. With "equal", the
    distance between any two values is 1. With "ordered", the distance is the difference of the ranks of two numbers,
    scaled to 1 between the first and the last number. With "hierarchical", the distance is the height of the lowest
    common node, divided by the height of the root.

    References: Li, Li, Venkatasubramanian, ICDE 2007.
    """

    name: ClassVar[str] = "kt"

    t: Annotated[Written, "Maximum distance (0 <= t <= 1). The value is used without rounding."]
    sensitive: Annotated[str, "Name of the sensitive column, published unchanged."]
    t_distance: Annotated[Distance, "Distance between values: equal, ordered (numbers) or hierarchical."] = "equal"
    t_tree: Annotated[
        str | None, "Tree for the hierarchical distance, with one line ``value;parent;...;root`` per value."
    ] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "t", _require_few_parts("t", self.t, -1, 1))
        if (self.t_tree is not None) != (self.t_distance == "hierarchical"):
            needed = "requires" if self.t_tree is None else "takes no"
            raise InputError(f"{setting('t_distance', self.t_distance)} {needed} {setting('t_tree')}")
        _require_tree(self.paths)

    @property
    def paths(self) -> dict[str, tuple[str, ...]]:
        """Path of each value in the tree, from the value to the root."""
        lines = [tuple(line.split(";")) for line in (self.t_tree or "").splitlines()]
        return {path[0]: path for path in lines}

    def __str__(self) -> str:
        return f"(k,t)-closeness with k={self.k}, t={shortest_text(self.t)} ({self.t_distance}) of {self.sensitive!r}"

    @property
    def bounds_shares(self) -> bool:
        """False if values that are near to each other may have any shares."""
        return self.t_distance == "equal"

    @property
    def asked(self) -> str:
        """Condition on every equivalence class, as a noun phrase."""
        distance_text = {"equal": "", "ordered": " between numbers", "hierarchical": " in a hierarchy of the values"}
        return (
            f"values of {self.sensitive!r} whose distribution differs from the distribution in all records by at most "
            f"{shortest_text(self.t)} (earth mover's distance{distance_text[self.t_distance]})"
        )

    @property
    def limits(self) -> str:
        """Limits of the guarantee."""
        return f"{super().limits} The publication discloses the distribution of {self.sensitive!r} in all records."


def _require_tree(paths: Mapping[str, tuple[str, ...]]) -> None:
    """Raise InputError if the paths do not form a tree. The message names no label, because the file may be private."""
    parent: dict[str, str] = {}
    for path in paths.values():
        if len(set(path)) < len(path) or not all(path):
            raise InputError(
                f"{setting('t_tree')}: a line must contain a value and the nodes above it, each once, separated by ';'"
            )
        if any(parent.setdefault(node, above) != above for node, above in pairwise(path)):
            raise InputError(f"{setting('t_tree')}: a node has two parents")
    if len({path[-1] for path in paths.values()}) > 1 or not set(parent.values()).isdisjoint(paths):
        msg = f"{setting('t_tree')}: all lines must end in the same root, and a value must not be the parent of another"
        raise InputError(msg)


def _require_few_parts(name: str, value: Written, above: int, most: int | None) -> float | Fraction:
    """Return the number without rounding. Raise InputError if it is out of range or has more than nine digits."""
    try:
        number = exact(value)
    except ValueError:
        number = Fraction(above)
    if number <= above if most is None else not 0 <= number <= most:
        bounds = f"above {above}" if most is None else f"in [0, {most}]"
        raise InputError(f"{setting(name)} must be a number {bounds}, got {value!r}")
    if max(number.numerator, number.denominator) > MOST_PARTS:
        raise InputError(f"{setting(name)} must be a number of at most nine digits, got {value!r}")
    return shortest_float(number)
