"""Figures that a recipient can compute, for the report."""

from anonset.jobs.report_facts import ReportFacts
from anonset.kinds.summary import Summary
from anonset.measures.countable import FREQUENT
from anonset.measures.retention import relative_to
from anonset.measures.shares import percent

NUMBERS = "Numbers"
"""Name of the figure about ranges of numbers."""
Figure = tuple[str, str, str]
"""Name, value and accuracy of a figure."""


def countable_figures(facts: ReportFacts) -> list[Figure]:
    """Return the figures that a recipient can compute from the publication.

    If the original is available, each figure is shown with its error.
    """
    errors, private = facts.errors, facts.private
    relative = "" if private is None else relative_to("items", private.coarsened)
    rows = _records(facts.summary)
    if errors is not None and errors.items_error is not None:
        median = f"median error of the counts of the {FREQUENT} most frequent; before: 0%{relative}"
        rows.append(("Frequent items", f"off by {_off(errors.items_error)}", median))
        if errors.pairs_error is not None:
            rows.append(("Frequent pairs of items", f"off by {_off(errors.pairs_error)}", median))
    return rows + _symbols(facts.summary, private=private is not None)


def _records(summary: Summary) -> list[Figure]:
    """Return the row or record counts that a recipient can compute."""
    if summary.in_chunks is None:
        return [("Rows", f"{summary.n:,}", "exact: each row is one record")]
    return [
        ("Records", f"{summary.n:,}", "exact: the record counts of all clusters are added"),
        ("Occurrences of items in chunks", f"{summary.in_chunks:,}",
         "exact for combinations of items of one chunk; estimated for items of different chunks"),
        ("Terms of clusters", f"{summary.terms:,}", "each in at least one record of the cluster"),
    ]  # fmt: skip


def _symbols(summary: Summary, *, private: bool) -> list[Figure]:
    """Return figures that describe how precise the published symbols and numbers are.

    Parameters
    ----------
    private
        Whether the report is internal. It then states the number of unchanged item occurrences elsewhere.
    """
    rows: list[Figure] = []
    if summary.single is not None and not private:
        rows.append(
            (
                "Symbols that name one item",
                percent(summary.single),
                "lower bound of the item count: the item may also be in groups of other rows, or suppressed there",
            )
        )
    if summary.stands_for is not None:
        rows.append(("Items per generalized symbol", f"{summary.stands_for:,.1f} on average",
                     "a row with the symbol contains at least one of these items"))  # fmt: skip
    if summary.width is not None:
        anywhere = "the value may be anywhere in the range"
        rows.append((NUMBERS, f"ranges of {percent(summary.width)} of the column, on average",
                     f"{anywhere}; before: 0%" if private else anywhere))  # fmt: skip
    return rows


def _off(error: float) -> str:
    return f"{error:.0%}" if error >= 0.01 or error == 0 else "less than 1%"
