"""Functions for the text of messages: settings as options, suggestions for unknown names, and printable values."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from decimal import Decimal
from fractions import Fraction
from operator import index
from types import MappingProxyType
from typing import Any, SupportsIndex

LARGEST = 2**63 - 1
"""Largest integer that an option accepts. Kernels count in 64 bits."""
JOB_KEYS = ("trace", "cost", "btd", "item_order", "scan", "single", "item_loss", "depth", "node_cost", "alpha")
"""Settings for experiments. They are keys of job files and parameters in Python, and commands have no options for them.
"""
SettingValue = str | float | Decimal | Fraction | list[str] | Mapping[str, str | int] | None
"""Value of a setting, as a job file, a flag or a fix states it. A boolean is a number."""
StatedSettings = Mapping[str, SettingValue]
"""Values of settings by name."""
Spelling = Callable[[StatedSettings], str]
"""Function that returns settings as text. A setting is named without a value if its value is None."""


def as_arguments(settings: StatedSettings) -> str:
    """Return settings as arguments of a Python function.

    >>> as_arguments({"no_header": True, "unit": ["pid"], "drop": ["a", "b"], "hierarchy": {"age": "range"}})
    "no_header=True, unit='pid', drop=['a', 'b'], hierarchies={'age': 'range'}"
    """
    parts = []
    for name, value in settings.items():
        if isinstance(value, Mapping):
            parts.append(f"{'hierarchies' if name == 'hierarchy' else name}={dict(value)!r}")
        elif value is None:
            parts.append(name)
        else:
            plain = value[0] if isinstance(value, list) and len(value) == 1 else value
            parts.append(f"{name}={plain!r}" if isinstance(plain, str | list) else f"{name}={plain}")
    return ", ".join(parts)


def as_options(settings: StatedSettings) -> str:
    """Return settings as options of a command line.

    >>> as_options({"no_header": True, "unit": ["pid"], "drop": ["a", "b"], "hierarchy": {"age": "range"}})
    '--no-header --unit pid --drop a,b --hierarchy age=range'
    >>> as_options({"delimiter": ";", "round_ends": False})
    "--delimiter ';' --no-round-ends"
    >>> as_options({"trace": True, "k": 2})
    'trace=True --k 2'
    """
    from shlex import quote

    parts = []
    for name, value in settings.items():
        option = name.replace("_", "-")
        if name in JOB_KEYS:
            parts.append(as_arguments({name: value}))
        elif isinstance(value, Mapping):
            parts += [f"--{option} {quote(f'{key}={entry}')}" for key, entry in value.items()]
        elif isinstance(value, bool) or value is None:
            parts.append(f"--no-{option}" if value is False else f"--{option}")
        else:
            parts.append(f"--{option} {quote(','.join(value) if isinstance(value, list) else str(value))}")
    return " ".join(parts)


_spellings: ContextVar[tuple[Spelling, ...]] = ContextVar("spellings", default=(as_arguments,))
"""Spellings of this context, the current one last. Tasks in threads run in the context of their caller."""


@contextmanager
def spelled_by(spelling: Spelling) -> Iterator[None]:
    """Spell settings by a function within the block."""
    token = _spellings.set((*_spellings.get(), spelling))
    try:
        yield
    finally:
        _spellings.reset(token)


def spelled(settings: StatedSettings) -> str:
    """Return settings as users write them: options of a command, arguments in Python, controls of the page.

    >>> spelled({"drop": ["zip"]})
    "drop='zip'"
    >>> with spelled_by(as_options):
    ...     spelled({"drop": ["zip"]})
    '--drop zip'
    """
    return _spellings.get()[-1](settings)


class LateSpelling:
    """Spelling of a command whose messages and files have different readers: messages on the page name its buttons, and
    comments of a job file name options. Settings in texts are marks until `shown` or `in_file` spells them.
    """

    def __init__(self, shown: Spelling, in_files: Spelling) -> None:
        self.shown = shown
        self.in_files = in_files
        self._numbers: dict[str, int] = {}
        self.settings: list[StatedSettings] = []
        """Settings by the number in their mark. Equal settings have equal marks, so that equal messages are equal."""

    def __call__(self, settings: StatedSettings) -> str:
        """Return the mark of settings."""
        number = self._numbers.setdefault(repr(settings), len(self.settings))
        if number == len(self.settings):
            self.settings.append(dict(settings))
        return f"{_MARK[0]}{number}{_MARK[-1]}"


_MARK = "\ufdd2(\\d+)\ufdd3"
"""Pattern of a mark (see `LateSpelling`): a number between Unicode noncharacters."""


def shown(text: str, escaped: Callable[[str], str] = str) -> str:
    r"""Return the text of a message, with its settings spelled for users.

    Parameters
    ----------
    escaped
        Function that escapes the spelled settings.

    >>> late = LateSpelling(as_arguments, as_options)
    >>> with spelled_by(late):
    ...     text = setting("keep", "zip")
    ...     shown(text), in_file(text), shown(text, repr)
    ("keep='zip'", '--keep zip', '"keep=\'zip\'"')
    >>> with spelled_by(late):
    ...     shown("a column \ufdd299\ufdd3") == "a column \ufdd299\ufdd3"
    True
    """
    return _respelled(text, lambda late, settings: escaped(late.shown(settings)))


def in_file(text: str) -> str:
    """Return the text of a comment in a file, with its settings spelled for readers of the file (see `shown`)."""
    return _respelled(text, lambda late, settings: late.in_files(settings))


def _respelled(text: str, spelling: Callable[[LateSpelling, StatedSettings], str]) -> str:
    late = next((one for one in _spellings.get() if isinstance(one, LateSpelling)), None)
    if late is None:
        return text
    known = dict(enumerate(late.settings))  # names in the data may contain text like a mark
    return re.sub(_MARK, lambda mark: spelling(late, known[int(mark[1])]) if int(mark[1]) in known else mark[0], text)


def setting(name: str, value: SettingValue = None, *, option: str | None = None) -> str:
    """Return a setting as users write it (see `spelled`).

    Parameters
    ----------
    name, value
        Name of the setting, and a value or None.
    option
        Name of the option, if it differs from the name of the setting in Python.

    >>> setting("keep"), setting("no_header", True), setting("missing", "value"), setting("max_cuts", 1000)
    ('keep', 'no_header=True', "missing='value'", 'max_cuts=1000')
    """
    return spelled({name if _spellings.get()[-1] is as_arguments else option or name: value})


def hierarchy_of(column: str | None = None, spec: object = "...") -> str:
    """Return the setting for the hierarchy of a column as users write it.

    >>> hierarchy_of("age", "range"), hierarchy_of()
    ("hierarchies={'age': 'range'}", 'hierarchies')
    >>> with spelled_by(as_options):
    ...     hierarchy_of("age", "range"), hierarchy_of("age"), hierarchy_of()
    ('--hierarchy age=range', '--hierarchy age=...', '--hierarchy')
    """
    if column is None:
        return setting("hierarchies", option="hierarchy")
    return spelled({"hierarchy": {column: str(spec)}})


def counted(n: SupportsIndex, what: str) -> str:
    """Return a count with a noun.

    >>> counted(1, "record"), counted(1200, "record")
    ('1 record', '1,200 records')
    """
    number = index(n)
    return f"{number:,} {what if number == 1 else plural(what)}"


def plural(what: str) -> str:
    """Return the plural of a noun.

    >>> plural("record"), plural("value of 'id'")
    ('records', "values of 'id'")
    """
    noun, *named = what.split(" of ", 1)
    return " of ".join([f"{noun}s", *named])


_IN_PAPERS = MappingProxyType(
    {
        "aa": "apriori",
        "da": "direct",
        "oa": "optimal",
        "mm": "coherence-suppression",
        "lg": "local-generalization",
        "lgr": "local-reallocation",
        "rum": "rum-bound",
        "tum": "tum-bound",
        "xu": "xu-bottom-up",
        "bucketization": "anatomy",
    }
)
"""Names of algorithms in papers, and the names in anonset."""
_SHORT = 4
_ENDINGS = ("anonymity", "anonymization", "anonymisation", "anonymous", "diversity", "anon")


def did_you_mean(
    name: str, known: Collection[str], elsewhere: Mapping[str, Collection[str]] = MappingProxyType({})
) -> str:
    """Return the end of a message on an unknown name: the most similar known name, or an empty text.

    Parameters
    ----------
    elsewhere
        Valid names of other options, by option.

    >>> did_you_mean("itmes", ["items", "id"]), did_you_mean("zebra", ["items", "id"])
    (' (did you mean items?)', '')
    """
    for other, names in elsewhere.items():
        if name in names:
            return f" (did you mean {other} {name}?)"
    if similar := similar_name(name, known):
        return f" (did you mean {similar}?)"
    for other, names in elsewhere.items():
        if similar := similar_name(name, names):
            return f" (did you mean {other} {similar}?)"
    return ""


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


def short_value(value: Any) -> str:
    """Return a parameter value as short text. Long lists are shortened to the length and the first elements, and long
    texts to the beginning.

    >>> short_value(["a", "b"]), short_value(["a", "b", "c", "d"]), short_value(0.5)
    ('a, b', '4 (a, b, c, …)', '0.5')
    """
    if isinstance(value, (list, tuple)):
        few = ", ".join(map(short_value, value[:_FEW]))
        return few if len(value) <= _FEW else f"{len(value):,} ({few}, …)"
    text = str(value)
    return text if len(text) <= _LONG else f"{text[:_LONG]}…"


def as_typed(
    command: str, source: str, given: StatedSettings | None = None, hierarchies: Mapping[str, str] | None = None
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
    settings = {**(given or {}), **({"hierarchy": hierarchies} if hierarchies else {})}
    return shlex.join(["anonset", *command.split(), source, *arguments_of(settings)])


def arguments_of(given: StatedSettings) -> list[str]:
    """Return settings as arguments of a command.

    >>> arguments_of({"items": ["a", "b b"], "k": 3, "round_ends": False})
    ['--items', 'a,b b', '--k', '3', '--no-round-ends']
    """
    parts = list[str]()
    for name, value in given.items():
        values = [",".join(value)] if isinstance(value, list) else [] if isinstance(value, bool) else [str(value)]
        option = f"--{'no-' if value is False else ''}{name.replace('_', '-')}"
        if isinstance(value, Mapping):
            parts += [part for key, spec in value.items() for part in (option, f"{key}={spec}")]
        elif value != []:
            parts += [f"{option}={values[0]}"] if values and values[0].startswith("-") else [option, *values]
    return parts


def short_names(names: Sequence[str]) -> str:
    """Return column names as a list in a sentence. Of many columns, only the first and the last are named.

    >>> short_names(["a", "b"]), short_names([f"q{number}" for number in range(1, 25)])
    ('a and b', 'q1 … q24 (24 columns)')
    """
    return listed(names) if len(names) <= _FEW + 1 else f"{names[0]} … {names[-1]} ({len(names):,} columns)"


def listed(names: Sequence[str], last: str = "and", most: int | None = None) -> str:
    """Return names as a list in a sentence: at most `most` names, and the number of the others.

    >>> listed(["a", "b", "c"], "or"), listed(["a"]), listed(["a", "b", "c", "d"], most=2)
    ('a, b or c', 'a', 'a, b and 2 more')
    """
    if most is not None and len(names) > most:
        names = [*names[:most], f"{len(names) - most:,} more"]
    return f" {last} ".join(part for part in (", ".join(names[:-1]), names[-1]) if part)


_RUN = 4
"""Smallest number of numbered names that `name_ranges` shows as a range."""


def name_ranges(names: Iterable[str]) -> list[str]:
    """Return names, with each run of consecutively numbered names as one text.

    >>> name_ranges(["age", "v1", "v2", "v3", "v4", "sex", "w1", "w3"])
    ['age', 'v1 … v4', 'sex', 'w1', 'w3']
    """
    runs = list[list[str]]()
    for name in names:
        stem, number = _numbered(name)
        before = _numbered(runs[-1][-1]) if runs else ("", None)
        if number is not None and before == (stem, number - 1):
            runs[-1].append(name)
        else:
            runs.append([name])
    return [text for run in runs for text in ([f"{run[0]} … {run[-1]}"] if len(run) >= _RUN else run)]


def _numbered(name: str) -> tuple[str, int | None]:
    stem = name.rstrip("0123456789")
    number = name[len(stem) :]
    return stem, int(number) if 0 < len(number) < 10 else None
