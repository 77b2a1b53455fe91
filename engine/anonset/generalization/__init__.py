"""Recodings, which algorithms decide, and publications, which applying a recoding gives."""

from anonset.generalization.apply import apply
from anonset.generalization.publication import Publication, Symbol
from anonset.generalization.recoding import (
    Buckets,
    Cut,
    Disassociated,
    ItemGroups,
    PerCluster,
    Recoding,
    RelationalValues,
)

__all__ = [
    "Buckets",
    "Cut",
    "Disassociated",
    "ItemGroups",
    "PerCluster",
    "Publication",
    "Recoding",
    "RelationalValues",
    "Symbol",
    "apply",
]
