"""Chunks of disassociated records."""
