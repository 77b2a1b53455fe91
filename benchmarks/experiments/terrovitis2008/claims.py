"""Claims of section 5.2 of the paper, with criteria for our results."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from benchmarks.experiments.cases import Claim, Finding, Results
from benchmarks.experiments.checks import LINEAR, exponent, grows_linearly, listed, ordering, rises, spread, steps
from benchmarks.experiments.criteria import USEFUL
from benchmarks.experiments.factors import ORDERS, RUNS, SAMPLES, Factor

OA, DA, AA = "OA", "DA", "AA"
CONGRESS, TAFENG = "Congress bills", "Ta-Feng"
SECONDS, INSERTED, NODES, NCP, CUTS = "seconds", "inserted", "tree_nodes", "ncp", "cuts"
LATTICE = "lattice"
_SAME, _CLOSE = 1e-9, 1.1
_EXPONENT = "exponent of the fitted power law"
_BY_SECONDS = " (time)"
_NO_SEARCH = "follows from the data, no search runs"
_STEP = "step of |I|"
_SIZES_OF_PAPER = (40, 50, 60)
_AA_SCALES = "the tree of AA scales better than the tree of DA"
_SCALES = f"the {_EXPONENT} is smaller for AA than for DA, the tree of DA grows, and the ratio of AA to DA falls"
_NOT_ALONE = (
    ". A smaller exponent alone does not suffice, because a tree that grows and shrinks can have one (version 16)"
)
_WORK_OF_OA = "measure of OA's work"
_SHAPES = {"bms_webview1": (59_602, 497, 267, 2.5), "bms_webview2": (77_512, 3_340, 161, 5.0)}

Check = Callable[[Results], Finding]


def _ratios(results: Results, above: str, below: str, quantity: str) -> list[float]:
    pairs = zip(results.values(above, quantity), results.values(below, quantity), strict=True)
    return [a / b for a, b in pairs]


def _of_each(series: Sequence[str], holds: Callable[[Results, str], tuple[bool, str]]) -> Check:
    """Return a check of one or several curves. Each of several curves is a part of the claim."""

    def check(results: Results) -> Finding:
        found = {name: holds(results, name) for name in series}
        shown = "; ".join(f"{name}: {text}" for name, (_, text) in found.items())
        parts = {name: held for name, (held, _) in found.items()}
        return Finding(all(parts.values()), shown, parts if len(parts) > 1 else {})

    return check


def _by_work(**checks: Check) -> Check:
    """Return a check of a claim about OA's cost. Each measure of work is a part of the claim."""
    names = {"inserted": "itemsets inserted", "cuts": "cuts evaluated"}

    def check(results: Results) -> Finding:
        found = {names[measure]: of_measure(results) for measure, of_measure in checks.items()}
        shown = "; ".join(f"{name}: {one.shown}" for name, one in found.items())
        parts = {name: one.held for name, one in found.items()}
        return Finding(all(parts.values()), shown, parts)

    return check


def _of_data(check: Check) -> Check:
    """Return a check whose figures state that the count follows from the records and the tree."""
    return lambda results: (one := check(results))._replace(shown=f"{one.shown} ({_NO_SEARCH})")


def _by_step(results: Results, series: str) -> dict[str, Sequence[tuple[float, float]]]:
    """Return the nodes of a tree. Over |I|, return them for the three sizes of the paper, and in steps of 5."""
    curve = [(float(x), y) for x, y in results.curve(series, NODES)]
    if curve[0][0] < min(_SIZES_OF_PAPER):
        return {"": curve}
    of_paper = [point for point in curve if point[0] in _SIZES_OF_PAPER]
    return {"sizes of the paper (40, 50 and 60)": of_paper, "sizes in steps of 5": curve}


def _rising(points: Sequence[tuple[float, float]]) -> dict[tuple[str, int], float]:
    return steps([y for _, y in points], up=True)


def _superlinear(results: Results) -> Finding:
    of = _by_step(results, DA)
    parts = {name: exponent(points) > 1 and min(_rising(points).values()) > 0 for name, points in of.items()}
    shown = "; ".join(f"{name}: exponent {exponent(points):.2f}" for name, points in of.items())
    return Finding(all(parts.values()), f"DA: {listed(results.values(DA, NODES))}; {shown}", parts)


def _linear(series: Sequence[str], quantity: str) -> Check:
    return _of_each(series, lambda results, name: grows_linearly(results.curve(name, quantity)))


