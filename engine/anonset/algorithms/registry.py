"""The names of the algorithms, as on the command line."""

from anonset.algorithms.base import Algorithm
from anonset.algorithms.transaction.apriori import Apriori
from anonset.algorithms.transaction.direct import Direct
from anonset.algorithms.transaction.optimal import Optimal

ALGORITHMS: dict[str, type[Algorithm]] = {
    algorithm.name: algorithm
    for algorithm in (
        Apriori,
        Direct,
        Optimal,
    )
}
"""Class of each algorithm by its name. The first that gives a model is the model's default."""
