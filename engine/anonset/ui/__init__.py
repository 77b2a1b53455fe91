"""``anonset ui``: a local web page for data stewards.

The page contains no rule of its own. Each action changes the job file or runs a command of anonset in another process,
and the page shows the command.
"""
