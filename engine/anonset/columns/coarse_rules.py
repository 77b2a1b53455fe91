"""Choose generalization rules for dates, postal codes and codes, so that few values remain rare."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from anonset.columns.kinds import MOST_LOOKED_AT, ValueFormat, look_at
from anonset.columns.roles import PLACES, tree_of
from anonset.data.domains import lists_persons
from anonset.data.hierarchies.hierarchy_rules import FROM, NO_VALUE, coarser, date_rule
from anonset.errors import HierarchyError

_DATES = ("month,year,decade", "year,decade", "decade")
_CUTS = ("3,1", "2,1", "1")


def coarse_rule(name: str, labels: Sequence[str], counts: Sequence[int], threshold: int, rule: str = "") -> str:
    """Return the finest generalization rule after which few values are rare, or an empty text if no rule achieves this.

    Parameters
    ----------
    labels, counts
        Values of the column, and the number of persons with each value.
    rule
        Rule that already generalized the values during reading, or an empty text. It contains the date format of the
        file.

    >>> days = [f"19{year}-0{month}-11" for year in range(10, 99) for month in range(1, 10)]
    >>> coarse_rule("born", days, [1] * len(days), 5)
    'date:from-year,decade'
    """
    present = {label: count for label, count in zip(labels, counts, strict=True) if label not in NO_VALUE and count}
    looked_at = list(present)[:MOST_LOOKED_AT]
    look = look_at(name, looked_at)
    persons = sum(present.values())
    for cut in _cuts(look, looked_at, rule):
        within = date_rule(look.form, cut) if look.kind == "dates" else _joined(look.kind, cut)
        try:
            above = coarser(within, list(present), name)
        except HierarchyError:
            return ""
        sums = Counter[str]()
        for label, count in present.items():
            sums[above.get(label, label)] += count
        if len(sums) > 1 and not lists_persons(np.array(list(sums.values()), np.int64), threshold, persons):
            return _as_read(within, cut, rule)
    return ""


def _cuts(look: ValueFormat, labels: Sequence[str], rule: str) -> list[str]:
    """Return the generalization levels to try. The first are the finest."""
    if look.kind == "dates" and look.usable:
        start = 0 if look.has_days and not look.doubt else 1
        return [f"{FROM}{levels}" for levels in _DATES[start:]]
    longest = max(map(len, labels), default=0)
    if look.kind in PLACES or rule.startswith("mask:") or (tree_of(look.kind).startswith("prefix")):
        return [f"{FROM}{cut}" for cut in _CUTS if int(cut[0]) < longest]
    return []


def _joined(kind: str, cut: str) -> str:
    return f"{'prefix' if tree_of(kind).startswith('prefix') else 'mask'}:{cut}"


def _as_read(within: str, cut: str, rule: str) -> str:
    """Return the rule for dates as the file contains them, even if reading already generalized them."""
    form = rule.removeprefix("date:").rpartition(":")[0] if rule.startswith("date:") else None
    return within if form is None else date_rule(form, cut)
