"""Registry of generators, and functions that write generated data to files."""

import csv
import gzip
import inspect
import io
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, TextIO

from anonset.data import CategoricalColumn, Hierarchy, NumericColumn, SetColumn, Table
from anonset.errors import InputError
from anonset_datasets.generators.groceries import shop, shop_hierarchy
from anonset_datasets.generators.longitudinal import longitudinal
from anonset_datasets.generators.patients import drug_hierarchy, hospital, hospital_hierarchy, prescriptions
from anonset_datasets.generators.patterns import quest
from anonset_datasets.generators.pos import pos_like, pos_like_part
from anonset_datasets.generators.tail import long_tail, long_tail_part
from anonset_datasets.generators.youtube import youtube_like, youtube_like_part

Value = int | float | str
"""Parameter value of a generator."""

_ROWS_AT_ONCE = 1 << 16
_LONGEST_STEM = 60  # number of characters of the file name in the temporary name, which has a length limit


@dataclass(frozen=True)
class Generator:
    """Entry of the generator registry."""

    name: str
    kind: Literal["transactions", "rt", "longitudinal"]
    """Kind of data. ``transactions`` are written as ``.dat``, and other kinds are written as ``.csv``."""
    about: str
    """One-line description of the data."""
    function: Callable[..., Table]
    part: Callable[..., Table] | None = None
    """Function that generates only some blocks of the records, by block number.

    None if the generator does not support this.
    """
    hierarchy: Callable[[], Hierarchy] | None = None
    """Function that returns the hierarchy of the items. None if items have no meaning."""

    @property
    def parameters(self) -> dict[str, Value]:
        """Parameter names and default values. A parameter has the same type as its default value."""
        return {name: parameter.default for name, parameter in inspect.signature(self.function).parameters.items()}


GENERATORS: dict[str, Generator] = {
    generator.name: generator
    for generator in (
        Generator("pos_like", "transactions", "point-of-sale baskets in the shape of BMS-POS", pos_like, pos_like_part),
        Generator(
            "long_tail",
            "transactions",
            "baskets over a large universe, most of whose items are rare",
            long_tail,
            long_tail_part,
        ),
        Generator("quest", "transactions", "transactions after the IBM Quest generator", quest),
        Generator(
            "youtube_like",
            "rt",
            "videos with six attributes and their related videos, in the shape of YOUTUBE",
            youtube_like,
            youtube_like_part,
        ),
        Generator(
            "shop", "transactions", "baskets of a small shop with readable item names", shop, hierarchy=shop_hierarchy
        ),
        Generator(
            "hospital",
            "rt",
            "patients with age, sex and ICD-10 codes, none of them real",
            hospital,
            hierarchy=hospital_hierarchy,
        ),
        Generator(
            "prescriptions",
            "longitudinal",
            "several rows a patient, a drug in each, none of them real",
            prescriptions,
            hierarchy=drug_hierarchy,
        ),
        Generator(
            "longitudinal",
            "longitudinal",
            "several rows a person with names and occupation, from the census data of the catalogue",
            longitudinal,
        ),
    )
}
"""All generators by name."""


def generate(name: str, **parameters: Value) -> Table:
    """Generate a table by generator name.

    >>> generate("quest", n=10).n
    10

    Raises
    ------
    InputError
        If there is no such generator or parameter, or a parameter is out of range.
    """
    generator = generator_of(name)
    require_parameters(generator, parameters)
    return generator.function(**parameters)


def require_parameters(generator: Generator, given: Iterable[str]) -> None:
    """Reject parameters that a generator does not have.

    Raises
    ------
    InputError
        The message names the valid parameters.
    """
    known = generator.parameters
    for parameter in given:
        if parameter not in known:
            msg = f"parameter of {generator.name!r} must be one of {', '.join(known)}, got {parameter!r}"
            raise InputError(msg)


