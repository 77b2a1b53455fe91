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
"""Counters that stop at k, in the smallest type that can store k."""
IndexArray = Int32Array | Int64Array
"""Indices into arrays that may be longer than 2^31: int32 if sufficient, else int64."""
Integer = int | np.signedinteger
"""Number from an array or from Python; kernels treat both equally."""

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

# Tuples of arrays
Csr = tuple[Indptr, Items]
"""(indptr, items): rows of codes."""


class ExpandedCodes(NamedTuple):
    """Records as returned by `count_tree.expand`."""

    codes: Codes
    """int32 (entries + n,): codes of each record, ascending, terminated by -1."""
    start: Int64Array
    """int64 (C + 1,): first index of each code in `position`."""
    position: Position
    """int32 or int64 (entries,): indices of each code in `codes`, sorted by record."""


class Intervals(NamedTuple):
    """Leaf interval below the node of each code."""

    leaf_lo: LeafLo
    """int32 (C,): first leaf."""
    leaf_hi: LeafHi
    """int32 (C,): end of the leaf interval (exclusive)."""


Ancestry = tuple[Parent, LeafLo, LeafHi]
"""(parent, leaf_lo, leaf_hi) of a hierarchy."""
Postings = tuple[Int64Array, Int32Array]
"""(start, records): int64 (V + 1,) first index of each node; int32 (entries,) records of each node, ascending."""
Tree = tuple[Parent, LeafLo, LeafHi, SubtreeEnd]
"""(parent, leaf_lo, leaf_hi, subtree_end) of a hierarchy."""
KnownSets = tuple[Int32Matrix, Int32Array]
"""(members, slots): itemsets, int32 (K, width), and their hash table, int32 (2^b,). See `_known_sets`."""


class Tuples(NamedTuple):
    """Distinct relational tuples."""

    numbers: Float64Matrix
    """float64 (ranges, T): values of the numeric attributes."""
    codes: Int32Matrix
    """int32 (other attributes, T): nodes or value codes."""


class AttributeSpace(NamedTuple):
    """Description of v relational attributes and of their generalization costs."""

    kind: Int8Array
    """int8 (v,): RANGE, NODE or SET."""
    slot: Int64Array
    """int64 (v,): row of each attribute among the attributes of the same kind."""
    word_at: Int64Array
    """int64 (v + 1,): first word of each attribute's value sets."""
    weight: Float64Array
    """float64 (v,): a range of width x has the cost ``weight[a] * (x / width[a])``."""
    width: Float64Array
    """float64 (v,): width of the domain of each range."""
    cost_at: Int64Array
    """int64 (v + 1,): first index of each attribute in the following arrays."""
    cost: Float64Array
    """float64: ``cost[cost_at[a] + c]`` is the loss of node `c`, or of a set of `c` values."""
    parent: Parent
    """int32: parent of each node in the hierarchies."""
    subtree_end: SubtreeEnd
    """int32: end of each node's descendants (exclusive)."""


class ClusterStates(NamedTuple):
    """Generalized tuples of clusters, a column per cluster. See `relational`."""

    low: Float64Matrix
    """float64 (ranges, C): lower bounds of the ranges."""
    high: Float64Matrix
    """float64 (ranges, C): upper bounds of the ranges."""
    code: Int32Matrix
    """int32 (other attributes, C): nodes, or value set sizes."""
    bits: UInt64Matrix
    """uint64 (words, C): value sets."""


class PackedRule(NamedTuple):
    """Condition that each cluster must satisfy in addition to the minimum size. See `_class_rules`."""

    terms: Int64Array
    """int64 (8,): the rule. Its kind is NONE if there is no rule."""
    overall: Int64Array
    """int64 (M,): number of records with each value in the table."""
    ways: Int64Matrix
    """int64 (W, 3): distances between values."""
    value: Int32Array
    """int32 (n,): sensitive value of each record or of each tuple."""
