"""The arrays of the kernels: their types, and those that recur, each described once.

A parameter of one of the names below (`indptr` for `Indptr`, `leaf_lo` for `LeafLo`) is that array in every kernel;
the docstrings describe the others. Arrays are C-contiguous unless a kernel says otherwise. Nothing here is run: kernels
import it for their signatures, and mypy holds callers to them.

In shapes, n is the number of records, nnz that of their items, M that of the items of the universe (the leaves of the
hierarchy), V that of its nodes, C that of the codes that take part, W that of 64-bit words for C bits, F room for what
is found.
"""

from dataclasses import dataclass
from typing import Annotated

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
Expanded = tuple[Codes, Int64Array, Position]
"""(codes, start, position) of `count_tree.expand`; start, int64 (C + 1,): where each code begins in `position`."""
Intervals = tuple[LeafLo, LeafHi]
"""(leaf_lo, leaf_hi), by code."""
Ancestry = tuple[Parent, LeafLo, LeafHi]
"""(parent, leaf_lo, leaf_hi) of a hierarchy."""
Postings = tuple[Int64Array, Int32Array]
"""(start, records): records of each node, ascending; int64 (V + 1,) where they begin, and int32 (entries,)."""
Tree = tuple[Parent, LeafLo, LeafHi, SubtreeEnd]
"""(parent, leaf_lo, leaf_hi, subtree_end) of a hierarchy."""
KnownSets = tuple[Int32Matrix, Int32Array]
"""(members, slots): sets, int32 (K, width), and the hash table over them, int32 (2^b,): see `_known_sets`."""
Tuples = tuple[Float64Matrix, Int32Matrix]
"""(numbers, codes): distinct relational tuples, float64 (ranges, T) and int32 (other attributes, T)."""
Space = tuple[
    Int8Array, Int64Array, Int64Array, Float64Array, Float64Array, Int64Array, Float64Array, Parent, SubtreeEnd
]
"""(kind, slot, word_at, weight, width, cost_at, cost, parent, subtree_end) of v relational attributes.

``kind``, int8 (v,), is RANGE, NODE or SET; ``slot``, int64 (v,), is the row of an attribute among those of its kind;
``word_at``, int64 (v + 1,), is where the words of its value sets begin; ``weight`` and ``width``, float64 (v,), are
those of the loss of a range. From ``cost_at[a]`` on, int64 (v + 1,), stand the loss of each node or size, and the
parents and subtree ends of the hierarchy.
"""
ClusterStates = tuple[Float64Matrix, Float64Matrix, Int32Matrix, UInt64Matrix]
"""(low, high, code, bits), a column for each cluster of tuples: see `relational`."""
