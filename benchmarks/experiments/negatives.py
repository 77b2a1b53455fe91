"""The page of failed claims that reveal something about a method, with the reasons."""

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
    """A common belief about a method, and the evidence against it."""

    title: str
    argument: str
    """Explanation without figures; the verdicts contain them."""
    claims: Sequence[tuple[str, str, str]]
    """Paper or study key, figure key and claim text of each supporting claim."""


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
            ("optimum", "orders", "AA's distance from the best cut does not depend on the order"),
            ("optimum", "orders", "the order by frequency loses least"),
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
            ("loukides2010", "fig10a", "UL measures little more than the size of the largest published group"),
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
            ("poulis2013", "fig7g", "UL is lower after all merges than before"),
            ("poulis2013", "fig7h", "UL never increases as clusters merge"),
        ),
    ),
    Negative(
        "A utility policy without effect",
        "UP4 has groups of 500 siblings; BMS-WebView-1 has 497 items. The only group contains every item, so any "
        "generalization satisfies the policy, and AA cannot violate it. The claim that AA meets none of the four "
        "policies is therefore arithmetically impossible.",
        (
            ("loukides2010", "fig13", "AA satisfies none of the utility policies"),
            ("loukides2010", "fig13", "UP4 restricts nothing on BMS-1: its only group contains all 497 items"),
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
    """Return the page: each argument with verdicts."""
    parts = [_INTRODUCTION]
    for negative in NEGATIVES:
        parts += [f"## {negative.title}", negative.argument, _table(negative, judged)]
    return "\n\n".join(parts) + "\n"


_INTRODUCTION = """\
# Claims that fail, and why

Which claims of the papers fail if the experiment is repeated, and why? Most depend on a choice that the paper does not
state: the order of the leaves of the hierarchy, the data, or how a loss is counted. Each section gives the reason for
one failure, for researchers who compare these methods. [Which claims of the papers hold](findings.md) defines the
verdicts.

*`python -m benchmarks.experiments render` generates this page; do not edit it.*"""


def _table(negative: Negative, judged: Mapping[str, Sequence[Judged]]) -> str:
    cells = []
    for key, figure, claim in negative.claims:
        (judgement,) = [
            candidate for candidate in judged[key] if (candidate.key, candidate.claim.text) == (figure, claim)
        ]
        page = f"[{judgement.figure}](../benchmarks/results/{key}/README.md)"
        source = "own study" if paper(key).study else names(key)
        origin = "" if judgement.claim.kind == "paper" else f" ({judgement.claim.kind})"
        cells.append(
            (
                source,
                page,
                judgement.claim.text + origin,
                f"**{judgement.verdict}**",
                judgement.share,
                judgement.measured,
            )
        )
    return rows(("paper", "figure", "claim", "verdict", "repetitions", "measured"), cells)
