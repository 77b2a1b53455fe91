"""Names of models, algorithms and settings that are none, and what was probably meant."""

from collections.abc import Collection, Mapping
from difflib import get_close_matches
from types import MappingProxyType

from anonset.errors import InputError

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
"""What papers, and people, call an algorithm, and its name here."""
_ENDINGS = ("anonymity", "anonymization", "anonymisation", "anonymous", "diversity", "anon")


def require_known(
    option: str, name: str | None, known: Collection[str], elsewhere: Mapping[str, Collection[str]] | None = None
) -> str:
    """Return a name, if it is one that an option takes.

    Parameters
    ----------
    option
        The option that took it.
    known
        The names that it takes.
    elsewhere
        Names that other options take, by these options.

    Raises
    ------
    InputError
        If it is none; with the name that was meant, where one is near.
    """
    if name is not None and name in known:
        return name
    got = "none" if name is None else f"{name!r}{_hint(name, known, elsewhere or {})}"
    msg = f"{option} must be one of {', '.join(known)}, got {got}"
    raise InputError(msg)


def _hint(name: str, known: Collection[str], elsewhere: Mapping[str, Collection[str]]) -> str:
    for other, names in elsewhere.items():
        if name in names:
            return f"; did you mean {other} {name}?"
    if (found := meant(name, known)) is not None:
        return f"; did you mean {found}?"
    for other, names in elsewhere.items():
        if (found := meant(name, names)) is not None:
            return f"; did you mean {other} {found}?"
    return ""


def meant(name: str, known: Collection[str]) -> str | None:
    """Return the known name that somebody meant, or None where none is near.

    >>> names = ("km", "k", "kkm", "safe-grouping", "apriori")
    >>> meant("k-anonymity", names), meant("k^m", names), meant("(k,k^m)-anonymity", names), meant("AA", names)
    ('k', 'km', 'kkm', 'apriori')
    >>> meant("safe_groping", names), meant("zebra", names)
    ('safe-grouping', None)
    """
    plain = {_plain(one): one for one in known}
    short = _plain(name)
    for ending in ("", *_ENDINGS):
        if (found := plain.get(short.removesuffix(ending))) is not None:
            return found
    if _IN_PAPERS.get(short) in known:
        return _IN_PAPERS[short]
    near = get_close_matches(short, plain, n=1, cutoff=0.7)
    return plain[near[0]] if near else None


def _plain(name: str) -> str:
    """Return a name as letters and digits alone."""
    return "".join(c for c in name.casefold() if c.isalnum())
