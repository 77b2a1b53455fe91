"""Texts of any number: sorted in parts, told apart, gathered by their codes.

A text is compared by its bytes, which is the order of code points, or, if all are plain integers, by its number: then
as if a byte for the sign and two for the number of digits stood before them, all of them turned round below zero.
"""

from typing import NamedTuple

import numpy as np

from anonset_kernels._arrays import Int32Array, Int64Array, Int64Matrix, Integer, UInt8Array, UInt64Array
from anonset_kernels._jit import kernel
from anonset_kernels._splitters import bucket_of

_EIGHT = 8
_FEW = 40  # texts that are sorted by insertion
_AHEAD = 3
"""Bytes that stand before the digits of a number."""
_MINUS, _ZERO, _NINE = 45, 48, 57
_MOST_DIGITS = 4000  # Python reads no longer ones


class Labels(NamedTuple):
    """Texts, one behind the other."""

    starts: Int64Array
    """int64 (n + 1,): where each begins; the first need not begin at 0."""
    text: UInt8Array
    """uint8 (bytes,): in UTF-8."""


class Comparison(NamedTuple):
    """How texts are compared."""

    depth: int
    """So many bytes, which all have in common, are passed over."""
    numeric: bool
    """Whether they are compared as numbers."""


@kernel()
def survey(labels: Labels, first: UInt8Array) -> tuple[int, bool]:
    """Return how many bytes all texts share with the one whose bytes are in `first`, and whether all are integers.

    An integer is 0, or digits that begin with none, maybe behind a minus. O(bytes).
    """
    shared, numeric = len(first), True
    for row in range(len(labels.starts) - 1):
        begin, end = labels.starts[row], labels.starts[row + 1]
        same = 0
        while same < shared and begin + same < end and labels.text[begin + same] == first[same]:
            same += 1
        shared = min(shared, same)
        numeric = numeric and _is_integer(labels.text, begin, end)
    return shared, numeric


@kernel()
def _is_integer(text: UInt8Array, begin: Integer, end: Integer) -> bool:
    """Tell whether the bytes from `begin` to before `end` of `text` are those of a plain integer."""
    if begin < end and text[begin] == _MINUS:
        begin += 1
        if begin < end and text[begin] == _ZERO:
            return False
    if begin == end or end - begin > _MOST_DIGITS or (text[begin] == _ZERO and end - begin > 1):
        return False
    for at in range(begin, end):
        if text[at] < _ZERO or text[at] > _NINE:
            return False
    return True


@kernel()
def _byte(labels: Labels, row: Integer, at: Integer, numeric: bool) -> Integer:
    """Return the byte of a text at a place, as it is compared; -1 behind its end."""
    begin, end = labels.starts[row], labels.starts[row + 1]
    if not numeric:
        return np.int64(labels.text[begin + at]) if begin + at < end else -1
    negative = labels.text[begin] == _MINUS
    begin += int(negative)
    if at >= end - begin + _AHEAD:
        return -1
    byte = np.int64(255)
    if at == 0:
        pass
    elif at == 1:
        byte = (end - begin) >> 8
    elif at == 2:
        byte = (end - begin) & 255
    else:
        byte = np.int64(labels.text[begin + at - _AHEAD])
    return 255 - byte if negative else byte


@kernel()
def _key(labels: Labels, row: Integer, depth: Integer, numeric: bool) -> np.uint64:
    """Return the eight bytes of a text from a depth on as a number; what is behind its end is 0."""
    key = np.uint64(0)
    if not numeric:
        begin, end = labels.starts[row] + depth, labels.starts[row + 1]
        for at in range(begin, begin + _EIGHT):
            byte = labels.text[at] if at < end else np.uint8(0)
            key = key << np.uint64(8) | np.uint64(byte)
        return key
    for at in range(depth, depth + _EIGHT):
        key = key << np.uint64(8) | np.uint64(max(np.int64(0), _byte(labels, row, at, numeric)))
    return key


@kernel()
def label_keys(labels: Labels, by: Comparison, rows: Int64Array, keys: UInt64Array) -> None:
    """Fill `keys`, uint64 (any,), with the first eight bytes that are compared of the texts in `rows`, int64 (any,)."""
    for place in range(len(rows)):
        keys[place] = _key(labels, rows[place], by.depth, by.numeric)


