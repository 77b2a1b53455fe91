"""One entry for all models: each has a check of its own, in a file of its own."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Protocol

from anonset.data import SetColumn
from anonset.errors import InputError
from anonset.privacy import KmAnonymity, PrivacyModel, Verdict
from anonset.verification.itemsets import Progress
from anonset.verification.km import check_km

DEFAULT_BUDGET = 60_000_000_000
"""Largest number of itemset occurrences that are counted unless told otherwise: about ten minutes on one core."""


class Published(Protocol):
    """What can be verified: a publication, or a table that was published elsewhere."""

    @property
    def transactions(self) -> SetColumn | None:
        """The published symbols of each record."""
        ...


Check = Callable[[Published, Any, int, Progress | None], Verdict]


def _km(publication: Published, model: KmAnonymity, budget: int, progress: Progress | None) -> Verdict:
    return check_km(_transactions(publication, model), model, budget, progress)


_CHECKS: Mapping[type[Any], Check] = MappingProxyType({KmAnonymity: _km})


def verify(
    publication: Published,
    model: PrivacyModel,
    *,
    budget: int = DEFAULT_BUDGET,
    progress: Progress | None = None,
) -> Verdict:
    """Check a publication against a privacy model, exactly and by a path independent of any algorithm.

    Parameters
    ----------
    publication
        A :class:`~anonset.generalization.Publication`, or a table of published symbols; symbols are opaque.
    model
        What must hold.
    budget
        Largest number of itemset occurrences in distinct records to count (>= 0). A check that needs more is
        done as far as it fits and is undecided, unless that part violates the model.
    progress
        Called with (phase, done, total) about ten times a second.

    Returns
    -------
    Holds, fails with a witness, or undecided; `checked` says what was counted and ``covered`` how far. The
    witness is the same for the same publication, whatever the budget.

    Raises
    ------
    InputError
        If there is no check for the model, the publication lacks what the model speaks of or is malformed, or
        the budget is negative.

    Examples
    --------
    >>> from anonset.data import Table
    >>> published = Table.from_sets([{"a", "b"}, {"a", "b"}, {"a"}, {"b"}])
    >>> print(verify(published, KmAnonymity(k=2, m=2)))
    km-anonymity with k=2, m=2 holds
    >>> print(verify(published, KmAnonymity(k=3, m=2)))
    km-anonymity with k=3, m=2 fails: {a, b} matches 2 record(s), 3 required; published row 0 shows it
    """
    if isinstance(budget, bool) or not isinstance(budget, int) or budget < 0:
        msg = f"budget must be an integer of at least 0, got {budget!r}"
        raise InputError(msg)
    check = _CHECKS.get(type(model))
    if check is None:
        known = ", ".join(sorted(kind.__name__ for kind in _CHECKS))
        msg = f"model {type(model).__name__} cannot be verified; there are checks for {known}"
        raise InputError(msg)
    return check(publication, model, budget, progress)


def _transactions(publication: Published, model: PrivacyModel) -> SetColumn:
    if publication.transactions is None:
        msg = f"model {model.name!r} speaks of a set-valued column, and the publication has none"
        raise InputError(msg)
    return publication.transactions
