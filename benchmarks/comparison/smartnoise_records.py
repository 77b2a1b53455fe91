"""Draw synthetic records by SmartNoise: ``python smartnoise_records.py MST|AIM EPSILON DELTA SEED MATRIX OUT``.

Runs in an environment that contains smartnoise-synth. MATRIX and OUT are files of NumPy with a row per record and a
column of 0 and 1 per item. Prints the CPU seconds.
"""

import sys
import time

import numpy as np
import pandas as pd
from snsynth.aim import AIMSynthesizer
from snsynth.mst import MSTSynthesizer
from snsynth.transform import LabelTransformer, TableTransformer

way, epsilon, delta, seed, path, out = sys.argv[1:]
matrix = pd.DataFrame(np.load(path).astype(int)).add_prefix("item")
np.random.seed(int(seed))  # noqa: NPY002 - SmartNoise draws from the global generator
began = time.process_time()
synthesizer = {"MST": MSTSynthesizer, "AIM": AIMSynthesizer}[way](epsilon=float(epsilon), delta=float(delta))
synthesizer.fit(matrix, transformer=TableTransformer([LabelTransformer(nullable=False) for _ in matrix.columns]))
# `sample` rounds the groups of records in one order, which makes unrelated items depend on each other (mbi 1.1.0)
drawn = synthesizer.synthesizer.synthetic_data(rows=len(matrix), method="sample")
if way == "MST":
    drawn = synthesizer.undo_compress_fn(drawn)
columns = drawn.df[[f"col{number}" for number in range(matrix.shape[1])]]
labels = synthesizer._transformer.inverse_transform(list(columns.itertuples(index=False, name=None)))
np.save(out, np.asarray(labels).astype(bool))
sys.stderr.write(f"\n{time.process_time() - began:.0f}\n")