@kernel()
def measure_labels(labels: Labels, by: Comparison, splitters: UInt64Array, size: Int64Matrix) -> None:
    """Add up the texts, and their bytes, of each bucket of keys.

    Parameters
    ----------
    splitters
        uint64 (b - 1,): the least key of each bucket but the first, ascending.
    size
        int64 (2, b): added to. O(bytes + n log b).
    """
    for row in range(len(labels.starts) - 1):
        b = bucket_of(splitters, _key(labels, row, by.depth, by.numeric))
        size[0, b] += 1
        size[1, b] += labels.starts[row + 1] - labels.starts[row]


@kernel()
def fill_labels(
    labels: Labels,
    by: Comparison,
    splitters: UInt64Array,
    number: int,
    fill: Int64Matrix,
    out: Labels,
    record: Int32Array,
) -> None:
    """Copy texts into their buckets, each behind those that are in it already.

    Parameters
    ----------
    splitters
        As in `measure_labels`.
    number
        Number of the first text.
    fill
        int64 (2, b): where the next text of each bucket, and its bytes, go; moved on. O(bytes + n log b).
    out
        Room for all buckets, one behind the other.
    record
        int32 (all,): the number of each text in `out`.
    """
    for row in range(len(labels.starts) - 1):
        b = bucket_of(splitters, _key(labels, row, by.depth, by.numeric))
        at = fill[1, b]
        for i in range(labels.starts[row], labels.starts[row + 1]):
            out.text[at] = labels.text[i]
            at += 1
        place = fill[0, b]
        out.starts[place + 1] = at
        record[place] = number + row
        fill[0, b] += 1
        fill[1, b] = at


@kernel()
def _compared(labels: Labels, one: Integer, other: Integer, depth: Integer, numeric: bool) -> Integer:
    """Return below 0, 0, or above it, as a text comes before another, is the same, or comes after it."""
    if numeric:
        while True:
            left, right = _byte(labels, one, depth, numeric), _byte(labels, other, depth, numeric)
            if left != right or left < 0:
                return left - right
            depth += 1
    begin, end = labels.starts[one] + depth, labels.starts[one + 1]
    at, stop = labels.starts[other] + depth, labels.starts[other + 1]
    while begin < end and at < stop:
        if labels.text[begin] != labels.text[at]:
            return np.int64(labels.text[begin]) - np.int64(labels.text[at])
        begin += 1
        at += 1
    return (end - begin) - (stop - at)


@kernel()
def _sort_few(labels: Labels, order: Int64Array, begin: Integer, end: Integer, by: Comparison) -> None:
    """Sort the texts that a stretch of `order`, (any,), lists by insertion; `by` says what they share."""
    for i in range(begin + 1, end):
        row, at = order[i], i
        while at > begin and _compared(labels, order[at - 1], row, by.depth, by.numeric) > 0:
            order[at] = order[at - 1]
            at -= 1
        order[at] = row


