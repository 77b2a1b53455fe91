"""Rows of hospital stays: attributes of a person are constant over the person's rows, those of a stay vary."""

import numpy as np
import pyarrow as pa

from anonset.columns.persons import possible_persons

CODES = [f"{letter}{number:02d}" for letter in "EIJ" for number in range(30)]


def stays(n_persons=300, n=1500, *, key="key7", seed=1):
    """Return columns of random stays. Each person has at least one row."""
    rng = np.random.default_rng(seed)
    who = rng.permutation(np.concatenate([np.arange(n_persons), rng.integers(0, n_persons, n - n_persons)]))
    born = (np.datetime64("1930-01-01") + rng.integers(0, 29_000, n_persons).astype("timedelta64[D]")).astype(str)
    sex = rng.choice(["f", "m"], n_persons)
    town = rng.integers(0, 40, n_persons)
    doctor = rng.integers(0, 60, n)
    product = rng.integers(0, 80, n)
    return {
        key: [f"x{number}" for number in who],
        "birth_date": list(born[who]),
        "sex": list(sex[who]),
        "zip": [f"{10115 + number}" for number in town[who]],
        "town": [f"t{number // 4}" for number in town[who]],
        "admitted": [
            str(np.datetime64("2020-01-01") + day) for day in rng.integers(0, 900, n).astype("timedelta64[D]")
        ],
        "costs": [f"{number:.2f}" for number in rng.gamma(2, 1500, n)],
        "d1": [f"D{number}" for number in doctor],
        "specialty": [f"s{number % 7}" for number in doctor],
        "p1": [f"P{number}" for number in product],
        "price": [f"{number * 37 % 101}.50" for number in product],
        "colour": [f"c{number * 11 % 5}" for number in product],
        "code": [CODES[min(89, int(number))] for number in rng.exponential(15, n)],
    }


def offered(columns, ids=()):
    """Return the offered columns, in order, each as a text with commas."""
    data = {name: pa.chunked_array([pa.array(values)]) for name, values in columns.items()}
    return [",".join(one.columns) for one in possible_persons(data, list(columns), ids) if one.repeats]
