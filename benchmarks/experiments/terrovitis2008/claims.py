"""What section 5.2 of the paper says about its figures, and when our results bear it out."""

from itertools import pairwise

from benchmarks.experiments.cases import Claim, Results
from benchmarks.experiments.claims import (
    Check,
    each_at_most,
    exponent,
    exponents_within,
    listed,
    rises,
    spread,
    spread_at_most,
)

OA, DA, AA = "OA", "DA", "AA"
SECONDS, NODES, NCP = "seconds", "tree_nodes", "ncp"
_SAME = 1e-9


def _ratios(results: Results, above: str, below: str, quantity: str) -> list[float]:
    pairs = zip(results.values(above, quantity), results.values(below, quantity), strict=True)
    return [a / b for a, b in pairs]


def _same_time(results: Results) -> tuple[bool, str]:
    found = _ratios(results, OA, DA, SECONDS)
    return all(0.5 <= ratio <= 2 for ratio in found), f"OA / DA: {listed(found)}"


def _converges(quantity: str) -> tuple[str, Check]:
    def check(results: Results) -> tuple[bool, str]:
        found = _ratios(results, AA, DA, quantity)
        return found[0] <= 0.5 and rises(found, slack=0.1) and found[-1] > found[0], f"AA / DA: {listed(found)}"

    return "AA / DA at most 0.5 at first, then rising (10% slack)", check


def _same_loss(*series: str) -> tuple[str, Check]:
    def check(results: Results) -> tuple[bool, str]:
        curves = [results.values(name, NCP) for name in series]
        worst = max(max(at) - min(at) for at in zip(*curves, strict=True))
        shown = "; ".join(f"{name} {listed(curve)}" for name, curve in zip(series, curves, strict=True))
        return worst <= _SAME, shown

    return "equal NCP everywhere", check


def _scales_better(results: Results) -> tuple[bool, str]:
    aa, da = exponent(results.curve(AA, NODES)), exponent(results.curve(DA, NODES))
    fewer = all(ratio <= 1 for ratio in _ratios(results, AA, DA, NODES))
    nodes = f"AA {listed(results.values(AA, NODES))}; DA {listed(results.values(DA, NODES))}"
    return aa < da and da > 1 and fewer, f"exponents AA {aa:.2f}, DA {da:.2f}; nodes {nodes}"


def _optimal_explodes(results: Results) -> tuple[bool, str]:
    found = exponent(results.curve(OA, SECONDS))
    seconds, cuts = results.values(OA, SECONDS), results.values(OA, "cuts")
    return found >= 4, f"exponent {found:.2f}; seconds {listed(seconds)}; cuts looked at {listed(cuts)}"


def _multiplies(series: tuple[str, ...], quantity: str, factor: float) -> Check:
    def check(results: Results) -> tuple[bool, str]:
        found = {name: [b / a for a, b in pairwise(results.values(name, quantity))] for name in series}
        held = all(step >= factor for steps in found.values() for step in steps)
        return held, "factors: " + "; ".join(f"{name} {listed(steps)}" for name, steps in found.items())

    return check


def _tree_of_aa_smaller(results: Results) -> tuple[bool, str]:
    found = _ratios(results, AA, DA, NODES)
    return all(ratio <= 1 for ratio in found) and found[-1] == min(found), f"AA / DA: {listed(found)}"


def _close_to_optimal(results: Results) -> tuple[bool, str]:
    worst = {name: _worst_excess(results, name) for name in (DA, AA)}
    return max(worst.values()) <= 0.01, "largest excess: " + ", ".join(f"{s} {listed([v])}" for s, v in worst.items())


def _worst_excess(results: Results, series: str) -> float:
    pairs = zip(results.values(series, NCP), results.values(OA, NCP), strict=True)
    return max(loss - optimal for loss, optimal in pairs)


def _insensitive(results: Results) -> tuple[bool, str]:
    seconds, nodes = results.values(AA, SECONDS), results.values(AA, NODES)
    shown = f"largest / smallest: seconds {spread(seconds):.2f}, nodes {spread(nodes):.2f}"
    return max(spread(seconds), spread(nodes)) <= 1.5, f"{shown} (nodes {listed(nodes)})"


def _faster_when_lower(results: Results) -> tuple[bool, str]:
    found = results.values(AA, SECONDS)
    return rises(found, slack=0.1), f"seconds by h: {listed(found)}"


