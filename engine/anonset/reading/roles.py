"""Column roles. Data in which a column has no role, or several roles, are rejected."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields

from anonset.errors import Fix, InputError, MissingRoleError, Problem
from anonset.personal_text import is_like_id
from anonset.reading.name_lists import names_in
from anonset.spelling import counted, listed, setting

Names = str | Sequence[str]
"""Names as a sequence, or as a text with names separated by commas."""
_WIDE = ("one_hot", "one_code")

_NUMBER = re.compile(r"[+-]?[0-9]+([.,][0-9]+)?")


@dataclass(frozen=True)
class Roles:
    """Column names by role, in the order of the source. Only ids are in the order in which they were declared."""

    items: tuple[str, ...] = ()
    one_hot: tuple[str, ...] = ()
    one_code: tuple[str, ...] = ()
    relational: tuple[str, ...] = ()
    sensitive: tuple[str, ...] = ()
    id: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()

    @property
    def used(self) -> tuple[str, ...]:
        """Columns that are read: all except dropped columns."""
        return self.items + self.wide + self.relational + self.sensitive + self.id + self.keep

    @property
    def wide(self) -> tuple[str, ...]:
        """Columns that together contain the sets."""
        return self.one_hot + self.one_code

    def published(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return the columns that may be published, in the order of `names`.

        Sets in several columns have the position of their first column.
        """
        published = {*self.items, *self.relational, *self.sensitive, *self.keep}
        wide = {*self.wide}
        first = next((name for name in names if name in wide), None)
        return tuple("items" if name == first else name for name in names if name in published or name == first)


def absent(names: Sequence[str], declared: Iterable[Names]) -> list[str]:
    """Return the declared columns that are not among `names`.

    Raises
    ------
    InputError
        If a role is not given as names.
    """
    name_set = frozenset(names)
    return [name for value in declared for name in names_in(names, value) if not _matching(names, name_set, name)]


def resolve(
    where: str,
    names: Sequence[str],
    numeric: Names,
    *,
    first_line: bool = False,
    headers: bool = False,
    remedies: Sequence[Fix] = (),
    **given: Names,
) -> tuple[Roles, frozenset[str]]:
    """Assign a role to every column of a source.

    Parameters
    ----------
    where
        Name of the source, for messages.
    names
        Columns of the source.
    numeric
        Relational columns that are numbers.
    first_line
        True if the names are the first line of a text, which may be a record. Messages then show these names only if
        a declared name is among them.
    headers
        True if words in the names show that they are headers (see `are_headers`). The message about duplicate names
        then shows the name even if no declared name is among them.
    remedies
        Reading options that may find a missing column.
    given
        Column names by role, and the columns of the person as ``unit``. The names of a role are a sequence, or a text
        with one name or several names separated by commas.

    Raises
    ------
    InputError
        If a named column does not exist, a column has no role or two roles, or two columns have the same name.
    """
    names_of = {role: names_in(names, value) for role, value in {**given, "numeric": numeric}.items()}
    with_role = {name for role, columns in names_of.items() if role not in _WIDE for name in columns}
    for role in _WIDE:
        found = expanded([name for name in names if name not in with_role], names_of.get(role, ()))
        names_of[role] = tuple(one for one in found if not any(is_selected(name, one) for name in with_role - {one}))
    genuine = not first_line or any(not set(names).isdisjoint(columns) for columns in names_of.values())
    lines = not any(columns for role, columns in names_of.items() if role != "items")
    Header(where, names, genuine or headers).require_distinct()
    header = Header(where, names, genuine, remedies, lines)
    for role, columns in names_of.items():
        header.require_there(role, columns)
    by_unit = names_of.pop("unit", ())
    names_of["id"] = (*names_of.get("id", ()), *by_unit)
    ids, numbers = frozenset(names_of["id"]), frozenset(names_of.pop("numeric"))
    for name in sorted(numbers - frozenset(names_of.get("relational", ()))):
        raise InputError(f"{where}: numeric column {name!r} must also be declared as {setting('relational')}")
    dropped = frozenset(names_of.get("drop", ())) - ids  # dropped ids remain ids, which are never published
    names_of = {
        role: tuple(name for name in columns if (name in dropped) == (role == "drop"))
        for role, columns in names_of.items()
    }  # a dropped column has no other role, so users can append the `--drop` option that a message suggests
    place_of = {name: place for place, name in enumerate(names)}
    for role in names_of.keys() - {"id"}:  # a key pairs its columns with those of other tables by their declared order
        names_of[role] = tuple(sorted(names_of[role], key=place_of.__getitem__))
    roles = Roles(**names_of)
    _refuse_clash(where, roles, {"id": "unit"} if by_unit else {})
    _refuse_shapes(where, roles)
    header.require_placed({*roles.used, *roles.drop})
    if not roles.used:
        raise InputError(f"{where}: all columns are dropped; keep at least one")
    return roles, numbers - dropped


