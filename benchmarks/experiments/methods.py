"""Methods of the papers: which parts work here, which differ, and which are missing.

The docstring of an algorithm names its paper (``References:``) and its differences (``Deviations:``). The numbered
algorithms of the papers, parts without an entry in the registry, and missing parts are listed here.
"""

import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from anonset.algorithms.registry import ALGORITHMS

PAPERS = {
    "Terrovitis, Mamoulis, Kalnis, VLDB 2008": "Terrovitis, Mamoulis, Kalnis, VLDB 2008",
    "Liu, Wang, PAKDD 2010": "Liu and Wang",
    "Loukides, Gkoulalas-Divanis, Malin, 2010": "Loukides, Gkoulalas-Divanis, Malin",
    "Poulis, Loukides, Gkoulalas-Divanis, Skiadopoulos, ECML/PKDD 2013": "Poulis, Loukides",
    "Al Bouna, Clifton, Malluhi, DBSec 2013": "Al Bouna",
    "Terrovitis, Mamoulis, Kalnis, VLDB Journal 2011": "VLDB Journal 2011",
    "Gkoulalas-Divanis, Loukides, 2011 (PCTA)": "Gkoulalas-Divanis, Loukides,",
    "He, Naughton, VLDB 2009": "He and Naughton, ",
    "Kim, 2023 and 2024": "Kim, ",
    "Ghinita, Tao, Kalnis, ICDE 2008 (CAHD)": "Ghinita",
    "Terrovitis, Liagouris, Mamoulis, Skiadopoulos, PVLDB 2012": "Liagouris",
}
"""Text that identifies each paper in the references of an algorithm."""
STATES = WORKS, DIFFERS, MISSING_HERE = "works", "differs", "missing"


@dataclass(frozen=True)
class Part:
    """A numbered or named part of a paper that is built, but is no algorithm of its own in the registry."""

    paper: str
    part: str
    code: str
    """Code of the part, as ``module:Class.attribute``."""
    test: str
    """Test of the part, as ``file::name``."""


@dataclass(frozen=True)
class Missing:
    """A part of a paper that is not built."""

    paper: str
    part: str
    reason: str


