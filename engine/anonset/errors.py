"""Errors for users. A message names the setting or place, the value and the requirement.

Data values in messages are marked by `datum`, and messages of other libraries by `foreign`. The terminal shows marked
text, except values that look like names or ids. Logs, which may have many readers, show ``…`` instead.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from operator import index
from typing import Any, SupportsIndex

from anonset.personal_text import hidden
from anonset.spelling import StatedSettings, did_you_mean, spelled

_OPEN, _CLOSE = "\ufdd0", "\ufdd1"
"""Unicode noncharacters around data values in messages. `repr` escapes noncharacters, so a data value cannot contain
the end of its mark.
"""
_MARKED = re.compile(f"{_OPEN}[^{_CLOSE}]*{_CLOSE}?")


def datum(value: object) -> str:
    """Return a data value for a message: quoted and marked, and hidden if it may identify a person.

    >>> public_text(f"item {datum('E10')} of column 'codes'"), plain_text(f"item {datum('E10')} of column 'codes'")
    ("item … of column 'codes'", "item 'E10' of column 'codes'")
    >>> plain_text(f"item {datum('Ann Lee')} of column 'codes'")
    "item [hidden: like a name] of column 'codes'"
    """
    return f"{_OPEN}{(isinstance(value, str) and hidden(value)) or repr(value)}{_CLOSE}"


def typed(value: object) -> str:
    """Return a label from the command line for a message, quoted and marked."""
    return f"{_OPEN}{value!r}{_CLOSE}"


def data_list(labels: Iterable[str], between: str = ", ") -> str:
    """Return data labels for a message: marked, and hidden if they may identify a person.

    >>> plain_text(data_list(["E10", "Ann Lee"]))
    'E10, [hidden: like a name]'
    """
    return foreign(between.join(hidden(label) or label for label in labels))


def foreign(text: object) -> str:
    """Return text that may contain data values, such as the message of another library, marked for a message."""
    return f"{_OPEN}{plain_text(str(text))}{_CLOSE}"


def plain_text(text: str) -> str:
    """Return a message without marks."""
    return text.replace(_OPEN, "").replace(_CLOSE, "")


def public_text(text: str) -> str:
    """Return a message with ``…`` in place of data values."""
    return plain_text(_MARKED.sub("…", text))


_SHOWN = 60


def shortened(value: object) -> str:
    """Return the repr of a value, without the middle part if it is long.

    >>> shortened("codes"), len(shortened(10**4000)), len(shortened("9" * 10**6))
    ("'codes'", 60, 60)
    """
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > 4 * _SHOWN:
        value = f"{value:x}"  # str() rejects thousands of digits
    text = repr(value[:1000] + value[-1000:] if isinstance(value, str) and len(value) > 2000 else value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 24]}…{text[-23:]}"


_LONGEST, _BEGINNING, _END = 300, 150, 100
_ONE_LONG = f"[^{_OPEN}{_CLOSE}]{{{_LONGEST},}}"
_LONG = re.compile(rf"(?<={_OPEN}){_ONE_LONG}|'[^'{_OPEN}{_CLOSE}]{{{_LONGEST},}}'|[^\s{_OPEN}{_CLOSE}]{{{_LONGEST},}}")
"""Marked text, quoted text or a word of many characters."""


def abridged(text: str) -> str:
    """Return a message in which long values, such as paths and rules, have no middle part. Marks remain.

    >>> len(abridged(f"{typed('x ' * 10**6)}: must be short")), abridged("'a' must be short")
    (268, "'a' must be short")
    """
    return _LONG.sub(lambda value: f"{value[0][:_BEGINNING]}…{value[0][-_END:]}", text)


class MarkedText:
    """Base class of objects whose text has marks around data values. `format` returns the text with marks, and `str`
    without.
    """

    def __str__(self) -> str:
        return plain_text(f"{self}")


VALUE = "VALUE"
"""Stands in settings for a value of the data that only the owner knows."""


def _answered(entry: Any, value: str) -> Any:
    if isinstance(entry, list):
        return [_answered(one, value) for one in entry]
    is_asked = isinstance(entry, str) and (entry == VALUE or entry.endswith(f"={VALUE}"))
    return entry.removesuffix(VALUE) + value if is_asked else entry


@dataclass(frozen=True)
class Fix:
    """Settings that remedy an error or a finding."""

    settings: StatedSettings = field(repr=False)
    """Values by name, as in a job file. Empty if the owner must change the data."""
    effect: str = field(default="", repr=False)
    """Condition or effect in words, such as ``if it means a missing value``. Empty if the problem explains it."""
    changes: str = field(default="", repr=False)
    """What changes in the data, such as ``changes 3 records``. Empty if this is not counted."""

    @property
    def asks(self) -> bool:
        """Whether the settings contain `VALUE`."""
        return self.answered("").settings != self.settings

    def answered(self, value: str) -> "Fix":
        """Return the fix with a value in place of `VALUE`.

        >>> Fix({"null": ["dx=VALUE"], "skip_rows": ["no-id"]}).answered("-9").settings
        {'null': ['dx=-9'], 'skip_rows': ['no-id']}
        """
        return Fix({name: _answered(entry, value) for name, entry in self.settings.items()}, self.effect, self.changes)

    def as_json(self) -> dict[str, Any]:
        """Return the fields as JSON data."""
        changes = {"changes": self.changes} if self.changes else {}
        return {"settings": dict(self.settings), "effect": plain_text(self.effect), **changes}


@dataclass(frozen=True)
class Problem(MarkedText):
    """Sentence about a fault, with the settings that remedy it.

    >>> str(Problem("-99 may mean a missing value", [Fix({"null": ["-99"]}, "if it does"), Fix({"drop": ["age"]})]))
    "-99 may mean a missing value; if it does: null='-99'; or use drop='age'"
    """

    sentence: str = field(repr=False)
    """The fault, with data values marked."""
    fixes: Sequence[Fix] = ()
    """Remedies, the best first."""
    assumed: bool = False
    """Whether the proposed settings contain the remedy already, so that only the owner can say whether it is right."""
    stops: bool = False
    """Whether a run with the inspected settings fails."""

    def __format__(self, spec: str) -> str:
        """Return the sentence, with long values abridged, and the remedies, with marks."""
        parts = [abridged(self.sentence)] if self.sentence else []
        for fix in self.fixes:
            way = f"{fix.effect}:" if fix.effect else "or use" if len(parts) > 1 else "use"
            changes = f" ({fix.changes})" if fix.changes else ""
            parts.append(f"{way} {spelled(fix.settings)}{changes}" if fix.settings else fix.effect)
        return format("; ".join(parts), spec)


RAW_DATA_STAY = "raw data stay in"
"""Beginning of a note that names a remaining work directory."""


class LeftoverNote(str):
    """Note of an error that names a remaining work directory. Commands print no other notes of errors, because notes of
    libraries may contain data values.
    """

    __slots__ = ()


class AnonsetError(Exception):
    """Base of all errors of this library.

    Messages may contain data values. `public` and the repr do not, because logs and notebooks show them automatically.

    Attributes
    ----------
    code
        Keyword for the kind of error, for programs. Each class has a keyword, and an error may have its own.
    public
        The message without data values.
    place
        Location of the fault, for programs. It may contain ``column``, ``line``, ``row`` (both from 1), and the
        ``count`` of faults.
    problem
        The fault and the settings that remedy it.
    commands
        Complete command lines that avoid the error.
    """

    code = "error"
    commands: Sequence[str] = ()

    def __init__(
        self, message: str | Problem = "", *, code: str = "", fixes: Sequence[Fix] = (), **place: str | SupportsIndex
    ) -> None:
        self._tell(message if isinstance(message, Problem) else Problem(message, fixes))
        self.code = code or self.code
        self.place = {name: value if isinstance(value, str) else index(value) for name, value in place.items()}
        super().__init__(*self.args)

    def _tell(self, problem: Problem) -> None:
        self.problem, self._marked = problem, f"{problem}"
        self.public = public_text(self._marked)
        self.args = (plain_text(self._marked),)

    def __format__(self, spec: str) -> str:
        """Return the message with marks, for use in another message."""
        return format(self._marked, spec)

    @property
    def fixes(self) -> Sequence[Fix]:
        """Settings that remedy the error. The message contains them."""
        return self.problem.fixes

    def __repr__(self) -> str:
        return f"{type(self).__name__}(message of {len(str(self)):,} characters)"

    def name_path(self, written: str, meant: str) -> None:
        """Name the user's path in place of a temporary path."""
        self._tell(Problem(self.problem.sentence.replace(written, meant), self.problem.fixes))


