"""Anonymize or check a table with anjana: ``python anjana_table.py WAY K DATA HIERARCHIES OUT``.

Runs in an environment that contains anjana. If WAY is a percentage, at most this share of the records is suppressed. If
WAY is ``check``, the script prints the size of the smallest class, computed by pycanon.
"""

import sys
from pathlib import Path

import pandas as pd
from anjana.anonymity import k_anonymity
from pycanon.anonymity import k_anonymity as smallest_class

way, k, path, *folders = sys.argv[1:]
data = pd.read_csv(path, dtype=str, keep_default_na=False)
names = list(data.columns)
if way == "check":
    sys.stdout.write(f"{smallest_class(data, names)}\n")
else:
    folder, out = folders
    hierarchies = {}
    for name in names:
        levels = pd.read_csv(Path(folder) / f"{name}.csv", sep=";", header=None, dtype=str, keep_default_na=False)
        hierarchies[name] = {level: levels[level].to_numpy() for level in levels}
    published = k_anonymity(data, [], names, int(k), float(way), hierarchies)
    if published.empty:
        sys.exit("anjana found no table with this guarantee")
    published[names].to_csv(out, index=False)