@dataclass(frozen=True)
class Header:
    """Column names of a source."""

    where: str
    names: Sequence[str]
    genuine: bool
    """True if the line is certainly a header, and not a record."""
    remedies: Sequence[Fix] = ()
    """Reading options that may find a missing column."""
    lines: bool = False
    """True if items are the only declared role. Each line of the file may then be a set of items."""

    def require_distinct(self) -> None:
        """Reject duplicate column names. The message shows the name only if the first line is certainly a header."""
        number_of: dict[str, int] = {}
        unnamed = [f"{number}" for number, name in enumerate(self.names, 1) if not name]
        for number, name in enumerate(self.names, 1):
            if name in number_of:
                both = [f"{number_of[name]}", f"{number}"] if name else unnamed
                columns = f"{self.where}: columns {listed(both)}"
                same = f"are both named {name!r}" if self.genuine else "have the same name"
                problem = f"{same}; rename one of them in the data"
                if not name:
                    problem = "have no name; name each column in line 1; if line 2 has the names, delete it afterwards"
                raise InputError(f"{columns} {problem}", fixes=[] if self.genuine or not name else [_NUMBERED])
            number_of[name] = number

    def require_there(self, role: str, declared: Sequence[str]) -> None:
        """Reject names that are not columns."""
        name_set = frozenset(self.names)
        for name in declared:
            if name not in name_set:
                problem, fixes = "", self.remedies
                paths = [column for column in self.names if column.startswith((f"{name}[", f"{name}."))]
                if paths:
                    problem, fixes = f"; the path {paths[0]!r} reads from this column, so it needs no role", []
                elif any(is_selected(column, name) for column in self.names):
                    fixes = [Fix({"one_code": [name]}, "for columns with one code per cell")]
                elif any(map(is_like_id, self.names)):  # the header is a record, and messages do not show its values
                    problem, fixes = f"; {self.doubt.sentence}", self.doubt.fixes
                elif self.genuine:
                    problem = f"; columns: {_listed(self.names)}"
                elif not fixes:
                    problem, fixes = f"; {self.doubt.sentence}", self.doubt.fixes
                raise InputError(f"{self.where}: no column {name!r} ({setting(role)}){problem}", fixes=fixes)

    def require_placed(self, placed: set[str]) -> None:
        """Reject columns without a role."""
        homeless = [name for name in self.names if name not in placed]
        if not homeless:
            return
        protecting = ", ".join(setting(role) for role in ("items", "relational", "sensitive", "unit"))
        ways = f"declare each by {protecting}, {setting('keep')} (published unchanged) or {setting('drop')}"
        columns = f"columns {_listed(homeless)}" if len(homeless) > 1 else f"column {homeless[0]!r}"
        few = len(homeless) <= _FEW and placed
        problem, fixes = ways, [Fix({"drop": homeless}, "to publish none of them")] if few else []
        if not self.genuine and any(map(_may_be_a_value, self.names)):
            columns = counted(len(homeless), "column")
            problem, fixes = f"{ways}; {self.doubt.sentence}", [*self.doubt.fixes]
        raise MissingRoleError(f"{self.where}: {columns} without a role; {problem}", fixes=fixes)

    @property
    def doubt(self) -> Problem:
        """Advice if none of the declared names is a column."""
        baskets = Fix({"input_format": "baskets"}, "if each line is a list of items")
        problem = f"the first line was read as a header with {counted(len(self.names), 'column')}"
        return Problem(problem, [_NUMBERED, *([baskets] if self.lines else [])])


