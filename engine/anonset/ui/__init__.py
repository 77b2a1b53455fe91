"""``anonset ui``: a local web page for data stewards.

The page only changes the job file and runs commands of anonset in other processes. It shows each command.
"""
