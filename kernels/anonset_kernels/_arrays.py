"""Array types of the kernels, and descriptions of recurring arrays.

A parameter with one of the names below (`indptr` for `Indptr`, `leaf_lo` for `LeafLo`) is this array in every kernel;
docstrings describe all other arrays. Arrays are C-contiguous unless a kernel documents another layout. This file
contains types only: kernels use them in signatures, and mypy checks the callers.

In shapes, n is the number of records, nnz the number of their items, M the number of items in the universe (leaves of
the hierarchy), V the number of hierarchy nodes, C the number of codes in use, W the number of 64-bit words for C bits,
and F the capacity for results.
"""

from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np

Int8Array = np.ndarray[tuple[int], np.dtype[np.int8]]
Int16Array = np.ndarray[tuple[int], np.dtype[np.int16]]
Int32Array = np.ndarray[tuple[int], np.dtype[np.int32]]
Int64Array = np.ndarray[tuple[int], np.dtype[np.int64]]
UInt8Array = np.ndarray[tuple[int], np.dtype[np.uint8]]
UInt64Array = np.ndarray[tuple[int], np.dtype[np.uint64]]
Float64Array = np.ndarray[tuple[int], np.dtype[np.float64]]
BoolArray = np.ndarray[tuple[int], np.dtype[np.bool_]]
UInt16Array = np.ndarray[tuple[int], np.dtype[np.uint16]]
UInt32Array = np.ndarray[tuple[int], np.dtype[np.uint32]]
CountArray = UInt8Array | UInt16Array | UInt32Array
"""Counters that stop at k. The type is the smallest unsigned integer type that can store k."""
IndexArray = Int32Array | Int64Array
"""Indices into arrays that may have more than 2^31 elements. The type is int32 if the largest index fits, otherwise
int64.
"""
Integer = int | np.signedinteger
"""Integer from an array or from Python. Kernels accept both."""

Int32Matrix = np.ndarray[tuple[int, int], np.dtype[np.int32]]
Int64Matrix = np.ndarray[tuple[int, int], np.dtype[np.int64]]
UInt8Matrix = np.ndarray[tuple[int, int], np.dtype[np.uint8]]
UInt64Matrix = np.ndarray[tuple[int, int], np.dtype[np.uint64]]
Float64Matrix = np.ndarray[tuple[int, int], np.dtype[np.float64]]


@dataclass(frozen=True)
class ArrayDescription:
    """Description of an array with a registered name."""

    shape: str
    meaning: str
    writable: bool = True
    """False for arrays that map the bytes of a file."""


# Records
Indptr = Annotated[
    Int64Array, ArrayDescription("(n + 1,)", "first index of each row in `items`, then the length of `items`")
]
Items = Annotated[Int32Array, ArrayDescription("(nnz,)", "codes of the items, row after row")]
ItemStart = Annotated[Int64Array, ArrayDescription("(M + 1,)", "first index of each item in `item_records`")]
ItemRecords = Annotated[Int32Array, ArrayDescription("(nnz,)", "records of each item, ascending, item after item")]
Codes = Annotated[
    Int32Array,
    ArrayDescription("(entries + n,)", "records as ascending codes, terminated by -1; see `count_tree.expand`"),
]
Position = Annotated[
    IndexArray, ArrayDescription("(entries,)", "indices of each code in `codes`, sorted by code and record")
]
Stack = Annotated[
    IndexArray, ArrayDescription("(any,)", "projections of prefixes: indices of their last codes in `codes`")
]
TupleOf = Annotated[Int32Array, ArrayDescription("(n,)", "number of each record's distinct relational tuple")]

# Files
Buffer = Annotated[UInt8Array, ArrayDescription("(bytes,)", "bytes read from a file", writable=False)]

# Hierarchies: nodes are numbered in preorder, so the descendants of a node are an interval
Parent = Annotated[Int32Array, ArrayDescription("(V,)", "parent of each node; -1 for the root")]
SubtreeEnd = Annotated[Int32Array, ArrayDescription("(V,)", "end of the descendants of each node (exclusive)")]
LeafLo = Annotated[Int32Array, ArrayDescription("(V,) or, by code, (C,)", "first leaf of each node")]
LeafHi = Annotated[
    Int32Array, ArrayDescription("(V,) or, by code, (C,)", "end of the leaf interval of each node (exclusive)")
]
LeafNode = Annotated[Int32Array, ArrayDescription("(M,)", "node of each leaf")]
Dead = Annotated[
    UInt8Array,
    ArrayDescription("(V,) or, by code, (C,)", "True for nodes that were generalized and are no longer published"),
]

# Itemsets during a search
Itemset = Annotated[Int32Array, ArrayDescription("(size,)", "members of an itemset: items, nodes or codes")]
Image = Annotated[Int32Array, ArrayDescription("(up to size,)", "distinct groups or symbols that cover an itemset")]
Prefix = Annotated[Int32Array, ArrayDescription("(size,)", "codes of the current prefix, ascending")]
Count = Annotated[Int32Array, ArrayDescription("(C,)", "records that contain the current prefix and each further code")]
Allowed = Annotated[
    UInt64Matrix, ArrayDescription("(C, W)", "bits of the codes that a set may contain together with each code")
]
Found = Annotated[Int32Matrix, ArrayDescription("(F, size)", "found sets, padded with -1")]
FoundSupport = Annotated[Int32Array, ArrayDescription("(F,)", "support of each set in `found`")]
Together = Annotated[
    UInt8Matrix, ArrayDescription("(C, C) or (0, 0)", "True if a rare set contains both codes (smaller code first)")
]
Tally = Annotated[
    Int64Array, ArrayDescription("(E,)", "counters of the sensitive or private items, zero between calls")
]
Packed = Annotated[UInt64Array, ArrayDescription("(words,)", "records as bit vectors without zero words; see `btd`")]

