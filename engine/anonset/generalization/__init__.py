"""Recodings, which represent the decisions of an algorithm, and their application to tables."""

from anonset.generalization.apply import apply
from anonset.generalization.recoding import (
    Bucketized,
    Cut,
    Disassociated,
    ItemGroups,
    PerCluster,
    Recoding,
    RelationalValues,
)

__all__ = [
    "Bucketized",
    "Cut",
    "Disassociated",
    "ItemGroups",
    "PerCluster",
    "Recoding",
    "RelationalValues",
    "apply",
]
