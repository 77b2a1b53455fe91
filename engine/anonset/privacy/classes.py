"""What the classes of k-anonymous records tell of one column: l-diversity and t-closeness.

Machanavajjhala, Gehrke, Kifer, Venkitasubramaniam, ICDE 2006; Li, Li, Venkatasubramanian, ICDE 2007.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import ClassVar, Literal, get_args

from anonset.data.decimals import Written, exact, shown, written
from anonset.errors import InputError
from anonset.privacy.k import KAnonymity
from anonset.privacy.model import require_size
from anonset.spelling import counted, require_known, setting

Kind = Literal["distinct", "entropy", "recursive"]
"""How the values of a class are counted: different ones, by their entropy, or but for the most frequent ones."""
Distance = Literal["equal", "ordered", "hierarchical"]
"""How far values are apart: any two the same, numbers by their ranks, or by the node of a tree above both."""
MOST_PARTS = 10**9
"""Largest numerator and denominator of c and t, so that 64-bit integers decide."""


class SensitiveClasses(KAnonymity):
    """k-anonymity whose classes, of records that share their relational values, are mixed in one column, too."""

    sensitive: str

    @property
    def sensitive_column(self) -> str:
        """The column of the sensitive values."""
        return self.sensitive

    @property
    def statement(self) -> str:
        """What the model guarantees, in words."""
        return f"{super().statement.removesuffix('.')}. Each class of records that match alike holds {self.asked}."

    @property
    def in_plain_words(self) -> str:
        """What it guarantees, for people who read no papers."""
        return (
            "Whoever knows these attributes of somebody cannot pick out that person's record (at least "
            f"{self.k} look the same), and what looks the same holds {self.asked}."
        )

    @property
    def limits(self) -> str:
        """What it does not guarantee, in words."""
        return (
            f"It bounds how the values of {self.sensitive!r} are mixed among the matching records, not how likely one "
            "of them is for somebody of whom more is known: who knows the values of others among them, that some "
            "values do not fit, or that some of them mean about the same, learns more. Who knows how the search works "
            "may exclude what would have made it stop elsewhere (minimality). It says nothing about what the matching "
            "records have in common elsewhere: a value that all of them share, in the relational columns or in one "
            f"that is kept beside {self.sensitive!r}, is disclosed; nor about an attacker who knows any other column. "
            "Other columns that are kept as they are count neither as known nor as hidden."
        )


@dataclass(frozen=True)
class KLDiversity(SensitiveClasses):
    """Every class of records that share their relational values holds `l` well-represented values of one column.

    By kind: `l` different values (distinct); values whose entropy is that of `l` equally frequent ones or more
    (entropy); or the most frequent value less often than `c` times all but the `l` - 1 most frequent ones (recursive).

    References: Machanavajjhala, Gehrke, Kifer, Venkitasubramaniam, ICDE 2006.
    """

    name: ClassVar[str] = "kl"

    l: int  # noqa: E741
    """Number of well-represented values (>= 1)."""
    sensitive: str
    """The column that is published as it is."""
    l_kind: Kind = "distinct"
    """How values are counted: distinct, entropy or recursive."""
    c: Written | None = None
    """Of recursive: how many times as often the most frequent value may occur as the rare ones together (> 0)."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require_size("l", self.l)
        require_known(setting("l_kind"), self.l_kind, get_args(Kind))
        if (self.c is not None) != (self.l_kind == "recursive"):
            needed = "requires" if self.c is None else "takes no"
            msg = f"{setting('l_kind', self.l_kind)} {needed} {setting('c')}"
            raise InputError(msg)
        if self.c is not None:
            object.__setattr__(self, "c", _require_few_parts("c", self.c, 0, None))

    def __str__(self) -> str:
        kind = f", c={shown(self.c)}" if self.c is not None else ""
        return f"(k,l)-diversity with k={self.k}, l={self.l} ({self.l_kind}{kind}) of {self.sensitive!r}"

    @property
    def asked(self) -> str:
        """What every class must hold, in words."""
        if self.l_kind == "entropy":
            return f"values of {self.sensitive!r} whose entropy is at least that of {self.l} equally frequent ones"
        if self.c is not None:
            return (
                f"values of {self.sensitive!r} of which the most frequent one occurs less often than {shown(self.c)} "
                f"times those from rank {self.l} on together"
            )
        return f"at least {counted(self.l, 'different value')} of {self.sensitive!r}"


