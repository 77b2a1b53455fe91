"""When the results bear out what sections 6 and 7 of the paper say: the checks that its claims name.

The tolerances were fixed before anything was repeated: "substantially" is `SUBSTANTIAL` times, a printed ratio is met
by a factor of `NEAR` in either direction, and a curve rises where it never falls by more than `SLACK`.
"""

from collections.abc import Callable, Mapping, Sequence
from math import inf

from benchmarks.experiments.cases import Finding, Results
from benchmarks.experiments.claims import exponent, listed, rises, spread

COAT, AA, PCTA = "COAT", "AA", "PCTA"
BMS1, BMS2 = " BMS-1", " BMS-2"
SUBSTANTIAL, NEAR, SLACK, ALIKE = 1.5, 2.0, 0.1, 1.5
S = 0.005
"""The paper's bound on what is suppressed."""
MOST_PRINTED = 0.0002
"""Twice what the paper printed as suppressed for UP1."""
Check = Callable[[Results], Finding]
READINGS_1 = {"records": ("are_record_q1",), "own items": ("are_own_q1",), "domain": ("are_domain_q1",)}
READINGS_3 = {"records": ("are_record_q3",), "own items": ("are_own_q3",)}
READINGS_2 = {"records": ("are_record_q2",), "own items": ("are_own_q2",)}
BOTH_SIZES = {reading: (*READINGS_1[reading], *READINGS_3[reading]) for reading in READINGS_3}
"""AvgRE by what the queries are drawn from, q=1 and 3."""
ALL_SIZES = {
    reading: tuple(f"are_{short}_q{q}" for q in (1, 2, 3))
    for reading, short in (("records", "record"), ("own items", "own"))
}
FIG_11 = {
    f"q={q}, {reading}": (f"are_{short}_q{q}",)
    for q in (1, 3)
    for reading, short in (("records", "record"), ("own items", "own"))
}
RECORDS = {f"q={q}": (f"are_record_q{q}",) for q in (1, 2, 3)}
_ONE_WAY = {"": ""}


def _pairs(results: Results, quantity: str, coat: str, aa: str) -> dict[float | str, tuple[float, float]]:
    """Return the values of both curves where both have one."""
    first, second = dict(results.curve(coat, quantity)), dict(results.curve(aa, quantity))
    return {x: (value, second[x]) for x, value in first.items() if x in second}


def _ratio(coat: float, aa: float) -> float:
    return aa / coat if coat else (inf if aa else 1.0)


def _margin(pairs: Sequence[tuple[float, float]]) -> float:
    """Return by how much AA's values are above COAT's, on the average, as parts of the two's sum."""
    return sum((aa - coat) / (aa + coat) if aa + coat else 0.0 for coat, aa in pairs) / max(1, len(pairs))


def better(
    parts: Mapping[str, Sequence[str]], suffix: str = "", *, times: float = 1.0, ways: Mapping[str, str] = _ONE_WAY
) -> Check:
    """Return a check that AA's value is at least `times` COAT's at every position, part by part.

    Parameters
    ----------
    parts
        Names of parts, and the quantities of each.
    suffix
        What follows the names of both algorithms in those of the curves.
    ways
        What follows COAT's besides, and its name: each with each part is a part.
    """

    def check(results: Results) -> Finding:
        shown, held, compared = [], {}, []
        for way, way_name in ways.items():
            for part, quantities in parts.items():
                pairs = {q: _pairs(results, q, f"{COAT}{suffix}{way}", f"{AA}{suffix}") for q in quantities}
                found = [pair for one in pairs.values() for pair in one.values()]
                if not found:
                    continue
                name = ", ".join(filter(None, (way_name, part)))
                held[name] = all(_ratio(*pair) >= times for pair in found)
                compared += found
                each = "; ".join(listed(_ratio(*pair) for pair in one.values()) for one in pairs.values())
                shown.append(f"{name} {each}")
        if not held:
            raise KeyError(str(parts))
        return Finding(all(held.values()), "AA / COAT: " + " | ".join(shown), held, _margin(compared))

    return check


