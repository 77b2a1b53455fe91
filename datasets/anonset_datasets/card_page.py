"""Page with a data card for each data set of the catalogue, and for each generator that experiments use."""

from collections.abc import Iterable, Sequence

from anonset_datasets.cards import CARDS, GENERATED, Card, Shape
from anonset_datasets.entries import ENTRIES, Entry
from anonset_datasets.generators import GENERATORS

_INTRODUCTION = """\
# Data cards

This page describes each data set of the catalogue and each generator of the experiments: origin, terms of use, and the
data of a paper that it replaces. A test reads every file, or generates the data, and compares the numbers. The tables
also show the numbers that the papers print.

The project contains no data. `anonset datasets check` lists the available data sets, and how to obtain the others.

**Never use these data sets for linking attacks**: {never}. Their terms forbid attempts to
identify a person. The terms of the first data set also forbid linking the records to other data about persons."""
_HEAD = ("", "records", "items", "longest", "average")


def page() -> str:
    """Return the page as Markdown.

    >>> page().splitlines()[0]
    '# Data cards'
    """
    never = " and ".join(f"[`{entry.name}`](#{entry.name})" for entry in ENTRIES.values() if not entry.linkable)
    parts = [_INTRODUCTION.format(never=never)]
    for title, kind in (
        ("Sets of items", "transactions"),
        ("With relational columns", "rt"),
        ("Relational tables", "relational"),
    ):
        parts += [f"## {title}", *(_of_entry(entry) for entry in ENTRIES.values() if entry.kind == kind)]
    parts += ["## Generated", *(_of_generator(name, card) for name, card in GENERATED.items())]
    return "\n\n".join(parts) + "\n"


def _of_entry(entry: Entry) -> str:
    card = CARDS[entry.name]
    own = Shape(n=entry.n, n_items=entry.n_items, max_length=entry.max_length, avg_length=entry.avg_length)
    columns = ", ".join(f"`{name}`" for name in entry.relational)
    facts = (
        ("Origin", entry.source),
        ("Offered by", card.offered),
        (
            "Terms",
            entry.terms + ("; redistribution permitted" if entry.redistributable else "; redistribution not permitted"),
        ),
        ("Citation", entry.citation),
        ("Preparation", card.made),
        ("Records", "synthetic, no real persons" if entry.synthetic else ""),
        ("Quasi-identifiers", columns),
        ("Hierarchy of the items", _hierarchy(entry)),
        ("Replaces", card.stands_in_for),
        ("Differences", card.differs),
        ("Note", entry.note),
    )
    return _section(entry.name, entry.about, None if entry.optional else own, card, facts)


def _of_generator(name: str, card: Card) -> str:
    facts = (("Generation", card.made), ("Replaces", card.stands_in_for), ("Differences", card.differs))
    return _section(name, GENERATORS[name].about, card.measured, card, facts)


def _hierarchy(entry: Entry) -> str:
    if entry.items is None:
        return ""
    return f"`{entry.default_hierarchy}` (no taxonomy available)" if entry.taxonomy is None else f"`{entry.taxonomy}`"


def _section(name: str, about: str, own: Shape | None, card: Card, facts: Iterable[tuple[str, str]]) -> str:
    shapes = [*([("here", own)] if own else []), *card.printed]
    lines = [f"### {name}", "", f"{about[0].upper()}{about[1:]}.", "", *_table(shapes), ""]
    lines += [f"- **{fact}**: {text[0].upper() if text[0] != '`' else '`'}{text[1:]}" for fact, text in facts if text]
    return "\n".join(lines)


def _table(shapes: Sequence[tuple[str, Shape]]) -> list[str]:
    """Return the characteristics as lines of a Markdown table. If no data set has items, the table contains only record
    counts.
    """
    width = len(_HEAD) if any(shape.n_items for _, shape in shapes) else 2
    lines = [_HEAD[:width], ("---",) * width]
    for name, shape in shapes:
        cells = (name, f"{shape.n:,}", f"{shape.n_items:,}", f"{shape.max_length:,}", str(shape.avg_length))
        lines.append(cells[:width])
    return ["| " + " | ".join(line) + " |" for line in lines]
