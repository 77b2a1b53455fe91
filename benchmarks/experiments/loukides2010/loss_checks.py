"""Checks of losses, suppression, violated constraints, costs, and characteristics of the data."""

from collections.abc import Mapping, Sequence
from math import inf

from benchmarks.experiments.cases import Finding, Results
from benchmarks.experiments.checks import exponent, listed, ordering
from benchmarks.experiments.loukides2010.checks import AA, BMS1, COAT, NEAR, Check, gaps_of, pairs_of, ratio_of

S = 0.005
"""The paper's bound on suppression."""
MOST_PRINTED = 0.0002
"""Largest accepted suppression for UP1. It is twice the suppression that the paper prints."""


def never_suppresses(results: Results) -> Finding:
    found = [value for name in results.series if name.startswith(COAT) for value in results.values(name, "suppressed")]
    return Finding(max(found) == 0, f"largest part suppressed in {len(found)} runs: {max(found):.2%}")


def _log_utility_losses(results: Results, series: str) -> dict[float | str, float]:
    """Return the binary logarithm of 2^M UL by position. Minus infinity if there is no loss."""
    there = dict(results.curve(series, "ul_log2"))
    return {x: there.get(x, -inf) for x, _ in results.curve(series, "ncp")}


def less_utility_loss(suffix: str = "", *, twice: bool = False, loser: str = AA, winner: str = COAT) -> Check:
    """Return a check that the UL of `winner` is below the UL of `loser`.

    If `twice` is True, the limit is half the UL of `loser`. Each position is a part of the claim.
    """

    def check(results: Results) -> Finding:
        low, high = (_log_utility_losses(results, f"{name}{suffix}") for name in (winner, loser))
        shown = f"log2 of 2^M UL: {winner} {listed(low.values(), 4)}; {loser} {listed(high.values(), 4)}"
        if twice:
            held = {str(x): high[x] >= value + 1 for x, value in low.items()}
            return Finding(all(held.values()), shown, held)
        return ordering({str(x): {"": _below_in_log2(value, high[x])} for x, value in low.items()}, shown)

    return check


def less_utility_loss_in_all(suffixes: Sequence[str], ways: Mapping[str, str]) -> Check:
    """Return a check that COAT's UL is below AA's at every position. Each data set and way is a part of the claim."""

    def check(results: Results) -> Finding:
        gaps, shown = {}, []
        for suffix in suffixes:
            high = _log_utility_losses(results, f"{AA}{suffix}")
            for way, name in ways.items():
                low = _log_utility_losses(results, f"{COAT}{suffix}{way}")
                part = ", ".join(filter(None, (suffix.strip(), name)))
                gaps[part] = {x: _below_in_log2(value, high[x]) for x, value in low.items()}
                shown.append(f"{part}: {COAT} {listed(low.values(), 4)}; {AA} {listed(high.values(), 4)}")
        return ordering(gaps, f"log2 of 2^M UL, {' | '.join(shown)}")

    return check


def small_groups(suffixes: Sequence[str], allowed: Mapping[str, int]) -> Check:
    """Return a check that COAT's largest group has at most half of the allowed items, for each policy. Each data set is
    a part of the claim.
    """

    def check(results: Results) -> Finding:
        found = {s.strip(): dict(results.curve(f"{COAT}{s}", "largest")) for s in suffixes}
        held = {s: all(size <= allowed[str(x)] / 2 for x, size in sizes.items()) for s, sizes in found.items()}
        shown = "; ".join(
            f"{s}: " + ", ".join(f"{x} {size:g} of {allowed[str(x)]}" for x, size in sizes.items())
            for s, sizes in found.items()
        )
        return Finding(all(held.values()), f"items of the largest group, {shown}", held)

    return check


def _below_in_log2(low: float, high: float) -> float:
    """Return how far 2^low is below 2^high, as a share of the larger value. Negative if above."""
    apart = 0.0 if low == high else high - low
    return (1 - 2 ** -abs(apart)) * (1 if apart > 0 else -1)


def flat_until_25(results: Results) -> Finding:
    """Check that AA's UL at most doubles for k up to 25."""
    found = [loss for k, loss in results.curve(AA, "ul_log2") if float(k) <= 25]
    return Finding(max(found) - min(found) <= 1, f"log2 of 2^M UL of AA for k up to 25: {listed(found, 4)}")


