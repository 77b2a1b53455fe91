"""Attacks on a publication, each with its assumed knowledge and a control."""