class InputError(AnonsetError, ValueError):
    """Malformed input data or parameters."""

    code = "input"


class MisreadError(InputError):
    """Data that the given options do not read correctly. The last of `fixes` are the reading options to use."""


class MissingRoleError(InputError):
    """Columns of the data have no role."""


class UndeclaredUnitError(InputError):
    """The owner has not declared who is a person."""

    code = "unit"


class HierarchyError(InputError):
    """A hierarchy that is not a tree over the items of the data."""

    code = "hierarchy"


class DisclosureError(InputError):
    """A publication would show undeclared values that identify persons.

    Attributes
    ----------
    findings
        Findings, each with ``column``, ``count`` and a line of text that contains no data values.
    """

    code = "disclosure"

    def __init__(self, findings: Sequence[Any]) -> None:
        self.findings = tuple(findings)
        super().__init__("\n".join(map(str, findings)), column=findings[0].column, count=findings[0].count)

    @property
    def fixes(self) -> Sequence[Fix]:
        """Settings that remedy the findings."""
        return [fix for finding in self.findings for fix in finding.problem.fixes]


class TooLargeError(InputError):
    """The task exceeds a limit of the algorithm. Reduce the task or raise the limit."""

    code = "too-large"


class InfeasibleError(AnonsetError):
    """The input is valid, but the guarantee cannot be reached under the given operators and bounds.

    Attributes
    ----------
    algorithm
        Name of the algorithm.
    reason
        Reason for the failure.
    where
        Cluster, itemset or group that causes the failure, if known.
    achieved
        Best value reached, for algorithms with a bound.
    bound
        Required value, for algorithms with a bound.
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
    """The result is safe but useless: every protected column shows a single symbol."""

    code = "worthless"


class VerificationError(AnonsetError):
    """A publication does not satisfy its privacy model. `verdict` contains a witness."""

    code = "not-verified"

    def __init__(self, verdict: Any) -> None:
        self.verdict = verdict
        super().__init__(f"{verdict}")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.verdict!r})"


class UndecidedError(VerificationError):
    """The check is too large to finish. `verdict` states which part was checked."""

    code = "undecided"


def require_known(
    option: str, name: str | None, known: Collection[str], elsewhere: Mapping[str, Collection[str]] | None = None
) -> str:
    """Return `name` if it is a valid value of an option.

    Parameters
    ----------
    option
        The option.
    known
        Valid names.
    elsewhere
        Valid names of other options, by option. The message suggests the other option if the name is valid there.

    Raises
    ------
    InputError
        If the name is unknown. The message suggests a similar name.
    """
    if name is not None and name in known:
        return name
    hint = did_you_mean(name, known, elsewhere or {}) if isinstance(name, str) else ""
    got = "none" if name is None else f"{name!r}{hint}"
    raise InputError(f"{option} must be one of {', '.join(known)}, got {got}")


def require_finite(value: Any, place: str = "") -> None:
    """Reject NaN and infinity anywhere in a document, because JSON readers fail or read null.

    Raises
    ------
    AnonsetError
        The message contains the place of the number.
    """
    if isinstance(value, float) and not isfinite(value):
        raise AnonsetError(f"{place or 'the value'} must be a finite number in JSON, got {value}")
    listed = enumerate(value) if isinstance(value, list | tuple) else ()
    for name, entry in value.items() if isinstance(value, Mapping) else listed:
        require_finite(entry, f"{place}.{name}" if place else str(name))
