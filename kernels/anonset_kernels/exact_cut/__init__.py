"""Rare sets as constraints of an exact cut, and proofs for single clusters."""
