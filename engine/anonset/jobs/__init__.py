"""Jobs behind the commands and the Python functions: one file per job, which runs its steps in order."""
