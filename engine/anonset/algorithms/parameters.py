"""Parameters of the built-in algorithms. Their annotations contain the checks."""

from dataclasses import dataclass, fields
from functools import partial
from typing import TYPE_CHECKING, Annotated, Literal, get_args, get_origin

from anonset.data.redacted_repr import RedactedRepr
from anonset.errors import require_known
from anonset.privacy.model import require_at_least
from anonset.spelling import setting

if TYPE_CHECKING:
    from anonset.privacy import PrivacyModel

AT_LEAST_1 = partial(require_at_least, least=1)
"""Check of a count, in the annotation of a parameter."""
SEED = partial(require_at_least, least=0)
"""Check of a random seed."""


@dataclass(frozen=True, kw_only=True)
class Parameters(RedactedRepr):
    """Base class of algorithms that checks the parameters by their annotations, and then those of the model.

    A function in an annotation is called with the name and the value of the parameter. A literal type allows only its
    values. If the type includes None, None is not checked.

    >>> from anonset.privacy import KAnonymity
    >>> @dataclass(frozen=True, kw_only=True)
    ... class Rounds(Parameters):
    ...     n: Annotated[int, "Number of rounds.", AT_LEAST_1] = 1
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
        for parameter in fields(self):
            value, kind, checks = getattr(self, parameter.name), parameter.type, list[object]()
            if get_origin(kind) is Annotated:
                kind, *checks = get_args(kind)
            if get_origin(kind) is Literal:
                require_known(setting(parameter.name), value, get_args(kind))
            for check in checks if value is not None or type(None) not in get_args(kind) else ():
                if callable(check):
                    check(parameter.name, value)
        _ = self.model
