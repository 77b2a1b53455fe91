"""Remedies for columns that stop a publication, as settings that an owner can copy."""

from collections.abc import Sequence
from dataclasses import fields

from anonset.columns.headers import is_sensitive
from anonset.columns.kinds import MOST_LOOKED_AT, look_at
from anonset.columns.roles import rule_of
from anonset.errors import Fix
from anonset.privacy import KAnonymity, PrivacyModel
from anonset.spelling import StatedSettings, hierarchy_of, listed, setting, short_names, spelled

TAKEN_OUT = Fix({}, "remove them from the data")


def of_sets(name: str, rule: str, *, drop: list[Fix]) -> list[Fix]:
    """Return the remedies for a relational column that publishes rare values, alone or in sets.

    Parameters
    ----------
    rule
        Generalization rule after which few values are rare. Empty if there is none.
    drop
        Settings that drop the column. Empty if the model needs it.
    """
    if rule:
        return [Fix({"hierarchy": {name: rule}}), *drop]
    return [*drop, Fix({}, f"or group the values in a file: {hierarchy_of(name, 'FILE')}")]


def of_dropped(name: str, model: PrivacyModel, *, only: bool) -> list[Fix]:
    """Return the settings that drop a relational column. Empty if the model needs the column.

    Parameters
    ----------
    only
        True if the table has no other relational column.
    """
    if only:
        return [Fix({"drop": [name], "model": "km"})] if model.name == "kkm" else []
    return [dropping(name)]


def of_kept(name: str, rule: str, labels: Sequence[str], model: PrivacyModel) -> list[Fix]:
    """Return the remedies for a column that is published unchanged. See `of_sets` for `rule`.

    A model for relational columns does not protect a sensitive column from inference.
    """
    rule = rule or _rule(name, labels)
    if "sensitive" in model.protects or not rule or is_sensitive(name):
        return [dropping(name)]
    generalized: StatedSettings = {"relational": [name], "hierarchy": {name: rule}}
    instead = f"in place of {setting('keep', name)}"
    if "relational" in model.protects:
        return [Fix(generalized, instead), dropping(name)]
    return [dropping(name), *([Fix({"model": "kkm", **generalized}, instead)] if model.name == "km" else [])]


def of_singling_out(names: Sequence[str], model: PrivacyModel) -> list[Fix]:
    """Return the remedies for kept columns that single out persons in combination with other columns.

    A model for relational columns does not protect a sensitive column from inference.
    """
    fixes = [dropping(*names)]
    if "relational" in model.protects and not any(map(is_sensitive, names)):
        fixes.append(Fix({"relational": list(names)}, f"in place of {spelled({'keep': list(names)})}"))
    return fixes


def of_items(names: Sequence[str], model: PrivacyModel, *, others: bool) -> list[Fix]:
    """Return the remedies for items. The name ``items`` stands for the joined set of several columns.

    Parameters
    ----------
    others
        Whether the table has other item columns.
    """
    if tuple(names) == ("items",):
        return [TAKEN_OUT]
    if others:
        return [TAKEN_OUT, dropping(*names)]
    drop = {"drop": list(names)}
    if "relational" in model.protects:  # k then protects the remaining columns
        basic = {form.name for form in fields(KAnonymity)}
        strange = [setting(form.name) for form in fields(model) if form.name not in basic]  # type: ignore[arg-type]
        return [TAKEN_OUT, Fix({**drop, "model": "k"}, f"without {listed(strange, 'and')}" if strange else "")]
    return [TAKEN_OUT, Fix({}, f"or use another column as the items: {spelled({'items': 'COL', **drop})}")]


def dropping(*names: str) -> Fix:
    """Return the remedy of dropping columns."""
    return Fix({"drop": list(names)})


def publishing_as_is(names: Sequence[str]) -> Fix:
    """Return the remedy of publishing columns unchanged."""
    return Fix({"publish_as_is": list(names)}, f"to declare that you publish {short_names(names)} as is")


def _rule(name: str, labels: Sequence[str]) -> str:
    """Return a rule that makes the values of a column coarser, or an empty text if no rule is known."""
    values = [label for label in labels[:MOST_LOOKED_AT] if label not in ("", "?")]
    look = look_at(name, values)
    return "" if look.kind == "dates" and not look.usable else rule_of(look)


def bins_of(name: str, labels: Sequence[str]) -> str:
    """Return bins for a column of numbers that is read as text, or an empty text for other columns."""
    rule = _rule(name, labels)
    return rule if rule.startswith("bins:") else ""
