"""First-fit assignment of items to chunks, compared with a count of all sets of each chunk."""

import random

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from anonset_kernels.disassociation._first_fit import ChunkRule, first_fit
from effort import examples
from reference.disassociation import is_km


def fitted(postings, k, m):
    records = np.array([record for posting in postings for record in posting], np.int32)
    ends = np.cumsum([len(posting) for posting in postings])
    starts, head = ends - [len(posting) for posting in postings], np.full(int(records.max()) + 1, -1, np.int32)
    chunks = first_fit(starts, ends, records, ChunkRule(k, m, 1, 1, np.zeros(0, np.bool_)), head)
    assert (head == -1).all()
    return chunks.tolist()


def naive(postings, k, m):
    n, chunks = max(map(max, postings)) + 1, []
    result = []
    for item in range(len(postings)):
        for number, members in enumerate(chunks):  # noqa: B007
            rows = [frozenset(i for i in (*members, item) if record in postings[i]) for record in range(n)]
            if is_km(list(filter(None, rows)), k, m):
                members.append(item)
                break
        else:
            number = len(chunks)
            chunks.append([item])
        result.append(number)
    return result


@pytest.mark.long
@given(st.integers(0, 10**6), st.integers(1, 6), st.integers(1, 5), st.sampled_from((5, 30, 64, 65, 150, 260)))
@example(23, 2, 3, 30)  # a pair without records
@settings(max_examples=examples(150))
def test_each_item_is_added_to_the_first_chunk_that_remains_anonymous(seed, k, m, n):
    draw = random.Random(seed)
    likely = [draw.random() ** 2 for _ in range(7)]
    drawn = [[record for record in range(n) if draw.random() < chance] for chance in likely]
    postings = sorted((posting for posting in drawn if len(posting) >= k), key=len, reverse=True)
    if postings:
        assert fitted(postings, k, m) == naive(postings, k, m)


@given(st.integers(0, 10**6), st.integers(2, 40), st.integers(3, 4))
@settings(max_examples=examples(60))
def test_sets_are_counted_in_all_words_of_bits(seed, k, m):
    draw = random.Random(seed)
    postings = [[record for record in range(200) if draw.random() < draw.choice((0.4, 0.7))] for _ in range(4)]
    assert fitted(postings, k, m) == naive(postings, k, m)