def _multiplies(series: Sequence[str], quantity: str, every: float = 1) -> Check:
    """Return a check that the values at least double whenever x grows by `every`."""

    def holds(results: Results, name: str) -> tuple[bool, str]:
        pairs = list(pairwise(results.curve(name, quantity)))
        factors = [b / a for (_, a), (_, b) in pairs]
        least = [2 ** ((float(after) - float(x)) / every) for (x, _), (after, _) in pairs]
        return all(a >= b for a, b in zip(factors, least, strict=True)), f"factors {listed(factors)}"

    return _of_each(series, holds)


def _spread_at_most(series: Sequence[str], quantity: str, most: float = 1.5) -> Check:
    def holds(results: Results, name: str) -> tuple[bool, str]:
        values = results.values(name, quantity)
        found = spread(values) if min(values) > 0 else float("inf")
        return found <= most, f"largest / smallest {found:.2f} ({listed(values)})"

    return _of_each(series, holds)


def _steps(series: Sequence[str], quantity: str, *, up: bool) -> Check:
    """Return a check that each curve rises, or falls, with each step. Each of several curves is a part of the claim."""

    def check(results: Results) -> Finding:
        found = {name: results.values(name, quantity) for name in series}
        gaps = {name if len(series) > 1 else "": steps(values, up=up) for name, values in found.items()}
        return ordering(gaps, "; ".join(f"{name}: {listed(values)}" for name, values in found.items()))

    return check


def _at_most(quantity: str, most: float) -> Check:
    """Return a check that no point of AA's curve is above `most`. Each position is a part of the claim."""

    def check(results: Results) -> Finding:
        parts = {str(x): y <= most for x, y in results.curve(AA, quantity)}
        shown = ", ".join(f"{x}: {listed([y])}" for x, y in results.curve(AA, quantity))
        return Finding(all(parts.values()), shown, parts)

    return check


def _as_printed(results: Results) -> Finding:
    found = {x: [results.at("here", x, name) for name in ("records", "items", "longest", "average")] for x in _SHAPES}
    parts = {x: found[x][:3] == list(of[:3]) and abs(found[x][3] - of[3]) < 0.1 for x, of in _SHAPES.items()}
    shown = "; ".join(f"{x}: {', '.join(f'{value:,.6g}' for value in values)}" for x, values in found.items())
    return Finding(all(parts.values()), shown, parts)


def _same_time(results: Results) -> Finding:
    found = _ratios(results, OA, DA, SECONDS)
    return Finding(all(0.5 <= ratio <= 2 for ratio in found), f"OA / DA: {listed(found)}")


def _converges(quantity: str) -> Check:
    def check(results: Results) -> Finding:
        found = _ratios(results, AA, DA, quantity)
        parts = {
            "much less for few records": found[0] <= 0.5,
            "the ratio rises": all(gap > 0 for gap in steps(found, up=True).values()),
            "converged within our range": found[-1] >= 0.8,
        }
        return Finding(all(parts.values()), f"AA / DA: {listed(found)}", parts)

    return check


def _above_optimum(results: Results, series: str) -> dict[str, float]:
    """Return how far a curve's NCP is above OA's, by position."""
    pairs = zip(results.curve(series, NCP), results.values(OA, NCP), strict=True)
    return {str(x): loss - optimum for (x, loss), optimum in pairs}


def _same_loss(of: str, *series: str) -> Check:
    def check(results: Results) -> Finding:
        found = {name: _above_optimum(results, name) for name in series}
        parts = {f"{of}={x}": all(above[x] <= _SAME for above in found.values()) for x in found[series[0]]}
        shown = "; ".join(f"{name} {listed(above.values())}" for name, above in found.items())
        return Finding(all(parts.values()), f"NCP of OA {listed(results.values(OA, NCP))}; above it: {shown}", parts)

    return check


def _times_optimum(results: Results, series: str) -> dict[str, float]:
    """Return how many times as high as OA's NCP a curve's is, by position. 1 if both are 0."""
    pairs = zip(results.curve(series, NCP), results.values(OA, NCP), strict=True)
    return {str(x): loss / optimum if optimum else float("inf") if loss else 1.0 for (x, loss), optimum in pairs}


def _close_to_optimum(results: Results, series: str) -> tuple[bool, str]:
    ratios = list(_times_optimum(results, series).values())
    return max(ratios) <= _CLOSE, f"NCP / OA's {listed(ratios)}"


