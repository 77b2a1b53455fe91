"""Functions for the text of messages: settings as options, suggestions for unknown names, and printable values."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from operator import index
from types import MappingProxyType
from typing import Any, SupportsIndex

from anonset.errors import InputError

LARGEST = 2**63 - 1
"""Largest integer that an option accepts. Kernels count in 64 bits."""
_options = [False]  # last entry: True if messages spell settings as options; shared by all threads


def setting(name: str, value: object = None, *, option: str | None = None) -> str:
    """Return a setting as users write it: an option in commands, an argument in Python.

    Parameters
    ----------
    name, value
        Name of the setting, and a value or None.
    option
        Name of the option, if it differs from the name of the setting.

    >>> setting("keep"), setting("no_header", True), setting("missing", "value"), setting("max_cuts", 1000)
    ('keep', 'no_header=True', "missing='value'", 'max_cuts=1000')
    >>> with spell_options():
    ...     setting("keep"), setting("no_header", True), setting("missing", "value"), setting("max_cuts", 1000)
    ('--keep', '--no-header', '--missing value', '--max-cuts 1000')
    >>> with spell_options():
    ...     setting("delimiter", ";")
    "--delimiter ';'"
    >>> with spell_options():
    ...     setting("round_ends", False)
    '--no-round-ends'
    """
    if not _options[-1]:
        return name if value is None else f"{name}={value!r}" if isinstance(value, str) else f"{name}={value}"
    spelled = "--" + (option or name).replace("_", "-")
    if value is None or value is True:
        return spelled
    if value is False:
        return f"--no-{spelled.removeprefix('--')}"
    from shlex import quote

    return f"{spelled} {quote(str(value))}"


def hierarchy_of(column: str | None = None, spec: object = "...") -> str:
    """Return the setting for the hierarchy of a column as users write it.

    >>> hierarchy_of("age", "range"), hierarchy_of()
    ("hierarchies={'age': 'range'}", 'hierarchies')
    >>> with spell_options():
    ...     hierarchy_of("age", "range"), hierarchy_of("age"), hierarchy_of()
    ('--hierarchy age=range', '--hierarchy age=...', '--hierarchy')
    """
    if column is None:
        return setting("hierarchies", option="hierarchy")
    if _options[-1]:
        from shlex import quote

        return f"--hierarchy {quote(f'{column}={spec}')}"
    return f"hierarchies={{{column!r}: {str(spec)!r}}}"


@contextmanager
def spell_options() -> Iterator[None]:
    """Spell settings as command-line options within the block."""
    _options.append(True)
    try:
        yield
    finally:
        _options.pop()


def counted(n: SupportsIndex, what: str) -> str:
    """Return a count with a noun.

    >>> counted(1, "record"), counted(1200, "record")
    ('1 record', '1,200 records')
    """
    number = index(n)
    return f"{number:,} {what}{'' if number == 1 else 's'}"


_IN_PAPERS = MappingProxyType(
    {
        "aa": "apriori",
        "da": "direct",
        "oa": "optimal",
        "mm": "coherence-suppression",
        "lg": "local-generalization",
        "rum": "rum-bound",
        "tum": "tum-bound",
        "xu": "xu-bottom-up",
        "bucketization": "anatomy",
    }
)
"""Names of algorithms in papers, and the names in anonset."""
_SHORT = 4
_ENDINGS = ("anonymity", "anonymization", "anonymisation", "anonymous", "diversity", "anon")


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
    hint = _hint(name, known, elsewhere or {}) if isinstance(name, str) else ""
    got = "none" if name is None else f"{name!r}{hint}"
    msg = f"{option} must be one of {', '.join(known)}, got {got}"
    raise InputError(msg)


def _hint(name: str, known: Collection[str], elsewhere: Mapping[str, Collection[str]]) -> str:
    for other, names in elsewhere.items():
        if name in names:
            return f" (did you mean {other} {name}?)"
    if hint := did_you_mean(name, known):
        return hint
    for other, names in elsewhere.items():
        if (similar := similar_name(name, names)) is not None:
            return f" (did you mean {other} {similar}?)"
    return ""


def did_you_mean(name: str, known: Collection[str]) -> str:
    """Return the end of a message on an unknown name: the most similar known name, or an empty text.

    >>> did_you_mean("itmes", ["items", "id"]), did_you_mean("zebra", ["items", "id"])
    (' (did you mean items?)', '')
    """
    similar = similar_name(name, known)
    return f" (did you mean {similar}?)" if similar else ""


def similar_name(name: str, known: Collection[str]) -> str | None:
    """Return the most similar known name. Several names are joined by "or". None if no name is similar.

    >>> names = ("km", "k", "kkm", "safe-grouping", "apriori")
    >>> [similar_name(name, names) for name in ("k-anonymity", "k^m", "(k,k^m)-anonymity", "AA")]
    ['k', 'km', 'kkm', 'apriori']
    >>> [similar_name(name, names) for name in ("safe_groping", "zebra", "kmm")]
    ['safe-grouping', None, 'km or kkm']
    """
    from difflib import get_close_matches

    plain = {_plain(candidate): candidate for candidate in known}
    short = _plain(name)
    for ending in ("", *_ENDINGS):
        if (found := plain.get(short.removesuffix(ending))) is not None:
            return found
    if _IN_PAPERS.get(short) in known:
        return _IN_PAPERS[short]
    n, cutoff = (3, 0.6) if len(short) <= _SHORT else (1, 0.7)  # short names differ in few letters
    near = get_close_matches(short, plain, n=n, cutoff=cutoff)
    return " or ".join(plain[key] for key in near) if near else None


def _plain(name: str) -> str:
    return "".join(c for c in name.casefold() if c.isalnum())


_FEW, _LONG = 3, 40


def printable(text: str) -> str:
    r"""Return text with unprintable characters escaped, so that it cannot control the terminal.

    Escaped are control and format characters, line ends, all spaces except the blank, and unpaired surrogates.

    >>> printable("a\x1b[2Jb\n"), printable("né (1,2)")
    ('a\\x1b[2Jb\\n', 'né (1,2)')
    """
    return text if text.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def shortened(value: Any) -> str:
    """Return a parameter value as short text. Long lists are shortened to the length and the first elements, and long
    texts to the beginning.

    >>> shortened(["a", "b"]), shortened(["a", "b", "c", "d"]), shortened(0.5)
    ('a, b', '4 (a, b, c, …)', '0.5')
    """
    if isinstance(value, (list, tuple)):
        few = ", ".join(map(shortened, value[:_FEW]))
        return few if len(value) <= _FEW else f"{len(value):,} ({few}, …)"
    text = str(value)
    return text if len(text) <= _LONG else f"{text[:_LONG]}…"


def as_typed(
    command: str, source: str, given: Mapping[str, Any] | None = None, hierarchies: Mapping[str, str] | None = None
) -> str:
    """Return a command line, quoted for a shell.

    >>> as_typed("inspect", "my data.csv", {"items": ["a", "b"], "k": 3, "no_header": True}, {"a": "balanced:5"})
    "anonset inspect 'my data.csv' --items a,b --k 3 --no-header --hierarchy a=balanced:5"
    >>> as_typed("inspect", "-a.csv", {"null": "--"})  # names and values that look like options
    'anonset inspect ./-a.csv --null=--'
    >>> as_typed("anonymize", "a.csv", {"ceiling": {"a": 1, "b": "nodes.txt"}})
    'anonset anonymize a.csv --ceiling a=1 --ceiling b=nodes.txt'
    """
    import shlex

    source = f"./{source}" if source.startswith("-") else source
    return " ".join(
        [shlex.join(["anonset", *command.split(), source]), *flags_as_typed(given or {}, hierarchies or {})]
    )


def flags_as_typed(given: Mapping[str, Any], hierarchies: Mapping[str, str] | None = None) -> list[str]:
    """Return the flags of a command line, quoted for a shell.

    >>> flags_as_typed({"items": ["a", "b b"], "k": 3})
    ['--items', "'a,b b'", '--k', '3']
    """
    import shlex

    parts = list[str]()
    for name, value in given.items():
        values = [",".join(value)] if isinstance(value, list) else [] if value is True else [str(value)]
        option = f"--{name.replace('_', '-')}"
        if isinstance(value, Mapping):
            parts += [part for key, spec in value.items() for part in (option, f"{key}={spec}")]
        elif value not in (False, []):
            parts += [f"{option}={values[0]}"] if values and values[0].startswith("-") else [option, *values]
    for name, spec in (hierarchies or {}).items():
        parts += ["--hierarchy", f"{name}={spec}"]
    return [shlex.quote(part) for part in parts]


def listed(names: Sequence[str], last: str = "and") -> str:
    """Return names as a list in a sentence.

    >>> listed(["a", "b", "c"], "or"), listed(["a"])
    ('a, b or c', 'a')
    """
    return f" {last} ".join(part for part in (", ".join(names[:-1]), names[-1]) if part)
