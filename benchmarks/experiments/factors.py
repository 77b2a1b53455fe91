"""Factors of an experiment, such as leaf orders and samples, and the levels of each factor."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import Field, dataclass, replace
from typing import Any, ClassVar, Literal, Protocol, TypeVar

from benchmarks.experiments.draws import NAMED_ORDERS, RANDOM_ORDERS

Cost = Literal["", "time", "memory"]
"""``time`` or ``memory`` if a claim is about this cost of a case. Empty for other cases."""


class Repeatable(Protocol):
    """Dataclass with parameters, a repetition and a cost, such as `Case`."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Parameters of the measurement."""


C = TypeVar("C", bound=Repeatable)


@dataclass(frozen=True)
class Factor:
    """Random choice, or choice that a paper does not state, with the levels at which an experiment is repeated."""

    name: str
    """Name, as in "depends on the leaf order"."""
    parameter: str
    """Case parameter that contains the level."""
    draws: Sequence[str]
    """Levels drawn at random. Statistics and shares are computed over these levels."""
    singles: Sequence[str] = ()
    """Named levels, shown separately."""
    quick: Sequence[str] = ()
    """Levels that the quick subset contains."""
    least: int = 20
    """Smallest number of repetitions for a verdict."""

    @property
    def levels(self) -> tuple[str, ...]:
        """All levels."""
        return (*self.draws, *self.singles)

    def over(self, cases: Iterable[C], *, cost: Cost = "", levels: Sequence[str] | None = None) -> list[C]:
        """Return every case at every level. The order is by level, so that compared cases run one after another."""
        made = list(cases)
        return [
            replace(case, parameters={**case.parameters, self.parameter: level}, repetition=level, cost=cost)
            for level in (self.levels if levels is None else levels)
            for case in made
        ]


def _numbered(name: str, count: int) -> tuple[str, ...]:
    return tuple(f"{name} {number}" for number in range(1, count + 1))


ORDERS = Factor("leaf order", "order", RANDOM_ORDERS, NAMED_ORDERS, (*RANDOM_ORDERS[:2], NAMED_ORDERS[0]))
"""Order of the items below a balanced hierarchy. No paper states this order."""
SAMPLES = Factor("sample", "sample", _numbered("sample", 20), quick=_numbered("sample", 2))
"""Records drawn without replacement, because duplicates would raise supports."""
SEEDS = Factor("seed", "seed", _numbered("seed", 20), quick=_numbered("seed", 2))
"""Seed of an algorithm or a data generator."""
WORKLOADS = Factor("workload", "workload", _numbered("workload", 20), quick=_numbered("workload", 2))
"""Queries drawn from the data."""
TREES = Factor("taxonomy", "tree", _numbered("tree", 20), quick=_numbered("tree", 2))
"""Taxonomies drawn at random."""
POLICIES = Factor("policy", "policy", _numbered("policy", 20), quick=_numbered("policy", 2))
"""Constraints drawn at random."""
RUNS = Factor("run", "run", _numbered("run", 3), quick=("run 1",), least=3)
"""Identical runs for times. In each run, compared cases run one after another."""

FACTORS = (ORDERS, SAMPLES, SEEDS, WORKLOADS, TREES, POLICIES, RUNS)
_OF_LEVEL = {level: factor for factor in FACTORS for level in factor.levels}


def factor_of(repetition: str) -> Factor | None:
    """Return the factor of a level. None for the empty level of cases that are measured once.

    >>> factor_of("random 3").name, factor_of("")
    ('leaf order', None)
    """
    return _OF_LEVEL[repetition] if repetition else None


def number_of(level: str) -> int:
    """Return the number of a drawn level. It is used as a seed.

    >>> number_of("sample 7")
    7
    """
    return int(level.rsplit(" ", 1)[1])
