"""Sizes of the equivalence classes of a publication.

References: Bayardo, Agrawal, ICDE 2005 (discernability); LeFevre, DeWitt, Ramakrishnan, ICDE 2006 (average class size).

Deviations: suppressed records are published with the coarsest values and form a class of their own, which counts as the
others. The papers count each of them as a class of all records. The average size is not divided by k, because not every
model has a k.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from anonset.data.redacted_repr import RedactedRepr
from anonset.data.storage.store import MEMORY, Store
from anonset.data.table import Column
from anonset.measures.distinct_records import class_figures, codes_of


@dataclass(frozen=True)
class ClassSizes(RedactedRepr):
    """Sizes of the equivalence classes, which are sets of records with equal quasi-identifiers."""

    classes: int
    """Number of classes."""
    average_class_size: float
    """Number of records per class."""
    discernability: int
    """Sum of the squared class sizes. It is the number of pairs of records that cannot be distinguished, if each record
    is also paired with itself.
    """

    def measures(self) -> dict[str, float]:
        """Return the measures that compare publications of the same records."""
        return {"average_class_size": self.average_class_size, "discernability": float(self.discernability)}

    @classmethod
    def of(cls, columns: Sequence[Column], store: Store = MEMORY) -> "ClassSizes | None":
        """Measure the classes of records with equal values in all columns. None if there are no columns or no records.

        >>> from anonset.data import CategoricalColumn
        >>> sizes = ClassSizes.of([CategoricalColumn.of("sex", "ffmfm")])
        >>> sizes.classes, sizes.average_class_size, sizes.discernability
        (2, 2.5, 13)
        """
        if not columns or not columns[0].n:
            return None
        figures = class_figures(codes_of(columns), store)
        classes = int((figures.records // figures.values).sum())
        return cls(classes, columns[0].n / classes, int(np.dot(figures.records, figures.values)))