def better_at_each(quantities: Sequence[str], suffix: str = "", *, times: float = 1.0) -> Check:
    """Return a check that AA's values are at least `times` COAT's: the parts are the positions."""

    def check(results: Results) -> Finding:
        pairs = {q: _pairs(results, q, f"{COAT}{suffix}", f"{AA}{suffix}") for q in quantities}
        positions = list(next(iter(pairs.values())))
        ratios = {str(x): [_ratio(*found[x]) for found in pairs.values() if x in found] for x in positions}
        held = {x: min(found) >= times for x, found in ratios.items()}
        shown = "; ".join(f"{x} {listed(found)}" for x, found in ratios.items())
        compared = [pair for found in pairs.values() for pair in found.values()]
        return Finding(all(held.values()), f"AA / COAT: {shown}", held, _margin(compared))

    return check


def largest_ratio(
    printed: float,
    parts: Mapping[str, Sequence[str]],
    suffixes: Sequence[str] = ("",),
    *,
    ways: Mapping[str, str] = _ONE_WAY,
    at: float | str | None = None,
) -> Check:
    """Return a check that the largest AA / COAT (or that at one position) is near a printed one, part by part."""

    def check(results: Results) -> Finding:
        largest = {}
        for way, way_name in ways.items():
            for part, quantities in parts.items():
                found = [
                    _ratio(*pair)
                    for suffix in suffixes
                    for q in quantities
                    for x, pair in _pairs(results, q, f"{COAT}{suffix}{way}", f"{AA}{suffix}").items()
                    if at in (None, x)
                ]
                if found:
                    largest[", ".join(filter(None, (way_name, part)))] = max(found)
        if not largest:
            raise KeyError(str(parts))
        held = {part: printed / NEAR <= value <= printed * NEAR for part, value in largest.items()}
        shown = "; ".join(f"{part} {listed([value])}" for part, value in largest.items())
        return Finding(all(held.values()), f"AA / COAT: {shown}", held)

    return check


def more_on_bms2(results: Results) -> Finding:
    """Check that AA / COAT at m=3 is larger on BMS-2 than on BMS-1, by the items of a query."""
    ratios = {
        part: [_ratio(*_pairs(results, q, f"{COAT}{s}", f"{AA}{s}")[3]) for s in (BMS1, BMS2)]
        for part, (q,) in RECORDS.items()
    }
    held = {part: second > first for part, (first, second) in ratios.items()}
    shown = "; ".join(f"{part} {listed(found)}" for part, found in ratios.items())
    return Finding(all(held.values()), f"AA / COAT at m=3, BMS-1 and BMS-2: {shown}", held)


def grows(results: Results) -> Finding:
    """Check that AvgRE of both algorithms rises with the position, q=1 and 3."""
    found = {name: [results.values(name, q) for q in BOTH_SIZES["records"]] for name in (COAT, AA)}
    held = {name: all(rises(values, slack=SLACK) for values in curves) for name, curves in found.items()}
    shown = "; ".join(f"{name}: " + " | ".join(map(listed, curves)) for name, curves in found.items())
    return Finding(all(held.values()), f"q=1 and 3, {shown}", held)


def grows_with_q(results: Results) -> Finding:
    """Check that AvgRE of both algorithms is not smaller for q=3 than for q=1."""
    found = {
        name: [
            b / a
            for a, b in zip(results.values(name, "are_record_q1"), results.values(name, "are_record_q3"), strict=True)
        ]
        for name in (COAT, AA)
    }
    held = {name: min(ratios) >= 1 for name, ratios in found.items()}
    shown = "; ".join(f"{name}: {listed(ratios)}" for name, ratios in found.items())
    return Finding(all(held.values()), f"q=3 / q=1, {shown}", held)


def never_suppresses(results: Results) -> Finding:
    """Check that COAT suppressed nothing anywhere."""
    found = [value for name in results.series if name.startswith(COAT) for value in results.values(name, "suppressed")]
    return Finding(max(found) == 0, f"largest part suppressed in {len(found)} runs: {max(found):.2%}")


def _log_utility_losses(results: Results, series: str) -> dict[float | str, float]:
    """Return the binary logarithms of 2^M UL; minus infinity where nothing is lost."""
    there = dict(results.curve(series, "ul_log2"))
    return {x: there.get(x, -inf) for x, _ in results.curve(series, "ncp")}


