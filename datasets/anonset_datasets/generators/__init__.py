"""Seeded generators of data sets: transactions, RT data, and a small shop for demonstrations."""

from anonset_datasets.generators.groceries import demo_table, shop, shop_hierarchy
from anonset_datasets.generators.patterns import quest
from anonset_datasets.generators.pos import pos_like
from anonset_datasets.generators.registry import GENERATORS, Generator, generate, make
from anonset_datasets.generators.tail import long_tail
from anonset_datasets.generators.youtube import youtube_like

__all__ = [
    "GENERATORS",
    "Generator",
    "demo_table",
    "generate",
    "long_tail",
    "make",
    "pos_like",
    "quest",
    "shop",
    "shop_hierarchy",
    "youtube_like",
]
