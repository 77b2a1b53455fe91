"""Partitions of local generalization on a stack, and their records."""

from typing import NamedTuple

from anonset_kernels._arrays import (
    Indptr,
    Int16Array,
    Int32Array,
    Int32Matrix,
    Int64Array,
    Int64Matrix,
    Items,
    UInt8Array,
)

FRAMES, EMITTED, WORK = 0, 1, 2
LOW, HIGH, FIRST, LENGTH = 0, 1, 2, 3


class HierarchyRecords(NamedTuple):
    """Records, and the hierarchy above their items."""

    indptr: Indptr
    """Start of each record in `items`, int64 (n + 1,)."""
    items: Items
    """Items of the records, ascending in each record, int32 (nnz,)."""
    path: Int32Matrix
    """Nodes on the path from the root to each item, int32 (M, D). Column 0 is the root. The path is padded with -1."""
    leaves: Int64Array
    """Cost of publishing each node, int64 (V,). The cost is the number of leaves below the node, or 0 for a leaf."""


class PartitionStack(NamedTuple):
    """Partitions on the stack, and completed partitions."""

    ids: Int32Array
    """Non-empty records, int32 (n+,). Each partition is a slice of this array, in ascending order."""
    level: Int16Array
    """Depth of each item's published node, int16 (nnz,)."""
    frames: Int64Matrix
    """Frame of each partition on the stack, int64 (n+ + 1, 4). LOW and HIGH refer to `ids`, FIRST and LENGTH to `pool`.
    """
    pool: Int32Array
    """Nodes of the partitions on the stack, int32 (nnz + 1,)."""
    failed: UInt8Array
    """1 for each node in `pool` that could not be divided, uint8 (nnz + 1,)."""
    cluster: Int32Array
    """Partition of each completed record, int32 (n,)."""
    cut_start: Int64Array
    """First node of each partition in `cut_nodes`, int64 (n+ + 1,)."""
    cut_nodes: Int32Array
    """Nodes of the completed partitions, int32 (nnz + 1,)."""
    cursor: Int64Array
    """Number of frames on the stack, of completed partitions, and of processed item occurrences, int64 (3,). Indexed by
    FRAMES, EMITTED and WORK.
    """
