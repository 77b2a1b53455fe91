"""Local recoding by repeated full-domain recodings (after the iterative optimization of ARX)."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from anonset.algorithms.base import Traits
from anonset.algorithms.clusters import renumber_clusters
from anonset.algorithms.parameters import Count
from anonset.algorithms.relational.base import OF_CLASSES, Formation
from anonset.algorithms.relational.full_domain import require_few_vectors
from anonset.algorithms.relational.generalized_tuples import GeneralizedTuples, first_least, loss_keys
from anonset.algorithms.relational.levels import Classes, Levels, tuple_rule
from anonset.data.array_types import Int32, Int64
from anonset.data.progress import Progress, report_progress
from anonset.data.quasi_identifiers import QuasiIdentifiers

PRICES = (0.02, 0.04, 0.06, 0.08, 0.1, 0.12, 0.15, 0.2, 0.25, 0.3, 0.4, 0.6, 1.0)
"""Cost of postponing a record in each round, relative to the loss of a record whose values are all
published as roots.
"""


@dataclass(frozen=True, kw_only=True)
class LocalRecoding(Formation):
    """Apply the best full-domain recoding to some records, and repeat this with the remaining records.

    Guarantees k-anonymity. Each round generalizes each column to a single level, and publishes the classes of at least
    k records. All other records are postponed to the next round. The chosen levels minimize the loss plus a cost for
    each postponed record. The cost of postponing increases from round to round. Early rounds therefore publish frequent
    values with little loss, and late rounds publish outliers. Records that remain at the end join the class whose loss
    increases least.
    Cost: O(T v) per combination of levels and round for T remaining distinct tuples. A combination is skipped if a
    lower bound of its cost exceeds the lowest cost so far. The bound counts the records that higher levels postpone.

    References: Prasser, Eicher, Spengler, Bild, Kuhn, Software: Practice and Experience 2020 (ARX: full-domain
    recodings, iterated on suppressed records).
    Deviations: postponing a record has a cost. Each class publishes its lowest common values.

    >>> from anonset.data import Table
    >>> table = Table.from_columns(sex=["f", "m", "f", "m"], race=["1", "2", "1", "2"])
    >>> LocalRecoding(k=2).recode(table, {}).recoding.cluster.tolist()
    [0, 1, 0, 1]
    """

    name: ClassVar[str] = "local-recoding"
    traits: ClassVar[Traits] = Traits(memory_factor=1.0, tight=True, slow=True, answers=OF_CLASSES)

    max_vectors: Annotated[Count, "Maximum number of combinations of levels (vectors)."] = 1_000_000

    def form(self, qi: QuasiIdentifiers, progress: Progress | None = None) -> Int32:
        """Return the class of each record, int32 (n,). Classes are numbered by first record.

        Raises
        ------
        InputError
            If there are more than `max_vectors` vectors.
        """
        levels = Levels.of(qi)
        require_few_vectors(self.name, levels, self.max_vectors)
        weight = np.bincount(qi.tuple_of, minlength=qi.n_tuples).astype(np.int64)
        rule = tuple_rule(qi)
        class_of, remaining = np.full(qi.n_tuples, -1, np.int64), np.arange(qi.n_tuples)
        root = float(sum(levels.costs[end - 1].max(initial=0.0) for end in levels.first[1:].tolist()))
        n_classes, price = 0, 0
        while len(remaining) and weight[remaining].sum() >= self.k:
            counted = Classes(weight[remaining], None if rule is None else rule.take(remaining))
            class_of_rest = self._round(levels, counted, remaining, root * PRICES[min(price, len(PRICES) - 1)])
            if class_of_rest is None and price >= len(PRICES) - 1:
                class_of[remaining] = n_classes  # all columns are at their roots, so all tuples form one class
                remaining = remaining[:0]
            elif class_of_rest is not None:
                class_of[remaining] = np.where(class_of_rest < 0, -1, class_of_rest + n_classes)
                n_classes = int(class_of.max()) + 1
                remaining = remaining[class_of_rest < 0]
            price += 1
            report_progress(progress, "tuples", qi.n_tuples - len(remaining), qi.n_tuples)
        return self._join_remaining(qi, class_of) if len(remaining) else renumber_clusters(class_of[qi.tuple_of])[0]

    def _round(self, levels: Levels, counted: Classes, remaining: Int64, price: float) -> Int64 | None:
        """Return the class of each remaining tuple, -1 if the class fails.

        Return None if no vector costs less than postponing all tuples.
        """
        ids, costs = np.ascontiguousarray(levels.ids[:, remaining]), np.ascontiguousarray(levels.costs[:, remaining])
        n, vectors = int(counted.weight.sum()), levels.vectors()
        cheapest = costs.min(axis=1)[levels.first[:-1] + vectors].sum(axis=1)
        best, best_key = -1, loss_keys(np.array([price]))[0] - 1
        failing = np.zeros([height + 1 for height in levels.heights], np.int64)  # lower bound of records, per vector
        fewest_failing, lowest_loss = failing.reshape(-1), cheapest.tolist()
        for number in np.flatnonzero(cheapest < price - 1e-12)[::-1].tolist():
            fewest = int(fewest_failing[number])
            if fewest * price + (n - fewest) * lowest_loss[number] > (best_key + 1) * 1e-12 * n:
                continue
            vector = tuple(vectors[number].tolist())
            _, small, loss = counted.count(ids, costs, levels.rows(vector), self.k)
            if counted.rule is None:  # the records of small classes are also in small classes at lower levels
                finer = failing[tuple(slice(level + 1) for level in vector)]
                np.maximum(finer, small, out=finer)
            key = loss_keys(np.array([(loss + small * price) / n]))[0]
            if key <= best_key:
                best, best_key = number, key
        if best < 0:
            return None
        counted.count(ids, costs, levels.rows(tuple(vectors[best].tolist())), self.k)
        of = counted.class_of.astype(np.int64)
        of[counted.failed.astype(np.bool_)[of]] = -1
        return np.where(of < 0, -1, np.unique(of, return_inverse=True)[1].reshape(-1) - int(counted.failed.any()))

    def _join_remaining(self, qi: QuasiIdentifiers, class_of: Int64) -> Int32:
        """Add the records that remain at the end to the classes whose loss increases least."""
        cluster = class_of[qi.tuple_of]
        assigned, unassigned = np.flatnonzero(cluster >= 0), np.flatnonzero(cluster < 0)
        cluster[assigned] = renumber_clusters(cluster[assigned])[0]
        size = np.bincount(cluster[assigned])
        tuples = GeneralizedTuples.of(qi.take(assigned), cluster[assigned].astype(np.int32), len(size))
        others = qi.take(unassigned)
        singles = GeneralizedTuples.of_tuples(others)
        for r, t in zip(unassigned.tolist(), others.tuple_of.tolist(), strict=True):
            increase = (size + 1) * singles.union_losses(t, tuples) - size * tuples.losses()
            best = first_least(increase)
            cluster[r] = best
            size[best] += 1
            tuples.merge(best, t, singles)
        return renumber_clusters(cluster)[0]
