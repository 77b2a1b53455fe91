"""The errors users meet. A message gives the name, the value and what is required.

Whatever a message takes from the data is marked by `datum`, or by `foreign` if it is another library's sentence. People
read it, unless it looks like a name or an id; logs, which many may read, show ``…`` in its place.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from operator import index
from typing import Any, SupportsIndex

from anonset.personal_text import hidden

_OPEN, _CLOSE = "\ufdd0", "\ufdd1"
"""Noncharacters of Unicode, which `repr` escapes: nothing of the data can end the mark around it."""
_MARKED = re.compile(f"{_OPEN}[^{_CLOSE}]*{_CLOSE}?")


def datum(value: object) -> str:
    """Return a label or value of the data, quoted and marked, for a message; hidden if it may identify a person.

    >>> public_text(f"item {datum('E10')} of column 'codes'"), plain_text(f"item {datum('E10')} of column 'codes'")
    ("item … of column 'codes'", "item 'E10' of column 'codes'")
    >>> plain_text(f"item {datum('Ann Lee')} of column 'codes'")
    "item [hidden: like a name] of column 'codes'"
    """
    return f"{_OPEN}{(isinstance(value, str) and hidden(value)) or repr(value)}{_CLOSE}"


def typed(value: object) -> str:
    """Return a label that the owner typed, quoted and marked, for a message."""
    return f"{_OPEN}{value!r}{_CLOSE}"


def data_list(labels: Iterable[str], between: str = ", ") -> str:
    """Return labels of the data, marked, for a message; those that may identify a person are hidden.

    >>> plain_text(data_list(["E10", "Ann Lee"]))
    'E10, [hidden: like a name]'
    """
    return foreign(between.join(hidden(label) or label for label in labels))


def foreign(text: object) -> str:
    """Return text that data may be part of, such as another library's sentence, marked for a message."""
    return f"{_OPEN}{plain_text(str(text))}{_CLOSE}"


def plain_text(text: str) -> str:
    """Return a message as people read it."""
    return text.replace(_OPEN, "").replace(_CLOSE, "")


def public_text(text: str) -> str:
    """Return a message without what it takes from the data."""
    return plain_text(_MARKED.sub("…", text))


_SHOWN = 60


def shortened(value: object) -> str:
    """Return the repr of a value that a user gave, without its middle where it is long.

    >>> shortened("codes"), len(shortened(10**4000)), len(shortened("9" * 10**6))
    ("'codes'", 60, 60)
    """
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > 4 * _SHOWN:
        value = f"{value:x}"  # int() and str() refuse thousands of digits
    text = repr(value[:1000] + value[-1000:] if isinstance(value, str) and len(value) > 2000 else value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 24]}…{text[-23:]}"


class MarkedText:
    """Base of objects that format as text with marks, which messages keep when they quote it, but print without."""

    def __str__(self) -> str:
        return plain_text(f"{self}")


RAW_DATA_STAY = "raw data stay in"
"""Prefix of the note of an error that names a work directory which is kept."""


class AnonsetError(Exception):
    """Base of all errors of this library.

    Messages may name labels of the data; `public` and the repr, which logs and notebooks show unasked, do not.

    Attributes
    ----------
    code
        Kind of error, for programs: a short word of its class, or of this error alone.
    public
        The message without what it takes from the data.
    place
        Where the fault lies, for programs: some of ``column``, ``line`` and ``row`` (from 1), and ``count`` of faults.
    commands
        Complete commands that avoid it, on the command line.
    """

    code = "error"
    commands: Sequence[str] = ()

    def __init__(self, message: str = "", *, code: str = "", **place: str | SupportsIndex) -> None:
        self._marked = message
        self.code = code or self.code
        self.place = {name: one if isinstance(one, str) else index(one) for name, one in place.items()}
        self.public = public_text(message)
        super().__init__(plain_text(message))

    def __format__(self, spec: str) -> str:
        """Return the message with its marks, so that another one that quotes it keeps them."""
        return format(self._marked, spec)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(message of {len(str(self)):,} characters)"

    def reword(self, old: str, new: str) -> None:
        """Replace a part of the message."""
        self._marked = self._marked.replace(old, new)
        self.public = public_text(self._marked)
        self.args = (plain_text(self._marked),)


class InputError(AnonsetError, ValueError):
    """Malformed input data or parameters."""

    code = "input"


class MisreadError(InputError):
    """Data that probably need other settings to be read, which the error names.

    Attributes
    ----------
    settings
        These, by name.
    """

    def __init__(self, message: str, settings: Mapping[str, Any]) -> None:
        super().__init__(message)
        self.settings = dict(settings)


class HierarchyError(InputError):
    """A hierarchy that is no tree over the items of the data."""

    code = "hierarchy"


class DisclosureError(InputError):
    """A publication would show values that identify persons, which its owner has not declared.

    Attributes
    ----------
    findings
        One per column, each with ``column``, ``count`` and a line of text without any value of the data.
    """

    code = "disclosure"

    def __init__(self, findings: Sequence[Any]) -> None:
        self.findings = tuple(findings)
        super().__init__("\n".join(map(str, findings)), column=findings[0].column, count=findings[0].count)


class TooLargeError(InputError):
    """The task exceeds a limit of the algorithm: a smaller task, or a higher limit, would do."""

    code = "too-large"


class InfeasibleError(AnonsetError):
    """The input is valid, but the guarantee cannot be reached under the given operators and bounds.

    Attributes
    ----------
    algorithm
        Name of the algorithm.
    reason
        Why it cannot be.
    where
        A cluster, an itemset, a group, if there is one.
    achieved
        Of algorithms with a bound: the best reached value.
    bound
        Of these: the required value.
    """

    code = "infeasible"

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
        self.reason = plain_text(reason)
        self.where = where
        self.achieved = achieved
        self.bound = bound
        super().__init__(f"{algorithm}: {reason}" + (f" ({data_list(where.split(', '))})" if where else ""))

    def __repr__(self) -> str:
        return f"{type(self).__name__}(algorithm={self.algorithm!r}, achieved={self.achieved}, bound={self.bound})"


class WorthlessError(InfeasibleError):
    """The result is safe but worthless: every protected column shows a single symbol."""

    code = "worthless"


class VerificationError(AnonsetError):
    """A publication does not satisfy its privacy model; `verdict` names a witness."""

    code = "not-verified"

    def __init__(self, verdict: Any) -> None:
        self.verdict = verdict
        super().__init__(f"{verdict}")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.verdict!r})"


class UndecidedError(VerificationError):
    """The check is too large to finish; `verdict` says how much it covered."""

    code = "undecided"


def require_finite(value: Any, place: str = "") -> None:
    """Refuse a number that is not finite, anywhere in a document: readers fail on it, or take it for null.

    Raises
    ------
    AnonsetError
        With its place.
    """
    if isinstance(value, float) and not isfinite(value):
        msg = f"{place or 'the value'} must be a finite number to be written as JSON, got {value}"
        raise AnonsetError(msg)
    listed = enumerate(value) if isinstance(value, list | tuple) else ()
    for name, entry in value.items() if isinstance(value, Mapping) else listed:
        require_finite(entry, f"{place}.{name}" if place else str(name))
