"""The errors users meet. A message gives the name, the value and what is required."""

from typing import Any

RAW_DATA_STAY = "raw data stay in"
"""What the note of an error begins with that names a work directory which stays."""


class AnonsetError(Exception):
    """Base of all errors of this library.

    Messages may name labels of the data; a repr, which logs and notebooks show unasked, does not.
    """

    def __repr__(self) -> str:
        return f"{type(self).__name__}(message of {len(str(self)):,} characters)"


class InputError(AnonsetError, ValueError):
    """Malformed input data or parameters."""


class HierarchyError(InputError):
    """A hierarchy that is no tree over the items of the data."""


class TooLargeError(InputError):
    """More than a limit of an algorithm's own allows: a smaller task, or a higher limit, would do."""


class InfeasibleError(AnonsetError):
    """The input is valid, but the guarantee cannot be reached under the given operators and bounds.

    Attributes
    ----------
    algorithm
        What was tried.
    reason
        Why it cannot be.
    where
        A cluster, an itemset, a group, if there is one.
    achieved
        Of algorithms with a bound: the best value that was reached.
    bound
        Of these: the value that was asked for.
    """

    def __init__(
        self,
        algorithm: str,
        reason: str,
        where: str = "",
        *,
        achieved: float | None = None,
        bound: float | None = None,
    ) -> None:
        self.algorithm = algorithm
        self.reason = reason
        self.where = where
        self.achieved = achieved
        self.bound = bound
        super().__init__(f"{algorithm}: {reason}" + (f" ({where})" if where else ""))

    def __repr__(self) -> str:
        return f"{type(self).__name__}(algorithm={self.algorithm!r}, achieved={self.achieved}, bound={self.bound})"


class WorthlessError(InfeasibleError):
    """What was found is safe, and says nothing: every protected column shows one symbol alone."""


class VerificationError(AnonsetError):
    """A publication does not satisfy its privacy model; `verdict` names a witness."""

    def __init__(self, verdict: Any) -> None:
        self.verdict = verdict
        super().__init__(str(verdict))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.verdict!r})"


class UndecidedError(VerificationError):
    """The check was too large to finish; `verdict` says how much was covered."""
