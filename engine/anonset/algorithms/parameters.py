"""Parameters of the built-in algorithms. Their annotations contain the checks."""

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated

from anonset.data.redacted_repr import RedactedRepr
from anonset.privacy.model import require_at_least, require_parameters

if TYPE_CHECKING:
    from anonset.privacy import PrivacyModel

AT_LEAST_1 = partial(require_at_least, least=1)
"""Check of a count."""
Count = Annotated[int, AT_LEAST_1]
"""Type of a count, with its check."""
SEED = partial(require_at_least, least=0)
"""Check of a random seed."""


@dataclass(frozen=True, kw_only=True)
class Parameters(RedactedRepr):
    """Base class of algorithms that checks the parameters by their annotations (`require_parameters`), and then those
    of the model.

    >>> from anonset.privacy import KAnonymity
    >>> @dataclass(frozen=True, kw_only=True)
    ... class Rounds(Parameters):
    ...     n: Annotated[Count, "Number of rounds."] = 1
    ...     model = KAnonymity(2)
    >>> Rounds(n=0)
    Traceback (most recent call last):
    ...
    anonset.errors.InputError: n must be an integer of at least 1, got 0
    """

    if TYPE_CHECKING:

        @property
        def model(self) -> PrivacyModel:
            """Privacy model that the algorithm guarantees."""

    def __post_init__(self) -> None:
        require_parameters(self)
        _ = self.model
