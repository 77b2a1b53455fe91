"""Check of privacy and utility constraints of set-based publications.

References: Loukides, Gkoulalas-Divanis, Malin (2010), Definitions 3.4 and 3.8, Corollary 3.12.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from anonset.data import SetColumn
from anonset.data.array_types import Int32, Int64
from anonset.data.distinct import distinct
from anonset.data.progress import Progress, report_progress
from anonset.data.spans import begins_of, spans
from anonset.errors import AnonsetError, InputError, datum
from anonset.privacy import KmAnonymity, Verdict, Witness
from anonset.privacy.constraints import ConstraintSet
from anonset.privacy.policies import PrivacyPolicy, UtilityPolicy
from anonset.publications import Records
from anonset.verification.counting import Resources
from anonset.verification.itemsets import check_km, records_with, require_well_formed

if TYPE_CHECKING:
    from anonset_kernels.verification.constraints import UnsatisfiedConstraint

_CONSTRAINTS_PER_CALL = 20_000


def check_constraints(
    column: SetColumn, members: Sequence[Sequence[str]] | None, model: ConstraintSet, resources: Resources
) -> Verdict:
    """Check published records. The witness of a violation is the first violated constraint, and a subset of it that too
    few records contain.

    The image of a constraint is the set of symbols that cover the constraint's items. The constraint is satisfied if
    every non-empty intersection of its image with a record is contained in at least k records. This is equivalent to
    Definition 3.4, because all records with a larger subset also contain its subsets.

    Parameters
    ----------
    column
        The published symbols.
    members
        Items of each symbol, by symbol code. If None, the items are parsed from labels such as ``(a,b,c)``.
    resources
        The budget limits the occurrences of the constraints' symbols. Constraints with the same image are counted once.

    Raises
    ------
    InputError
        If two symbols cover the same item. Constraints require a publication with a single symbol per item.

    Examples
    --------
    >>> from anonset.verification.counting import Resources
    >>> from anonset.privacy.policies import PrivacyPolicy
    >>> column = SetColumn.of([{"(a,b)", "c"}, {"(a,b)", "c"}, {"c"}])
    >>> print(check_constraints(column, None, ConstraintSet(3, PrivacyPolicy.of(["ac"])), Resources(100)))
    privacy constraint set with k=3, 1 protected itemset fails: {(a,b), c} matches 2 records, 3 required; \
