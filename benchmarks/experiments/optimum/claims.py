"""Claims of the study of the best cut."""

from collections.abc import Sequence

from benchmarks.experiments.cases import Claim, Results
from benchmarks.experiments.checks import Check, exponents_within, listed

_SIZES = (1, 2, 3)
_SLACK = 1e-3
"""Two losses count as equal if they differ by at most this many percent."""


def _values(results: Results, *quantities: str) -> list[float]:
    return [float(one[name]) for name in quantities for one in results.measured.values() if name in one]


def _each(what: str, modes: Sequence[str] = ("", "s")) -> tuple[str, ...]:
    return tuple(f"m{m}{mode}_{what}" for m in _SIZES for mode in modes)


def _distance_at_most(name: str, mode: str, most: float) -> Check:
    """Return a check that a heuristic is at most `most` percent above each proven best cut."""

    def check(results: Results) -> tuple[bool, str]:
        found = sorted(
            float(one[f"m{m}{mode}_{name}"])
            for one in results.measured.values()
            for m in _SIZES
            if f"m{m}{mode}_{name}" in one and one[f"m{m}{mode}_open"] == 0
        )
        if not found:
            return False, "no best cut is proven"
        above = sum(value > most for value in found)
        equal = sum(value <= _SLACK for value in found)
        middle = found[len(found) // 2]
        shown = f"of {len(found)} proven cases {equal} are best, {above} above {most:g} %; median {middle:.2g} %"
        return above == 0, f"{shown}, largest {found[-1]:.3g} %"

    return check


def _no_better(name: str, other: str, modes: Sequence[str]) -> Check:
    """Return a check that a heuristic never has a lower loss than another heuristic."""

    def check(results: Results) -> tuple[bool, str]:
        pairs = [
            (float(one[f"{stem}_{name}"]), float(one[f"{stem}_{other}"]))
            for one in results.measured.values()
            for stem in (f"m{m}{mode}" for m in _SIZES for mode in modes)
            if f"{stem}_{name}" in one and f"{stem}_{other}" in one
        ]
        better = [b - a for a, b in pairs if a < b - _SLACK]
        worse = sum(a > b + _SLACK for a, b in pairs)
        gain = f", by up to {max(better):.3g} points" if better else ""
        return not better, f"better in {len(better)} of {len(pairs)} cases{gain}, worse in {worse}"

    return check


def _all_proven(quantities: Sequence[str]) -> Check:
    def check(results: Results) -> tuple[bool, str]:
        found = _values(results, *quantities)
        left = [value for value in found if value > 0]
        shown = f"; the others at most {max(left):.3g} % above their bounds" if left else ""
        return not left, f"{len(found) - len(left)} of {len(found)}{shown}"

    return check


def _seldom_branches(results: Results) -> tuple[bool, str]:
    programs = [
        (float(one[f"{stem}_programs"]), float(one[f"{stem}_root"]))
        for one in results.measured.values()
        for stem in (f"m{m}{mode}" for m in _SIZES for mode in ("", "s"))
        if one.get(f"{stem}_open") == 0
    ]
    alone, worst = sum(n == 0 for n, _ in programs), max((root for _, root in programs), default=0.0)
    shown = f"{alone} of {len(programs)} proven cases; in the others, the relaxation is at most {worst:.2g} % below"
    return alone >= 0.9 * len(programs), shown


def _order_matters_more(results: Results) -> tuple[bool, str]:
    found = {
        f"{x}, {series}": (100 * (one["best_most"] / one["best_least"] - 1), one["apriori_median"])
        for (series, x), one in results.measured.items()
    }
    shown = "; ".join(f"{name}: {by_order:.3g} % against {aa:.3g} %" for name, (by_order, aa) in found.items())
    return all(by_order >= aa for by_order, aa in found.values()), shown


def _order_changes_distance(results: Results) -> tuple[bool, str]:
    found = [(one["apriori_least"], one["apriori_most"]) for one in results.measured.values()]
    shown = "; ".join(f"{low:.3g} to {high:.3g} %" for low, high in found)
    return all(high - low <= 5 for low, high in found), shown


def _frequency_is_best(results: Results) -> tuple[bool, str]:
    ratios = [one["best in frequency order"] / one["best of random orders"] for one in results.measured.values()]
    return all(ratio <= 1 for ratio in ratios), f"frequency / best random: {listed(ratios)}"


def _samples_agree(results: Results) -> tuple[bool, str]:
    medians: dict[str, list[float]] = {}
    for (_, x), one in results.measured.items():
        medians.setdefault(str(x).split(",")[0], []).append(float(one["apriori_median"]))
    shown = "; ".join(f"{name}: {listed(values)} %" for name, values in medians.items())
    return all(max(values) - min(values) <= 5 for values in medians.values()), shown


def _open_from(series: str) -> Check:
    """Return a check that the best cut is proven in all cases of a curve. The outcome lists the unproven cases."""

    def check(results: Results) -> tuple[bool, str]:
        curve = results.curve(series, "open")
        left = [(x, above) for x, above in curve if above > 0]
        if not left:
            return True, f"proven up to {curve[-1][0]}"
        return False, "; ".join(f"{x}: {above:.3g} % above its bound" for x, above in left)

    return check


SETS = (
    Claim(
        "the best cut is proven without suppression",
        "the best cut is proven in every case",
        _all_proven(_each("open", [""])),
    ),
    Claim(
        "the best cut is proven with suppression",
        "the best cut is proven in every case within the limits",
        _all_proven(_each("open", ["s"])),
    ),
    Claim(
        "the linear relaxation suffices for the proof",
        "the relaxation suffices in at least 90 % of the proven cases",
        _seldom_branches,
    ),
    Claim(
        "AA is close to the best cut",
        "the NCP is at most 5 % above that of each proven best cut",
        _distance_at_most("apriori", "", 5),
    ),
    Claim(
        "VPA is close to the best cut",
        "the NCP is at most 5 % above that of each proven best cut",
        _distance_at_most("vpa", "", 5),
    ),
    Claim("DA is no better than AA", "the NCP is lower in no case", _no_better("direct", "apriori", [""])),
    Claim("VPA is no better than AA", "the NCP is lower in no case", _no_better("vpa", "apriori", [""])),
    Claim(
        "HgHs is close to the best cut with suppression",
        "the NCP is at most 5 % above that of each proven best cut",
        _distance_at_most("hghs", "s", 5),
    ),
    Claim(
        "mHgHs is close to the best cut with suppression",
        "the NCP is at most 5 % above that of each proven best cut",
        _distance_at_most("mhghs", "s", 5),
    ),
    Claim("HgHs is no better than mHgHs", "the NCP is lower in no case", _no_better("hghs", "mhghs", ["s"])),
)
ORDERS = (
    Claim("the order of the leaves matters more than the algorithm",
          "the worst order exceeds the loss of the best order at least as much as AA exceeds the best cut (median)",
          _order_matters_more),
    Claim("AA's distance from the best cut does not depend on the order",
          "the smallest and the largest distance differ by at most 5 percentage points",
          _order_changes_distance),
    Claim("the order by frequency has the lowest loss", "no random order is better", _frequency_is_best),
)  # fmt: skip
SAMPLES = (
    Claim(
        "a sample predicts AA's distance from the best cut",
        "the medians of the samples differ by at most 5 percentage points",
        _samples_agree,
    ),
)
ITEMS = (
    Claim("time grows at most quadratically with the item count", "the exponents are at most 2",
          exponents_within(("m=2", "m=3"), "seconds", float("-inf"), 2)),
    Claim("the best cut is proven for m=2 at every item count", "every best cut is proven", _open_from("m=2")),
    Claim("the best cut is proven for m=3 at every item count", "every best cut is proven", _open_from("m=3")),
)  # fmt: skip
LARGER_M = (
    Claim(
        "the best cut is proven for every m without suppression",
        "every best cut is proven",
        _open_from("BMS-WebView-1"),
    ),
    Claim(
        "the best cut is proven for every m with suppression",
        "every best cut is proven",
        _open_from("BMS-WebView-1, suppression"),
    ),
)
LARGER_K = (
    Claim("the best cut is proven for every k without suppression", "every best cut is proven", _open_from("m=3")),
    Claim(
        "the best cut is proven for every k with suppression",
        "every best cut is proven",
        _open_from("m=2, suppression"),
    ),
)
