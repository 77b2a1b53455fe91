"""Algorithms that remove threats or inferences by suppressing items."""
