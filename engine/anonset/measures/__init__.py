"""Measures of losses, risks and usefulness of publications."""
