"""Methods of the papers: which parts work here, which differ, and which are missing.

The docstring of an algorithm names its paper (``References:``) and its differences (``Deviations:``). Only missing
parts are listed here.
"""

import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass

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
class Missing:
    """A part of a paper that is not built."""

    paper: str
    part: str
    reason: str
    absent: str
    """Name that would exist if the part were built, as ``module:Class.attribute``."""


_RUM = "anonset.algorithms.rt.rum_bound:RumBound"
_VLDB, _, _COAT, _RT, _SAFE = tuple(PAPERS)[:5]
_LGR = "Kim, 2023 and 2024"
_CHUNKS = "Terrovitis, Liagouris, Mamoulis, Skiadopoulos, PVLDB 2012"
_DISASSOCIATION = "anonset.algorithms.transaction.disassociation.disassociation:Disassociation"
MISSING = (
    Missing(_VLDB, "multisets (section 3)", "the paper uses sets, too; a repeated item of a record is read once",
            "anonset.data:SetColumn.counts"),
    Missing(_VLDB, "count-trees in another order than by frequency (section 4)",
            "the order changes the size of the tree, not the cut; ties are in the order of the leaves",
            "anonset.algorithms.transaction.cuts.apriori:Apriori.tree_order"),
    Missing(_COAT, "penalties of suppressed items that the owner assigns (section 4.3)",
            "UL charges each suppressed item its support, as in the paper's example",
            "anonset.algorithms.transaction.item_sets.coat:Coat.penalties"),
    Missing(_RT, "Minkowski norms, discernability or the average class size as Rum (section 2)",
            "the bound is on NCP, which the paper's experiments use", f"{_RUM}.rum"),
    Missing(_SAFE, "parameters minConf, maxConf and exp (Algorithm 1)", "no step of the paper uses them",
            "anonset.algorithms.buckets.safe_grouping:SafeGrouping.min_conf"),
    Missing(_LGR, "waiting queue and final queue of records (LGR+, Algorithm 1)",
            "only the beginning of Algorithm 1 was available, not how the waiting records are published, so the "
            "reallocation is our own variant",
            "anonset.algorithms.transaction.partitions.local_reallocation:LocalReallocation.queues"),
    Missing(_CHUNKS, "suppression against the cover problem (Awad et al., Safe disassociation, arXiv 1904.03112)",
            "only the abstract was available, so it is not compared; `risk` measures what all reconstructions imply",
            f"{_DISASSOCIATION}.safe"),
    Missing(_CHUNKS, "improved partitioning (Sustainability 15(9), 7447, 2023)",
            "only the abstract and the introduction were available, so it is not compared",
            f"{_DISASSOCIATION}.partitioning"),
)  # fmt: skip


def of_paper(paper: str) -> Iterator[tuple[str, str, str]]:
    """Yield a row for each part of a paper: the part, its state, and the difference or the reason.

    >>> [(part, state) for part, state, _ in of_paper("Al Bouna, Clifton, Malluhi, DBSec 2013")]
    [('`safe-grouping`', 'differs'), ('parameters minConf, maxConf and exp (Algorithm 1)', 'missing')]
    """
    for name, algorithm in ALGORITHMS.items():
        references, deviations = _stated(algorithm)
        if paper == _first_named(references):
            yield f"`{name}`", DIFFERS if deviations else WORKS, deviations
    for one in MISSING:
        if one.paper == paper:
            yield one.part, MISSING_HERE, one.reason


def _first_named(references: str) -> str:
    """Return the paper that references name first. Empty if there is none, or if the method is our own."""
    named = {references.index(text): paper for paper, text in PAPERS.items() if text in references}
    return named[min(named)] if named and not references.startswith("the method is unpublished") else ""


def _stated(algorithm: type) -> tuple[str, str]:
    """Return the references and the deviations that the docstring of an algorithm states, each on one line."""
    text = re.sub(r"(?m)^[ \t]+", "", inspect.getdoc(algorithm) or "")
    found = {}
    for head in ("References", "Deviations"):
        match = re.search(rf"(?ms)^{head}: (.*?)(?=^Deviations:|^$|^>>>|\Z)", text)
        found[head] = " ".join(match[1].split()) if match else ""
    return found["References"], found["Deviations"]
