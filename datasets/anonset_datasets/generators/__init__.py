"""Seeded generators of transactions, of relational-transaction data, and of demonstration data."""

from anonset_datasets.generators.groceries import demo_table, shop, shop_hierarchy
from anonset_datasets.generators.patients import drug_hierarchy, hospital, hospital_hierarchy, prescriptions
from anonset_datasets.generators.patterns import quest
from anonset_datasets.generators.pos import pos_like
from anonset_datasets.generators.registry import GENERATORS, Generator, generate, make, make_tables, write_tree
from anonset_datasets.generators.tail import long_tail
from anonset_datasets.generators.youtube import youtube_like

__all__ = [
    "GENERATORS",
    "Generator",
    "demo_table",
    "drug_hierarchy",
    "generate",
    "hospital",
    "hospital_hierarchy",
    "long_tail",
    "make",
    "make_tables",
    "pos_like",
    "prescriptions",
    "quest",
    "shop",
    "shop_hierarchy",
    "write_tree",
    "youtube_like",
]
