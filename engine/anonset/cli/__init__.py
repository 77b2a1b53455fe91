"""The command line. `main` avoids slow imports. Each command is a module that is imported when the command runs."""
