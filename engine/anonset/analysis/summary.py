"""Summary of a publication. It contains random rows, and figures that any recipient can compute."""

import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonset.data import CategoricalColumn, SetColumn
from anonset.data.array_types import Int64
from anonset.data.redacted_repr import RedactedRepr
from anonset.measures.shares import percent
from anonset.publications import Symbol
from anonset.publications.symbols import range_ends
from anonset.spelling import counted, listed, name_ranges, short_value

EXAMPLES = 5
"""Number of example rows."""
MOST_SYMBOLS = 6
"""Number of symbols shown per row."""
_MOST_NAMED = 4
"""Maximum number of labels of a form that are named."""


_BEGINNING = re.compile(r"[^*]+\*+").fullmatch
"""Label of which the end is masked."""
ShownBy = Callable[[int], Symbol | str]
"""Function from the codes of a column to symbols or texts."""
ExampleCell = tuple[Symbol | str, ...]
"""Symbols and texts in a cell of an example row."""


@dataclass(frozen=True)
class Example(RedactedRepr):
    """Random rows of a published table."""

    head: tuple[str, ...]
    """Column names."""
    rows: tuple[tuple[ExampleCell, ...], ...] = field(repr=False)
    """At most `EXAMPLES` rows, with one cell per column."""


@dataclass(frozen=True)
class LabelForm(RedactedRepr):
    """Published labels of a column that have the same form."""

    name: str
    """Name of the form: ``value``, ``named group``, ``label`` (a value or a named group), ``beginning`` (``101**``),
    ``set``, ``range``, or ``lost`` for labels that cover all values of the column.
    """
    labels: int
    """Number of different labels."""
    share: float
    """Share of the records."""
    size: float
    """Median width of ranges, in units of the column, median number of values of sets, or of characters of beginnings.
    1 for other forms.
    """
    largest: float
    """Width or number of the least detailed label: the largest one, of beginnings the smallest one."""
    named: tuple[str, ...] = field(default=(), repr=False)
    """The labels. Empty if there are more than `_MOST_NAMED`."""
    finest: float = 0.0
    """Width or number of the most detailed label. 0 if it is the median."""

    def __str__(self) -> str:
        share = f"{percent(self.share)} of the records"
        return f"lost for {share}" if self.name == "lost" else f"{self.words} ({share})"

    @property
    def words(self) -> str:
        """Number and form of the labels, and the names of few."""
        sizes = {"set": f" of {self.spread} values", "range": f" of width {self.spread}"}
        sizes["beginning"] = f" of length {self.spread}"
        names = f", {listed([*map(short_value, self.named)], 'and')}" if self.named and self.name not in sizes else ""
        return f"{counted(self.labels, self.name)}{sizes.get(self.name, names)}"

    @property
    def spread(self) -> str:
        """Smallest, largest and median width or number, in words. The median is that of the records."""
        low, high = sorted((self.finest or self.size, self.largest))
        median = f"{self.size:,.4g}"
        return median if low == high else f"{low:,.4g} to {high:,.4g} (median {median})"


@dataclass(frozen=True)
class ColumnDetail(RedactedRepr):
    """Detail that recipients see in a published column of quasi-identifiers."""

    name: str
    forms: tuple[LabelForm, ...]
    """Forms of the labels, the most frequent first."""
    only: str = field(default="", repr=False)
    """The published label, if there is only one."""

    @property
    def distinct(self) -> int:
        """Number of different published labels."""
        return sum(form.labels for form in self.forms)

    @property
    def fate(self) -> str:
        """Outcome of the column in one word: kept, coarsened or lost. Empty if only the original shows it."""
        names = {form.name for form in self.forms}
        if self.distinct < 2 and names != {"value"}:
            return "lost"
        if "label" in names:
            names.discard("lost")
        return "kept" if names == {"value"} else "" if names == {"label"} else "coarsened"

    @property
    def short(self) -> str:
        """Detail in a few words.

        >>> ColumnDetail("age", (LabelForm("range", 11, 0.8, 10.0, 36.0), LabelForm("value", 2, 0.2, 1.0, 1.0))).short
        'coarsened to ranges of width 10 to 36 (median 10), some values kept'
        """
        lost = [form for form in self.forms if form.name == "lost"]
        also = f", {lost[0]}" if lost else ""
        if self.fate != "coarsened":
            return self.fate or "".join(form.words for form in self.forms if form.name == "label") + also
        several = {"range": "ranges of width {0}", "set": "sets of {0} values", "named group": "{1}"}
        several["beginning"] = "beginnings of length {0}"
        forms = [several[form.name].format(form.spread, form.words) for form in self.forms if form.name in several]
        kept = ", some values kept" if len(forms) < len(self.forms) - len(lost) else ""
        return (f"coarsened to {listed(forms, 'or')}{kept}" if forms else "values kept") + also

    @property
    def left(self) -> str:
        """What recipients see of a lost column."""
        return f"every value is published as {self.only}" if self.only else "no value is published"

    @property
    def countable(self) -> str:
        """What recipients can count."""
        return {
            "lost": "nothing",
            "kept": "the records of each value",
            "": "the records of each label, which is a value or a group",
        }.get(self.fate, "the records of each published label; of a value inside a group, only bounds")

    def __str__(self) -> str:
        """Return the detail in words.

        >>> print(ColumnDetail("age", (LabelForm("range", 11, 0.8, 10.0, 36.0), LabelForm("value", 1, 0.2, 1.0, 1.0))))
        coarsened: 11 ranges of width 10 to 36 (median 10) (80.0% of the records); 1 value (20.0% of the records)
        """
        if self.fate == "lost":
            return "lost: only one value or group is published" if self.distinct else "no values"
        return ": ".join(filter(None, [self.fate, "; ".join(map(str, self.forms))]))


