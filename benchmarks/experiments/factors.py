"""What is arbitrary in an experiment, and the values that it is given: leaf orders, samples, seeds, workloads, runs."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import Field, dataclass, replace
from typing import Any, ClassVar, Literal, Protocol, TypeVar

from benchmarks.experiments.draws import NAMED_ORDERS, RANDOM_ORDERS

Cost = Literal["", "time", "memory"]
"""What of a case's cost is judged, if any."""


class Repeatable(Protocol):
    """A dataclass with parameters, a repetition and a cost, as a case is."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    @property
    def parameters(self) -> Mapping[str, Any]:
        """What is measured."""


C = TypeVar("C", bound=Repeatable)


@dataclass(frozen=True)
class Factor:
    """Something that a paper leaves open, or that is drawn, and the levels at which an experiment is repeated."""

    name: str
    """What it is, as in "depends on the leaf order"."""
    parameter: str
    """The parameter of a case that says its level."""
    draws: Sequence[str]
    """Levels drawn at random: statistics and shares are over these."""
    singles: Sequence[str] = ()
    """Named levels, which are shown one by one."""
    quick: Sequence[str] = ()
    """The levels of the quick subset."""
    least: int = 20
    """Repetitions without which there is no verdict."""

    @property
    def levels(self) -> tuple[str, ...]:
        """All levels."""
        return (*self.draws, *self.singles)

    def over(self, cases: Iterable[C], *, cost: Cost = "", levels: Sequence[str] | None = None) -> list[C]:
        """Return every case at every level, level by level, so that what is compared runs side by side."""
        made = list(cases)
        return [
            replace(case, parameters={**case.parameters, self.parameter: level}, repetition=level, cost=cost)
            for level in (self.levels if levels is None else levels)
            for case in made
        ]


def _numbered(name: str, count: int) -> tuple[str, ...]:
    return tuple(f"{name} {number}" for number in range(1, count + 1))


ORDERS = Factor("leaf order", "order", RANDOM_ORDERS, NAMED_ORDERS, (*RANDOM_ORDERS[:2], NAMED_ORDERS[0]))
"""The order of the items below a balanced hierarchy: no paper gives one."""
SAMPLES = Factor("sample", "sample", _numbered("sample", 20), quick=_numbered("sample", 2))
"""Records drawn without replacement: drawn twice, a record would raise supports."""
SEEDS = Factor("seed", "seed", _numbered("seed", 20), quick=_numbered("seed", 2))
"""The seed of an algorithm or of a generator of data."""
WORKLOADS = Factor("workload", "workload", _numbered("workload", 20), quick=_numbered("workload", 2))
"""Queries drawn from the data."""
TREES = Factor("taxonomy", "tree", _numbered("tree", 20), quick=_numbered("tree", 2))
"""Taxonomies drawn at random."""
POLICIES = Factor("policy", "policy", _numbered("policy", 20), quick=_numbered("policy", 2))
"""Constraints drawn at random."""
RUNS = Factor("run", "run", _numbered("run", 3), quick=("run 1",), least=3)
"""Runs of the same, for times: in each, what is compared runs side by side."""

FACTORS = (ORDERS, SAMPLES, SEEDS, WORKLOADS, TREES, POLICIES, RUNS)
_OF_LEVEL = {level: factor for factor in FACTORS for level in factor.levels}


def factor_of(repetition: str) -> Factor | None:
    """Return the factor that a level is of; None for what is taken once.

    >>> factor_of("random 3").name, factor_of("")
    ('leaf order', None)
    """
    return _OF_LEVEL[repetition] if repetition else None


def number_of(level: str) -> int:
    """Return the number of a drawn level, for a generator of random numbers.

    >>> number_of("sample 7")
    7
    """
    return int(level.rsplit(" ", 1)[1])
