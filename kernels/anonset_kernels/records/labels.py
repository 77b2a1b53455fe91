"""Sort texts in parts, number the distinct texts, and gather texts by their codes.

Texts are compared by their bytes, which is code point order. If all texts are plain integers, they are compared by
value. For this, each text gets a prefix of a byte for the sign and two bytes for the number of digits. All bytes of
negative numbers are inverted.
"""

from typing import NamedTuple

import numpy as np

from anonset_kernels._arrays import Int32Array, Int64Array, Int64Matrix, Integer, UInt8Array, UInt64Array
from anonset_kernels._jit import kernel
from anonset_kernels.records._splitters import bucket_of

_EIGHT = 8
_FEW = 40  # maximum number of texts sorted by insertion
_AHEAD = 3
"""Number of bytes prepended to the digits of a number."""
_MINUS, _ZERO, _NINE = 45, 48, 57
_MOST_DIGITS = 4000  # Python's integer parser has a limit


class LabelTexts(NamedTuple):
    """Texts stored in sequence."""

    starts: Int64Array
    """First byte of each text, int64 (n + 1,). The first text may begin after byte 0."""
    text: UInt8Array
    """UTF-8 text, uint8 (bytes,)."""


class TextComparison(NamedTuple):
    """Comparison rule for texts."""

    depth: int
    """Number of leading bytes to skip. They are equal in all compared texts."""
    numeric: bool
    """True if texts are compared as numbers."""


