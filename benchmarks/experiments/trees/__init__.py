"""Measure the utility of trees made from frequencies, and of sets that need no tree.

Utility includes losses, errors of counts, and the meaning of sets.
"""

from benchmarks.experiments.cases import Case, Figure, Paper
from benchmarks.experiments.trees import claims
from benchmarks.experiments.trees.measurement import compile_kernels, measure

_DECLARED = (
    "groceries", "msweb", "bms_webview1", "bms_webview2", "informs2005", "diabetes130_patients", "synpuf_inpatient",
    "tafeng_subclass", "retail", "kosarak_70k",
)  # fmt: skip
_OTHERS = (
    "epub", "vermont2013", "youtube080327", "completejourney_households", "diabetes130_encounters", "congress_bills",
    "tafeng_customers", "tafeng_baskets", "emr_ra1_6y", "emr_ra1_11y", "t10i4d100k", "tags_math_sx", "online_retail",
)  # fmt: skip
_WITH_TREE = frozenset({
    "groceries", "bms_webview2", "informs2005", "diabetes130_patients", "diabetes130_encounters", "synpuf_inpatient",
    "tafeng_subclass", "tafeng_baskets", "tafeng_customers", "vermont2013", "completejourney_households",
})  # fmt: skip
"""Data sets with a taxonomy."""
_QUICK = ("msweb", "diabetes130_patients", "diabetes130_encounters")
"""Data sets of the quick subset, which are small."""
_MADE = ("balanced:5", "balanced:5:frequency", "halves:frequency", "halves:number")
_OWN = ("own tree", "own tree, refined")
_OTHER_WAYS = ("set-search 4", "set-search 0", "coat", "apriori balanced:5", "apriori halves:frequency")
_QUANTITIES = {
    "lm": "LM, times 10,000",
    "pairs": "mean relative error of the counts of 1,000 pairs drawn from records",
    "singles": "mean relative error of the counts of the 200 most frequent items",
    "meaning": "mean distance of members of a set in the data's own tree (0 to 1)",
    "meaning_of_chance": "mean distance of members of random sets of the same sizes",
}


def _ways(key: str, k: int, m: int, data: tuple[str, ...]) -> list[Case]:
    """Return the cases of a figure: each method on each data set to which it applies."""
    return [
        Case(key, way, name, {"what": "whole", "data": name, "way": way, "k": k, "m": m, "meaning": name in _WITH_TREE})
        for name in data
        for way in (*_MADE, *(_OWN if name in _WITH_TREE else ()), *_OTHER_WAYS)
    ]  # fmt: skip


def _figure(k: int, m: int, data: tuple[str, ...] = _DECLARED, more: str = "") -> Figure:
    key, title = f"k{k}m{m}{'more' if more else ''}", f"k={k}, m={m}{more}: losses, and errors of counts"
    return Figure(key, title, "data", _QUANTITIES, _ways(key, k, m, data), claims.WAYS, quick=_QUICK)


PAPER = Paper(
    key="trees",
    title="Utility of trees from frequencies, and of sets without a tree",
    note="""\
This study compares the cut with the smallest NCP (`exact`) on several kinds of trees, `set-search` with its weight,
`coat`, and the cut of AA (`apriori`) on two of the trees. `python -m benchmarks.experiments beside NAME` adds another
algorithm to the tables. As by default, `halves:frequency` also tries a tree by number, and uses the better tree.
Every result was verified. Counts assign each published symbol to one of its members (`one-member`). The criteria were
fixed before any measurement. `inspect` and `suggest` follow the claims that hold. They propose `halves:frequency` if
there is no tree, and `set-search` as an alternative if sets need no meaning.""",
    measure=measure,
    study=True,
    prepare=compile_kernels,
    figures=[
        _figure(5, 2),
        _figure(5, 3),
        _figure(2, 2),
        _figure(10, 2),
        _figure(50, 2),
        _figure(5, 2, _OTHERS, ", more data sets"),
        Figure(
            "halves",
            "Trees learned from one half of the records and used to publish the other half",
            "data",
            {"base": "LM, times 10,000, with balanced:5",
             "own": "LM, times 10,000, with halves learned from the same records",
             "learned": "LM, times 10,000, with halves learned from the other records",
             "kept": "share of the loss reduction preserved"},
            [Case("halves", by, name, {"what": "halves", "data": name, "by": by, "k": 5, "m": 2, "halves": 3})
             for name in _DECLARED for by in ("frequency", "number")],
            claims.HALVES,
            "k is 5, and m is 2. Values are medians over three random divisions of the records.",
            quick=_QUICK,
        ),
    ],
)  # fmt: skip
"""Our own study of trees."""
