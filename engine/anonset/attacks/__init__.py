"""Attacks that a publication is tried against, each with its knowledge and a control."""
