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
        "The order of the leaves matters more than the algorithm",
        "A cut can only join neighbouring items of the hierarchy. A balanced hierarchy over item numbers joins "
        "unrelated items, so rare items force frequent items to be generalized. The papers that use such "
        "hierarchies do not state the order of the leaves. The order changes the loss more than the choice "
        "between AA and the best cut.",
        (
            ("terrovitis2008", "fig11a", "AA's loss is low on the large sets"),
            ("optimum", "orders", "the order of the leaves matters more than the algorithm"),
            ("optimum", "orders", "AA's distance does not depend on the order"),
            ("optimum", "orders", "frequent items side by side lose the least"),
        ),
    ),
    Negative(
        "Ordering clusters by BTD costs utility in Rum-bound",
        "RMERGE_T and RMERGE_RT order candidates by BTD, a distance of the original records, instead of the UL "
        "after the transaction function. This avoids running the function, as the paper shows. But BTD ignores "
        "which items are generalized together: two clusters with few common items can share a hierarchy node, and "
        "two clusters with many can need the root for a single rare item. Over a hierarchy (AA) this costs UL. If "
        "any items can form a group (COAT), it costs little. In Tum-bound, in which UL must meet the bound in any "
        "case, it costs no UL.",
        (
            ("poulis2013", "fig7ce", "RM_T and RM_RT have the same UL as their baselines"),
            ("poulis2013", "fig7df", "TM_T and TM_RT have the same UL as their baselines"),
            ("poulis2013", "fig7ce", "RM_T and RM_RT are at least 10 times more efficient: counted work"),
        ),
    ),
    Negative(
        "COAT and AA in UL: a single large group outweighs many small groups",
        "UL weights a published group by 2 to the power of the group size, so it mainly measures the largest "
        "groups of a publication. COAT always merges the cheapest pair, and a chain of cheap merges creates a "
        "large group. The nodes of the hierarchy, with sizes that jump, limit the groups of AA. Which algorithm "
        "has the larger group depends on k and on the order of the leaves. By NCP, which weights all groups "
        "equally, COAT always loses less.",
        (
            ("loukides2010", "fig10a", "COAT's UL is below AA's for all k"),
            ("loukides2010", "fig9", "AA's UL is substantially above COAT's for all m, BMS-2"),
            ("loukides2010", "fig10a", "UL says how large the largest published group is, and hardly more"),
            ("loukides2010", "fig10a", "COAT's NCP is below AA's for all k"),
        ),
    ),
    Negative(
        "UL can rise when clusters merge",
        "The paper states that UL falls with every merge, because a larger cluster needs less generalization. But "
        "a merged cluster contains the rare itemsets of both clusters, and a frequent itemset of the first "
        "cluster may form rare combinations with items of the second. The function runs on the union and may have "
        "to generalize more than in both clusters.",
        (
            ("poulis2013", "fig7g", "UL never increases as clusters merge"),
            ("poulis2013", "fig7g", "UL is lower in the end than at first"),
            ("poulis2013", "fig7h", "UL never increases as clusters merge"),
        ),
    ),
    Negative(
        "A utility policy without effect",
        "UP4 has groups of 500 siblings; BMS-WebView-1 has 497 items. The only group contains every item, so any "
        "generalization satisfies the policy, and AA cannot violate it. The claim that AA meets none of the four "
        "policies is therefore arithmetically impossible.",
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
        "The multi-round heuristic does not always lose least",
        "mHgHs generalizes and suppresses, and fixes the cut of each round before it considers longer itemsets. "
        "With a balanced hierarchy, the cut of AA already loses little, and early suppression or generalization "
        "by mHgHs can cost more than it saves. With unbalanced taxonomies, as in the paper, AA often keeps only "
        "the root, and the ranking agrees with the paper.",
        (
            ("liu2010", "fig3b", "mHgHs loses least of all"),
            ("liu2010", "fig3d", "mHgHs loses least of all"),
            ("liu2010", "drawn", "mHgHs loses least of all"),
        ),
    ),
    Negative(
        "The loss of safe grouping depends on how it is counted",
        "Tuples that are anonymized for l-diversity either continue to count in their group or not. If not, each "
        "removed tuple shrinks the group, and more tuples follow. The paper does not state which variant it uses. "
        "For large l they differ considerably; the printed figures are close to the variant in which the tuples "
        "continue to count.",
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
# Claims that fail, and why

This page explains which claims about the methods fail on other data or under another order of the leaves, and why.
[Which claims of the papers hold](findings.md) defines the verdicts.

*`python -m benchmarks.experiments render` generates this page; do not edit it.*"""


def _table(one: Negative, judged: Mapping[str, Sequence[Judged]]) -> str:
    cells = []
    for key, figure, claim in one.claims:
        (found,) = [each for each in judged[key] if (each.key, each.claim.text) == (figure, claim)]
        page = f"[{found.figure}](../benchmarks/results/{key}/README.md)"
        whose = "own study" if paper(key).study else names(key)
        own = "" if found.claim.kind == "paper" else f" ({found.claim.kind})"
        cells.append((whose, page, found.claim.text + own, f"**{found.verdict}**", found.share, found.measured))
    return rows(("paper", "figure", "claim", "verdict", "repetitions", "measured"), cells)