def _close_in_most(results: Results) -> Finding:
    ratios = _times_optimum(results, AA)
    close = sum(value <= _CLOSE for value in ratios.values())
    shown = ", ".join(f"{x}: {listed([value])}" for x, value in ratios.items())
    return Finding(2 * close > len(ratios), f"{close} of {len(ratios)}; NCP / OA's {shown}")


def _optimum_is_least(results: Results) -> Finding:
    least = {name: min(_above_optimum(results, name).values()) for name in (DA, AA)}
    shown = ", ".join(f"{name} {listed([value])}" for name, value in least.items())
    return Finding(min(least.values()) >= -_SAME, f"least NCP above OA's: {shown}")


def _scales_better(results: Results) -> Finding:
    aa, da = _by_step(results, AA), _by_step(results, DA)
    gaps: dict[str, dict[Any, float]] = {}
    shown = []
    for part, points in da.items():
        ratios = [mine / its for (_, mine), (_, its) in zip(aa[part], points, strict=True)]
        of_da, of_aa = exponent(points), exponent((x, max(1, y)) for x, y in aa[part])  # AA may have no tree
        gaps[part] = {"exponent": of_da - of_aa, **_rising(points), **steps(ratios, up=False, name="AA / DA")}
        shown.append(f"{part}{': ' if part else ''}AA / DA {listed(ratios)}, exponents AA {of_aa:.2f}, DA {of_da:.2f}")
    nodes = f"AA {listed(results.values(AA, NODES))}; DA {listed(results.values(DA, NODES))}"
    return ordering(gaps, f"{'; '.join(shown)}; nodes {nodes}")


def _never_more(results: Results) -> Finding:
    found = {name: _ratios(results, AA, DA, name) for name in (NODES, INSERTED)}
    shown = f"AA / DA: nodes {listed(found[NODES])}; inserted {listed(found[INSERTED])}"
    return Finding(all(ratio <= 1 for ratios in found.values() for ratio in ratios), shown)


def _trivial(results: Results, series: str) -> tuple[bool, str]:
    published, loss = results.at(series, 4, "published"), results.at(series, 4, NCP)
    return published == 1, f"{published:.0f} published symbols, NCP {listed([loss])}"


def _low_above_four(results: Results, series: str) -> tuple[bool, str]:
    found = [loss for h, loss in results.curve(series, NCP) if h != 4]
    return max(found) <= 0.02, f"NCP {listed(found)}"


def _grows_slightly(results: Results, series: str) -> tuple[bool, str]:
    found = results.values(series, NCP)
    return found[-1] - found[0] <= 0.05 and max(found) <= USEFUL, f"NCP {listed(found)}"


def _never_falls(results: Results, series: str) -> tuple[bool, str]:
    found = results.values(series, NCP)
    return rises(found), f"NCP {listed(found)}"


_BOTH = (CONGRESS, TAFENG)


def _of(
    text: str,
    criterion: str,
    check: Check | None,
    factor: Factor | None = ORDERS,
    over: str = "",
) -> Claim:
    return Claim(text, criterion, check, factor, over=over)


def _own(claims: Sequence[Claim], factor: Factor) -> tuple[Claim, ...]:
    """Return claims of the paper as our own claims, repeated over another factor."""
    return tuple(replace(claim, kind="own", factor=factor) for claim in claims)