def _worse_when_lower(results: Results) -> tuple[bool, str]:
    found = results.values(AA, NCP)
    return rises([-loss for loss in found]), f"NCP by h: {listed(found)}"


def _trivial(results: Results) -> tuple[bool, str]:
    published, loss = results.at(AA, 4, "published"), results.at(AA, 4, NCP)
    return published == 1, f"at h=4: {published:.0f} published symbols, NCP {listed([loss])}"


def _low_above_four(results: Results) -> tuple[bool, str]:
    found = [loss for h, loss in results.curve(AA, NCP) if h != 4]
    return max(found) <= 0.02, f"NCP: {listed(found)}"


def _time_grows(results: Results) -> tuple[bool, str]:
    found = results.values(AA, SECONDS)
    return rises(found, slack=0.1), f"seconds: {listed(found)}"


def _loss_grows(results: Results) -> tuple[bool, str]:
    found = results.values(AA, NCP)
    return rises(found) and found[-1] - found[0] <= 0.05, f"NCP: {listed(found)}"


_LINEAR = "exponent of the best power law within 0.7 to 1.3"

FIGURE_8 = (
    Claim("OA and DA have identical performance", "times within a factor of 2", _same_time),
    Claim("the cost of OA and DA grows linearly with |D|", _LINEAR, exponents_within((OA, DA), SECONDS, 0.7, 1.3)),
    Claim(
        "the count-tree of OA and DA is not very sensitive to |D|",
        "largest at most 1.5 times the smallest",
        spread_at_most(DA, NODES, 1.5),
    ),
    Claim("AA is much faster at first and converges to the cost of the others", *_converges(SECONDS)),
    Claim("so does its count-tree", *_converges(NODES)),
    Claim("all three find the same, optimal loss", *_same_loss(OA, DA, AA)),
)
FIGURE_9 = (
    Claim(
        "the costs of DA and AA grow linearly with |I|",
        "exponent of the best power law at most 1.5",
        exponents_within((DA, AA), SECONDS, float("-inf"), 1.5),
    ),
    Claim(
        "the cost of OA grows exponentially with |I|",
        "exponent of the best power law at least 4",
        _optimal_explodes,
    ),
    Claim(
        "the tree of OA and DA grows super-linearly with |I|, that of AA scales better",
        "exponent of DA above 1, of AA below it, and never more nodes",
        _scales_better,
    ),
    Claim("the loss of AA is that of the optimal solution", *_same_loss(OA, AA)),
)
FIGURE_10 = (
    Claim(
        "the time of OA and DA is exponential in m", "at least doubles with each m", _multiplies((OA, DA), SECONDS, 2)
    ),
    Claim(
        "the time of AA grows linearly with m",
        "exponent of the best power law at most 1.3",
        exponents_within((AA,), SECONDS, float("-inf"), 1.3),
    ),
    Claim("the tree of OA and DA grows exponentially", "at least doubles with each m", _multiplies((DA,), NODES, 2)),
    Claim("the tree of AA scales better", "never more nodes than DA, the smallest part at m=4", _tree_of_aa_smaller),
    Claim("the loss of DA and AA is close to optimal for all m", "NCP at most 0.01 above OA's", _close_to_optimal),
)
FIGURE_11A = (
    Claim("AA runs in acceptable time", "at most a minute on each set", each_at_most(AA, SECONDS, 60)),
    Claim("AA's loss is at most 3% on the three large sets", "NCP at most 0.03", each_at_most(AA, NCP, 0.03)),
)
FIGURE_11B = (
    Claim("time and memory are insensitive to k", "largest at most 1.5 times the smallest, of both", _insensitive),
)
FIGURE_11C = (
    Claim("AA is faster for smaller h", "time rises with h (10% slack)", _faster_when_lower),
    Claim("AA loses more for smaller h", "NCP never rises with h", _worse_when_lower),
    Claim("at h=4 AA finds only the trivial generalisation", "one published symbol", _trivial),
    Claim("for all other h the loss is close to 1%", "NCP at most 0.02", _low_above_four),
)
FIGURE_11D = (
    Claim("time grows with m", "rises (10% slack)", _time_grows),
    Claim("the loss grows slightly with m", "NCP rises, by at most 0.05 in all", _loss_grows),
)