_VLDB, _LIU, _COAT, _RT, _SAFE = tuple(PAPERS)[:5]
_LGR = "Kim, 2023 and 2024"
_CHUNKS = "Terrovitis, Liagouris, Mamoulis, Skiadopoulos, PVLDB 2012"
_TRANSACTION = "anonset.algorithms.transaction"
_CUTS, _SETS, _SUPPRESSION = (f"{_TRANSACTION}.{name}" for name in ("cuts", "item_sets", "suppression"))
_FRAMEWORKS, _TESTS = "anonset.algorithms.rt", "tests/algorithms"
_MERGES = f"{_TESTS}/test_rt_twins.py::test_framework_equals_its_twin"
_DECISIONS = f"{_TESTS}/test_against_twins.py::test_every_algorithm_makes_the_decisions_of_its_twin"
PARTS = (
    Part(_VLDB, "Algorithm 1, the count-tree", f"{_TRANSACTION}.rare_sets.supported_nodes:SupportedNodes",
         f"{_TESTS}/test_vectors.py::test_count_tree_of_figure_2"),
    Part(_VLDB, "Algorithm 2, OA", f"{_CUTS}.optimal:Optimal", _DECISIONS),
    Part(_VLDB, "Algorithm 3, DA", f"{_CUTS}.direct:Direct", _DECISIONS),
    Part(_VLDB, "Algorithm 4, AA", f"{_CUTS}.apriori:Apriori", _DECISIONS),
    Part(_LIU, "HgHs, the search of cuts and of suppressed nodes (section 3)",
         f"{_SUPPRESSION}.hghs:HgHs", f"{_TESTS}/test_suppression.py::test_hghs_equals_its_twin"),
    Part(_LIU, "mHgHs, the search in m rounds (section 4)", f"{_SUPPRESSION}.mhghs:MHgHs",
         f"{_TESTS}/test_suppression.py::test_mhghs_equals_its_twin"),
    Part(_COAT, "Algorithms 1 to 3, COAT, Generalize and Suppress", f"{_SETS}.coat:Coat",
         f"{_TESTS}/test_set_based_examples.py::test_coat_reproduces_example_4_1"),
    Part(_COAT, "Algorithm 4, Pgen", f"{_SETS}.pgen:generate_constraints",
         f"{_TESTS}/test_set_based_examples.py::test_pgen_finds_the_constraints_of_its_twin"),
    *(
        Part(_RT, f"{x}MERGE_R, {x}MERGE_T and {x}MERGE_RT", f"{_FRAMEWORKS}.{name}_bound:{kind}.merge", _MERGES)
        for x, name, kind in (("R", "rum", "RumBound"), ("T", "tum", "TumBound"))
    ),
    *(
        Part(_RT, f"baselines without BTD, {x}_TUL and {x}_RTUL", f"{_FRAMEWORKS}.{name}_bound:{kind}.order", _MERGES)
        for x, name, kind in (("RM", "rum", "RumBound"), ("TM", "tum", "TumBound"))
    ),
    Part(_RT, "(k, l^m)-diversity", f"{_FRAMEWORKS}.diverse_function:DiverseFunction",
         f"{_TESTS}/test_rt_diversity.py::test_every_class_is_diverse"),
    Part(_SAFE, "Algorithm 1, safe grouping", "anonset.algorithms.buckets.safe_grouping:SafeGrouping",
         f"{_TESTS}/test_bucketization.py::test_safe_grouping_equals_its_twin_and_is_safe"),
)  # fmt: skip
MISSING = (
    Missing(_VLDB, "multisets (section 3)", "the paper uses sets, too; a repeated item of a record is read once"),
    Missing(_VLDB, "count-trees in another order than by frequency (section 4)",
            "the order changes the size of the tree, not the cut; ties are in the order of the leaves"),
    Missing(_COAT, "penalties of suppressed items that the owner assigns (section 4.3)",
            "UL charges each suppressed item its support, as in the paper's example"),
    Missing(_RT, "Minkowski norms, discernability or the average class size as Rum (section 2)",
            "the bound is on NCP, which the paper's experiments use"),
    Missing(_SAFE, "parameters minConf, maxConf and exp (Algorithm 1)", "no step of the paper uses them"),
    Missing(_LGR, "waiting queue and final queue of records (LGR+, Algorithm 1)",
            "only the beginning of Algorithm 1 was available, not how the waiting records are published, so the "
            "reallocation is our own variant"),
    Missing(_CHUNKS, "suppression against the cover problem (Awad et al., Safe disassociation, arXiv 1904.03112)",
            "only the abstract and the introduction were available, so it is not compared; `risk` measures what all "
            "reconstructions imply"),
    Missing(_CHUNKS, "improved partitioning (Sustainability 15(9), 7447, 2023)",
            "only the abstract and the introduction were available, so it is not compared"),
)  # fmt: skip


def of_paper(paper: str) -> Iterator[tuple[str, str, str]]:
    """Yield a row for each part of a paper: the part, its state, and the difference or the reason.

    >>> [part for part, state, _ in of_paper("Al Bouna, Clifton, Malluhi, DBSec 2013") if state == DIFFERS]
    ['`safe-grouping`', 'Algorithm 1, safe grouping']
    """
    for name, algorithm in ALGORITHMS.items():
        references, deviations = _stated(algorithm)
        if paper == _first_named(references):
            yield f"`{name}`", DIFFERS if deviations else WORKS, deviations
    for built in PARTS:
        if built.paper == paper:
            module, _, name = built.code.partition(":")
            _, deviations = _stated(getattr(import_module(module), name.partition(".")[0]))
            yield built.part, DIFFERS if deviations else WORKS, f"`{name}`, tested by `{built.test}`"
    for one in MISSING:
        if one.paper == paper:
            yield one.part, MISSING_HERE, one.reason


def _first_named(references: str) -> str:
    """Return the paper that references name first. Empty if there is none, or if the method is our own."""
    named = {references.index(text): paper for paper, text in PAPERS.items() if text in references}
    return named[min(named)] if named and not references.startswith("the method is unpublished") else ""


def _stated(algorithm: Callable[..., Any]) -> tuple[str, str]:
    """Return the references and the deviations that the docstring of an algorithm states, each on one line."""
    text = re.sub(r"(?m)^[ \t]+", "", inspect.getdoc(algorithm) or "")
    found = {}
    for head in ("References", "Deviations"):
        match = re.search(rf"(?ms)^{head}: (.*?)(?=^Deviations:|^$|^>>>|\Z)", text)
        found[head] = " ".join(match[1].split()) if match else ""
    return found["References"], found["Deviations"]
