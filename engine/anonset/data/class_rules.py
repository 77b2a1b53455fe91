"""Conditions on the sensitive values of every class of records, in the format of the kernels."""

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from anonset.data.array_types import Bools, Int32, Int64
from anonset.data.distinct import positions
from anonset.data.redacted_repr import RedactedRepr
from anonset_kernels._arrays import PackedRule


@dataclass(frozen=True, eq=False)
class ClassRule(RedactedRepr):
    """Requirement on the sensitive values of every class of records.

    If two classes satisfy the rule, their union satisfies it. Merging classes therefore never violates the rule.
    """

    terms: Int64
    """Parameters of the rule in the format of `anonset_kernels.relational._class_rules`, int64 (8,)."""
    overall: Int64
    """Frequency of each value in the complete table, int64 (M,)."""
    value: Int32
    """Value of each record, int32 (n,). Missing values are -1 and are not counted."""
    ways: Int64 = field(default_factory=lambda: np.zeros((0, 3), np.int64))
    """Ranges of values for t-closeness, int64 (W, 3). The columns are start, end, and the distance over which the
    surplus of the range is moved.
    """

    @classmethod
    def none(cls) -> "ClassRule":
        """Return the rule that every class satisfies. Kernels always need a rule."""
        return cls(np.zeros(8, np.int64), np.zeros(0, np.int64), np.zeros(0, np.int32))

    @property
    def packed(self) -> PackedRule:
        """The rule as a single kernel argument."""
        return PackedRule(self.terms, self.overall, self.ways, self.value)

    @property
    def hereditary(self) -> bool:
        """True if a class that satisfies the rule still satisfies it after any records are added."""
        from anonset_kernels.relational._class_rules import DISTINCT, KIND

        # a class without known values satisfies the rule, but may violate it after a record with a known value is added
        return bool(self.terms[KIND] == DISTINCT and not (self.value < 0).any())

    def take(self, records: NDArray[np.integer]) -> "ClassRule":
        """Return the rule for classes of the given records."""
        return replace(self, value=self.value[records])

    def broken_classes(self, class_of: NDArray[np.integer], n_classes: int) -> Bools:
        """Return the classes that violate the rule, bool (C,). Empty classes satisfy the rule.

        Parameters
        ----------
        class_of
            Class of each record, integer (n,). A negative value means no class.
        """
        return _broken(self, class_of, n_classes, self.value, np.ones(len(self.value), np.int64))

    def by_tuple(self, tuple_of: Int32, n_tuples: int) -> "TupleRule":
        """Return this rule for classes of distinct tuples. `tuple_of` is the tuple of each record."""
        width, known = max(1, len(self.overall)), self.value >= 0
        pairs, weight = np.unique(tuple_of[known].astype(np.int64) * width + self.value[known], return_counts=True)
        entries = (pairs // width).astype(np.int32), (pairs % width).astype(np.int32), weight.astype(np.int64)
        return TupleRule(self, n_tuples, *entries)


@dataclass(frozen=True, eq=False)
class TupleRule(RedactedRepr):
    """A rule on classes of distinct tuples, stored as entries (tuple, value, record count)."""

    rule: ClassRule
    n_tuples: int
    tuple_of: Int32
    """Tuple of each entry, int32 (E,)."""
    value: Int32
    """Value of each entry, int32 (E,)."""
    weight: Int64
    """Record count of each entry, int64 (E,)."""

    def take(self, tuples: NDArray[np.integer]) -> "TupleRule":
        """Return the rule for the given tuples only, numbered from 0 in the given order."""
        number = positions(tuples, self.n_tuples)
        is_taken = number[self.tuple_of] >= 0
        entries = number[self.tuple_of[is_taken]], self.value[is_taken], self.weight[is_taken]
        return TupleRule(self.rule, len(tuples), *entries)

    def broken_classes(self, class_of: NDArray[np.integer], n_classes: int) -> Bools:
        """Return the classes that violate the rule, bool (C,). `class_of` is the class of each tuple, negative for
        none.
        """
        return _broken(self.rule, class_of[self.tuple_of], n_classes, self.value, self.weight)


def _broken(rule: ClassRule, group: NDArray[np.integer], n_groups: int, value: Int32, weight: Int64) -> Bools:
    from anonset_kernels.relational._class_rules import break_rule

    broken = np.zeros(n_groups, np.uint8)
    break_rule(rule.terms, rule.overall, rule.ways, group.astype(np.int32), value, weight, broken)
    return broken.astype(np.bool_)