def less_utility_loss(suffix: str = "", *, twice: bool = False, loser: str = AA, winner: str = COAT) -> Check:
    """Return a check that the UL of one algorithm is below that of another, or half of it: parts are the positions."""

    def check(results: Results) -> Finding:
        low, high = (_log_utility_losses(results, f"{name}{suffix}") for name in (winner, loser))
        held = {str(x): high[x] >= value + 1 if twice else high[x] > value for x, value in low.items()}
        finite = [high[x] - value for x, value in low.items() if abs(high[x] - value) < inf]
        shown = f"log2 of 2^M UL: {winner} {listed(low.values(), 4)}; {loser} {listed(high.values(), 4)}"
        margin = sum(finite) / len(finite) if finite else 0.0
        return Finding(all(held.values()), shown, held, margin)

    return check


def flat_until_25(results: Results) -> Finding:
    """Check that AA's UL at most doubles for k up to 25."""
    found = [loss for k, loss in results.curve(AA, "ul_log2") if float(k) <= 25]
    return Finding(max(found) - min(found) <= 1, f"log2 of 2^M UL of AA for k up to 25: {listed(found, 4)}")


def largest_group_says_ul(results: Results) -> Finding:
    """Check that the logarithm of 2^M UL is within 10 of the items of the largest published group."""
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
    """Return a check that COAT's NCP is below AA's at every position: the parts are the data sets."""

    def check(results: Results) -> Finding:
        pairs = {s: list(_pairs(results, "ncp", f"{COAT}{s}", f"{AA}{s}").values()) for s in suffixes}
        held = {s.strip() or "all": all(coat < aa for coat, aa in found) for s, found in pairs.items()}
        shown = "; ".join(
            f"{s.strip()} {listed(_ratio(*pair) for pair in found)}".strip() for s, found in pairs.items()
        )
        return Finding(
            all(held.values()),
            f"AA / COAT: {shown}",
            held,
            _margin([pair for found in pairs.values() for pair in found]),
        )

    return check


def slightly_worse_when_strict(suffixes: Sequence[str]) -> Check:
    """Return a check that COAT's AvgRE rises with the policies, and at most doubles: the parts are the data sets."""

    def check(results: Results) -> Finding:
        found = {s.strip(): [results.values(f"{COAT}{s}", q) for q in BOTH_SIZES["records"]] for s in suffixes}
        held = {
            name: all(rises(values, slack=SLACK) and values[-1] <= 2 * values[0] for values in curves)
            for name, curves in found.items()
        }
        shown = "; ".join(f"{name}: " + " | ".join(map(listed, curves)) for name, curves in found.items())
        return Finding(all(held.values()), f"COAT, q=1 and 3, {shown}", held)

    return check


def within_s(suffix: str = "", counted: str = "suppressed") -> Check:
    """Return a check that COAT has to suppress at most the paper's bound: the parts are the policies."""

    def check(results: Results) -> Finding:
        found = {str(x): share for x, share in results.curve(f"{COAT}{suffix}", counted)}
        held = {x: share <= S for x, share in found.items()}
        return Finding(all(held.values()), "suppressed: " + ", ".join(f"{x} {v:.2%}" for x, v in found.items()), held)

    return check


def only_up1_suppresses(results: Results) -> Finding:
    """Check that nothing is suppressed but for UP1, and there as little as printed: by items and by occurrences."""
    counted = {"items": "suppressed", "occurrences": "suppressed_occurrences"}
    found = {name: dict(results.curve(f"{COAT}{BMS1}", quantity)) for name, quantity in counted.items()}
    held = {
        name: all(share <= (MOST_PRINTED if x == "UP1" else 0) for x, share in shares.items())
        for name, shares in found.items()
    }
    shown = "; ".join(
        f"of the {name}: " + ", ".join(f"{x} {share:.2%}" for x, share in shares.items())
        for name, shares in found.items()
    )
    return Finding(all(held.values()), shown, held)


def violates(series: Sequence[str], *, by_series: bool = False) -> Check:
    """Return a check that some utility constraint is violated everywhere: parts are the positions, or the curves."""

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
        return Finding(all(held.values()), f"violated, {shown}", held)

    return check


def none_violated(results: Results) -> Finding:
    """Check that COAT violates no utility constraint."""
    found = [v for name in results.series if name.startswith(COAT) for v in results.values(name, "utility_violated")]
    return Finding(max(found) == 0, f"violated in {len(found)} runs: {max(found):g}")


def up4_restricts_nothing(results: Results) -> Finding:
    """Check that UP4 is a single group of all items of BMS-1, so that nothing can violate it."""
    groups, violated = (results.at(f"{AA}{BMS1}", "UP4", q) for q in ("utility_groups", "utility_violated"))
    return Finding(groups == 1 and violated == 0, f"groups: {groups:g}; violated by AA: {violated:g}")


