"""What a candidate publication is worth: its measures, and a warning where it says nothing."""

import numpy as np

from anonset.data import Table
from anonset.errors import InputError
from anonset.generalization import Cut, Publication, Recoding

_NOTHING = (
    "the publication carries no information: {what}. A smaller m or k, a hierarchy with a smaller fan-out "
    "(such as balanced:5), or leaving out rare items would help"
)


def measures_of(table: Table, recoding: Recoding) -> dict[str, float]:
    """Return the losses of a recoding of a table's set-valued column.

    Raises
    ------
    InputError
        If there is no measure for this kind of recoding.
    """
    from anonset.measures.ncp import ncp

    if isinstance(recoding, Cut) and table.transactions is not None:
        return {"ncp": ncp(table.transactions, recoding)}
    msg = f"a recoding of type {type(recoding).__name__} has no measure yet"
    raise InputError(msg)


def no_information(table: Table, publication: Publication, measures: dict[str, float]) -> tuple[str, ...]:
    """Return a warning where every occurring item stands behind one symbol, or everything is lost."""
    original, published = table.transactions, publication.transactions
    if original is None or published is None or np.count_nonzero(original.occurrences) < 2:
        return ()
    symbols = np.flatnonzero(published.occurrences)
    if len(symbols) == 0:
        return (_NOTHING.format(what="every item is suppressed"),)
    if len(symbols) == 1:
        what = f"every item that occurs is published as {published.vocabulary.labels[symbols[0]]!r}"
        return (_NOTHING.format(what=what),)
    if measures["ncp"] >= 1:
        return (_NOTHING.format(what="the loss (NCP) is 1"),)
    return ()
