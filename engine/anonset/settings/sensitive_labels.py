"""Sensitive items that a model names must be there: one that is misspelt would not be protected, and nobody told."""

from difflib import get_close_matches

from anonset.data import SetColumn
from anonset.errors import InputError
from anonset.privacy import PrivacyModel

_MOST_COMPARED = 10_000
"""Items up to which the one most like a misspelt one is looked for."""


def require_sensitive(model: PrivacyModel, column: SetColumn | None) -> None:
    """Refuse a model of diversity without sensitive items, and one that names items which the column does not have.

    In a column without items there is nothing to be told.

    Raises
    ------
    InputError
        With the item, and the one most like it.
    """
    named = model.secrets
    if column is None or not len(column.items):
        return
    if model.needs_secrets and not named:
        msg = f"model {model.name}: sensitive_items must name at least one item, got none: it is about nothing else"
        raise InputError(msg)
    labels = [label for label, count in zip(column.vocabulary.labels, column.occurrences, strict=True) if count]
    there = set(labels)
    unknown = [label for label in named if label not in there]
    if unknown:
        like = get_close_matches(unknown[0], labels, 1, 0.0) if len(labels) <= _MOST_COMPARED else []
        more = f", nor are {len(unknown) - 1} more of sensitive_items" if len(unknown) > 1 else ""
        hint = f"; the item most like it is {like[0]!r}" if like else ""
        msg = (
            f"sensitive item {unknown[0]!r} is not in column {column.name!r}{more}{hint} "
            "(leave out what does not occur: it needs no protection)"
        )
        raise InputError(msg)
