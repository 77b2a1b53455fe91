"""The command line. `main` imports nothing heavy; every command is a module that is imported when it runs."""
