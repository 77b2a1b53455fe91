"""Accounts of runs for people and programs."""
