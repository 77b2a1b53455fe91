"""The three kinds of publications as files."""
