"""Draw valid jobs by a seed, and cover all pairs or some triples of values with few of them."""

import random
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache, reduce
from itertools import combinations
from operator import or_

from tests.combinations.table import FACTORS, Choice, Value, allowed

FIRST = ("search", "layout", "file")
"""Factors that decide what the others can be; they are drawn first."""
MOST = 15
"""Maximum number of factors in a job that differ from their default, without `FIRST`."""
_SAMPLED = 200
"""Number of missing tuples that are tried as company of one."""

NAMES = tuple(FACTORS)
VALUES = tuple((factor, value) for factor in FACTORS for value in FACTORS[factor])
NUMBER = {value: number for number, value in enumerate(VALUES)}
"""Number of each value of a factor."""
Tuple = tuple[int, ...]
"""Pair or triple of values, as ascending numbers."""
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


def contained(choice: Choice, among: Collection[Tuple]) -> set[Tuple]:
    """Return the tuples whose values a job has."""
    numbers = {NUMBER[value] for value in choice.items()}
    return {each for each in among if numbers.issuperset(each)}


def texts(values: Tuple) -> str:
    return " and ".join("{}={!r}".format(*VALUES[number]) for number in values)


@cache
def _supported(place: int, bits: int) -> dict[int, int]:
    """Return the values of the other factors that some of the values left of a factor allow, if it restricts them."""
    masks = [_MASKS[place, n] for n in range(bits.bit_length()) if bits >> n & 1]
    return {other: reduce(or_, (mask[other] for mask in masks)) for other in set(masks[0]).intersection(*masks)}


def _narrowed(domains: Domains, place: int, n: int) -> Domains | None:
    """Return the domains after a choice, without the values that no value left of another factor allows. None if a
    factor has no value left.
    """
    if not domains[place] >> n & 1:
        return None
    domains = list(domains)
    domains[place] = 1 << n
    changed = [place]
    while changed:
        place = changed.pop()
        for other, bits in _supported(place, domains[place]).items():
            if domains[other] & ~bits:
                domains[other] &= bits
                changed.append(other)
                if not domains[other]:
                    return None
    return domains


def _with(domains: Domains | None, wanted: Choice) -> Domains | None:
    """Return the domains after the choice of some values. None if a factor has no value left."""
    for factor, value in wanted.items():
        domains = domains and _narrowed(domains, NAMES.index(factor), FACTORS[factor].index(value))
    return domains


def draw(seed: object, wanted: Choice = {}) -> dict[str, Value] | None:  # noqa: B006
    """Draw a valid job that contains the wanted values. None if none is found."""
    chance = random.Random(str(seed))
    start = _with(_ALL, wanted)
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
    domains = _with(_ALL, wanted) or []
    for place, values in enumerate(FACTORS.values()):
        domains = next(found for n in range(len(values)) if (found := _narrowed(domains, place, n)) is not None)
    return {factor: FACTORS[factor][bits.bit_length() - 1] for factor, bits in zip(NAMES, domains, strict=True)}


def possible_pairs() -> set[Tuple]:
    """Return the pairs of values of two factors with which each other factor keeps a value that the others allow."""
    starts = [_narrowed(_ALL, NAMES.index(factor), FACTORS[factor].index(value)) for factor, value in VALUES]
    found = set()
    for a, b in combinations(range(len(VALUES)), 2):
        (f, _), (g, y) = VALUES[a], VALUES[b]
        if f != g and (start := starts[a]) and _narrowed(start, NAMES.index(g), FACTORS[g].index(y)):
            found.add((a, b))
    return found


def random_triples(seed: object, number: int) -> set[Tuple]:
    """Return random triples of values of three factors with which each other factor keeps a value."""
    chance, found = random.Random(f"triples {seed}"), set[Tuple]()
    while len(found) < number:
        triple = tuple(sorted(chance.sample(range(len(VALUES)), 3)))
        wanted = dict(VALUES[each] for each in triple)
        if len(wanted) == 3 and _with(_ALL, wanted):
            found.add(triple)
    return found


def is_within(values: Tuple, wanted: Mapping[str, Sequence[Value]]) -> bool:
    """Return True if each job with some values has one of the wanted values of each factor."""
    domains = _with(_ALL, dict(VALUES[each] for each in values))
    return domains is not None and all(
        value in of_factor
        for factor, of_factor in wanted.items()
        for n, value in enumerate(FACTORS[factor])
        if domains[NAMES.index(factor)] >> n & 1
    )


def covering(
    seed: object,
    missing: set[Tuple],
    covered: Callable[[Choice, Collection[Tuple]], set[Tuple]] = contained,
    tries: int = 8,
    *,
    packed: bool = True,
) -> Iterator[dict[str, Value]]:
    """Yield jobs until no tuple is missing. Each tuple that a job covers is removed, and so is each for which no job is
    found.

    Each job contains one of the missing tuples and, if `packed`, others that were drawn to go with it. It is the one of
    several drawn jobs that covers most of them. Packed jobs are more often infeasible.
    """
    order = sorted(missing)
    random.Random(str(seed)).shuffle(order)
    left = order
    for turn in range(tries):
        for first in order:
            if first not in missing:
                continue
            wanted = dict(VALUES[each] for each in first)
            alone = next(filter(None, (draw((seed, turn, first, n), wanted) for n in range(tries))), None)
            if alone is None:
                missing.remove(first)
                continue
            if len(left) > 1.2 * len(missing):
                left = [each for each in left if each in missing]
            chance = random.Random(str((seed, turn, first)))
            jobs = [
                alone,
                *(draw((seed, turn, first, n), _packed(first, left, chance)) for n in range(tries if packed else 0)),
            ]
            covers = [(covered(job, left), job) for job in jobs if job]
            found, job = max(covers, key=lambda each: (first in each[0], len(each[0] & missing)))
            missing -= found
            yield job


def _packed(first: Tuple, others: Sequence[Tuple], chance: random.Random) -> Choice:
    """Return the values of a tuple, and of some other tuples that can go with them."""
    wanted = dict(VALUES[each] for each in first)
    domains = _with(_ALL, wanted)
    for other in chance.sample(others, min(_SAMPLED, len(others))):
        if len(wanted) >= MOST:
            break
        added = dict(VALUES[each] for each in other)
        if domains and (narrowed := _with(domains, added)):
            domains = narrowed
            wanted |= added
    return wanted
