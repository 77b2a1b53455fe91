"""Page that explains why some claims fail. The page only contains reasons that describe a property of a method."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from benchmarks.experiments import criteria
from benchmarks.experiments.factors import ORDERS
from benchmarks.experiments.findings import names
from benchmarks.experiments.judging import Judged, results_of_figure
from benchmarks.experiments.loukides2010.checks import AA, BMS1
from benchmarks.experiments.render import rows
from benchmarks.experiments.runner import paper, papers, results_of
from benchmarks.experiments.workers import ROOT

PAGE = ROOT / "docs" / "negatives.md"


@dataclass(frozen=True)
class Negative:
    """Explanation of a failed claim, and the claims that support the explanation."""

    title: str
    argument: str
    """Explanation without figures, because the verdicts contain the figures."""
    claims: Sequence[tuple[str, str, str]]
    """Supporting claims.

    Each entry consists of the key of the paper or study, the key of the figure, and the text of the claim.
    """
    measured: Callable[[], str] = lambda: ""
    """Function that returns figures that the verdicts do not contain, as a sentence after the argument."""


def _violated() -> str:
    """Return the number of groups of each utility policy that AA violates, by leaf order."""
    chosen = paper("loukides2010")
    (figure,) = [figure for figure in chosen.figures if figure.key == "fig13"]
    levels: dict[str, list[str]] = {}
    for level, results in results_of_figure(figure, results_of(chosen)).levels.items():
        found = {x: one for (series, x), one in results.measured.items() if series == f"{AA}{BMS1}"}
        told = ", ".join(f"{x} {one['utility_violated']} of {one['utility_groups']}" for x, one in found.items())
        levels.setdefault(told, []).append(level)
    drawn = {told: sum(level in ORDERS.draws for level in of) for told, of in levels.items()}
    named = {told: [level for level in of if level in ORDERS.singles] for told, of in levels.items()}
    shown = {told: [*([f"{n} random orders"] if n else []), *named[told]] for told, n in drawn.items()}
    return "Violated groups by order: " + "; ".join(f"{', '.join(of)}: {told}" for told, of in shown.items()) + "."


NEGATIVES = (
    Negative(
        "The order of the leaves matters more than the algorithm",
        "A hierarchy cut can only join items that are neighbours in the hierarchy. In a balanced hierarchy over item "
        "numbers, neighbours are unrelated, so a rare item forces frequent neighbours to be generalized. The papers "
        "that use such hierarchies do not state the order of the leaves. The choice of the order changes the loss "
        "more than the choice between AA and the best cut.",
        (
            ("terrovitis2008", "fig11a", "AA's loss is low on the large sets"),
            ("optimum", "orders", "the order of the leaves matters more than the algorithm"),
            ("optimum", "orders", "AA's distance from the best cut does not depend on the order"),
            ("optimum", "orders", "the order by frequency has the lowest loss"),
        ),
    ),
    Negative(
        "Ordering clusters by BTD costs utility in Rum-bound",
        "RMERGE_T and RMERGE_RT order merge candidates by bit-vector transaction distance (BTD), a distance between "
        "the original records of two clusters, instead of the UL of the merged cluster. This saves time, although "
        "less than the paper states: the merged cluster need not be anonymized to compute BTD. But BTD ignores which "
        "items can be "
        "generalized together. Two clusters with few common items can share a hierarchy node, and two clusters with "
        "many common items can need the root because of a single rare item. With a hierarchy (AA), the UL is "
        "therefore higher. If any items can form a group (COAT), it is only slightly higher. Tum-bound merges until "
        "UL meets the bound, so the order does not increase its UL.",
        (
            ("poulis2013", "fig7ce", "RM_T and RM_RT have the same UL as their baselines"),
            ("poulis2013", "fig7df", "TM_T and TM_RT have the same UL as their baselines"),
            ("poulis2013", "fig7ce", "RM_T and RM_RT are at least 10 times more efficient (time)"),
        ),
    ),
    Negative(
        "A single large group determines whether COAT or AA has the lower UL",
        "The UL of a published group grows with 2 to the power of the group size, so UL mainly measures the largest "
        "groups of a publication. COAT always merges the cheapest pair of groups, and many cheap merges in sequence "
        "create a large group. The groups of AA are hierarchy nodes, and each level of the hierarchy has nodes "
        "several times as large as the level below. Which algorithm has the larger group depends on k and on the "
        "order of the leaves. NCP grows only linearly with the group size. NCP of COAT is always lower.",
        (
            ("loukides2010", "fig10a", "COAT's UL is below AA's for all k"),
            ("loukides2010", "fig9", "AA's UL is substantially above COAT's for all m on BMS-2"),
            ("loukides2010", "fig10a", "UL measures little more than the size of the largest published group"),
            ("loukides2010", "fig10a", "COAT's NCP is below AA's for all k"),
        ),
    ),
    Negative(
        "UL can rise when clusters merge",
        "The paper states that UL falls with every merge of two clusters, because a larger cluster needs less "
        "generalization. But a merged cluster contains the rare itemsets of both clusters. In addition, a frequent "
        "itemset of the first cluster may form rare combinations with items of the second. The merged cluster can "
        "therefore need more generalization than each of the two clusters.",
        (
            ("poulis2013", "fig7g", "UL never increases as clusters merge"),
            ("poulis2013", "fig7g", "UL is lower after all merges than before"),
            ("poulis2013", "fig7h", "UL never increases as clusters merge"),
        ),
    ),
    Negative(
        "A utility policy without effect",
        "The utility policy UP4 has groups of 500 siblings, but BMS-WebView-1 has only 497 items. The only group "
        "therefore contains every item, so any generalization satisfies the policy, and AA cannot violate it. The "
        "claim that AA satisfies none of the four policies cannot be true. This does not explain the other policies, "
        "which AA can violate: whether it does depends on the order of the leaves, which the paper does not state.",
        (
            ("loukides2010", "fig13", "AA satisfies none of the utility policies"),
            ("loukides2010", "fig13", "UP4 restricts nothing on BMS-1, because its only group contains all 497 items"),
        ),
        _violated,
    ),
    Negative(
        "The multi-round heuristic does not always have the lowest loss",
        "mHgHs both generalizes and suppresses. It works in rounds, by itemset size, and a later round never refines "
        "the cut of an earlier round. With a balanced hierarchy, the cut of AA already has a low loss, and "
        "generalizing or suppressing items in early rounds can cost more than it saves. With the unbalanced taxonomy "
        "of products, AA publishes only the root from m=2 on, and mHgHs has the lowest loss, as in the paper. Only the "
        "places of mHgHs and LG agree there: AA, and not MM, has the highest loss, and each loss that the paper prints "
        "differs. With random taxonomies on Kosarak, AA does not publish only the root, and MM was not measured.",
        (
            ("liu2010", "fig3a", "mHgHs has the lowest loss"),
            ("liu2010", "fig3b", "mHgHs has the lowest loss"),
            ("liu2010", "bills", "mHgHs has the lowest loss"),
            *(
                ("liu2010", figure, claim)
                for figure in ("fig3c", "fig3d")
                for claim in (
                    "mHgHs has the lowest loss",
                    "MM has the highest loss for all m from 2 on",
                    "AA has the second highest loss in general",
                    "the loss of mHgHs on AOL is below 10%",
                )
            ),
            ("liu2010", "drawn", "mHgHs has the lowest loss"),
            ("liu2010", "drawn", "AA's loss on AOL is strikingly high, all around 39%, even for m=1 (without m=7)"),
        ),
    ),
    Negative(
        "The loss of LG does not depend on m",
        "LG makes at least k records equal, whatever an attacker knows, so its loss is the same for every m. AA only "
        "protects combinations of up to m items. With a balanced hierarchy, AA finds a good cut and loses less than LG "
        "at every m that we measured, so the two places are exchanged. With the taxonomy of products, AA publishes "
        "only the root from m=2 on, and loses more than MM.",
        (
            *(
                ("liu2010", figure, claim)
                for figure in ("fig3a", "fig3b", "bills")
                for claim in ("AA has the second highest loss in general", "LG has the third highest loss")
            ),
            ("liu2010", "fig3a", "for small m and large k, LG has a slightly higher loss than AA"),
        ),
    ),
    Negative(
        "The loss of safe grouping depends on how anonymized tuples are counted",
        "To make a group l-diverse, safe grouping anonymizes some of its tuples. The paper does not state whether "
        "these tuples still count as members of the group. If the tuples do not count, the group becomes smaller, and "
        "more tuples must be anonymized. For large l the two variants differ considerably. The paper also does not "
        "state whether its 35% include tuples that are anonymized for safety: the text speaks of diversity, and the "
        "caption of both. Only if the tuples still count, and only for diversity, our share is near the printed share. "
        "For l=3 and k=7 or 8, each variant has a higher loss than the paper.",
        (
            ("albouna2013", "fig4abc", "for k=9 and l=7 a third of the tuples is anonymized to preserve l-diversity"),
            ("albouna2013", "fig4abc", "for small l the loss is below 10%"),
        ),
    ),
)


def text(judged: Mapping[str, Sequence[Judged]]) -> str:
    """Return the page, with each argument and the verdicts on its claims."""
    parts = [_introduction(judged)]
    for negative in NEGATIVES:
        parts += [
            f"## {negative.title}",
            f"{negative.argument} {negative.measured()}".strip(),
            _table(negative, judged),
        ]
    return "\n\n".join(parts) + "\n"


def _introduction(judged: Mapping[str, Sequence[Judged]]) -> str:
    failed = {
        (key, one.key, one.claim.text)
        for key in papers(studies=False)
        for one in judged[key]
        if one.claim.kind == "paper" and one.verdict in criteria.NOT_MET
    }
    explained = {claim for negative in NEGATIVES for claim in negative.claims}
    return _INTRODUCTION.format(explained=len(failed & explained), failed=len(failed))


_INTRODUCTION = """\
# Claims that fail, and why

Why do claims of the papers fail if the experiment is repeated? This page is a selection: it explains {explained} of the
{failed} claims that fail, are contradicted or are mixed, those for which we know a reason that is a property of a
method. The others are not explained. Most of the explained claims depend on a choice that the paper does not state:
the order of the leaves of the hierarchy, the data, or the definition of a loss. The tables also list other claims,
which support the reason. This page is for researchers who compare the methods.

AA, COAT, mHgHs, Rum-bound and Tum-bound are [algorithms](glossary.md#algorithms-by-their-names-in-the-papers). UL and
NCP are [losses](losses.md), so lower values are better. The page [Which claims of the papers hold](findings.md)
defines the verdicts.

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
                f"**{judgement.sentence}**",
                judgement.share,
                judgement.measured,
            )
        )
    return rows(("paper", "figure", "claim", "verdict", "repetitions", "measured"), cells)