FIGURE_7 = (
    Claim(
        "the data sets have the characteristics printed in the table",
        "all figures are equal, except that the average length may differ by 0.1",
        _as_printed,
        kind="derived",
        over="data set",
        printed="59,602, 497, 267, 2.5; 77,512, 3,340, 161, 5.0",
    ),
)
_CONVERGES = (
    "the ratio of AA to DA is at most 0.5 at the first point, rises with each step, and is at least 0.8 at the last"
)
_TREND = "part of the trend"
_GROWS_LINEARLY = _of(
    "the cost of OA and DA grows linearly with |D|",
    f"{LINEAR}, for the number of itemsets inserted into their tree, and for the number of cuts that OA evaluates",
    _by_work(inserted=_of_data(_linear((DA,), INSERTED)), cuts=_linear((OA,), CUTS)),
    over=_WORK_OF_OA,
)
_TREE_IS_STEADY = replace(
    _of(
        "the count-tree of OA and DA is not very sensitive to |D|",
        "the largest value is at most 1.5 times the smallest",
        _spread_at_most((DA,), NODES),
    ),
    kind="derived",
)
_AA_CONVERGES = _of(
    "AA costs much less for few records, and its cost converges to the cost of the others",
    f"{_CONVERGES} (for the number of itemsets inserted into the tree)",
    _converges(INSERTED),
    over=_TREND,
)  # fmt: skip
_TREE_CONVERGES = _of(
    "AA's count-tree is much smaller for few records, and its size converges to the size of the others",
    f"{_CONVERGES} (for the number of nodes)",
    _converges(NODES),
    over=_TREND,
)
_ALL_OPTIMAL = _of(
    "all three algorithms have the same, optimal loss",
    "the NCP is equal at every position",
    _same_loss("|D|", DA, AA),
    over="number of records",
)
FIGURE_8 = (
    _of(
        "OA and DA have identical performance",
        "the times are within a factor of 2",
        _same_time,
        RUNS,
    ),
    _GROWS_LINEARLY,
    _of(
        "the cost of OA and DA grows linearly with |D|" + _BY_SECONDS,
        LINEAR,
        _linear((OA, DA), SECONDS),
        RUNS,
        "algorithm",
    ),
    _TREE_IS_STEADY,
    _AA_CONVERGES,
    _of(
        "AA is much faster for few records, and its time converges to the time of the others" + _BY_SECONDS,
        _CONVERGES,
        _converges(SECONDS),
        RUNS,
    ),
    _TREE_CONVERGES,
    _ALL_OPTIMAL,
    Claim("OA has the lowest loss", "the NCP of DA and AA is never below OA's", _optimum_is_least, ORDERS, "enforced"),
    Claim(
        "AA's tree is no larger than DA's",
        "AA has at most as many nodes and inserted itemsets as DA",
        _never_more,
        ORDERS,
        "enforced",
    ),
)
FIGURE_8_SAMPLES = _own((_GROWS_LINEARLY, _TREE_IS_STEADY, _AA_CONVERGES, _TREE_CONVERGES, _ALL_OPTIMAL), SAMPLES)
FIGURE_9 = (
    _of(
        "the costs of DA and AA grow linearly with |I|",
        f"{LINEAR}, for the number of itemsets inserted into their trees",
        _linear((DA, AA), INSERTED),
        over="algorithm",
    ),
    _of(
        "the costs of DA and AA grow linearly with |I|" + _BY_SECONDS,
        LINEAR,
        _linear((DA, AA), SECONDS),
        RUNS,
        "algorithm",
    ),
    _of(
        "the cost of OA grows exponentially with |I|",
        "the number of evaluated cuts, and the number of itemsets inserted into the tree, at least double with every "
        "10 items",
        _by_work(inserted=_of_data(_multiplies((OA,), INSERTED, 10)), cuts=_multiplies((OA,), CUTS, 10)),
        over=_WORK_OF_OA,
    ),
    _of(
        "the cost of OA grows exponentially with |I|" + _BY_SECONDS,
        "the time at least doubles with every 10 items",
        _multiplies((OA,), SECONDS, 10),
        RUNS,
    ),
    replace(
        _of(
            "the tree of OA and DA grows super-linearly with |I|",
            f"the tree grows with each step of |I|, and the {_EXPONENT} is above 1",
            _superlinear,
            over=_STEP,
        ),
        kind="derived",
    ),
    Claim(
        "the number of cuts grows exponentially with |I|",
        "the number of cuts at least doubles with every 10 items",
        _multiplies((OA,), LATTICE, 10),
        ORDERS,
        "enforced",
    ),
    _of(_AA_SCALES, f"{_SCALES}, with each step of |I|{_NOT_ALONE}", _scales_better, over=_STEP),
    _of(
        "the loss of AA equals the optimum",
        "the NCP is equal at every position",
        _same_loss("|I|", AA),
        over="number of items",
    ),
)
FIGURE_10 = (
    _of(
        "the cost of OA and DA is exponential in m",
        "the number of itemsets inserted into their tree, and the number of cuts that OA evaluates, at least double "
        "with each m",
        _by_work(inserted=_of_data(_multiplies((DA,), INSERTED)), cuts=_multiplies((OA,), CUTS)),
        over=_WORK_OF_OA,
    ),
    _of(
        "the time of OA and DA is exponential in m" + _BY_SECONDS,
        "the value at least doubles with each m",
        _multiplies((OA, DA), SECONDS),
        RUNS,
        "algorithm",
    ),
    _of(
        "the cost of AA grows linearly with m",
        f"{LINEAR}, for the number of itemsets inserted into its trees",
        _linear((AA,), INSERTED),
    ),
    _of("the time of AA grows linearly with m" + _BY_SECONDS, LINEAR, _linear((AA,), SECONDS), RUNS),
    replace(
        _of(
            "the tree of OA and DA grows exponentially",
            "the value at least doubles with each m",
            _multiplies((DA,), NODES),
        ),
        kind="derived",
    ),
    _of(_AA_SCALES, f"{_SCALES}, with each step of m{_NOT_ALONE}", _scales_better),
    _of(
        "the loss of DA and AA is close to optimal for all m",
        f"NCP is at most {_CLOSE:g} times the NCP of OA",
        _of_each((DA, AA), _close_to_optimum),
        over="algorithm",
    ),
)
IN_ALL = (
    _of(
        "AA finds a solution close to the optimum in most cases",
        f"NCP is at most {_CLOSE:g} times the NCP of OA in more than half of the cases",
        _close_in_most,
    ),
)
FIGURE_11A = (
    _of(
        "AA runs in acceptable time",
        "the search takes at most a minute on each data set",
        _at_most(SECONDS, 60),
        RUNS,
        "data set",
    ),
    _of("AA's count-tree is manageable", "the paper gives no number, so the figures are shown and not judged", None),
    replace(
        _of("AA's loss is low on the large sets", "NCP is at most 0.03", _at_most(NCP, 0.03), over="data set"),
        printed="maximum 3%",
    ),
    replace(_of("AA's loss is low on BMS-POS", "BMS-POS is not available", None), printed="maximum 3%"),
)
FIGURE_11B = (
    _of(
        "AA's cost is insensitive to k",
        "the largest number of itemsets inserted into the trees is at most 1.5 times the smallest",
        _spread_at_most(_BOTH, INSERTED),
        over="data set",
    ),
    _of(
        "AA's cost is insensitive to k" + _BY_SECONDS,
        "the largest value is at most 1.5 times the smallest",
        _spread_at_most(_BOTH, SECONDS),
        RUNS,
        "data set",
    ),
    _of(
        "AA's memory is insensitive to k",
        "the largest number of nodes is at most 1.5 times the smallest",
        _spread_at_most(_BOTH, NODES),
        over="data set",
    ),
)
FIGURE_11C = (
    _of(
        "AA costs less for smaller h",
        "the itemsets inserted into the trees rise with each step of h",
        _steps(_BOTH, INSERTED, up=True),
        over="data set",
    ),
    _of(
        "AA is faster for smaller h" + _BY_SECONDS,
        "the time rises with each step of h",
        _steps(_BOTH, SECONDS, up=True),
        RUNS,
        "data set",
    ),
    _of(
        "AA has a higher loss for smaller h",
        "NCP falls with each step of h",
        _steps(_BOTH, NCP, up=False),
        over="data set",
    ),
    _of(
        "at h=4 AA finds only the trivial generalization",
        "AA publishes a single symbol",
        _of_each(_BOTH, _trivial),
        over="data set",
    ),
    replace(
        _of("for all other h the loss is close to 1%", "NCP is at most 0.02", _of_each(_BOTH, _low_above_four), ORDERS),
        over="data set",
        printed="close to 1%",
    ),
)
FIGURE_11D = (
    _of(
        "time grows with m" + _BY_SECONDS,
        "the time rises with each step of m",
        _steps(_BOTH, SECONDS, up=True),
        RUNS,
        "data set",
    ),
    _of(
        "the loss grows only slightly with m",
        "NCP at the largest m is at most 0.05 higher than at m=1, and at most half of the NCP without information",
        _of_each(_BOTH, _grows_slightly),
        over="data set",
    ),
    Claim(
        "the number of itemsets inserted into the trees grows with m",
        "the number rises with each step of m",
        _steps(_BOTH, INSERTED, up=True),
        ORDERS,
        "enforced",
        "data set",
    ),
    Claim(
        "the loss never falls with m",
        "NCP never falls as m rises",
        _of_each(_BOTH, _never_falls),
        ORDERS,
        "enforced",
        "data set",
    ),
)
