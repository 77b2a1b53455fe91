"""Attacks on a publication. Each attack states the assumed knowledge and has a control."""
