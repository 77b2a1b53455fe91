"""Check refusals: the reason given is correct, and the suggested settings work."""

import re
from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from fuzz.draws import IN_CHUNKS, RT, Case
from fuzz.oracles import are_mixed
from fuzz.truth import original_rows

_CUTS = ("apriori", "direct", "optimal", "vpa", "lra", "exact", "set-search")
_ADVICE: Mapping[str, str] = {
    "l": r"an l of at most ([0-9]+) is feasible",
    "delta": r"a delta of at least ([0-9.e-]+) is feasible",
    "max_suppressed": r"--max-suppressed ([0-9.]+) or wider utility constraints may help",
}
_UNFIT = (
    "contains a comma or parenthesis, but sets of values",
    "contains a comma or a parenthesis, and sets of items",
    "contains a comma or is in parentheses, but sets of values",
    "has the name of an inner node",
    "has two parents",
    "is both a leaf and an inner node",
    "the levels of the hierarchy, got 1",
    "would both be published as",
    "the name lists other items than the",
    "contain only 0 and 1, which would become items",
    "which many programs write for a missing value",
    "are no records, because most fields are not numbers, dates or codes",
)
"""Messages about labels or hierarchies that are invalid input."""


def is_unfit(said: str) -> bool:
    """Return True if the message rejects labels that cannot be published."""
    return any(text in said for text in _UNFIT)


def cannot_be(case: Case, said: str) -> bool:
    """Return False if record counts show that a solution exists; True if it is infeasible or unknown."""
    n, k = len(next(iter(case.columns.values()))), int(case.parameters.get("k", 1))
    if "worthless" in said or "above the maximum" in said:
        return True
    if case.algorithm in _CUTS:
        return 0 < sum(map(bool, original_rows(case))) < k
    if case.algorithm in ("hghs", "mhghs", "coherence-suppression", "suppress-control"):
        return False
    if case.algorithm == "cahd":
        counts = Counter(item for row in original_rows(case) for item in row if item in case.secrets)
        return max(counts.values()) > Fraction(case.parameters.get("cap", "1/2")) * n
    if case.algorithm in IN_CHUNKS:
        return 0 < n < k
    if case.algorithm == "joint-split" and case.parameters.get("transaction") not in ("coat", "lm-apriori"):
        return 0 < n < k or 0 < sum(map(bool, original_rows(case))) < k
    if case.roles.get("relational") and case.algorithm not in RT:
        values = case.columns.get("illness", [])
        options = {"l_kind": "distinct", **case.parameters}
        poor = bool(values) and case.roles.get("sensitive") == "illness" and not are_mixed(options, values, values)
        return 0 < n < k or poor
    if case.algorithm == "anatomy":
        return max(Counter(case.columns["drug"]).values()) * int(case.parameters["l"]) > n
    return True


def advice_of(said: str) -> dict[str, Any]:
    """Return the settings that a message suggests."""
    result: dict[str, Any] = {}
    for name, pattern in _ADVICE.items():
        if match := re.search(pattern, said):
            result[name] = (
                match[1] if name == "max_suppressed" else float(match[1]) if name == "delta" else int(match[1])
            )
    return result
