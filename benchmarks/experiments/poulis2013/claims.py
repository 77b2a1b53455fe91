"""What section 6 of the paper says about its figures, and when our results bear it out."""

from benchmarks.experiments.cases import Claim, Results
from benchmarks.experiments.claims import Check, each_at_most, exponent, exponents_within, listed, rises

VALUES, BOTH, ITEMS = "are_2_0", ("are_1_2", "are_2_2"), "are_0_2"
_SLACK = 0.05
_AT_EACH = f"at each x ({_SLACK:.0%} slack)"


def _below(lower: str, higher: str, quantity: str, slack: float = _SLACK) -> Check:
    """Return a check that one curve is nowhere above another."""

    def check(results: Results) -> tuple[bool, str]:
        low, high = results.values(lower, quantity), results.values(higher, quantity)
        held = all(a <= b * (1 + slack) for a, b in zip(low, high, strict=True))
        return held, f"{quantity}: {lower} {listed(low)}; {higher} {listed(high)}"

    return check


def _all(*checks: Check) -> Check:
    """Return a check that several checks hold."""

    def check(results: Results) -> tuple[bool, str]:
        found = [one(results) for one in checks]
        return all(held for held, _ in found), "; ".join(dict.fromkeys(shown for _, shown in found))

    return check


def _within_bound(quantity: str) -> Check:
    def check(results: Results) -> tuple[bool, str]:
        excess = [y - float(x) for name in results.series for x, y in results.curve(name, quantity)]
        return max(excess) <= 1e-9, f"largest excess over delta: {max(excess):.3g}"

    return check


def _trend(quantity: str, *, up: bool) -> Check:
    """Return a check that all curves rise, or all fall, with delta."""

    def check(results: Results) -> tuple[bool, str]:
        curves = {name: results.values(name, quantity) for name in results.series}
        held = all(rises(curve if up else curve[::-1], slack=0.1) for curve in curves.values())
        return held, f"{quantity}: " + "; ".join(f"{name} {listed(curve)}" for name, curve in curves.items())

    return check


def _useful(results: Results) -> tuple[bool, str]:
    found = {q: [y for name in results.series for y in results.values(name, q)] for q in BOTH}
    shown = ", ".join(f"{q} {listed([min(values)])} to {listed([max(values)])}" for q, values in found.items())
    return all(max(values) < 1 for values in found.values()), shown


def _trade_off(p: str) -> tuple[Claim, ...]:
    """Return the claims on the three orders of merging; `p` is RM or TM."""
    r, t, rt = f"{p}_R", f"{p}_T", f"{p}_RT"
    return (
        Claim(
            f"{r} incurs the lowest loss in the transaction attribute, {t} the highest",
            f"ARE of items: {r} at most {t}, {_AT_EACH}",
            _below(r, t, ITEMS),
        ),
        Claim(
            f"{r} incurs the highest loss in the relational attributes, {t} the lowest",
            f"ARE of relational values: {t} at most {r}, {_AT_EACH}",
            _below(t, r, VALUES),
        ),
        Claim(
            f"{rt} answers relational queries more accurately than {r}, and queries for items than {t}",
            f"both AREs, {_AT_EACH}",
            _all(_below(rt, r, VALUES), _below(rt, t, ITEMS)),
        ),
    )


RUM = (
    Claim("NCP is at most delta", "everywhere", _within_bound("ncp")),
    Claim(
        "a small delta forces low loss in the relational attributes",
        "ARE of relational values rises with delta (10% slack)",
        _trend(VALUES, up=True),
    ),
    Claim(
        "a large delta favours the transaction attribute",
        "ARE of items falls with delta (10% slack)",
        _trend(ITEMS, up=False),
    ),
    Claim(
        "data remain useful for queries involving both attribute types",
        "ARE below 1, the error of always answering 0",
        _useful,
    ),
    *_trade_off("RM"),
)
TUM = (
    Claim("UL is at most delta", "everywhere", _within_bound("ul")),
    Claim(
        "increasing delta favours relational data",
        "ARE of relational values falls with delta (10% slack)",
        _trend(VALUES, up=False),
    ),
    *_trade_off("TM"),
)
FIGURE_6 = (
    Claim(
        "RM_R creates the largest clusters",
        f"largest cluster at least those of RM_T and RM_RT, {_AT_EACH}",
        _all(_below("RM_T", "RM_R", "largest_cluster"), _below("RM_RT", "RM_R", "largest_cluster")),
    ),
    Claim(
        "these clusters have low UL",
        f"UL of RM_R at most those of RM_T and RM_RT, {_AT_EACH}",
        _all(_below("RM_R", "RM_T", "ul"), _below("RM_R", "RM_RT", "ul")),
    ),
    Claim(
        "RM_RT creates larger clusters than RM_T",
        f"largest cluster, {_AT_EACH}",
        _below("RM_T", "RM_RT", "largest_cluster"),
    ),
    Claim("which have lower UL scores", f"UL of RM_RT at most that of RM_T, {_AT_EACH}", _below("RM_RT", "RM_T", "ul")),
)


def _scales_best(results: Results) -> tuple[bool, str]:
    found = {name: exponent(results.curve(name, "seconds")) for name in ("RM_R", "RM_T", "RM_RT")}
    held = found["RM_T"] <= min(found["RM_R"], found["RM_RT"])
    return held, "exponents: " + ", ".join(f"{name} {value:.2f}" for name, value in found.items())


