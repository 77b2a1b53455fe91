"""Name the date format of a column in the error about a rule for other dates."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from anonset.columns.kinds import look_at
from anonset.data.hierarchies.hierarchy_rules import NO_VALUE, date_rule
from anonset.errors import Fix, HierarchyError

_FINE = ("month", "quarter")
"""Levels for which day and month must be distinguished."""


@contextmanager
def naming_date_form(spec: str, labels: Sequence[str], name: str) -> Iterator[None]:
    """Add the rule with the format of the labels to an error of the block about dates of another format."""
    try:
        yield
    except HierarchyError as error:
        if rule := _rule_of(spec, labels, name):
            fixes = [Fix({"hierarchy": {name: rule}}, "for these values"), *error.fixes]
            place: dict[str, Any] = error.place
            raise HierarchyError(error.problem.sentence, fixes=fixes, **place) from None
        raise


def _rule_of(spec: str, labels: Sequence[str], name: str) -> str:
    """Return the rule with the levels of `spec` and the date format of the labels. Empty if the labels are not dates,
    if the format is ambiguous, or if `spec` is this rule.

    >>> _rule_of("date:month,year", ["2024-01-31 08:00:00", "2024-02-29 09:30:00", ""], "admitted")
    'date:%Y-%m-%d %H:%M:%S:month,year'
    >>> _rule_of("date:%d.%m.%Y:year", ["2024-01-31"], "born"), _rule_of("date:year", ["2024-01-31", "?"], "born")
    ('date:year', '')
    """
    levels = spec.rpartition(":")[2]
    look = look_at(name, [label for label in labels if label not in NO_VALUE])
    ambiguous = bool(look.doubt) and any(level in levels for level in _FINE)
    if look.kind != "dates" or not look.usable or ambiguous:
        return ""
    rule = date_rule(look.form, levels)
    return rule if rule != spec else ""