@dataclass(frozen=True)
class KTCloseness(SensitiveClasses):
    """In every class of records that share their relational values, a column is distributed nearly as in all.

    The distance of both distributions is at most `t`: the least work of moving shares from value to value, where any
    two values are 1 apart (equal), or numbers by their ranks, the first and the last 1 apart (ordered), or values by
    the height of the lowest node above both, as a share of the root's (hierarchical).

    References: Li, Li, Venkatasubramanian, ICDE 2007.
    """

    name: ClassVar[str] = "kt"

    t: Written
    """Largest distance (0 <= t <= 1), exactly as written."""
    sensitive: str
    """The column that is published as it is."""
    t_distance: Distance = "equal"
    """How far values are apart: equal, ordered (numbers) or hierarchical."""
    t_tree: str | None = None
    """Of hierarchical: a line for each value, ``value;parent;...;root``."""

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "t", _require_few_parts("t", self.t, -1, 1))
        require_known(setting("t_distance"), self.t_distance, get_args(Distance))
        if (self.t_tree is not None) != (self.t_distance == "hierarchical"):
            needed = "requires" if self.t_tree is None else "takes no"
            msg = f"{setting('t_distance', self.t_distance)} {needed} {setting('t_tree')}"
            raise InputError(msg)
        _require_tree(self.paths)

    @property
    def paths(self) -> dict[str, tuple[str, ...]]:
        """The nodes from each value of the tree up to its root, the value first."""
        lines = [tuple(line.split(";")) for line in (self.t_tree or "").splitlines()]
        return {path[0]: path for path in lines}

    def __str__(self) -> str:
        return f"(k,t)-closeness with k={self.k}, t={shown(self.t)} ({self.t_distance}) of {self.sensitive!r}"

    @property
    def asked(self) -> str:
        """What every class must hold, in words."""
        how = {"equal": "", "ordered": ", ordered as numbers", "hierarchical": ", by a tree of the values"}
        return (
            f"values of {self.sensitive!r} in shares that are at most {shown(self.t)} away from those of all "
            f"records{how[self.t_distance]}"
        )

    @property
    def limits(self) -> str:
        """What it does not guarantee, in words."""
        return f"{super().limits} What all records together tell of a value is told."


def _require_tree(paths: Mapping[str, tuple[str, ...]]) -> None:
    """Refuse paths that are those of no tree; no label is told, as the file may be private."""
    parent: dict[str, str] = {}
    for path in paths.values():
        if len(set(path)) < len(path) or not all(path):
            msg = f"{setting('t_tree')}: a line must name a value and the nodes above it, each once, separated by ';'"
            raise InputError(msg)
        if any(parent.setdefault(node, above) != above for node, above in pairwise(path)):
            msg = f"{setting('t_tree')}: a node must have one parent, and one has two"
            raise InputError(msg)
    if len({path[-1] for path in paths.values()}) > 1 or not set(parent.values()).isdisjoint(paths):
        msg = f"{setting('t_tree')}: all lines must end in one root, and no value may stand above others"
        raise InputError(msg)


def _require_few_parts(name: str, value: Written, above: int, most: int | None) -> float | Fraction:
    """Return a number as it was written, if small integers make it, and it is in its range."""
    try:
        number = exact(value)
    except ValueError:
        number = Fraction(above)
    if number <= above if most is None else not 0 <= number <= most:
        asked = f"above {above}" if most is None else f"in [0, {most}]"
        msg = f"{setting(name)} must be a number {asked}, got {value!r}"
        raise InputError(msg)
    if max(number.numerator, number.denominator) > MOST_PARTS:
        msg = f"{setting(name)} must be a number of at most nine digits, got {value!r}"
        raise InputError(msg)
    return written(number)
