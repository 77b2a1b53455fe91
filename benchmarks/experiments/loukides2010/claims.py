"""What sections 6 and 7 of the paper say about its figures, and when our results bear it out."""

from collections.abc import Sequence

from benchmarks.experiments.cases import Claim, Results
from benchmarks.experiments.claims import Check, exponent, listed, rises, spread

COAT, AA, PCTA = "COAT", "AA", "PCTA"
BMS1, BMS2 = " BMS-1", " BMS-2"
RECORD_1, RECORD_3, OWN_1, OWN_3 = "are_record_q1", "are_record_q3", "are_own_q1", "are_own_q3"
_SHOWN = {RECORD_1: "q=1", RECORD_3: "q=3", OWN_1: "q=1", OWN_3: "q=3", "are_record_q2": "q=2"}


def _ratios(results: Results, quantity: str, suffix: str = "", coat: str = COAT) -> list[float]:
    """Return AA's value over COAT's at each position."""
    above, below = results.values(f"{AA}{suffix}", quantity), results.values(f"{coat}{suffix}", quantity)
    return [a / b if b else (float("inf") if a else 1.0) for a, b in zip(above, below, strict=True)]


def _by_quantity(results: Results, quantities: Sequence[str], suffixes: Sequence[str]) -> dict[str, list[float]]:
    return {
        f"{_SHOWN[quantity]}{suffix}": _ratios(results, quantity, suffix)
        for suffix in suffixes
        for quantity in quantities
    }


def _better(quantities: Sequence[str], suffixes: Sequence[str] = ("",)) -> Check:
    def check(results: Results) -> tuple[bool, str]:
        found = _by_quantity(results, quantities, suffixes)
        shown = "; ".join(f"{name}: {listed(ratios)}" for name, ratios in found.items())
        return all(min(ratios) >= 1 for ratios in found.values()), f"AA / COAT, {shown}"

    return check


def _up_to(factor: float, quantities: Sequence[str], suffixes: Sequence[str] = ("",), at: int | None = None) -> Check:
    """Return a check that the largest ratio (or that at one position) is at least half the paper's."""

    def check(results: Results) -> tuple[bool, str]:
        found = _by_quantity(results, quantities, suffixes)
        largest = {name: max(ratios) if at is None else ratios[at] for name, ratios in found.items()}
        shown = "; ".join(f"{name} {listed([value])}" for name, value in largest.items())
        return max(largest.values()) >= factor / 2, f"AA / COAT: {shown}"

    return check


def _never_suppresses(results: Results) -> tuple[bool, str]:
    found = [value for name in results.series if name.startswith(COAT) for value in results.values(name, "suppressed")]
    return max(found) == 0, f"largest part suppressed in {len(found)} runs: {max(found):g}"


def _grows_with_k(results: Results) -> tuple[bool, str]:
    found = {f"{name} {_SHOWN[q]}": results.values(name, q) for name in (COAT, AA) for q in (RECORD_1, RECORD_3)}
    held = all(rises(values, slack=0.1) for values in found.values())
    return held, "; ".join(f"{name}: {listed(values)}" for name, values in found.items())


def _grows_with_q(results: Results) -> tuple[bool, str]:
    found = {
        name: [b / a for a, b in zip(results.values(name, RECORD_1), results.values(name, RECORD_3), strict=True)]
        for name in (COAT, AA)
    }
    shown = "; ".join(f"{name}: {listed(ratios)}" for name, ratios in found.items())
    return all(min(ratios) >= 1 for ratios in found.values()), f"q=3 / q=1, {shown}"


def _more_on_bms2(results: Results) -> tuple[bool, str]:
    first, second = _ratios(results, RECORD_3, BMS1), _ratios(results, RECORD_3, BMS2)
    return second[-1] > first[-1], f"AA / COAT at m=3, q=3: BMS-1 {listed(first[-1:])}, BMS-2 {listed(second[-1:])}"


def _less_utility_loss(suffix: str = "") -> Check:
    def check(results: Results) -> tuple[bool, str]:
        coat, aa = results.values(f"{COAT}{suffix}", "ul_log2"), results.values(f"{AA}{suffix}", "ul_log2")
        shown = f"log2 of 2^M UL: COAT {listed(coat, 4)}; AA {listed(aa, 4)}"
        return len(coat) == len(aa) and all(a < b for a, b in zip(coat, aa, strict=True)), shown

    return check


