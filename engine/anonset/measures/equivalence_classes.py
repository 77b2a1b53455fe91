"""Equivalence classes. See `anonset.data.equivalence_classes`."""

from anonset.data.equivalence_classes import class_of as class_of