# Random draws
DrawKey = Annotated[UInt64Array, ArrayDescription("(2,)", "key of the draws: see `_draws`")]

# Hashes
HashKey = Annotated[UInt64Array, ArrayDescription("(2,)", "secret key of the hashes: see `_siphash`")]

# Tuples of arrays
Csr = tuple[Indptr, Items]
"""Rows of codes, as a pair (indptr, items)."""


class ExpandedCodes(NamedTuple):
    """Records as returned by `count_tree.expand`."""

    codes: Codes
    """Codes of each record in ascending order, followed by -1, int32 (entries + n,)."""
    start: Int64Array
    """First index of each code in `position`, int64 (C + 1,)."""
    position: Position
    """Indices of each code in `codes`, sorted by record, int32 or int64 (entries,)."""


class Intervals(NamedTuple):
    """Interval of the leaves below each code's node."""

    leaf_lo: LeafLo
    """First leaf of each interval, int32 (C,)."""
    leaf_hi: LeafHi
    """End of each interval (exclusive), int32 (C,)."""


class TreeShape(NamedTuple):
    """Tree of V nodes in preorder, above the items of some records."""

    parent: Int32Array
    """Parent of each node, int32 (V,). -1 for the root."""
    end: Int32Array
    """End of each node's descendants (exclusive), int32 (V,)."""
    occurrences: Int64Array
    """Number of item occurrences below each node in the records, int64 (V,)."""
    leaves: Int64Array
    """Number of items below each node, int64 (V,). Includes items that never occur."""


Ancestry = tuple[Parent, LeafLo, LeafHi]
"""(parent, leaf_lo, leaf_hi) of a hierarchy."""
Postings = tuple[Int64Array, Int32Array]
"""Records below each node, as a pair (start, records): first index of each node, int64 (V + 1,), and the records of
each node in ascending order, int32 (entries,).
"""
Tree = tuple[TreeShape, Intervals]
"""Shape of a hierarchy and leaf interval of each node."""
KnownSets = tuple[Int32Matrix, Int32Array]
"""Itemsets, int32 (K, width), and their hash table, int32 (2^b,). See `_known_sets`."""


class Tuples(NamedTuple):
    """Distinct relational tuples."""

    numbers: Float64Matrix
    """Values of the numeric attributes, float64 (ranges, T)."""
    codes: Int32Matrix
    """Nodes or value codes, int32 (other attributes, T)."""


class AttributeSpace(NamedTuple):
    """Description of v relational attributes and of their generalization costs."""

    kind: Int8Array
    """Kind of each attribute (RANGE, NODE or SET), int8 (v,)."""
    slot: Int64Array
    """Row of each attribute, int64 (v,). The row is in `Tuples.numbers` for a range, otherwise in `Tuples.codes`."""
    word_at: Int64Array
    """First row in `ClusterStates.bits` of each attribute's value sets, int64 (v + 1,)."""
    weight: Float64Array
    """Weight of each attribute, float64 (v,). A range of width x has the cost ``weight[a] * (x / width[a])``."""
    width: Float64Array
    """Width of the domain of each range, float64 (v,)."""
    cost_at: Int64Array
    """First index of each attribute in `cost`, `parent` and `subtree_end`, int64 (v + 1,)."""
    cost: Float64Array
    """Losses of the published values, attribute after attribute, float64. ``cost[cost_at[a] + c]`` is the loss of node
    `c`, or of a set of `c` values.
    """
    parent: Parent
    """Parent of each node in the hierarchies, int32."""
    subtree_end: SubtreeEnd
    """End of each node's descendants (exclusive), int32."""


class ClusterStates(NamedTuple):
    """Generalized tuple of each cluster. Each array has a column per cluster. See `relational`."""

    low: Float64Matrix
    """Lower bounds of the ranges, float64 (ranges, C)."""
    high: Float64Matrix
    """Upper bounds of the ranges, float64 (ranges, C)."""
    code: Int32Matrix
    """Lowest common nodes, or sizes of the value sets, int32 (other attributes, C)."""
    bits: UInt64Matrix
    """Value sets as bitmaps, uint64 (words, C)."""


class PackedRule(NamedTuple):
    """Condition that each cluster must satisfy in addition to the minimum size. See `_class_rules`."""

    terms: Int64Array
    """Kind and parameters of the rule, int64 (8,). The kind is NONE if there is no rule."""
    overall: Int64Array
    """Number of records of the table with each sensitive value, int64 (M,)."""
    ways: Int64Matrix
    """Edges between sensitive values as rows (from, to, length), int64 (W, 3). The surplus of the values `from` to ``to
    - 1`` is moved over this length.
    """
    value: Int32Array
    """Sensitive value of each record or tuple, int32 (n,)."""
