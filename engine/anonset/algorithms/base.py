"""The algorithm interface, which consists of frozen parameters and the method `recode`."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, runtime_checkable

from anonset.data.progress import Progress
from anonset.data.redacted_repr import RedactedRepr
from anonset.errors import InputError

if TYPE_CHECKING:
    from anonset.data import Hierarchy, Table
    from anonset.generalization import Recoding
    from anonset.privacy import PrivacyModel


@dataclass(frozen=True, eq=False)
class Result(RedactedRepr):
    """Result of an algorithm, which contains the recoding and information about the search."""

    recoding: "Recoding"
    trace: tuple[Any, ...] = ()
    """Decisions of the search, in order. The type of an entry depends on the algorithm."""
    figures: Mapping[str, float] = field(default_factory=dict)
    """Statistics of the search, for example the number of counted itemsets."""
    notes: tuple[str, ...] = ()
    """Notes for the data owner. They report decisions that the owner did not request, and limits that were reached."""


@runtime_checkable
class Algorithm(Protocol):
    """An anonymization algorithm.

    The class of an algorithm is a frozen keyword-only dataclass of parameters. It declares the capabilities of the
    algorithm as `Traits`.
    """

    name: ClassVar[str]

    @property
    def model(self) -> "PrivacyModel":
        """Privacy model that the algorithm guarantees."""
        ...

    def recode(
        self,
        table: "Table",
        hierarchies: "Mapping[str, Hierarchy]",
        *,
        progress: Progress | None = None,
    ) -> Result:
        """Find a recoding of the table. The result is not verified, so use `anonset.anonymize` to publish data.

        Columns must be bound to their hierarchies.

        Raises
        ------
        InfeasibleError
            If the algorithm cannot achieve the guarantee, for example by generalization only.
        """
        ...


class Algorithms(Mapping[str, type[Algorithm]]):
    """Algorithms by name. Built-in algorithms are imported on first use."""

    def __init__(self, built_in: Mapping[str, str], offered: Mapping[str, type[Algorithm]]) -> None:
        self._own, self._offered = built_in, offered

    def __getitem__(self, name: str) -> type[Algorithm]:
        if name not in self._own:
            return self._offered[name]
        algorithm: type[Algorithm] = resolve_name(f"anonset.algorithms.{self._own[name]}")
        return algorithm

    def __contains__(self, name: object) -> bool:
        return name in self._own or name in self._offered

    def __iter__(self) -> Iterator[str]:
        yield from self._own
        yield from self._offered

    def __len__(self) -> int:
        return len(self._own) + len(self._offered)


LARGEST_MEMORY_FACTOR = 2.9
"""Memory factor of algorithms that do not declare a factor. No built-in algorithm has a larger factor."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Traits:
    """Capabilities of an algorithm class. The class declares them in the attribute `traits`.

    If the capabilities of an algorithm depend on parameters, the property `own_traits` computes them.
    """

    # guarantee and properties of the recodings
    answers: tuple[str, ...] = ()
    """Names of the models that the algorithm guarantees. Users can select the algorithm for these models."""
    also_answers: tuple[str, ...] = ()
    """Names of further models that the publication satisfies, with the same values of their parameters."""
    forms_sets: bool = False
    """True if the algorithm publishes sets of items. The name of a set lists its members, so items with commas or
    parentheses are rejected.
    """
    sets_from_data: bool = False
    """True if item frequencies determine the published sets. A set then discloses that its items are about equally
    frequent, and the attestation declares this.
    """
    tight: bool = False
    """True if the algorithm publishes the narrowest common relational values of each cluster."""
    coarsens: bool = False
    """True if the algorithm applies the same recoding to all records, and can continue the recoding of an earlier
    release.
    """

    # data larger than memory, and workers
    by_blocks: bool = False
    """True if the algorithm processes records in blocks and allocates no array of table length."""
    on_workers: bool = False
    """True if the algorithm can process blocks of records in other processes. The parts of a table that is split
    (`split_records`) can always be processed in other processes.
    """
    split_records: int | None = None
    """Maximum number of records in a part if larger data are split. None if the algorithm needs all data at once.

    If data are split, the algorithm must publish clusters of records (`PerCluster`) that are safe regardless of the
    other records.
    """
    splits_in_memory: bool = False
    """True if data in memory are also split, so that the result does not depend on the memory limit."""
    where: str = ""
    """Condition under which blocks or parts are used, as a phrase after "where". Empty if they are always used."""
    undivided: str = ""
    """Reason why workers in other processes do not make the algorithm faster. Empty if they do."""

    # memory and time
    memory_factor: float = LARGEST_MEMORY_FACTOR
    """Ratio of the memory of a run to the memory of `apriori` on the same data (> 0). Compilation is excluded.

    Values of built-in algorithms are measured (docs/development/measurements.md) without the memory of Python itself,
    and rounded up. The measurements use 1,000,000 baskets or tuples (`apriori`: 10,000,000), or 100,000 or 300,000
    relational or RT records. `cluster`, `k-member` and the algorithms of Xu have the value of `rum-bound`.
    """
    memory_beside: int = 0
    """Maximum memory, in bytes, that a run needs in addition to the memory given by `memory_factor`. It does not depend
    on the record count.
    """
    slow: bool = False
    """True if the running time is roughly quadratic in the number of records. `suggest` then skips the algorithm for
    large inputs.
    """
    refuses_above: int | None = None
    """Maximum number of records, independent of memory. None if there is no maximum."""
    instead: str = ""
    """Advice in messages about inputs with too many records."""

    # conditions under which `suggest` tries the algorithm, and under which messages recommend it
    not_tried: str = ""
    """Reason why `suggest` never tries this algorithm. Empty if `suggest` tries it."""
    set_beside: tuple[str, ...] = ()
    """Models for which `suggest` also shows this algorithm if m >= 2, although it guarantees another model. The output
    marks it.
    """
    keeps_more: bool = False
    """True if messages recommend this algorithm when the chosen algorithm publishes no useful data for the
    same model.
    """

    def __post_init__(self) -> None:
        if not self.memory_factor > 0:
            raise InputError(f"memory_factor must be above 0, got {self.memory_factor!r}")

    @property
    def models(self) -> tuple[str, ...]:
        """Names of all models in `answers` and `also_answers`."""
        return self.answers + self.also_answers

    @property
    def to_workers(self) -> bool:
        """True if tasks can run in other processes."""
        return (self.by_blocks and self.on_workers) or self.split_records is not None

    def __repr__(self) -> str:
        parts = (
            f"{part.name}={value!r}" for part in fields(self) if (value := getattr(self, part.name)) != part.default
        )
        return f"Traits({', '.join(parts)})"


_ONLY_IN_TRAITS = {"by_blocks", "forms_sets", "memory_factor", "on_workers", "split_records", "tight"}


def traits_of(algorithm: Any) -> Traits:
    """Return the `traits` of an algorithm class, or the `own_traits` of an algorithm if it has this property.

    A class without `traits` has default traits.

    Raises
    ------
    InputError
        If `traits` is not an instance of `Traits`, or the class declares a trait as a separate attribute.
    """
    cls = algorithm if isinstance(algorithm, type) else type(algorithm)
    if misplaced := sorted(_ONLY_IN_TRAITS.intersection(dir(cls))):
        example = ", ".join(f"{name}=..." for name in misplaced)
        msg = f"algorithm {cls.__name__} must declare {' and '.join(misplaced)} as traits = anonset.Traits({example})"
        raise InputError(msg)
    computed = cls is not algorithm and "own_traits" in dir(cls)
    traits = algorithm.own_traits if computed else getattr(algorithm, "traits", Traits())
    if not isinstance(traits, Traits):
        raise InputError(f"traits of algorithm {cls.__name__} must be anonset.Traits, got {traits!r}")
    return traits
