"""What an algorithm decided (recodings), and what it publishes once applied (publications)."""

from anonset.generalization.apply import apply
from anonset.generalization.publication import Publication, Symbol
from anonset.generalization.recoding import Buckets, Cut, ItemGroups, PerCluster, Recoding, RelationalValues

__all__ = [
    "Buckets",
    "Cut",
    "ItemGroups",
    "PerCluster",
    "Publication",
    "Recoding",
    "RelationalValues",
    "Symbol",
    "apply",
]
