"""Validation of the sensitive items of privacy models."""

from anonset.errors import InputError, datum


def require_labels(name: str, labels: tuple[str, ...]) -> None:
    """Validate a parameter that must be a tuple of distinct labels.

    Raises
    ------
    InputError
        If the value is invalid. The message contains the name, the value and the requirement.
    """
    if not isinstance(labels, tuple) or not all(isinstance(label, str) for label in labels):
        msg = f"{name} must be a tuple of labels, got {datum(labels)}"
        raise InputError(msg)
    if len(set(labels)) != len(labels):
        twice = next(label for label in labels if labels.count(label) > 1)
        msg = f"{name} must be distinct, got {datum(twice)} twice"
        raise InputError(msg)
