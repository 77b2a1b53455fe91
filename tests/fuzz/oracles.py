"""Brute-force checks of the privacy models on the contents of published files."""

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any, TypeVar

from fuzz.published import Records, Tables
from reference.buckets import is_diverse as is_bucket_diverse
from reference.buckets import is_safe
from reference.class_rules import equal_distance, has_entropy, is_distinct, is_recursive
from reference.diversity import is_diverse
from reference.km import naive_km
from reference.suppression import is_coherent
from reference.uncertainty import rules

Rows = Sequence[Collection[str]]
Row = TypeVar("Row")


def holds(attested: Mapping[str, Any], published: Records, policy: Sequence[Sequence[str]] = ()) -> bool:
    """Return True if published records satisfy the attested model."""
    model, parameters = attested["model"], attested["parameters"]
    k, m, diversity, secrets = (parameters.get(name) for name in ("k", "m", "l", "sensitive_items"))
    rows = published.rows
    if model in ("km", "partition-km"):
        return is_km(rows, k, m)
    if model == "k":
        return all(size >= k for size in Counter(published.tuples).values())
    if model in ("kl", "kt"):
        values = published.columns[parameters["sensitive"]]
        return all(
            len(part) >= k and are_mixed(parameters, [values[i] for i in part], values)
            for part in by_key(published.tuples, range(published.n))
        )
    if model == "transaction-k":
        return all(size >= k for size in Counter(map(frozenset, rows)).values())
    if model == "constraints":
        return is_protected(published, policy, k) if m is None else is_km(rows, k, m)
    if model == "coherence":
        return is_coherent(rows, secrets or (), Fraction(str(parameters["h"])), k, parameters["p"])
    if model == "rho":
        sizes = range(0 if parameters["from_nothing"] else 1, m + 1)
        return not list(rules(rows, secrets, Fraction(str(parameters["rho"])), sizes, strict=parameters["strict"]))
    if model == "lm":
        return not rows or is_diverse(rows, secrets, k, diversity, m)
    classes = by_key(published.tuples, rows)
    if model == "klm":
        return all(is_diverse(part, secrets, k, diversity, m) for part in classes)
    assert model == "kkm"
    return all(len(part) >= k and is_km(part, k, m) for part in classes)


def buckets_hold(attested: Mapping[str, Any], published: Tables) -> bool:
    """Return True if published buckets satisfy the attested model."""
    model, parameters, data = attested["model"], attested["parameters"], attested["data"]
    values = published.values(data["sensitive"])
    if model == "anatomy":
        return all(is_bucket_diverse(group, parameters["l"]) for group in values.values())
    shown: list[Hashable] = []
    for row in published.qit:
        person = tuple(row[name] for name in data["id"])
        shown.append(None if set(person) == {"*"} else person)
    return is_safe(shown, [row["group"] for row in published.qit], values, parameters["k"], parameters["l"])


def are_mixed(given: Mapping[str, Any], values: Sequence[str], everybody: Sequence[str]) -> bool:
    """Return True if the known values of a class satisfy l-diversity or t-closeness."""
    values, everybody = ([value for value in of if value.strip() not in ("", "?")] for of in (values, everybody))
    if not values:
        return True
    if "t" in given:
        return equal_distance(values, everybody) <= Fraction(str(given["t"]))
    if given["l_kind"] == "entropy":
        return has_entropy(values, given["l"])
    if given["l_kind"] == "recursive":
        return is_recursive(values, given["l"], Fraction(str(given["c"])))
    return is_distinct(values, given["l"])


def is_km(rows: Rows, k: int, m: int) -> bool:
    """Return True if every set of up to m symbols occurs k times or never."""
    code = {symbol: i for i, symbol in enumerate(sorted({symbol for row in rows for symbol in row}))}
    return naive_km([{code[symbol] for symbol in row} for row in rows], k, m) is None


def is_protected(published: Records, policy: Sequence[Sequence[str]], k: int) -> bool:
    """Return True if every subset of a protected itemset occurs in k records or in none."""
    rows = published.rows
    for itemset in policy:
        image = {symbol for symbol, (_, members) in published.book.items() if set(members) & set(itemset)}
        for size in range(1, len(image) + 1):
            for part in combinations(sorted(image), size):
                if 0 < sum(1 for row in rows if set(part) <= row) < k:
                    return False
    return True


def by_key(keys: Iterable[Hashable], rows: Sequence[Row]) -> list[list[Row]]:
    result: dict[Hashable, list[Row]] = {}
    for key, row in zip(keys, rows, strict=True):
        result.setdefault(key, []).append(row)
    return list(result.values())
