"""Attacks on a publication, with the assumed knowledge and a control for each."""