class ItemDetail(ColumnDetail):
    """Detail that recipients see in a published column of items, of which some may also be suppressed.

    >>> forms = LabelForm("set", 3, 0.75, 4.0, 9.0), LabelForm("value", 1, 0.25, 1.0, 1.0)
    >>> print(ItemDetail("drug", forms))
    25.0% of the published occurrences are single items, the others groups of 4 to 9 (median 4) items
    >>> print(ItemDetail("code", (LabelForm("set", 1, 1.0, 9.0, 9.0),), "*"))
    nothing left: every item is published as *, which shows only who has an item
    """

    @property
    def short(self) -> str:
        """Detail in a few words."""
        if self.fate == "lost":
            return f"nothing left: {self.left}"
        named = sum(form.share for form in self.forms if form.name == "value")
        groups = next((f"groups of {form.spread} items" for form in self.forms if form.name == "set"), "")
        if not (named and groups):
            return f"every published item is {f'in {groups}' if groups else 'alone'}"
        return f"{percent(named)} of the published occurrences are single items, the others {groups}"

    @property
    def left(self) -> str:
        """What recipients see of a lost column."""
        shown = f"every item is published as {self.only}, which shows only who has an item"
        return shown if self.only else "no item is published"

    @property
    def countable(self) -> str:
        """What recipients can count."""
        some = "the records of each symbol; of an item, a lower bound: it may also be in groups, or suppressed"
        whole = "the records with an item" if self.forms else "nothing"
        return whole if self.fate == "lost" else some

    def __str__(self) -> str:
        return self.short


def item_detail(name: str, sizes: Mapping[str, int], often: Int64) -> ItemDetail:
    """Return the detail of a column of items.

    Parameters
    ----------
    sizes
        Number of items of the column behind each published text.
    often
        Number of occurrences of each text.
    """
    members = np.array([*sizes.values()], np.float64)
    return ItemDetail(name, *_forms([*sizes], np.where(members > 1, "set", "value"), members, often))


def column_detail(
    column: CategoricalColumn, members: Sequence[Collection[str]], known: Collection[str] | None
) -> ColumnDetail:
    """Return the detail of a published column.

    Parameters
    ----------
    members
        Values that each label of the vocabulary shows: the label itself, or several for a set.
    known
        Values of the original. None if the original is not available.
    """
    often, labels = column.occurrences.astype(np.int64), column.vocabulary.labels
    widths = np.array([_width(label) for label in labels], np.float64)
    sizes, lost = np.array([len(values) for values in members], np.float64), _cover_all(labels, members, often)
    names = np.array([
        "lost" if nothing_left and (width or label not in (known or ())) else
        "set" if size > 1 else "range" if width else "beginning" if _BEGINNING(label) else "label" if known is None else
        "value" if label in known else "named group"
        for label, size, width, nothing_left in zip(labels, sizes, widths, lost, strict=True)
    ])  # fmt: skip
    kept = np.array([len(label.rstrip("*")) for label in labels], np.float64)
    sizes = np.where(names == "range", widths, np.where(names == "beginning", kept, sizes))
    return ColumnDetail(column.name, *_forms(labels, names, sizes, often))


def _cover_all(labels: Sequence[str], members: Sequence[Collection[str]], often: Int64) -> list[bool]:
    """Return for each label whether it covers all values that the column shows: ``*``, the whole range, a set of all
    values, or the beginning of all of them.
    """
    used = [bool(n) and bool(label.strip("*?")) for label, n in zip(labels, often, strict=True)]
    every = set[str]().union(*compress(members, used))
    texts = sorted(label.rstrip("*") for label in compress(labels, used))
    ends = np.array([[_number(end) for end in range_ends(label)] for label in labels], np.float64).reshape(-1, 2)
    low, high = ends[used, 0].min(initial=np.inf), ends[used, 1].max(initial=-np.inf)  # NaN if a label is no number
    whole = (ends[:, 0] < ends[:, 1]) & (ends[:, 0] <= low) & (ends[:, 1] >= high)
    return [
        (bool(label) and not label.strip("*"))
        or (len(values) > 1 and every.issubset(values))
        or (bool(_BEGINNING(label)) and all(text.startswith(label.rstrip("*")) for text in texts[:1] + texts[-1:]))
        or bool(covers)
        for label, values, covers in zip(labels, members, whole, strict=True)
    ]


