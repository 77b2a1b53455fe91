"""The roles of columns: every column has exactly one, or the data are refused."""

from collections.abc import Sequence
from dataclasses import dataclass, fields

from anonset.errors import InputError
from anonset.spelling import setting

Names = str | Sequence[str] | None


@dataclass(frozen=True)
class Roles:
    """Names of the columns in each role, in the order in which they were given."""

    items: tuple[str, ...] = ()
    relational: tuple[str, ...] = ()
    sensitive: tuple[str, ...] = ()
    id: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()

    @property
    def used(self) -> tuple[str, ...]:
        """Names of the columns that are read: all but the dropped."""
        return self.items + self.relational + self.sensitive + self.id + self.keep

    def published(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return those of `names` whose columns may be published, in their order."""
        shown = {*self.items, *self.relational, *self.sensitive, *self.keep}
        return tuple(name for name in names if name in shown)


def resolve(where: str, names: Sequence[str], numeric: Names, **given: Names) -> tuple[Roles, frozenset[str]]:
    """Give every column of a source its role.

    Parameters
    ----------
    where
        Name of the source, for messages.
    names
        The columns that exist.
    numeric
        Relational columns that are numbers.
    given
        Column names by role, each a sequence, or text: one name, or several separated by commas.

    Raises
    ------
    InputError
        If a column is named that does not exist, has no role or two, or two columns have the same name.
    """
    _refuse_twice(where, names)
    roles = Roles(**{role: _columns(where, names, role, value) for role, value in given.items()})
    _refuse_clash(where, roles)
    numbers = _columns(where, names, "numeric", numeric)
    relational = frozenset(roles.relational)
    for name in numbers:
        if name not in relational:
            msg = f"{where}: numeric column {name!r} must be {setting('relational')} too"
            raise InputError(msg)
    placed = {*roles.used, *roles.drop}
    homeless = [name for name in names if name not in placed]
    if homeless:
        which = "columns" if len(homeless) > 1 else "column"
        protecting = ", ".join(setting(role) for role in ("items", "relational", "sensitive", "id"))
        ways = f"{protecting}, {setting('keep')} (published as it is) or {setting('drop')}"
        msg = f"{where}: {which} {_listed(homeless)} without a role; name each under one of {ways}"
        raise InputError(msg)
    if not roles.used:
        msg = f"{where}: every column is dropped; at least one must be used"
        raise InputError(msg)
    return roles, frozenset(numbers)


def _refuse_twice(where: str, names: Sequence[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            msg = f"{where}: two columns are named {name!r}; names must be distinct"
            raise InputError(msg)
        seen.add(name)


def _columns(where: str, names: Sequence[str], role: str, given: Names) -> tuple[str, ...]:
    if given is None:
        return ()
    if isinstance(given, str):
        wanted = [given] if given in names or not given else [part.strip() for part in given.split(",")]
    else:
        wanted = list(given)
    known = frozenset(names)
    for name in wanted:
        if name not in known:
            msg = f"{where}: there is no column {name!r} ({setting(role)}); there are {_listed(names)}"
            raise InputError(msg)
    return tuple(dict.fromkeys(wanted))


def _refuse_clash(where: str, roles: Roles) -> None:
    role_of: dict[str, str] = {}
    for role in (field.name for field in fields(roles)):
        for name in getattr(roles, role):
            if name in role_of:
                both = f"{setting(role_of[name])} and {setting(role)}"
                msg = f"{where}: column {name!r} has two roles ({both}); one is required"
                raise InputError(msg)
            role_of[name] = role


def _listed(names: Sequence[str], most: int = 20) -> str:
    shown = ", ".join(repr(name) for name in names[:most])
    return shown + (f" and {len(names) - most} more" if len(names) > most else "")