def largest_group_says_ul(results: Results) -> Finding:
    """Check that the logarithm of 2^M UL differs by at most 10 from the item count of the largest published group."""
    found = [
        log2 - dict(results.curve(name, "largest"))[x]
        for name in results.series
        for x, log2 in results.curve(name, "ul_log2")
    ]
    shown = (
        f"log2 of 2^M UL less the items of the largest group, {len(found)} runs: {min(found):.1f} to {max(found):.1f}"
    )
    return Finding(max(map(abs, found)) <= 10, shown)


def lower_ncp(suffixes: Sequence[str]) -> Check:
    """Return a check that COAT's NCP is below AA's NCP at every position. Each data set is a part of the claim."""

    def check(results: Results) -> Finding:
        pairs = {s.strip(): pairs_of(results, "ncp", f"{COAT}{s}", f"{AA}{s}") for s in suffixes}
        shown = "; ".join(f"{s} {listed(ratio_of(*y) for y in found.values())}".strip() for s, found in pairs.items())
        return ordering({s: gaps_of({"ncp": found}) for s, found in pairs.items()}, f"AA / COAT: {shown}")

    return check


def within_s(suffix: str = "", counted: str = "suppressed") -> Check:
    """Return a check that COAT suppresses at most the share `S` and violates no constraint, for each policy with
    several groups.
    """

    def check(results: Results) -> Finding:
        series = f"{COAT}{suffix}"
        groups, violated = (dict(results.curve(series, f"utility_{name}")) for name in ("groups", "violated"))
        found = {str(x): share for x, share in results.curve(series, counted)}
        held = {str(x): found[str(x)] <= S and not violated[x] for x, count in groups.items() if count > 1}
        return Finding(all(held.values()), "suppressed: " + ", ".join(f"{x} {v:.2%}" for x, v in found.items()), held)

    return check


def only_up1_suppresses(results: Results) -> Finding:
    """Check that items are suppressed for UP1 alone, and that their share is at most twice the printed share."""
    counted = {"items": "suppressed", "occurrences": "suppressed_occurrences"}
    found = {name: dict(results.curve(f"{COAT}{BMS1}", quantity)) for name, quantity in counted.items()}
    held = {
        name: all(0 < share <= MOST_PRINTED if x == "UP1" else share == 0 for x, share in shares.items())
        for name, shares in found.items()
    }
    shown = "; ".join(
        f"of the {name}: " + ", ".join(f"{x} {share:.2%}" for x, share in shares.items())
        for name, shares in found.items()
    )
    if not any(share for shares in found.values() for share in shares.values()):
        shown += "; nothing is suppressed, which is less than the paper states"
    return Finding(all(held.values()), shown, held)


def violates(series: Sequence[str], *, by_series: bool = False) -> Check:
    """Return a check that each result violates a utility constraint.

    If `by_series` is True, each curve is a part of the claim. Otherwise each position is a part.
    """

    def check(results: Results) -> Finding:
        found = {name: results.curve(name, "utility_violated") for name in series}
        held: dict[str, bool] = {}
        for name, curve in found.items():
            for x, count in curve:
                part = name.removeprefix(f"{AA} ") if by_series else str(x)
                held[part] = held.get(part, True) and count > 0
        shown = "; ".join(
            f"{name}: " + ", ".join(f"{x} {count:g}" for x, count in curve) for name, curve in found.items()
        )
        roots = [name for name in series if set(results.values(name, "published")) == {1}]
        alone = f"; without information, a single published symbol: {', '.join(roots)}" if roots else ""
        lost = {name: len(found[name]) for name in roots}
        return Finding(all(held.values()), f"violated, {shown}{alone}", held)._replace(lost=lost)

    return check


def none_violated(results: Results) -> Finding:
    found = [v for name in results.series if name.startswith(COAT) for v in results.values(name, "utility_violated")]
    return Finding(max(found) == 0, f"violated in {len(found)} runs: {max(found):g}")


