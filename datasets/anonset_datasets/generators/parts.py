"""Generate data of any size as several files in a folder. The files are generated independently."""

from collections.abc import Mapping
from pathlib import Path

from anonset.data.storage.workers import Threads
from anonset.errors import InputError
from anonset_datasets.generators.missions import BLOCK
from anonset_datasets.generators.registry import Value, generator_of, new_folder, require_parameters

BLOCKS_OF_PART = max(1, (1 << 20) // BLOCK)
"""Number of record blocks per part, so that a part has about a million records."""


def make_parts(name: str, folder: str | Path, parameters: Mapping[str, Value], workers: int | None = None) -> int:
    """Generate data into a new folder of Parquet files ``part-00000.parquet``, ... Return the number of records.

    The records are those of `generate`, in the same order. The folder is renamed to `folder` when it is complete.

    Parameters
    ----------
    parameters
        Parameters of the generator.
    workers
        Number of threads, by default one per core. The output does not depend on the number of threads.

    Raises
    ------
    InputError
        If there is no such generator or parameter, a parameter is out of range, or the folder exists.
    """
    from anonset.writing.table_files import write_parquet

    generator = generator_of(name)
    require_parameters(generator, parameters)
    if generator.part is None:
        raise InputError(f"{name!r} is not generated in parts; give a file that ends in .dat or .csv")
    make = generator.part
    n = parameters.get("n", generator.parameters["n"])
    make(**{**parameters, "only": range(0)})  # rejects parameters out of range
    n_blocks = -(-int(n) // BLOCK)
    ranges = [range(at, min(at + BLOCKS_OF_PART, n_blocks)) for at in range(0, n_blocks, BLOCKS_OF_PART)] or [range(0)]
    with new_folder(folder) as partial:

        def written(number: int) -> int:
            table = make(**{**parameters, "only": ranges[number]})
            write_parquet(table, partial / f"part-{number:05}.parquet")
            return table.n

        return sum(Threads(workers).map(written, range(len(ranges))))
