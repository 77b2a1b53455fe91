"""Expanded records for passes over blocks of records. A record is expanded to the codes of its items' ancestors.

Records in memory are expanded once. Blocks in files are expanded again for each pass, unless the method `stored` is
called, which stores the expanded records in files.
"""

import secrets
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from anonset.data import Hierarchy
from anonset.data.array_types import Int32
from anonset.data.blocks import Blocks, StoredRows, checked_rows
from anonset.data.storage.store import Store

_Done = TypeVar("_Done")


@dataclass(frozen=True, eq=False)
class BlockExpansion:
    """Expansion of a block's records to codes. The kernel `count_tree.expand_block` documents the fields."""

    image: Int32
    parent: Int32
    code: Int32
    n_codes: int
    height: int

    @classmethod
    def of(cls, hierarchy: Hierarchy, image: Int32, code: Int32, n_codes: int) -> "BlockExpansion":
        """Return the expansion of records to codes of the nodes of a hierarchy."""
        return cls(image, hierarchy.parent, code, n_codes, int(hierarchy.depth.max(initial=0)) + 1)

    def __call__(self, rows: StoredRows) -> Int32:
        """Return the records as ascending codes, with -1 after each record."""
        from anonset_kernels.rare_sets.count_tree import expand_block

        checked = checked_rows(rows, len(self.image))
        codes: Int32 = expand_block(*checked, self.image, self.parent, self.code, self.n_codes, self.height)
        return codes


class ExpandedBlocks:
    """Expanded records of some blocks."""

    def __init__(self, blocks: Blocks, expansion: BlockExpansion) -> None:
        self.blocks, self.expansion = blocks, expansion
        self._stored: list[Int32] | None = None
        if not blocks.store.in_files:
            self.stored()

    def __len__(self) -> int:
        """Return the number of blocks."""
        return len(self.blocks.rows)

    @property
    def store(self) -> Store:
        """Store of the blocks."""
        return self.blocks.store

    @property
    def in_parts(self) -> bool:
        """True if there are several blocks, or they are in files."""
        return len(self) > 1 or self.blocks.store.in_files

    def stored(self) -> list[Int32]:
        """Return the expanded records of each block. The records are stored, so that they are expanded only once."""
        if self._stored is None:
            expand = _Expand(self.expansion, self.blocks.store, secrets.token_hex(8))
            self._stored = list(self.store.map(expand, enumerate(self.blocks.rows)))
            weakref.finalize(self, expand.store.drop, *map(expand.name, range(len(self))))
        return self._stored

    def over(self, work: Callable[[Iterator[Int32]], _Done], tasks: int | None = None) -> Iterator[_Done]:
        """Run `work` over groups of blocks in `tasks` tasks. `Workers.divided` documents the division."""
        parts: Sequence[Any] = self.blocks.rows if self._stored is None else self._stored
        groups = self.store.workers.divided(parts, tasks)
        return self.store.map(BlockTask(work, self.expansion if self._stored is None else None), groups)


@dataclass(frozen=True, eq=False)
class _Expand:
    expansion: BlockExpansion
    store: Store
    token: str

    def name(self, number: int) -> str:
        return f"expanded-{self.token}-{number}"

    def __call__(self, numbered: tuple[int, StoredRows]) -> Int32:
        number, rows = numbered
        codes = self.expansion(rows)
        return self.store.keep(self.name(number), codes)


@dataclass(frozen=True, eq=False)
class BlockTask:
    """Applies `work` to some blocks. If `made` is given, it first converts each block."""

    work: Callable[[Iterator[Any]], Any]
    made: Callable[[Any], Any] | None

    def __call__(self, group: Iterable[Any]) -> Any:
        """Return the result of `work` on some blocks."""
        return self.work(iter(group) if self.made is None else map(self.made, group))