def up4_restricts_nothing(results: Results) -> Finding:
    """Check that UP4 is a single group of all items of BMS-1, so it cannot be violated."""
    groups, violated = (results.at(f"{AA}{BMS1}", "UP4", q) for q in ("utility_groups", "utility_violated"))
    return Finding(groups == 1 and violated == 0, f"groups: {groups:g}; violated by AA: {violated:g}")


def less_time_growth(results: Results) -> Finding:
    coat, aa = exponent(results.curve(COAT, "seconds")), exponent(results.curve(AA, "seconds"))
    return ordering({"": {"": aa - coat}}, f"exponents: COAT {coat:.2f}, AA {aa:.2f}")


def times_faster(printed: float) -> Check:
    """Return a check that the largest ratio of AA's time to COAT's is near a printed ratio."""

    def check(results: Results) -> Finding:
        found = [ratio_of(*pair) for pair in pairs_of(results, "seconds", COAT, AA).values()]
        return Finding(printed / NEAR <= max(found) <= printed * NEAR, f"AA / COAT: {listed(found)}")

    return check


def slightly_slower(results: Results) -> Finding:
    """Check that COAT needs one to three times AA's time at every position."""
    found = [1 / ratio_of(*pair) for pair in pairs_of(results, "seconds", COAT, AA).values()]
    return Finding(all(1 <= ratio <= 3 for ratio in found), f"COAT / AA: {listed(found)}")


def sublinear(quantity: str) -> Check:
    """Return a check that a quantity of COAT grows with an exponent below 1."""

    def check(results: Results) -> Finding:
        found = exponent(results.curve(COAT, quantity))
        return Finding(found < 1, f"exponent {found:.2f}: {listed(results.values(COAT, quantity))}")

    return check


def as_published(expected: Mapping[str, Sequence[float]]) -> Check:
    """Return a check that data sets have the published characteristics."""

    def check(results: Results) -> Finding:
        keys = ("records", "items", "longest", "average")
        found = {name: [results.at("here", name, key) for key in keys] for name in expected}
        held = {
            name: all(abs(a - b) < 0.05 for a, b in zip(values, expected[name], strict=True))
            for name, values in found.items()
        }
        return Finding(all(held.values()), "; ".join(f"{name} {listed(v, 4)}" for name, v in found.items()), held)

    return check


def shares_of_table_2(results: Results) -> Finding:
    """Check the shares of itemset sizes of PP6 to PP9."""
    expected = {"PP6": (33, 33, 33, 1), "PP7": (30, 30, 30, 10), "PP8": (25,) * 4, "PP9": (16.7, 16.7, 16.7, 50)}
    found = {name: [results.at("here", name, f"percent_of_{s}") for s in (1, 2, 3, 4)] for name in expected}
    held = all(abs(a - b) <= 0.1 for name in expected for a, b in zip(found[name], expected[name], strict=True))
    return Finding(held, "; ".join(f"{name} {listed(values)}" for name, values in found.items()))


def suppressed_little(counted: str, names: Sequence[str]) -> Check:
    """Return a check that COAT suppresses at most the share `S` and violates no constraint, for all k.

    Each data set is a part of the claim.
    """

    def check(results: Results) -> Finding:
        found = {name: results.values(f"{COAT} {name}", counted) for name in names}
        held = {
            name: max(shares) <= S and not any(results.values(f"{COAT} {name}", "utility_violated"))
            for name, shares in found.items()
        }
        shown = "; ".join(f"{name}: " + ", ".join(f"{v:.2%}" for v in shares) for name, shares in found.items())
        return Finding(all(held.values()), f"suppressed, {shown}", held)

    return check


def within(series: str, data: str, seconds: float) -> Check:
    """Return a check that the search of a case takes at most `seconds`."""

    def check(results: Results) -> Finding:
        found = results.at(series, data, "seconds")
        return Finding(found <= seconds, f"{found:.3g} s")

    return check


def in_memory(mib: float) -> Check:
    """Return a check that no case used more than `mib` MiB."""

    def check(results: Results) -> Finding:
        found = {(name, x): mib for name in results.series for x, mib in results.curve(name, "peak_mib")}
        (name, x), most = max(found.items(), key=lambda one: one[1])
        return Finding(most <= mib, f"at most {most:,.0f} MiB ({name}, {x})")

    return check
