"""Exit codes of commands."""

DONE, FAILED, BAD_INPUT, UNDECIDED = 0, 1, 2, 3
