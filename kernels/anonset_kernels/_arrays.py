"""The arrays of the kernels: their types, and those that recur, each described once.

A parameter of one of the names below (`indptr` for `Indptr`, `leaf_lo` for `LeafLo`) is that array in every kernel;
the docstrings describe the others. Arrays are C-contiguous unless a kernel says otherwise. Nothing here is run: kernels
import it for their signatures, and mypy holds callers to them.

In shapes, n is the number of records, nnz that of their items, M that of the items of the universe (the leaves of the
hierarchy), V that of its nodes, C that of the codes that take part, W that of 64-bit words for C bits, F room for what
is found.
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
"""Counters that stop at k, in the smallest type that holds it."""
IndexArray = Int32Array | Int64Array
"""Indices into something that may be larger than 2^31: int32 where that suffices, else int64."""
Integer = int | np.signedinteger
"""A number out of an array, or one of Python: the same to a kernel."""

Int32Matrix = np.ndarray[tuple[int, int], np.dtype[np.int32]]
Int64Matrix = np.ndarray[tuple[int, int], np.dtype[np.int64]]
UInt8Matrix = np.ndarray[tuple[int, int], np.dtype[np.uint8]]
UInt64Matrix = np.ndarray[tuple[int, int], np.dtype[np.uint64]]
Float64Matrix = np.ndarray[tuple[int, int], np.dtype[np.float64]]


@dataclass(frozen=True)
class Described:
    """What an array of a certain name holds."""

    shape: str
    meaning: str
    writable: bool = True
    """Whether it is an array of ours, and not the bytes of a file."""


# Records
Indptr = Annotated[Int64Array, Described("(n + 1,)", "where each row of `items` begins; the last entry is its length")]
Items = Annotated[Int32Array, Described("(nnz,)", "codes of the items, row after row")]
ItemStart = Annotated[Int64Array, Described("(M + 1,)", "where the records of each item begin in `item_records`")]
ItemRecords = Annotated[Int32Array, Described("(nnz,)", "records of each item, ascending, item after item")]
Codes = Annotated[
    Int32Array,
    Described("(entries + n,)", "records as ascending codes, each closed by -1; `count_tree.expand` makes them"),
]
Position = Annotated[
    IndexArray, Described("(entries,)", "where each code stands in `codes`, code after code, by record")
]
Stack = Annotated[
    IndexArray, Described("(any,)", "where prefixes end in `codes`: their projections, one after another")
]
TupleOf = Annotated[Int32Array, Described("(n,)", "number of each record's relational tuple among the distinct ones")]

# Files
Buffer = Annotated[UInt8Array, Described("(bytes,)", "what was read of a file", writable=False)]

# Hierarchies: nodes are numbered in preorder, so what is below a node is an interval
Parent = Annotated[Int32Array, Described("(V,)", "parent of each node; -1 for the root")]
SubtreeEnd = Annotated[Int32Array, Described("(V,)", "one past the last node below each node")]
LeafLo = Annotated[Int32Array, Described("(V,) or, by code, (C,)", "first leaf below each node")]
LeafHi = Annotated[Int32Array, Described("(V,) or, by code, (C,)", "one past the last leaf below each node")]
LeafNode = Annotated[Int32Array, Described("(M,)", "node of each leaf")]
Dead = Annotated[UInt8Array, Described("(V,) or, by code, (C,)", "nodes that were generalised: published no more")]

# Sets under search
Itemset = Annotated[Int32Array, Described("(size,)", "members of one set: items, nodes or codes")]
Image = Annotated[Int32Array, Described("(up to size,)", "groups or symbols that stand for an itemset, each once")]
Prefix = Annotated[Int32Array, Described("(size,)", "codes of the set at hand, ascending, as far as they are chosen")]
Count = Annotated[Int32Array, Described("(C,)", "records that hold the prefix at hand and each further code")]
Allowed = Annotated[UInt64Matrix, Described("(C, W)", "bits of the codes that may stand in a set with each code")]
Found = Annotated[Int32Matrix, Described("(F, size)", "the sets that were found, each filled up with -1")]
FoundSupport = Annotated[Int32Array, Described("(F,)", "support of each set in `found`")]
Together = Annotated[
    UInt8Matrix, Described("(C, C) or (0, 0)", "whether two codes, the smaller one first, are in a rare set")
]
Tally = Annotated[Int64Array, Described("(E,)", "counters of the sensitive or private items, zero between calls")]
Packed = Annotated[UInt64Array, Described("(words,)", "records as bit-vectors without their zero words; see `btd`")]

# Draws
DrawKey = Annotated[UInt64Array, Described("(2,)", "key of the draws: see `_draws`")]

# What goes together
Csr = tuple[Indptr, Items]
"""(indptr, items): rows of codes."""


class Expanded(NamedTuple):
    """Records as `count_tree.expand` returns them."""

    codes: Codes
    """int32 (entries + n,): the codes of each record, ascending and closed by -1."""
    start: Int64Array
    """int64 (C + 1,): where each code begins in `position`."""
    position: Position
    """int32 or int64 (entries,): indices in `codes` at which each code occurs, by record."""


class Intervals(NamedTuple):
    """Leaves below the node of each code, by code."""

    leaf_lo: LeafLo
    """int32 (C,): first leaf."""
    leaf_hi: LeafHi
    """int32 (C,): one past the last leaf."""


Ancestry = tuple[Parent, LeafLo, LeafHi]
"""(parent, leaf_lo, leaf_hi) of a hierarchy."""
Postings = tuple[Int64Array, Int32Array]
"""(start, records): records of each node, ascending; int64 (V + 1,) where they begin, and int32 (entries,)."""
Tree = tuple[Parent, LeafLo, LeafHi, SubtreeEnd]
"""(parent, leaf_lo, leaf_hi, subtree_end) of a hierarchy."""
KnownSets = tuple[Int32Matrix, Int32Array]
"""(members, slots): sets, int32 (K, width), and the hash table over them, int32 (2^b,): see `_known_sets`."""


class Tuples(NamedTuple):
    """Distinct relational tuples."""

    numbers: Float64Matrix
    """float64 (ranges, T): values of the numeric attributes."""
    codes: Int32Matrix
    """int32 (other attributes, T): nodes, or codes of values."""


class Space(NamedTuple):
    """What v relational attributes are, and what it costs to generalize them."""

    kind: Int8Array
    """int8 (v,): RANGE, NODE or SET."""
    slot: Int64Array
    """int64 (v,): the row of each attribute among those of its kind."""
    word_at: Int64Array
    """int64 (v + 1,): where the words of the value sets of each attribute begin."""
    weight: Float64Array
    """float64 (v,): a range of width x costs ``weight[a] * (x / width[a])``."""
    width: Float64Array
    """float64 (v,): width of the domain of each range."""
    cost_at: Int64Array
    """int64 (v + 1,): where each attribute begins in the following arrays."""
    cost: Float64Array
    """float64: ``cost[cost_at[a] + c]`` is the loss of node `c`, or of a set of `c` values."""
    parent: Parent
    """int32: parents of the nodes of the hierarchies."""
    subtree_end: SubtreeEnd
    """int32: one past the last node below each node."""


class ClusterStates(NamedTuple):
    """Generalized tuples of clusters, one column for each cluster: see `relational`."""

    low: Float64Matrix
    """float64 (ranges, C): lower ends of the ranges."""
    high: Float64Matrix
    """float64 (ranges, C): upper ends of the ranges."""
    code: Int32Matrix
    """int32 (other attributes, C): nodes, or sizes of sets."""
    bits: UInt64Matrix
    """uint64 (words, C): sets of values."""


class PackedRule(NamedTuple):
    """What each cluster must satisfy beside its size: see `_class_rules`."""

    terms: Int64Array
    """int64 (8,): the rule; its kind is NONE if there is none."""
    overall: Int64Array
    """int64 (M,): number of records of the whole table with each value."""
    ways: Int64Matrix
    """int64 (W, 3): distances between values."""
    value: Int32Array
    """int32 (n,): sensitive value of each record, or of each tuple."""
