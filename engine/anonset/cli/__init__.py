"""The command line. The module of a command is imported when the command runs, so that the program starts fast."""
