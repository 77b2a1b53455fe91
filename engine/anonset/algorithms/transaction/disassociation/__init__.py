"""Disassociation, which publishes the parts of records separately."""