@kernel()
def number_labels(
    labels: Labels, by: Comparison, keys: UInt64Array, order: Int64Array, code: Int32Array, example: Int64Array
) -> int:
    """Sort texts that stand by their keys, and number the different ones in their order; return how many there are.

    Parameters
    ----------
    keys
        uint64 (n,): the key of each text that `order` lists, ascending; overwritten.
    order
        int64 (n,): the texts by their keys; sorted further.
    code
        int32 (n,): is set to the number of each text.
    example
        int64 (n,): is set, for each number, to a text that has it.

    O(n) and what texts share, and a sort for each eight bytes that more than `_FEW` of them share.
    """
    n = len(order)
    stack = np.empty((n // 2 + 2, 3), np.int64)
    stack[0, 0], stack[0, 1], stack[0, 2] = 0, n, by.depth
    waiting = 1
    while waiting:
        waiting -= 1
        first, stop, depth = stack[waiting, 0], stack[waiting, 1], stack[waiting, 2]
        behind = Comparison(depth + _EIGHT, by.numeric)
        begin = first
        while begin < stop:
            end, goes_on = begin + 1, _byte(labels, order[begin], behind.depth, by.numeric) >= 0
            while end < stop and keys[end] == keys[begin]:
                goes_on = goes_on or _byte(labels, order[end], behind.depth, by.numeric) >= 0
                end += 1
            if 1 < end - begin <= _FEW:
                _sort_few(labels, order, begin, end, Comparison(depth, by.numeric))
            elif end - begin > 1 and goes_on:
                for place in range(begin, end):
                    keys[place] = _key(labels, order[place], behind.depth, by.numeric)
                _sort_stretch(keys, order, begin, end)
                stack[waiting, 0], stack[waiting, 1], stack[waiting, 2] = begin, end, behind.depth
                waiting += 1
            elif end - begin > 1:  # a text may end with zeros: the shorter one comes first
                for place in range(begin, end):
                    keys[place] = np.uint64(labels.starts[order[place] + 1] - labels.starts[order[place]])
                _sort_stretch(keys, order, begin, end)
            begin = end
    n_codes = 0
    for place in range(n):
        if place == 0 or _compared(labels, order[place - 1], order[place], by.depth, by.numeric) != 0:
            example[n_codes] = order[place]
            n_codes += 1
        code[order[place]] = n_codes - 1
    return n_codes


@kernel()
def _sort_stretch(keys: UInt64Array, order: Int64Array, begin: Integer, end: Integer) -> None:
    """Sort a stretch of `keys`, (n,), and of `order`, (n,), by the keys."""
    by_key = np.argsort(keys[begin:end], kind="mergesort")
    sorted_keys, sorted_order = keys[begin:end][by_key], order[begin:end][by_key]
    for i in range(len(by_key)):
        keys[begin + i], order[begin + i] = sorted_keys[i], sorted_order[i]


@kernel()
def _is_sound(labels: Labels, code: Integer) -> bool:
    """Tell whether there is a text of that code, within the bytes: files may have been damaged."""
    if code < 0 or code >= len(labels.starts) - 1:
        return False
    return 0 <= labels.starts[code] <= labels.starts[code + 1] <= len(labels.text)


@kernel()
def gathered_starts(code_of: Int32Array, labels: Labels, last: int) -> Int64Array:
    """Return where the texts of some codes begin when they stand one behind the other, (n + 1,).

    Nothing is returned, (0,), where there is no such text.

    Parameters
    ----------
    code_of
        (n,): codes of texts in `labels`; that behind the last one has a text of `last` bytes.
    """
    found = np.zeros(len(code_of) + 1, np.int64)
    for row in range(len(code_of)):
        code, length = code_of[row], last
        if code != len(labels.starts) - 1:
            if not _is_sound(labels, code):
                return np.empty(0, np.int64)
            length = labels.starts[code + 1] - labels.starts[code]
        found[row + 1] = found[row] + length
    return found


@kernel()
def gather_text(code_of: Int32Array, labels: Labels, last: UInt8Array, starts: Int64Array, text: UInt8Array) -> None:
    """Copy the texts of some codes, one behind the other.

    Parameters
    ----------
    code_of
        (n,): codes of texts in `labels`, the one behind them being that of the bytes in `last`.
    starts, text
        (n + 1,): what `gathered_starts` returns; (bytes,): is filled. O(bytes).
    """
    for row in range(len(code_of)):
        code, at = code_of[row], starts[row]
        if code == len(labels.starts) - 1:
            for byte in last:
                text[at] = byte
                at += 1
            continue
        for i in range(labels.starts[code], labels.starts[code + 1]):
            text[at] = labels.text[i]
            at += 1


@kernel()
def first_other_text(
    code_of: Int32Array, labels: Labels, last: UInt8Array, starts: Int64Array, text: UInt8Array
) -> int:
    """Return the first row whose text is not that of its code, -1 if there is none.

    Parameters
    ----------
    code_of
        (n,): as for `gather_text`, with `labels` and `last`.
    starts, text
        (n + 1,) and (bytes,): the texts of the rows. O(bytes).
    """
    for row in range(len(code_of)):
        code, at, end = code_of[row], starts[row], starts[row + 1]
        if code == len(labels.starts) - 1:
            if end - at != len(last):
                return row
            for i in range(len(last)):
                if text[at + i] != last[i]:
                    return row
            continue
        if not _is_sound(labels, code) or labels.starts[code + 1] - labels.starts[code] != end - at:
            return row
        begin = labels.starts[code]
        for i in range(end - at):
            if text[at + i] != labels.text[begin + i]:
                return row
    return -1


@kernel()
def quote_labels(labels: Labels, out: UInt8Array) -> None:
    """Write each text between quotes, a comma and a blank behind it, into `out`, (bytes + 4 n,). O(bytes)."""
    to = 0
    for row in range(len(labels.starts) - 1):
        out[to] = 34
        to += 1
        for at in range(labels.starts[row], labels.starts[row + 1]):
            out[to] = labels.text[at]
            to += 1
        out[to], out[to + 1], out[to + 2] = 34, 44, 32
        to += 3