def _fall(*series: str) -> Check:
    def check(results: Results) -> tuple[bool, str]:
        curves = {name: results.values(name, "seconds") for name in series}
        held = all(rises(curve[::-1], slack=0.1) for curve in curves.values())
        return held, "seconds: " + "; ".join(f"{name} {listed(curve)}" for name, curve in curves.items())

    return check


_FASTEST = Claim(
    "RM_T outperforms RM_R and RM_RT",
    f"seconds, {_AT_EACH}",
    _all(_below("RM_T", "RM_R", "seconds"), _below("RM_T", "RM_RT", "seconds")),
)
_SLOWEST = Claim(
    "RM_RT is the slowest, since it computes two orderings",
    f"seconds, {_AT_EACH}",
    _all(_below("RM_R", "RM_RT", "seconds"), _below("RM_T", "RM_RT", "seconds")),
)
FIGURE_7A = (
    _FASTEST,
    Claim("RM_T is more scalable", "the smallest exponent of the best power law", _scales_best),
    _SLOWEST,
)
FIGURE_7B = (
    Claim(
        "runtime improves with k, as fewer clusters are merged",
        "seconds fall with k (10% slack)",
        _fall("RM_R", "RM_T", "RM_RT"),
    ),
    Claim("the runtime of CL improves with k", "seconds fall with k (10% slack)", _fall("CL")),
    _FASTEST,
    _SLOWEST,
)


def _same_loss(results: Results) -> tuple[bool, str]:
    found = {
        name: [a / b for a, b in zip(results.values(name, "ul"), results.values(name, "ul_ul"), strict=True)]
        for name in results.series
    }
    held = all(ratio <= 1.1 for ratios in found.values() for ratio in ratios)
    return held, "UL by BTD / UL by UL: " + "; ".join(f"{name} {listed(ratios)}" for name, ratios in found.items())


def _ten_times(results: Results) -> tuple[bool, str]:
    found = {
        name: [b / a for a, b in zip(results.values(name, "seconds"), results.values(name, "seconds_ul"), strict=True)]
        for name in results.series
    }
    held = all(ratio >= 10 for ratios in found.values() for ratio in ratios)
    return held, "times faster: " + "; ".join(f"{name} {listed(ratios)}" for name, ratios in found.items())


FIGURE_7CF = (
    Claim("ordering by BTD gives the same UL as ordering by UL", "at most 10% more, everywhere", _same_loss),
    Claim("and is at least 10 times faster", "in the same process, everywhere", _ten_times),
)


def _never_rises(results: Results) -> tuple[bool, str]:
    found = {name: (results.values(name, "rises")[-1], results.curve(name, "ul")) for name in results.series}
    shown = [
        f"{name}: UL rose after {count:.0f} of {float(curve[-1][0]):.0f} merges, {listed([curve[0][1]])} to "
        f"{listed([curve[-1][1]])}"
        for name, (count, curve) in found.items()
    ]
    return all(count < 1 for count, _ in found.values()), "; ".join(shown)


def _falls_overall(results: Results) -> tuple[bool, str]:
    curves = {name: results.values(name, "ul") for name in results.series}
    held = all(curve[-1] <= curve[0] for curve in curves.values())
    return held, "UL: " + "; ".join(f"{name} {listed(curve)}" for name, curve in curves.items())


FIGURE_7GH = (
    Claim("UL never increases as clusters merge", "after no merge", _never_rises),
    Claim("UL decreases as clusters merge", "lower in the end than at first", _falls_overall),
)


def _each_below(quantity: str, most: float) -> Check:
    def check(results: Results) -> tuple[bool, str]:
        found = {name: max(results.values(name, quantity)) for name in results.series}
        return max(found.values()) <= most, "largest: " + ", ".join(f"{n} {listed([v])}" for n, v in found.items())

    return check


def _root_alone(results: Results) -> tuple[bool, str]:
    found = {name: results.values(name, "root_share") for name in results.series}
    held = all(share >= 0.99 for shares in found.values() for share in shares)
    return held, "share of records: " + "; ".join(f"{name} {listed(shares)}" for name, shares in found.items())


SPEED = (Claim("every variant is done in seconds", "at most 30 seconds each", _each_below("seconds", 30)),)
SPEED_ICD9 = (
    *SPEED,
    Claim(
        "with the ICD-9 taxonomy AA publishes the root and nothing else",
        "the root alone in at least 99% of the records",
        _root_alone,
    ),
)
GROWTH = (
    Claim("10^6 records are done within two minutes", "by both formations", _each_below("seconds", 120)),
    Claim("in less than 2 GiB", "peak memory of the process, data included", _each_below("peak_mib", 2048)),
    Claim(
        "Mondrian: close to linear up to 10^6 records",
        "exponent of the best power law at most 1.3",
        exponents_within(("Mondrian",), "seconds", float("-inf"), 1.3),
    ),
    Claim(
        "CLUSTER: below the quadratic cost that the paper states",
        "exponent of the best power law below 2",
        exponents_within(("CLUSTER",), "seconds", float("-inf"), 2),
    ),
    Claim("a record of 10^6 costs at most 100 µs", "CLUSTER", each_at_most("CLUSTER", "microseconds_per_record", 100)),
)
