"""Figures that a recipient can compute, for the report."""

from anonset.analysis.summary import Summary
from anonset.jobs.report_facts import ReportFacts
from anonset.measures.countable import FREQUENT, largest_in_words
from anonset.measures.retention import relative_to
from anonset.measures.shares import percent
from anonset.spelling import counted, listed, short_value

_SHOWN = 2
"""Maximum number of values of an attribute that are shown."""
Figure = tuple[str, str, str]
"""Name, value and accuracy of a figure."""


def countable_figures(facts: ReportFacts) -> list[Figure]:
    """Return the figures that a recipient can compute from the publication.

    If the original is available, each figure is shown with its error.
    """
    errors, private = facts.errors, facts.private
    relative = "" if private is None else relative_to("items", private.coarsened)
    (records, n, exact), *others = _records(facts.summary)
    rows = [(records, n, f"{exact}; {text}" if (text := empty_records(facts)) else exact), *others]
    for name, labels in facts.frequent.items():
        shown = [f"{short_value(label)} ({count:,})" for label, count in labels[:_SHOWN]]
        shown += [f"{len(labels) - _SHOWN:,} more"] if len(labels) > _SHOWN else []
        rows.append((f"Values of {name}", listed(shown, "and"), exact))
    if errors is not None and errors.items_error is not None:
        items, pairs = (f"the {n} most frequent" if n == FREQUENT else f"all {n}" for n in errors.counted)
        median = f"median error of the counts of {{}}; before: 0%{relative}".format
        counted_sets = {"items": f"{items} items", "pairs of items": f"{pairs} pairs"}
        rows += [
            (f"Frequent {name}", f"off by {_off(error)}{largest_in_words(largest)}", median(counted_sets[name]))
            for name, (error, largest) in errors.errors.items()
        ]
    return rows


def empty_records(facts: ReportFacts) -> str:
    """Return how many published records contain no item, and why. Empty if the publication suppressed all items of no
    record.
    """
    empty, before, n = facts.empty.published, facts.empty.original, facts.summary.n
    if empty <= (before or 0):
        return ""
    why = "all their items are suppressed"
    if before and n == facts.empty.records:
        why = f"{before:,} had none in the original, and all items of the other {empty - before:,} are suppressed"
    elif before != 0:
        why += ", or they had none"
    return f"{empty:,} of {counted(n, 'published record')} ({percent(empty / n)}) contain no item, because {why}"


def _records(summary: Summary) -> list[Figure]:
    """Return the row or record counts that a recipient can compute."""
    if summary.in_chunks is None:
        return [("Records", f"{summary.n:,}", "exact")]
    return [
        ("Records", f"{summary.n:,}", "exact: the record counts of all clusters are added"),
        ("Occurrences of items in chunks", f"{summary.in_chunks:,}",
         "exact for combinations of items of one chunk; estimated for items of different chunks"),
        ("Terms of clusters", f"{summary.terms:,}", "each in at least one record of the cluster"),
    ]  # fmt: skip


def _off(error: float) -> str:
    return f"{error:.0%}" if error >= 0.01 or error == 0 else "less than 1%"