@kernel()
def survey(labels: LabelTexts, first: UInt8Array) -> tuple[int, bool]:
    """Return the length of the prefix that all texts share with `first`, and True if all texts are integers.

    An integer is 0, or digits without a leading zero, with an optional minus sign. `first` contains the bytes of one
    text. O(bytes).
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
    """Return True if bytes `begin` to `end` (exclusive) of `text` are a plain integer."""
    if begin < end and text[begin] == _MINUS:
        begin += 1
        if begin < end and text[begin] == _ZERO:
            return False
    if begin == end or end - begin > _MOST_DIGITS or (text[begin] == _ZERO and end - begin > 1):
        return False
    for i in range(begin, end):
        if text[i] < _ZERO or text[i] > _NINE:
            return False
    return True


@kernel()
def _byte(labels: LabelTexts, row: Integer, position: Integer, numeric: bool) -> Integer:
    """Return the byte that comparisons use at a position of a text, or -1 after the end of the text."""
    begin, end = labels.starts[row], labels.starts[row + 1]
    if not numeric:
        return np.int64(labels.text[begin + position]) if begin + position < end else -1
    negative = labels.text[begin] == _MINUS
    begin += int(negative)
    if position >= end - begin + _AHEAD:
        return -1
    byte = np.int64(255)
    if position == 0:
        pass
    elif position == 1:
        byte = (end - begin) >> 8
    elif position == 2:
        byte = (end - begin) & 255
    else:
        byte = np.int64(labels.text[begin + position - _AHEAD])
    return 255 - byte if negative else byte


@kernel()
def _key(labels: LabelTexts, row: Integer, depth: Integer, numeric: bool) -> np.uint64:
    """Return the eight bytes of a text from `depth` on as a number, padded with zeros."""
    key = np.uint64(0)
    if not numeric:
        begin, end = labels.starts[row] + depth, labels.starts[row + 1]
        for position in range(begin, begin + _EIGHT):
            byte = labels.text[position] if position < end else np.uint8(0)
            key = key << np.uint64(8) | np.uint64(byte)
        return key
    for position in range(depth, depth + _EIGHT):
        key = key << np.uint64(8) | np.uint64(max(np.int64(0), _byte(labels, row, position, numeric)))
    return key


@kernel()
def label_keys(labels: LabelTexts, by: TextComparison, rows: Int64Array, keys: UInt64Array) -> None:
    """Fill `keys`, uint64 (any,), with the first eight compared bytes of each text in `rows`, int64 (any,)."""
    for place in range(len(rows)):
        keys[place] = _key(labels, rows[place], by.depth, by.numeric)


@kernel()
def measure_labels(labels: LabelTexts, by: TextComparison, splitters: UInt64Array, size: Int64Matrix) -> None:
    """Count the texts, and the bytes of the texts, in each bucket of keys.

    Parameters
    ----------
    splitters
        uint64 (b - 1,): smallest key of each bucket except the first, ascending.
    size
        int64 (2, b): number of texts and number of bytes in each bucket; updated. O(bytes + n log b).
    """
    for row in range(len(labels.starts) - 1):
        b = bucket_of(splitters, _key(labels, row, by.depth, by.numeric))
        size[0, b] += 1
        size[1, b] += labels.starts[row + 1] - labels.starts[row]


@kernel()
def fill_labels(
    labels: LabelTexts,
    by: TextComparison,
    splitters: UInt64Array,
    number: int,
    fill: Int64Matrix,
    out: LabelTexts,
    record: Int32Array,
) -> None:
    """Append texts to their buckets.

    Parameters
    ----------
    splitters
        As in `measure_labels`.
    number
        Number of the first text.
    fill
        int64 (2, b): index of each bucket's next text, and of the first byte of this text; updated. O(bytes + n log b).
    out
        Texts of all buckets, bucket after bucket. Must have space for all texts.
    record
        int32 (all,): filled with the number of each text in `out`.
    """
    for row in range(len(labels.starts) - 1):
        b = bucket_of(splitters, _key(labels, row, by.depth, by.numeric))
        text_end = fill[1, b]
        for i in range(labels.starts[row], labels.starts[row + 1]):
            out.text[text_end] = labels.text[i]
            text_end += 1
        place = fill[0, b]
        out.starts[place + 1] = text_end
        record[place] = number + row
        fill[0, b] += 1
        fill[1, b] = text_end


@kernel()
def _compared(labels: LabelTexts, row: Integer, other: Integer, depth: Integer, numeric: bool) -> Integer:
    """Compare texts `row` and `other`.

    Returns a negative number if text `row` comes first, 0 if the texts are equal, and otherwise a positive number.
    """
    if numeric:
        while True:
            first_byte, second_byte = _byte(labels, row, depth, numeric), _byte(labels, other, depth, numeric)
            if first_byte != second_byte or first_byte < 0:
                return first_byte - second_byte
            depth += 1
    begin, end = labels.starts[row] + depth, labels.starts[row + 1]
    position, stop = labels.starts[other] + depth, labels.starts[other + 1]
    while begin < end and position < stop:
        if labels.text[begin] != labels.text[position]:
            return np.int64(labels.text[begin]) - np.int64(labels.text[position])
        begin += 1
        position += 1
    return (end - begin) - (stop - position)


@kernel()
def _sort_few(labels: LabelTexts, order: Int64Array, begin: Integer, end: Integer, by: TextComparison) -> None:
    """Sort the texts in a slice of `order`, (any,), by insertion. `by` skips their common prefix."""
    for i in range(begin + 1, end):
        row, target = order[i], i
        while target > begin and _compared(labels, order[target - 1], row, by.depth, by.numeric) > 0:
            order[target] = order[target - 1]
            target -= 1
        order[target] = row


@kernel(allocates=True)
def number_labels(
    labels: LabelTexts, by: TextComparison, keys: UInt64Array, order: Int64Array, code: Int32Array, example: Int64Array
) -> int:
    """Sort texts, number the distinct texts in sorted order, and return the number of distinct texts.

    Parameters
    ----------
    keys
        uint64 (n,): key of each text in `order`, ascending; overwritten.
    order
        int64 (n,): texts ordered by key before the call, and sorted completely after it.
    code
        int32 (n,): filled with the number of each text.
    example
        int64 (n,): filled with the index of a text for each number.

    Cost: O(n), the bytes that texts share, and a sort for each eight bytes that more than `_FEW` texts share.
    """
    n = len(order)
    stack = np.empty((n // 2 + 2, 3), np.int64)
    stack[0, 0], stack[0, 1], stack[0, 2] = 0, n, by.depth
    waiting = 1
    while waiting:
        waiting -= 1
        first, stop, depth = stack[waiting, 0], stack[waiting, 1], stack[waiting, 2]
        remaining = TextComparison(depth + _EIGHT, by.numeric)
        begin = first
        while begin < stop:
            end, goes_on = begin + 1, _byte(labels, order[begin], remaining.depth, by.numeric) >= 0
            while end < stop and keys[end] == keys[begin]:
                goes_on = goes_on or _byte(labels, order[end], remaining.depth, by.numeric) >= 0
                end += 1
            if 1 < end - begin <= _FEW:
                _sort_few(labels, order, begin, end, TextComparison(depth, by.numeric))
            elif end - begin > 1 and goes_on:
                for place in range(begin, end):
                    keys[place] = _key(labels, order[place], remaining.depth, by.numeric)
                _sort_stretch(keys, order, begin, end)
                stack[waiting, 0], stack[waiting, 1], stack[waiting, 2] = begin, end, remaining.depth
                waiting += 1
            elif end - begin > 1:  # texts may end with zero bytes, and the shorter text comes first
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


@kernel(allocates=True)
def _sort_stretch(keys: UInt64Array, order: Int64Array, begin: Integer, end: Integer) -> None:
    """Sort a slice of `keys`, (n,), and of `order`, (n,), by key."""
    by_key = np.argsort(keys[begin:end], kind="mergesort")
    sorted_keys, sorted_order = keys[begin:end][by_key], order[begin:end][by_key]
    for i in range(len(by_key)):
        keys[begin + i], order[begin + i] = sorted_keys[i], sorted_order[i]


@kernel()
def _is_sound(labels: LabelTexts, code: Integer) -> bool:
    """Return True if `labels` contains a text with this code. Damaged files may contain invalid codes and positions."""
    if code < 0 or code >= len(labels.starts) - 1:
        return False
    return 0 <= labels.starts[code] <= labels.starts[code + 1] <= len(labels.text)


@kernel(allocates=True)
def gathered_starts(code_of: Int32Array, labels: LabelTexts, last: int) -> Int64Array:
    """Return the first byte of each text when the texts of some codes are concatenated, (n + 1,).

    If a code has no text, the result is empty, (0,).

    Parameters
    ----------
    code_of
        (n,): code of each text. Code ``len(labels)`` refers to an additional text of `last` bytes.
    """
    begins = np.zeros(len(code_of) + 1, np.int64)
    for row in range(len(code_of)):
        code, length = code_of[row], last
        if code != len(labels.starts) - 1:
            if not _is_sound(labels, code):
                return np.empty(0, np.int64)
            length = labels.starts[code + 1] - labels.starts[code]
        begins[row + 1] = begins[row] + length
    return begins


@kernel()
def gather_text(
    code_of: Int32Array, labels: LabelTexts, last: UInt8Array, starts: Int64Array, text: UInt8Array
) -> None:
    """Concatenate the texts of some codes.

    Parameters
    ----------
    code_of
        (n,): code of each text. Code ``len(labels)`` refers to the text `last`.
    starts, text
        (n + 1,) and (bytes,): result of `gathered_starts`, and text that is filled here. O(bytes).
    """
    for row in range(len(code_of)):
        code, target = code_of[row], starts[row]
        if code == len(labels.starts) - 1:
            for byte in last:
                text[target] = byte
                target += 1
            continue
        for i in range(labels.starts[code], labels.starts[code + 1]):
            text[target] = labels.text[i]
            target += 1


@kernel()
def first_other_text(
    code_of: Int32Array, labels: LabelTexts, last: UInt8Array, starts: Int64Array, text: UInt8Array
) -> int:
    """Return the first row whose text differs from the text of its code, or -1.

    Parameters
    ----------
    code_of
        (n,): as for `gather_text`, with `labels` and `last`.
    starts, text
        (n + 1,) and (bytes,): texts of the rows. O(bytes).
    """
    for row in range(len(code_of)):
        code, begin_text, end = code_of[row], starts[row], starts[row + 1]
        if code == len(labels.starts) - 1:
            if end - begin_text != len(last):
                return row
            for i in range(len(last)):
                if text[begin_text + i] != last[i]:
                    return row
            continue
        if not _is_sound(labels, code) or labels.starts[code + 1] - labels.starts[code] != end - begin_text:
            return row
        begin = labels.starts[code]
        for i in range(end - begin_text):
            if text[begin_text + i] != labels.text[begin + i]:
                return row
    return -1


@kernel()
def quote_labels(labels: LabelTexts, out: UInt8Array) -> None:
    """Write each text in quotes, followed by a comma and a space, into `out`, (bytes + 4 n,). O(bytes)."""
    to = 0
    for row in range(len(labels.starts) - 1):
        out[to] = 34
        to += 1
        for i in range(labels.starts[row], labels.starts[row + 1]):
            out[to] = labels.text[i]
            to += 1
        out[to], out[to + 1], out[to + 2] = 34, 44, 32
        to += 3