published row 0 shows it; of privacy constraint 1 {a, c}
    """
    require_well_formed(column, resources.store)
    if model.policy is None:
        if model.m is None:
            raise AnonsetError("privacy constraints have neither a policy nor m")
        return replace(check_km(column, KmAnonymity(model.k, model.m), resources), model=model)
    symbol_of = _symbol_of_item(column, members)
    search = _Search(column, *_distinct_images(model.policy, symbol_of), model.k)
    n = len(model.policy)
    checked: dict[str, Any] = {"rows": column.n, "constraints": n}
    n_done, witness = search.run(resources.budget, resources.progress)
    checked["covered"] = f"{n_done} of {n} constraints"
    if witness is not None:
        itemset = ", ".join(model.policy.itemsets[n_done])
        named = replace(witness, detail=f"of privacy constraint {n_done + 1} {{{itemset}}}")
        return Verdict(False, model, checked, named)
    if n_done < n:
        checked["covered"] += f"; the next exceeds the remaining budget of symbol occurrences, {resources.budget:,}"
        return Verdict(None, model, checked)
    return Verdict(True, model, checked)


def members_of(label: str) -> tuple[str, ...]:
    """Return the items of a published set symbol. Any other label is an item.

    >>> members_of("(a,b)"), members_of("c")
    (('a', 'b'), ('c',))
    """
    return tuple(label[1:-1].split(",")) if label.startswith("(") and label.endswith(")") else (label,)


def _symbol_of_item(column: SetColumn, members: Sequence[Sequence[str]] | None) -> dict[str, int]:
    labels = column.vocabulary.labels
    symbol_of: dict[str, int] = {}
    for code, items in enumerate(map(members_of, labels) if members is None else members):
        for item in items:
            if item in symbol_of:
                raise InputError(
                    f"item {datum(item)} is published as two symbols, {datum(labels[symbol_of[item]])} and "
                    f"{datum(labels[code])}; constraints can be checked only if each item has "
                    "the same symbol in all records"
                )
            symbol_of[item] = code
    return symbol_of


def _distinct_images(policy: PrivacyPolicy, symbol_of: Mapping[str, int]) -> tuple[Int64, Int64, Int32]:
    """Return the distinct non-empty images of the constraints.

    Returns
    -------
    `number`, int64 (Q + 1,), contains the first constraint of each image, ascending, and finally the number of
    constraints. `start`, int64 (Q + 1,), and `symbols`, int32, contain the symbols of each image in ascending order.
    """
    n, n_symbols = len(policy), max(symbol_of.values(), default=0) + 1
    owner = np.repeat(np.arange(n, dtype=np.int64), [len(itemset) for itemset in policy.itemsets])
    code = np.fromiter((symbol_of.get(x, -1) for itemset in policy.itemsets for x in itemset), np.int64, len(owner))
    shown = np.sort((owner * n_symbols + code)[code >= 0])  # np.unique is 100 times slower if most values differ
    owner, code = np.divmod(shown[np.diff(shown, prepend=-1) > 0], n_symbols)
    length = np.bincount(owner, minlength=n)
    start = np.cumsum(length) - length
    # images are paths of a prefix tree. Each round extends the paths by a symbol. Equal images end in the same node.
    node, n_nodes = np.zeros(n, np.int64), 1
    for depth in range(int(length.max(initial=0))):
        longer = np.flatnonzero(length > depth)
        steps, end = np.unique(node[longer] * n_symbols + code[start[longer] + depth], return_inverse=True)
        node[longer] = n_nodes + end
        n_nodes += len(steps)
    number = np.sort(np.unique(node, return_index=True)[1])
    number = number[length[number] > 0]
    is_first = np.zeros(n, bool)
    is_first[number] = True
    ends = begins_of(length[number])
    return np.append(number, n).astype(np.int64), ends, code[is_first[owner]].astype(np.int32)


class _Search:
    """Distinct images of the constraints, and the rows of each symbol."""

    def __init__(self, column: SetColumn, number: Int64, start: Int64, symbols: Int32, k: int) -> None:
        self.column, self.number, self.start, self.symbols, self.k = column, number, start, symbols, k
        occurrences = column.occurrences
        places = np.argsort(column.items, kind="stable")
        self.rows = (np.searchsorted(column.indptr, places, side="right") - 1).astype(np.int32)
        self.first = begins_of(occurrences)
        work = begins_of(occurrences[symbols])
        self.work: Int64 = work[start].astype(np.int64)
        """Cumulative number of symbol occurrences of the images, int64 (Q + 1,)."""

    def run(self, budget: int, progress: Progress | None) -> tuple[int, Witness | None]:
        """Return the number of constraints before the first violation, and the witness of the violation. The witness is
        None if all constraints are satisfied.
        """
        from anonset_kernels.verification.constraints import first_unsatisfied

        column = self.column
        constraints, postings = (self.start, self.symbols), (self.first, self.rows)
        published = (column.indptr, column.items)
        scratch = (
            np.zeros(column.n, np.int64),
            np.zeros(len(column.vocabulary), np.uint8),
            np.empty(column.n, np.int32),
        )
        affordable = int(np.searchsorted(self.work, budget, side="right")) - 1
        position = 0
        while position < affordable:
            end = min(affordable, position + _CONSTRAINTS_PER_CALL)
            violation = first_unsatisfied(constraints, postings, published, scratch, self.k, position, end)
            position = int(violation.constraint)
            if position < end:
                witness = self._witness(violation) if violation.word else self._check_wide(position)
                if witness is not None:
                    return int(self.number[position]), witness
                position += 1
            report_progress(progress, "privacy constraints", self.number[position], self.number[-1])
        return int(self.number[affordable]), None

    def _image(self, p: int) -> list[int]:
        symbols: list[int] = self.symbols[self.start[p] : self.start[p + 1]].tolist()
        return symbols

    def _witness(self, violation: "UnsatisfiedConstraint") -> Witness:
        image = enumerate(self._image(int(violation.constraint)))
        return self._shown(
            tuple(s for j, s in image if int(violation.word) >> j & 1), int(violation.support), int(violation.row)
        )

    def _shown(self, symbols: tuple[int, ...], support: int, row: int) -> Witness:
        """Return the witness of a rare subset after a scan of the published records confirms it."""
        if len(records_with(self.column, symbols)) != support:
            msg = f"verification counted support {support} for the symbols {symbols}; a recount of the records differs"
            raise AnonsetError(msg)
        return Witness(tuple(self.column.vocabulary.labels[s] for s in symbols), support, self.k, row)

    def _check_wide(self, p: int) -> Witness | None:
        """Check an image with more symbols than a word has bits. The check uses a matrix of rows and symbols."""
        image = self._image(p)
        shows = np.zeros((self.column.n, len(image)), bool)
        for j, symbol in enumerate(image):
            shows[self.rows[self.first[symbol] : self.first[symbol + 1]], j] = True
        packed, first, n_equal = np.unique(np.packbits(shows, axis=1), axis=0, return_index=True, return_counts=True)
        for i in np.argsort(first):
            if n_equal[i] < self.k and packed[i].any():
                holding = np.all((packed & packed[i]) == packed[i], axis=1)
                if (support := int(n_equal[holding].sum())) < self.k:
                    row = int(first[i])
                    part = tuple(s for s, is_shown in zip(image, shows[row], strict=True) if is_shown)
                    return self._shown(part, support, row)
        return None


def utility_violation(original: SetColumn, publication: Records, utility: UtilityPolicy) -> str:
    """Return the violation of the utility constraints, or an empty text if there is none.

    All items of a published symbol must be in the same utility constraint. By Corollary 3.12, the number of published
    records with a symbol of a constraint must equal the number of original records with an item of the constraint, if
    none of its items is suppressed.

    Parameters
    ----------
    original
        The original column. Its vocabulary is the universe of items.

    Raises
    ------
    InputError
        If the utility constraints do not partition the universe, or the publication has no set-valued column.
    """
    if publication.transactions is None:
        raise InputError("utility constraints require a set-valued column, and the publication has none")
    group_of = utility.codes(original.vocabulary)
    index, labels = original.vocabulary.index, original.vocabulary.labels
    published = np.zeros(len(labels), bool)
    group_of_symbol = np.zeros(len(publication.symbols), np.int32)
    for code, symbol in enumerate(publication.symbols):
        if unknown := [item for item in symbol.members if item not in index]:
            expected = f"one of the {len(labels)} original items"
            raise InputError(f"symbol {datum(symbol.label)} covers {datum(unknown[0])}, which is not {expected}")
        members = [index[item] for item in symbol.members]
        touched = np.unique(group_of[members])
        published[members], group_of_symbol[code] = True, touched[0]
        if len(touched) > 1:
            numbers = " and ".join(str(number + 1) for number in touched[:2])
            return f"symbol {symbol.label} combines items of utility constraints {numbers}"
    suppressed = ~published & (original.occurrences > 0)
    is_complete = np.bincount(group_of, suppressed, len(utility)) == 0
    before = _counts(original, group_of, len(utility))
    after = _counts(publication.transactions, group_of_symbol, len(utility))
    if len(wrong := np.flatnonzero(is_complete & (before != after))):
        u = int(wrong[0])
        return f"utility constraint {u + 1} occurs in {before[u]} original, but {after[u]} published records"
    return ""


def _counts(column: SetColumn, group_of_code: Int32, n_groups: int) -> Int64:
    """Return the number of records that contain any code of each group, int64."""
    counts = np.zeros(n_groups, np.int64)
    for first, end in spans(column.n):
        block = column.slice(first, end)
        row = np.repeat(np.arange(block.n, dtype=np.int64), block.lengths)
        pairs = distinct(row * n_groups + group_of_code[block.items])
        counts += np.bincount(pairs % max(1, n_groups), minlength=n_groups)
    return counts
