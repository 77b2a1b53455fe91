"""The jobs of the command line and of Python, one a file: the order of their steps."""
