"""Draw valid jobs by a seed, and cover all pairs of values with few of them."""

import random
from collections.abc import Iterator
from itertools import combinations

from tests.combinations.table import FACTORS, Choice, Value, allowed

FIRST = ("search", "layout", "file")
"""Factors that decide what the others can be; they are drawn first."""
MOST = 15
"""Maximum number of factors in a job that differ from their default, without `FIRST`."""

NAMES = tuple(FACTORS)
VALUES = tuple((factor, value) for factor in FACTORS for value in FACTORS[factor])
NUMBER = {value: number for number, value in enumerate(VALUES)}
"""Number of each value of a factor. A pair of values is a pair of ascending numbers."""
Pair = tuple[int, int]
Domains = list[int]
"""For each factor, the values that are still possible, as bits."""
_ALL: Domains = [(1 << len(values)) - 1 for values in FACTORS.values()]


def _masks(factor: str, value: Value) -> dict[int, int]:
    """Return the values of each other factor that a value allows, for the factors that it restricts."""
    found = {}
    for place, (other, values) in enumerate(FACTORS.items()):
        if other != factor:
            bits = sum(1 << n for n, of_other in enumerate(values) if allowed(factor, value, other, of_other))
            if bits != _ALL[place]:
                found[place] = bits
    return found


_MASKS = {
    (place, n): _masks(factor, value)
    for place, (factor, values) in enumerate(FACTORS.items())
    for n, value in enumerate(values)
}


def pairs(choice: Choice) -> set[Pair]:
    return set(combinations(sorted(NUMBER[value] for value in choice.items()), 2))


def texts(pair: Pair) -> str:
    return " and ".join("{}={!r}".format(*VALUES[number]) for number in pair)


def _narrowed(domains: Domains, place: int, n: int) -> Domains | None:
    """Return the domains after a choice. None if a factor has no value left."""
    if not domains[place] >> n & 1:
        return None
    domains = list(domains)
    domains[place] = 1 << n
    for other, bits in _MASKS[place, n].items():
        domains[other] &= bits
        if not domains[other]:
            return None
    return domains


def draw(seed: object, wanted: Choice = {}) -> dict[str, Value] | None:  # noqa: B006
    """Draw a valid job that contains the wanted values. None if none is found."""
    chance = random.Random(str(seed))
    start: Domains | None = _ALL
    for factor, value in wanted.items():
        place = NAMES.index(factor)
        start = None if start is None else _narrowed(start, place, FACTORS[factor].index(value))
    if start is None:
        return None
    for _ in range(20):
        if (domains := _drawn(chance, start)) is not None:
            return {factor: FACTORS[factor][bits.bit_length() - 1] for factor, bits in zip(NAMES, domains, strict=True)}
    return None


def _drawn(chance: random.Random, domains: Domains) -> Domains | None:
    first = [NAMES.index(factor) for factor in FIRST]
    odd = chance.sample(range(len(NAMES)), chance.randint(0, MOST))
    for place in (*first, *odd, *range(len(NAMES))):
        order = [n for n in range(len(FACTORS[NAMES[place]])) if domains[place] >> n & 1]
        if place in first or place in odd:
            chance.shuffle(order)
            if place in odd and len(order) > 1:
                order = [n for n in order if n] or order
        for n in order:
            if (narrowed := _narrowed(domains, place, n)) is not None:
                domains = narrowed
                break
        else:
            return None
    return domains


def simplest(wanted: Choice) -> dict[str, Value]:
    """Return the job that contains the wanted values, and otherwise the first value of each factor that fits."""
    domains = _ALL
    for factor, value in wanted.items():
        domains = _narrowed(domains, NAMES.index(factor), FACTORS[factor].index(value)) or []
    for place, values in enumerate(FACTORS.values()):
        domains = next(found for n in range(len(values)) if (found := _narrowed(domains, place, n)) is not None)
    return {factor: FACTORS[factor][bits.bit_length() - 1] for factor, bits in zip(NAMES, domains, strict=True)}


def possible_pairs() -> set[Pair]:
    """The pairs of values of two factors for which each other factor has a value that both allow."""
    starts = [_narrowed(_ALL, NAMES.index(factor), FACTORS[factor].index(value)) for factor, value in VALUES]
    found = set()
    for a, b in combinations(range(len(VALUES)), 2):
        (f, _), (g, y) = VALUES[a], VALUES[b]
        if f != g and (start := starts[a]) and _narrowed(start, NAMES.index(g), FACTORS[g].index(y)):
            found.add((a, b))
    return found


def covering(seed: object, missing: set[Pair], tries: int = 8) -> Iterator[dict[str, Value]]:
    """Yield jobs until no pair is missing. The caller removes the pairs that a job covered, and this function removes
    those that no job can contain, because a third factor has no value for both.

    Each job contains one of the missing pairs, and is the one of several drawn jobs that contains most of them.
    """
    order = sorted(missing)
    random.Random(str(seed)).shuffle(order)
    for turn in range(tries):
        for pair in order:
            if pair in missing:
                drawn = [draw((seed, turn, pair, n), dict(VALUES[each] for each in pair)) for n in range(tries)]
                if jobs := [job for job in drawn if job is not None]:
                    yield max(jobs, key=lambda job: len(pairs(job) & missing))
                else:
                    missing.remove(pair)
