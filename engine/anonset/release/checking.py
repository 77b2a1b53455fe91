"""The check before anything comes out: what an algorithm promised holds, and what is published is true."""

from dataclasses import dataclass
from typing import Any

from anonset.algorithms.base import Progress
from anonset.data.discreet import Discreet
from anonset.errors import UndecidedError, VerificationError
from anonset.generalization.buckets import AnyPublication
from anonset.privacy import Verdict, Witness
from anonset.release.formats import kind_of
from anonset.release.unverified import Unverified


def checked(
    unverified: Unverified[Any],
    publication: AnyPublication,
    *,
    accept_undecided: bool = False,
    budget: int | None = None,
    progress: Progress | None = None,
) -> Verdict:
    """Verify what an algorithm promised, and that what is published is true; return the verdict if it may be.

    Parameters
    ----------
    unverified
        What was meant to be published.
    publication
        What is published: the unverified's own publication, or what was read back.

    Raises
    ------
    VerificationError
        If the model does not hold, or (`UndecidedError`) the check was too large to finish and that is not accepted.
    """
    from anonset.verification import DEFAULT_BUDGET, verify

    budget = DEFAULT_BUDGET if budget is None else budget
    model = unverified.algorithm.model
    verdict = verify(publication, model, budget=budget, progress=progress)
    require_decided(verdict, accept_undecided=True)
    witness = kind_of(model).untrue(unverified.table, publication, unverified.hierarchies, model)
    if witness is not None:
        raise VerificationError(Untrue(witness))
    require_decided(verdict, accept_undecided=accept_undecided)
    return verdict


def require_decided(verdict: Verdict, *, accept_undecided: bool) -> None:
    """Refuse a verdict with which nothing may be published.

    Raises
    ------
    VerificationError
        If the model does not hold, or (`UndecidedError`) the check was too large to finish and that is not accepted.
    """
    if verdict.holds is False:
        raise VerificationError(verdict)
    if verdict.holds is None and not accept_undecided:
        raise UndecidedError(verdict)


@dataclass(frozen=True)
class Untrue(Discreet):
    """The verdict on a publication that says what the original does not."""

    witness: Witness

    def __str__(self) -> str:
        return f"the publication is not true of the original: {self.witness}"
