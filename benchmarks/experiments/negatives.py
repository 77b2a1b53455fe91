"""The page of what does not hold: claims whose failure says something about the method, argued and shown."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchmarks.experiments.findings import names
from benchmarks.experiments.judging import Judged
from benchmarks.experiments.render import rows
from benchmarks.experiments.runner import paper
from benchmarks.experiments.workers import ROOT

PAGE = ROOT / "docs" / "negatives.md"


@dataclass(frozen=True)
class Negative:
    """Something that is believed of a method, and what argues against it."""

    title: str
    argument: str
    """Why it is so, without a figure: those are in the verdicts."""
    claims: Sequence[tuple[str, str, str]]
    """Key of the paper or study, key of the figure, and text of the claims that show it."""


NEGATIVES = (
    Negative(
        "AA is not close to the optimum by itself: the order of the leaves decides",
        "A cut can only join items that stand side by side in the hierarchy. A balanced hierarchy over item "
        "numbers puts items together that have nothing in common; what is rare then drags along what is frequent. "
        "The papers that use such hierarchies do not say in which order their leaves stand, and the order moves "
        "the loss further than the choice between AA and the best cut does.",
        (
            ("terrovitis2008", "fig11a", "AA's loss is low on the large sets"),
            ("optimum", "orders", "the order of the leaves matters more than the algorithm"),
            ("optimum", "orders", "AA's distance does not depend on the order"),
            ("optimum", "orders", "frequent items side by side lose the least"),
        ),
    ),
    Negative(
        "Ordering clusters by the distance of their records' bits costs utility in Rum-bound",
        "RMERGE_T and RMERGE_RT order candidates by BTD, a distance of the records as they are, in place of the UL "
        "that the transaction function would leave. That saves running the function, which is what the paper "
        "shows. It says nothing of the items that are generalized together: two clusters with few items in common "
        "can share a hierarchy node, and two with many can need the root for one rare item. Over a hierarchy (AA) "
        "that costs UL; where any items can form a group (COAT) it costs little, and in Tum-bound, where UL has to "
        "meet its bound either way, nothing.",
        (
            ("poulis2013", "fig7ce", "RM_T and RM_RT have the same UL as their baselines"),
            ("poulis2013", "fig7df", "TM_T and TM_RT have the same UL as their baselines"),
            ("poulis2013", "fig7ce", "RM_T and RM_RT are at least 10 times more efficient: counted work"),
        ),
    ),
    Negative(
        "COAT against AA in UL: one large group outweighs many small ones",
        "The utility loss of a published group is weighted by 2 to the power of its size, so that UL is above all "
        "about the largest groups of a publication. COAT merges the pair that costs least now, and a chain of "
        "cheap merges makes a large group; AA's groups are bounded by the nodes of its hierarchy, whose sizes "
        "jump. Which of the two has the larger group depends on k and on the order of the leaves, while by NCP, "
        "which weighs all groups alike, COAT loses less throughout.",
        (
            ("loukides2010", "fig10a", "COAT's UL is below AA's for all k"),
            ("loukides2010", "fig9", "AA's UL is substantially above COAT's for all m, BMS-2"),
            ("loukides2010", "fig10a", "UL says how large the largest published group is, and hardly more"),
            ("loukides2010", "fig10a", "COAT's NCP is below AA's for all k"),
        ),
    ),
    Negative(
        "UL can rise when clusters merge",
        "The paper says that UL falls with every merge, since a larger cluster needs less generalization. A merged "
        "cluster has the rare itemsets of both, and those that were frequent enough in one may meet items of the "
        "other with which they are rare: the function is run anew on the union and may have to generalize more "
        "than in both parts.",
        (
            ("poulis2013", "fig7g", "UL never increases as clusters merge"),
            ("poulis2013", "fig7g", "UL is lower in the end than at first"),
            ("poulis2013", "fig7h", "UL never increases as clusters merge"),
        ),
    ),
    Negative(
        "A utility policy that restricts nothing",
        "UP4 has groups of 500 siblings; BMS-WebView-1 has 497 items. Its one group holds every item, any "
        "generalization satisfies it, and AA cannot violate it: that AA meets none of the four policies is "
        "impossible by arithmetic.",
        (
            ("loukides2010", "fig13", "AA meets none of them"),
            (
                "loukides2010",
                "fig13",
                "UP4 restricts nothing on BMS-1: its one group of up to 500 holds all 497 items, so that AA cannot "
                "violate it",
            ),
        ),
    ),
    Negative(
        "The multi-round heuristic does not lose least everywhere",
        "mHgHs suppresses as well as generalizes, and settles the cut of each round before it looks at longer "
        "itemsets. Below a balanced hierarchy AA's cut loses little already, and what mHgHs suppressed or fixed "
        "too early can cost more than it saves. Below unbalanced taxonomies, with which the paper works, AA often "
        "has nothing but the root left, and the order is the paper's.",
        (
            ("liu2010", "fig3b", "mHgHs loses least of all"),
            ("liu2010", "fig3d", "mHgHs loses least of all"),
            ("liu2010", "drawn", "mHgHs loses least of all"),
        ),
    ),
    Negative(
        "What safe grouping loses depends on what counts as lost",
        "Tuples that are anonymized for l-diversity may go on counting in their group, or not: then every one that "
        "leaves shrinks the group, and others follow. The paper does not say which; for large l the two readings "
        "are far apart, and what is printed lies near the one in which they go on counting.",
        (
            ("albouna2013", "fig4abc", "for k=9 and l=7 a third of the tuples is anonymized to preserve l-diversity"),
            ("albouna2013", "fig4abc", "for small l the loss is below 10%"),
        ),
    ),
)


def text(judged: Mapping[str, Sequence[Judged]]) -> str:
    """Return the page: each argument with the verdicts that bear on it."""
    parts = [_INTRODUCTION]
    for one in NEGATIVES:
        parts += [f"## {one.title}", one.argument, _table(one, judged)]
    return "\n\n".join(parts) + "\n"


_INTRODUCTION = """\
# What does not hold, and why

*This page is generated by `python -m benchmarks.experiments render`; nobody edits it.*

A claim that fails on other data or under another order of the leaves may say more about a method than one that holds.
Here are those that do, each with the reason and with the verdicts that bear on it, whichever way they went;
[What of the papers holds](findings.md) says how verdicts come about."""


def _table(one: Negative, judged: Mapping[str, Sequence[Judged]]) -> str:
    cells = []
    for key, figure, claim in one.claims:
        (found,) = [each for each in judged[key] if (each.key, each.claim.text) == (figure, claim)]
        page = f"[{found.figure}](../benchmarks/results/{key}/README.md)"
        whose = "our own study" if paper(key).study else names(key)
        own = "" if found.claim.kind == "paper" else f" ({found.claim.kind})"
        cells.append((whose, page, found.claim.text + own, f"**{found.verdict}**", found.share, found.measured))
    return rows(("paper", "figure", "claim", "verdict", "repetitions", "measured"), cells)
