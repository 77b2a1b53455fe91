"""Remedies for columns that stop a publication, as settings that an owner can copy."""

from collections.abc import Sequence
from dataclasses import fields
from fractions import Fraction

from anonset.columns.header_topics import is_sensitive
from anonset.columns.kinds import MOST_LOOKED_AT, look_at
from anonset.data.hierarchy_rules import FROM
from anonset.privacy import KAnonymity, PrivacyModel
from anonset.spelling import hierarchy_of, listed, setting

_PREFIXES = {"ICD-9 codes": "prefix:1,3", "ICD-10 codes": "prefix:1,3", "ATC codes": "prefix:1,3,5"}
_PLACES = ("postal codes", "zip codes")
TAKEN_OUT = "remove them from the data"


def of_ranges() -> str:
    """Return the remedy for a numeric column whose range ends are exact values."""
    return f"remove {setting('round_ends', value=False)}"


def of_sets(name: str, rule: str, *, drop: str) -> str:
    """Return the remedy for a relational column that publishes rare values, alone or in sets.

    Parameters
    ----------
    rule
        Generalization rule after which few values are rare. Empty if there is none.
    drop
        Settings that drop the column. Empty if the model needs it.
    """
    if rule:
        return f"use {hierarchy_of(name, rule)}" + (f", or {drop}" if drop else "")
    file = f"{hierarchy_of(name, 'FILE')} with a file that groups the values"
    return f"use {drop}, or {file}" if drop else f"use {file}"


def of_dropped(name: str, model: PrivacyModel, *, only: bool) -> str:
    """Return the settings that drop a relational column, or an empty text if the model needs the column.

    Parameters
    ----------
    only
        True if the table has no other relational column.
    """
    if only and model.name != "kkm":
        return ""
    return f"{setting('drop', name)} {setting('model', 'km')}" if only else setting("drop", name)


def of_kept(name: str, rule: str, labels: Sequence[str], model: PrivacyModel) -> str:
    """Return the remedy for a column that is published unchanged. See `of_sets` for `rule`.

    A model for relational columns does not protect a sensitive column from inference.
    """
    rule = rule or _rule(name, labels)
    if "sensitive" in model.protects or not rule or is_sensitive(name):
        return remedy_of_dropping(name)
    generalized = f"{setting('relational', name)} {hierarchy_of(name, rule)} in place of {setting('keep', name)}"
    if "relational" in model.protects:
        return f"use {generalized}, or {setting('drop', name)}"
    if model.name == "km":
        return f"{remedy_of_dropping(name)}, or use {setting('model', 'kkm')} {generalized}"
    return remedy_of_dropping(name)


def remedy_for_singling_out(names: Sequence[str], model: PrivacyModel) -> str:
    """Return the remedy for kept columns that single out persons in combination with other columns.

    A model for relational columns does not protect a sensitive column from inference.
    """
    joined = ",".join(names)
    if "relational" in model.protects and not any(map(is_sensitive, names)):
        return f"{remedy_of_dropping(joined)}, or {setting('relational', joined)} in place of {setting('keep', joined)}"
    return remedy_of_dropping(joined)


def of_items(names: Sequence[str], model: PrivacyModel, *, others: bool) -> str:
    """Return the remedy for items. The name ``items`` stands for the joined set of several columns.

    Parameters
    ----------
    others
        Whether the table has other item columns.
    """
    if tuple(names) == ("items",):
        return TAKEN_OUT
    if others:
        return f"{TAKEN_OUT}, or use {setting('drop', ','.join(names))}"
    if "relational" in model.protects:  # k then protects the remaining columns
        basic = {form.name for form in fields(KAnonymity)}
        strange = [setting(form.name) for form in fields(model) if form.name not in basic]  # type: ignore[arg-type]
        without = f" without {listed(strange, 'and')}" if strange else ""
        return f"{TAKEN_OUT}, or use {setting('drop', ','.join(names))} {setting('model', 'k')}{without}"
    return (
        f"{TAKEN_OUT}, or use another column as the items: {setting('items', 'COL')} {setting('drop', ','.join(names))}"
    )


def remedy_of_dropping(name: str) -> str:
    """Return the remedy of dropping a column."""
    return f"use {setting('drop', name)}"


def declared(names: Sequence[str]) -> str:
    """Return the remedy of publishing columns unchanged."""
    return f"{setting('publish_as_is', ','.join(names))} declares that you publish {listed(names)} as is"


def _rule(name: str, labels: Sequence[str]) -> str:
    """Return a rule that makes the values of a column coarser, or an empty text if no rule is known."""
    values = [label for label in labels[:MOST_LOOKED_AT] if label not in ("", "?")]
    look = look_at(name, values)
    if look.kind in ("integers", "numbers") and look.width and not look.form:
        return _bins(look.width)
    if look.kind == "dates" and look.usable:
        levels = "year,decade" if look.doubt or (look.form and "%d" not in look.form) else f"{FROM}month,year,decade"
        return f"date:{look.form}:{levels}" if look.form else f"date:{levels}"
    return "mask:3,1" if look.kind in _PLACES else _PREFIXES.get(look.kind, "")


def bins_of(name: str, labels: Sequence[str]) -> str:
    """Return bins for a column of numbers that is read as text, or an empty text for other columns."""
    rule = _rule(name, labels)
    return rule if rule.startswith("bins:") else ""


def _bins(width: str) -> str:
    """Return a rule with bins of a width, and above them bins of four times this width."""
    return f"bins:width={width},{float(4 * Fraction(width)):.12g}"
