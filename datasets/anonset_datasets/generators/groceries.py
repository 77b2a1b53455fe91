"""A small shop with readable names, for demonstrations."""

import numpy as np

from anonset.data import Hierarchy, SetColumn, Table
from anonset_datasets.generators.checks import count, integer
from anonset_datasets.generators.missions import Mission, draw, join, lognormal_lengths, zipf

SHELVES: dict[str, dict[str, tuple[str, ...]]] = {
    "fresh": {
        "dairy": ("whole_milk", "butter", "yogurt", "eggs", "cream"),
        "bakery": ("white_bread", "rolls", "rye_bread", "croissants", "bagels"),
        "fruit": ("bananas", "apples", "oranges", "grapes", "lemons"),
        "vegetables": ("tomatoes", "potatoes", "onions", "carrots", "lettuce"),
    },
    "cold_counter": {
        "cheese": ("cheddar", "mozzarella", "brie", "feta", "gorgonzola"),
        "meat": ("chicken", "minced_beef", "sausages", "pork_chops", "lamb"),
        "fish": ("salmon", "tuna", "shrimps", "trout", "oysters"),
    },
    "dry_goods": {
        "pantry": ("pasta", "rice", "flour", "sugar", "olive_oil"),
        "breakfast": ("coffee", "cereal", "jam", "tea", "honey"),
        "snacks": ("crisps", "chocolate", "biscuits", "peanuts", "popcorn"),
        "spices": ("pepper", "paprika", "cinnamon", "saffron", "cardamom"),
    },
    "drinks": {
        "soft_drinks": ("water", "cola", "orange_juice", "lemonade", "iced_tea"),
        "alcohol": ("beer", "red_wine", "white_wine", "gin", "champagne"),
    },
}
"""Items by department and category. Within a category, items are sorted by descending popularity."""

_MISSIONS: tuple[tuple[tuple[str, ...], float], ...] = (
    (("dairy", "bakery", "breakfast"), 30),
    (("fruit", "vegetables"), 22),
    (("meat", "vegetables"), 12),
    (("pantry", "vegetables"), 10),
    (("snacks", "soft_drinks"), 14),
    (("alcohol", "cheese"), 5),
    (("fish", "alcohol"), 2),
    (("spices", "pantry"), 2),
)
_SHORT = 6  # maximum basket length of a single mission


def shop_hierarchy() -> Hierarchy:
    """Return the hierarchy of the shop. Its levels are item, category, department and all groceries.

    >>> hierarchy = shop_hierarchy()
    >>> [hierarchy.labels[v] for v in hierarchy.ancestors(hierarchy.node_of["rye_bread"])]
    ['bakery', 'fresh', 'groceries']
    """
    return Hierarchy.from_tree(("groceries", [(name, list(shelves.items())) for name, shelves in SHELVES.items()]))


def shop(n: int = 5_000, seed: int = 0) -> Table:
    """Generate baskets of a small shop with 65 grocery items. Baskets contain typical combinations of items.

    The item order is that of `shop_hierarchy`. A smaller table is a prefix of a larger table.

    Parameters
    ----------
    n
        Number of baskets (0 gives an empty table).
    seed
        Seed of NumPy's PCG64.

    Raises
    ------
    InputError
        If a parameter is out of range.

    >>> table = shop(3)
    >>> table.n, len(table.transactions.vocabulary)
    (3, 65)
    """
    count("n", n, 0)
    integer("seed", seed, 0)
    vocabulary = shop_hierarchy().leaves
    lengths = lognormal_lengths(4.0, 12, 0.6)
    indptr, items = join([(ptr, codes) for ptr, codes, _ in draw(n, len(vocabulary), lengths, _missions(), seed)])
    return Table(SetColumn("items", indptr, items, vocabulary), order=("items",))


def demo_table() -> tuple[Table, Hierarchy]:
    """Return the 5,000 baskets of the demonstration, bound to their hierarchy."""
    return shop(), shop_hierarchy()


def _missions() -> list[Mission]:
    index = shop_hierarchy().leaves.index
    shelves = {name: [index[x] for x in items] for part in SHELVES.values() for name, items in part.items()}
    missions = []
    for names, popularity in _MISSIONS:
        items = np.array([code for name in names for code in shelves[name]], np.int32)
        weights = np.concatenate([zipf(5, 1.5, 0.0)] * len(names))
        missions.append(Mission(items, weights, popularity, 1, _SHORT))
    staples = [
        code for name in ("dairy", "bakery", "fruit", "vegetables", "pantry", "meat") for code in shelves[name][:3]
    ]
    missions.append(Mission(np.array(staples, np.int32), zipf(len(staples), 0.0, 1.0), 1.0, _SHORT + 1, 12))
    return missions
