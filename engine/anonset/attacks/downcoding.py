"""Downcoding. This attack uses that a publication is as fine as possible. The finer boxes of a publication then exclude
values of rows in coarser classes.

Downcoding replaces a published value by a finer value that covers the same original values, using only the publication.
A publication is minimal if no finer publication of the same rows has classes of at least k rows. In a class of more
than k rows of a minimal publication, no row is inside a finer published box. Otherwise the row could be published in
this box, and the class would still have k rows. If finer boxes cover a child of a node, no row of the class is below
this child. If a single child remains, all rows are below this child, and the attack replaces the node by this child.

The paper proves that there are data, including clustered data, for which every minimal algorithm discloses a large
part. This attack excludes values in a single step, and can be applied to any publication. The inference is correct if
the publication is minimal (`tests/attacks/test_downcoding.py` enumerates all inputs of small tables). For other
publications it can be wrong. The reported success is measured with the original data.

Reference: Cohen, "Attacks on Deidentification's Defenses", USENIX Security 2022. The paper attacks hierarchical,
minimal algorithms.
"""

from collections.abc import Callable, Sequence

import numpy as np

from anonset.attacks.base import AttackInput, AttackResult, AttackSuccess
from anonset.attacks.boxes import Box, Boxes, is_covered
from anonset.data.array_types import Int64
from anonset.spelling import setting

Told = Callable[[int, int], Sequence[float]]
"""Function that returns the probability of each child or member of the published value of a class in a column."""
_RECORDS = 20_000
"""Maximum number of records from which controls are drawn."""
NOT_LOCAL = "with quasi-identifiers, some published as hierarchy nodes or sets"


def downcoding(scene: AttackInput) -> tuple[AttackResult, ...] | str:
    """Infer from finer published boxes which child of a published node contains a value. The attack targets random
    rows.
    """
    boxes = boxes_of(scene)
    if isinstance(boxes, str):
        return boxes
    knows = (
        f"the publication and its trees, and that no finer publication is safe (k={scene.k}), and wants to find the "
        "finer value of a row: a child of the published node, or a member of the set"
    )
    return attack_random_rows(
        scene, boxes, "downcoding", knows, lambda number, column: child_probabilities(boxes, scene.k, number, column)
    )


def boxes_of(scene: AttackInput) -> Boxes | str:
    """Return the equivalence classes of a publication as boxes, or the reason why the attack does not apply."""
    if scene.original is None or not scene.original.relational or scene.original.transactions is not None:
        return f"it needs {setting('original')} {NOT_LOCAL}"
    boxes = Boxes.of(scene.original.relational, scene.publication.relational, scene.hierarchies)
    return (
        boxes if any(map(boxes.open_columns, range(len(boxes.size)))) else f"it needs {setting('original')} {NOT_LOCAL}"
    )


def finer_boxes(boxes: Boxes, k: int, number: int) -> list[Box]:
    """Return the finer boxes that contain no row of a class, provided that the publication is minimal."""
    if boxes.size[number] <= k:
        return []
    box_of_class = boxes.box(number)
    return [box for other in boxes.within(box_of_class).tolist() if (box := boxes.box(other)) != box_of_class]


def child_probabilities(boxes: Boxes, k: int, number: int, column: int) -> list[float]:
    """Return the probability of each child for a row of a class. It is 0 for a child that finer boxes cover. All other
    children have equal probabilities.
    """
    box, parts = boxes.box(number), boxes.parts(number, column)
    finer = finer_boxes(boxes, k, number)
    may = [not is_covered((*box[:column], part, *box[column + 1 :]), finer) for part in parts]
    return shares([1.0 if possible else 0.0 for possible in may])


def shares(weights: Sequence[float]) -> list[float]:
    """Divide weights by their sum. If all weights are 0, the inference contradicts itself, and equal shares are
    returned.

    >>> shares([2.0, 0.0]), shares([0.0, 0.0])
    ([1.0, 0.0], [0.5, 0.5])
    """
    total = sum(weights)
    return [weight / total for weight in weights] if total else [1 / len(weights)] * len(weights)


def attack_random_rows(
    scene: AttackInput, boxes: Boxes, name: str, knows: str, chances: Told
) -> tuple[AttackResult, ...]:
    """Measure the success of inferred probabilities on random rows. The control replaces their records by random
    records inside the same boxes.

    Without the attack, all children are equally likely.
    """
    random, chances_of = np.random.default_rng(scene.seed), dict[tuple[int, int], Sequence[float]]()
    others = np.sort(random.permutation(len(scene.publication.record))[:_RECORDS])
    without, won, control = list[float](), list[float](), list[float]()
    for row in _rows(scene, boxes, random).tolist():
        number, record = int(boxes.class_of_row[row]), int(scene.publication.record[row])
        column = int(random.choice(boxes.open_columns(number)))
        if (number, column) not in chances_of:
            chances_of[number, column] = chances(number, column)
        fitting = boxes.fitting(number, others)
        dealt = int(random.choice(fitting)) if len(fitting) else record
        parts, codes = boxes.parts(number, column), boxes.columns[column].own
        for results, chosen_record in ((won, record), (control, dealt)):
            place = next(position for position, part in enumerate(parts) if part >> int(codes[chosen_record]) & 1)
            results.append(chances_of[number, column][place])
        without.append(1 / len(parts))
    return (AttackResult(name, knows, len(won), *map(_success, (without, won, control))),)


def _rows(scene: AttackInput, boxes: Boxes, random: np.random.Generator) -> Int64:
    """Return random rows of classes that are published with a set or with a node that has children."""
    is_open = np.array([bool(boxes.open_columns(number)) for number in range(len(boxes.size))])
    rows = np.flatnonzero(is_open[boxes.class_of_row])
    return np.sort(random.permutation(rows)[: scene.attempts])


def _success(chances: Sequence[float]) -> AttackSuccess:
    sure = np.array(chances) if len(chances) else np.zeros(1)
    return AttackSuccess(float((sure == 1).mean()), float(sure.mean()))
