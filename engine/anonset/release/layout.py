"""How a publication is laid out: the order of its rows, its format, and how large sets are named."""

from dataclasses import dataclass
from typing import Literal

from anonset.errors import InputError
from anonset.spelling import setting

Order = Literal["sorted", "input"]
Symbols = Literal["auto", "members", "short"]
Format = Literal["csv", "parquet", "dat"]

_AS_INPUT = (
    "the rows stand in the order of the input; whoever knows that order knows whose row each one is, "
    "whatever the model promises"
)


@dataclass(frozen=True)
class Layout:
    """The shape of what is published, whatever it says."""

    order: Order = "sorted"
    """Order of the rows: by their published content, or as in the input."""
    symbols: Symbols = "auto"
    """How a set of items or values is named: by its members, by a short code, or by a code above 8 members."""
    format: Format | None = "csv"
    """Format of the data; None: they stay in memory."""
    separator: str = " "
    """Separates the symbols within a field."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is dangerous about it."""
        return (f"{setting('order', 'input')}: {_AS_INPUT}",) if self.order == "input" else ()

    def __post_init__(self) -> None:
        for name, value, choices in (
            ("order", self.order, ("sorted", "input")),
            ("symbols", self.symbols, ("auto", "members", "short")),
            ("format", self.format or "csv", ("csv", "parquet", "dat")),
        ):
            if value not in choices:
                shown = " or ".join([", ".join(map(repr, choices[:-1])), repr(choices[-1])])
                msg = f"{name} must be {shown}, got {value!r}"
                raise InputError(msg)