_FEW = 20
"""Maximum number of columns that a remedy names."""
_NUMBERED = Fix({"no_header": True}, "if the file has no header, to name the columns 1, 2, ...")


def _may_be_a_value(name: str) -> bool:
    return not name.strip() or _NUMBER.fullmatch(name.strip()) is not None


def label_of(name: str, declared: Sequence[str]) -> str:
    """Return the item of a 0/1 column: the column name without the selecting prefix, and without the end of a bracket
    that the prefix begins.

    >>> label_of("dx_E10", ["dx_*"]), label_of("dx_E10", ["dx_E10"]), label_of("Drug (choice=none)", ["Drug (choice=*"])
    ('E10', 'dx_E10', 'none')
    """
    patterns = [text for text in declared if text.endswith("*") and name not in declared]
    prefix = max((text[:-1] for text in patterns if name.startswith(text[:-1])), key=len, default="")
    item = name[len(prefix) :]
    closing = next((end for begin, end in _BRACKETS if prefix.count(begin) > prefix.count(end)), "")
    return item.removesuffix(closing) or item


_BRACKETS = (("(", ")"), ("[", "]"))


def is_selected(column: str, declared: str) -> bool:
    """Return True if a declared name is the name of a column, or a pattern of its name.

    >>> is_selected("dx1", "dx1"), is_selected("dx1", "dx*"), is_selected("dx", "dx*")
    (True, True, False)
    """
    start = declared[:-1]
    return column == declared or (declared.endswith("*") and column.startswith(start) and column != start)


def _matching(names: Sequence[str], name_set: frozenset[str], pattern: str) -> list[str]:
    if pattern in name_set:
        return [pattern]
    return [name for name in names if is_selected(name, pattern)] if pattern.endswith("*") else []


def expanded(names: Sequence[str], patterns: Sequence[str]) -> tuple[str, ...]:
    """Return the columns among `names` that are named or selected by a pattern such as ``dx*``."""
    name_set = frozenset(names)
    return tuple(
        dict.fromkeys(name for pattern in patterns for name in _matching(names, name_set, pattern) or [pattern])
    )


def _refuse_shapes(where: str, roles: Roles) -> None:
    shapes = {role: names for role in ("items", *_WIDE) if (names := getattr(roles, role))}
    if len(shapes) > 1:
        fixes = [
            Fix({"drop": [name for other in shapes if other != role for name in shapes[other]]}) for role in shapes
        ]
        if shapes.keys() == {"items", "one_hot"}:
            nulls = [f"{name}=0" for name in roles.one_hot]
            joined = [*roles.items, *roles.one_hot]
            both = Fix({"items": joined, "null": nulls, "missing": "empty"}, "to keep both, if 0 means no item")
            fixes.insert(0, both)
        known = listed(list(map(setting, shapes)), "and")
        raise InputError(f"{where}: items are declared by {known}; use only one of them", fixes=fixes)
    if roles.wide and "items" in {*roles.relational, *roles.sensitive, *roles.keep}:
        how = setting(next(iter(shapes)))
        msg = f"{where}: {how} publishes a column 'items', but another column has this name; rename that column"
        raise InputError(msg)


def _refuse_clash(where: str, roles: Roles, setting_of: Mapping[str, str]) -> None:
    """Reject a column with two roles. `setting_of` maps a role to its setting if the names differ."""
    role_of: dict[str, str] = {}
    for role in (field.name for field in fields(roles)):
        for name in getattr(roles, role):
            if name in role_of:
                clashing = " and ".join(setting(setting_of.get(taken, taken)) for taken in (role_of[name], role))
                raise InputError(f"{where}: column {name!r} has two roles ({clashing}); remove one")
            role_of[name] = role


def _listed(names: Sequence[str], most: int = 20) -> str:
    listed = ", ".join(repr(name) for name in names[:most])
    return listed + (f" and {len(names) - most} more" if len(names) > most else "")