def make(name: str, path: str | Path, **parameters: Value) -> Table:
    """Generate a table and write it to a file.

    The suffix is ``.dat`` for transactions and ``.csv`` for RT data. With an additional ``.gz``, the file is
    compressed.

    The file is renamed to `path` when it is complete. The same parameters produce the same bytes.

    Returns
    -------
    Table
        The generated table.

    Raises
    ------
    InputError
        If the name, a parameter or the suffix is invalid, or the file exists.
    """
    target, generator = Path(path), generator_of(name)
    suffix = ".dat" if generator.kind == "transactions" else ".csv"
    if not target.name.endswith((suffix, f"{suffix}.gz")):
        msg = f"path of {name!r} must end in {suffix} or {suffix}.gz, got {str(path)!r}"
        raise InputError(msg)
    if target.exists():
        msg = f"path must be a new file, but {str(path)!r} exists"
        raise InputError(msg)
    if not target.parent.is_dir():
        msg = f"path must be in an existing folder, got {str(path)!r}"
        raise InputError(msg)
    table = generate(name, **parameters)
    with _appearing(target) as out:
        if generator.kind == "transactions" and table.transactions is not None:
            for line in _set_fields(table.transactions):
                out.write(line)
                out.write("\n")
        else:
            _write_csv(table, out)
    return table


def write_tree(name: str, path: str | Path) -> None:
    """Write the item hierarchy of a generator to a new file.

    Raises
    ------
    InputError
        If there is no such generator, its items have no hierarchy, or the file exists.
    """
    from anonset.reading.hierarchies.files import write_hierarchy

    generator, target = generator_of(name), Path(path)
    if generator.hierarchy is None:
        msg = f"{name!r} has no hierarchy of its items; use balanced:5, or another rule"
        raise InputError(msg)
    if target.exists():
        msg = f"hierarchy must be a new file, but {str(path)!r} exists"
        raise InputError(msg)
    write_hierarchy(generator.hierarchy(), target)


def generator_of(name: str) -> Generator:
    """Return a generator by name.

    Raises
    ------
    InputError
        The message lists the valid names.
    """
    found = GENERATORS.get(name)
    if found is None:
        msg = f"generator must be one of {', '.join(GENERATORS)}, got {name!r}"
        raise InputError(msg)
    return found


@contextmanager
def _appearing(target: Path) -> Iterator[TextIO]:
    """Open a text file under a temporary name in the same folder.

    The file is renamed at the end, or deleted after an error.
    """
    partial = target.with_name(f".{target.name[:_LONGEST_STEM]}.{os.getpid()}.partial")
    try:
        with partial.open("xb") as raw:
            if target.suffix == ".gz":  # the header has no name and time, so equal content gives equal bytes
                with gzip.GzipFile("", "wb", 6, raw, mtime=0) as packed:
                    yield from _as_text(packed)
            else:
                yield from _as_text(raw)
        partial.replace(target)
    except OSError as error:
        if error.errno is not None:
            error.filename = str(target)  # the message names `target`
        raise
    finally:
        partial.unlink(missing_ok=True)


def _as_text(binary: Any) -> Iterator[TextIO]:
    text = io.TextIOWrapper(binary, "utf-8", newline="", write_through=False)
    yield text
    text.flush()
    text.detach()


def _write_csv(table: Table, out: TextIO) -> None:
    writer = csv.writer(out, lineterminator="\n")
    columns = table.columns
    writer.writerow([column.name for column in columns])
    writer.writerows(zip(*(_fields(column) for column in columns), strict=True))


def _fields(column: SetColumn | CategoricalColumn | NumericColumn) -> Iterator[Any]:
    if isinstance(column, SetColumn):
        return _set_fields(column)
    return iter(column.labels() if isinstance(column, CategoricalColumn) else column.values.tolist())


def _set_fields(column: SetColumn) -> Iterator[str]:
    labels = column.vocabulary.labels
    for start in range(0, column.n, _ROWS_AT_ONCE):
        bounds = column.indptr[start : start + _ROWS_AT_ONCE + 1]
        names = [labels[code] for code in column.items[bounds[0] : bounds[-1]].tolist()]
        ends = (bounds - bounds[0]).tolist()
        for first, end in pairwise(ends):
            yield " ".join(names[first:end])