def _forms(
    labels: Sequence[str], names: NDArray[Any], sizes: NDArray[Any], often: Int64
) -> tuple[tuple[LabelForm, ...], str]:
    """Return the forms of published labels, and the label if there is only one. All arrays have an entry per label."""
    forms = list[LabelForm]()
    for name in dict.fromkeys(names[often > 0].tolist()):
        of_form = (names == name) & (often > 0)
        found = sizes[of_form]
        share, median = float(often[of_form].sum() / often.sum()), _median(found, often[of_form]) or 1.0
        ends = float(found.max(initial=1.0)), float(found.min())
        largest, finest = ends[::-1] if name == "beginning" else ends
        named = tuple(compress(labels, of_form)) if of_form.sum() <= _MOST_NAMED else ()
        forms.append(LabelForm(name, int(of_form.sum()), share, median, largest, named, finest))
    only = labels[int(np.argmax(often > 0))] if np.count_nonzero(often) == 1 else ""
    return tuple(sorted(forms, key=lambda form: -form.share)), only


def lost_columns(details: Sequence[ColumnDetail]) -> list[str]:
    """Return a sentence about the columns of which recipients see only one label, if there are any.

    >>> lost_columns([ColumnDetail("born", ())])
    ['Nothing is left of born (no value is published).']
    """
    columns = [f"{one.name} ({one.left})" for one in details if one.fate == "lost"]
    return [f"Nothing is left of {listed(columns, 'and')}."] if columns else []


def column_lines(details: Sequence[ColumnDetail]) -> list[str]:
    """Return a line for the columns with the same detail: kept, coarsened or lost.

    >>> column_lines([ColumnDetail("born", ()), ColumnDetail("sex", (LabelForm("value", 2, 1.0, 1.0, 1.0),))])
    ['born: lost', 'sex: kept']
    """
    shown = dict[str, list[str]]()
    for column in details:
        shown.setdefault(column.short, []).append(column.name)
    return [f"{listed(name_ranges(names), 'and')}: {short}" for short, names in shown.items()]


def _width(label: str) -> float:
    """Return the width of a range, or 0 for other labels, such as dates."""
    low, high = map(_number, range_ends(label))
    return high - low if low < high else 0.0


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def _median(values: NDArray[Any], often: Int64) -> float | None:
    """Return the median of values that occur a number of times each. None if there are none."""
    if not (total := int(often.sum())):
        return None
    order = np.argsort(values, kind="stable")
    return float(values[order][np.searchsorted(np.cumsum(often[order]), total / 2)])


@dataclass(frozen=True)
class Summary(RedactedRepr):
    """Random rows and counts of a publication."""

    n: int
    """Number of published records."""
    examples: tuple[Example, ...]
    """Random rows of each table."""
    in_chunks: int | None = None
    """Number of item occurrences shown in chunks. None if the publication has no chunks."""
    terms: int = 0
    """Number of terms over all clusters."""


def example(
    columns: tuple[SetColumn | CategoricalColumn, ...],
    shown: Callable[[SetColumn | CategoricalColumn], ShownBy] = lambda column: column.vocabulary.labels.__getitem__,
) -> Example:
    """Return random rows of columns.

    Parameters
    ----------
    shown
        Returns a function from the codes of a column to symbols or texts.
    """
    chosen = drawn(min((column.n for column in columns), default=0))
    rows = zip(*(_cells(column, shown(column), chosen) for column in columns), strict=True)
    return Example(tuple(column.name for column in columns), tuple(rows))


def drawn(n: int) -> list[int]:
    """Return the ascending positions of at most `EXAMPLES` random rows of `n`. The seed is fixed, so that equal
    publications have equal examples.

    >>> drawn(3), len(drawn(1_000)), drawn(1_000) == drawn(1_000)
    ([0, 1, 2], 5, True)
    """
    return sorted(np.random.default_rng(0).choice(n, min(EXAMPLES, n), replace=False).tolist()) if n else []


def _cells(column: SetColumn | CategoricalColumn, shown: ShownBy, rows: Sequence[int]) -> list[ExampleCell]:
    if isinstance(column, CategoricalColumn):
        return [(shown(int(column.codes[row])),) for row in rows]
    return [first_symbols(shown, column.held_by(row).tolist()) for row in rows]


def first_symbols(shown: ShownBy, codes: Sequence[int]) -> ExampleCell:
    """Return the first `MOST_SYMBOLS` symbols or texts, and the number of all if there are more."""
    more = [f"… ({len(codes):,})"] if len(codes) > MOST_SYMBOLS else []
    return (*(shown(code) for code in codes[:MOST_SYMBOLS]), *more)