def policies_matter_little(results: Results) -> Finding:
    """Check that COAT's AvgRE is alike for all utility policies, q=1 and 3."""
    found = {f"q={q}": results.values(f"{COAT}{BMS1}", f"are_record_q{q}") for q in (1, 3)}
    held = {q: spread(values) <= ALIKE for q, values in found.items()}
    return Finding(all(held.values()), "; ".join(f"{q}: {listed(values)}" for q, values in found.items()), held)


def less_work_growth(results: Results) -> Finding:
    """Check that COAT's merges grow more slowly with the records than AA's increments."""
    coat, aa = exponent(results.curve(COAT, "merges")), exponent(results.curve(AA, "increments"))
    return Finding(coat < aa, f"exponents: merges of COAT {coat:.2f}, increments of AA {aa:.2f}", margin=aa - coat)


def less_time_growth(results: Results) -> Finding:
    """Check that COAT's time grows more slowly with the records than AA's."""
    coat, aa = exponent(results.curve(COAT, "seconds")), exponent(results.curve(AA, "seconds"))
    return Finding(coat < aa, f"exponents: COAT {coat:.2f}, AA {aa:.2f}", margin=aa - coat)


def times_faster(printed: float) -> Check:
    """Return a check that AA's time over COAT's is near a printed ratio at its largest."""

    def check(results: Results) -> Finding:
        found = [_ratio(*pair) for pair in _pairs(results, "seconds", COAT, AA).values()]
        return Finding(printed / NEAR <= max(found) <= printed * NEAR, f"AA / COAT: {listed(found)}")

    return check


def slightly_slower(results: Results) -> Finding:
    """Check that COAT takes one to three times AA's time everywhere."""
    found = [1 / _ratio(*pair) for pair in _pairs(results, "seconds", COAT, AA).values()]
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
    """Return a check that COAT has to suppress at most the paper's bound for all k: the parts are the stand-ins."""

    def check(results: Results) -> Finding:
        found = {name: results.values(f"{COAT} {name}", counted) for name in names}
        held = {name: max(shares) <= S for name, shares in found.items()}
        shown = "; ".join(f"{name}: " + ", ".join(f"{v:.2%}" for v in shares) for name, shares in found.items())
        return Finding(all(held.values()), f"suppressed, {shown}", held)

    return check


def frequent_accurate(names: Sequence[str]) -> Check:
    """Return a check that AvgRE of W1 is at most a half for all k: the parts are the stand-ins with such queries."""

    def check(results: Results) -> Finding:
        found = {name: values for name in names if (values := results.values(f"{COAT} {name}", "are_frequent"))}
        if not found:
            return Finding(False, "no combination is so frequent")
        held = {name: max(values) <= 0.5 for name, values in found.items()}
        return Finding(
            all(held.values()), "; ".join(f"{name}: {listed(values)}" for name, values in found.items()), held
        )

    return check


def low_for_small_k(names: Sequence[str]) -> Check:
    """Return a check that AvgRE of W2 is at most 1 for k up to 5, and larger for k=50 than for k=2.

    The parts are the stand-ins, by what queries are drawn from.
    """

    def check(results: Results) -> Finding:
        held, shown = {}, []
        for name in names:
            for reading, (quantity,) in READINGS_2.items():
                curve = dict(results.curve(f"{COAT} {name}", quantity))
                small = [value for k, value in curve.items() if float(k) <= 5]
                if not small:
                    continue
                held[f"{name}, {reading}"] = max(small) <= 1 and curve.get(50, inf) >= small[0]
                shown.append(f"{name}, {reading}: {listed(curve.values())}")
        if not held:
            raise KeyError(str(names))
        return Finding(all(held.values()), "; ".join(shown), held)

    return check


def within(series: str, data: str, seconds: float) -> Check:
    """Return a check of a time."""

    def check(results: Results) -> Finding:
        found = results.at(series, data, "seconds")
        return Finding(found <= seconds, f"{found:.3g} s")

    return check


def in_memory(mib: float) -> Check:
    """Return a check that no case took more memory."""

    def check(results: Results) -> Finding:
        found = {(name, x): mib for name in results.series for x, mib in results.curve(name, "peak_mib")}
        (name, x), most = max(found.items(), key=lambda one: one[1])
        return Finding(most <= mib, f"at most {most:,.0f} MiB ({name}, {x})")

    return check