def _flat_until_25(results: Results) -> tuple[bool, str]:
    found = [loss for k, loss in results.curve(AA, "ul_log2") if float(k) <= 25]
    return max(found) - min(found) <= 1, f"log2 of 2^M UL of AA for k up to 25: {listed(found, 4)}"


def _slightly_worse_when_strict(results: Results) -> tuple[bool, str]:
    found = {suffix: results.values(f"{COAT}{suffix}", RECORD_1) for suffix in (BMS1, BMS2)}
    held = all(rises(values, slack=0.1) for values in found.values())
    return held, "; ".join(f"COAT{suffix}, q=1: {listed(values)}" for suffix, values in found.items())


def _all_satisfied(results: Results) -> tuple[bool, str]:
    refused = [f"{x} (needs s={results.at(COAT, x, 'needed'):.1%})" for x, no in results.curve(COAT, "refused") if no]
    return not refused, f"refused: {', '.join(refused) or 'none'}"


def _aa_satisfies_none(results: Results) -> tuple[bool, str]:
    found = results.curve(AA, "utility_violated")
    return all(count > 0 for _, count in found), "violated: " + ", ".join(f"{x} {count:g}" for x, count in found)


def _better_by_policy(results: Results) -> tuple[bool, str]:
    found = {
        _SHOWN[q]: {x: results.at(AA, x, q) / value for x, value in results.curve(COAT, q)}
        for q in (RECORD_1, RECORD_3)
    }
    shown = "; ".join(
        f"{q}: " + ", ".join(f"{x} {listed([ratio])}" for x, ratio in ratios.items()) for q, ratios in found.items()
    )
    return all(ratio >= 1 for ratios in found.values() for ratio in ratios.values()), f"AA / COAT, {shown}"


def _only_strictest_suppresses(results: Results) -> tuple[bool, str]:
    found = results.curve(COAT, "suppressed")
    shown = ", ".join(f"{x} {share:.2%}" for x, share in found)
    held = len(found) == 4 and all(share <= 0.005 and (x == "UP1" or share == 0) for x, share in found)
    return held, f"suppressed: {shown}; with s=15%: UP1 {results.at('COAT s=15%', 'UP1', 'suppressed'):.1%}"


def _policies_matter_little(results: Results) -> tuple[bool, str]:
    found = {_SHOWN[q]: results.values(COAT, q) for q in (RECORD_1, RECORD_3)}
    shown = "; ".join(f"{q}: {listed(values)}" for q, values in found.items())
    return max(spread(values) for values in found.values()) <= 1.5, shown


def _scales_better(results: Results) -> tuple[bool, str]:
    coat, aa = exponent(results.curve(COAT, "seconds")), exponent(results.curve(AA, "seconds"))
    return coat < aa, f"exponents COAT {coat:.2f}, AA {aa:.2f}"


def _faster(results: Results) -> tuple[bool, str]:
    found = _ratios(results, "seconds")
    return found[-1] >= 1 and max(found) >= 1.25, f"AA / COAT: {listed(found)}"


def _slightly_slower(results: Results) -> tuple[bool, str]:
    found = [1 / ratio for ratio in _ratios(results, "seconds")]
    return all(1 <= ratio <= 3 for ratio in found), f"COAT / AA: {listed(found)}"


def _sublinear_in_k(results: Results) -> tuple[bool, str]:
    found, seconds = exponent(results.curve(COAT, "seconds")), results.values(COAT, "seconds")
    return found < 1 and max(seconds) < 30, f"exponent {found:.2f}; seconds {listed(seconds)}"


def _as_published(expected: dict[str, tuple[float, ...]]) -> Check:
    def check(results: Results) -> tuple[bool, str]:
        keys = ("records", "items", "longest", "average")
        found = {name: [results.at("here", name, key) for key in keys] for name in expected}
        held = all(
            all(abs(a - b) < 0.05 for a, b in zip(values, expected[name], strict=True))
            for name, values in found.items()
        )
        return held, "; ".join(f"{name} {listed(values, 4)}" for name, values in found.items())

    return check


