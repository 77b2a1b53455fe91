"""What section 5 of the paper says about its figure, and when our results bear it out."""

from benchmarks.experiments.cases import Claim, Results
from benchmarks.experiments.claims import Check, listed

MM, AA, LG, MHGHS, HGHS = "MM", "AA", "LG", "mHgHs", "HgHs"
NCP, SECONDS = "ncp", "seconds"


def _pairs(results: Results, above: str, below: str, quantity: str) -> dict[float | str, tuple[float, float]]:
    """Return the two values at each position where both algorithms have one."""
    first, second = dict(results.curve(above, quantity)), dict(results.curve(below, quantity))
    return {x: (first[x], second[x]) for x in first if x in second}


def _shown(results: Results, names: tuple[str, ...], quantity: str) -> str:
    """Write curves one after the other, each position once where it is the same for all."""
    parts, before = [], ""
    for name in names:
        curve = results.curve(name, quantity)
        at = "m=" + ",".join(str(x) for x, _ in curve)
        parts.append(("" if at == before else f"{at}: ") + f"{name} {listed(value for _, value in curve)}")
        before = at
    return "; ".join(parts)


def _mm_worst(results: Results) -> tuple[bool, str]:
    found = [(x, pair) for other in (AA, LG, MHGHS) for x, pair in _pairs(results, MM, other, NCP).items()]
    compared = [pair for x, pair in found if float(x) >= 2]
    return bool(compared) and all(mm >= other for mm, other in compared), _shown(results, (MM, AA, LG, MHGHS), NCP)


def _lg_more_for_one(results: Results) -> tuple[bool, str]:
    return results.at(LG, 1, NCP) >= results.at(AA, 1, NCP), _shown(results, (LG, AA), NCP)


def _below(first: str, second: str, quantity: str) -> Check:
    """Return a check that the first algorithm's value is nowhere above the second's."""

    def check(results: Results) -> tuple[bool, str]:
        found = _pairs(results, first, second, quantity)
        return all(a <= b for a, b in found.values()), _shown(results, (first, second), quantity)

    return check


def _least(results: Results) -> tuple[bool, str]:
    found = [pair for other in (MM, AA, LG) for pair in _pairs(results, MHGHS, other, NCP).values()]
    return all(own <= other for own, other in found), _shown(results, (MHGHS, LG, AA, MM), NCP)


def _all_at_most(series: str, most: float) -> Check:
    def check(results: Results) -> tuple[bool, str]:
        return max(results.values(series, NCP)) <= most, _shown(results, (series,), NCP)

    return check


def _all_at_least(series: str, least: float) -> Check:
    def check(results: Results) -> tuple[bool, str]:
        return min(results.values(series, NCP)) >= least, _shown(results, (series,), NCP)

    return check


def _mm_between(low: float, high: float) -> Check:
    def check(results: Results) -> tuple[bool, str]:
        found = [loss for m, loss in results.curve(MM, NCP) if float(m) >= 2]
        return bool(found) and low <= min(found) and max(found) <= high, _shown(results, (MM,), NCP)

    return check


def _root_only(results: Results) -> tuple[bool, str]:
    found = {x: results.at(AA, x, "published") for x, _ in results.curve(AA, NCP)}
    held = all(count == 1 for m, count in found.items() if float(m) >= 2)
    return held, "published symbols of AA: " + ", ".join(f"m={m}: {count:g}" for m, count in found.items())


def _as_hghs(results: Results) -> tuple[bool, str]:
    found = _pairs(results, MHGHS, HGHS, NCP)
    return all(abs(a - b) <= 0.01 for a, b in found.values()), _shown(results, (MHGHS, HGHS), NCP)


def _fastest(*names: str) -> Check:
    """Return a check that the first algorithm takes at most the time of the others in total, where all have a time."""

    def check(results: Results) -> tuple[bool, str]:
        own, *others = [dict(results.curve(name, SECONDS)) for name in names]
        held = all(
            sum(own[x] for x in other if x in own) <= sum(other[x] for x in other if x in own) for other in others
        )
        return held, _shown(results, names, SECONDS)

    return check


def _within(run: str, seconds: float) -> Check:
    def check(results: Results) -> tuple[bool, str]:
        found, peak = results.at("here", run, SECONDS), results.at("here", run, "peak_mib")
        return found <= seconds, f"{found:.3g} s, {peak:.0f} MiB"

    return check


_EVERYWHERE = "at every m that both were run for"
_LEAST = Claim("mHgHs loses least of all", f"NCP at most that of the others, {_EVERYWHERE}", _least)
_WORST = Claim("MM loses most for m >= 2", f"NCP at least that of the others, {_EVERYWHERE}", _mm_worst)
_SECOND = Claim("AA loses more than LG", f"NCP at least LG's, {_EVERYWHERE}", _below(LG, AA, NCP))
_LG_FASTEST = Claim(
    "LG is the most efficient", "total time at most that of the others, at equal m", _fastest(LG, MHGHS, AA, MM)
)
_THEN_MHGHS = Claim(
    "mHgHs comes second: AA and MM are less efficient",
    "total time at most that of AA and MM, at equal m",
    _fastest(MHGHS, AA, MM),
)
_CLOSE = Claim("the rounds lose little: mHgHs is close to HgHs", "NCP within 0.01, where HgHs finishes", _as_hghs)

TAFENG_5 = (
    _WORST,
    Claim("MM loses 7.5% to 70% on POS", "within that for m >= 2", _mm_between(0.075, 0.7)),
    _SECOND,
    _LEAST,
    _CLOSE,
    _LG_FASTEST,
    _THEN_MHGHS,
    Claim("with the real taxonomy AA publishes nothing but its root", "one symbol for m >= 2", _root_only),
)
TAFENG_50 = (
    _WORST,
    Claim("for small m and large k LG loses a little more than AA", "so for m=1", _lg_more_for_one),
    _LEAST,
)
KOSARAK_5 = (
    _WORST,
    Claim("MM loses 46% to 96% on AOL", "within that for m >= 2", _mm_between(0.46, 0.96)),
    _SECOND,
    Claim("AA loses around 39% on AOL, even for m=1", "NCP at least 0.3 for every m", _all_at_least(AA, 0.3)),
    _LEAST,
    Claim("mHgHs loses less than 10% on AOL", "NCP at most 0.1 for every m", _all_at_most(MHGHS, 0.1)),
    _CLOSE,
    _LG_FASTEST,
    _THEN_MHGHS,
)
KOSARAK_50 = (
    _WORST,
    _SECOND,
    _LEAST,
    Claim("mHgHs loses less than 10% on AOL", "NCP at most 0.1 for every m", _all_at_most(MHGHS, 0.1)),
)
RETAIL_5 = (_WORST, _SECOND, _LEAST, _CLOSE, _LG_FASTEST, _THEN_MHGHS)
SPEED = (
    Claim("LRA, BMS-WebView-2", "at most 2 s", _within("LRA, BMS-WebView-2, m=2", 2)),
    Claim("LG, BMS-WebView-2", "at most 2 s", _within("LG, BMS-WebView-2", 2)),
    Claim("MM, retail, p=3", "at most a minute", _within("MM, retail, p=3", 60)),
    Claim("mHgHs, Ta-Feng, m=3", "at most 10 s", _within("mHgHs, Ta-Feng, m=3", 10)),
    Claim("mHgHs, Ta-Feng, m=7", "at most a minute", _within("mHgHs, Ta-Feng, m=7", 60)),
)
