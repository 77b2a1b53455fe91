"""What an algorithm is: frozen parameters with one method."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from pkgutil import resolve_name
from typing import Any, ClassVar, Protocol, runtime_checkable

from anonset.data import Hierarchy, Table
from anonset.data.redacted_repr import Discreet
from anonset.errors import InputError
from anonset.generalization import Recoding
from anonset.privacy import PrivacyModel

Progress = Callable[[str, float, float], None]
"""Called with (phase, amount done, total amount) as work goes on."""


@dataclass(frozen=True, eq=False)
class Result(Discreet):
    """The recoding that an algorithm decides, and how it reaches it."""

    recoding: Recoding
    trace: tuple[Any, ...] = ()
    """The decisions in order; the algorithm defines what an entry is."""
    figures: Mapping[str, float] = field(default_factory=dict)
    """Counts of the search: itemsets counted, cuts examined, and the like."""
    notes: tuple[str, ...] = ()
    """Notes for the owner: what the algorithm does unasked, and limits that it reaches."""


@runtime_checkable
class Algorithm(Protocol):
    """A published algorithm: a frozen keyword-only dataclass of its parameters, with `Traits` for what it can do."""

    name: ClassVar[str]
    """Name on the command line."""

    @property
    def model(self) -> PrivacyModel:
        """The privacy model whose guarantee the algorithm gives."""
        ...

    def recode(
        self,
        table: Table,
        hierarchies: Mapping[str, Hierarchy],
        *,
        progress: Progress | None = None,
    ) -> Result:
        """Find a recoding of the table, which is not verified yet: only `anonset.anonymize` anonymizes.

        Columns must be bound to their hierarchies.

        Raises
        ------
        InfeasibleError
            If no recoding within the algorithm's operators gives the guarantee.
        """
        ...


class Algorithms(Mapping[str, type[Algorithm]]):
    """Algorithms by name; built-in ones are imported on first use, since a run needs one or two of them."""

    def __init__(self, own: Mapping[str, str], offered: Mapping[str, type[Algorithm]]) -> None:
        self._own, self._offered = own, offered

    def __getitem__(self, name: str) -> type[Algorithm]:
        if name not in self._own:
            return self._offered[name]
        made: type[Algorithm] = resolve_name(f"anonset.algorithms.{self._own[name]}")
        return made

    def __contains__(self, name: object) -> bool:
        return name in self._own or name in self._offered

    def __iter__(self) -> Iterator[str]:
        yield from self._own
        yield from self._offered

    def __len__(self) -> int:
        return len(self._own) + len(self._offered)


LARGEST_MEMORY_FACTOR = 2.9
"""That of an algorithm which declares none: the largest of the built-in ones."""


@dataclass(frozen=True, kw_only=True)
class Guarantee:
    """Models that an algorithm guarantees, and the kind of recoding by which it does."""

    answers: tuple[str, ...] = ()
    """Names of the models that it guarantees, by which it may be asked for."""
    also_answers: tuple[str, ...] = ()
    """Names of other models that its result satisfies with some parameters, and for which `suggest` tries it."""
    forms_sets: bool = False
    """Whether it publishes sets of items, named by their members: then odd labels are refused before any work."""
    sets_from_data: bool = False
    """Whether these sets follow how often items occur, of which they tell: the owner declares that."""
    tight: bool = False
    """Whether each cluster is published as its own lowest common relational values."""
    coarsens: bool = False
    """Whether it has one recoding of all records, which can continue that of an earlier release."""

    @property
    def models(self) -> tuple[str, ...]:
        """Names of all models for which it can serve."""
        return self.answers + self.also_answers


@dataclass(frozen=True, kw_only=True)
class Scaling:
    """How an algorithm runs on data larger than memory, and on workers."""

    by_blocks: bool = False
    """Whether it goes through records block by block, and holds nothing as long as the table."""
    on_workers: bool = False
    """Whether its tasks on blocks can run in other processes; those on parts always can."""
    split_records: int | None = None
    """Most records of a part, if larger data are split; None: it decides on the whole data.

    One that is split must publish clusters of records (`PerCluster`) that are safe whatever other records there are.
    """
    splits_in_memory: bool = False
    """Whether data in memory are split, too: the result is the same for any memory."""
    where: str = ""
    """Under which parameters it runs by blocks or in parts, to follow "where"; empty: under all."""
    undivided: str = ""
    """Why workers in other processes would not help, if there is a specific reason."""

    @property
    def to_workers(self) -> bool:
        """Whether its tasks can run in other processes."""
        return (self.by_blocks and self.on_workers) or self.split_records is not None


@dataclass(frozen=True, kw_only=True)
class Cost:
    """Memory and time of an algorithm, and the largest data that it takes."""

    memory_factor: float = LARGEST_MEMORY_FACTOR
    """Memory of a run without compiling, as a multiple (above 0) of what `apriori` takes for the same data.

    Built-in algorithms have measured values (docs/development/measurements.md), less the memory of Python, rounded
    up: of 1,000,000 baskets or tuples (`apriori`: 10,000,000), and of 100,000 or 300,000 relational or RT records;
    `cluster`, `k-member` and those of Xu have the value of `rum-bound`.
    """
    memory_beside: int = 0
    """Memory, in bytes, that it takes beside that at most, whatever the number of records."""
    slow: bool = False
    """Whether its time grows with the square of the records, about: where there are many, `suggest` does not try it."""
    refuses_above: int | None = None
    """Most records that it takes, whatever memory there is; None: any number."""
    instead: str = ""
    """What would do above that."""

    def __post_init__(self) -> None:
        if not self.memory_factor > 0:
            msg = f"memory_factor must be above 0, got {self.memory_factor!r}"
            raise InputError(msg)


@dataclass(frozen=True, kw_only=True)
class Advice:
    """When `suggest` tries an algorithm, and when messages name it."""

    not_tried: str = ""
    """Why `suggest` does not try it for any model, if it does not."""
    set_beside: tuple[str, ...] = ()
    """Names of models beside whose candidates `suggest` shows it from m=2 on, marked: its guarantee is another one."""
    keeps_more: bool = False
    """Whether messages name it as one that may keep more, if another one for the model gives a worthless result."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Traits(Advice, Cost, Scaling, Guarantee):
    """What the algorithms of a class can do, as their `traits`, in four groups.

    An algorithm that can do less with some parameters has a property `own_traits`, computed from them.
    """

    def __repr__(self) -> str:
        told = (
            f"{part.name}={value!r}" for part in fields(self) if (value := getattr(self, part.name)) != part.default
        )
        return f"Traits({', '.join(told)})"


@runtime_checkable
class _HasTraits(Protocol):
    traits: Traits


_ONLY_IN_TRAITS = {"by_blocks", "forms_sets", "memory_factor", "on_workers", "split_records", "tight"}


def traits_of(algorithm: Any) -> Traits:
    """Return what a class of algorithms declares by `traits`, and an algorithm by `own_traits`, if it has it.

    One that declares nothing has the defaults.

    Raises
    ------
    InputError
        If they are anything but `Traits`, or a trait is declared outside it.
    """
    cls = algorithm if isinstance(algorithm, type) else type(algorithm)
    if alone := sorted(_ONLY_IN_TRAITS.intersection(dir(cls))):
        given = ", ".join(f"{name}=..." for name in alone)
        msg = f"algorithm {cls.__name__} must declare {' and '.join(alone)} as traits = anonset.Traits({given})"
        raise InputError(msg)
    if cls is not algorithm and "own_traits" in dir(cls):
        traits = algorithm.own_traits
    else:
        traits = algorithm.traits if isinstance(algorithm, _HasTraits) else Traits()
    if not isinstance(traits, Traits):
        msg = f"traits of algorithm {cls.__name__} must be anonset.Traits, got {traits!r}"
        raise InputError(msg)
    return traits