def _shares_of_table_2(results: Results) -> tuple[bool, str]:
    expected = {"PP6": (33, 33, 33, 1), "PP7": (30, 30, 30, 10), "PP8": (25,) * 4, "PP9": (16.7, 16.7, 16.7, 50)}
    found = {name: [results.at("here", name, f"percent_of_{s}") for s in (1, 2, 3, 4)] for name in expected}
    held = all(abs(a - b) <= 0.1 for name in expected for a, b in zip(found[name], expected[name], strict=True))
    return held, "; ".join(f"{name} {listed(values)}" for name, values in found.items())


_DISORDERS, _DISORDERS_15, _EVERYTHING = (
    "COAT, 20 disorders, s=0.5%",
    "COAT, 20 disorders, s=15%",
    "COAT, all items, s=0.5%",
)


def _disorders_satisfied(results: Results) -> tuple[bool, str]:
    found = results.curve(_DISORDERS, "refused")
    needed = {float(x): y for x, y in results.curve(_DISORDERS, "needed")}
    shown = ", ".join(f"k={x}: " + (f"needs s={needed[float(x)]:.1%}" if no else "satisfied") for x, no in found)
    return not any(no for _, no in found), shown


def _aa_violates(results: Results) -> tuple[bool, str]:
    found = results.curve("AA, m=2", "utility_violated")
    return all(count > 0 for _, count in found), "violated: " + ", ".join(f"k={x}: {count:g}" for x, count in found)


def _frequent_accurate(results: Results) -> tuple[bool, str]:
    found = {name: results.values(name, "are_frequent") for name in (_DISORDERS_15, _EVERYTHING)}
    return all(max(values) <= 0.5 for values in found.values()), _shown(found)


def _low_for_small_k(results: Results) -> tuple[bool, str]:
    found = {name: results.values(name, "are_own_q2") for name in (_DISORDERS_15, _EVERYTHING)}
    return all(max(values[:2]) <= 1 and values[-1] >= values[0] for values in found.values()), _shown(found)


def _shown(found: dict[str, list[float]]) -> str:
    return "; ".join(f"{name}: {listed(values)}" for name, values in found.items())


def _within(series: str, data: str, seconds: float) -> Check:
    def check(results: Results) -> tuple[bool, str]:
        found, peak = results.at(series, data, "seconds"), results.at(series, data, "peak_mib")
        return found <= seconds, f"{found:.3g} s, {peak:.0f} MiB"

    return check


_HALF = "the largest ratio at least half of that"
_RECORDS, _OWN = "AA's AvgRE at least COAT's everywhere, queries from records", "the same, queries from own items"

