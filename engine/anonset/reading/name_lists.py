"""Split texts of names at commas, and join the parts of names that contain commas.

Jobs and their readers split texts. All other code receives lists of column names (`Job.names`).
"""

from collections.abc import Collection, Iterable, Sequence

from anonset.errors import InputError


def name_list(names: str | Collection[str]) -> list[str]:
    """Return names as a list. A single text is split at commas. Names in a list are not, as they may contain commas.

    >>> name_list("a, b"), name_list(["a, b"])
    (['a', 'b'], ['a, b'])
    """
    return [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)


def names_in(names: Sequence[str], declared: str | Collection[str] | None) -> tuple[str, ...]:
    """Return the declared names as a tuple.

    Names are separated by commas, except within a name that is one of `names`. Without `names`, parts of a name may
    occur several times.

    >>> names_in(["id", "Name, Vorname"], "id,Name, Vorname"), names_in(["Name, Vorname"], ["Name", "Vorname"])
    (('id', 'Name, Vorname'), ('Name, Vorname',))
    """
    if declared is None:
        return ()
    if isinstance(declared, str):
        declared = [declared] if declared in names or not declared else name_list(declared)
    listed = list(declared) if isinstance(declared, Iterable) else [declared]
    listed = [str(name) if isinstance(name, int) and not isinstance(name, bool) else name for name in listed]
    if invalid := next((name for name in listed if not isinstance(name, str)), None):
        raise InputError(f"column names must be text or a list of text, got {type(invalid).__name__}")
    return tuple(dict.fromkeys(_with_commas(names, listed)) if names else listed)


def _with_commas(names: Sequence[str], listed: Sequence[str]) -> Sequence[str]:
    """Return the declared names. Parts of a column name with commas are joined again: of the names that are not yet
    declared, the longest is preferred. Different names that are all columns are not joined.

    >>> _with_commas(["a,b", "a", "b"], ["a", "b", "a", "b"]), _with_commas(["a,b", "a", "b"], ["a", "b"])
    (['a,b', 'a', 'b'], ['a', 'b'])
    """
    parts_of = {tuple(name_list(name)): name for name in names if "," in name}
    if not parts_of or (set(names).issuperset(listed) and len(set(listed)) == len(listed)):
        return listed
    joined, at, longest = list[str](), 0, max(map(len, parts_of))
    while at < len(listed):
        ends = range(min(len(listed), at + longest), at, -1)
        runs = (tuple(listed[at:end]) for end in ends)
        run = next((run for run in runs if run in parts_of and parts_of[run] not in joined), None)
        joined.append(parts_of[run] if run else listed[at])
        at += len(run) if run else 1
    return joined


def rules_in(names: Sequence[str], rules: Sequence[str], mark: str = "=") -> tuple[str, ...]:
    """Return rules such as ``COLUMN=upper``, or items such as ``COLUMN:item`` if the mark is a colon. Parts of a column
    name with commas are joined again.

    >>> rules_in(["id", "Name, Vorname"], ["lower", "Name", "Vorname=upper"])
    ('lower', 'Name, Vorname=upper')
    """
    joined = list[str]()
    for rule in rules:
        joined.append(rule)
        for name in sorted((name for name in names if "," in name), key=len, reverse=True):
            *begin, end = name_list(name)
            if rule.startswith(f"{end}{mark}") and joined[-len(begin) - 1 : -1] == begin:
                joined[-len(begin) - 1 :] = [name + rule[len(end) :]]
                break
    return tuple(joined)
