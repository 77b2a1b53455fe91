"""Jobs behind the commands and the Python functions: a file per job, with the order of the steps."""