_BETTER = (
    Claim("COAT loses less than AA for all k, q=1 and q=3", _RECORDS, _better((RECORD_1, RECORD_3))),
    Claim("COAT loses less than AA for all k, q=1 and q=3", _OWN, _better((OWN_1, OWN_3))),
)
TABLE_1 = (
    Claim(
        "BMS-1 has 59,602 records, 497 items, longest 267, average 2.5; BMS-2 77,512, 3,340, 161, 5.0",
        "each within 0.05",
        _as_published({"bms_webview1": (59_602, 497, 267, 2.5), "bms_webview2": (77_512, 3_340, 161, 5.0)}),
    ),
)
FIGURE_8 = (
    *_BETTER,
    Claim("up to 9 times better", f"{_HALF}, queries from records", _up_to(9, (RECORD_1, RECORD_3))),
    Claim("up to 9 times better", f"{_HALF}, queries from own items", _up_to(9, (OWN_1, OWN_3))),
    Claim("more loss as k grows", "AvgRE never falls by more than 10%, queries from records", _grows_with_k),
    Claim("more loss for larger q", "AvgRE of q=3 at least that of q=1, queries from records", _grows_with_q),
    Claim("COAT did not suppress any items", "nothing suppressed", _never_suppresses),
)
FIGURE_8_BMS2 = (
    *_BETTER,
    Claim("similar results: up to 9 times better", f"{_HALF}, queries from records", _up_to(9, (RECORD_1, RECORD_3))),
    Claim("COAT did not suppress any items", "nothing suppressed", _never_suppresses),
    Claim("COAT has much less UL for all k", "UL below AA's everywhere", _less_utility_loss()),
    Claim("AA's UL is insensitive to k up to 25", "largest at most twice the smallest", _flat_until_25),
)
FIGURE_9 = (
    Claim(
        "COAT loses less than AA for all m",
        "AA's AvgRE at least COAT's everywhere, queries from records",
        _better((RECORD_1, RECORD_3), (BMS1, BMS2)),
    ),
    Claim(
        "AA loses 7 times as much at m=3 (BMS-1)",
        "at least half of that there, queries from records",
        _up_to(7, (RECORD_1, RECORD_3), (BMS1,), -1),
    ),
    Claim("more evident for BMS-2", "a larger ratio at m=3 than for BMS-1, q=3, queries from records", _more_on_bms2),
    Claim("COAT did not suppress any items", "nothing suppressed", _never_suppresses),
    Claim("COAT has less UL for all m (BMS-2)", "UL below AA's where there is any", _less_utility_loss(BMS2)),
)
POS = (
    Claim(
        "COAT loses less than AA also here",
        "AA's AvgRE at least COAT's everywhere, queries from records",
        _better((RECORD_1, RECORD_3)),
    ),
    Claim("COAT does not suppress", "nothing suppressed", _never_suppresses),
)
FIGURE_11 = (
    Claim(
        "COAT loses significantly less than AA in all cases",
        "AA's AvgRE at least COAT's everywhere, queries from records",
        _better((RECORD_1, RECORD_3), (BMS1, BMS2)),
    ),
    Claim(
        "COAT loses slightly more as policies become stricter",
        "AvgRE never falls by more than 10%, q=1, queries from records",
        _slightly_worse_when_strict,
    ),
)
TABLE_2 = (Claim("the shares of itemset sizes of PP6 to PP9", "each within 0.1", _shares_of_table_2),)
FIGURE_12 = (
    Claim(
        "COAT loses less than AA",
        "AA's AvgRE at least COAT's everywhere, queries from records",
        _better(("are_record_q2",), (BMS1, BMS2)),
    ),
    Claim(
        "up to 40 times better",
        f"{_HALF}, queries from records",
        _up_to(40, ("are_record_q2",), (BMS1, BMS2)),
    ),
)
FIGURE_13 = (
    Claim("COAT satisfies all utility policies (s=0.5%)", "no policy refused", _all_satisfied),
    Claim("AA meets none of them", "some constraint violated for each policy", _aa_satisfies_none),
    Claim("COAT loses less than AA for all policies", "where it is not refused, " + _RECORDS, _better_by_policy),
    Claim(
        "only UP1 makes COAT suppress, very little (0.01%)",
        "nothing suppressed but for UP1, there at most 0.5%",
        _only_strictest_suppresses,
    ),
    Claim("utility policies affect AvgRE little", "largest at most 1.5 times the smallest", _policies_matter_little),
)
FIGURE_14A = (
    Claim("COAT scales better with |D| than AA", "smaller exponent of the best power law", _scales_better),
    Claim("up to 2.5 times faster", "faster for 50,000 records, the largest ratio at least 1.25", _faster),
)
FIGURE_14B = (
    Claim("COAT is slightly less efficient than AA", "1 to 3 times AA's time for each k", _slightly_slower),
    Claim("less than half a minute, sub-linear in k", "exponent below 1, all below 30 s", _sublinear_in_k),
)
FIGURE_15 = (
    Claim("COAT satisfies the 20 utility constraints for all k (s=0.5%)", "no k refused", _disorders_satisfied),
    Claim("AA satisfies them for no k", "some constraint violated for each k", _aa_violates),
    Claim("frequent combinations (W1) are answered fairly accurately", "AvgRE at most 0.5", _frequent_accurate),
    Claim(
        "W2: low loss, in particular for k up to 5",
        "AvgRE at most 1 for k=2 and 5, and more for k=50 than for k=2",
        _low_for_small_k,
    ),
)
SPEED = (
    Claim("COAT, k=5, m=2, BMS-WebView-1", "at most 1 s", _within("COAT m=2", "bms_webview1", 1)),
    Claim("COAT, k=5, m=2, BMS-WebView-2", "at most 5 s", _within("COAT m=2", "bms_webview2", 5)),
    Claim("COAT, k=5, m=3, BMS-WebView-1", "at most a minute", _within("COAT m=3", "bms_webview1", 60)),
    Claim("COAT, k=5, m=3, BMS-WebView-2", "at most a minute", _within("COAT m=3", "bms_webview2", 60)),
    Claim("Pgen, k=5, retail", "at most 5 s", _within("Pgen", "retail", 5)),
)
